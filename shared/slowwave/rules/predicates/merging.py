"""The registry of predicates, merged from several packs, and the conflicts between them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from slowwave.core.predicates import Predicate, Predicates
from slowwave.errors import Incorrect
from slowwave.rules.predicates.schema import LISTS, PredicatePart
from slowwave.rules.problems import MOST_PROBLEMS, first, refusal
from slowwave.validation_messages import nearest

MOST_COMPARED = 1_000
"""The most names searched for a similar one; each costs as much as a line of the file."""


@dataclass(frozen=True)
class Declared:
    """Predicates as declared in one *place*, a file."""

    place: str
    parts: Mapping[str, PredicatePart] = field(repr=False)


def merged(places: Iterable[Declared]) -> Predicates:
    """Return the merged registry of all *places*, whose predicates must not conflict."""
    found: dict[str, PredicatePart] = {}
    for name, _, part in _entries(places):
        found[name] = _joined(found[name], part) if name in found else part
    return Predicates(_tied({name: part.value(name) for name, part in found.items()}))


def disagreements(places: Sequence[Declared]) -> list[str]:
    """Return all conflicts between *places*, and all references to undeclared predicates.

    Each line starts with the place and the path of the predicate in it, and names the other place.
    """
    return [*_contrary(places), *_taken(places), *_unknown(places)]


def together(packs: Iterable[Sequence[Declared]]) -> list[Declared]:
    """Return the declarations of several packs, with shared places once."""
    return list({declared.place: declared for places in packs for declared in places}.values())


def disputes(packs: Mapping[str, Sequence[Declared]]) -> dict[str, Incorrect]:
    """Return, for each pack that conflicts with another about a predicate, the error that says where.

    The last place of a pack is its own.
    """
    found = first(disagreements(together(packs.values())))
    said = {name: [one for one in found if places[-1].place in one] for name, places in packs.items()}
    hint = "let both say the same, give one of the predicates another name, or remove one of the packs"
    return {name: refusal(f"rule pack {name!r}", problems, hint=hint) for name, problems in said.items() if problems}


def _entries(places: Iterable[Declared]) -> Iterator[tuple[str, str, PredicatePart]]:
    return ((name, declared.place, part) for declared in places for name, part in declared.parts.items())


def _contrary(places: Iterable[Declared]) -> Iterator[str]:
    first: dict[str, tuple[str, PredicatePart]] = {}
    for name, place, part in _entries(places):
        if name not in first:
            first[name] = place, part
            continue
        other, before = first[name]
        for which in ("single_valued", "policy", "says", "denied", "object", "subject"):
            one, two = getattr(before, which), getattr(part, which)
            both = which == "single_valued" or {which} <= before.model_fields_set & part.model_fields_set
            if both and one != two:
                yield f"{place}, predicates.{name}.{which}: is {_shown(two)} here and {_shown(one)} in {other}"
        first[name] = other, _joined(before, part)


def _taken(places: Iterable[Declared]) -> Iterator[str]:
    """Give aliases that are the name, or an alias, of another predicate."""
    entries = list(_entries(places))
    owners = {name: (name, place) for name, place, _ in entries}
    for name, place, part in entries:
        for alias in part.aliases:
            owner, other = owners.setdefault(alias, (name, place))
            if owner != name or alias == name:
                yield f"{place}, predicates.{name}.aliases: {alias!r} is {_owner_in_words(alias, owner)} in {other}"


def _unknown(places: Iterable[Declared]) -> Iterator[str]:
    """Give opposites and ends that are undeclared or do not match."""
    entries = list(_entries(places))
    known = {name: part for name, _, part in entries} | {alias: p for _, _, p in entries for alias in p.aliases}
    guesses = MOST_PROBLEMS if len(known) <= MOST_COMPARED else 0
    for name, place, part in entries:
        for which in ("opposites", "ends"):
            for other in getattr(part, which):
                path = f"{place}, predicates.{name}.{which}"
                if other not in known:
                    yield f"{path}: there is no predicate {other!r}{nearest(other, known) if guesses else ''}"
                    guesses = max(0, guesses - 1)
                elif other == name:
                    yield f"{path}: {other!r} is the predicate itself"
                elif which == "opposites" and (part.single_valued or known[other].single_valued):
                    yield f"{path}: {name} and {other} must both hold many values to be opposites"


def _tied(found: Mapping[str, Predicate]) -> Iterator[Predicate]:
    """Give predicates with canonical names in their opposites and ends, and opposites on both sides."""
    names = {alias: name for name, one in found.items() for alias in (name, *one.aliases)}
    pairs = {(name, names[other]) for name, one in found.items() for other in one.opposites}
    for name, one in found.items():
        opposites = {two for two, three in {*pairs, *((b, a) for a, b in pairs)} if three == name}
        ends = tuple(dict.fromkeys(names[other] for other in one.ends))
        yield replace(one, opposites=tuple(sorted(opposites)), ends=ends)


def _joined(one: PredicatePart, two: PredicatePart) -> PredicatePart:
    fields = {**one.model_dump(exclude_unset=True), **two.model_dump(exclude_unset=True)}
    lists = {which: list(dict.fromkeys([*getattr(one, which), *getattr(two, which)])) for which in LISTS}
    return PredicatePart.model_validate(fields | {which: names for which, names in lists.items() if names})


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _owner_in_words(alias: str, owner: str) -> str:
    return "a predicate of its own" if alias == owner else f"an alias of {owner}"
