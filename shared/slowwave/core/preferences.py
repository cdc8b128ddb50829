"""Recurring preferences: a preference that was stated in several conversations."""

from slowwave.core.patterns import LEARNING, Learning
from slowwave.domain.pattern import Mention, Preference

FAMILY = frozenset({
    "likes", "dislikes", "loves", "hates", "prefers", "wants", "enjoys", "avoids", "hobby", "diet", "takes", "reads",
    "plays",
})  # fmt: skip
"""Predicates of preference."""
FAMILY_PREFIXES = ("favourite_", "favorite_", "prefers_", "likes_")
"""Prefixes of further predicates of preference."""


def is_preference(predicate: str) -> bool:
    """Return whether *predicate* expresses a preference.

    >>> is_preference("likes"), is_preference("favourite_food"), is_preference("lives_in")
    (True, True, False)
    """
    return predicate in FAMILY or predicate.startswith(FAMILY_PREFIXES)


def recurring(preference: Preference, learning: Learning = LEARNING) -> list[Mention] | None:
    """Return the first mention in each of the first sessions that make *preference* recurring, or None."""
    first: dict[str, Mention] = {}
    for mention in preference.mentions:
        first.setdefault(mention.session, mention)
    return list(first.values())[: learning.sessions] if len(first) >= learning.sessions else None
