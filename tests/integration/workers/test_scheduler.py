"""The beat process: it ticks during faults, notifies after its commit, and reloads edited packs."""

import logging
import os
import signal
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from scheduler.tick import LONGEST_WAIT_SECONDS, RING_AGAIN_SECONDS, SILENT_SECONDS, Ticker
from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import PREPARE
from slowwave.domain.scope import Scope
from slowwave.errors import Unavailable
from slowwave.memory import due_work
from slowwave.settings import Settings
from slowwave.store.schedule.schedule import PostgresSchedule
from slowwave.testing import stop_clock
from tests.faults.rig.processes import Process, celery_beat, running, until
from tests.integration.steps import write_hobbies

Told = Callable[..., list[Episode]]


@dataclass
class Belfry:
    """A broker that can be unreachable, and a host clock that the test sets."""

    away: bool = False
    seconds: float = 1000.0
    rung: list[tuple[uuid.UUID, str]] = field(default_factory=list)
    tries: int = 0

    def ring(self, scope: uuid.UUID, job: str) -> None:
        self.tries += 1
        if self.away:
            raise Unavailable("the broker does not take messages")
        self.rung.append((scope, job))


@pytest.fixture
def belfry() -> Belfry:
    return Belfry()


def ticker(parts: wiring.Parts, belfry: Belfry) -> Ticker:
    return Ticker(parts, by="scheduler@here:1", ring=belfry.ring, seconds=lambda: belfry.seconds)


def said(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == "slowwave.scheduler"]


def test_due_work_is_announced_and_repeated_only_after_a_pause(
    parts: wiring.Parts, scope: Scope, told: Told, belfry: Belfry
) -> None:
    beat = ticker(parts, belfry)
    parts.push(scope, told("I live in Oslo"))

    assert beat.tick() == parts.settings.tick_seconds
    beat.tick()
    assert belfry.rung == [(scope.id, PREPARE)]

    belfry.seconds += RING_AGAIN_SECONDS
    beat.tick()
    assert belfry.rung == [(scope.id, PREPARE)] * 2


def test_a_broker_outage_costs_one_attempt_and_loses_no_work(
    parts: wiring.Parts, told: Told, belfry: Belfry, caplog: pytest.LogCaptureFixture
) -> None:
    people = [Scope("default", name, "concierge") for name in ("ann", "bob", "cem")]
    for one in people:
        parts.push(one, told("I live in Oslo"))
    beat = ticker(parts, belfry)
    belfry.away = True

    for _ in range(3):
        beat.tick()
    tries = belfry.tries
    belfry.away = False
    belfry.seconds += SILENT_SECONDS
    beat.tick()

    assert tries == 1
    assert [scope for scope, _ in belfry.rung] == [one.id for one in people]
    assert [sentence.split(":")[0] for sentence in said(caplog)] == ["broker", "broker"]
    assert said(caplog)[-1] == "broker: well again"


class Fickle(wiring.Parts):
    """Parts whose schedule raises errors until none is left."""

    errors: list[Exception] = []  # noqa: RUF012  set by each test

    @property
    def schedule(self) -> PostgresSchedule:
        if self.errors:
            raise self.errors.pop()
        return super().schedule


