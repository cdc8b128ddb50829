"""Replay: which recorded claims a pack no longer makes now, and which it newly makes, each at its place in time."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from slowwave.core.fold import Derive
from slowwave.core.late_arrivals.history import REPLAYED, RecordedClaim, place_in_turn
from slowwave.core.late_arrivals.since import PASSING
from slowwave.domain.claim import Claim

_Turn = tuple[datetime, int, int]


@dataclass(frozen=True, slots=True)
class Swap:
    """The claims that are *gone*, and the *fresh* ones that take their place."""

    gone: Sequence[RecordedClaim] = ()
    fresh: Sequence[RecordedClaim] = ()


def swap(
    recorded: Iterable[RecordedClaim],
    proposed: Sequence[Claim],
    *,
    occurred: Mapping[int, datetime],
    settled: Collection[Claim],
    pack: str,
    derive: Derive,
    number: int,
) -> Swap:
    """Return what changes if the *recorded* claims of *pack* become those that it *proposed* about the same episodes.

    *occurred* has the times of the episodes that can still be read; claims from other episodes stay. A claim also
    stays if a proposed one says the same and cites the same words, whichever rule made it. *settled* claims were undone
    or decided by a person, and are not made again. *derive* and the *number* of this replay give the ids of fresh
    claims. A fresh claim is folded just before the pack's next claim in time.
    """
    known, held = [*recorded], defaultdict[Claim, list[RecordedClaim]](list)
    for entry in sorted(known, key=lambda one: one.order, reverse=True):
        if _readable(entry.claim, occurred):
            held[alike(entry.claim)].append(entry)
    out, fresh = {alike(claim) for claim in settled}, list[Claim]()
    turns = {id(entry): _turn(entry.claim, entry.occurred or entry.place) for entry in known}
    for claim in (one for one in proposed if _readable(one, occurred)):
        if same := held[alike(claim)]:
            turns[id(same.pop())] = _turn(claim, occurred[claim.source.position])
        elif alike(claim) not in out:
            fresh.append(claim)
    gone = [entry for entries in held.values() for entry in entries]
    if not gone and all(claim.effect in PASSING for claim in fresh):
        return Swap()  # news that changed nothing when it was told
    places = [(turn, entry.place) for entry in known if (turn := turns[id(entry)]) and entry.place]
    entries = [_entry(claim, occurred[claim.source.position], places, derive, number) for claim in fresh]
    return Swap(gone, [replace(entry, pack=pack) for entry in entries])


def alike(claim: Claim) -> Claim:
    """Return what *claim* says on which words, without its number, its rule and its role."""
    return replace(claim, ordinal=0, rule="", role="")


def _readable(claim: Claim, occurred: Collection[int]) -> bool:
    return all(source.scope or source.position in occurred for source in (claim.source, *claim.more_sources))


def _turn(claim: Claim, occurred: datetime | None) -> _Turn | None:
    """Return the place of *claim* in the order of time. News keeps the number that it had when it was first read."""
    return None if occurred is None else (occurred, claim.source.position, place_in_turn(claim))


def _entry(
    claim: Claim, occurred: datetime, places: Iterable[tuple[_Turn, datetime]], derive: Derive, number: int
) -> RecordedClaim:
    turn = _turn(claim, occurred)
    place = min((place for later, place in places if turn and later > turn), default=None)
    own = replace(claim, ordinal=number * REPLAYED + claim.ordinal)
    return RecordedClaim(own, derive, place, occurred=occurred, late=place is not None)
