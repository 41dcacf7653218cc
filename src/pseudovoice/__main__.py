"""`python -m pseudovoice`: the command line of the Python that runs it.

Python puts the current folder before everything else for that, and the folder may have come with
somebody's recordings. It goes before the verbs and what they need are imported; what Python itself
has imported by then is beyond us, so `pseudovoice` and `python -P -m pseudovoice` are safer.
"""

import os
import sys

if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:  # noqa: PTH109 - nothing else yet
    del sys.path[0]

from pseudovoice.cli.main import main

if __name__ == "__main__":
    main()
