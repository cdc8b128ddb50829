"""Similarities of several embedding spaces, made to mean the same: a cosine of one says nothing in another."""

from collections.abc import Sequence
from dataclasses import replace

from slowwave.core.recall.candidate import Candidate


def levelled(spaces: Sequence[Sequence[Candidate]]) -> list[Candidate]:
    """Return the candidates of all *spaces*, those of a space together; the similarity of each goes by its place there.

    What lies at the same place of its space is as similar as all that lie there on average, so that no order within a
    space changes and none is preferred because its cosines are high. What is not similar at all stays so. Words, time
    and company mean the same everywhere and decide between spaces.
    """
    ordered = [sorted({one.similarity for one in space if one.similarity > 0}, reverse=True) for space in spaces]
    places = max(map(len, ordered), default=0)
    level, below = list[float](), 1.0
    for place in range(places):
        here = [similarities[place] for similarities in ordered if place < len(similarities)]
        below = min(below, sum(here) / len(here))
        level.append(below)
    of = [dict(zip(similarities, level, strict=False)) for similarities in ordered]
    return [
        replace(one, similarity=known.get(one.similarity, one.similarity))
        for space, known in zip(spaces, of, strict=True)
        for one in space
    ]
