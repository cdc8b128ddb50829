"""The engine `python`: a Python module in the pack's folder that returns the claims of a window."""

from slowwave.confined import Confined, Limits
from slowwave.confined.contract import looks_back
from slowwave.errors import Incorrect
from slowwave.rules.engines.confined_reader import ConfinedReader
from slowwave.rules.engines.engine import Files
from slowwave.rules.engines.texts import read_text
from slowwave.rules.pack_schema import CodedPart


def build(files: Files[CodedPart]) -> ConfinedReader:
    """Return the reader of a pack's module. Raises `Incorrect` with every problem."""
    name = files.manifest.module
    source = read_text(files.folder / name)
    manifest = files.manifest
    confined = Confined("python", {"name": name, "source": source}, Limits(manifest.seconds, manifest.megabytes))
    if problems := confined.problems():
        raise Incorrect(name, problems=problems)
    return ConfinedReader(manifest.pack, manifest.version, confined, looks_back=looks_back(source))
