"""Run the command as `python -m slowwave.cli`, for use where the interpreter's scripts are not on PATH."""

from slowwave.cli import main

main()
