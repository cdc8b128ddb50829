"""The engine `clips`: a CLIPS program in the pack's folder that asserts the claims of a window."""

import importlib.util

from slowwave.errors import Incorrect
from slowwave.rules.engines.engine import Files, SandboxedReader, confined, source_of
from slowwave.rules.pack_schema import ProgramPart
from slowwave.runtime.extras import missing
from slowwave.sandbox.clips_parser import parsed


def build(files: Files[ProgramPart]) -> SandboxedReader:
    """Return the reader of a pack's program. Raises `Incorrect` with every problem."""
    name = files.manifest.program
    source = source_of(files.folder / name)
    program, problems = parsed(name, source)
    if problems:
        raise Incorrect(name, problems=problems)
    if importlib.util.find_spec("clips") is None:
        raise missing("clips")
    return confined("clips", files.manifest, name, source, looks_back=program.looks_back)
