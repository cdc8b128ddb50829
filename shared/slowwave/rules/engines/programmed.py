"""The engine `clips`: a CLIPS program in the pack's folder that asserts the claims of a window."""

import importlib.util

from slowwave.confined import Confined, Limits
from slowwave.confined.clips_text import parsed
from slowwave.errors import Incorrect
from slowwave.extras import missing
from slowwave.rules.engines.confined_reader import ConfinedReader
from slowwave.rules.engines.engine import Files
from slowwave.rules.engines.texts import read_text
from slowwave.rules.pack_schema import ProgramPart


def build(files: Files[ProgramPart]) -> ConfinedReader:
    """Return the reader of a pack's program. Raises `Incorrect` with every problem."""
    manifest = files.manifest
    name = manifest.program
    source = read_text(files.folder / name)
    program, problems = parsed(name, source)
    if problems:
        raise Incorrect(name, problems=problems)
    if importlib.util.find_spec("clips") is None:
        raise missing("clips")
    confined = Confined("clips", {"name": name, "source": source}, Limits(manifest.seconds, manifest.megabytes))
    if problems := confined.problems():
        raise Incorrect(name, problems=problems)
    return ConfinedReader(manifest.pack, manifest.version, confined, looks_back=program.looks_back)
