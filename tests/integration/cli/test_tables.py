"""Output of the command: tables, plain lines without rich, and problems in terms of the shell."""

import json
from pathlib import Path

import pytest

from slowwave import cli, wiring
from slowwave.domain.dead_letter import Refused
from slowwave.domain.episode import Episode
from slowwave.domain.message import IngestMessage
from slowwave.errors import Incorrect
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of
from slowwave.runtime.extras import missing
from tests.integration.command import ALICE, Run, of_alice
from tests.integration.steps import work_off
from tests.unit.bare import run

GROUPS = {
    "schedule": ["everyday/count"], "dead-letters": ["No, I meant chess."], "archive": ["no conversation is archived"],
    "db": ["at revision "],
}  # fmt: skip


@pytest.mark.parametrize("group", GROUPS)
def test_a_command_group_without_a_subcommand_lists_its_items(run: Run, alice: Memory, group: str) -> None:
    said = run(group)
    assert (said.status, said.err) == (0, "")
    assert all(text in said.out for text in GROUPS[group])
    assert "Usage:" not in said.out
    assert "Usage:" in run(group, "--help").out


def test_a_group_alone_takes_the_options_of_its_list(run: Run, alice: Memory) -> None:
    assert [letter["category"] for letter in run("dead-letters", "--json").json] == ["conflict"]
    assert run("dead-letters", "--tenant", "other").out == "there are no open dead letters\n"
    assert "No such command 'lst'" in run("dead-letters", "lst").err


@pytest.mark.parametrize("command", ["facts", "runs", "dead-letters", "schedule", "audit"])
def test_a_table_has_no_outer_blank_lines_and_no_trailing_spaces(run: Run, alice: Memory, command: str) -> None:
    printed = run(command).out.removesuffix("\n").split("\n")
    assert len(printed) > 2
    assert printed[0].strip()
    assert printed[-1].strip()
    assert [line for line in printed if line != line.rstrip()] == []


def test_facts_show_the_column_until_only_if_a_fact_has_an_end(run: Run, alice: Memory) -> None:
    now, ever = run("facts").out, run("facts", "--all").out
    assert "until" not in now
    assert [ever.splitlines()[0].split()[index] for index in (4, 5)] == ["since", "until"]


def test_facts_show_given_keys_and_no_generated_keys(run: Run, parts: wiring.Parts) -> None:
    texts = [Episode(content="I live in Oslo.", key="mon-1"), Episode(content="I love jazz.", session="tea")]
    work_off(parts, ALICE, [*texts, "I work at Equinor."])

    printed = {" ".join(line.split()[2:5]): line.split()[5:] for line in run("facts").out.splitlines()[3:]}
    where = {words: rest[2:-1] for words, rest in printed.items()}
    assert where == {"lives in Oslo": ["mon-1"], "likes jazz 0.95": [], "works at Equinor": []}


def test_recall_and_why_show_given_keys_and_no_generated_keys(run: Run, parts: wiring.Parts) -> None:
    texts = [Episode(content="I live in Oslo.", key="mon-1", session="s"), Episode(content="I love jazz.")]
    facts = of_alice(work_off(parts, ALICE, texts)).facts()
    drawn = {source.key for fact in facts for source in fact.sources} - {"mon-1"}
    recalled = run("recall", "What music does she love, where does she live?", "--user", "alice").out
    reasons = "".join(run("why", str(fact.id)).out for fact in facts)

    assert len(drawn) == 1
    for said in (recalled, reasons):
        assert "mon-1" in said
        assert "jazz" in said
        assert not any(key in said for key in drawn)


def test_a_small_positive_score_is_not_printed_as_zero(run: Run, parts: wiring.Parts) -> None:
    parts.push(ALICE, [Episode(content=f"I bought {number} apples.") for number in range(9)])
    found = run("recall", "zebra quagga", "--user", "alice", "--json").json
    printed = run("recall", "zebra quagga", "--user", "alice").out.splitlines()[::2]
    assert len(printed) == len(found) > 0
    assert all(0 < answer["score"] < 0.0005 for answer in found)
    assert {line.split()[0] for line in printed} == {"<.001"}


