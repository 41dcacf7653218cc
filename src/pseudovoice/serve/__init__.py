"""The page on loopback: choose two folders, watch an assessment run, read its report."""

from pseudovoice.serve.readable import ReadableFolders
from pseudovoice.serve.server import Loopback

__all__ = ["Loopback", "ReadableFolders"]
