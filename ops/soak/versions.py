"""The code of an earlier version that has the schema of today, to work beside the present one."""

import subprocess
from pathlib import Path

from tests.faults.rig.ground import CHECKOUT

SCHEMA = "shared/slowwave/store/migrations"


def earlier(folder: Path) -> Path | None:
    """Export the first commit with today's schema to *folder*; return None where there is no such other commit."""
    if _git("status", "--porcelain", "--", SCHEMA) != b"":  # not a repository, or the schema is being changed
        return None
    first, last = _git("log", "-1", "--format=%H", "--", SCHEMA), _git("rev-parse", "HEAD")
    if not first or first == last:
        return None
    folder.mkdir()
    archive = _git("archive", first.decode().strip(), "shared", "worker", "scheduler", "rules")
    subprocess.run(["tar", "--extract", "--directory", str(folder)], input=archive, check=True)
    return folder


def of_version(env: dict[str, str], folder: Path) -> dict[str, str]:
    """Return *env* for a process that runs the code in *folder*."""
    return {**env, "PYTHONPATH": f"{folder / 'shared'}:{folder}"}


def _git(*arguments: str) -> bytes | None:
    try:
        done = subprocess.run(["git", "-C", str(CHECKOUT), *arguments], capture_output=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout if done.returncode == 0 else None
