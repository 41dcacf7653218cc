"""Writing results: tidy tables, JSON, LaTeX."""
