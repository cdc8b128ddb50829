"""The gist of a statement, for comparison: it ignores article, number, and tense of the same time.

Only words count, never vector similarity: statements that differ in one other word are different.
"""

import re
from functools import lru_cache

from slowwave.core.predicates.plurals import singles
from slowwave.core.predicates.verb_forms import IRREGULAR

_PAST = {forms[-1]: forms[1] for forms in IRREGULAR} | {"got": "got"}
"""Participles to the past forms of their verbs."""
_GOING_ON = re.compile(r"\b(has|have|had) been (?=\w+ing\b)")
_DONE = re.compile(rf"\b(?:has|have|had) (\w+ed|{'|'.join(_PAST)})\b(?!.*\b(?:for|since)\b)")
_TO_COME = re.compile(r"\b(?:is|are) (?:going to|gonna) (?=[a-z])")
_ARTICLE = re.compile(r"(?:^(?:An?|The)|(?<![\w'’-])(?:an?|the)) (?!few\b|little\b)")


@lru_cache(maxsize=4096)
def normalised_statement(text: str) -> str:
    """Return the part of a statement's *text* that does not depend on article, number, or tense of the same time.

    >>> normalised_statement("The user has bought the red bikes") == normalised_statement("The user bought a red bike")
    True
    >>> normalised_statement("Ann has lived in Oslo for years") == normalised_statement("Ann lived in Oslo for years")
    False
    """
    text = " ".join(text.split()).rstrip(".!")
    text = _GOING_ON.sub(lambda found: "was " if found[1] == "had" else "is ", text)
    text = _TO_COME.sub("will ", text)
    text = _DONE.sub(lambda found: _PAST.get(found[1], found[1]), text)
    return singles(_ARTICLE.sub("", text))
