"""Every engine by name: Slowwave's own, and those of installed packages."""

from collections.abc import Mapping

from slowwave.plugins import brought, made, unknown
from slowwave.rules.engines import coded, patterns, programmed
from slowwave.rules.engines.engine import Engine
from slowwave.rules.pack_schema import CodedPart, OwnPart, PackPart, ProgramPart

GROUP = "slowwave.extractors"
"""The entry points by which a package provides engines: a name, and a function from `Files` to a `Reader`."""

ENGINES: Mapping[str, Engine] = {
    "clips": Engine(ProgramPart, programmed.build, lambda manifest: [manifest.program]),
    "python": Engine(CodedPart, coded.build, lambda manifest: [manifest.module]),
    "rules": Engine(PackPart, patterns.build, again=patterns.again),
}


def engine_named(name: str) -> Engine:
    """Return the engine of that *name*; Slowwave's own come first. Raises `Incorrect` if there is none."""
    if name in ENGINES:
        return ENGINES[name]
    others = brought(GROUP)
    if name not in others:
        raise unknown("engine", name, sorted({*ENGINES, *others}))
    return Engine(
        OwnPart,
        lambda files: made(GROUP, "engine", name, files, does="propose"),
        lambda manifest: manifest.files,
    )
