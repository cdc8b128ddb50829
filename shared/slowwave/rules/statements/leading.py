"""Sentences about something else than the speaker, which the next one goes on about: `The show went well.`"""

from collections.abc import Sequence

from slowwave.rules.statements import verbs
from slowwave.rules.statements.telling import CALLS, DOUBTED, FINITE, REACTIONS
from slowwave.rules.statements.words import (
    FIRST,
    INVERTED,
    LEADING,
    PREPOSITIONS,
    QUESTION,
    SECOND,
    SUBORDINATE,
    UNRESOLVED,
    Word,
    these,
)  # fmt: skip
from slowwave.rules.statements.worth import weight

MOST_WORDS = 20
LEAST_LEADING = 4
"""The `weight` of a sentence that says what the next one goes on about."""
_POSSIBLY = these("could should might may must would let's")
_NO_LEAD = LEADING | UNRESOLVED | FIRST | QUESTION | CALLS | REACTIONS | INVERTED | SUBORDINATE | PREPOSITIONS


def opens(words: Sequence[Word]) -> bool:
    """Return whether a sentence tells of something that the next one may go on about: `The show went well.`"""
    low = [word.low for word in words]
    if not low or len(low) > MOST_WORDS or low[0] in _NO_LEAD or low[0] in verbs.BASE:
        return False
    if any(word in SECOND or word in DOUBTED or word in _POSSIBLY for word in low) or weight(words) < LEAST_LEADING:
        return False
    return not FINITE.isdisjoint(low) or any(verbs.is_past(word) for word in low[1:])
