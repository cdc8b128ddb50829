"""The wheel is the library an agent imports, and all of it."""

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
    """What *code* prints where only the wheel and its dependencies can be imported."""
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
        "slowwave/inference/static_minilm/model.safetensors",
        "slowwave/inference/static_minilm/NOTICE",
        "slowwave/samples/days.jsonl",
        "slowwave/store/migrations/versions/0001_spine.sql",
        "slowwave/store/inbox/store.sql",
        "slowwave/embedded/bootstrap.sql",
        "slowwave/py.typed",
    ):
        assert needed in names


def test_the_wheel_alone_shows_its_help(installed: Path) -> None:
    printed = run(installed, "import slowwave.cli; print(slowwave.__file__); slowwave.cli.main(['--help'])")
    assert str(installed / "slowwave" / "__init__.py") in printed
    assert "dead-letters" in printed


def test_the_wheel_alone_remembers(installed: Path) -> None:
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
    assert printed.splitlines() == ["stored", "['user lives in Oslo']"]


def test_up_from_the_wheel_alone_says_what_it_needs(installed: Path) -> None:
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
    assert "slowwave work" in printed
