"""Logs contain ids, operations and durations, and under any fault no user text and no passwords."""

import contextlib
import io
import json
import logging
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import structlog

from slowwave.broker import queue
from slowwave.cli.supervisor import Night
from slowwave.cli.supervisor.programs import POLLER, SCHEDULER, WORKER
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.memory import due_work
from slowwave.telemetry import logs
from slowwave.wiring import Settings
from tests.faults.rig.processes import until

SECRET = "hunter2correcthorse"
WORDS = "my-doctor-says-it-is-gout"


@pytest.mark.accept
def test_the_logs_of_a_night_contain_no_words_or_passwords(
    url: str, settings: Settings, superuser: psycopg.Connection, home: Path, scope: Scope
) -> None:
    known = Settings.load(
        url=url.replace("slowwave@", f"slowwave:{SECRET}@"),
        owner_url=settings.owner_url,
        home=home,
        worker_processes=1,
        log_level="DEBUG",
    )
    with Night.up(known, only=[WORKER, SCHEDULER, POLLER]) as night:
        assert night.logs is not None

        def said() -> str:
            return "".join(log.read_text(errors="replace") for log in (night.logs or home).iterdir())

        with contextlib.closing(night.connect()) as parts:
            parts.push(scope, [Episode(content=f"I moved to Oslo and {WORDS}")])
            due_work.fire(parts, scope.id)
            queue.send("slowwave.nobody_knows_this", [WORDS])
            queue.send("slowwave.consolidate", [WORDS])  # no scope
            queue.send("slowwave.consolidate", [str(uuid.uuid4()), "", WORDS])  # too many arguments
            until(lambda: not due_work.is_due(parts), "all work is done", otherwise=said)
        runs = "SELECT FROM runs WHERE outcome = 'ok'"
        assert superuser.execute(runs).fetchone() is not None
        letters = "SELECT FROM dead_letters WHERE tenant = '_system' AND item::text LIKE %s"
        until(lambda: superuser.execute(letters, [f"%{WORDS}%"]).rowcount == 3, "three letters", otherwise=said)

    found = said()
    assert "roll_call" in found
    assert WORDS not in found
    assert SECRET not in found


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """A stream that receives the log of this process during the test."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    stream = io.StringIO()
    logs.configure("INFO", process="test", stream=stream)
    yield stream
    logging.captureWarnings(False)
    structlog.reset_defaults()
    root.handlers[:] = handlers
    root.setLevel(level)


def test_a_line_is_json_with_process_time_level_and_place(log: io.StringIO) -> None:
    structlog.get_logger("slowwave.work").info("ran", scope="5", seconds=0.2)
    line = json.loads(log.getvalue())
    assert line.pop("timestamp")
    assert line == {
        "process": "test", "event": "ran", "scope": "5", "seconds": 0.2, "level": "info", "logger": "slowwave.work",
    }  # fmt: skip


def test_a_logged_exception_keeps_its_type_and_place_but_not_its_text(log: io.StringIO) -> None:
    try:
        raise ValueError(WORDS)
    except ValueError as error:
        logging.getLogger("any.library").exception("it failed: %s", error)
        structlog.get_logger("slowwave").error("it failed", exc_info=True)
    assert WORDS not in log.getvalue()
    for line in log.getvalue().splitlines():
        assert "ValueError at test_logs.py:" in line


@pytest.mark.parametrize(
    "text",
    [
        f"postgresql://slowwave:{SECRET}@db/slowwave",
        f"redis://:{SECRET}@redis:6379/0",
        f"host=db password={SECRET} user=x",
        f"PASSWORD: {SECRET}",
        f"postgresql://u:p@{SECRET}@db/slowwave and then redis://redis:6379/0",
        f"postgresql://u:two words {SECRET}@db/slowwave",
        f"redis://u:one@db/0 redis://:p@{SECRET}@db/1",
        f"host=h pw={SECRET}",
        f"host=h password='two words {SECRET}' user=x",
        f'host=h password="a \\" {SECRET}" user=x',
        f'{{"passwd": "two words {SECRET}"}}',
    ],
)
def test_a_password_is_never_logged(log: io.StringIO, text: str) -> None:
    logging.getLogger("any.library").warning("cannot reach %s", text)
    structlog.get_logger("slowwave").warning("cannot reach it", address=text)
    assert "cannot reach" in log.getvalue()
    assert SECRET not in log.getvalue()


def test_text_without_a_password_is_not_redacted() -> None:
    for text in ("redis://redis:6379/0 answers", "host=db user=x tokens: many", "mail alice@example.org: at 12:30"):
        assert logs.redacted(text) == text
