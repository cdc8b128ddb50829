"""The load of the API benchmark: processes of the installation, and clients that push and recall."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from slowwave.cli.bench.sample_data import episodes
from slowwave.errors import Unavailable
from slowwave.runtime.closing import Closing

GRACE_SECONDS = 60
UNBOUNDED = {"SLOWWAVE_API_RATE": "1000000", "SLOWWAVE_API_BURST": "1000000"}
"""The settings that turn the rate limiter off. Otherwise the benchmark would measure only the limiter."""
TIMEOUT_SECONDS = 30.0
QUESTIONS = ("where do I live?", "what do I like?", "where do I work?", "what was the film like?")
MOST_WAIT_SECONDS = 1.0
"""The longest wait before a client retries, even if Retry-After has a longer time, because the benchmark measures the
service.
"""


class Workers(Closing):
    """A number of worker processes on one Postgres. At the end of a `with` block, they are shut down cleanly."""

    def __init__(self, url: str, count: int) -> None:
        self._url = url
        self._running = [_start(url, "work") for _ in range(count)]

    def kill_one(self) -> None:
        """Kill the oldest worker without warning, as a power cut would, and start another worker."""
        victim = self._running.pop(0)
        victim.kill()
        victim.wait()
        self._running.append(_start(self._url, "work"))

    def close(self) -> None:
        """Shut down every worker cleanly; return when all have ended."""
        for one in self._running:
            _end(one)


@dataclass(frozen=True, slots=True)
class Served:
    """A running `slowwave serve`: its host and port, and its process id."""

    address: tuple[str, int]
    pid: int

    def processor_seconds(self) -> float:
        """Return the processor time that the server and its processes have used, in seconds; 0 without /proc."""
        used, parents = {}, {}
        for entry in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):  # the process ended meanwhile
                fields = entry.read_text().rpartition(")")[2].split()
                pid = int(entry.parent.name)
                used[pid], parents[pid] = int(fields[11]) + int(fields[12]), int(fields[1])
        own = {self.pid}
        while new := {pid for pid, parent in parents.items() if parent in own} - own:
            own |= new
        return sum(used.get(pid, 0) for pid in own) / os.sysconf("SC_CLK_TCK")


@contextmanager
def served(url: str, processes: int) -> Iterator[Served]:
    """Run `slowwave serve` on a Postgres with a number of *processes*; yield the server when it is ready."""
    server = _start(url, "serve", "--port", "0", "--processes", str(processes), piped=True)
    try:
        assert server.stdout is not None
        for line in server.stdout:
            found = re.search(r"ready: serves http://([\d.]+):(\d+)", line)
            if found:
                yield Served((found[1], int(found[2])), server.pid)
                return
        raise Unavailable("`slowwave serve` ended before it was ready", hint="start it yourself to see why")
    finally:
        _end(server)


def _start(url: str, *words: str, piped: bool = False) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "slowwave.cli", *words], env={**os.environ, **UNBOUNDED, "SLOWWAVE_URL": url}, text=True,
        stdout=subprocess.PIPE if piped else subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def _end(process: "subprocess.Popen[str]") -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(GRACE_SECONDS)
    finally:
        process.kill()
        if process.stdout is not None:
            process.stdout.close()


class Caller(Closing):
    """A client with a key and a persistent connection."""

    def __init__(self, address: tuple[str, int], key: str) -> None:
        self._connection = http.client.HTTPConnection(*address, timeout=TIMEOUT_SECONDS)
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def ask(self, path: str, body: Mapping[str, Any]) -> tuple[int, Any, str | None]:
        """Send a request; return status, body and Retry-After.

        Raises `OSError` or `HTTPException` if there is no response.
        """
        try:
            self._connection.request("POST", path, json.dumps(body), self._headers)
            answer = self._connection.getresponse()
            return answer.status, json.loads(answer.read()), answer.headers["Retry-After"]
        except (OSError, http.client.HTTPException):
            self._connection.close()
            raise

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


@dataclass(slots=True)
class Tally:
    """The counts of responses: milliseconds by verb, acknowledged keys by user, waits, and errors by kind.

    A wait is a 503 with Retry-After; an error is any other unexpected response.
    """

    seconds: float = 0.0
    pushes: list[float] = field(default_factory=list)
    recalls: list[float] = field(default_factory=list)
    acknowledged: dict[str, list[str]] = field(default_factory=dict)
    waits: int = 0
    errors: Counter[str] = field(default_factory=Counter)


@contextmanager
def clients(address: tuple[str, int], key: str, count: int, prefix: str) -> Iterator[Tally]:
    """Run *count* clients during the block, each with its own user; yield the tally of their responses.

    Each client alternates between push and recall. The tally is complete once the block has ended.
    """
    tally, stop = Tally(), threading.Event()
    threads = [
        threading.Thread(target=_live, args=(address, key, f"user-{number}", prefix, tally, stop))
        for number in range(count)
    ]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    try:
        yield tally
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        tally.seconds = time.perf_counter() - began


def _live(address: tuple[str, int], key: str, user: str, prefix: str, tally: Tally, stop: threading.Event) -> None:
    mine = tally.acknowledged.setdefault(user, [])
    with Caller(address, key) as caller:
        for number, episode in enumerate(episodes(1_000_000, prefix=prefix)):
            session = f"{prefix}{number // 40}"
            fields = {"user": user, "key": episode.key, "session": session, "content": episode.content}
            asked = {"user": user, "question": QUESTIONS[number % len(QUESTIONS)]}
            if _until_answered(partial(caller.ask, "/v1/push", fields), 201, tally, tally.pushes, stop):
                mine.append(str(episode.key))
            if not stop.is_set():
                _until_answered(partial(caller.ask, "/v1/recall", asked), 200, tally, tally.recalls, stop)
            if stop.is_set():
                return


def _until_answered(
    ask: Callable[[], tuple[int, Any, str | None]], wanted: int, tally: Tally, times: list[float], stop: threading.Event
) -> bool:
    """Repeat the request while the response is a 503 with Retry-After; return whether the last response has the status
    *wanted*.
    """
    while True:
        began = time.perf_counter()
        try:
            status, _, again = ask()
        except (OSError, http.client.HTTPException) as problem:
            tally.errors[type(problem).__name__] += 1
            return False
        if status == wanted:
            times.append(1000 * (time.perf_counter() - began))
            return True
        if status != 503 or again is None:
            tally.errors[str(status)] += 1
            return False
        tally.waits += 1
        if stop.wait(min(float(again), MOST_WAIT_SECONDS)):
            return False
