"""Items that an agent pushes, their receipts, and the entries of an outbox."""

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from slowwave.domain.episode import Episode, Item
from slowwave.domain.scope import Scope
from slowwave.errors import Conflict, Incorrect, SlowwaveError
from slowwave.formatting import brief

StoreOutcome = Literal["new", "known", "conflict"]
"""The result of adding an episode to an outbox: new, already there, or a conflict with other content of its key."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """The receipt for a pushed item.

    `stored`: the item is committed in Postgres. `queued`: the broker has it. `spooled`: this host's outbox has it.
    `refused`: nothing has it, and *error* says why. *repeated* means that its key was stored before; *masked* lists the
    kind of each masked secret.
    """

    id: uuid.UUID | None
    key: str
    state: Literal["stored", "queued", "spooled", "refused"]
    position: int | None = None
    repeated: bool = False
    error: SlowwaveError | None = None
    masked: tuple[str, ...] = ()

    @classmethod
    def conflict(cls, id_: uuid.UUID, key: str, *, where: str = "", position: int | None = None) -> "Receipt":
        """Return the refusal of an episode whose *key* already has other content; *where* ends the sentence."""
        error = Conflict(
            f"the key {key!r} belongs to an episode with other content{where}",
            hint="episodes are immutable: push this one under a new key",
        )
        return cls(id_, key, "refused", position, repeated=True, error=error)

    def __repr__(self) -> str:
        problems = self.error.problems if isinstance(self.error, Incorrect) else ()
        why = self.error and (problems[0] if problems else type(self.error).__name__)
        key = f"key {self.key}" if self.key else None
        masked = f"masked {', '.join(self.masked)}" if self.masked else None
        return brief(self, self.state, why, "repeated" if self.repeated else None, masked, key, id=self.id)


def item_of(item: Item, fields: Mapping[str, Any]) -> Item:
    """Return *item*, a content, together with its other *fields*; or *item* alone without any. Raises `Incorrect`."""
    if isinstance(item, str):
        return {**fields, "content": item} if "content" not in fields else _twice(["content"])
    return _twice(sorted(fields)) if fields else item


def items_of(items: Iterable[Item]) -> list[Item]:
    """Return the items to push. Raises `Incorrect` for a single item in place of a list."""
    if isinstance(items, str | bytes | Mapping | Episode) or not isinstance(items, Iterable):
        problem = f"items: expected a list of episodes, got {type(items).__name__}"
        raise Incorrect.listing("push_many", [problem], hint="use `push` for a single episode")
    return list(items)


def read_items(items: Iterable[Item]) -> list[Episode | Incorrect]:
    """Return each of *items* as an episode, or the error if it is invalid."""
    return [_read(item) for item in items]


def receipts(
    read: Sequence[Episode | Incorrect],
    take: Callable[[Sequence[Episode]], Sequence[Receipt]],
    mask: Callable[[Episode], tuple[Episode, tuple[str, ...]]] | None = None,
) -> list[Receipt]:
    """Return a receipt for each item *read*, in order: one call of *take* stores all episodes; errors are `refused`.

    *mask* first masks secrets in the episodes, and the receipts list their kinds.
    """
    masked = [_masked(one, mask) for one in read]
    good = [one for one, _ in masked if isinstance(one, Episode)]
    taken = iter(take(good) if good else ())
    return [
        with_masked(next(taken), kinds) if isinstance(one, Episode) else Receipt(None, "", "refused", error=one)
        for one, kinds in masked
    ]


def with_masked(receipt: Receipt, kinds: tuple[str, ...]) -> Receipt:
    """Return *receipt* with the *kinds* of the secrets that were masked."""
    return replace(receipt, masked=tuple(sorted((*receipt.masked, *kinds)))) if kinds else receipt


def _masked(
    one: Episode | Incorrect, mask: Callable[[Episode], tuple[Episode, tuple[str, ...]]] | None
) -> tuple[Episode | Incorrect, tuple[str, ...]]:
    if mask is None or not isinstance(one, Episode):
        return one, ()
    try:
        return mask(one)
    except Incorrect as error:  # masks can be longer than secrets, so the text may now be too long
        return error, ()


def _twice(names: Sequence[str]) -> Item:
    problems = [f"{name}: is given twice, beside the episode and in it" for name in names]
    raise Incorrect.listing(
        "push", problems, hint="push a text with fields as arguments, or an episode that has its fields"
    )


def _read(item: Item) -> Episode | Incorrect:
    try:
        return Episode.read(item)
    except Incorrect as error:
        return error


@dataclass(frozen=True, slots=True)
class Spooled:
    """An entry of an outbox: the episode as a message, and the *reason* if it was refused."""

    number: int
    scope: Scope
    episode: Mapping[str, Any]
    reason: str | None = None

    def __repr__(self) -> str:
        return brief(self, self.scope.user, self.episode.get("content"), self.reason, id=self.number)
