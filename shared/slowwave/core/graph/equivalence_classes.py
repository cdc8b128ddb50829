"""Names that mean the same entity: classes of names, each with one representative."""

import uuid
from collections.abc import Iterable, Mapping

Pair = tuple[uuid.UUID, uuid.UUID]
"""A name, and another name of the same entity."""


def roots(pairs: Iterable[Pair], first: uuid.UUID | None = None) -> Mapping[uuid.UUID, uuid.UUID]:
    """Return, for each name in *pairs* (an entity, another name of it), the representative of its class.

    That is *first* if it is in the class: the user comes before their other names. Otherwise it is the name with the
    smallest id, preferably one that is not another name of an entity. The order of the pairs does not matter.

    >>> nora, user, ada = (uuid.UUID(int=number) for number in range(3))
    >>> roots([(user, nora), (nora, ada)], first=user) == dict.fromkeys([nora, user, ada], user)
    True
    """
    known = list(pairs)
    others = {other for _, other in known}
    of: dict[uuid.UUID, uuid.UUID] = {name: name for pair in known for name in pair}
    for one, two in known:
        here, there = _top(of, one), _top(of, two)
        of[max(here, there)] = min(here, there)
    classes: dict[uuid.UUID, list[uuid.UUID]] = {}
    for name in of:
        classes.setdefault(_top(of, name), []).append(name)
    return {
        name: min(names, key=lambda one: (one != first, one in others, one))
        for names in classes.values()
        for name in names
    }


def _top(of: Mapping[uuid.UUID, uuid.UUID], name: uuid.UUID) -> uuid.UUID:
    while of[name] != name:
        name = of[name]
    return name