def test_a_database_outage_is_logged_once_and_polled_less_often(
    parts: wiring.Parts, belfry: Belfry, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    fickle = Fickle(parts.settings, parts.url)
    monkeypatch.setattr(Fickle, "errors", [Unavailable("Postgres is unreachable")] * 6 + [ValueError("a bug of ours")])
    beat = ticker(fickle, belfry)

    waits = [beat.tick() for _ in range(8)]
    beat.close()

    assert waits == [10.0, 20.0, *[LONGEST_WAIT_SECONDS] * 5, parts.settings.tick_seconds]
    assert said(caplog) == [
        "tick: a tick failed with ValueError; trying again",
        "tick: the database does not answer; trying again until it does",
        "tick: well again",
    ]


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A folder of packs with one pack in it."""
    folder = tmp_path / "rules" / "packs"
    write_hobbies(folder / "hobbies", "0 3 * * *")
    return folder


@pytest.fixture
def edited(settings: Settings, shelf: Path) -> Iterator[wiring.Parts]:
    """The parts of a process whose packs are edited while it runs."""
    with closing(wiring.connect(settings.model_copy(update={"rules": shelf}))) as parts:
        yield parts


def crons(parts: wiring.Parts) -> dict[str, Any]:
    return {schedule.name: schedule.cron for schedule in parts.schedule.schedules() if schedule.cron}


def test_an_edited_pack_takes_effect_without_a_restart(edited: wiring.Parts, shelf: Path, belfry: Belfry) -> None:
    beat = ticker(edited, belfry)
    beat.tick()
    first = crons(edited)
    write_hobbies(shelf / "hobbies", "30 4 * * *")
    beat.tick()
    second = crons(edited)
    for file in (shelf / "hobbies").iterdir():
        file.unlink()
    beat.tick()

    assert first["hobbies/cron"] == "0 3 * * *"
    assert second["hobbies/cron"] == "30 4 * * *"
    assert "hobbies/cron" not in crons(edited)


def test_a_pack_that_breaks_stays_as_it_was_and_the_log_says_why(
    edited: wiring.Parts, shelf: Path, belfry: Belfry, caplog: pytest.LogCaptureFixture
) -> None:
    beat = ticker(edited, belfry)
    beat.tick()
    write_hobbies(shelf / "hobbies", "0 0 30 2 *")
    beat.tick()
    beat.tick()
    broken = crons(edited)
    write_hobbies(shelf / "hobbies", "0 5 * * *")
    beat.tick()

    assert broken["hobbies/cron"] == "0 3 * * *"
    assert crons(edited)["hobbies/cron"] == "0 5 * * *"
    complaint, relief = said(caplog)
    assert "hobbies" in complaint
    assert "it never fires" in complaint
    assert "the last valid version stays in force" in complaint
    assert relief == "rule packs: well again"


def test_a_scheduler_that_starts_while_a_pack_is_broken_leaves_it_as_it_was_registered(
    edited: wiring.Parts, shelf: Path, belfry: Belfry
) -> None:
    ticker(edited, belfry).tick()
    before = crons(edited)
    (shelf / "hobbies" / "pack.yaml").write_text("pack: [")

    with closing(wiring.connect(edited.settings)) as again:
        ticker(again, belfry).tick()

    assert crons(edited) == before
    assert "hobbies/cron" in before


def test_a_policy_file_sets_the_cadence_and_an_invalid_one_changes_nothing(
    edited: wiring.Parts, shelf: Path, belfry: Belfry, caplog: pytest.LogCaptureFixture
) -> None:
    beat = ticker(edited, belfry)
    policy = shelf.parent / "policies" / "cadences.yaml"
    policy.parent.mkdir()
    policy.write_text("hobbies: {cron: '15 1 * * *', tz: Europe/Oslo}")
    beat.tick()
    set_by_policy = crons(edited)
    policy.write_text("hobbys: {cron: 'at night'}")
    beat.tick()

    names = {schedule.name for schedule in edited.schedule.schedules() if schedule.pack == "hobbies"}
    assert set_by_policy["hobbies/cron"] == crons(edited)["hobbies/cron"] == "15 1 * * *"
    assert names == {"hobbies/cron"}  # the entry replaces the pack's own cadence, its count too
    assert "there is no such rule pack, did you mean hobbies?" in said(caplog)[0]


@pytest.mark.accept
def test_a_beat_process_ticks_and_ends_when_it_is_told_to(
    url: str,
    owner_url: str,
    parts: wiring.Parts,
    scope: Scope,
    told: Told,
    tmp_path: Path,
    superuser: psycopg.Connection,
) -> None:
    stop_clock(owner_url, datetime(2026, 3, 2, 12, tzinfo=UTC))
    parts.push(scope, told("I live in Oslo"))
    due_work.tick(parts, by="test@here:1")
    stop_clock(owner_url, datetime(2026, 3, 3, 3, tzinfo=UTC) + timedelta(seconds=1))
    environment = {**os.environ, "SLOWWAVE_URL": url, "SLOWWAVE_TICK_SECONDS": "0.2"}
    process = Process(celery_beat(), environment, tmp_path / "beat.log", folder=tmp_path)
    with running(process):
        fired = "SELECT FROM firings WHERE schedule LIKE 'everyday/%%' AND scope = %s AND fired_by LIKE 'scheduler@%%'"
        until(lambda: superuser.execute(fired, [scope.id]).fetchone() is not None, "it fires", otherwise=process.said)
        process.ask(signal.SIGTERM)
        until(lambda: not process.running, "it ends", seconds=30, otherwise=process.said)

    assert process.succeeded, process.said()
    assert "Traceback" not in process.log.read_text()


def test_the_scheduler_waits_for_an_unreachable_database_and_logs_no_secret(
    tmp_path: Path, belfry: Belfry, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="slowwave.scheduler")
    parts = wiring.connect(Settings.load(url="postgresql://slowwave:tell-nobody@127.0.0.1:1/x", home=tmp_path))
    beat = ticker(parts, belfry)

    waits = [beat.tick(), beat.tick()]
    beat.close()

    assert waits == [10.0, 20.0]
    assert said(caplog)
    assert "tell-nobody" not in caplog.text
