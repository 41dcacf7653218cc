"""Vectors of speech: a corpus through an encoder, each utterance once."""
