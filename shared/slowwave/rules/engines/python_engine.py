"""The engine `python`: a Python module in the pack's folder that returns the claims of a window."""

from slowwave.errors import Incorrect
from slowwave.rules.engines.engine import Files
from slowwave.rules.engines.sandboxed_reader import SandboxedReader
from slowwave.rules.engines.source_files import read_text
from slowwave.rules.pack_schema import CodedPart
from slowwave.sandbox import Limits, Sandbox
from slowwave.sandbox.import_contract import looks_back


def build(files: Files[CodedPart]) -> SandboxedReader:
    """Return the reader of a pack's module. Raises `Incorrect` with every problem."""
    name = files.manifest.module
    source = read_text(files.folder / name)
    manifest = files.manifest
    confined = Sandbox("python", {"name": name, "source": source}, Limits(manifest.seconds, manifest.megabytes))
    if problems := confined.problems():
        raise Incorrect(name, problems=problems)
    return SandboxedReader(manifest.pack, manifest.version, confined, looks_back=looks_back(source))
