"""Echoes: what asks again answers nothing, and what says the same says it once."""

import re
from collections.abc import Iterable

from slowwave.core.recall.candidate import Candidate, Ranked

_ASKS = re.compile(r"\?|^\W*(?:who|whom|whose|what|when|where|which|why|how|tell|remind|show)\b", re.IGNORECASE)
_LAST_SENTENCE = re.compile(r"[.!?…\n][\"'”’)]*\s+\S")


def only_asks(text: str) -> bool:
    """Return whether *text*, or the end of one, is a question and nothing else; a name may stand in front.

    >>> only_asks("Ann: Where do I live?"), only_asks("I moved to Oslo. And you?"), only_asks("I moved to Oslo")
    (True, False, False)
    """
    asked = text.strip()
    return asked.endswith("?") and _LAST_SENTENCE.search(asked) is None


def is_asked(question: str) -> bool:
    """Return whether *question* asks; words alone look for what was said in them, be it a question.

    >>> is_asked("where do I live"), is_asked("Do I live in Oslo?"), is_asked("the way, do I live in Oslo")
    (True, True, False)
    """
    return _ASKS.search(question) is not None


def answers(one: Candidate) -> float:
    """Return how much of its score a memory keeps, in [0, 1]: what asks the same tells nothing."""
    return 1 - one.similarity**2 if one.asks else 1.0


def lends(one: Candidate) -> float:
    """Return how much of its match a memory lends to what stands around it, in [0, 1].

    Who asks much the same is answered nearby; the same question again was put by whoever asks now, to nobody there.
    """
    return 1 - one.similarity**4 if one.asks else 1.0


def folded(ranked: Iterable[Ranked]) -> list[Ranked]:
    """Return *ranked* without what stands further up in the same words, of the same scope."""
    seen: set[tuple[object, str]] = set()
    kept = []
    for one in ranked:
        said = _said(one.candidate)
        if said is None or said not in seen:
            kept.append(one)
        if said is not None:
            seen.add(said)
    return kept


def _said(one: Candidate) -> tuple[object, str] | None:
    return None if one.gist is None else (one.scope, one.gist)
