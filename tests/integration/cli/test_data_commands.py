"""The command's data commands, on a real Postgres: what is printed, and the status."""

import io
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import pytest

from slowwave.cli import COMMANDS
from slowwave.domain.dead_letter import Refused
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, due_work
from slowwave.memory.verb_group import parts_of
from slowwave.wiring import Parts
from tests.integration.command import ALICE, WHOSE, Run, of_alice
from tests.integration.steps import Told, work_off, write_hobbies
from tests.unit.tables import table

# push


def lines(tmp_path: Path, *items: Any) -> str:
    path = tmp_path / "episodes.jsonl"
    path.write_text("\n".join(item if isinstance(item, str) else json.dumps(item) for item in items), "utf-8")
    return str(path)


def test_a_file_pushed_twice_is_stored_once(run: Run, parts: Parts, tmp_path: Path) -> None:
    file = lines(tmp_path, {"key": "a", "content": "I live in Oslo", "user": "bob"}, {"key": "b", "content": "Hello"})

    first, second = (run("push", file, "--user", "alice", "--agent", "concierge") for _ in range(2))

    assert (first.status, first.out) == (0, "2 stored\n")
    assert (second.status, second.out) == (0, "0 stored, 2 known already\n")
    assert {scope.user for scope in parts.records.scopes("default", agent="concierge")} == {"alice", "bob"}


def test_each_bad_line_is_reported_by_number_and_good_lines_are_stored(run: Run, parts: Parts, tmp_path: Path) -> None:
    file = lines(
        tmp_path,
        {"key": "a", "content": "one"},
        "{",
        {"key": "b", "content": "", "role": "narrator"},
        "",
        ["not", "an", "object"],
        {"key": "c", "content": "two", "occurred_at": "2026-03-02T12:00:00"},
        {"key": "d", "content": "three", "user": 7},
        {"key": "a", "content": "another one"},
        {"key": "e", "content": "four"},
    )

    said = run("push", file, "--user", "alice")

    assert said.status == 1
    assert said.out == "2 stored, 6 refused\n"
    numbers = [line.split(":")[0] for line in said.err.splitlines()]
    assert numbers == [f"line {number}" for number in (2, 3, 3, 5, 6, 7, 8)]
    assert "content: is empty" in said.err
    assert "role: " in said.err
    assert "no time zone" in said.err
    assert "user: is not text" in said.err
    assert "belongs to an episode with other content" in said.err
    assert parts.records.overview("default").episodes == 2


def test_a_line_without_a_user_needs_one_from_the_command_line(run: Run, tmp_path: Path) -> None:
    said = run("push", lines(tmp_path, {"content": "one"}))
    assert said.status == 1
    assert said.err == "line 1: user: is missing\n"


def test_a_problem_of_many_lines_is_reported_once_with_a_remedy(run: Run, tmp_path: Path) -> None:
    captioned = [{"content": "look", "image_caption": f"a cat, {number}"} for number in range(156)]
    others = [{"content": "x", "role": "narrator"}, {"content": "x", "rolle": "user"}, {"content": "x", "agnt": "ann"}]

    said = run("push", lines(tmp_path, *captioned, *others, {"content": "x", "role": "bot"}), "--user", "alice")

    assert said.err.splitlines() == [
        "lines 1, 2, 3, 4, 5, … (156): image_caption: is not known; put it under metadata",
        "lines 157, 160 (2): role: expected 'user', 'assistant', 'system' or 'tool', got 'narrator'",
        "line 158: rolle: is not known, did you mean role?",
        "line 159: agnt: is not known, did you mean agent?",
    ]
    assert said.out == "0 stored, 160 refused\n"


@pytest.mark.parametrize("name", ["text", "message"])
def test_an_error_suggests_our_name_for_a_foreign_field(run: Run, tmp_path: Path, name: str) -> None:
    said = run("push", lines(tmp_path, {name: "I live in Oslo"}), "--user", "alice")
    assert f"{name}: is not known, did you mean content?" in said.err


