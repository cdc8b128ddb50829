"""Every engine by name: Slowwave's own, and those of installed packages."""

from collections.abc import Mapping

from slowwave.rules.engines import clips_engine, python_engine, rules_engine
from slowwave.rules.engines.engine import Engine
from slowwave.rules.pack_schema import CodedPart, OwnPart, PackPart, ProgramPart
from slowwave.runtime.extras import entry_point_names, load_plugin, unknown

GROUP = "slowwave.extractors"
"""The entry points by which a package provides engines: a name, and a function from `Files` to a `Reader`."""

ENGINES: Mapping[str, Engine] = {
    "clips": Engine(ProgramPart, clips_engine.build, lambda manifest: [manifest.program]),
    "python": Engine(CodedPart, python_engine.build, lambda manifest: [manifest.module]),
    "rules": Engine(PackPart, rules_engine.build, again=rules_engine.again),
}


def engine_named(name: str) -> Engine:
    """Return the engine of that *name*; Slowwave's own come first. Raises `Incorrect` if there is none."""
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
