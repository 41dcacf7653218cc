"""What `pseudovoice demo` shows to someone who has no data at hand."""
