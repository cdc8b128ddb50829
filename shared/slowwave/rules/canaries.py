"""Canaries: `canaries.yaml` lets a new version of a pack read in a share of the scopes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, RootModel, ValidationError

from slowwave.errors import Incorrect, NotFound
from slowwave.rules.predicates import Declared, disputes
from slowwave.rules.yaml_file import Part, at, lines_of, read_yaml, refusal, within
from slowwave.validation_messages import nearest

if TYPE_CHECKING:
    from slowwave.rules.pack import Pack

CANARIES = "canaries.yaml"


class _CanaryPart(Part):
    folder: str | None = Field(None, min_length=1)
    share: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False, strict=True)]


class _Canaries(RootModel[dict[str, _CanaryPart]]):
    """A canary for each named pack."""


@dataclass(frozen=True, slots=True)
class Canary:
    """A version of a *pack* that reads in a *share* of the scopes in place of the installed version."""

    pack: Pack
    share: float


def canary_folder(path: Path, pack: str, folder: str | None = None) -> Path:
    """Return the folder of a canary that the policy file *path* declares.

    The folder is relative to the folder that has the policies; by default it is `canaries/PACK`.
    """
    return path.parent.parent / (folder or f"canaries/{pack}")


def canary_folders(path: Path | None) -> list[Path]:
    """Return the folders that the file *path* names, as far as the file can be read, to see when they change."""
    raw = {} if path is None else read_yaml(path)[0]
    named = raw if path is not None and isinstance(raw, dict) else {}
    folders = {name: part.get("folder") for name, part in named.items() if isinstance(part, dict)}
    return [
        canary_folder(path, str(name), folder if isinstance(folder, str) else None)
        for name, folder in folders.items()
        if path is not None
    ]


def load_canaries(
    path: Path | None, packs: Mapping[str, Pack], models: Collection[str], *, shared: Sequence[Declared],
    statements: bool,
) -> dict[str, Canary]:  # fmt: skip
    """Return the canaries of the installed *packs* that the file *path* declares. Without a file, there are none.

    *models* are the packs that need a model; they cannot have a canary. *shared* are the shared predicates. Raises
    `Incorrect` with all problems of the file and of the folders that it names.
    """
    if path is None:
        return {}
    raw, found = read_yaml(path)
    problems = within(path.name, found)
    parts: dict[str, _CanaryPart] = {}
    for name, declared in raw.items() if isinstance(raw, dict) and not problems else ():
        problems += _pack_problems(path, name, packs, models)
        try:
            parts |= _Canaries.model_validate({name: declared}).root
        except ValidationError as error:
            problems += lines_of(path.name, error, _Canaries, {name: declared})
    if not isinstance(raw, dict) and not problems:
        problems.append(f"{path.name}: expected a canary for each named pack")
    from slowwave.rules.loading import load_pack

    canaries: dict[str, Canary] = {}
    for name, part in parts.items():
        try:
            pack = load_pack(canary_folder(path, name, part.folder), shared=shared)
        except (Incorrect, NotFound) as error:
            problems.append("\n    ".join(f"{at(path.name, [name, 'folder'])}: {error.message}".splitlines()))
            continue
        pack = _in_own_place(pack)
        if name in packs:
            problems += _wrong_beside(f"{at(path.name, [name])}", pack, packs)
        canaries[name] = Canary(pack if statements else pack.without_statements(), part.share)
    if problems:
        raise refusal(f"the policy {path.name}", problems, hint=f"fix {path}")
    return canaries


def _pack_problems(path: Path, name: object, packs: Mapping[str, Pack], models: Collection[str]) -> list[str]:
    if name in models:
        return [f"{at(path.name, [str(name)])}: needs a model; only a pack of rules can have a canary"]
    known = name in packs
    return [] if known else [f"{at(path.name, [str(name)])}: there is no such rule pack{nearest(str(name), packs)}"]


def _wrong_beside(place: str, canary: Pack, packs: Mapping[str, Pack]) -> list[str]:
    """Return the problems of a *canary* beside the installed version of its pack and beside the other packs."""
    here = packs[canary.pack]
    problems = []
    if canary.version <= here.version:
        problems.append(
            f"{place}: the canary has version {canary.version}, and the installed pack has version {here.version}; "
            "the canary needs a higher one"
        )
    declared = {name: pack.declared for name, pack in packs.items()}
    for error in disputes({**declared, f"{canary.pack}@{canary.version}": canary.declared}).values():
        problems += [f"{place}: {problem}" for problem in error.problems]
    return list(dict.fromkeys(problems))


def _in_own_place(pack: Pack) -> Pack:
    """Return a canary whose declarations name its version, because the installed version declares its own."""
    own = Declared(f"{pack.pack}@{pack.version}/pack.yaml", pack.declared[-1].parts)
    return replace(pack, declared=(*pack.declared[:-1], own))


def declared_with(packs: Iterable[Pack], canaries: Mapping[str, Canary]) -> dict[str, Sequence[Declared]]:
    """Return the declarations of *packs*, and of their *canaries*, each under its name and version."""
    found: dict[str, Sequence[Declared]] = {pack.pack: pack.declared for pack in packs}
    return found | {f"{name}@{one.pack.version}": one.pack.declared for name, one in canaries.items()}
