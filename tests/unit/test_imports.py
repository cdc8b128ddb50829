"""Imports stay light, and missing extras are reported."""

import os
import re
import subprocess
import sys
import tomllib
from email.message import Message
from pathlib import Path

import pytest

from slowwave import errors
from slowwave.cli import COMMANDS
from slowwave.remote.problems import error_of
from slowwave.runtime.extras import EXTRA_OF
from tests.unit.bare import refused, run
from tests.unit.tables import table

ROWS = table(__file__)
HEAVY = set(ROWS["heavy"])


def loaded(code: str) -> set[str]:
    """Return the packages that *code* loads in a fresh interpreter."""
    said = "\nimport sys\nprint(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)"
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code + said], env=here, capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.mark.parametrize(("code", "allowed"), ROWS["an_import_loads_no_heavy_module"])
def test_an_import_loads_no_heavy_module(code: str, allowed: list[str]) -> None:
    found = loaded(code)

    assert "slowwave" in found
    assert found & HEAVY <= set(allowed)


SERVER = "postgresql://slowwave@nowhere.invalid:5432/slowwave"


def test_the_client_of_the_broker_keeps_its_outbox_on_windows(tmp_path: Path) -> None:
    said = run(
        "from slowwave import QueueClient\n"
        f"with QueueClient('redis://127.0.0.1:1/0', outbox={str(tmp_path / 'outbox.db')!r}) as client:\n"
        "    print(client.scope(user='alice').push('I live in Oslo').state)",
        windows=True,
    )
    assert said == "spooled\n"


@pytest.mark.accept
def test_the_library_against_a_server_connects_on_windows() -> None:
    said = run(
        "from slowwave import Episode, Memory\n"
        f"with Memory.connect({SERVER!r}) as memory: print(type(memory.scope(user='alice')).__name__)",
        windows=True,
    )
    assert said == "MemoryScope\n"


def test_settings_load_on_windows() -> None:
    assert run("from slowwave.settings import Settings\nprint(Settings.load().tenant)", windows=True) == "default\n"


@pytest.mark.accept
@pytest.mark.parametrize(
    "code",
    [
        "import slowwave.embedded_services",
        "from slowwave import Memory\nMemory.connect()",
        "from slowwave.cli import cli\ncli(['up'], standalone_mode=False)",
        "from slowwave.cli import cli\ncli(['demo'], standalone_mode=False)",
    ],
)
def test_code_that_needs_embedded_services_is_refused_on_windows(code: str) -> None:
    assert "run on Linux and macOS" in refused(code, windows=True)


EXTRAS = tomllib.loads(Path(__file__, "../../../pyproject.toml").resolve().read_text())["project"][
    "optional-dependencies"
]
IMPORTED = {
    "clipspy": "clips",
    "opentelemetry_exporter_otlp_proto_http": "opentelemetry",
    "opentelemetry_sdk": "opentelemetry",
}
"""The import names of packages that differ from their distribution names."""
EVERY = sorted(EXTRA_OF)


def names(extra: str) -> set[str]:
    """Return the import names of the packages of an extra."""
    packages = (re.split(r"[^\w-]", line)[0].replace("-", "_") for line in EXTRAS[extra])
    return {IMPORTED.get(package, package) for package in packages}


def test_each_optional_package_belongs_to_an_extra_that_installs_it() -> None:
    assert [package for package, extra in EXTRA_OF.items() if package not in names(extra)] == []
    assert set().union(*map(names, EXTRAS.keys() - {"all"})) - {"packaging"} == EXTRA_OF.keys()


def test_the_extra_all_contains_every_extra_except_the_large_ones() -> None:
    assert EXTRAS["all"] == [f"slowwave[{','.join(sorted(EXTRAS.keys() - {'all', 'e5', 'sentences'}))}]"]


@pytest.mark.accept
def test_the_library_is_imported_without_any_extra() -> None:
    assert run("from slowwave import *; print(Memory.__name__, QueueClient.__name__)", absent=EVERY) == (
        "Memory QueueClient\n"
    )


@pytest.mark.accept
@pytest.mark.parametrize(("code", "extra"), ROWS["missing extras"])
def test_a_missing_extra_says_its_name(code: str, extra: str, tmp_path: Path) -> None:
    home = f"import os; os.environ['SLOWWAVE_HOME'] = {str(tmp_path)!r}\n"
    assert f'pip install "slowwave[{extra}]"' in refused(home + code, absent=EVERY)


def test_a_missing_required_package_names_no_extra() -> None:
    said = run(
        "from slowwave.runtime.extras import needed\n"
        "try:\n    with needed(): import sqlalchemy\nexcept ModuleNotFoundError as error: print(error.name)",
        absent=["sqlalchemy"],
    )
    assert said == "sqlalchemy\n"


def test_help_needs_no_extra() -> None:
    assert "dead-letters" in run("from slowwave.cli import main\nmain(['--help'])", absent=EVERY)


@pytest.mark.accept
def test_each_command_exists_without_the_tables_extra() -> None:
    names = "from slowwave.cli import COMMANDS, cli\n"
    code = "for name in COMMANDS: print(cli.get_command(None, name).name)"
    assert len(run(names + code, absent=["rich"]).splitlines()) == len(COMMANDS)


def test_a_former_title_of_a_problem_is_read() -> None:
    assert error_of(401, Message(), b'{"title": "Unauthorised", "detail": "no key"}').__class__ is errors.Unauthorized
