"""Mentions of an entity in a text, and the sentences that describe it."""

import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from slowwave.core.beliefs.identity import normal
from slowwave.core.predicates.sentences import USER

TEXTS = 3
"""The maximum number of sentences that describe an entity."""
CHARACTERS = 400
"""The maximum number of characters of all these sentences together. The first sentence may be longer."""
_POSSESSIVE = f"{USER}'s "
_NOTHING = "(?!)"
Span = tuple[int, int]


def described(sentences: Iterable[tuple[uuid.UUID, str]], description: str = "") -> Mapping[uuid.UUID, str]:
    """Return, by fact, the *sentences* that describe an entity, without repeats, up to a limited length.

    The best of *sentences* comes first. *description* is a description written by hand. If it is given, the result has
    all facts whose text contains it instead.

    >>> one, other, third = (uuid.UUID(int=number) for number in range(3))
    >>> list(described([(one, "Anna runs"), (other, "Anna runs"), (third, "Anna sings")]).values())
    ['Anna runs', 'Anna sings']
    """
    found: dict[uuid.UUID, str] = {}
    length = 0
    for fact, text in sentences:
        if (description not in text) if description else (text in found.values() or len(found) == TEXTS):
            continue
        if found and not description and length + len(text) > CHARACTERS:
            continue
        found[fact] = text
        length += len(text)
    return found


@dataclass(frozen=True, slots=True)
class Wording:
    """Patterns for the names of an entity in a text, which are valid in Python and Postgres.

    A *proper* name matches as it is written, or in lower case if the whole text is in lower case. A *common* name
    matches in any case. *mine* matches a thing that belongs to the user, as the user names it (`my sister`). A pattern
    is None if there is no such name.
    """

    proper: str | None = None
    common: str | None = None
    mine: str | None = None

    def spans(self, text: str, role: str) -> list[Span]:
        """Return the spans in *text* that name the entity, in order, without nested spans.

        *role* is the role of the speaker.

        >>> wording(["Anna", "user's sister"]).spans("my sister Anna", "user")
        [(0, 9), (10, 14)]
        """
        found = sorted(set(self._found(text, role)), key=lambda span: (span[0], -span[1]))
        outermost: list[Span] = []
        for start, end in found:
            if not outermost or start >= outermost[-1][1]:
                outermost.append((start, end))
        return outermost

    def _found(self, text: str, role: str) -> Iterator[Span]:
        small = re.IGNORECASE if text == text.lower() else re.NOFLAG
        asked = [(self.proper, small), (self.common, re.IGNORECASE)]
        asked += [(self.mine, re.IGNORECASE)] if role == "user" else []
        for pattern, flags in asked:
            yield from (found.span() for found in re.finditer(pattern or _NOTHING, text, flags))


def wording(names: Iterable[str]) -> Wording:
    """Return the patterns for *names* of one entity. The name "user" means the speaker, and is not matched as a word.

    >>> wording(["Ann"]).spans("Anna met ANN, Ann-Marie and Ann.", "user")
    [(28, 31)]
    >>> wording(["Ann"]).spans("then ann's dog came", "user")
    [(5, 8)]
    """
    proper: list[str] = []
    common: list[str] = []
    mine: list[str] = []
    for name in sorted(set(names), key=lambda one: (-len(one), one)):
        if normal(name).startswith(_POSSESSIVE):
            mine.append(name[len(_POSSESSIVE) :])
        elif normal(name) != USER:
            (proper if name != name.lower() else common).append(name)
    return Wording(_any_of(proper), _any_of(common), _any_of(mine, r"(?:my|our)\s+"))


def _any_of(names: Iterable[str], before: str = "") -> str | None:
    """Return a pattern for any of *names* as whole words. It does not match a part of a hyphenated name."""
    patterns = ["\\s+".join(map(re.escape, words)) for name in names if (words := name.split())]
    return rf"(?<!\w)(?<!\w-){before}(?:{'|'.join(patterns)})(?!\w)(?!-\w)" if patterns else None
