"""The processes of the measured installation: the API, and workers that can be killed."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from slowwave.errors import Unavailable

GRACE_SECONDS = 60
UNBOUNDED = {"SLOWWAVE_API_RATE": "1000000", "SLOWWAVE_API_BURST": "1000000"}
"""The benchmark turns the rate limiter off; otherwise it would measure only the limiter."""


class Workers:
    """A number of worker processes on one Postgres."""

    def __init__(self, url: str, count: int) -> None:
        self._url = url
        self._running = [_start(url, "work") for _ in range(count)]

    def kill_one(self) -> None:
        """Kill the oldest worker without warning, as a power cut would, and start another."""
        victim = self._running.pop(0)
        victim.kill()
        victim.wait()
        self._running.append(_start(self._url, "work"))

    def end(self) -> None:
        """Shut down every worker cleanly; return when all have ended."""
        for one in self._running:
            _end(one)

    def __repr__(self) -> str:
        return f"<Workers: {len(self._running)}>"


@contextmanager
def served(url: str) -> Iterator[tuple[str, int]]:
    """Run `slowwave serve` on a Postgres, in its own process; give its host and port."""
    server = _start(url, "serve", "--port", "0", told=True)
    try:
        assert server.stdout is not None
        for line in server.stdout:
            found = re.search(r"ready: serves http://([\d.]+):(\d+)", line)
            if found:
                yield found[1], int(found[2])
                return
        raise Unavailable("`slowwave serve` ended before it was ready", hint="start it yourself to see why")
    finally:
        _end(server)


@contextmanager
def workers(url: str, count: int) -> Iterator[Workers]:
    """Give *count* workers, and shut them down cleanly after the block."""
    with ExitStack() as ending:
        started = Workers(url, count)
        ending.callback(started.end)
        yield started


def _start(url: str, *words: str, told: bool = False) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "slowwave.cli", *words], env={**os.environ, **UNBOUNDED, "SLOWWAVE_URL": url}, text=True,
        stdout=subprocess.PIPE if told else subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def _end(process: "subprocess.Popen[str]") -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(GRACE_SECONDS)
    finally:
        process.kill()
        if process.stdout is not None:
            process.stdout.close()
