"""Each command of `slowwave --help` has a row in *Commands at a glance*."""

import re
from pathlib import Path

from slowwave.cli import COMMANDS

PAGE = Path(__file__).parents[2] / "ops" / "docs" / "reference" / "glance.md"


def commands_of(page: str) -> set[str]:
    """Return the first words of the commands in the first column of the table of commands."""
    table = page.partition("## The command")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.+?) \|", table, re.MULTILINE)
    spans = [span.removeprefix("slowwave ") for row in rows for span in re.findall(r"`([^`]+)`", row)]
    return {span.split()[0] for span in spans}


def test_each_command_has_a_row() -> None:
    assert sorted(COMMANDS.keys() - commands_of(PAGE.read_text(encoding="utf-8"))) == []


def test_a_row_names_only_existing_commands() -> None:
    assert sorted(commands_of(PAGE.read_text(encoding="utf-8")) - COMMANDS.keys()) == []


def test_a_command_without_a_row_is_found() -> None:
    page = (
        "## The command\n\n| `slowwave up`, `push FILE` | `work` is only mentioned |\n\n## make\n\n| `make` | all |\n"
    )
    assert commands_of(page) == {"up", "push"}
