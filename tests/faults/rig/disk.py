"""A disk of a few megabytes that can be filled to the last byte: a file system in memory, which only root may mount."""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

CHUNK = b"\0" * 65_536


@dataclass(frozen=True)
class Disk:
    """A disk and its folder."""

    folder: Path

    def fill(self) -> None:
        """Leave no room on it."""
        with self._ballast.open("ab", buffering=0) as file, contextlib.suppress(OSError):
            while file.write(CHUNK):
                pass

    def clear(self) -> None:
        """Give back the room that `fill` took."""
        self._ballast.unlink(missing_ok=True)

    @property
    def full(self) -> bool:
        """Whether not a block is left."""
        return os.statvfs(self.folder).f_bavail == 0

    @property
    def _ballast(self) -> Path:
        return self.folder / "ballast"


@contextmanager
def disk(folder: Path, *, megabytes: int) -> Iterator[Disk]:
    """Give an empty disk of that size, mounted at *folder*; the test fails where nobody may mount one."""
    folder.mkdir(parents=True)
    _run("mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0755", "slowwave-faults", str(folder))
    try:
        yield Disk(folder)
    finally:
        _run("umount", "--lazy", str(folder))  # a server whose test has failed may still be at work there
        folder.rmdir()


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"a full disk takes a disk of its own, and root to mount one: {done.stderr}"
