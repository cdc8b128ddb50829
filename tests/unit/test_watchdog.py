"""Heartbeats, and the watchdog that judges processes by them."""

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from slowwave.cli.bench.rules import FULL, TEXTS
from slowwave.cli.supervisor import Program, Supervisor
from slowwave.cli.supervisor.installation import Watchdog
from slowwave.cli.supervisor.programs import SCHEDULER
from slowwave.core.health import BOOT_SECONDS, Progress, Watched, hangs
from slowwave.jobs.heartbeat import Heartbeat
from slowwave.runtime import clock
from tests.unit.rules.rulepacks import EVERYDAY, episode
from tests.unit.tables import over

HELD = ("(a*)*b", 20 * "a")
"""An expression and a text that occupy Python's regex engine for about half a second in one call."""


@dataclass
class Beats:
    """The times at which a lease was renewed."""

    times: list[float] = field(default_factory=list)

    def renew(self) -> bool:
        """Record the time."""
        self.times.append(clock.monotonic())
        return True


def longest_silence(work: Callable[[], object]) -> float:
    """Return the largest share of *work*'s time without a heartbeat."""
    beats = Beats()
    beats.renew()
    with Heartbeat(beats.renew, every_seconds=0.001, until_seconds=600):
        work()
        beats.renew()
    gaps = [after - before for before, after in itertools.pairwise(sorted(beats.times))]
    return max(gaps) / sum(gaps)


def test_reading_long_texts_does_not_delay_the_heartbeat() -> None:
    texts = [text(FULL) for text in TEXTS.values()]
    window = [episode(text, number=number) for number, text in enumerate(texts, 1)]

    assert longest_silence(lambda: EVERYDAY.propose(window)) < 0.5


def test_a_call_that_holds_the_interpreter_lock_silences_the_heartbeat() -> None:
    assert longest_silence(lambda: re.match(*HELD)) > 0.9


STALL = 30.0
NEVER = None
NOBODY_EXPECTS_ANYTHING = None


@over(
    [
        ("idle, and answers calls", Watched(seen=1, waited=4, up=900), False),
        ("answered late, but answered", Watched(seen=28, waited=29, up=900), False),
        ("hung, while the poll fallback does its work", Watched(seen=31, waited=31, up=900), True),
        ("hung since it was started", Watched(seen=NEVER, waited=61, up=61), True),
        ("hung since it was started, its forerunner was not", Watched(seen=3600, waited=61, up=61), True),
        ("still booting on a slow machine", Watched(seen=NEVER, waited=40, up=40), False),
        ("still booting, long after its forerunner's last sign", Watched(seen=3600, waited=40, up=40), False),
        ("in a long run, whose lease it renews", Watched(seen=500, waited=500, up=900, busy=True), False),
        ("its broker is unreachable: it cannot hear", Watched(seen=500, waited=NOBODY_EXPECTS_ANYTHING, up=900), False),
        ("the database is unreachable: no news", Watched(seen=NEVER, waited=NOBODY_EXPECTS_ANYTHING, up=900), False),
        ("the broker has just come back", Watched(seen=500, waited=2, up=900), False),
        ("the machine slept for a night", Watched(seen=28_800, waited=5, up=900), False),
        ("restarted a moment ago", Watched(seen=40, waited=2, up=2), False),
        ("the database's clock went back an hour", Watched(seen=-3600, waited=10, up=900), False),
    ]
)
def test_a_process_without_progress_hangs(situation: str, process: Watched, hung: bool) -> None:
    assert hangs(process, stall_seconds=STALL) is hung, situation


def test_a_stall_time_beyond_the_boot_time_holds_from_the_start() -> None:
    allowed = 2 * BOOT_SECONDS
    assert not hangs(Watched(seen=NEVER, waited=allowed - 1, up=allowed - 1), stall_seconds=allowed)
    assert hangs(Watched(seen=NEVER, waited=allowed, up=allowed), stall_seconds=allowed)


@pytest.mark.parametrize(
    ("process", "ready"),
    [
        (Watched(seen=1, waited=1, up=5), True),
        (Watched(seen=6, waited=1, up=5), False),
        (Watched(seen=NEVER, waited=1, up=5), False),
    ],
)
def test_a_process_is_ready_after_a_sign_of_life_since_its_start(process: Watched, ready: bool) -> None:
    assert process.ready is ready


def test_alive_is_called_once_per_new_sign_of_life() -> None:
    signs = iter([None, -1.0, 3600.0, -1.0])
    supervisor = Supervisor([Program(SCHEDULER, ("true",))], logs=None, say=lambda _: None)
    said: list[str] = []
    watchdog = Watchdog(
        supervisor,
        lambda: Progress(worker_seen=None, working=0, ticked=next(signs)),
        stall_seconds=STALL,
        tick_seconds=1.0,
        say=said.append,
        alive=lambda: said.append("alive"),
    )

    looked = []
    for _ in range(4):
        watchdog.look()
        looked.append(len(said))

    assert looked == [0, 1, 1, 2]