def test_a_push_dry_run_reports_counts_and_stores_nothing(run: Run, parts: Parts, tmp_path: Path) -> None:
    file = lines(tmp_path, {"content": "one"}, {"content": "two", "user": "bob"}, {"content": "three"}, "{")

    said = run("push", file, "--user", "alice", "--dry-run")
    asked = run("push", file, "--user", "alice", "--dry-run", "--json")

    assert (said.status, asked.status) == (1, 1)
    assert said.out.splitlines() == [
        "2 for user alice, agent default, channel _global",
        "1 for user bob, agent default, channel _global",
        "3 would be stored, 1 refused",
        "keys were compared within the file, not with stored episodes",
    ]
    assert [(one["user"], one["episodes"]) for one in json.loads(asked.out)["would_store"]] == [
        ("alice", 2),
        ("bob", 1),
    ]
    assert parts.records.overview("default").episodes == 0


def test_a_dry_run_counts_keys_of_the_file_as_the_push_does(run: Run, parts: Parts, tmp_path: Path) -> None:
    said = [("alice", "a", "one"), ("alice", "a", "two"), ("bob", "a", "three"), ("alice", "a", "one")]
    file = lines(tmp_path, *({"user": user, "key": key, "content": content} for user, key, content in said))

    tried, pushed = run("push", file, "--dry-run"), run("push", file)

    assert tried.err == pushed.err == "line 2: the key 'a' belongs to an episode with other content\n"
    assert (tried.status, pushed.status) == (1, 1)
    assert pushed.out == "2 stored, 1 known already, 1 refused\n"
    assert "2 would be stored, 1 known already, 1 refused" in tried.out


def test_invalid_json_is_reported_in_plain_words(run: Run, tmp_path: Path) -> None:
    file = lines(
        tmp_path,
        "[" * 100_000,
        '{"content": "x", "occurred_at": Infinity}',
        '{"content": "x", "occurred_at": 1e999}',
        f'{{"content": {"9" * 5000}}}',
        '{"content": }',
        "[1]",
    )
    with Path(file).open("ab") as more:
        more.write(b'\n{"content": "\xff"}')

    said, an_object = (
        run("push", file, "--user", "alice", "--dry-run"),
        'a JSON object like {"content": "I live in Oslo"}',
    )

    assert said.err.splitlines() == [
        "line 1: nested too deeply",
        "line 2: not JSON: Infinity is not a JSON number",
        "line 3: has a number that is too large, 1e999",
        "line 4: has a number with too many digits",
        "line 5: not JSON from character 13 on; expected " + an_object,
        f"line 6: expected {an_object}, got a list",
        "line 7: not UTF-8 from byte 14 on",
    ]


def test_a_file_that_begins_with_a_byte_order_mark_is_read_whole(run: Run, parts: Parts, tmp_path: Path) -> None:
    file = tmp_path / "windows.jsonl"
    file.write_text('{"content": "one"}\r\n{"content": "two"}\r\n', "utf-8-sig")

    assert run("push", str(file), "--user", "alice").out == "2 stored\n"


def test_a_line_without_a_speaker_gets_the_one_of_the_command_line(run: Run, parts: Parts, tmp_path: Path) -> None:
    said = [{"content": "a"}, {"content": "b", "speaker": "Bob"}, {"content": "c", "metadata": {"speaker": "Cleo"}}]

    run("push", lines(tmp_path, *said), "--user", "alice", "--speaker", "Ann")

    with parts.database.tenant("default") as connection:
        speakers = connection.exec_driver_sql("SELECT metadata ->> 'speaker' FROM episodes ORDER BY position").scalars()
        assert list(speakers) == ["Ann", "Bob", "Cleo"]


def test_standard_input_is_read(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'{"content": "Hello"}\n')))

    pushed = run("push", "-", "--user", "alice", "--json").json
    assert pushed == {"stored": 1, "known": 0, "spooled": 0, "refused": {}, "masked": {}}


# asking


def test_a_question_is_answered_with_reasons_and_sources(run: Run, alice: Memory) -> None:
    said = run("recall", "where do I live?", *WHOSE)
    assert said.status == 0
    assert "The user lives in Oslo" in said.out
    assert "from e1" in said.out
    assert "similarity" in said.out


