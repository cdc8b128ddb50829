"""Run one program with all it starts, and end all of it when nobody needs it any more.

This file is a program of its own (standard library only, run with `python -I -S`), because nothing inside a
supervisor can act after it was killed with SIGKILL. It learns of that by end-of-file on standard input. What the
program leaves behind is handed to the keeper by the kernel (it is the subreaper), so none of it escapes by starting a
session of its own. Should the keeper itself be killed, the program gets SIGTERM from the kernel.

End-of-file or SIGTERM end the program in good order: SIGTERM, and SIGKILL to what is left after the grace. SIGINT ends
it at once.
"""

import contextlib
import ctypes
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypedDict

LOG_LIMIT_BYTES = 8 * 1024 * 1024  # with the one older copy: 16 MiB of log a program
LOOK_SECONDS = 1.0
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


class Order(TypedDict):
    """What to run and for whom; travels as JSON in the first argument. Secrets travel in the environment only."""

    command: list[str]
    log: str | None
    parent: int
    grace_seconds: float


def keep(order: Order) -> int:
    """Run the program until it ends or nobody needs it any more, and return its exit status."""
    woken = _wake_on_signals()
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    program = _launch(order)
    grace_seconds = order["grace_seconds"]

    while program.poll() is None:
        wish = _wish(woken, order["parent"])
        if wish == "end":
            break
        if wish == "end at once":
            grace_seconds = 0.0
            break
        _bound(order["log"])

    if program.poll() is None and grace_seconds:
        program.send_signal(signal.SIGTERM)
        program.send_signal(signal.SIGCONT)  # it may be frozen
        with contextlib.suppress(subprocess.TimeoutExpired):
            program.wait(grace_seconds)
    _kill_all(program)
    return program.wait()


def _wake_on_signals() -> int:
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])  # a parent's thread may have blocked some
    signal.set_wakeup_fd(wake)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    return woken


def _launch(order: Order) -> "subprocess.Popen[bytes]":
    with contextlib.ExitStack() as opened:
        output = None
        if order["log"] is not None:
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            output = opened.enter_context(os.fdopen(os.open(order["log"], flags, 0o600), "ab"))
        return subprocess.Popen(
            order["command"],
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT if output else None,
            start_new_session=True,
            preexec_fn=_end_with_keeper(),  # safe: the keeper has one thread
        )


def _end_with_keeper() -> Callable[[], None] | None:
    if not sys.platform.startswith("linux"):
        return None
    libc, keeper = ctypes.CDLL(None), os.getpid()

    def tie() -> None:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != keeper:
            os._exit(1)

    return tie


def _wish(woken: int, parent: int) -> str:
    readable, _, _ = select.select([sys.stdin.fileno(), woken], [], [], LOOK_SECONDS)
    signals = set(os.read(woken, 64)) if woken in readable else set()
    if signal.SIGINT in signals:
        return "end at once"
    gone = sys.stdin.fileno() in readable or os.getppid() != parent
    return "end" if gone or signals & {signal.SIGTERM, signal.SIGHUP} else "go on"


def _bound(log: str | None) -> None:
    with contextlib.suppress(FileNotFoundError):  # removed under us: nothing to bound
        if log is not None and Path(log).stat().st_size > LOG_LIMIT_BYTES:
            shutil.copy2(log, f"{log}.1")
            os.truncate(log, 0)


def _kill_all(program: "subprocess.Popen[bytes]") -> None:
    """Kill the program's group, then whatever of it has become ours, until nothing is left."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(program.pid, signal.SIGKILL)
    program.wait()
    while left := list(_children()):
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.01)


def _children() -> Iterator[int]:
    """Give the numbers of our children; none where there is no /proc."""
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            if int(entry.read_text().rpartition(")")[2].split()[1]) == os.getpid():
                yield int(entry.parent.name)


if __name__ == "__main__":
    status = keep(json.loads(sys.argv[1]))
    sys.exit(status if status >= 0 else 128 - status)
