"""Late claims, which are decided before the claims of later turns, and replays, which exchange a pack's claims."""

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from slowwave.core.beliefs.identity import key_of, normal, text_of
from slowwave.core.beliefs.spelling import coated, match_versions, respelled
from slowwave.core.beliefs.versions import Decision, Version
from slowwave.core.contradiction.belief_state import belief_words
from slowwave.core.contradiction.matters import Matters
from slowwave.core.contradiction.namesakes import predicate_and_verb
from slowwave.core.contradiction.people import is_own
from slowwave.core.contradiction.references import RECENT_POSITIONS, TurnOrder, points_back, turns_ago
from slowwave.core.contradiction.reported_changes import is_news
from slowwave.core.contradiction.words import words_of
from slowwave.core.fold import Derive, Fold
from slowwave.core.late_arrivals.history import AGAIN, REPLAYED, Past, RecordedClaim, place_in_turn
from slowwave.core.late_arrivals.placement import Folded, placed
from slowwave.domain.claim import Claim

PASSING = ("change", "fulfil", "drop")
"""The effects of news that leaves no row if it changes no belief. Such news must be read from its turn again."""
_Turn = tuple[datetime, int, int]


@dataclass(frozen=True, slots=True)
class Since:
    """A claim, the time when its episode *occurred*, and the time of its first decision (*place*).

    *place* is None if there was no decision. *asked* is True if the claim waits for a person's decision.
    """

    claim: Claim
    occurred: datetime
    place: datetime | None = None
    asked: bool = False


def backfilled_positions(occurred: Mapping[int, datetime], newest: datetime | None) -> list[int]:
    """Return, in order, the positions of late episodes: those that occurred before an episode with a lower position.

    *occurred* has the times of a window's episodes by position. *newest* is the latest time before the window.
    """
    backfilled: list[int] = []
    for position, at in sorted(occurred.items()):
        if newest is not None and at < newest:
            backfilled.append(position)
        else:
            newest = at
    return backfilled


def takes_back(claim: Claim) -> bool:
    """Return whether *claim* ends, corrects or forgets a belief. Which belief this is depends on earlier claims."""
    return claim.mode in ("end", "correct", "forget")


def claims_since(
    claim: Claim, occurred: datetime, claims: Iterable[Since], matters: Matters, fold: Fold
) -> list[Since]:
    """Return the claims in *claims* that may concern the belief of a late *claim*.

    Their turns occurred after the turn of *claim*, but were read before it.
    """
    ends = {version.valid.end for version in fold.active.get(key_of(claim), ()) if claim.single_valued}
    return [
        one
        for one in claims
        if one.occurred > occurred and one.claim.source.position < claim.source.position
        if concerns(one.claim, claim, matters)
        or _may_point_to(one.claim, claim, fold.turn_order)
        or (one.asked and takes_back(claim))
        or one.claim.valid_from in ends
    ]


def restated_facts(claim: Claim, fold: Fold) -> list[uuid.UUID]:
    """Return the facts in *fold* that later turns may have stated again, in any spelling.

    These are facts of the same belief that begin when the late *claim* would stop to be valid, and facts with a less
    precise object. If *claim* is a correction, the facts that it would withdraw are included.
    """
    decisions = fold.weigh(claim)
    taken = [fact for one in decisions if claim.mode == "correct" for fact in (*one.replaces, *one.among)]
    return taken + [
        version.fact
        for decision in decisions
        if decision.valid is not None
        for version in (*_same_as(decision, fold), *decision.opens)
        if version.valid.start == decision.valid.end or normal(claim.object) in coated(version)
    ]


def same_belief(one: Claim, other: Claim) -> bool:
    """Return whether two claims may be about one belief, in any spelling."""
    return key_of(one) in (key_of(other), *respelled(other))


def concerns(claim: Claim, backfilled: Claim, matters: Matters) -> bool:
    """Return whether *claim* may concern the belief of a *backfilled* claim: both contain a word of this belief."""
    about = belief_words(backfilled, matters.known(backfilled)).union(
        words_of(backfilled.object), words_of(backfilled.wrong)
    )
    if is_news(claim):
        return not about.isdisjoint(matters.sought(claim))
    if normal(claim.subject) != normal(backfilled.subject) and not (
        claim.predicate == "*" and is_own(claim.subject, backfilled.subject)
    ):
        return False
    if claim.mode == "correct" and backfilled.single_valued and claim.predicate == backfilled.predicate:
        return True
    words = words_of(" ".join((claim.object, claim.wrong, claim.text)))
    return (
        not about.isdisjoint(words)
        if words
        else claim.predicate == "*" or backfilled.predicate in predicate_and_verb(claim.predicate)
    )


def _may_point_to(claim: Claim, backfilled: Claim, order: TurnOrder) -> bool:
    """Return whether *claim* refers to recent turns, by a word such as "that", and *backfilled* comes from one of these
    turns.
    """
    ago = turns_ago(claim.source.position, backfilled.source.position, order)
    return points_back(claim) and 0 < ago <= RECENT_POSITIONS


