"""`slowwave` in a process that kills itself on the way: `python -m tests.faults.moving.dying`.

It dies just before call number N, counted from one, of what POINT names: `put` rows of a table back, `read` them from
one, `rename` a draft, run a `program` of Postgres.
"""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from slowwave.cli import main
from slowwave.embedded import dumps
from slowwave.store.moving import reading
from slowwave.store.moving.writing import Arrival

POINTS: dict[str, tuple[Any, str]] = {
    "put": (Arrival, "put"),
    "read": (reading, "_rows"),
    "rename": (Path, "replace"),
    "program": (dumps, "_run"),
}


def _doom(owner: Any, name: str, left: int) -> None:
    """Have the process die just before call number *left* of a function."""
    function: Callable[..., Any] = getattr(owner, name)

    def mortal(*arguments: Any, **named: Any) -> Any:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments, **named)

    setattr(owner, name, mortal)


if __name__ == "__main__":
    _doom(*POINTS[os.environ["POINT"]], int(os.environ["N"]))
    main(sys.argv[1:])
