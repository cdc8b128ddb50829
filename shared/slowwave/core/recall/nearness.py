"""Words near those of a question: how much of a word another says."""

import re
from dataclasses import dataclass

MOST_NEAR = 24
"""Different words, by their stems, that stand in for one of the question: on dialogue 12 find as much within .004."""

FLOOR = 0.35
"""The cosine of two words below which neither says anything of the other; "hobby" and "painting" lie at .4."""

SAYS = 0.7
"""What a word says of one that means the same: less than the word itself, on a plateau from .5 to .85."""

MOST_ASKED = 32
"""Words of a question that others may stand in for: of a text, its beginning."""

_WORD = re.compile(r"[a-z]{3,32}")


@dataclass(frozen=True, slots=True)
class NearWord:
    """A *word* that says so much of another, by *weight* below 1; *of* is the other, as the question writes it."""

    of: str
    word: str
    weight: float


def words_of(question: str) -> list[str]:
    """Return the different words of a question that others may stand in for, in lower case, in order.

    >>> words_of("What's my sister's hobby?")
    ['what', 'sister', 'hobby']
    """
    return list(dict.fromkeys(_WORD.findall(question.lower())))[:MOST_ASKED]
