"""Items that an agent may push, the receipt it is given for each, and what an outbox keeps of one."""

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from slowwave.brief import brief
from slowwave.domain.episode import Episode, Item
from slowwave.domain.scope import Scope
from slowwave.errors import Conflict, Incorrect, SlowwaveError


@dataclass(frozen=True, slots=True)
class Receipt:
    """`stored`: committed in Postgres, never to be lost. `queued`: the broker has it. `spooled`: this host's outbox
    has it. `refused`: nothing has it, and *error* says why. *repeated* means that it was known already, *masked* says
    of which kinds the secrets were that a mask has taken the place of, one each.
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
        """Return the receipt of an episode whose *key* is taken by one with another content, *where* that is."""
        error = Conflict(
            f"the key {key!r} is taken by an episode with another content{where}",
            hint="episodes are immutable: push what you have to say under a new key",
        )
        return cls(id_, key, "refused", position, repeated=True, error=error)

    def __repr__(self) -> str:
        problems = self.error.problems if isinstance(self.error, Incorrect) else ()
        why = self.error and (problems[0] if problems else type(self.error).__name__)
        key = f"key {self.key}" if self.key else None
        masked = f"masked {', '.join(self.masked)}" if self.masked else None
        return brief(self, self.state, why, "repeated" if self.repeated else None, masked, key, id=self.id)


def item_of(item: Item, fields: Mapping[str, Any]) -> Item:
    """Return what is pushed when *item* is told with other *fields* beside its content. Raises `Incorrect`."""
    if isinstance(item, str):
        return {**fields, "content": item} if "content" not in fields else _twice(["content"])
    return _twice(sorted(fields)) if fields else item


def items_of(items: Iterable[Item]) -> list[Item]:
    """Return the items to push. Raises `Incorrect` for one that stands where many are wanted."""
    if isinstance(items, str | bytes | Mapping | Episode) or not isinstance(items, Iterable):
        problem = f"items: expected a list of episodes, got {type(items).__name__}"
        raise Incorrect.listing("push_many", [problem], hint="`push` stores a single one")
    return list(items)


def read_items(items: Iterable[Item]) -> list[Episode | Incorrect]:
    """Return the episode that each of *items* is, or why it is none."""
    return [_read(item) for item in items]


def receipts(
    read: Sequence[Episode | Incorrect],
    take: Callable[[Sequence[Episode]], Sequence[Receipt]],
    mask: Callable[[Episode], tuple[Episode, tuple[str, ...]]] | None = None,
) -> list[Receipt]:
    """Return a receipt for each item *read*, in their order: from *take* for all episodes at once, `refused` else.

    What *take* is given was masked by *mask*, and the receipt says of which kinds the secrets were.
    """
    masked = [_masked(one, mask) for one in read]
    good = [one for one, _ in masked if isinstance(one, Episode)]
    taken = iter(take(good) if good else ())
    return [
        with_masked(next(taken), kinds) if isinstance(one, Episode) else Receipt(None, "", "refused", error=one)
        for one, kinds in masked
    ]


def with_masked(receipt: Receipt, kinds: tuple[str, ...]) -> Receipt:
    """Return *receipt* with what was masked before it was given: secrets of these *kinds*."""
    return replace(receipt, masked=tuple(sorted((*receipt.masked, *kinds)))) if kinds else receipt


def _masked(
    one: Episode | Incorrect, mask: Callable[[Episode], tuple[Episode, tuple[str, ...]]] | None
) -> tuple[Episode | Incorrect, tuple[str, ...]]:
    if mask is None or not isinstance(one, Episode):
        return one, ()
    try:
        return mask(one)
    except Incorrect as error:  # the masks are longer than what they hide, and make it too long
        return error, ()


def _twice(names: Sequence[str]) -> Item:
    problems = [f"{name}: stands beside an episode that has its own" for name in names]
    raise Incorrect.listing("push", problems, hint="push a text with fields beside it, or an episode with its fields")


def _read(item: Item) -> Episode | Incorrect:
    try:
        return Episode.read(item)
    except Incorrect as error:
        return error


Kept = Literal["new", "known", "conflict"]
"""What an outbox says of an episode: kept now, there already, or its key is taken by another content."""


@dataclass(frozen=True, slots=True)
class Spooled:
    """An entry of an outbox: the episode as a message, and the *reason* if it was refused."""

    number: int
    scope: Scope
    episode: Mapping[str, Any]
    reason: str | None = None

    def __repr__(self) -> str:
        return brief(self, self.scope.user, self.episode.get("content"), self.reason, id=self.number)
