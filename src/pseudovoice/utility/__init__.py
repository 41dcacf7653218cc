"""What protected speech is still good for: words, quality and prosody."""
