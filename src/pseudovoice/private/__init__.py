"""What only this user may see, and what nobody may overwrite."""

from pseudovoice.private.irreplaceable import spare
from pseudovoice.private.secret_file import check_private, open_plain
from pseudovoice.private.temporary import TemporaryFolder, remove_orphans

__all__ = ["TemporaryFolder", "check_private", "open_plain", "remove_orphans", "spare"]
