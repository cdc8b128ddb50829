"""Naming: whom a question speaks of."""

import re


def is_named(speaker: str, question: str) -> bool:
    """Return whether *question* names *speaker*, by the full name or the first, as whole words in any case.

    Whoever is somebody's is named by both.

    >>> is_named("Ann Lee", "Where did ann go?"), is_named("Ann Lee", "What annoys Lee?")
    (True, False)
    >>> is_named("Ann's sister", "Where is Ann?"), is_named("Ann's sister", "Where is Ann's sister?")
    (False, True)
    """
    asked = _WORD.findall(question.casefold())
    owner, _, whose = speaker.casefold().replace("’", "'").partition("'s ")
    names = _WORD.findall(owner)
    return bool(names) and names[0] in asked and set(_WORD.findall(whose)) <= {*asked}


def is_of_user(question: str) -> bool:
    """Return whether *question* is about whoever asks it, or about the user.

    >>> is_of_user("Where do I live?"), is_of_user("What is the user's name?"), is_of_user("Where is World War II?")
    (True, True, False)
    """
    return _OF_USER.search(question) is not None


_OF_USER = re.compile(r"\bI\b|\b(?:me|my|mine|myself|the user)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
