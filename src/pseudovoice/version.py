"""The version, for whoever writes it into a record."""

__version__ = "0.1.0"