def names(belief: Claim | Version, matters: Matters) -> list[str]:
    """Return the words with which to search for turns that report a change of *belief*; [] if it cannot change."""
    stems = matters.words(belief)
    if not stems:
        return []
    words = [word for word in text_of(belief).replace("_", " ").split() if words_of(word)]
    roles = (name for stem in stems for name in matters.roles(stem))
    return sorted({*words, belief.object, *roles} - {""})


def again(news: Iterable[Claim], backfilled: Sequence[Claim], known: Sequence[Since], matters: Matters) -> list[Claim]:
    """Return the *news* with an effect in `PASSING` that may concern a claim in *backfilled*, with new ordinals.

    *news* comes from turns that were read again. News that cites words of a claim in *known* is left out.
    """
    return [
        replace(one, ordinal=AGAIN + one.ordinal)
        for one in news
        if one.effect in PASSING and any(concerns(one, claim, matters) for claim in backfilled)
        if not any(_same_words(one, earlier.claim) for earlier in known)
    ]


def fold_before(past: Past, backfilled: Sequence[Claim], occurred: datetime, since: Sequence[Since]) -> Folded | None:
    """Return the decisions that make beliefs as if the *backfilled* claims of one episode had come in time.

    News in *since* that has no place, because it changed nothing when it was first read, is decided together with
    *backfilled*. Return None if the current beliefs do not follow from the known claims.
    """
    claims = [(claim, occurred) for claim in backfilled] + [
        (one.claim, one.occurred) for one in since if one.place is None
    ]
    places, derive = past.places, past.before.derive
    entries = [
        RecordedClaim(claim, derive, places.get(claim.source.position), occurred=at, backfilled=True)
        for claim, at in claims
    ]
    return placed(past, entries, in_time=True)


def _same_as(decision: Decision, fold: Fold) -> list[Version]:
    claim = decision.claim
    active = [version for key in (decision.key, *respelled(claim)) for version in fold.active.get(key, ())]
    alike = zip(active, match_versions(claim, active), strict=True)
    return [version for version, same in alike if same or normal(claim.object) in coated(version)]


def _same_words(one: Claim, other: Claim) -> bool:
    mine, its = one.source, other.source
    return mine.episode == its.episode and mine.start < its.end and its.start < mine.end


@dataclass(frozen=True, slots=True)
class Swap:
    """The claims that are *gone*, and the *fresh* claims that replace them."""

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
    only: Collection[int] | None = None,
) -> Swap:
    """Return the difference between the claims that a pack *recorded* and the claims that it now *proposed*.

    The result has the recorded claims to leave out, and the proposed claims to decide. *occurred* has the times of the
    episodes that can still be read; claims from other episodes stay. A claim also stays if a proposed claim says the
    same and cites the same words, even if another rule made it. *settled* claims were undone or decided by a person,
    and are not made again. *derive* and the *number* of this replay give the ids of the new claims. A new claim is
    decided just before the next recorded claim in time. If the positions *only* are given, claims from other episodes
    stay too.
    """
    known, unmatched = [*recorded], defaultdict[Claim, list[RecordedClaim]](list)
    for entry in sorted(known, key=lambda one: one.order, reverse=True):
        if _is_replaced(entry.claim, occurred, only):
            unmatched[alike(entry.claim)].append(entry)
    out, fresh = {alike(claim) for claim in settled}, list[Claim]()
    turns = {id(entry): _turn(entry.claim, entry.occurred or entry.place) for entry in known}
    for claim in (one for one in proposed if _is_replaced(one, occurred, only)):
        if same := unmatched[alike(claim)]:
            turns[id(same.pop())] = _turn(claim, occurred[claim.source.position])
        elif alike(claim) not in out:
            fresh.append(claim)
    gone = [entry for entries in unmatched.values() for entry in entries]
    if not gone and all(claim.effect in PASSING for claim in fresh):
        return Swap()  # news that changed no belief when it was told
    places = [(turn, entry.place) for entry in known if (turn := turns[id(entry)]) and entry.place]
    entries = [_entry(claim, occurred[claim.source.position], places, derive, number) for claim in fresh]
    return Swap(gone, [replace(entry, pack=pack) for entry in entries])


def alike(claim: Claim) -> Claim:
    """Return *claim* without its ordinal, rule and role, to compare claims by content and cited words."""
    return replace(claim, ordinal=0, rule="", role="")


def _is_replaced(claim: Claim, occurred: Collection[int], only: Collection[int] | None) -> bool:
    """Return whether the episodes of *claim* can still be read, and are among the positions *only*, if given."""
    if only is not None and claim.source.position not in only:
        return False
    return all(source.scope or source.position in occurred for source in (claim.source, *claim.more_sources))


def _turn(claim: Claim, occurred: datetime | None) -> _Turn | None:
    """Return the sort key of *claim* in the order of time, or None if the time is unknown.

    News keeps the ordinal that it had when it was first read.
    """
    return None if occurred is None else (occurred, claim.source.position, place_in_turn(claim))


def _entry(
    claim: Claim, occurred: datetime, places: Iterable[tuple[_Turn, datetime]], derive: Derive, number: int
) -> RecordedClaim:
    turn = _turn(claim, occurred)
    place = min((place for later, place in places if turn and later > turn), default=None)
    own = replace(claim, ordinal=number * REPLAYED + claim.ordinal)
    return RecordedClaim(own, derive, place, occurred=occurred, backfilled=place is not None)
