"""Each recipe of the contributors' page, carried out in a copy of the checkout, gives code that the checks accept."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "ops" / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCK = re.compile(r'^```(?P<language>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<text>.*?)^```$', re.MULTILINE | re.DOTALL)
LINT = ("shared", "worker", "scheduler", "rules", "tests")
NEEDED = (
    "pyproject.toml",
    "docker-compose.yml",
    "README.md",
    "Makefile",
    "CHANGELOG.md",
    "LICENSE",
    "requirements.lock",
)

pytestmark = [pytest.mark.accept, pytest.mark.timeout(600)]


def recipes(page: str) -> dict[str, str]:
    """Return the text of each recipe by its heading."""
    told = page.partition("\n## Recipes\n")[2].partition("\n## ")[0]
    _, *parts = re.split(r"^### (.+)$", told, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


RECIPES = recipes(PAGE)


def changed(text: str, change: str) -> str:
    """Return *text* after *change*: hunks of lines that stay, go and come; each must fit in exactly one place."""
    for hunk in re.split(r"^@@\n", change, flags=re.MULTILINE):
        lines = [line or " " for line in hunk.splitlines()]
        assert all(line[0] in " +-" for line in lines), hunk
        before = "".join(f"{line[1:]}\n" for line in lines if line[0] != "+")
        after = "".join(f"{line[1:]}\n" for line in lines if line[0] != "-")
        assert text.count(f"\n{before}") == 1, f"{text.count(before)} places fit:\n{before}"
        text = text.replace(f"\n{before}", f"\n{after}")
    return text


def carry_out(recipe: str, checkout: Path) -> tuple[list[Path], list[str]]:
    """Write and change the files of a *recipe*; return them, and the commands that it tells to run."""
    files, commands = [], []
    for block in BLOCK.finditer(recipe):
        language, title, text = block["language"], block["title"], block["text"]
        if language == "console":
            commands += [line.removeprefix("$ ") for line in text.splitlines()]
        elif title:
            file = checkout / title
            if language == "diff":
                file.write_text(changed(file.read_text(encoding="utf-8"), text), encoding="utf-8")
            else:
                assert not file.exists(), file
                file.write_text(text, encoding="utf-8")
            files.append(file)
    return files, commands


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of this checkout in which a recipe may be carried out."""
    for folder in (*LINT, "ops"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    for name in NEEDED:
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.fixture
def environment(checkout: Path) -> Mapping[str, str]:
    """An environment in which Python imports the copy, and the embedded services have a home of their own."""
    others = {name: value for name, value in os.environ.items() if not name.startswith(("SLOWWAVE_", "PYTEST_"))}
    return {
        **others,
        "PATH": f"{Path(sys.executable).parent}:{others['PATH']}",
        "PYTHONPATH": f"{checkout / 'shared'}:{checkout}",
        "SLOWWAVE_HOME": str(checkout / "home"),
        "NO_COLOR": "1",
    }


def run(command: str, checkout: Path, environment: Mapping[str, str]) -> None:
    command = re.sub(r"^slowwave ", "python -m slowwave.cli ", command)
    done = subprocess.run(
        ["bash", "-c", command], cwd=checkout, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"


@pytest.mark.parametrize("name", RECIPES)
def test_the_commands_of_each_recipe_succeed(name: str, checkout: Path, environment: Mapping[str, str]) -> None:
    files, commands = carry_out(RECIPES[name], checkout)

    assert len(files) >= 2
    assert commands
    for command in commands:
        run(command, checkout, environment)


def test_the_code_of_all_recipes_passes_the_checks(checkout: Path, environment: Mapping[str, str]) -> None:
    written = {
        str(file.relative_to(checkout)) for recipe in RECIPES.values() for file in carry_out(recipe, checkout)[0]
    }
    python = " ".join(sorted(file for file in written if file.endswith(".py")))
    statements = " ".join(sorted(file for file in written if file.endswith(".sql")))

    for command in (
        f"ruff format --check {python}",
        f"ruff check {python}",
        f"mypy {python}",
        f"sqruff lint {statements}",
        "lint-imports --no-logo",
        "python -m pytest -q tests/architecture/test_shape.py tests/architecture/test_sentences.py",
    ):
        run(command, checkout, environment)


def test_the_page_has_the_expected_recipes() -> None:
    asked = ("predicate and its rule", "embedder", "adapter", "command, or an option", "job")
    assert [words for words in asked if not any(words in name for name in RECIPES)] == []


def test_a_recipe_whose_change_does_not_apply_once_is_found() -> None:
    text = "\none\ntwo\none\n"

    assert changed(text, " two\n+three\n") == "\none\ntwo\nthree\none\n"
    for wrong in (" four\n+three\n", " one\n+three\n"):
        with pytest.raises(AssertionError, match="places fit"):
            changed(text, wrong)


def test_a_recipe_that_breaks_a_contract_is_found(checkout: Path, environment: Mapping[str, str]) -> None:
    planted = '```python title="shared/slowwave/core/planted.py"\n"""A planted fact."""\n\nimport slowwave.store\n```\n'
    carry_out(planted, checkout)

    with pytest.raises(AssertionError, match="lint-imports"):
        run("lint-imports --no-logo", checkout, environment)
