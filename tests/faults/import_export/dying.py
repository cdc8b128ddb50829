"""The command `slowwave` in a process that kills itself: `python -m tests.faults.import_export.dying`.

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
from slowwave.embedded_services import backups
from slowwave.store.import_export import exported_rows
from slowwave.store.import_export.scope_import import ScopeImport

POINTS: dict[str, tuple[Any, str]] = {
    "put": (ScopeImport, "put"),
    "read": (exported_rows, "_rows"),
    "rename": (Path, "replace"),
    "program": (backups, "_run"),
}


def _doom(owner: Any, name: str, left: int) -> None:
    """Kill the process just before call number *left* of a function."""
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
