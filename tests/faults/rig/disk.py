"""A disk of a few megabytes that a test can fill: a file system in memory, which only root may mount."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from slowwave import wiring
from slowwave.embedded_services import PostgresServer
from tests.faults.rig.ground import Ground

CHUNK = b"\0" * 65_536
ATTEMPTS = 20


@dataclass(frozen=True)
class Disk:
    """A disk and its folder."""

    folder: Path
    megabytes: int = 0

    def fill(self) -> None:
        """Fill the disk."""
        with self._ballast.open("ab", buffering=0) as file, contextlib.suppress(OSError):
            while file.write(CHUNK):
                pass

    def clear(self) -> None:
        """Release the space that `fill` took."""
        self._ballast.unlink(missing_ok=True)

    def shrink(self) -> None:
        """Fill the disk by shrinking it to the size of its files, which is fast for a disk of any size."""
        for _ in range(ATTEMPTS):
            held = os.statvfs(self.folder)
            if self._resize(f"{(held.f_blocks - held.f_bfree) * held.f_frsize}"):
                return  # otherwise it holds more by now

    def grow(self) -> None:
        """Release the space that `shrink` took."""
        assert self._resize(f"{self.megabytes}m"), "the disk stays full"

    def _resize(self, size: str) -> bool:
        command = ["mount", "-o", f"remount,size={size}", str(self.folder)]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    @property
    def full(self) -> bool:
        """Return whether the disk has no free block."""
        return os.statvfs(self.folder).f_bavail == 0

    @property
    def _ballast(self) -> Path:
        return self.folder / "ballast"


@contextmanager
def disk(folder: Path, *, megabytes: int) -> Iterator[Disk]:
    """Give an empty disk of that size, mounted at *folder*; fail if this account may not mount one."""
    folder.mkdir(parents=True)
    _run("mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0755", "slowwave-faults", str(folder))
    try:
        yield Disk(folder, megabytes)
    finally:
        _run("umount", "--lazy", str(folder))  # the server of a failed test may still use the disk
        folder.rmdir()


@contextmanager
def on_its_own_log(ground: Ground, small: Disk) -> Iterator[Ground]:
    """Give *ground* with a Postgres of its own, whose write-ahead log is on the *small* disk."""
    postgres = PostgresServer(ground.home / "narrow", durable=False)
    postgres.start()
    postgres.stop()
    here, there = postgres.data / "pg_wal", small.folder / "pg_wal"
    owner = here.stat()
    shutil.move(here, there)
    for each in (there, *there.rglob("*")):
        os.chown(each, owner.st_uid, owner.st_gid)
    here.symlink_to(there)
    with postgres:
        wiring.migrate_database(postgres.url("slowwave_owner"))
        yield replace(ground, postgres=postgres)


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"a full disk takes a disk of its own, and root to mount one: {done.stderr}"
