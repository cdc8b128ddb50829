"""The engine `python`: a Python module in the pack's folder that returns the claims of a window."""

from slowwave.rules.engines.engine import Files, SandboxedReader, confined, source_of
from slowwave.rules.pack_schema import CodedPart
from slowwave.sandbox.python_runner import looks_back


def build(files: Files[CodedPart]) -> SandboxedReader:
    """Return the reader of a pack's module. Raises `Incorrect` with every problem."""
    source = source_of(files.folder / files.manifest.module)
    reader = confined("python", files.manifest, files.manifest.module, source)
    reader.looks_back = looks_back(source)
    return reader
