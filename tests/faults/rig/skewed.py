"""A process whose clock is wrong: `python -m tests.faults.rig.skewed SECONDS MODULE ARGUMENT…`.

Whoever asks the host for the time in it, Celery and kombu too, gets an answer that many seconds off. Time passes as
ever.
"""

import runpy
import sys
from datetime import timedelta

import time_machine

from tests.faults.rig.processes import python


def skewed(command: list[str], off: timedelta) -> list[str]:
    """Return the command that runs the *command* of `python` with a clock that is *off*."""
    _interpreter, _flag, *rest = command
    return python("tests.faults.rig.skewed", str(off.total_seconds()), *rest)


if __name__ == "__main__":
    _, seconds, module, *arguments = sys.argv
    sys.argv = [module, *arguments]
    with time_machine.travel(timedelta(seconds=float(seconds)), tick=True):
        runpy.run_module(module, run_name="__main__", alter_sys=True)
