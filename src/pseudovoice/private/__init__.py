"""What only this user may see, and what nobody may overwrite."""

from pseudovoice.private.irreplaceable import spare
from pseudovoice.private.own import close_to_others, private_file, private_folder
from pseudovoice.private.secret_file import check_private, open_plain
from pseudovoice.private.temporary import SharedFolder, TemporaryFolder, remove_orphans

__all__ = [
    "SharedFolder",
    "TemporaryFolder",
    "check_private",
    "close_to_others",
    "open_plain",
    "private_file",
    "private_folder",
    "remove_orphans",
    "spare",
]
