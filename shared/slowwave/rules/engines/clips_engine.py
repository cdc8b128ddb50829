"""The engine `clips`: a CLIPS program in the pack's folder that asserts the claims of a window."""

import importlib.util

from slowwave.errors import Incorrect
from slowwave.rules.engines.engine import Files
from slowwave.rules.engines.sandboxed_reader import SandboxedReader
from slowwave.rules.engines.source_files import read_text
from slowwave.rules.pack_schema import ProgramPart
from slowwave.runtime.extras import missing
from slowwave.sandbox import Limits, Sandbox
from slowwave.sandbox.clips_parser import parsed


def build(files: Files[ProgramPart]) -> SandboxedReader:
    """Return the reader of a pack's program. Raises `Incorrect` with every problem."""
    manifest = files.manifest
    name = manifest.program
    source = read_text(files.folder / name)
    program, problems = parsed(name, source)
    if problems:
        raise Incorrect(name, problems=problems)
    if importlib.util.find_spec("clips") is None:
        raise missing("clips")
    confined = Sandbox("clips", {"name": name, "source": source}, Limits(manifest.seconds, manifest.megabytes))
    if problems := confined.problems():
        raise Incorrect(name, problems=problems)
    return SandboxedReader(manifest.pack, manifest.version, confined, looks_back=program.looks_back)
