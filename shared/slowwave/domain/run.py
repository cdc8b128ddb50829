"""A run, which is one execution of an intent (requested work), and the report about the run."""

import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from slowwave.domain.job_table import RETRY, WINDOWED, pack_of
from slowwave.formatting import LONGEST, clipped, counted, counts_in_words

Evidence = Literal["none", "witnessed", "alone"]
"""The evidence that the only episode of a window causes a fault of our own code. `none`: there is no evidence.
`witnessed`: other runs succeeded in the meantime. `alone`: the episode has failed for a long time, and no other run was
tried; in this case, the pack's test cases decide."""


@dataclass(frozen=True, slots=True)
class Run:
    """A claimed intent. The window has the positions *lo* to *hi*, both included. *fence* proves the lease at commit.

    *target* is the highest requested position. *only* lists the positions of a retried dead letter; such a run does not
    change the watermark. *unwitnessed* is True if workers stopped unexpectedly on a window of one episode, and no other
    run has succeeded since the last of these workers began. *partial* is True if nothing beyond the target was
    requested; in this case, later episodes stay pending. *faults* counts the consecutive runs of the window that failed
    because of our own code. *evidence* says whether one more fault would count as a fault of the episode (see
    `slowwave.core.windows`). *model_window* is the number of a window of model requests, if the run plans such requests
    or reads the replies. *segmented* is False if no pack used segments when the intent was claimed. *newest* is the
    time of the latest episode before the window, if this time is known. *canary* is the version of the pack that reads,
    if it reads in the scope as a canary.
    """

    run: int
    intent: int
    tenant: str
    scope: uuid.UUID
    job: str
    pack: str
    lo: int
    hi: int
    target: int
    fence: int
    owner: str
    only: tuple[int, ...] = ()
    condemned: str | None = None
    unwitnessed: bool = False
    partial: bool = False
    faults: int = 0
    evidence: Evidence = "none"
    model_window: int | None = None
    segmented: bool = True
    newest: datetime | None = None
    canary: int | None = None

    @property
    def windowed(self) -> bool:
        """True if the run reads episodes. Only then can an episode be the cause of a failure."""
        return self.job in WINDOWED or self.job == RETRY

    @property
    def positions(self) -> list[int]:
        """The positions on which the run works, in order."""
        return [position for position in self.only or range(self.lo, self.hi + 1) if self.lo <= position <= self.hi]

    @property
    def before(self) -> int:
        """The position before which other runs have read the episodes.

        This is the start of the window. For a retried dead letter, this is the last position of the window.
        """
        return self.hi if self.only else self.lo


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """The result of a run: the number of written *deltas* by kind, the *counts* of the job, and the number of
    *episodes*.

    *outcome* is `ok`, `narrowed`, `faulted`, `dead`, `failed`, `fenced`, `conflict` or `unavailable`. The window has
    the positions *lo* to *hi*, both included.

    >>> print(Report(7, "consolidate", "everyday", 1, 64, "ok", 64, Counter(add=3, noop=1)))
    run 7, consolidate by everyday: ok, 3 add, 1 noop of 64 episodes
    """

    run: int
    job: str
    pack: str
    lo: int
    hi: int
    outcome: str
    episodes: int = 0
    deltas: Counter[str] = field(default_factory=Counter)
    counts: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        by = "" if self.pack == pack_of(self.job) else f" by {self.pack}"
        return f"run {self.run}, {self.job}{by}: {self.outcome}, {wrote([self])}"

    def __repr__(self) -> str:
        return f"<{clipped(str(self), LONGEST - 2)}>"


def report(
    run: Run,
    outcome: str,
    episodes: int = 0,
    deltas: Counter[str] | None = None,
    counts: Mapping[str, int] | None = None,
) -> Report:
    """Return the report of a run with this *outcome*."""
    return Report(run.run, run.job, run.pack, run.lo, run.hi, outcome, episodes, deltas or Counter(), counts or {})


def wrote(reports: Sequence[Report]) -> str:
    """Return the totals of what *reports* say was written, as text. Episodes that several packs read count once."""
    counts: Counter[str] = Counter()
    for one in reports:
        counts.update({**one.deltas, **one.counts})
    text = ", ".join(counts_in_words(count, name) for name, count in counts.items() if count) or "nothing new"
    read: Counter[str] = Counter()
    for one in reports:
        read[one.pack] += one.episodes
    episodes = max(read.values(), default=0)
    return f"{text} of {counted(episodes, 'episodes')}" if episodes else text
