"""The pack that a command names: an installed one, or a folder."""

from dataclasses import replace
from pathlib import Path

from slowwave.errors import NotFound
from slowwave.rules import Pack, load_pack
from slowwave.rules.folders import find_folders_in_force, find_folders_to_add, find_reader_folders, needs_model
from slowwave.rules.model_packs.loading import load_reader
from slowwave.rules.model_packs.pack import ReaderPack
from slowwave.rules.predicates import Declared, load_predicates
from slowwave.wiring import Parts
from slowwave.wiring.model_client import model_of
from slowwave.wiring.packs import protocol_name

AnyPack = Pack | ReaderPack


def installed(rules: Path | None) -> dict[str, Path]:
    """Return the folders of all installed packs, by name."""
    return {**find_folders_in_force(rules), **find_reader_folders([rules] if rules else [])}


def folder_of(pack: str, known: dict[str, Path]) -> Path:
    """Return the folder of *pack*, which is a folder, or the name of a *known* or optional pack. Raises `NotFound`."""
    known = {**find_folders_to_add(), **known}
    if pack in known:
        return known[pack]
    if Path(pack).is_dir():
        return Path(pack).resolve()
    raise NotFound(f"there is no rule pack {pack!r}", hint=f"packs here: {', '.join(sorted(known)) or 'none'}")


def loaded(folder: Path, shared: list[Declared]) -> AnyPack:
    """Return the pack in *folder*. Raises `Incorrect` with all problems of the pack."""
    return load_reader(folder, shared=shared) if needs_model(folder) else load_pack(folder, shared=shared)


def named(pack: str, rules: Path | None) -> AnyPack:
    """Return the named pack, ready for a trial. Raises `NotFound` and `Incorrect`."""
    return loaded(folder_of(pack, installed(rules)), load_predicates(rules))


def for_model(pack: AnyPack, parts: Parts) -> AnyPack:
    """Return *pack* with the configured model, whose name is part of the keys of its requests."""
    name = model_of(parts.settings, parts.lifecycle.extraction_model)
    return replace(pack, model=protocol_name(name)) if name and isinstance(pack, ReaderPack) else pack
