"""Loads a rule pack from its folder, or rejects the pack with an error that lists every problem."""

import hashlib
import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, Field, ValidationError

from slowwave.core.contradiction import kinds
from slowwave.core.predicates.english import PAST_VERB
from slowwave.errors import Incorrect, NotFound
from slowwave.rules import yaml_file
from slowwave.rules.cases import Case
from slowwave.rules.engines import ENGINES, Engine, Files, Reader, engine_named
from slowwave.rules.pack import Pack
from slowwave.rules.pack_schema import ManifestPart, SharedPart
from slowwave.rules.predicates import Declared, disagreements, load_predicates, merged
from slowwave.rules.regexes import Compiler

MANIFEST, CASES = "pack.yaml", "cases.yaml"
MOST_RULES = 1_000
MOST_CACHED = 16

_FORMER = {"cases": ("told", "episodes"), "rules": ("said", "answered")}
"""The former and the present word of the field that was renamed, by section of a file."""
_LOG = logging.getLogger(__name__)

_last_valid: dict[str, Pack] = {}
"""The packs loaded last, by digest. To read a pack takes half a second; to compare a digest takes almost no time."""
_Model = TypeVar("_Model", bound=BaseModel)
_Case = TypeVar("_Case", bound=Case)
_GROUPS = {
    "breaks": ("cut", "the text between the two parts"),
    "splits": ("cut", "the text between the two parts"),
    "instead": ("wrong", "the denied text"),
}


class CasesPart(yaml_file.Part, Generic[_Case]):
    """The test cases of a pack."""

    cases: list[_Case] = Field(min_length=1)


def load_pack(folder: Path, *, now: datetime | None = None, shared: Sequence[Declared] | None = None) -> Pack:
    """Return the pack in *folder*. If *now* is given, compute the pack's next cron runs after *now*.

    The predicates of the pack are added to the *shared* predicates, by default the predicates that ship with Slowwave.
    Raises `Incorrect` with all problems of all its files, and `NotFound` if there is no such folder.
    """
    if not folder.is_dir():
        raise NotFound(f"there is no rule pack at {folder}", hint="name a folder that holds pack.yaml and cases.yaml")
    shared = tuple(load_predicates() if shared is None else shared)
    pack = _loaded(folder, shared)
    return replace(pack, next_runs=pack.cadence.next_runs(now)) if now else pack


def _loaded(folder: Path, shared: tuple[Declared, ...]) -> Pack:
    """Return the pack from the cache if its files are unchanged; otherwise read the pack."""
    before = _digest_before(folder) or ""
    cached = _last_valid.get(before)
    pack = _with_shared_predicates(cached, folder, shared) if cached and cached.pack == folder.name else None
    if pack is None:
        engine, pack = _read(folder, shared)
        if not engine.again or pack.digest != before:
            return pack
        while len(_last_valid) >= MOST_CACHED:
            _last_valid.pop(next(iter(_last_valid)), None)
    _last_valid[before] = pack
    return pack


def _with_shared_predicates(pack: Pack, folder: Path, shared: tuple[Declared, ...]) -> Pack | None:
    """Return *pack* adapted to other *shared* predicates; None if predicates conflict."""
    if pack.declared[:-1] == shared:
        return replace(pack, folder=folder)
    declared = (*shared, pack.declared[-1])
    again = ENGINES[pack.engine].again
    if again is None or disagreements(declared):
        return None
    predicates = merged(declared)
    return replace(pack, folder=folder, declared=declared, predicates=predicates, reader=again(pack.reader, predicates))


def _digest_before(folder: Path) -> str | None:
    """Return the digest of a pack's manifest and cases, before the pack is read; None if a file cannot be read."""
    try:
        if all((folder / name).stat().st_size <= yaml_file.FILE_BYTES for name in (MANIFEST, CASES)):
            return digest_of(folder, [MANIFEST, CASES])
    except (OSError, Incorrect):
        pass  # the reading of the pack reports the problem
    return None


def _read(folder: Path, shared: tuple[Declared, ...]) -> tuple[Engine, Pack]:
    engine, manifest, problems = _manifest(folder)
    cases, more = read_part(folder / CASES, CasesPart[Case])
    problems = [*problems, *more, *manifest_problems(folder, manifest, shared)]
    if problems or engine is None or manifest is None or cases is None:
        raise pack_refusal(folder, problems)
    declared = (*shared, Declared(f"{folder.name}/{MANIFEST}", manifest.predicates))
    predicates = merged(declared)
    pack = Pack(
        pack=manifest.pack,
        version=manifest.version,
        engine=manifest.engine,
        folder=folder,
        cadence=manifest.cadence,
        declared=declared,
        predicates=predicates,
        cases=tuple(cases.cases),
        digest=digest_of(folder, [MANIFEST, CASES, *engine.reads(manifest)]),
        next_runs=(),
        reader=_built(engine, Files(folder, manifest, predicates)),
        gives_way=manifest.gives_way,
        languages=manifest.languages,
    )
    return engine, pack


def _built(engine: Engine, files: Files[Any]) -> Reader:
    """Return the reader of the engine. Errors about the files become problems of the pack."""
    try:
        return engine.build(files)
    except Incorrect as error:
        problems = error.problems or (f"{MANIFEST}, engine: {error.message}",)
        raise pack_refusal(files.folder, problems, error.hint if not error.problems else None) from error


