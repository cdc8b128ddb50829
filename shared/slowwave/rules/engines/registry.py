"""Every engine by name: `clips`, `python`, `rules`, and the engines of installed packages."""

import importlib.util
from collections.abc import Mapping

from slowwave.errors import Incorrect
from slowwave.rules.engines import rules_engine
from slowwave.rules.engines.engine import Engine, Files, SandboxedReader, confined, source_of
from slowwave.rules.pack_schema import CodedPart, OwnPart, PackPart, ProgramPart
from slowwave.runtime.extras import entry_point_names, load_plugin, missing, unknown
from slowwave.sandbox.clips_parser import parsed
from slowwave.sandbox.python_runner import looks_back

GROUP = "slowwave.extractors"
"""The group of entry points by which a package provides engines. An entry point is a function from `Files` to a
`Reader`.
"""


def _python(files: Files[CodedPart]) -> SandboxedReader:
    source = source_of(files.folder / files.manifest.module)
    reader = confined("python", files.manifest, files.manifest.module, source)
    reader.looks_back = looks_back(source)
    return reader


def _clips(files: Files[ProgramPart]) -> SandboxedReader:
    name = files.manifest.program
    source = source_of(files.folder / name)
    program, problems = parsed(name, source)
    if problems:
        raise Incorrect(name, problems=problems)
    if importlib.util.find_spec("clips") is None:
        raise missing("clips")
    return confined("clips", files.manifest, name, source, looks_back=program.looks_back)


ENGINES: Mapping[str, Engine] = {
    "clips": Engine(ProgramPart, _clips, lambda manifest: [manifest.program]),
    "python": Engine(CodedPart, _python, lambda manifest: [manifest.module]),
    "rules": Engine(PackPart, rules_engine.build, again=rules_engine.again),
}
"""Slowwave's own engines. Two of them run a program or a module from the pack's folder; the third applies patterns."""


def engine_named(name: str) -> Engine:
    """Return the engine with this *name*; Slowwave's own engines take precedence.

    Raises `Incorrect` for an unknown name.
    """
    if name in ENGINES:
        return ENGINES[name]
    others = entry_point_names(GROUP)
    if name not in others:
        raise unknown("engine", name, sorted({*ENGINES, *others}))
    return Engine(
        OwnPart,
        lambda files: load_plugin(GROUP, "engine", name, files, does="propose"),
        lambda manifest: manifest.files,
    )
