"""One attempt at an intent: the lease it works under and the window it works on."""

import uuid
from dataclasses import dataclass

from slowwave.domain.job import RETRY, WINDOWED


@dataclass(frozen=True, slots=True)
class Run:
    """A claimed intent. *lo* to *hi* are positions, both included; *fence* proves the lease when it commits.

    *target* is the highest position asked for. *only* names the positions of a retried dead letter; such a run
    moves no watermark. *unwitnessed* means that the window's one episode stood alone each time a worker vanished,
    and that nothing else ran that would show the workers to be healthy. Of a *partial* run nothing beyond the target
    was asked for: the rest waits on.
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

    @property
    def windowed(self) -> bool:
        """Whether the run works on episodes, so that a failure can be pinned on some of them."""
        return self.job in WINDOWED or self.job == RETRY

    @property
    def positions(self) -> list[int]:
        """The positions the run works on, in order."""
        return [position for position in self.only or range(self.lo, self.hi + 1) if self.lo <= position <= self.hi]
