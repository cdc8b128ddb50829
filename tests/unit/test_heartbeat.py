"""A lease is renewed while a run reads, whatever it reads: no call on a text lets nothing else run for long."""

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from slowwave.cli.bench.hostile import FULL, TEXTS
from slowwave.jobs.heartbeat import Heartbeat
from slowwave.runtime import clock
from tests.unit.rules.rulepacks import episode
from tests.unit.rules.test_linear_time import PACK

HELD = ("(a*)*b", 20 * "a")
"""An expression and a text over which Python's own engine takes about half a second, in one call."""


@dataclass
class Beats:
    """When a lease was renewed."""

    times: list[float] = field(default_factory=list)

    def renew(self) -> bool:
        """Keep the time."""
        self.times.append(clock.monotonic())
        return True


def longest_silence(work: Callable[[], object]) -> float:
    """The share of *work*'s time in which the heart beat least, where it beats whenever it gets to."""
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

    assert longest_silence(lambda: PACK.propose(window)) < 0.5


def test_a_call_that_holds_the_interpreter_lock_silences_the_heartbeat() -> None:
    assert longest_silence(lambda: re.match(*HELD)) > 0.9
