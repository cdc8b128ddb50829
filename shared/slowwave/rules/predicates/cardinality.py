"""The number of values of each predicate, as declared in the files of several places."""

from collections.abc import Iterable, Mapping, Sequence

from slowwave.core.predicates.cardinality import Holding
from slowwave.rules.predicates.loading import PREDICATES
from slowwave.rules.predicates.merging import Declared


def holdings(places: Mapping[str, Iterable[Declared]]) -> dict[str, Holding]:
    """Return what *places* declare for each name of each predicate; the first of equal declarations counts."""
    found: dict[str, Holding] = {}
    for place, declared in places.items():
        for name, part in ((name, part) for one in declared for name, part in one.parts.items()):
            for each in (name, *part.aliases):
                found.setdefault(each, Holding(part.single_valued, place))
    return found


def places_of(packs: Mapping[str, Sequence[Declared]]) -> dict[str, Sequence[Declared]]:
    """Return the declarations that *packs* use, by place: each pack's own, which are its last, and the shared ones."""
    shared = {one.place: one for declared in packs.values() for one in declared[:-1]}
    own = {name: declared[-1:] for name, declared in packs.items()}
    return {PREDICATES: list(shared.values()), **own} if shared else own
