"""`python -m pseudovoice`: the command line of the Python that runs it."""

from pseudovoice.cli.main import main

if __name__ == "__main__":
    main()
