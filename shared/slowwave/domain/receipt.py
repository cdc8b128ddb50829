"""Items that an agent pushes, their receipts, and the entries of an outbox."""

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from slowwave.domain.episode import Episode, Item, is_drawn
from slowwave.domain.scope import Scope
from slowwave.errors import Conflict, Incorrect, SlowwaveError
from slowwave.formatting import brief

StoreOutcome = Literal["new", "known", "conflict"]
"""The result of adding an episode to an outbox: it is new, it is already there, or its key already has other
content."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """The receipt for a pushed item.

    `stored`: the item is committed in Postgres. `queued`: the broker has the item. `spooled`: the outbox of this host
    has the item. `refused`: the item was not kept, and *error* gives the reason. *repeated* is True if the key was
    stored before. *masked* lists the kinds of the masked secrets.
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
        """Return a refusal: the *key* already belongs to an episode with other content.

        *where* is the end of the error message.
        """
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
    """Return the fields of an episode: *item*, if it is a text, as the content, and the other *fields*.

    Any other item is returned unchanged. Raises `Incorrect` if an item that is not a text comes with *fields*, or if
    *fields* has a content too.
    """
    if isinstance(item, str):
        return {**fields, "content": item} if "content" not in fields else _twice(["content"])
    return _twice(sorted(fields)) if fields else item


def items_of(items: Iterable[Item]) -> list[Item]:
    """Return *items* as a list. Raises `Incorrect` for a single item in place of a list."""
    if isinstance(items, str | bytes | Mapping | Episode) or not isinstance(items, Iterable):
        problem = f"items: expected a list of episodes, got {type(items).__name__}"
        raise Incorrect.listing("push_many", [problem], hint="use `push` for a single episode")
    return list(items)


def read_items(items: Iterable[Item]) -> list[Episode | Incorrect]:
    """Return each of *items* as an episode, or as an error if the item is invalid."""
    return [_read(item) for item in items]


def receipts(
    read: Sequence[Episode | Incorrect],
    take: Callable[[Sequence[Episode]], Sequence[Receipt]],
    mask: Callable[[Episode], tuple[Episode, tuple[str, ...]]] | None = None,
) -> list[Receipt]:
    """Return a receipt for each item in *read*, in order.

    *take* is called once and stores all episodes. Items that are errors are `refused`. If *mask* is given, it masks the
    secrets in the episodes first, and the receipts list the kinds of the secrets.
    """
    masked = [_masked(one, mask) for one in read]
    good = [one for one, _ in masked if isinstance(one, Episode)]
    taken = iter(take(good) if good else ())
    return [
        with_masked(next(taken), kinds) if isinstance(one, Episode) else Receipt(None, "", "refused", error=one)
        for one, kinds in masked
    ]


def gathered(found: Iterable[Receipt], episodes: Sequence[Episode]) -> list[Receipt]:
    """Return the receipts of *episodes*, which *found* yields as they are stored.

    A repeat of an episode without the caller's key would store it twice. Therefore, if *found* raises an error after
    such a push has stored an episode, the receipts of the other episodes are `refused` with this error.
    """
    known: list[Receipt] = []
    try:
        for receipt in found:
            known.append(receipt)  # a list made at once would lose the receipts before an error
    except SlowwaveError as error:
        unstored = all(receipt.state == "refused" for receipt in known)
        if unstored or not any(is_drawn(episode.key) for episode in episodes):
            raise
        known += [Receipt(None, episode.key, "refused", error=error) for episode in episodes[len(known) :]]
    return known


def with_masked(receipt: Receipt, kinds: tuple[str, ...]) -> Receipt:
    """Return *receipt* with the *kinds* of the masked secrets."""
    return replace(receipt, masked=tuple(sorted((*receipt.masked, *kinds)))) if kinds else receipt


def _masked(
    one: Episode | Incorrect, mask: Callable[[Episode], tuple[Episode, tuple[str, ...]]] | None
) -> tuple[Episode | Incorrect, tuple[str, ...]]:
    if mask is None or not isinstance(one, Episode):
        return one, ()
    try:
        return mask(one)
    except Incorrect as error:  # masks can be longer than secrets; therefore the text may be too long now
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
    """An entry of an outbox: the episode as a message, and the *reason* if the episode was refused."""

    number: int
    scope: Scope
    episode: Mapping[str, Any]
    reason: str | None = None

    def __repr__(self) -> str:
        return brief(self, self.scope.user, self.episode.get("content"), self.reason, id=self.number)
