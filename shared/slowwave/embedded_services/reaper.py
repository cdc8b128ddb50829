"""Run one program and its children, and end all of them when the parent process has ended.

This file is a program of its own (standard library only, run with `python -I -S`), because a process killed with
SIGKILL cannot clean up after itself. This process, the keeper, notices the end of its parent by end-of-file on standard
input. If another child of the parent still holds this pipe open, the keeper notices the end by its changed parent
process id. PR_SET_PDEATHSIG is not reliable between parent and keeper, because this signal is sent when the *thread*
that forked ends. Between keeper and program, the signal is reliable, because the keeper has one thread. The signal ends
the program if the keeper is killed. The kernel gives orphaned processes of the program to the keeper (the subreaper),
even if they started a new session.

End-of-file, a byte on standard input or SIGTERM end the program cleanly: the program gets its stop signal, and SIGKILL
after the grace period. SIGINT ends the program at once. If other processes than the parent use the program, an
end-of-file ends the program only when the last of these processes has ended.
"""

import contextlib
import ctypes
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NotRequired, TypedDict

LOG_LIMIT_BYTES = 8 * 1024 * 1024  # with one older copy: 16 MiB of log, plus the output of one second
LOOK_SECONDS = 1.0
LEFT_LOOK_SECONDS = 0.1  # after the parent is gone: no event reports the end of the last user
END = b"."
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


class Order(TypedDict):
    """A program to run, and the way to end it. An order is passed as JSON in the first argument.

    Secrets are passed in the environment only. *account* is the user and the group that run the program. The program
    inherits the open *files*, and the open file *lock*: the lock is held until the last process of the program has
    ended. Each user of the program shares the lock on the file *users*.
    """

    command: list[str]
    log: str | None
    grace_seconds: float
    stop_signal: NotRequired[int]
    folder: NotRequired[str]
    pid_file: NotRequired[str]
    environment: NotRequired[dict[str, str]]
    files: NotRequired[Sequence[int]]
    account: NotRequired[tuple[int, int] | None]
    lock: NotRequired[int]
    users: NotRequired[str]


