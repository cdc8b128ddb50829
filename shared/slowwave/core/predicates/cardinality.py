"""The number of values that predicates hold, by name, and the predicates for which that number changes."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Holding:
    """The number of values of a predicate, one or many, and where that is declared: a pack, or the shared registry."""

    single_valued: bool
    said_by: str


@dataclass(frozen=True, slots=True)
class Recast:
    """A predicate that changes from many values to one (*single_valued*), or the reverse, and the place that declares
    it.
    """

    predicate: str
    single_valued: bool
    wanted_by: str


def recasts(
    before: Mapping[str, Holding], now: Mapping[str, Holding], held: Iterable[str], places: Collection[str]
) -> list[Recast]:
    """Return those of the predicates *held* that hold another number of values *now* than *before*.

    Both have one entry per name; a name that ends in `*` stands for all names with this prefix. A predicate without an
    entry holds many values. The change is wanted by the place that declares it now, else by the one that no longer
    declares the opposite. A place that is not in *places* is gone, and its declarations stay in force.

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