def test_a_dead_letter_counts_how_often_its_item_arrived(run: Run, parts: wiring.Parts) -> None:
    garbage, other = ({"queue": "slowwave", "bytes": 4, "begins": text} for text in ("oops", "hmpf"))
    for batch in ([garbage], [garbage, other, garbage], [garbage]):
        parts.inbox.bury([Refused(item, "malformed", "is not JSON") for item in batch], scope="default")

    letters = run("dead-letters", "--json").json
    assert [(letter["item"]["begins"], letter["seen"]) for letter in letters] == [("oops", 4), ("hmpf", 1)]
    assert [line.split()[5] for line in run("dead-letters").out.splitlines()[2:]] == ["4", "1"]

    parts.records.mark("default", [letters[0]["letter"]], "dropped")
    parts.inbox.bury([Refused(garbage, "malformed", "is not JSON")], scope="default")
    assert [letter["seen"] for letter in run("dead-letters", "list", "--all", "--json").json] == [4, 1, 1]


def test_the_list_prints_the_reason_of_a_dead_letter_on_one_line(run: Run, parts: wiring.Parts) -> None:
    message = {"user": "alice", "agent": "concierge", "channel": "home", "episodes": [{"content": "", "role": "bad"}]}
    reason = "episode has 2 problems:\n  - role:   Input should be 'user'\n  - content: is empty"
    parts.inbox.bury([Refused(message, "malformed", reason)], scope="default")

    listed = " ".join(run("dead-letters").out.split())
    again = run("dead-letters", "retry", "1").err

    assert "problems: - role" not in listed
    assert "episode has 2 problems: role:" in listed
    assert [line.lstrip()[:2] for line in again.splitlines()[1:]] == ["- ", "hi"]


def test_why_names_the_replaced_and_the_replacing_fact(run: Run, parts: wiring.Parts, alice: Memory) -> None:
    scope = of_alice(alice)
    (now,) = (fact for fact in scope.facts() if fact.predicate == "lives_in")
    (step,) = scope.why(now.id).steps
    (before,) = step.replaces
    (version,) = (pack.version for pack in parts.packs if pack.pack == "everyday")
    rule = f"everyday/lives-in@{version}"
    assert (before.text, before.rule) == ("The user lives in Lisbon", rule)
    assert before.recorded < step.recorded

    new, old = run("why", str(now.id)).out, run("why", str(before.fact)).out

    assert f"    replaces: The user lives in Lisbon  ({before.fact})\n" in new
    assert f"by {rule}\n" in new
    assert f"    new text: The user lives in Oslo  ({now.id})\n" in old
    assert run("why", str(now.id), "--json").json["steps"][0]["replaces"][0]["text"] == "The user lives in Lisbon"


LISTS = {
    "audit", "dead-letters list", "deltas", "facts", "recall jazz --user alice --explain", "runs",
    "schedule list", "scope",
}  # fmt: skip
"""Commands that print a table."""
PLAIN = {
    "push {file} --user alice", "push {file} --user alice --dry-run", "recall jazz --user alice", "stats", "status",
    "why {fact}",
}  # fmt: skip
"""Fast commands that print no table."""


def told(url: str, home: Path, *commands: str) -> dict[str, str]:
    """Return the standard error of each of *commands*, run in one interpreter without rich."""
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


def test_only_commands_with_a_table_need_the_cli_extra(alice: Memory, url: str, file: Path, tmp_path: Path) -> None:
    fact = parts_of(alice).records.facts(ALICE)[0].id
    plain = [command.format(file=file, fact=fact) for command in PLAIN]
    programs = [f"{command} --json" for command in [*LISTS, *plain]]

    said = told(url, tmp_path, *plain, *programs, *LISTS)

    asked = {command for command, error in said.items() if "slowwave[cli]" in error}
    assert asked == LISTS
    assert {said[command] for command in LISTS} == {f"{missing('rich')}\n"}


def test_an_invalid_client_name_is_explained_in_words() -> None:
    with pytest.raises(Incorrect) as caught:
        IngestMessage.read({"user": "alice", "episodes": [{}], "client": "a b"})

    assert caught.value.problems == ("client: expected 1 to 64 letters, digits, - and _",)


@pytest.mark.parametrize("field", ["roles", "kinds", "sessions"])
def test_text_instead_of_a_list_gives_the_same_message_everywhere(field: str) -> None:
    with pytest.raises(Incorrect) as caught:
        MemoryScope.recall(object.__new__(MemoryScope), "where?", **{field: "user"})  # type: ignore[arg-type]

    assert caught.value.problems == (f"{field}: expected a list, got a single text",)


def test_the_command_names_its_own_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["facts", "--tenant", ""])

    said = capsys.readouterr().err
    assert "tenant: is empty" in said
    assert said.rstrip().endswith("`slowwave facts --help` lists its options")
