"""The claims of packs over episodes, window by window, as runs would make them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from slowwave.core.beliefs.secrets import hollow, secret
from slowwave.core.predicates import Predicates
from slowwave.core.trial import Difference
from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.ports import Extractor
from slowwave.ports.context import REACH, proposed


@dataclass(frozen=True, slots=True)
class Trial:
    """The outcome of a trial: how many *episodes* of how many *scopes* were read, how many *claims* were made of them,
    the *decisions* by kind, and what would differ.
    """

    scopes: int
    episodes: int
    claims: int
    decisions: dict[str, int]
    difference: Difference


def claims_of(
    extractors: Iterable[Extractor], episodes: Sequence[StoredEpisode], predicates: Predicates, *, window: int
) -> list[Claim]:
    """Return what *extractors* claim of *episodes*, which come in order, in windows of so many.

    In order of position, at one position in the order of the packs' names. Secrets are left out, as runs do.
    """
    claims = [
        predicates.canonical(claim)
        for extractor in sorted(extractors, key=lambda one: one.pack)
        for before, part in _windows(episodes, window)
        for claim in proposed(extractor, before, part)
        if not secret(claim) and not hollow(claim, part)
    ]
    return sorted(claims, key=lambda claim: claim.source.position)


def _windows(
    episodes: Sequence[StoredEpisode], size: int
) -> Iterator[tuple[Sequence[StoredEpisode], Sequence[StoredEpisode]]]:
    """The windows, each with what came before, as far as a run would look."""
    for start in range(0, len(episodes), size):
        yield episodes[max(0, start - REACH) : start], episodes[start : start + size]
