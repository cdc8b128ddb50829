"""`slowwave work` does due work without Celery, with the library alone, and returns work at its time limit."""

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from slowwave.cli.work import LONGEST_WAIT_SECONDS, _Poller, poll
from slowwave.domain.episode import Episode
from slowwave.domain.run import Report
from slowwave.domain.scope import Scope
from slowwave.errors import Unavailable
from slowwave.memory import due_work
from slowwave.wiring import Parts
from tests.faults.rig.processes import plain_environment, python, until
from tests.scripts import script

CHECKOUT = Path(__file__).parents[3]
DEADLINE_SECONDS = 60.0


def environment(url: str) -> dict[str, str]:
    """The variables of a process on the test's database."""
    return plain_environment(SLOWWAVE_URL=url, SLOWWAVE_POLL_SECONDS="0.1", SLOWWAVE_LEASE_SECONDS="2")


def work_until_idle(url: str, **variables: str) -> None:
    """Do everything that is due in a separate worker process."""
    command = python("slowwave.cli", "work", "--until-idle")
    subprocess.run(command, env=environment(url) | variables, capture_output=True, check=True)


def rows(parts: Parts, query: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query of the test's database."""
    with parts.database.dispatch() as connection:
        return [tuple(row) for row in connection.exec_driver_sql(query)]


@contextmanager
def started(
    command: list[str], *, env: dict[str, str], stdout: int | None = None, stderr: int | None = None
) -> Iterator[subprocess.Popen[str]]:
    """Run a process during the block."""
    with subprocess.Popen(command, env=env, stdout=stdout, stderr=stderr, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def of_the_library_alone(code: str) -> list[str]:
    """A command that runs *code* without access to the packages worker and scheduler."""
    paths = [str(CHECKOUT / "shared"), *(path for path in sys.path if path.endswith("-packages"))]
    return [sys.executable, "-S", "-P", "-c", f"import sys; sys.path = {paths!r} + sys.path\n{code}"]


@pytest.mark.accept
def test_the_library_alone_does_everything_that_is_due(parts: Parts, url: str, scope: Scope) -> None:
    parts.push(scope, [Episode(content="I moved to Oslo.")])
    due_work.fire(parts, scope.id)

    code = "from slowwave.cli import main; main(['work', '--until-idle'])"
    done = subprocess.run(
        of_the_library_alone(code), env=environment(url), capture_output=True, text=True, cwd="/", check=False
    )

    assert done.returncode == 0, done.stderr
    ready, did = done.stdout.splitlines()
    assert (ready, did) == (f"ready: works on {url}; Ctrl-C ends it", "did 2 runs: 2 done")
    assert not due_work.is_due(parts)
    assert rows(parts, "SELECT DISTINCT split_part(owner, '@', 1) FROM runs") == [("work",)]


def test_the_poll_fallback_takes_only_overdue_work(parts: Parts, scope: Scope) -> None:
    parts.push(scope, [Episode(content="I moved to Oslo.")])
    assert due_work.run_next(parts, owner="poll@here", overdue_seconds=3600) is None
    assert due_work.run_next(parts, owner="poll@here", overdue_seconds=0) is not None


SLOW = script(__file__, "slow_poller.txt")


@pytest.mark.accept
@pytest.mark.usefixtures("hears_hangups")
@pytest.mark.parametrize("asked", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_an_endless_run_is_returned_on_a_signal(parts: Parts, url: str, scope: Scope, asked: signal.Signals) -> None:
    parts.push(scope, [Episode(content="I moved to Oslo.")])
    with started(
        [sys.executable, "-c", SLOW.replace("THINK", "time.sleep(600)")], env=environment(url), stdout=subprocess.PIPE
    ) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "thinking\n"
        worker.send_signal(asked)
        said = worker.stdout.read()
        assert worker.wait(DEADLINE_SECONDS) == 0
    assert "unavailable" in said

    assert rows(parts, "SELECT until FROM scope_leases") == [(None,)]
    window = rows(parts, "SELECT state, fence, vanished FROM intents WHERE job = 'prepare'")
    assert window == [("running", None, 0)]  # the window is kept, and no attempt is counted


EXPLODING = '__import__("re").match("(a*)*b", 64 * "a")'


@pytest.mark.accept
@pytest.mark.parametrize("think", ["time.sleep(600)", "while True: pass", EXPLODING])
def test_a_run_without_end_is_stopped_and_the_worker_goes_on(parts: Parts, url: str, scope: Scope, think: str) -> None:
    parts.push(scope, [Episode(content="I moved to Oslo.")])
    limits = {"SLOWWAVE_SOFT_LIMIT_SECONDS": "0.5"}
    code = SLOW.replace("THINK", think)
    with started([sys.executable, "-c", code], env=environment(url) | limits, stdout=subprocess.PIPE) as worker:
        errors = until(lambda: rows(parts, "SELECT error FROM runs WHERE outcome = 'faulted'"), "a run is stopped")
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(DEADLINE_SECONDS) == 0
    assert errors[0][0].startswith("took longer than 0.5 s at ")


@pytest.mark.accept
def test_a_call_that_blocks_the_interpreter_ends_its_process(parts: Parts, url: str, scope: Scope) -> None:
    parts.push(scope, [Episode(content="I moved to Oslo.")])
    limits = {"SLOWWAVE_SOFT_LIMIT_SECONDS": "0.5"}
    code = "import itertools\n" + SLOW.replace("THINK", "sum(itertools.repeat(0))")
    with started([sys.executable, "-c", code], env=environment(url) | limits, stderr=subprocess.PIPE) as worker:
        assert worker.wait(DEADLINE_SECONDS) == 1
        assert worker.stderr is not None
        assert "Timeout (0:00:02.5" in worker.stderr.read()

    report = until(lambda: due_work.run_next(parts, owner="next@here", only=["prepare"]), "the lease has ended")
    assert report.outcome == "ok"
    assert rows(parts, "SELECT outcome FROM runs WHERE job = 'prepare' ORDER BY outcome") == [("ok",), ("vanished",)]


@pytest.mark.accept
def test_an_idle_worker_ends_at_once_on_sigterm(parts: Parts, url: str) -> None:
    with started(python("slowwave.cli", "work"), env=environment(url), stdout=subprocess.PIPE) as worker:
        until(lambda: rows(parts, "SELECT process FROM processes WHERE process LIKE 'work@%%'"), "it ticks")
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(DEADLINE_SECONDS) == 0


class Flaky:
    """A poller whose database is unreachable at first."""

    def __init__(self, away: int) -> None:
        self.away = away

    def tick(self) -> None:
        if self.away:
            self.away -= 1
            raise Unavailable("Postgres is unreachable")

    def work(self) -> Report | None:
        return None

    def due(self) -> bool:
        return False


class Patient(threading.Event):
    """A stop event that is never set, and that records the waiting times."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.waits.append(timeout or 0)
        return False


@pytest.mark.parametrize("away", [1, 12])
def test_an_unreachable_database_is_reported_once_and_retried_with_growing_pauses(away: int) -> None:
    said: list[str] = []
    stop = Patient()
    poll(Flaky(away), stop=stop, poll_seconds=2, tick_seconds=5, until_idle=True, say=said.append)
    assert said == ["waiting: Postgres is unreachable", "the database is back"]
    assert stop.waits == [min(2.0**n, LONGEST_WAIT_SECONDS) for n in range(1, away + 1)]


def test_a_reply_between_two_polls_is_not_missed(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    replied: list[bool] = []
    monkeypatch.setattr(due_work, "is_due", lambda *_: bool(replied))

    def asked_meanwhile(_: Parts) -> bool:
        replied.append(True)
        return False

    monkeypatch.setattr(due_work, "model_calls_due", asked_meanwhile)

    assert _Poller(parts, "w", 0.0).due()
    replied.clear()
    with pytest.raises(Unavailable, match="work is still due"):
        due_work.drain(parts, None, timeout=0.0)
