"""Similarities from several embedding spaces, made comparable: cosines of different spaces are not."""

from collections.abc import Sequence
from dataclasses import replace

from slowwave.core.recall.candidate import Candidate


def levelled(spaces: Sequence[Sequence[Candidate]]) -> list[Candidate]:
    """Return the candidates of all *spaces*, space by space, with similarities that depend on their ranks.

    The first in each space gets the mean similarity of all firsts, and the next ranks the mean of their ranks. So no
    order within a space changes, and no space is preferred because its cosines are high. A similarity of 0 stays 0.
    Words, times and neighbours are comparable everywhere and decide between spaces.
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
