"""`predicates.yaml`: the predicates shared by all packs; an operator's file overrides the shipped one."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic import RootModel, ValidationError

from slowwave.rules.policies import policy_folders
from slowwave.rules.predicates.merging import Declared, disagreements
from slowwave.rules.predicates.schema import PredicateParts
from slowwave.rules.problems import first, lines_of, refusal, within
from slowwave.rules.yaml_file import FILE_BYTES, parse_yaml, read_yaml

PREDICATES = "predicates.yaml"


_SECTION = re.compile(r"^predicates:.*?(?=^[^\s#]|\Z)", re.MULTILINE | re.DOTALL)
"""The predicates of a manifest: a top-level key, up to the next. Parsing the whole file takes a hundred times as
long."""


class _File(RootModel[PredicateParts]):
    """Predicates by name."""


def predicate_files(rules: Path | None = None) -> list[Path]:
    """Return the files of shared predicates: the one beside the packs of *rules*, and the shipped one."""
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
        found, wrong = _read(file)
        said = {name for one in declared for name in one.parts}
        place = f"{file.parent.name}/{file.name}" if file in shipped else str(file)
        declared.append(Declared(place, {name: part for name, part in found.items() if name not in said}))
        problems += wrong
    problems = problems or first(disagreements(declared))
    if problems:
        raise refusal("the shared predicates", problems, hint=f"fix {_all(files)}")
    return declared


def brought(manifests: Iterable[Path], shared: Sequence[Declared]) -> list[Declared]:
    """Return the predicates that packs add to the *shared* ones, from their *manifests* alone.

    Unreadable or conflicting ones are left out: loading the packs reports the reason.
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


def _read(file: Path) -> tuple[PredicateParts, list[str]]:
    raw, problems = read_yaml(file)
    if problems:
        return {}, within(file.name, problems)
    try:
        return _File.model_validate(raw).root, []
    except ValidationError as error:
        return {}, lines_of(file.name, error, _File, raw)


def _all(files: Sequence[Path]) -> str:
    return " and ".join(map(str, files))