def start(order: Order, *, environment: Mapping[str, str] | None = None) -> "subprocess.Popen[bytes]":
    """Start a keeper and return it: `END` on its standard input ends the program cleanly.

    If the input is closed, or this process ends, the program also ends cleanly. A program that other processes use ends
    when the last of these processes ends.
    """
    return subprocess.Popen(
        [sys.executable, "-I", "-S", __file__, str(os.getpid()), json.dumps(order)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL if order["log"] else None,
        stderr=subprocess.DEVNULL if order["log"] else None,
        env=environment,
        cwd="/",
        start_new_session=True,  # Ctrl-C in a terminal reaches only the owner
        pass_fds=_inherited(order),
    )


def supervise(order: Order, parent: int) -> int:
    """Run the program until it ends or has no users left, and return its exit status."""
    woken = _wake_on_signals()
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    users = os.open(order["users"], os.O_RDWR | os.O_CLOEXEC) if "users" in order else None
    program = _launch(order)
    _write_pid(order, program.pid)
    grace_seconds = order["grace_seconds"]

    left = False
    while program.poll() is None:
        wish = _wish(woken, parent, left=left)
        left = left or wish == "left"
        if wish == "end" or (left and _unused(users)):
            break
        if wish == "end at once":
            grace_seconds = 0.0
            break
        _bound(order["log"])

    if program.poll() is None and grace_seconds:
        _signal(program.pid, _stop_signal(order))
        _signal(program.pid, signal.SIGCONT)  # the process may be stopped
        with contextlib.suppress(subprocess.TimeoutExpired):
            program.wait(grace_seconds)
    _kill_all(program)
    return program.wait()


def kill_tree(pid: int) -> None:
    """Kill a server and its children with SIGKILL, like a power cut.

    The server is stopped (SIGSTOP) first and cannot start more children. A signal to the process group of the server is
    not enough, because every Postgres backend has its own session.
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
    uid, gid = order.get("account") or (None, None)
    with contextlib.ExitStack() as opened:
        output = None
        if order["log"] is not None:
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            output = opened.enter_context(os.fdopen(os.open(order["log"], flags, 0o600), "ab"))
            os.fchmod(output.fileno(), 0o600)
            if uid is not None and gid is not None:
                os.fchown(output.fileno(), uid, gid)
        return subprocess.Popen(
            order["command"],
            env=order.get("environment"),
            cwd=order.get("folder", "/"),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT if output else None,
            user=uid,
            group=gid,
            extra_groups=None if uid is None else [],
            umask=0o077 if "account" in order else -1,
            start_new_session=True,
            pass_fds=_inherited(order),
            preexec_fn=_end_with_parent(_stop_signal(order)),  # safe: the keeper has one thread
        )


def _inherited(order: Order) -> Sequence[int]:
    return [*order.get("files", ()), *([order["lock"]] if "lock" in order else [])]


def _stop_signal(order: Order) -> signal.Signals:
    return signal.Signals(order.get("stop_signal", signal.SIGTERM))


def _end_with_parent(stop_signal: int) -> Callable[[], None] | None:
    if not sys.platform.startswith("linux"):
        return None
    libc, keeper = ctypes.CDLL(None), os.getpid()

    def tie() -> None:  # runs after the change of user, which would reset it
        libc.prctl(PR_SET_PDEATHSIG, stop_signal)
        if os.getppid() != keeper:
            os._exit(1)

    return tie


def _write_pid(order: Order, pid: int) -> None:
    if "pid_file" not in order:
        return
    target = Path(order["pid_file"])
    draft = target.with_suffix(".new")
    draft.write_text(f"{pid}\n")
    draft.chmod(0o644)
    draft.replace(target)


def _wish(woken: int, parent: int, *, left: bool) -> str:
    waiting = [woken] if left else [sys.stdin.fileno(), woken]
    readable, _, _ = select.select(waiting, [], [], LEFT_LOOK_SECONDS if left else LOOK_SECONDS)
    signals = set(os.read(woken, 64)) if woken in readable else set()
    if signal.SIGINT in signals:
        return "end at once"
    received = os.read(sys.stdin.fileno(), 1) if sys.stdin.fileno() in readable else None
    if received or signals & {signal.SIGTERM, signal.SIGHUP}:
        return "end"
    return "left" if received == b"" or os.getppid() != parent else "go on"


def _unused(users: int | None) -> bool:
    """Return whether the program has no users. If True, this process now holds the lock, and no process can join."""
    if users is not None:
        try:
            fcntl.lockf(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            return False
    return True


def _bound(log: str | None) -> None:
    with contextlib.suppress(FileNotFoundError):  # the file was removed meanwhile: there is nothing to shorten
        if log is not None and Path(log).stat().st_size > LOG_LIMIT_BYTES:
            shutil.copy2(log, f"{log}.1")
            os.truncate(log, 0)


def _kill_all(program: "subprocess.Popen[bytes]") -> None:
    """Kill the program's group, then every process that became a child of this process, until no child is left."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(program.pid, signal.SIGKILL)
    program.wait()
    while left := _children(os.getpid()):
        for pid in left:
            _signal(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.01)


def _signal(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def _children(parent: int) -> list[int]:
    """Return the process ids of the children of *parent*. Without /proc, the list is empty."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # the process ended meanwhile
            if int(entry.read_text().rpartition(")")[2].split()[1]) == parent:
                found.append(int(entry.parent.name))
    return found


def _main(parent: int, order: Order) -> int:
    try:
        return supervise(order, parent)
    except OSError as problem:
        with contextlib.ExitStack() as opened:
            report = opened.enter_context(Path(order["log"]).open("a")) if order["log"] else sys.stderr
            report.write(f"keeper: {problem}\n")
        return 1


if __name__ == "__main__":
    status = _main(int(sys.argv[1]), json.loads(sys.argv[2]))
    sys.exit(status if status >= 0 else 128 - status)
