"""Open the user's browser without showing the address to everybody on the machine."""

from __future__ import annotations

import html
import os
import sys
import threading
import webbrowser
from contextlib import suppress
from pathlib import Path

from pseudovoice import child


def open_browser(address: str, folder: Path) -> None:
    """Have the browser opened at ``address``, by way of a file in a private ``folder``.

    The arguments of a program are public, and the address holds the token. The browser is
    therefore given a file that only this user can read, and that leads on to the address.
    """
    path = folder / "open.html"
    there = html.escape(address)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(
            '<!doctype html><html lang="en"><meta charset="utf-8"><title>pseudovoice</title>'
            f'<meta http-equiv="refresh" content="0; url={there}">'
            f'<p><a href="{there}">Go on</a></p>'
        )
    command = child.python("pseudovoice.serve.browser", path.as_uri())
    with suppress(OSError):  # no browser is no fault: the address is printed as well
        opener = child.start(command, folder, child.environment(*child.DESKTOP))
        # Beside the server: a browser that lives in the terminal comes back only when it is left.
        threading.Thread(target=opener.wait, daemon=True).start()


if __name__ == "__main__":
    webbrowser.open(sys.argv[1])
