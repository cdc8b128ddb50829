"""`python -m slowwave.cli`: the command, for whoever has an interpreter and not its PATH."""

from slowwave.cli import main

main()
