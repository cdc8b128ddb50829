"""A trial of claims against held beliefs, decided as in a run, without writing anything."""

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from slowwave.core.beliefs.identity import text_of
from slowwave.core.dry_run.comparison import Belief, Quote
from slowwave.core.fold import Fold, Version
from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode


@dataclass(frozen=True, slots=True)
class DryRunBeliefs:
    """The beliefs *before* and *after* some claims, and the number of decisions of each kind."""

    before: tuple[Belief, ...]
    after: tuple[Belief, ...]
    decisions: Mapping[str, int]


def try_claims(claims: Iterable[Claim], fold: Fold, episodes: Sequence[StoredEpisode], at: datetime) -> DryRunBeliefs:
    """Return the beliefs of *fold* at the time *at*, without and with the *claims* from *episodes*."""
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
    """Return those of *versions* that hold at the time *at*, as beliefs without their words."""
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
