"""The page on loopback: choose two folders, watch an assessment run, read its report."""

from pseudovoice.serve.places import Places
from pseudovoice.serve.server import Loopback

__all__ = ["Loopback", "Places"]
