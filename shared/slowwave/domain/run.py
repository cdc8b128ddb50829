"""One attempt at an intent: the lease it works under and the window it works on."""

import uuid
from dataclasses import dataclass
from typing import Literal

from slowwave.domain.job import RETRY, WINDOWED

Evidence = Literal["none", "witnessed", "alone"]
"""What speaks against an episode that stands alone when a fault of ours meets it: nothing; that others got through
meanwhile; or that it has failed for long while nobody else works there, so that the pack's own cases must tell."""


@dataclass(frozen=True, slots=True)
class Run:
    """A claimed intent. *lo* to *hi* are positions, both included; *fence* proves the lease when it commits.

    *target* is the highest position asked for. *only* names the positions of a retried dead letter; such a run
    moves no watermark. *unwitnessed* means that the window's one episode stood alone each time a worker vanished,
    and that nothing else ran that would show the workers to be healthy. Of a *partial* run nothing beyond the target
    was asked for: the rest waits on. *faults* of ours in a row ended it before, and *evidence* says whether one more
    would count against its episode (see `slowwave.core.windows`).
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

    @property
    def windowed(self) -> bool:
        """Whether the run works on episodes, so that a failure can be pinned on some of them."""
        return self.job in WINDOWED or self.job == RETRY

    @property
    def positions(self) -> list[int]:
        """The positions the run works on, in order."""
        return [position for position in self.only or range(self.lo, self.hi + 1) if self.lo <= position <= self.hi]