def test_recall_omits_results_below_the_minimum_score(run: Run, alice: Memory) -> None:
    asked = ("recall", "where do I live?", *WHOSE, "--json")
    scores = [one["score"] for one in run(*asked).json]
    middle = (max(scores) + min(scores)) / 2

    good = [one["score"] for one in run(*asked, "--min-score", str(middle)).json]

    assert good == pytest.approx([score for score in scores if score >= middle], abs=1e-6)
    assert 0 < len(good) < len(scores)


def test_facts_lists_facts_by_valid_time_and_by_known_time(run: Run, alice: Memory) -> None:
    homes = [
        {item["fact"]["object"] for item in run("facts", "--user", "alice", "--json", *options).json
         if item["fact"]["predicate"] == "lives_in"}
        for options in ([], ["--as-of", "2026-03-02T12:00:30"], ["--all"], ["--known-at", "2026-03-01"])
    ]  # fmt: skip
    assert homes == [{"Oslo"}, {"Lisbon"}, {"Oslo", "Lisbon"}, set()]


def test_facts_without_a_user_are_grouped_by_scope(run: Run, alice: Memory) -> None:
    said = run("facts")
    assert "alice, as concierge knows them in home" in said.out
    assert "2026-03-02" in said.out


@pytest.mark.parametrize(("asked", "status", "answer"), table(__file__)["wrong_usage_is_refused_with_a_remedy"])
def test_wrong_usage_is_refused_with_a_remedy(run: Run, asked: str, status: int, answer: str) -> None:
    said = run(*asked.split())
    assert (said.status, answer in said.err) == (status, True), said.err


def test_why_accepts_an_id_prefix_and_shows_the_source_words(run: Run, alice: Memory) -> None:
    (home,) = (f for f in of_alice(alice).facts() if f.predicate == "lives_in")
    said = run("why", str(home.id)[:12])
    assert said.status == 0
    assert f"The user lives in Oslo  (believed; {home.id})" in said.out
    assert "update by everyday/moved-home" in said.out
    assert "»I moved to Oslo«." in said.out
    assert said.out == f"{alice.why(home.id)}\n"


def test_why_says_until_when_an_ended_fact_held(run: Run, parts: Parts, told: Told) -> None:
    memory = work_off(parts, ALICE, told("I drive a Honda Jazz.", "I sold the Honda."))
    (ended,) = {fact for one in memory.deltas() if one.delta.kind == "delete" and (fact := one.fact)}

    assert "The user drives a Honda Jazz  (so until 20" in run("why", str(ended)).out


@pytest.mark.parametrize("text", ["ffffffffffff", "not an id", ""])
def test_why_reports_an_unknown_fact_in_one_sentence(run: Run, alice: Memory, text: str) -> None:
    said = run("why", text)
    assert said.status == 1
    assert "hint: `slowwave facts`" in said.err
    assert "Traceback" not in said.err


def test_an_ambiguous_id_prefix_lists_the_matching_facts(run: Run, parts: Parts, told: Told) -> None:
    fruits = ["apples", "pears", "plums", "figs", "dates", "limes", "lemons", "melons", "mangos", "kiwis", "grapes"]
    fruits += ["cherries", "oranges", "quinces", "guavas", "bananas", "papayas"]
    work_off(parts, ALICE, told(*(f"I like {fruit}." for fruit in fruits)))
    first = Counter(str(fact.id)[0] for fact in parts.records.facts(ALICE))
    (digit, count), *_ = first.most_common()
    assert first.total() == 17  # so two of them begin with the same of sixteen digits

    said = run("why", digit)

    assert said.status == 1
    assert f"{digit} could mean several facts:" in said.err
    assert said.err.count(f"\n  - {digit}") == min(count, 5)


# looking after it


