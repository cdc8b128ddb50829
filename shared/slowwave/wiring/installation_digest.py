"""The digest of an installation: it changes when packs, settings, code or policies may have changed."""

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from slowwave.rules.folders import default_roots
from slowwave.settings import Settings

_PACKAGE = Path(__file__).resolve().parent.parent


def installed(settings: Settings) -> bytes:
    """Return the SHA-256 over *settings*, without secrets, and over the sizes and times of all files they refer to.

    No file is read, so this takes milliseconds. Files without permission are left out, as they cannot be read anyway.
    """
    said = settings.model_dump(exclude={"tenant"})
    digest = hashlib.sha256(f"{sys.version} {said}".encode("utf-8", "surrogateescape"))
    for root in dict.fromkeys([settings.rules, *(folder.parent for folder in default_roots()), _PACKAGE]):
        for line in _files(root) if root else ():
            digest.update(line.encode("utf-8", "surrogateescape"))
    return digest.digest()


def _files(root: Path | str) -> Iterator[str]:
    """Give the path, size and time of every file under *root*, one line each, in a fixed order."""
    with suppress(OSError), os.scandir(root) as found:
        for entry in sorted(found, key=lambda entry: entry.name):
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _files(entry.path)
            else:
                with suppress(OSError):
                    stat = entry.stat()
                    yield f"{entry.path} {stat.st_size} {stat.st_mtime_ns}\n"
