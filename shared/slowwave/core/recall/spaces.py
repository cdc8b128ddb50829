"""Similarities of several embedding spaces, made to mean the same: a cosine of one says nothing in another."""

from collections.abc import Sequence
from dataclasses import replace

from slowwave.core.recall.candidate import Candidate


def levelled(spaces: Sequence[Sequence[Candidate]]) -> list[Candidate]:
    """Return the candidates of all *spaces*, those of a space together; the similarity of each goes by its place there.

    What lies first in its space is as similar as all firsts are on average, and falls from place to place as they do on
    average that have so many: no order within a space changes, and none is preferred because its cosines are high.
    What is not similar at all stays so. Words, time and company mean the same everywhere and decide between spaces.
    """
    ordered = [sorted({one.similarity for one in space if one.similarity > 0}, reverse=True) for space in spaces]
    firsts = [similarities[0] for similarities in ordered if similarities]
    level = [sum(firsts) / len(firsts)] if firsts else []
    for place in range(1, max(map(len, ordered), default=0)):
        longer = [similarities for similarities in ordered if place < len(similarities)]
        fallen = sum(one[place] for one in longer) / sum(one[place - 1] for one in longer)
        level.append(level[-1] * fallen)
    of = [dict(zip(similarities, level, strict=False)) for similarities in ordered]
    return [
        replace(one, similarity=known.get(one.similarity, one.similarity))
        for space, known in zip(spaces, of, strict=True)
        for one in space
    ]