def test_status_counts_episodes_and_facts(run: Run, alice: Memory) -> None:
    now = run("status", "--json").json
    assert now["model_calls"] == now["desk"], "the former key"
    assert {name: now[name] for name in ("scopes", "episodes", "unread_episodes", "facts", "waiting", "running")} == {
        "scopes": 1, "episodes": 4, "unread_episodes": 0, "facts": 3, "waiting": 1, "running": 0,
    }  # what waits is the summary of the session  # fmt: skip
    assert now["deltas"] == {"add": 3, "update": 1}
    assert now["dead_letters"] == {"conflict": 1}
    assert set(now["partitions"]) == {"audit_log", "episodes"}
    assert "dead letters 1 open: 1 conflict" in run("status").out


def test_status_names_the_work_that_waits_after_a_failure(run: Run, parts: Parts, alice: Memory) -> None:
    alice.scope("alice", agent="concierge").push("I live in Oslo", key="k")
    (claimed,) = [parts.runs.claim(owner="a", scope=None, jobs=["prepare"], overdue_seconds=0)]
    assert claimed is not None
    assert "retries" not in run("status").out

    parts.runs.put_off(claimed, "the disk is full", wait_seconds=60)

    out = run("status").out
    assert re.search(r"retries +prepare of alice at \d{4}-.*, after a failure \(`slowwave runs`\)", out), out
    (retry,) = run("status", "--json").json["retries"]
    assert (retry["job"], retry["scope"]["user"]) == ("prepare", "alice")


def test_status_of_an_empty_installation_succeeds(run: Run, parts: Parts) -> None:
    said = run("status")
    assert said.status == 0
    assert "never: no scheduler has run here" in said.out


def test_another_tenant_sees_no_data(run: Run, alice: Memory) -> None:
    assert run("status", "--tenant", "other", "--json").json["episodes"] == 0
    assert run("facts", "--tenant", "other").out.startswith(
        "no facts here: nothing was ever pushed in the tenant 'other'"
    )
    assert run("runs", "--tenant", "other").out == "nothing has run yet\n"


def test_a_question_about_an_unknown_user_is_answered_with_the_reason(run: Run, alice: Memory) -> None:
    assert run("recall", "where?", "--user", "nobody").out.startswith("no memories of nobody here")
    nobody = "nothing was ever pushed for the user 'bob' in the tenant 'default', or it was forgotten"
    assert run("facts", "--user", "bob").out == f"no facts here: {nobody}; the users here are alice\n"
    bob = alice.scope("bob")
    bob.push("Hello")
    assert re.match("no facts here yet: the consolidation of 1 episode is due at 20", run("facts", "--user", "bob").out)
    bob.consolidate()
    assert "every episode has been read, and no rule found a fact" in run("facts", "--user", "bob").out


def test_runs_of_the_installation_and_of_slices_are_listed(run: Run, alice: Memory) -> None:
    parts = parts_of(alice)
    parts.schedule.fire_job("reconcile", "_reconcile", by="test")
    with parts.database.tenant("default") as connection:
        connection.exec_driver_sql("UPDATE standing SET sweep_due = slowwave_now()")
    parts.schedule.fire_job("sweep", "_sweep", by="test")
    alice.drain()

    said = run("runs").out
    assert "the installation" in said
    assert "slice " in said


def test_runs_show_their_outcomes_and_counts(run: Run, alice: Memory) -> None:
    latest = run("runs", "--limit", "1", "--json").json
    assert [(one["job"], one["outcome"], one["lo"], one["hi"]) for one in latest] == [("consolidate", "ok", 1, 4)]
    said = run("runs")
    assert "alice/concierge/home" in said.out
    assert "3 add, 1 review, 1 update" in said.out


