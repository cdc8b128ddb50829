"""The wheel contains the whole library that an agent imports."""

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel() -> Iterator[Path]:
    """The built wheel."""
    with tempfile.TemporaryDirectory(prefix="slowwave-wheel-") as folder:
        build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
        subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
        (built,) = Path(folder).glob("*.whl")
        yield built


@pytest.fixture(scope="module")
def installed(wheel: Path) -> Iterator[Path]:
    """A folder with nothing but the wheel in it, readable by every user."""
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="slowwave-installed-") as folder:
        Path(folder).chmod(0o755)
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        yield Path(folder)


def run(installed: Path, code: str, **environment: str) -> str:
    """Return the output of *code* in a process that can import only the wheel and its dependencies."""
    path = f"import sys; sys.path[:0] = [{str(installed)!r}]; sys.path[1:1] = [{sysconfig.get_paths()['purelib']!r}]\n"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", path + code],
        cwd=installed.parent,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_contains_no_other_top_level_name(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        tops = {name.partition("/")[0] for name in archive.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"slowwave"}


def test_the_wheel_carries_packs_weights_sample_and_migrations(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    for needed in (
        "slowwave/content/packs/everyday/pack.yaml",
        "slowwave/content/packs/everyday/cases.yaml",
        "slowwave/content/policies/cadences.yaml",
        "slowwave/inference/static_minilm/model.safetensors.gz",
        "slowwave/inference/static_minilm/NOTICE",
        "slowwave/samples/days.jsonl",
        "slowwave/store/migrations/versions/0001_schema/01_basics.sql",
        "slowwave/store/statements.json.gz",
        "slowwave/embedded_services/bootstrap.sql",
        "slowwave/embedded_services/alone.sql",
        "slowwave/py.typed",
    ):
        assert needed in names


def test_the_wheel_alone_shows_its_help(installed: Path) -> None:
    printed = run(installed, "import slowwave.cli; print(slowwave.__file__); slowwave.cli.main(['--help'])")
    assert str(installed / "slowwave" / "__init__.py") in printed
    assert "dead-letters" in printed


@pytest.mark.accept
def test_the_wheel_alone_stores_and_recalls(installed: Path) -> None:
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="slowwave-wheel-home-") as home:
        Path(home).chmod(0o755)
        printed = run(
            installed,
            "from slowwave import Memory\n"
            "with Memory.connect() as memory:\n"
            "    scope = memory.scope(user='alice')\n"
            "    print(scope.push('I live in Oslo').state)\n"
            "    scope.consolidate()\n"
            "    print([fact.text for fact in scope.facts()])\n",
            SLOWWAVE_HOME=f"{home}/memory",
        )
    assert printed.splitlines() == ["stored", "['The user lives in Oslo']"]


def test_up_from_the_wheel_alone_names_what_is_missing(installed: Path) -> None:
    printed = run(
        installed,
        "import slowwave.cli, contextlib, io\n"
        "said = io.StringIO()\n"
        "with contextlib.redirect_stderr(said):\n"
        "    try: slowwave.cli.main(['up'])\n"
        "    except SystemExit as stop: print('exit', stop.code)\n"
        "print(said.getvalue())\n",
    )
    assert "exit 1" in printed
    assert "only the library is installed" in printed
    assert "slowwave work" in printed


PACKAGES, MEGABYTES = 30, 170
"""The maximum packages and megabytes of an installation without extras, measured by `du` of site-packages."""


@pytest.fixture(scope="module")
def library(wheel: Path) -> Iterator[Path]:
    """A Python in which pip has installed the wheel and what it asks for, no extra."""
    with tempfile.TemporaryDirectory(prefix="slowwave-library-") as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = Path(folder, "bin", "python")
        subprocess.run([python, "-m", "pip", "install", "--quiet", str(wheel)], check=True)
        yield python


@pytest.mark.accept
@pytest.mark.timeout(600)
def test_the_client_installation_is_small(library: Path) -> None:
    listed = subprocess.run([library, "-m", "pip", "list", "--format=json"], check=True, capture_output=True).stdout
    subprocess.run([library, "-m", "pip", "uninstall", "--quiet", "--yes", "setuptools", "pip"], check=True)
    (site,) = library.parents[1].glob("lib/python*/site-packages")
    used = int(subprocess.run(["du", "-sm", site], check=True, capture_output=True).stdout.split()[0])

    packages = {entry["name"] for entry in json.loads(listed)} - {"pip", "setuptools"}
    assert "slowwave" in packages
    assert len(packages) <= PACKAGES, sorted(packages)
    assert used <= MEGABYTES
    assert f"rules; {len(packages)} packages |" in (ROOT / "ops/docs/reference/installation.md").read_text()
    print(f"{len(packages)} packages, {used} MB")


@pytest.mark.accept
@pytest.mark.parametrize(
    ("code", "extra"),
    [
        ("from slowwave import Memory; Memory.connect()", "embedded"),
        (
            "from slowwave.cli.printing import table\n"
            "from slowwave.runtime.extras import needed\nwith needed(): table('a')",
            "cli",
        ),
        ("import slowwave.celery_app", "worker"),
        ("from slowwave.runtime.extras import needed\nwith needed(): import slowwave.core.tool_paths", "graph"),
    ],
)
def test_an_installation_without_an_extra_says_its_name(library: Path, code: str, extra: str) -> None:
    done = subprocess.run([library, "-I", "-c", code], capture_output=True, text=True)

    assert "slowwave.errors.Incorrect" in done.stderr
    assert f'pip install "slowwave[{extra}]"' in done.stderr
