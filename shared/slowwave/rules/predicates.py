"""The registry of predicates from files: one file is shared by all packs, and each pack has predicates of its own."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, RootModel, ValidationError

from slowwave.core.predicates import Policy, Predicate, Predicates
from slowwave.core.predicates.registry import Holding
from slowwave.core.predicates.sentences import FIELDS, template_fields
from slowwave.errors import Incorrect
from slowwave.rules.folders import policy_folders
from slowwave.rules.yaml_file import FILE_BYTES, MOST_PROBLEMS, Part, first, parse_yaml, read_model, refusal
from slowwave.validation_messages import nearest

LONGEST_TEMPLATE = 200
"""The maximum number of characters of a sentence template."""
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)]
OpenName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*\*?$", max_length=60)]
Sort = Annotated[str, Field(pattern=r"^[a-z][a-z_]*$", max_length=60)]
"""The sort of an entity, such as a person or a place."""
LISTS = ("aliases", "opposites", "ends", "kinds", "asked")
"""The fields whose values are combined if several places declare the same predicate."""
MOST_COMPARED = 1_000
"""The maximum number of names that are searched for a similar name. Each name costs as much time as a line."""
PREDICATES = "predicates.yaml"
_SECTION = re.compile(r"^predicates:.*?(?=^[^\s#]|\Z)", re.MULTILINE | re.DOTALL)
"""The section of a manifest with predicates: a top-level key, up to the next key. To parse the whole file takes a
hundred times as long.
"""


def _template(text: str) -> str:
    named = template_fields(text)
    if strange := [name for name in named if name not in FIELDS]:
        raise ValueError(f"no such place: {{{strange[0]}}}; there are {', '.join(f'{{{name}}}' for name in FIELDS)}")
    if not any(name.endswith("object") for name in named):
        raise ValueError("expected {object} somewhere in the sentence")
    return text


def _or_empty(value: Any) -> Any:
    """Return an empty declaration for a predicate without fields, and any other value unchanged."""
    return {} if value is None else value


Template = Annotated[str, AfterValidator(_template), Field(max_length=LONGEST_TEMPLATE)]


class PredicatePart(Part):
    """A predicate as a file declares it. An omitted field has its default value, or the value from another file."""

    aliases: list[Name] = Field(default_factory=list)
    single_valued: bool = False
    opposites: list[Name] = Field(default_factory=list)
    ends: list[Name] = Field(default_factory=list)
    kinds: list[Name] = Field(default_factory=list)
    asked: list[Name] = Field(default_factory=list)
    lasts: bool = False
    ahead: bool = False
    policy: Policy = "prefer_surer"
    says: Template | None = None
    denied: Template | None = None
    object: Sort | None = None
    subject: Sort | None = None

    def value(self, name: str) -> Predicate:
        """Return the predicate with this *name*."""
        lists = {field: tuple(getattr(self, field)) for field in LISTS}
        return Predicate(name, **{**self.model_dump(), **lists})


PredicateParts = dict[OpenName, Annotated[PredicatePart, BeforeValidator(_or_empty)]]
"""Predicates by name."""


@dataclass(frozen=True)
class Declared:
    """The predicates that one *place*, a file, declares."""

    place: str
    parts: Mapping[str, PredicatePart] = field(repr=False)


def merged(places: Iterable[Declared]) -> Predicates:
    """Return the merged registry of all *places*. The predicates of these places must not conflict."""
    found: dict[str, PredicatePart] = {}
    for name, _, part in _entries(places):
        found[name] = _joined(found[name], part) if name in found else part
    return Predicates(_tied({name: part.value(name) for name, part in found.items()}))


def disagreements(places: Sequence[Declared]) -> list[str]:
    """Return all conflicts between *places*, and all references to undeclared predicates.

    Each line starts with the file and with the path of the predicate in this file. If another file is involved, the
    line names that file, too.
    """
    return [*_contrary(places), *_taken(places), *_unknown(places)]


def together(packs: Iterable[Sequence[Declared]]) -> list[Declared]:
    """Return the declarations of several packs. The declarations of a shared file occur once."""
    return list({declared.place: declared for places in packs for declared in places}.values())


def disputes(packs: Mapping[str, Sequence[Declared]]) -> dict[str, Incorrect]:
    """Return an error for each pack that conflicts with another pack about a predicate. Each error names both files.

    The last declarations of a pack in *packs* must be those of its own file.
    """
    found = first(disagreements(together(packs.values())))
    by_pack = {name: [one for one in found if places[-1].place in one] for name, places in packs.items()}
    hint = "let both say the same, give one of the predicates another name, or remove one of the packs"
    return {name: refusal(f"rule pack {name!r}", problems, hint=hint) for name, problems in by_pack.items() if problems}


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
    """Give the aliases that are also the name, or an alias, of another predicate."""
    entries = list(_entries(places))
    owners = {name: (name, place) for name, place, _ in entries}
    for name, place, part in entries:
        for alias in part.aliases:
            owner, other = owners.setdefault(alias, (name, place))
            if owner != name or alias == name:
                yield f"{place}, predicates.{name}.aliases: {alias!r} is {_owner_in_words(alias, owner)} in {other}"


def _unknown(places: Iterable[Declared]) -> Iterator[str]:
    """Give the problems of *opposites* and *ends*: undeclared predicates, and predicates that do not fit."""
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
    """Give the predicates, with names in place of the aliases in *opposites* and *ends*.

    Opposites are set on both sides.
    """
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


class _File(RootModel[PredicateParts]):
    """Predicates by name."""


def predicate_files(rules: Path | None = None) -> list[Path]:
    """Return the files of shared predicates: the one beside the folder *rules*, and the shipped one."""
    found = [folder / PREDICATES for folder in policy_folders(rules) if (folder / PREDICATES).is_file()]
    shipped = [folder / PREDICATES for folder in policy_folders()]
    own = [file for file in found if file not in shipped]
    return [*own[:1], *[file for file in found if file in shipped][:1]]


def load_predicates(rules: Path | None = None) -> list[Declared]:
    """Return the shared predicates as their files declare them; an operator's declaration overrides the shipped one.

    Raises `Incorrect` with all problems of the files.
    """
    files, shipped = predicate_files(rules), predicate_files()
    problems: list[str] = []
    declared: list[Declared] = []
    for file in files:
        content, wrong = read_model(file, _File)
        known = {name for one in declared for name in one.parts}
        place = f"{file.parent.name}/{file.name}" if file in shipped else str(file)
        found = content.root if content else {}
        declared.append(Declared(place, {name: part for name, part in found.items() if name not in known}))
        problems += wrong
    problems = problems or first(disagreements(declared))
    if problems:
        raise refusal("the shared predicates", problems, hint=f"fix {' and '.join(map(str, files))}")
    return declared


def brought(manifests: Iterable[Path], shared: Sequence[Declared]) -> list[Declared]:
    """Return the predicates that packs add to the *shared* predicates. Only the *manifests* of the packs are read.

    Unreadable manifests and conflicting predicates are left out. The loading of the packs reports the reason.
    """
    found = list(shared)
    for manifest in manifests:
        declared = Declared(f"{manifest.parent.name}/{manifest.name}", _section(manifest))
        if not disagreements([*found, declared]):
            found.append(declared)
    return found[len(shared) :]


def _section(manifest: Path) -> PredicateParts:
    try:
        with manifest.open("rb") as file:
            section = _SECTION.search(file.read(FILE_BYTES).decode("utf-8", errors="replace"))
    except OSError:
        return {}
    raw, _ = parse_yaml(section[0]) if section else (None, [])
    try:
        return _File.model_validate(raw["predicates"]).root if isinstance(raw, dict) else {}
    except ValidationError:
        return {}


def holdings(places: Mapping[str, Iterable[Declared]]) -> dict[str, Holding]:
    """Return, for each name or alias, whether the predicate is single-valued, and the place that declares it first."""
    found: dict[str, Holding] = {}
    for place, declared in places.items():
        for name, part in ((name, part) for one in declared for name, part in one.parts.items()):
            for each in (name, *part.aliases):
                found.setdefault(each, Holding(part.single_valued, place))
    return found


def places_of(packs: Mapping[str, Sequence[Declared]]) -> dict[str, Sequence[Declared]]:
    """Return the own declarations of *packs* by pack, and all shared declarations under the key `PREDICATES`.

    The last declarations of a pack in *packs* must be the pack's own.
    """
    shared = {one.place: one for declared in packs.values() for one in declared[:-1]}
    own = {name: declared[-1:] for name, declared in packs.items()}
    return {PREDICATES: list(shared.values()), **own} if shared else own