def test_the_runs_of_a_celery_task_and_of_a_scope_are_found(run: Run, parts: Parts, told: Told) -> None:
    parts.push(ALICE, told("I live in Lisbon."))
    parts.push(Scope("default", "bob", "concierge"), told("I live in Oslo."))
    task = "0b7c7a52-8f0c-4a0e-9d0a-7a8f5b0f7a11"
    assert due_work.run_next(parts, owner="celery@here:1", scope=ALICE.id, task=task) is not None
    assert due_work.run_next(parts, owner="poll@here:1") is not None

    ((of_task,), (of_scope,)) = (
        json.loads(run("runs", *asked, "--json").out) for asked in (["--task", task], ["--scope", str(ALICE.id)])
    )
    assert of_task == of_scope
    assert (of_task["task"], of_task["scope"]["user"]) == (task, "alice")
    assert "alice/concierge/home" in run("runs", "--scope", str(ALICE.id)).out
    (shown,) = run("runs", "--task", task).out.splitlines()[2:]
    assert shown.split()[:4] == [str(of_task["run"]), "alice/concierge/home", of_task["job"], of_task["pack"]]
    assert run("runs", "--task", "no-such-task").out == "no run matches that task or scope\n"


def test_deltas_are_listed_in_their_order_and_exported_a_line_each(run: Run, alice: Memory) -> None:
    exported = [json.loads(line) for line in run("deltas", "--json").out.splitlines()]

    assert [(one["delta"]["kind"], one["claim"][2]) for one in exported] == [
        ("add", "Lisbon"), ("update", "Oslo"), ("add", "jazz"), ("add", "techno"),
    ]  # fmt: skip
    assert all(one["delta"]["source_episode_ids"] and one["scope"]["user"] == "alice" for one in exported)
    of_run = run("deltas", str(exported[0]["run"]), "--kind", "update").out
    assert "The user lives in Oslo" in of_run
    assert "Lisbon" not in of_run
    page = run("deltas", "--limit", "1", "--user", "alice").out
    assert f"--after {exported[0]['id']}" in page
    rest = run("deltas", "--json", "--after", exported[0]["id"]).out.splitlines()
    assert [json.loads(line) for line in rest] == exported[1:]
    assert run("deltas", "--user", "nobody").out.startswith("no delta matches that")


def test_schedules_are_listed_paused_resumed_and_run_at_once(run: Run, parts: Parts) -> None:
    parts.push(ALICE, ["I live in Oslo."])
    assert "every 100 episodes" in run("schedule", "list").out
    assert run("schedule", "pause", "everyday/cron").status == 0
    paused = {line["schedule"]["name"]: line["schedule"]["paused"] for line in run("schedule", "list", "--json").json}
    assert paused["everyday/cron"] is True
    assert run("schedule", "resume", "everyday/cron").out == "everyday/cron fires again\n"
    assert run("schedule", "run-now", "everyday").out == "1 scope will be read now\n"
    assert due_work.run_next(parts, owner="test", only=["consolidate"]) is not None
    assert run("schedule", "run-now", "everyday").out == "there is no pending work\n"
    assert "there is no schedule 'nope'" in run("schedule", "pause", "nope").err


def test_a_simulation_shows_utc_and_local_times_and_fires_nothing(run: Run, parts: Parts) -> None:
    with parts.database.dispatch() as connection:
        connection.exec_driver_sql("UPDATE schedules SET zone = 'Europe/Oslo' WHERE schedule = 'everyday/cron'")
    span = ("--from", "2026-10-24", "--to", "2026-10-27")

    shown = run("schedule", "simulate", "everyday/cron", *span)
    told = run("schedule", "simulate", *span, "--json").json

    words = " ".join(shown.out.split())
    assert "2026-10-24 01:00:00Z Sat 2026-10-24 03:00:00 +02:00 Europe/Oslo" in words
    assert "2026-10-25 02:00:00Z Sun 2026-10-25 03:00:00 +01:00 Europe/Oslo the clocks have changed" in words
    by_name = {one["schedule"]: one for one in told}
    assert [window["key"] for window in by_name["everyday/cron"]["windows"]] == [
        "2026-10-24T03:00", "2026-10-25T03:00", "2026-10-26T03:00",
    ]  # fmt: skip
    assert (by_name["partitions/interval"]["count"], by_name["everyday/count"]["count"]) == (4, None)
    with parts.database.dispatch() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM firings").scalar_one() == 0


