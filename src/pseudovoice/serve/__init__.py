"""The pages on loopback: protect a recording; assess two folders; read the reports."""

from pseudovoice.serve.readable import ReadableFolders
from pseudovoice.serve.server import Loopback

__all__ = ["Loopback", "ReadableFolders"]
