"""A dry run of a pack reports the changes with their source words, and writes nothing."""

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import psycopg
import pytest

from slowwave.errors import Unavailable
from slowwave.memory import Memory, MemoryScope
from slowwave.rules.folders import default_roots
from slowwave.store.dry_runs import PostgresDryRuns
from slowwave.wiring import Parts, Settings
from tests.faults.rig.provider import LocalProvider, answering
from tests.integration.command import ALICE, WHOSE, Run
from tests.integration.steps import learn, process
from tests.unit.rules.rulepacks import CASE, manifest, rule, written

CITIES = rule(when=r"\bI (?:live in|moved to) (?P<object>Lisbon|Oslo)", certainty="explicit")
DANCES = rule(
    id="dances", says="Whoever loves a music dances to it.", when=r"\bI love (?P<object>\w+)",
    claim={"predicate": "dances_to"},
)  # fmt: skip


def everything(superuser: psycopg.Connection) -> Mapping[str, Any]:
    """A digest of the rows of each table, whatever they hold."""
    tables = superuser.execute(
        "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1"
    ).fetchall()
    digest = "SELECT md5(coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '')) FROM \"{}\" t"
    return {name: superuser.execute(digest.format(name).encode()).fetchone() for (name,) in tables}


def test_a_dry_run_shows_the_facts_a_pack_would_add_and_changes_nothing(
    run: Run, alice: Memory, superuser: psycopg.Connection, tmp_path: Path
) -> None:
    folder = written(tmp_path, manifest(rules=[CITIES, DANCES]), [CASE])
    before = everything(superuser)
    said = run("rules", "dry-run", str(folder), *WHOSE)
    told = run("rules", "dry-run", str(folder), *WHOSE, "--json").json

    assert (said.status, said.err) == (0, "")
    assert said.out.startswith("4 episodes of 1 scope: 3 claims (")
    assert "would be believed: 1\n  + The user dances to jazz, since 2026-03-" in said.out
    assert 'by odd/dances@1, e2: "I love jazz"' in said.out
    assert said.out.endswith("nothing was written\n")
    assert told["difference"]["lost"] == []
    assert told["difference"]["gained"][0]["quotes"] == [{"key": "e2", "position": 3, "words": "I love jazz"}]
    assert everything(superuser) == before


def test_a_dry_run_of_an_empty_scope_names_the_agents_that_have_episodes(run: Run, alice: Memory) -> None:
    empty = run("rules", "dry-run", "everyday", "--user", "alice", "--agent", "nobody")
    assert (empty.status, empty.out.splitlines()[0]) == (0, "0 episodes of 1 scope: 0 claims")
    assert "has no episodes; try --agent concierge --channel " in empty.err

    assert "no episodes of zoe are stored" in run("rules", "dry-run", "everyday", "--user", "zoe").err


def test_a_backtest_shows_lost_and_changed_facts_and_changes_nothing(
    run: Run, alice: Memory, superuser: psycopg.Connection, tmp_path: Path
) -> None:
    forgetful = rule(id="home", when=r"\bI live in (?P<object>Lisbon)")
    home = written(tmp_path, manifest(pack="everyday", rules=[forgetful]), [{**CASE, "episodes": ["I live in Lisbon"],
                   "believe": ["user lives_in Lisbon"]}], name="everyday")  # fmt: skip
    before = everything(superuser)
    told = run("rules", "backtest", str(home), "--scopes", "3", "--json").json
    said = run("rules", "backtest", str(home))
    difference = told["difference"]

    assert (told["scopes"], told["episodes"], told["claims"]) == (1, 4, 1)
    assert [(old["object"], new["object"]) for old, new in difference["changed"]] == [("Oslo", "Lisbon")]
    assert {(one["predicate"], one["object"]) for one in difference["lost"]} >= {("likes", "jazz")}
    assert difference["gained"] == []
    assert "would change: 1\n  ~ " in said.out
    assert everything(superuser) == before


def test_the_installed_pack_against_itself_changes_nothing(run: Run, alice: Memory) -> None:
    difference = run("rules", "backtest", "everyday", "--json").json["difference"]

    assert (difference["gained"], difference["lost"], difference["changed"]) == ([], [], [])
    assert difference["same"] > 1


def test_a_dry_run_cannot_write(parts: Parts, alice: Memory) -> None:
    stored = PostgresDryRuns(parts.database)
    with pytest.raises(Unavailable, match="ReadOnlySqlTransaction"), stored.reading("default") as reading:
        reading.exec_driver_sql("UPDATE scope_heads SET touched = touched")


