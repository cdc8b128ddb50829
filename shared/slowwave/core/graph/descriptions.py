"""Descriptions of an entity: whole sentences of the beliefs about it, unchanged."""

import uuid
from collections.abc import Iterable, Mapping

TEXTS = 3
"""The most sentences that describe an entity."""
CHARACTERS = 400
"""The most characters of them together; the first may be longer."""


def described(told: Iterable[tuple[uuid.UUID, str]], said: str = "") -> Mapping[uuid.UUID, str]:
    """Return the sentences *told* of an entity, best first, that describe it, by their facts; each sentence once.

    If a description was *said* by hand, only the facts whose text contains it are returned.

    >>> one, other, third = (uuid.UUID(int=number) for number in range(3))
    >>> list(described([(one, "Anna runs"), (other, "Anna runs"), (third, "Anna sings")]).values())
    ['Anna runs', 'Anna sings']
    """
    found: dict[uuid.UUID, str] = {}
    length = 0
    for fact, text in told:
        if (said not in text) if said else (text in found.values() or len(found) == TEXTS):
            continue
        if found and not said and length + len(text) > CHARACTERS:
            continue
        found[fact] = text
        length += len(text)
    return found
