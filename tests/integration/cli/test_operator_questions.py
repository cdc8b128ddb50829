"""Commands that answer an operator: pending work, the audit log, strategies, and models that extract almost nothing."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.domain.audit import AuditFilter
from slowwave.domain.dead_letter import Refused
from slowwave.domain.model_calls import Message
from slowwave.domain.overview import ENOUGH_REPLIES
from slowwave.domain.scope import Scope
from slowwave.embedded_services import PostgresServer
from slowwave.memory import Memory, MemoryScope, due_work, request_batches
from slowwave.settings import Settings
from slowwave.store.statements import sql
from slowwave.testing import move_clock
from slowwave.wiring import Parts
from tests.databases import copied, opened
from tests.faults.rig.provider import answering
from tests.integration.command import ALICE, WHOSE, Run
from tests.integration.steps import learn, process
from tests.plans import explained, filled
from tests.unit.model_packs.talks import claim
from tests.unit.tables import table

ROWS = table(__file__)


def test_status_lists_pending_work_and_its_due_time(run: Run, alice: Memory, owner_url: str) -> None:
    (at,) = (line for line in run("status").out.splitlines() if "summarise" in line)
    (queued,) = run("status", "--json").json["queue"]
    assert at.strip().startswith("1 summarise, the first at ")
    assert at.endswith(" 03:00:00Z"), "its schedule fires before the day is over after which it is due anyway"
    assert (queued["job"], queued["count"]) == ("summarise", 1)

    move_clock(owner_url, timedelta(days=2))
    assert "             1 summarise, due now\n" in run("status").out


def test_status_names_work_that_waits_for_an_idle_scope(run: Run, parts: Parts, alice: Memory, owner_url: str) -> None:
    wiring.register(parts)
    known = MemoryScope(parts, ALICE)
    known.push("I live in Lisbon", session="s1")
    move_clock(owner_url, timedelta(seconds=30))
    while due_work.run_next(parts, owner="test", only=["prepare"]):
        pass

    (queued,) = (one for one in alice.operator().queue() if one.job == "consolidate")
    heard = max(one.received for one in known.recent(1))
    assert timedelta(minutes=4) < queued.first - heard <= timedelta(minutes=5, seconds=1)
    assert f"1 consolidate, the first at {queued.first:%Y-%m-%d %H:%M}" in run("status").out
    assert run("status", "--json").json["unread_episodes"] == 1


def test_status_stats_and_doctor_count_waiting_work_alike(run: Run, alice: Memory) -> None:
    assert "work         1 waiting, 0 running\n" in run("status").out
    assert "waiting" not in run("stats").out
    assert "0 pending jobs are due" in run("doctor").out


def test_stats_print_no_internal_terms(run: Run, alice: Memory) -> None:
    told = run("stats").out
    assert [word for word in ("nodes", "relationships", "P50", "P95") if word in told] == []
    assert "4 from a delta to the words behind it" in told


def test_stats_say_that_unread_tool_calls_are_not_counted(run: Run, parts: Parts) -> None:
    known = MemoryScope(parts, ALICE)
    known.push("done in 8 s", kind="tool_call", role="tool", metadata={"tool": "npm_build", "success": True})

    before = run("stats").out
    parts.schedule.fire_manually(by="test", pack="_patterns")
    Memory(parts).drain()
    after = run("stats").out

    assert "0 tools" in before
    assert "excluding tools and strategies of 1 episode that detect_patterns has not read yet" in before
    assert "there are        1 conversation, 0 entities, 1 episode, 0 facts, 0 strategies, 1 tool\n" in after
    assert "excluding tools" not in after


def test_how_long_a_recall_of_the_command_took_is_not_counted(run: Run, alice: Memory) -> None:
    run("recall", "where do I live?", *WHOSE)
    stats = run("stats", "--json").json
    assert stats["latency_ms"]["count"] == 0
    assert stats["recalls"]["hits"] == 1


SPAN = ("--from", "2026-10-24T00:00", "--to", "2026-10-26T23:00")


def test_a_simulation_prints_all_firings_of_a_time_in_one_line(run: Run, parts: Parts) -> None:
    lines = run("schedule", "simulate", *SPAN).out.splitlines()
    times = [line[:20] for line in lines if line[:3] == "202"]
    shipped = {f"2026-10-{day} {at}:00Z" for day in (24, 25, 26) for at in ("00:00", "03:00", "03:30", "06:30")}
    (at_three,) = (line for line in lines if line.startswith("2026-10-25 03:00:00Z"))

    assert times == sorted(set(times))
    assert shipped <= set(times), "the shipped jobs fire at these times, whatever job somebody adds"
    assert {"decay/cron,", "everyday/cron,"} <= set(at_three.split())
    (sweep,) = (line for line in lines if line.startswith("sweep/interval"))
    assert sweep.endswith("not shown above")


def test_a_simulation_says_that_no_report_folder_is_set(
    run: Run, parts: Parts, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    says = "report writes nothing: SLOWWAVE_REPORTS is not set"
    assert says in run("schedule", "simulate", *SPAN).out
    assert says not in run("schedule", "simulate", "sweep/interval", *SPAN).out
    monkeypatch.setenv("SLOWWAVE_REPORTS", str(tmp_path))
    assert says not in run("schedule", "simulate", *SPAN).out


def test_a_simulation_of_a_frequent_job_is_cut_at_the_limit(run: Run, parts: Parts) -> None:
    told = run("schedule", "simulate", "sweep/interval", *SPAN, "--limit", "5").out
    assert sum(line.endswith("sweep/interval") for line in told.splitlines()) == 5
    assert "and at 67 more times; --limit shows more" in told
    assert "not shown above" not in told


def test_the_archive_preview_names_users_and_sorts_numbers_naturally(run: Run, parts: Parts) -> None:
    known = MemoryScope(parts, ALICE)
    for number in (1, 10, 2):
        known.push(f"Hello {number}.", session=f"session_{number}")
    MemoryScope(parts, Scope("default", "bob", "concierge")).push("Hello.", session="session_3")
    known.consolidate()
    Memory(parts).drain()

    told = [line.strip() for line in run("archive", "simulate", "--days", "900").out.splitlines()]

    assert [line for line in told if line.startswith("session_")] == [
        "session_1  (alice/concierge/home)", "session_2  (alice/concierge/home)", "session_10  (alice/concierge/home)",
        "session_3  (bob/concierge/_global)",
    ]  # fmt: skip


def test_the_scope_command_names_the_owner_of_an_id(run: Run, alice: Memory) -> None:
    whole, beginning = run("scope", str(ALICE.id)), run("scope", str(ALICE.id)[:8], "--json").json
    assert whole.out.splitlines()[-1].split() == [str(ALICE.id), "alice", "concierge", "home"]
    assert [one["scope"]["user"] for one in beginning] == ["alice"]
    assert str(ALICE.id) in run("scope").out
    assert "there is no scope 0000 in tenant default" in run("scope", "0000").err


def test_messages_that_could_not_be_parsed_are_reported_in_each_overview(run: Run, parts: Parts) -> None:
    assert "of the installation" not in run("status").out
    refused = [
        Refused({"queue": "slowwave", "bytes": 9, "begins": f"garbage {number}"}, "malformed", "is not JSON")
        for number in range(3)
    ]
    parts.inbox.bury(refused, scope=None)
    where = "3 open for broker messages that could not be parsed: `slowwave dead-letters list --tenant"

    assert where in run("status").out
    assert where in run("dead-letters").out
    assert where in run("check").out
    assert where not in run("dead-letters", "list", "--tenant", "_system").out
    assert re.search(r'dead_letters\S*{category="malformed"} 3', run("metrics").out)
    told = run("dead-letters", "retry", "--all", "--tenant", "_system")
    assert told.status == 1
    assert "it was not a task message, and only its beginning is stored (is not JSON)" in told.err


NOTHING = '{"claims": []}'
HOME = json.dumps({"claims": [claim(1, "lives_in", "Oslo", "moved to Oslo")]})
ALARM = "the model may not follow the prompt, see `slowwave rules rejected`"


def ask_about(settings: Settings, users: int) -> None:
    """Let a model read texts of *users* users; without a model they claim nothing."""
    with process(settings, {"packs": []}) as parts:  # the rules have no part in this
        memory = Memory(parts)
        for number in range(users):
            learn(memory.scope(f"user-{number}"), "I moved to Oslo, and love it", session="s1")
        memory.drain()
        if parts.provider is None:
            handed = request_batches.export_requests(parts, form="openai", peek=False, most=1000, hours=24)
            request_batches.import_replies(parts, [_silent(line) for line in handed])
            memory.drain()


def _silent(line: str) -> str:
    body = {"choices": [{"message": {"content": NOTHING}, "finish_reason": "stop"}]}
    return json.dumps({"custom_id": json.loads(line)["custom_id"], "response": {"status_code": 200, "body": body}})


@pytest.mark.parametrize(
    ("speaking", "users", "rings"),
    [(0, ENOUGH_REPLIES, True), (1, ENOUGH_REPLIES, True), (2, ENOUGH_REPLIES, False), (0, ENOUGH_REPLIES - 1, False)],
    ids=["no claim at all", "one reply of five speaks", "two of five speak", "too few replies to say"],
)
def test_status_warns_about_a_model_with_almost_no_claims(
    settings: Settings, run: Run, speaking: int, users: int, rings: bool
) -> None:
    replies = [HOME] * speaking + [NOTHING] * users

    def answer(_messages: Sequence[Message]) -> str:
        return replies.pop(0)

    with answering(replies=answer) as provider:
        ask_about(settings.model_copy(update={"model": "mute", "model_url": provider.url}), users)

    said = run("status").out
    assert f"{users - speaking} of {users} replies within a day gave no valid claim" in said
    assert (ALARM in said) is rings


def test_status_warns_about_a_silent_model_in_batch_replies_too(settings: Settings, run: Run) -> None:
    ask_about(settings.model_copy(update={"extraction_model": "mute"}), ENOUGH_REPLIES)

    assert ALARM in run("status").out


@pytest.mark.parametrize("command", [("rules", "rejected"), ("model", "requests")], ids=" ".join)
def test_the_former_word_for_a_limit_is_accepted_and_names_the_present_word(run: Run, command: tuple[str, ...]) -> None:
    former, present = run(*command, "--most", "1"), run(*command, "--limit", "1")

    assert (former.status, former.out) == (present.status, present.out)
    assert former.err == "write `--limit` for `--most`, the former word\n" + present.err
    assert "--most" not in run(*command, "--help").out


def test_strategies_are_listed_with_support_and_bound(run: Run, parts: Parts) -> None:
    strategies = MemoryScope(parts, ALICE).strategies
    cook = strategies.learn_strategy("Cook a meal", "the user is hungry", ["recipe", "shop"], "s1", True, task="dinner")
    for number in range(3):
        strategies.reinforce_strategy(cook, number < 2)
    strategies.learn_strategy("Tidy up", "the kitchen is a mess", ["broom"], "s1", False)

    lines = run("strategies", "--user", "alice").out.splitlines()
    (dinner,) = [line.split() for line in lines if "recipe → shop" in line]
    assert (dinner[0], dinner[4:8]) == ("dinner", ["3", "1", "30%", "learned"])
    assert any("failing" in line for line in lines)

    (found,) = run("strategies", "--task", "make dinner", "--json").json
    assert (found["strategy"]["id"], found["strategy"]["embedding"]) == (str(cook), None)
    assert 0 < found["strategy"]["score"] < found["strategy"]["similarity"]


def test_an_installation_without_strategies_explains_how_strategies_are_learned(run: Run, parts: Parts) -> None:
    assert "tool_call and outcome" in run("strategies").out


@pytest.fixture(scope="module")
def crowd(postgres_server: PostgresServer, template: str, heavy_parts: dict[str, object]) -> Iterator[Parts]:
    """An audit log with twenty thousand rows of today and of many users."""
    with copied(postgres_server, template, "audited") as name, opened(postgres_server, name, heavy_parts) as parts:
        filled(
            postgres_server.url("slowwave_owner", name),
            "INSERT INTO audit_log (at, tenant, operation, memory_type, user_id, session_id, source_channel) "
            "SELECT slowwave_now() - n * interval '1 millisecond', 'default', 'op' || n % 500, 'kind' || n % 500, "
            "'user' || n % 500, 'session' || n % 500, 'channel' || n % 500 FROM generate_series(1, 20000) AS n",
            "audit_log",
        )
        yield parts


@pytest.mark.parametrize(
    ("wanted", "column"),
    [
        (AuditFilter(operation="op7"), "operation"),
        (AuditFilter(memory_type="kind7"), "memory_type"),
        (AuditFilter(user="user7"), "user_id"),
        (AuditFilter(session="session7"), "session_id"),
        (AuditFilter(channel="channel7"), "source_channel"),
    ],
)
def test_audit_rows_are_found_by_the_index_of_the_filter(crowd: Parts, wanted: AuditFilter, column: str) -> None:
    with crowd.database.tenant("default") as connection:
        plan = explained(connection, sql("audit/latest"), {**asdict(wanted), "most": 20})

    assert f"_{column}_at_idx" in plan, plan
    assert set(re.findall(r"Seq Scan on .*rows=(\d+)", plan)) == {"1"}, "days without rows are read whole, others not"
    assert len(crowd.records.audit("default", wanted, most=100)) == 40


@pytest.fixture
def lived(parts: Parts, scope: Scope) -> MemoryScope:
    """A scope with a home that was replaced."""
    known = learn(MemoryScope(parts, scope), "I live in Lisbon", key="e1", session="s1")
    learn(known, "I just moved to Oslo", key="e2", session="s2")
    return known


def test_the_command_lists_the_latest_rows_first(lived: MemoryScope, run: Run) -> None:
    done = run("audit")

    assert done.status == 0, done.err
    lines = [line for line in done.out.splitlines() if lived.scope.user in line]
    assert ["update" in lines[0], "store" in lines[1]] == [True, True]
    assert "pack everyday" in lines[0]


@pytest.mark.parametrize(("option", "value", "operations"), ROWS["filters"])
def test_audit_takes_filters(lived: MemoryScope, run: Run, option: str, value: str, operations: list[str]) -> None:
    rows = run("audit", "--json", option, value).json

    assert [row["operation"] for row in rows] == operations
    assert all(row["settings"]["policy"]["promotion"] for row in rows)


def test_the_command_says_when_nothing_is_on_record(parts: Parts, run: Run) -> None:
    assert run("audit", "--failed").out == "the audit log has no row that matches\n"


def test_another_tenants_audit_rows_are_not_listed(lived: MemoryScope, run: Run) -> None:
    assert run("audit", "--json", "--tenant", "other").json == []
