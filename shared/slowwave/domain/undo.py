"""Undo: the targets of an undo, and its results."""

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from slowwave.domain.arguments import Id
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect
from slowwave.formatting import brief, many, since
from slowwave.validation_messages import shortened

UNNAMED = "an operator"
"""The name of the person who undoes, if the caller gives no name."""
HINT = "name a run (12), a delta or an undo by its id, a pack as NAME@VERSION, or a time with since= or --since"
What = Annotated[int, Field(ge=1, le=2**63 - 1)] | Id
"""The target of an undo as a caller gives it: the number of a run, the id of a delta or an undo, or PACK@VERSION."""
_PACK = re.compile(r"(?P<pack>[^@\s]+)@(?P<version>\d+)")
State = Literal["done", "pending", "taken back"]
"""The state of an undo. An interrupted undo is `pending` until somebody repeats the undo."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The target of an undo: the number of a *run*, the *id* of a delta or undo, or a *pack* with its *version*.

    With *since*, only deltas applied at or after this time are undone; *since* may be the only value.
    """

    run: int | None = None
    id: uuid.UUID | None = None
    pack: str | None = None
    version: int | None = None
    since: datetime | None = None

    @property
    def words(self) -> str:
        """The target in words, as deltas and lists show it."""
        named = [
            None if self.run is None else f"run {self.run}",
            None if self.id is None else f"delta {self.id}",
            None if self.pack is None else f"pack {self.pack}@{self.version}",
        ]
        target = next((one for one in named if one), "everything")
        return target if self.since is None else f"{target} since {self.since.isoformat()}"


def wanted(what: int | uuid.UUID | str | None, since: datetime | None) -> Wanted:
    """Return the target that the arguments *what* and *since* of an undo name. Raises `Incorrect` with every problem.

    >>> wanted("everyday@3", None).words
    'pack everyday@3'
    """
    found = _named(what)
    problems = []
    if found is None:
        problems.append(f"what: expected a run, a delta, an undo or PACK@VERSION, got {shortened(what)}")
    elif what is None and since is None:
        problems.append("what: is missing")
    elif since is not None and (found.run is not None or found.id is not None):
        problems.append("since: can be combined only with a pack")
    if problems or found is None:
        raise Incorrect.listing("undo", problems, hint=HINT)
    return Wanted(found.run, found.id, found.pack, found.version, since)


def _named(what: int | uuid.UUID | str | None) -> Wanted | None:
    if what is None:
        return Wanted()
    if isinstance(what, uuid.UUID):
        return Wanted(id=what)
    if isinstance(what, int) or what.isdecimal():
        return Wanted(run=int(what)) if 0 < int(what) < 2**63 else None
    if pack := _PACK.fullmatch(what):
        return Wanted(pack=pack["pack"], version=int(pack["version"]))
    try:
        return Wanted(id=uuid.UUID(what))
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Belief:
    """A belief in words, before or after an undo, with its scope."""

    fact: uuid.UUID
    text: str
    valid_from: datetime | None
    valid_to: datetime | None
    scope: Scope

    def __repr__(self) -> str:
        return brief(self, self.text, since(self.valid_from), since(self.valid_to, "until"), id=self.fact)


@dataclass(frozen=True, slots=True)
class ChangedBelief:
    """A belief that is held before and after an undo. The undo changes the belief's valid time or its sources."""

    before: Belief
    after: Belief

    def __repr__(self) -> str:
        return brief(self, self.after.text, since(self.after.valid_from), since(self.after.valid_to, "until"))


@dataclass(frozen=True, slots=True)
class LaterRun:
    """A later run that built on undone beliefs by confirming, replacing, promoting or summarising them."""

    run: int
    job: str
    pack: str
    started: datetime

    def __repr__(self) -> str:
        return brief(self, self.job, f"by {self.pack}", since(self.started, "on"), id=self.run)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A scope that the replay of a tenant left unchanged, with the *problem* and a *hint*."""

    scope: Scope
    problem: str
    hint: str

    def __repr__(self) -> str:
        return brief(self, self.scope.key, self.problem)


@dataclass(frozen=True, slots=True)
class Undone:
    """An undo with its changes. If *preview* is True, these are the changes that the undo would make.

    The beliefs in *withdrawn* are no longer held. The beliefs in *restored* are held again. The beliefs in *changed*
    stay held, with another valid time or other sources. *built_on* has the later runs that built on undone beliefs;
    Slowwave decided the claims of these runs again. *unsure* counts the beliefs that could not be decided again,
    because an erasure removed the words behind these beliefs. The undo ends such a belief only if an undone claim
    supports the belief. *runs* are the runs that wrote the deltas. To revert the undo, pass one of these runs or the
    *id* to `undo`. *withdraws* is the id of the earlier undo that this undo reverts, if any. *corrected* is the new
    fact of a correction.
    """

    what: str
    by: str
    reason: str
    withdrawn: Sequence[Belief] = ()
    restored: Sequence[Belief] = ()
    changed: Sequence[ChangedBelief] = ()
    built_on: Sequence[LaterRun] = ()
    unsure: int = 0
    scopes: Sequence[Scope] = ()
    runs: Sequence[int] = ()
    id: uuid.UUID | None = None
    at: datetime | None = None
    preview: bool = False
    withdraws: uuid.UUID | None = None
    state: State = "done"
    corrected: uuid.UUID | None = None
    skipped: Sequence[Skipped] = ()

    @property
    def changes_beliefs(self) -> bool:
        """Return whether the undo changes any belief, or would change one."""
        return bool(self.withdrawn or self.restored or self.changed)

    def __repr__(self) -> str:
        counts = (f"{len(found)} {name}" for name, found in (
            ("withdrawn", self.withdrawn), ("restored", self.restored), ("changed", self.changed)
        ))  # fmt: skip
        return brief(self, self.what, *counts, f"{many(len(self.built_on), 'later run')} built on it", id=self.id)
