"""The number of values that predicates hold, by name; and which names hold another number than before."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Holding:
    """The number of values of a predicate, one or many, and the place that says so: a pack, or what all packs share."""

    single_valued: bool
    said_by: str


@dataclass(frozen=True, slots=True)
class Recast:
    """A predicate that is to hold one value instead of many (*single_valued*), or the reverse, and who wants it."""

    predicate: str
    single_valued: bool
    wanted_by: str


def recasts(
    before: Mapping[str, Holding], now: Mapping[str, Holding], held: Iterable[str], places: Collection[str]
) -> list[Recast]:
    """Return those of the predicates *held* that hold another number of values *now* than *before*.

    Both have an entry a name; one that ends in `*` stands for all that begin so. What is in none holds many. It is
    wanted by who says it now, else by who said otherwise and does no longer; a place that is none of *places* is gone,
    and what it said stays as it was.

    >>> recasts({"pet": Holding(False, "home")}, {"pet": Holding(True, "home")}, ["pet"], ["home"])
    [Recast(predicate='pet', single_valued=True, wanted_by='home')]
    >>> recasts({"pet": Holding(True, "gone")}, {}, ["pet"], ["home"])
    []
    """
    found = []
    for name in held:
        was, is_ = _of(before, name), _of(now, name)
        wanted_by = is_.said_by if is_ else was.said_by if was else None
        single = is_ is not None and is_.single_valued
        if wanted_by in places and wanted_by is not None and single != (was is not None and was.single_valued):
            found.append(Recast(name, single, wanted_by))
    return found


def _of(holdings: Mapping[str, Holding], name: str) -> Holding | None:
    if name in holdings:
        return holdings[name]
    begun = [one for one in holdings if one.endswith("*") and name.startswith(one[:-1])]
    return holdings[max(begun, key=len)] if begun else None
