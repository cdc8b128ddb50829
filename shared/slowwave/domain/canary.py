"""Canaries: versions of packs that read in a share of the scopes, compared, promoted or rolled back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from slowwave.domain.undo import Undone
from slowwave.formatting import brief, many

Verdict = Literal["promoted", "rolled back"]


@dataclass(frozen=True, slots=True)
class StoredCanary:
    """A version of a pack that reads, or once read, in a *share* of the scopes.

    It reads only while it is *declared* and not rolled back; after its promotion, it reads in all scopes.
    """

    pack: str
    version: int
    share: float
    declared: bool
    verdict: Verdict | None
    by: str | None
    reason: str | None
    decided: datetime | None

    @property
    def state(self) -> str:
        """The state of the canary in words; `undecided` if it is not declared any more, and was never decided."""
        return self.verdict or ("running" if self.declared else "undecided")

    @property
    def is_undecided(self) -> bool:
        """Return whether the canary is neither declared nor decided. It reads nowhere, and what it has read stays."""
        return not self.declared and self.verdict is None

    def __repr__(self) -> str:
        return brief(self, f"{self.pack}@{self.version}", self.state)


@dataclass(frozen=True, slots=True)
class CanaryStatus:
    """A *canary* beside the *installed* version of its pack.

    *shared* is the number of scopes in its share. *read* is the number of scopes in which it has read, in *runs* runs,
    and *replayed* the number of scopes in which its replays are in force. *difference* holds the changes that a
    roll-back would make. *undecided* are other canaries of the pack: they are not declared any more, and what they have
    read stays until they are rolled back.
    """

    canary: StoredCanary
    installed: int
    shared: int
    read: int
    runs: int
    difference: Undone
    replayed: int = 0
    undecided: Sequence[StoredCanary] = ()

    def __repr__(self) -> str:
        return brief(self, f"{self.canary.pack}@{self.canary.version}", self.canary.state, many(self.read, "scope"))


@dataclass(frozen=True, slots=True)
class DecidedCanary:
    """The *verdict* about a canary, and the replays that followed, by tenant.

    *undecided* are other canaries of the pack, as in `CanaryStatus`.
    """

    canary: StoredCanary
    verdict: Verdict
    replays: Mapping[str, Undone] = field(default_factory=dict)
    undecided: Sequence[StoredCanary] = ()

    def __repr__(self) -> str:
        return brief(self, f"{self.canary.pack}@{self.canary.version}", self.verdict, many(len(self.replays), "tenant"))
