"""Descriptions of an entity: sentences of what is believed of it, whole and as they stand."""

import uuid
from collections.abc import Iterable, Mapping

TEXTS = 3
"""Sentences that describe an entity."""
CHARACTERS = 400
"""What they take together; the first may be longer."""


def described(told: Iterable[tuple[uuid.UUID, str]], said: str = "") -> Mapping[uuid.UUID, str]:
    """Return which sentences *told* of an entity, the best first, describe it, by their facts; each is there once.

    Where something was *said* of it by hand the facts that are told in these words describe it, and no other.

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