def test_all_problems_of_a_simulation_are_reported_at_once(run: Run, parts: Parts) -> None:
    said = run("schedule", "simulate", "nope", "--from", "2026-10-27", "--to", "2026-10-24")

    assert said.status != 0
    assert "there is no schedule 'nope'" in said.err
    assert "before it begins" in said.err


def test_each_job_can_be_run_by_hand(run: Run, alice: Memory) -> None:
    told = run("schedule", "run-now", "partitions").out
    assert told == "1 run of partitions due now; a worker runs it (`slowwave work --until-idle`)\n"
    assert run("schedule", "run-now", "archive").out == "archive has nothing to do\n"
    assert run("schedule", "run-now", "prepare").out == "there is no pending work\n"
    assert "decay runs for every tenant" in run("schedule", "run-now", "decay", "--tenant", "acme").err
    assert "there is no rule pack or job 'nope'" in run("schedule", "run-now", "nope").err


# dead letters


def test_a_dropped_dead_letter_stays_listed_with_its_words(run: Run, alice: Memory) -> None:
    (letter,) = run("dead-letters", "list", "--json").json
    assert (letter["category"], letter["content"], letter["key"]) == ("conflict", "No, I meant chess.", "e3")
    assert "No, I meant chess." in run("dead-letters", "list").out
    assert run("dead-letters", "drop", str(letter["letter"])).out == "1 dropped\n"
    assert run("dead-letters", "list").out == "there are no open dead letters\n"
    assert [one["state"] for one in run("dead-letters", "list", "--all", "--json").json] == ["dropped"]
    assert "there is no open dead letter" in run("dead-letters", "drop", str(letter["letter"])).err


def test_a_conflict_among_dead_letters_is_not_retried(run: Run, alice: Memory) -> None:
    (letter,) = run("dead-letters", "list", "--json").json
    said = run("dead-letters", "retry", str(letter["letter"]))
    assert said.status == 1
    assert "its category is conflict" in said.err
    assert run("dead-letters", "list", "--json").json == [letter]


def test_a_dead_letter_can_be_retried(run: Run, parts: Parts, told: Told) -> None:
    parts.push(ALICE, told("I live in Oslo."))
    due_work.fire(parts)
    claimed = parts.runs.claim(owner="test", scope=ALICE.id, jobs=["consolidate"], overdue_seconds=0)
    assert claimed
    parts.runs.bury(claimed, category="incorrect", reason="a pack that stumbled")
    (letter,) = run("dead-letters", "list", "--json").json
    assert parts.records.facts(ALICE) == []

    assert run("dead-letters", "retry", str(letter["letter"])).out == "1 retried\n"
    Memory(parts).drain()

    assert [fact.text for fact in parts.records.facts(ALICE)] == ["The user lives in Oslo"]
    assert [one["state"] for one in run("dead-letters", "list", "--all", "--json").json] == ["retried"]


def test_retrying_a_malformed_message_stores_it_if_it_is_valid_now(run: Run, parts: Parts) -> None:
    good = {"user": "alice", "agent": "concierge", "channel": "home", "episodes": [{"key": "m", "content": "Hello"}]}
    parts.inbox.bury([Refused(good, "malformed", "an older worker")], scope="default")
    parts.inbox.bury([Refused({"user": ""}, "malformed", "no episodes")], scope="default")
    first, second = (str(one["letter"]) for one in run("dead-letters", "list", "--json").json)

    said = run("dead-letters", "retry", first, second)

    assert said.status == 1
    assert f"{second}: " in said.err
    assert parts.records.overview("default").episodes == 1
    assert [str(one["letter"]) for one in run("dead-letters", "list", "--json").json] == [second]


def test_only_the_first_of_many_malformed_messages_are_listed(run: Run, parts: Parts) -> None:
    bad = [{"key": f"k{number}", "content": "x", f"more{number}": 1, "y" * 500: 2} for number in range(60)]
    parts.inbox.bury([Refused(item, "malformed", "an older worker") for item in bad], scope=ALICE)

    said = run("dead-letters", "retry", "--all")

    assert said.status == 1
    assert said.err.count("is not known") >= 50
    assert "and 10 more" in said.err
    assert max(map(len, said.err.splitlines())) < 320


