"""Run the notebooks of this folder and keep what they show: ``make notebooks``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent
NOTEBOOKS = sorted(HERE.glob("*.ipynb"))
SECONDS = 600
"""After which a cell counts as stuck, on a slow machine."""


def executed(notebook: Path) -> Any:
    """The notebook after all of its cells have run, in an empty folder."""
    read = nbformat.read(notebook, as_version=4)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as sockets:
        client = NotebookClient(
            read, timeout=SECONDS, kernel_name="python3", resources={"metadata": {"path": folder}}
        )
        # Over sockets of files: nothing of it listens on the network.
        kernel = client.create_kernel_manager()
        kernel.transport, kernel.ip = "ipc", f"{sockets}/kernel"
        return client.execute()


def written(notebook: Any) -> str:
    """Its text without what differs from run to run and tells nothing: times, ids, versions."""
    for k, cell in enumerate(notebook.cells):
        cell.id = f"cell-{k:02d}"
        cell.metadata = {}
        for output in cell.get("outputs", ()):
            shown = output.get("data", {})
            if "image/png" in shown or "text/html" in shown:
                shown.pop("text/plain", None)
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return str(nbformat.writes(notebook)) + "\n"


if __name__ == "__main__":
    for path in [Path(name) for name in sys.argv[1:]] or NOTEBOOKS:
        path.write_text(written(executed(path)), encoding="utf-8")
