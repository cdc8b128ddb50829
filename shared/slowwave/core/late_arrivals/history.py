"""The history around a late claim: the beliefs before it, the later claims, and the result of deciding them again."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from slowwave.core.beliefs.identity import BeliefKey, compared_words, normal
from slowwave.core.beliefs.versions import Decision, Version
from slowwave.core.contradiction.references import TurnOrder, points_back
from slowwave.core.contradiction.reported_changes import is_news
from slowwave.core.fold import Derive, Fold
from slowwave.core.time_spans import END
from slowwave.domain.claim import Claim, Form

Order = tuple[datetime, bool, int, int]

AGAIN = 1000
"""The first ordinal of news from a second reading, above those of the first reading."""
REPLAYED = 100_000
"""The first ordinal of a replay's claims. The claims of the second replay begin at twice this number, and so on."""


def place_in_turn(claim: Claim) -> int:
    """Return the ordinal that *claim* had in its turn when the turn was first read."""
    return claim.ordinal % REPLAYED % AGAIN


@dataclass(frozen=True, slots=True)
class RecordedClaim:
    """A claim of a *pack*, as a step of a history that is decided again.

    *place* is the time when the claim was decided, or would have been decided if it had not been late. A claim without
    a *place* comes last. *derive* gives the ids of the decisions about the claim. *ids* are the ids of its first
    decisions in the ledger. *occurred* is the time of its episode, if this time is known. If places are equal, a
    *backfilled* claim comes first.
    """

    claim: Claim
    derive: Derive
    place: datetime | None = None
    pack: str = ""
    ids: frozenset[uuid.UUID] = frozenset()
    occurred: datetime | None = None
    backfilled: bool = False

    @property
    def order(self) -> Order:
        """A sort key for the order of places. Claims of one place are ordered by position."""
        return self.place or END, not self.backfilled, self.claim.source.position, self.claim.ordinal

    @property
    def time(self) -> Order:
        """A sort key for the order in which the episodes occurred."""
        return self.occurred or self.place or END, True, self.claim.source.position, place_in_turn(self.claim)

    def fold(self, fold: Fold) -> list[Decision]:
        """Return the decisions about the claim, and record the decisions in *fold*."""
        fold.derive = self.derive
        return fold.decide(self.claim)


@dataclass(frozen=True, slots=True)
class Done:
    """A decision that was made by hand or by a job, and not from a pack's claim. It is made again unchanged.

    *meant* are the keys and words of the facts that the decision replaces. If other facts now have these keys and
    words, the decision replaces those facts.
    """

    decision: Decision
    place: datetime
    meant: frozenset[tuple[BeliefKey, str]] = frozenset()
    pack: str = ""

    @property
    def ids(self) -> frozenset[uuid.UUID]:
        """The id of the decision, as the ledger has it."""
        return frozenset({self.decision.id})

    @property
    def claim(self) -> Claim:
        """The claim that represents the decision."""
        return self.decision.claim

    @property
    def order(self) -> Order:
        """A sort key for the order of places."""
        return self.place, True, self.claim.source.own_position, self.claim.ordinal

    @property
    def time(self) -> Order:
        """A sort key for the order of time, by the time when the decision was made."""
        return self.order

    def fold(self, fold: Fold) -> list[Decision]:
        """Return the decision, applied to the versions that *fold* holds now, and record it in *fold*."""
        decision = self.decision
        if decision.kind != "noop" and decision.valid is not None:
            span, own = decision.valid, decision.opens[:1]
            closes = tuple(version for version in self._meant(fold) if version.valid.overlaps(span))
            rests = tuple(rest for v in closes for rest in v.without(span, decision.id))
            facts = tuple(dict.fromkeys(version.fact for version in closes))
            decision = replace(decision, closes=closes, opens=(*own, *rests), replaces=facts)
        fold.take(decision)
        return [decision]

    def _meant(self, fold: Fold) -> list[Version]:
        active = [version for versions in fold.active.values() for version in versions]
        own = {version.key for version in self.decision.opens[:1]}
        named = any(version.fact in self.decision.replaces for version in active)
        return [
            version
            for version in active
            if version.key in own
            or (
                version.fact in self.decision.replaces
                if named
                else (version.key, compared_words(version)) in self.meant
            )
        ]


Entry = RecordedClaim | Done


@dataclass(frozen=True, slots=True)
class Past:
    """The part of history that is decided again.

    *before* are the beliefs before the first entry that is decided again. *since* are this entry and all later ones,
    without the entries in *undone*. *active* are the current versions. *roots* gives the original fact of each fact
    that was decided again. *claims* are the claims of facts that were held before and changed since. *written* are the
    ids of the ledger's decisions since the first entry. *places* gives the place of each late position. *turn_order* is
    the order in which turns were told, including the late turns; the order in *before* may lack them. All fields except
    *active* use the ids of original facts (see *roots*).
    """

    before: Fold
    since: Sequence[Entry] = ()
    undone: Sequence[Entry] = ()
    active: Sequence[Version] = ()
    roots: Mapping[uuid.UUID, uuid.UUID] = field(default_factory=dict)
    claims: Mapping[uuid.UUID, Claim] = field(default_factory=dict)
    written: frozenset[uuid.UUID] = frozenset()
    places: Mapping[int, datetime] = field(default_factory=dict)
    turn_order: TurnOrder = field(default_factory=TurnOrder)


@dataclass(frozen=True, slots=True)
class BeliefHistory:
    """One version of history: the beliefs at its end (*fold*), and the decisions about each entry."""

    fold: Fold
    decided: Sequence[tuple[Entry, Sequence[Decision]]]

    def at(self, key: BeliefKey) -> set[Version]:
        """Return the versions held under a key."""
        return {replace(version, row=None) for version in self.fold.active.get(key, ())}


def stated_claims(before: Fold, entries: Iterable[Entry], *, in_time: bool = False) -> BeliefHistory:
    """Return the history that results if *entries* are decided one after another, starting from a copy of *before*.

    The entries are in the order of their places or, with *in_time*, in the order of time.
    """
    fold = replace(
        before,
        active={key: list(versions) for key, versions in before.active.items()},
        ends={print_: list(ends) for print_, ends in before.ends.items()},
        confirmed={fact: list(times) for fact, times in before.confirmed.items()},
        news=list(before.news),
        forgotten=set(before.forgotten),
        asked=set(before.asked),
    )
    ordered = sorted(entries, key=lambda entry: entry.time if in_time else entry.order)
    return BeliefHistory(fold, [(entry, entry.fold(fold)) for entry in ordered])


def related(entries: Sequence[Entry], others: Sequence[Entry]) -> list[Entry]:
    """Return the *entries* that *others* may affect, which are those with the same subject and form.

    All entries are returned if any entry is news, or is a claim that refers to earlier turns.
    """
    about = {_about(entry.claim) for entry in others}
    every = any(is_news(entry.claim) or points_back(entry.claim) for entry in (*entries, *others))
    return [entry for entry in entries if every or _about(entry.claim) in about]


def _about(claim: Claim) -> tuple[str, Form]:
    return normal(claim.subject), claim.form
