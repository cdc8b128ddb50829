"""Naming: the people that a question names."""

import re
from collections.abc import Iterable, Mapping, Sequence

from slowwave.core.recall.candidate import Candidate
from slowwave.core.recall.duplicates import is_asked


def is_named(speaker: str, question: str) -> bool:
    """Return whether *question* names *speaker*, by full or first name, as whole words in any case.

    A speaker called after another ("Ann's sister") is named only by both words.

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
    """Return whether *question* is about the person who asks, or about the user.

    >>> is_of_user("Where do I live?"), is_of_user("What is the user's name?"), is_of_user("Where is World War II?")
    (True, True, False)
    """
    return _OF_USER.search(question) is not None


def forms_of(question: str) -> list[str]:
    """Return the distinct words of *question* in lower case, in order."""
    return list(dict.fromkeys(_WORD.findall(question.casefold())))


def count_names(
    candidates: Sequence[Candidate], question: str, numbers: Mapping[str, int], called: Iterable[str], share: float
) -> list[Candidate]:
    """Return *candidates*, in which speakers' names count as words of *question* only by *share*.

    Speakers seldom say their own name: as a rare word it would outweigh the rest of the question. The measure `speaker`
    covers whose memory it is. If a search consists only of names, they count in full. *numbers* are those of the
    question's words; *called* are the names of users.
    """
    speakers = {*called, *(one.speaker for one in candidates if one.kind == "episode" and one.speaker)}
    spoken = {word for name in speakers if is_named(name, question) for word in _WORD.findall(name.casefold())}
    names = {numbers[word] for word in spoken if word in numbers}
    nothing_else = names == {*numbers.values()} and not is_asked(question)
    if not names or share == 1 or nothing_else:
        return list(candidates)
    return [_counting(one, names, share) if names & one.shares.keys() else one for one in candidates]


def _counting(one: Candidate, names: set[int], share: float) -> Candidate:
    shares = {word: said * (share if word in names else 1.0) for word, said in one.shares.items()}
    kept = {word: said for word, said in shares.items() if said}
    return one.but(shares=kept, keyword=min(1.0, sum(kept.values()) * one.saturation))


_OF_USER = re.compile(r"\bI\b|\b(?:me|my|mine|myself|the user)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
