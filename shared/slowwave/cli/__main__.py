"""Run the command as `python -m slowwave.cli`, if the folder of the `slowwave` script is not on PATH."""

from slowwave.cli import main

main()
