"""What only this user may see: temporary folders that do not outlive their program."""

from pseudovoice.private.temporary import TemporaryFolder, remove_orphans

__all__ = ["TemporaryFolder", "remove_orphans"]