def test_a_file_is_tried_without_a_database(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SLOWWAVE_URL", "postgresql://nobody@nowhere.invalid/none")
    file = tmp_path / "talk.jsonl"
    file.write_text(
        "\n".join(json.dumps({"content": text, "key": text[-4:]}) for text in ("I live in Rome", "I moved to Oslo"))
    )
    said = run("rules", "dry-run", "everyday", str(file))

    assert said.status == 0
    assert said.out.startswith("2 episodes of 1 scope: 3 claims (")
    assert "Oslo" in said.out
    assert "Rome" not in said.out


def test_a_dry_run_reports_problems_of_a_file_or_a_name(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text('{"content": ""}\n{')
    wrong, unknown, nothing, both = (
        run("rules", "dry-run", "everyday", str(file)),
        run("rules", "dry-run", "everydya", str(file)),
        run("rules", "dry-run", "everyday"),
        run("rules", "dry-run", "everyday", str(file), "--user", "alice"),
    )

    assert "line 1: content: is empty" in wrong.err
    assert "line 2: not JSON" in wrong.err
    assert "there is no rule pack 'everydya'" in unknown.err
    assert "name a FILE, or a scope with --user" in nothing.err
    assert (
        "the pack can read a FILE or a user's stored episodes, not both\n  hint: leave out FILE or --user" in both.err
    )
    assert {wrong.status, unknown.status, nothing.status, both.status} == {1}


@pytest.fixture
def asked(
    url: str, monkeypatch: pytest.MonkeyPatch, heavy_parts: dict[str, object], tmp_path: Path
) -> Iterator[tuple[MemoryScope, LocalProvider]]:
    """Alice's scope with the first session read by the shipped reader, and the model that was called."""
    home = {"n": 1, "s": "user", "p": "lives_in", "o": "Oslo", "q": "moved to Oslo"}
    with answering(replies=lambda _: json.dumps({"claims": [home]})) as provider:
        monkeypatch.setenv("SLOWWAVE_MODEL", "echo")
        monkeypatch.setenv("SLOWWAVE_MODEL_URL", provider.url)
        with process(Settings.load(url=url, home=tmp_path, statements=False), heavy_parts) as parts:
            yield learn(MemoryScope(parts, ALICE), "I moved to Oslo, and love it", session="s1", key="k1"), provider


def test_stored_replies_are_used_free_and_missing_ones_are_priced(
    run: Run, asked: tuple[MemoryScope, LocalProvider], superuser: psycopg.Connection
) -> None:
    scope, provider = asked
    scope.push("I have a dog called Max", session="s2", key="k2")
    before = everything(superuser)
    told = run("rules", "dry-run", "reader", *WHOSE, "--json").json
    said = run("rules", "dry-run", "reader", *WHOSE)

    assert (told["at_hand"], told["requests"], told["episodes"]) == (1, 1, 2)
    assert told["prompt_tokens"] > 0
    assert (told["trial"]["claims"], told["trial"]["difference"]["gained"]) == (2, [])
    assert said.out.index("2 episodes: 1 request to the model, ") == 0
    assert "stored and free: 1 reply; no model was called\n2 episodes of 1 scope: 2 claims (1 noop)" in said.out
    assert provider.billed.total() == 1
    assert everything(superuser) == before


def other_reader(folder: Path) -> Path:
    """Write a version of the reader with another prompt to a folder."""
    shutil.copytree(default_roots()[0] / "reader", folder / "reader")
    prompt = folder / "reader" / "prompt.md"
    prompt.write_text(prompt.read_text() + "\nBe brief.")
    return prompt.parent


def test_a_backtest_of_a_model_pack_shows_the_facts_its_replies_add(
    run: Run, asked: tuple[MemoryScope, LocalProvider], superuser: psycopg.Connection, tmp_path: Path
) -> None:
    _, provider = asked
    before = everything(superuser)
    same = run("rules", "backtest", "reader", "--json").json
    edited = run("rules", "backtest", str(other_reader(tmp_path)), "--json").json

    assert (same["at_hand"], same["requests"]) == (1, 0)
    difference = same["trial"]["difference"]
    assert difference == {"gained": [], "lost": [], "changed": [], "same": difference["same"]}
    assert (edited["at_hand"], edited["requests"]) == (0, 1), "another prompt is another question"
    assert provider.billed.total() == 1
    assert everything(superuser) == before


def test_a_dry_run_of_a_model_pack_estimates_the_cost_without_a_request(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SLOWWAVE_MODEL_PROMPT_PRICE", "2")
    monkeypatch.setenv("SLOWWAVE_MODEL_REPLY_PRICE", "10")
    file = tmp_path / "talk.jsonl"
    file.write_text('{"content": "I moved to Oslo last week", "key": "e1"}')
    told = run("rules", "dry-run", "reader", str(file), "--json").json
    said = run("rules", "dry-run", "reader", str(file))

    assert (told["episodes"], told["requests"], told["at_hand"]) == (1, 1, None)
    assert said.out.endswith("no model was called; stored replies are only looked up for a stored scope (--user)\n")
    assert told["money"] == pytest.approx((2 * told["prompt_tokens"] + 10 * told["reply_tokens"]) / 1e6)
    assert said.out.startswith("1 episode: 1 request to the model, ")
    assert "at the configured prices" in said.out
