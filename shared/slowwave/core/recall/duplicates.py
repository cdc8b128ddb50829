"""Echoes: a repeated question is no answer, and a repeated answer counts once."""

import re
from collections.abc import Iterable

from slowwave.core.recall.candidate import Candidate, Ranked

_ASKS = re.compile(r"\?|^\W*(?:who|whom|whose|what|when|where|which|why|how|tell|remind|show)\b", re.IGNORECASE)
_LAST_SENTENCE = re.compile(r"[.!?…\n][\"'”’)]*\s+\S")


def only_asks(text: str) -> bool:
    """Return whether *text*, or the end of one, is only a question; a name may precede it.

    >>> only_asks("Ann: Where do I live?"), only_asks("I moved to Oslo. And you?"), only_asks("I moved to Oslo")
    (True, False, False)
    """
    asked = text.strip()
    return asked.endswith("?") and _LAST_SENTENCE.search(asked) is None


def is_asked(question: str) -> bool:
    """Return whether *question* is a question; bare words search for any text that contains them, even a question.

    >>> is_asked("where do I live"), is_asked("Do I live in Oslo?"), is_asked("the way, do I live in Oslo")
    (True, True, False)
    """
    return _ASKS.search(question) is not None


def answers(one: Candidate) -> float:
    """Return the factor for a memory's score, in [0, 1]: a question similar to the asked one is no answer."""
    return 1 - one.similarity**2 if one.asks else 1.0


def passed_share(one: Candidate) -> float:
    """Return the share of its match that a memory passes to its neighbours, in [0, 1].

    A similar question has an answer near it; an identical one was asked by the same person now, and has none.
    """
    return 1 - one.similarity**4 if one.asks else 1.0


def folded(ranked: Iterable[Ranked], most: int | None = None) -> list[Ranked]:
    """Return the first *most* of *ranked* that do not repeat a higher one of the same scope in the same words."""
    seen: set[tuple[int, str]] = set()
    kept: list[Ranked] = []
    for one in ranked:
        if len(kept) == most:
            break
        if (gist := one.candidate.gist) is not None:
            if (said := (one.candidate.scope.int, gist)) in seen:
                continue
            seen.add(said)
        kept.append(one)
    return kept
