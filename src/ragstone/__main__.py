"""`python -m ragstone` is the command."""

from ragstone.cli import main

main()
