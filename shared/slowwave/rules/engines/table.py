"""Every engine by its name: those of Slowwave, and those that installed packages bring."""

from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from slowwave.errors import Incorrect
from slowwave.problems import nearest
from slowwave.rules.engines import coded, patterns, programmed, sentences
from slowwave.rules.engines.engine import Engine, Files, Reader
from slowwave.rules.pack_schema import CodedPart, ManifestPart, OwnPart, PackPart, ProgramPart
from slowwave.rules.problems import shortened

GROUP = "slowwave.extractors"
"""The entry points by which a package brings engines: a name, and a function from `Files` to a `Reader`."""

ENGINES: Mapping[str, Engine] = {
    "clips": Engine(ProgramPart, programmed.build, lambda manifest: [manifest.program]),
    "python": Engine(CodedPart, coded.build, lambda manifest: [manifest.module]),
    "rules": Engine(PackPart, patterns.build),
    "sentences": Engine(ManifestPart, sentences.build),
}


def engine_named(name: str) -> Engine:
    """Return the engine of that *name*; those of Slowwave go before others'. Raises `Incorrect` where there is none."""
    if name in ENGINES:
        return ENGINES[name]
    found = {point.name: point for point in entry_points(group=GROUP)}
    if name not in found:
        known = sorted({*ENGINES, *found})
        raise Incorrect(f"there is no engine {shortened(name)}{nearest(name, known)}", hint=f"there are {known}")
    return Engine(OwnPart, _builder(found[name]), lambda manifest: manifest.files)


def _builder(point: EntryPoint) -> Callable[[Files[Any]], Reader]:
    """A builder that says whose it is where it breaks: it is somebody else's code, which may raise anything."""

    def build(files: Files[Any]) -> Reader:
        package = f"the package {point.dist.name}" if point.dist else point.value
        whose, mend = f"the engine {point.name!r} of {package}", f"mend or update {package}"
        try:
            reader: Reader = point.load()(files)
        except Incorrect:
            raise
        except Exception as error:  # the edge to a package that somebody else wrote
            raise Incorrect(f"{whose} failed with {type(error).__name__}: {error}", hint=mend) from error
        if not callable(getattr(reader, "propose", None)):
            raise Incorrect(f"{whose} gives a {type(reader).__name__}, which has no propose()", hint=mend)
        return reader

    return build
