"""A trial of a pack: decides claims without writing, and compares the beliefs before and after."""

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from slowwave.core.beliefs.identity import normal, text_of
from slowwave.core.fold import Fold, Version
from slowwave.core.predicates import Predicates
from slowwave.domain.claim import Claim, Form
from slowwave.domain.episode import StoredEpisode

_Key = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class Quote:
    """The words on which a belief rests, and the episode with these words."""

    key: str
    position: int
    words: str


@dataclass(frozen=True, slots=True)
class Belief:
    """A belief of a trial, with its start, its rule, and its source words. For a belief that was stored before the
    trial, *quotes* is empty.
    """

    subject: str
    predicate: str
    object: str
    form: Form
    text: str
    since: datetime
    rule: str
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """The beliefs *gained* and *lost*, pairs of old and new beliefs (*changed*), and the number of equal beliefs
    (*same*).
    """

    gained: tuple[Belief, ...] = ()
    lost: tuple[Belief, ...] = ()
    changed: tuple[tuple[Belief, Belief], ...] = field(default=())
    same: int = 0


def compare_beliefs(before: Iterable[Belief], after: Iterable[Belief], predicates: Predicates) -> Difference:
    """Return the difference between two sets of beliefs.

    If a single value replaces another value, the belief is changed. All other differences are lost or gained beliefs.
    """
    old, new = _by_key(before), _by_key(after)
    lost = {key: belief for key, belief in old.items() if key not in new}
    gained = {key: belief for key, belief in new.items() if key not in old}
    values = {key[:3]: key for key, belief in gained.items() if _single(belief, predicates)}
    pairs = [
        (key, values[key[:3]]) for key, belief in lost.items() if _single(belief, predicates) and key[:3] in values
    ]
    changed = tuple((lost.pop(one), gained.pop(other)) for one, other in pairs if one in lost and other in gained)
    return Difference(tuple(gained.values()), tuple(lost.values()), changed, len(new.keys() & old.keys()))


def _by_key(beliefs: Iterable[Belief]) -> Mapping[_Key, Belief]:
    """Return the beliefs by the key under which they are compared, without repeats, in the order of the keys."""
    keyed = {(one.form, normal(one.subject), one.predicate, normal(one.object)): one for one in beliefs}
    return dict(sorted(keyed.items()))


def _single(belief: Belief, predicates: Predicates) -> bool:
    return belief.form == "typed" and predicates.of(belief.predicate).single_valued


@dataclass(frozen=True, slots=True)
class DryRunBeliefs:
    """The beliefs *before* and *after* the claims of a trial, and the number of decisions of each kind."""

    before: tuple[Belief, ...]
    after: tuple[Belief, ...]
    decisions: Mapping[str, int]


def try_claims(claims: Iterable[Claim], fold: Fold, episodes: Sequence[StoredEpisode], at: datetime) -> DryRunBeliefs:
    """Apply *claims* from *episodes* to *fold*. Return the beliefs that hold at the time *at*, before and after the
    claims.
    """
    texts = {episode.id: episode.content for episode in episodes}
    before = believed_at(fold.believed(at), at)
    quotes: dict[uuid.UUID, tuple[Quote, ...]] = {}
    kinds = Counter[str]()
    for claim in claims:
        for decision in fold.decide(claim):
            kinds[decision.kind] += 1
            quotes[decision.id] = _quotes(claim, texts)
    after = tuple(_belief(version, quotes.get(version.fact, ())) for version in fold.believed(at))
    return DryRunBeliefs(before, after, dict(kinds))


def believed_at(versions: Iterable[Version], at: datetime) -> tuple[Belief, ...]:
    """Return the *versions* that hold at the time *at*, as beliefs without quotes."""
    return tuple(_belief(version, ()) for version in versions if version.valid.covers(at))


def _quotes(claim: Claim, texts: Mapping[uuid.UUID, str]) -> tuple[Quote, ...]:
    return tuple(
        Quote(source.key, source.position, texts[source.episode][source.start : source.end])
        for source in (claim.source, *claim.more_sources)
        if source.episode in texts
    )


def _belief(version: Version, quotes: tuple[Quote, ...]) -> Belief:
    return Belief(
        version.subject,
        version.predicate,
        version.object,
        version.form,
        text_of(version),
        version.valid.start,
        version.rule,
        quotes,
    )
