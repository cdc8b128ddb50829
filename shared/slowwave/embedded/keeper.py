"""Run one server, and end it when the process that asked for it is gone.

This file is a program of its own (standard library only, run with `python -I -S`), because nothing inside a process
can act after that process was killed with SIGKILL. It learns of the end of its parent by end-of-file on standard
input and, should a forked sibling still hold that pipe open, by its parent's number changing. PR_SET_PDEATHSIG alone
would not do on the parent's side: it fires when the *thread* that forked ends. Here, with one thread, it is sound, and
it ends the server should the keeper itself be killed.
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
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict

LOG_LIMIT_BYTES = 8 * 1024 * 1024  # with the one older copy: 16 MiB of log at the most, a second's worth more
LOOK_SECONDS = 1.0
PR_SET_PDEATHSIG = 1


class Order(TypedDict):
    """What to run, as whom, and how to end it; travels as JSON in the first argument."""

    command: list[str]
    environment: dict[str, str]
    folder: str
    log: str
    pid_file: str
    lock: int
    parent: int
    uid: int | None
    gid: int | None
    stop_signal: int
    grace_seconds: float


def keep(order: Order) -> int:
    """Run the server until it ends or nobody needs it any more, and return its exit status."""
    woken = _wake_on_signals()
    server = _launch(order)
    _write_pid(order, server.pid)

    while server.poll() is None and _needed(woken, order["parent"]):
        _bound(Path(order["log"]))

    return _end(server, order)


def kill_tree(pid: int) -> None:
    """Kill a server and its children with SIGKILL, as a power cut would.

    The server is stopped first, so that it makes no more children. A signal to its process group would not do:
    every Postgres backend is a session of its own.
    """
    try:
        os.kill(pid, signal.SIGSTOP)
    except ProcessLookupError:
        return
    for each in [pid, *_children(pid)]:
        _signal(each, signal.SIGKILL)


def _wake_on_signals() -> int:
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])  # a parent's thread may have blocked some
    signal.set_wakeup_fd(wake)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    return woken


def _launch(order: Order) -> "subprocess.Popen[bytes]":
    with Path(order["log"]).open("ab") as log:
        os.fchmod(log.fileno(), 0o600)
        if order["uid"] is not None and order["gid"] is not None:
            os.fchown(log.fileno(), order["uid"], order["gid"])
        return subprocess.Popen(
            order["command"],
            env=order["environment"],
            cwd=order["folder"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            user=order["uid"],
            group=order["gid"],
            extra_groups=None if order["uid"] is None else [],
            umask=0o077,
            start_new_session=True,
            pass_fds=[order["lock"]],  # held until the last backend is gone
            preexec_fn=_end_with_keeper(order["stop_signal"]),  # safe: the keeper has one thread
        )


def _end_with_keeper(stop_signal: int) -> Callable[[], None] | None:
    if not sys.platform.startswith("linux"):
        return None
    libc, keeper = ctypes.CDLL(None), os.getpid()

    def tie() -> None:  # runs after the change of user, which would untie
        libc.prctl(PR_SET_PDEATHSIG, stop_signal)
        if os.getppid() != keeper:
            os._exit(1)

    return tie


def _write_pid(order: Order, pid: int) -> None:
    target = Path(order["pid_file"])
    draft = target.with_suffix(".new")
    draft.write_text(f"{pid}\n")
    draft.chmod(0o644)
    draft.replace(target)


def _needed(woken: int, parent: int) -> bool:
    readable, _, _ = select.select([sys.stdin.fileno(), woken], [], [], LOOK_SECONDS)
    if sys.stdin.fileno() in readable or os.getppid() != parent:
        return False
    return woken not in readable or set(os.read(woken, 64)) <= {signal.SIGCHLD}


def _bound(log: Path) -> None:
    with contextlib.suppress(FileNotFoundError):  # removed under us: nothing to bound
        if log.stat().st_size > LOG_LIMIT_BYTES:
            shutil.copy2(log, log.with_suffix(".log.1"))
            os.truncate(log, 0)


def _end(server: "subprocess.Popen[bytes]", order: Order) -> int:
    if server.poll() is None:
        _signal(server.pid, signal.Signals(order["stop_signal"]))
        _signal(server.pid, signal.SIGCONT)  # it may be frozen
    try:
        return server.wait(order["grace_seconds"])
    except subprocess.TimeoutExpired:
        kill_tree(server.pid)
        return server.wait()


def _signal(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def _children(parent: int) -> list[int]:
    """Return the numbers of a process's children; none where there is no /proc."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            after_name = entry.read_text().rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        if int(after_name[1]) == parent:
            found.append(int(entry.parent.name))
    return found


if __name__ == "__main__":
    try:
        status = keep(json.loads(sys.argv[1]))
    except OSError as problem:
        with Path(json.loads(sys.argv[1])["log"]).open("a") as report:
            report.write(f"keeper: {problem}\n")
        status = 1
    sys.exit(status if status >= 0 else 128 - status)
