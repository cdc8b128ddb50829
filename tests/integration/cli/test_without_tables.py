"""Commands where rich is not installed: only what draws a table asks for it."""

import json
from pathlib import Path

import pytest

from slowwave.memory import Memory
from slowwave.memory.verb_group import parts_of
from slowwave.runtime.extras import missing
from tests.integration.command import ALICE
from tests.unit.bare import run

LISTS = {
    "audit", "dead-letters list", "deltas", "facts", "recall jazz --user alice --explain", "runs",
    "schedule list", "scope",
}  # fmt: skip
"""Commands that draw a table of what is there."""
PLAIN = {
    "push {file} --user alice", "push {file} --user alice --dry-run", "recall jazz --user alice", "stats", "status",
    "why {fact}",
}  # fmt: skip
"""Commands that draw none, the quickest of them."""


def told(url: str, home: Path, *commands: str) -> dict[str, str]:
    """Return what each of *commands* says on standard error, in one interpreter without rich."""
    code = f"""
import contextlib, io, json, os, shlex
os.environ.update(SLOWWAVE_URL={url!r}, SLOWWAVE_HOME={str(home)!r})
from slowwave.cli import main
said = {{}}
for command in {commands!r}:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), contextlib.suppress(SystemExit):
        main(shlex.split(command))
    said[command] = err.getvalue()
print(json.dumps(said))
"""
    found: dict[str, str] = json.loads(run(code, absent=["rich"]))
    return found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "one.jsonl"
    path.write_text('{"content": "I like tea."}\n')
    return path


def test_only_commands_that_print_a_table_need_the_cli_extra(
    alice: Memory, url: str, file: Path, tmp_path: Path
) -> None:
    fact = parts_of(alice).records.facts(ALICE)[0].id
    plain = [command.format(file=file, fact=fact) for command in PLAIN]
    programs = [f"{command} --json" for command in [*LISTS, *plain]]

    said = told(url, tmp_path, *plain, *programs, *LISTS)

    asked = {command for command, error in said.items() if "slowwave[cli]" in error}
    assert asked == LISTS
    assert {said[command] for command in LISTS} == {f"{missing('rich')}\n"}
