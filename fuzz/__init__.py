"""Bytes of strangers, given to every reader: `make fuzz`, or `python -m fuzz TARGET`."""