# rules


def test_a_pack_with_a_failing_case_is_reported_and_exits_with_1(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "hobbies"
    write_hobbies(folder, "0 3 * * *")
    (folder / "cases.yaml").write_text("- it: knows a game\n  episodes: [I like chess]\n  believe: [user likes go]\n")

    said = run("rules", "check", str(folder))

    assert said.status == 1
    assert "knows a game" in said.err
    assert "user likes chess" in said.err


def test_rules_check_says_where_it_looked_for_an_unknown_pack(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "SLOWWAVE_RULES adds a folder of your own packs" in run("rules", "check", "nope").err

    monkeypatch.setenv("SLOWWAVE_RULES", str(tmp_path))
    assert f"looked in {tmp_path}, " in run("rules", "check", "nope").err


def test_rules_check_finds_an_optional_pack_by_name(run: Run) -> None:
    said = run("rules", "check", "assistant-said")
    assert (said.status, said.err) == (0, "")
    assert said.out.startswith("assistant-said ")
    shipped = run("rules", "check")
    assert shipped.status == 0
    assert re.match(r"everyday \d+: \d+ cases hold\n", shipped.out)
    assert "assistant-said" not in shipped.out


# the edge


@pytest.mark.parametrize(
    ("server", "hint"),
    [("nohost.invalid/", "correct the host in"), ("127.0.0.1:1/", "host or port"), ("/x?host=/no/x", "socket")],
)
def test_an_unavailable_database_is_reported_in_one_sentence(
    run: Run, monkeypatch: pytest.MonkeyPatch, server: str, hint: str
) -> None:
    monkeypatch.setenv("SLOWWAVE_URL", f"postgresql://slowwave@{server}")
    said = run("status")
    assert said.status == 1
    assert "Postgres is unreachable" in said.err
    assert hint in said.err
    assert "Traceback" not in said.err


def test_each_command_has_help(run: Run) -> None:
    for name in COMMANDS:
        said = run(name, "--help")
        assert said.status == 0, name
        assert "Usage: " in said.out


@pytest.mark.parametrize("status", [0, 3])
def test_a_command_passes_on_its_exit_status(run: Run, monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    @click.command
    @click.pass_context
    def planted_command(context: click.Context) -> None:
        context.exit(status)

    planted = ModuleType("slowwave.cli.planted")
    monkeypatch.setattr(planted, "planted_command", planted_command, raising=False)
    monkeypatch.setitem(sys.modules, "slowwave.cli.planted", planted)
    monkeypatch.setitem(COMMANDS, "planted", ("planted", "Exits."))
    assert run("planted").status == status


def imported(*arguments: str, names: Sequence[str], **variables: str) -> tuple[str, list[str]]:
    """Return the output of a command, and which of the modules *names* the command imports."""
    code = (
        f"import sys\nfrom slowwave.cli import main\ntry: main({list(arguments)!r})\nexcept SystemExit: pass\n"
        f"print(*[name for name in {list(names)!r} if name in sys.modules])"
    )
    here = {**os.environ, **variables}
    done = subprocess.run([sys.executable, "-c", code], env=here, capture_output=True, text=True, check=True)
    *said, found = done.stdout.splitlines()
    return "\n".join(said), found.split()


def test_help_loads_nothing_heavy() -> None:
    heavy = ("celery", "sqlalchemy", "pydantic", "numpy", "psycopg", "rich", "yaml")
    said, found = imported("--help", names=heavy)
    assert "demo" in said
    assert found == []


def test_facts_loads_no_rule_engine_or_redis_or_verb_that_it_does_not_run(parts: Parts, told: Told, url: str) -> None:
    work_off(parts, ALICE, told("I moved to Oslo."))
    heavy = ("celery", "numpy", "redis", "alembic", "slowwave.rules.engines", "slowwave.jobs", "slowwave.memory.scope")
    said, found = imported("facts", "--user", "alice", names=heavy, SLOWWAVE_URL=url)
    assert "Oslo" in said
    assert found == []
