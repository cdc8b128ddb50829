"""Dry run of packs: the claims that runs would make over episodes, window by window. Nothing is written."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from slowwave.core.beliefs.refused import hollow, planned_before, secret
from slowwave.core.dry_run import Difference
from slowwave.core.predicates import Predicates
from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.ports import Extractor
from slowwave.ports.context import REACH, proposed


@dataclass(frozen=True, slots=True)
class DryRun:
    """The outcome of a dry run: the numbers of *scopes*, *episodes* and *claims*, the *decisions* by kind, and the
    *difference* to the present beliefs.
    """

    scopes: int
    episodes: int
    claims: int
    decisions: dict[str, int]
    difference: Difference


def claims_of(
    extractors: Iterable[Extractor], episodes: Sequence[StoredEpisode], predicates: Predicates, *, window: int
) -> list[Claim]:
    """Return the claims of *extractors* about the sorted *episodes*, which are read in windows of *window* episodes.

    The claims are sorted by position, and then by pack name. Claims with secrets, and plans that begin before their
    turn, are left out, as in runs.
    """
    claims = [
        predicates.canonical(claim)
        for extractor in sorted(extractors, key=lambda one: one.pack)
        for before, part in _windows(episodes, window)
        for claim in proposed(extractor, before, part)
        if not (secret(claim) or hollow(claim, part) or planned_before(claim, part))
    ]
    return sorted(claims, key=lambda claim: claim.source.position)


def _windows(
    episodes: Sequence[StoredEpisode], size: int
) -> Iterator[tuple[Sequence[StoredEpisode], Sequence[StoredEpisode]]]:
    """Yield each window in two lists: the earlier episodes that a run would read too, and the window's own episodes."""
    for start in range(0, len(episodes), size):
        yield episodes[max(0, start - REACH) : start], episodes[start : start + size]