def manifest_problems(folder: Path, manifest: SharedPart | None, shared: Sequence[Declared]) -> list[str]:
    """Return the problems of a valid *manifest* with its *folder* and with the *shared* predicates."""
    if manifest is None:
        return []
    expected = f"{MANIFEST}, pack: expected {folder.name!r}, the name of its folder, got {manifest.pack!r}"
    conflicts = yaml_file.first(disagreements([*shared, Declared(MANIFEST, manifest.predicates)]))
    return conflicts if manifest.pack == folder.name else [expected, *conflicts]


def pack_refusal(
    folder: Path, problems: Sequence[str], hint: str | None = None, *, kind: str = "rule pack"
) -> Incorrect:
    """Return the error that lists the *problems* of a pack, by default with a hint about its folder."""
    new = yaml_file.renamed_hint(problems)
    fix = f"{new}fix the files under {folder.name}/, then run `slowwave rules check {folder.name}`"
    return yaml_file.refusal(f"{kind} {folder.name!r}", problems, hint=hint or fix)


def _manifest(folder: Path) -> tuple[Engine | None, ManifestPart | None, list[str]]:
    raw, problems = yaml_file.read_yaml(folder / MANIFEST)
    if problems:
        return None, None, yaml_file.within(MANIFEST, problems)
    name = raw.get("engine", "rules") if isinstance(raw, dict) else "rules"
    try:
        engine = engine_named(name) if isinstance(name, str) else ENGINES["rules"]
    except Incorrect as error:
        return None, None, [f"{MANIFEST}, engine: {error.message}"]
    return engine, *_validated(folder / MANIFEST, raw, engine.part)


def read_part(path: Path, model: type[_Model]) -> tuple[_Model | None, list[str]]:
    """Return the content of a pack's file as *model*, and no problems; or None, and all problems of the file."""
    raw, problems = yaml_file.read_yaml(path)
    return (None, yaml_file.within(path.name, problems)) if problems else _validated(path, raw, model)


def _validated(path: Path, raw: Any, model: type[_Model]) -> tuple[_Model | None, list[str]]:
    file, cases = path.name, "cases" in model.model_fields
    if cases and isinstance(raw, list):
        raw = {"cases": raw}
    if not isinstance(raw, dict):
        return None, [f"{file}: expected {'a list of cases' if cases else 'a mapping'}"]
    found = [f"{yaml_file.at(file, yaml_file.written(place, raw))}: {problem}" for place, problem in _across(raw)]
    try:
        value = model.model_validate(raw, context={"compiler": Compiler(_words(raw))})
    except ValidationError as error:
        return None, yaml_file.lines_of(file, error, model, raw, found)
    if found:
        return None, yaml_file.first(found)
    _warn_of_former_words(raw, f"{path.parent.name}/{file}")
    return value, []


def _warn_of_former_words(raw: dict[str, Any], place: str) -> None:
    """Log a warning for each former word in the valid content of the file at *place*, with the present word."""
    for section, (former, present) in _FORMER.items():
        if any(former in part for part in _dicts(raw, section)):
            _LOG.warning("%s: write `%s` for `%s`, the former word", place, present, former)


def _words(raw: dict[str, Any]) -> dict[str, str]:
    words = raw.get("words")
    own = words.items() if isinstance(words, dict) else ()
    known = {"thing_of_a_kind": kinds.NAMES, "past_verb": PAST_VERB}
    return known | {name: word for name, word in own if isinstance(word, str)}


def _across(raw: dict[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Give the problems that involve several parts of a file, even if some of the parts are invalid."""
    if len(_dicts(raw, "rules")) > MOST_RULES:
        yield ("rules",), f"at most {MOST_RULES} rules are allowed"
    for section in ("rules", "guards", "turns"):
        yield from _twice(raw, section, "id")
    yield from _twice(raw, "cases", "it")
    known = {name for part in _dicts(raw, "guards") if isinstance(name := part.get("id"), str)}
    for section, field in (("rules", "despite"), ("turns", "lifts")):
        for number, part in enumerate(_dicts(raw, section)):
            named = part.get(field)
            for name in named if isinstance(named, list) else ():
                if isinstance(name, str) and name not in known:
                    yield (section, number, field), f"no such guard: {yaml_file.shortened(name)}"
    for section, (group, meaning) in _GROUPS.items():
        patterns = raw.get(section)
        for number, pattern in enumerate(patterns if isinstance(patterns, list) else ()):
            if isinstance(pattern, str) and f"(?P<{group}>" not in pattern:
                yield (section, number), f"expected a group named {group}: {meaning}"


def _dicts(raw: dict[str, Any], section: str) -> list[dict[str, Any]]:
    parts = raw.get(section)
    return [part if isinstance(part, dict) else {} for part in parts] if isinstance(parts, list) else []


def _twice(raw: dict[str, Any], section: str, field: str) -> Iterator[tuple[tuple[str | int, ...], str]]:
    known: set[str] = set()
    for number, name in enumerate(part.get(field) for part in _dicts(raw, section)):
        if isinstance(name, str):
            if name in known:
                yield (section, number, field), f"{yaml_file.shortened(name)} is already the name of another one"
            known.add(name)


def digest_of(folder: Path, names: Sequence[str]) -> str:
    """Return a hex digest of a pack's files of these *names*. Raises `Incorrect` if a file has disappeared."""
    content = hashlib.sha256()
    for name in names:
        try:
            data = (folder / name).read_bytes()
        except OSError as error:
            text = "is missing" if isinstance(error, FileNotFoundError) else f"cannot be read: {error.strerror}"
            raise pack_refusal(folder, [f"{name}: {text}"]) from None
        content.update(f"{name} {len(data)}\n".encode() + data)
    return content.hexdigest()
