"""Words and language: transcripts, spelling, numbers, and models of what follows what."""
