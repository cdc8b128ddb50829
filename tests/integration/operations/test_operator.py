"""Operations of an operator: people, runs, dead letters, quotas, and registered packs."""

import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import psycopg
import pytest
from click.testing import CliRunner

from slowwave import wiring
from slowwave.cli import cli
from slowwave.domain.dead_letter import Refused
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect, NotFound
from slowwave.memory import Memory, MemoryScope
from slowwave.settings import Settings
from slowwave.store.dead_letters import bury_items
from slowwave.store.statements import sql
from slowwave.wiring.connections import installed, register_if_new
from tests.conftest import NOON
from tests.integration.command import Run
from tests.integration.steps import learn, process, write_hobbies
from tests.plans import touched


@pytest.fixture
def memory(parts: wiring.Parts) -> Memory:
    """A memory of three people, the first of whom has moved."""
    memory = Memory(parts)
    for name in ("ann", "bob", "cyd"):
        learn(memory.scope(name, agent="a"), "I live in Lisbon", occurred_at=NOON)
    learn(memory.scope("ann", agent="a"), "I moved to Oslo", occurred_at=NOON + timedelta(days=3))
    return memory


def test_users_are_paged_by_name(memory: Memory) -> None:
    operator = memory.operator()

    first = operator.people(2)
    rest = operator.people(2, after=first[-1].name)

    assert [(one.name, one.scopes, one.episodes) for one in first] == [("ann", 1, 2), ("bob", 1, 1)]
    assert [one.name for one in rest] == ["cyd"]
    assert memory.operator(tenant="another").people() == []


@pytest.mark.usefixtures("memory")
def test_a_page_of_people_reads_only_its_own_rows(url: str, superuser: psycopg.Connection) -> None:
    superuser.execute(
        "INSERT INTO scope_heads SELECT (jsonb_populate_record(h, jsonb_build_object("
        "'scope', gen_random_uuid(), 'user_id', 'somebody ' || n))).* "
        "FROM scope_heads AS h, generate_series(1, 2000) AS n WHERE h.user_id = 'ann'"
    )
    superuser.execute("ANALYZE scope_heads")
    read = touched(url, sql("operator/people").rstrip(";\n"), after=None, most=2)

    assert [name for name, _, _ in read] == ["scope_heads"]
    assert read[0][1] == "scope_heads_tenant_user_id_agent_channel_key"


def test_runs_are_paged_newest_first_and_found_by_number(memory: Memory) -> None:
    operator = memory.operator()
    every = operator.runs(1_000)

    assert [one.run for one in operator.runs(2)] == [one.run for one in every[:2]]
    assert [one.run for one in operator.runs(2, before=every[1].run)] == [one.run for one in every[2:4]]
    assert operator.run(every[1].run) == every[1]
    with pytest.raises(NotFound, match="no run"):
        operator.run(every[0].run + 1)


def test_a_night_lists_its_decisions(memory: Memory) -> None:
    night = memory.operator().night()

    assert night.decided["learned"] == 3
    assert night.tonight.total("update") == 1


def test_history_lists_past_and_present_facts_with_their_versions(memory: Memory) -> None:
    scope = memory.scope("ann", agent="a")

    told = scope.history()
    (here,) = scope.facts()
    versions = scope.versions(here.id)

    assert [(one.object, one.valid_to is None) for one in told] == [("Lisbon", False), ("Oslo", True)]
    assert [one.id for one in scope.history(after=told[0].id)] == [told[1].id]
    assert [(one.object, one.valid_to is None, one.recorded_to is None) for one in versions] == [
        ("Lisbon", True, False), ("Lisbon", False, True), ("Oslo", True, True),
    ]  # fmt: skip
    with pytest.raises(NotFound):
        memory.scope("bob", agent="a").versions(here.id)


def test_quiet_reads_count_no_access(memory: Memory) -> None:
    scope = memory.scope("ann", agent="a")
    looked = scope.quietly()

    told = looked.history()
    assert [fact.object for fact in looked.facts()] == ["Oslo"]
    assert looked.recall("Where do I live?")
    assert looked.recent()

    assert [one.access_count for (one,) in scope.outlook(told).values()] == [0, 0]
    assert scope.facts()
    assert scope.outlook(told)[told[1].id][0].access_count == 1


def test_an_outlook_shows_the_future_strength_of_facts(settings: Settings, heavy_parts: dict[str, object]) -> None:
    with process(settings, heavy_parts, preset="aragora_hope") as parts:
        scope = learn(Memory(parts).scope("ann", agent="a"), "I live in Lisbon", occurred_at=NOON)
        (fact,) = scope.facts()

        now, soon, later = (one.strength for one in scope.outlook([fact], [0, 30, 365])[fact.id])

    assert now is not None
    assert soon is not None
    assert later is not None
    assert later < soon < now


def test_dead_letters_are_listed_in_pages(memory: Memory, parts: wiring.Parts) -> None:
    bad = [Episode(content="x", key=f"k{number}") for number in range(3)]
    with parts.database.tenant("default") as connection:
        bury_items(
            connection, [Refused({"odd": one.key}, "malformed", "it is odd", one.key) for one in bad],
            tenant="default", scope=Scope("default", "ann", "a"),
        )  # fmt: skip
    operator = memory.operator()

    first = operator.dead_letters(2, reviews=False)
    (last,) = operator.dead_letters(2, after=first[-1].letter)
    dropped = operator.drop([last.letter])

    assert dropped == 1
    assert [one.letter for one in operator.dead_letters()] == [one.letter for one in first]
    assert len(operator.dead_letters(everything=True)) == 3
    assert memory.review(limit=1) == []


def test_the_status_lists_work_that_waits_after_a_failure_and_counts_the_rest(
    run: Run, parts: wiring.Parts, superuser: psycopg.Connection
) -> None:
    for number in range(23):
        parts.push(Scope("default", f"ann{number:02}", "a"), [Episode(content="x")])
    superuser.execute(
        "UPDATE intents SET state = 'running', lo = 1, hi = 1, due = slowwave_now() + interval '40 s' "
        "WHERE job = 'prepare'"
    )

    lines = run("status").out.splitlines()

    listed = [line for line in lines if "after a failure" in line]
    assert len(listed) == 20
    assert lines[lines.index(listed[-1]) + 1].strip().startswith("and 3 more until ")
    assert len(run("status", "--json").json["retries"]) == 23


def test_without_cells_the_list_says_that_there_is_one_database(run: Run) -> None:
    assert run("cells", "list").out.startswith("all tenants are in one database; SLOWWAVE_CELLS ")
    assert run("cells", "list", "--json").json == []
    moved = run("cells", "move", "acme", "--to", "two")
    assert (moved.status, "SLOWWAVE_CELLS is not set" in moved.err) == (1, True)


def test_quotas_are_set_listed_and_removed(run: Run) -> None:
    assert run("quotas").out == "there are no quotas; `slowwave quotas set` makes one\n"
    assert run("quotas", "set", "episodes-a-minute", "600").out == "at most 600 episodes-a-minute\n"
    assert run("quotas", "set", "episodes-waiting", "20000").status == 0

    assert run("quotas", "--json").json == [
        {"what": "episodes-a-minute", "most": 600, "left": 600, "applies": "tenant", "user": None},
        {"what": "episodes-waiting", "most": 20_000, "left": 20_000, "applies": "tenant", "user": None},
    ]
    assert "20,000" in run("quotas").out
    assert run("quotas", "list", "--tenant", "other").out.startswith("there are no quotas")
    assert run("quotas", "remove", "episodes-waiting").out == "episodes-waiting: no limit\n"
    assert run("quotas", "remove", "episodes-waiting").status == 1
    assert "cakes" in run("quotas", "set", "cakes", "1").err


def test_quotas_of_users_are_set_listed_and_removed(run: Run) -> None:
    each, ann = (
        run("quotas", "set", "recalls-a-minute", *said).out
        for said in (("60", "--each-user"), ("600", "--user", "ann"))
    )
    assert (each, ann) == ("at most 60 recalls-a-minute for each user\n", "at most 600 recalls-a-minute for ann\n")

    assert [(row["applies"], row["user"], row["left"]) for row in run("quotas", "--json").json] == [
        ("each user", None, None), ("user", "ann", 600),
    ]  # fmt: skip
    assert "user ann" in run("quotas").out
    assert run("quotas", "remove", "recalls-a-minute", "--user", "ann").out == "recalls-a-minute for ann: no limit\n"
    assert run("quotas", "remove", "recalls-a-minute").status == 1, "the tenant has no such quota"
    assert "exclude" in run("quotas", "set", "recalls-a-minute", "1", "--user", "ann", "--each-user").err
    assert "whole tenant" in run("quotas", "set", "runs-in-turn", "2", "--user", "ann").err


@pytest.fixture
def waits(superuser: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """The waits of the command, during which a minute passes for each quota."""
    found: list[float] = []

    def sleep(seconds: float) -> None:
        found.append(seconds)
        superuser.execute("UPDATE quotas SET seen = seen - interval '1 minute'")

    monkeypatch.setattr("slowwave.cli.push.time", SimpleNamespace(sleep=sleep))
    yield found
    assert all(0 < seconds <= 60 for seconds in found)


def lines(tmp_path: Path, count: int) -> str:
    """Write a file of *count* lines without keys, half of them of another user."""
    said = [
        {"content": f"I like {number:03}", "user": "ann" if number < count / 2 else "bob"} for number in range(count)
    ]
    (tmp_path / "file").write_text("\n".join(json.dumps(one) for one in said))
    return str(tmp_path / "file")


def test_a_push_waits_for_a_quota_and_stores_each_line_once(
    run: Run, superuser: psycopg.Connection, tmp_path: Path, waits: list[float]
) -> None:
    run("quotas", "set", "episodes-a-minute", "5")

    said = run("push", lines(tmp_path, 24))

    assert (said.status, said.out) == (0, "24 stored\n")
    assert said.err.startswith("the quota of episodes-a-minute is used up: 5 for this tenant; wait ")
    assert waits
    stored = superuser.execute("SELECT count(*), count(DISTINCT content) FROM episodes").fetchone()
    assert stored == (24, 24)


@pytest.mark.usefixtures("parts")
@pytest.mark.parametrize(
    ("quota", "most", "patience", "stored"),
    [("bytes-a-day", 25, 600, 2), ("episodes-waiting", 2, 0, 2), ("bytes-a-day", 15, 600, 1)],
)
def test_a_push_that_would_wait_too_long_says_where_it_stopped(
    quota: str, most: int, patience: int, stored: int, run: Run, superuser: psycopg.Connection, tmp_path: Path,
    waits: list[float], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr("slowwave.cli.push.PATIENCE_SECONDS", patience)
    run("quotas", "set", quota, str(most))

    said = run("push", lines(tmp_path, 4))
    again = run("push", lines(tmp_path, 4), "--json")

    told = f"{stored} stored\nstopped at line {stored + 1}: push this and all later ones again\n"
    assert (said.status, said.out) == (1, told)
    assert f"the quota of {quota} is used up" in said.err
    assert (again.status, again.out) == (1, "")
    assert waits == []
    kept = superuser.execute("SELECT DISTINCT content FROM episodes ORDER BY content").fetchall()
    assert kept == [("I like 000",), ("I like 001",)][:stored]


@pytest.fixture
def own(settings: Settings, tmp_path: Path) -> Settings:
    """Settings of an installation with one pack of its own and the shipped ones."""
    folder = tmp_path / "packs" / "hobbies"
    write_hobbies(folder, "0 3 * * *")
    return settings.model_copy(update={"rules": folder.parent})


def arrived(settings: Settings) -> tuple[bool, str | None]:
    """Register as a command does; return whether it has read the packs, and when the database runs `hobbies`."""
    parts = wiring.connect(settings)
    try:
        register_if_new(parts)
        schedules = parts.schedule.schedules()
        return "packs" in vars(parts), next((s.cron for s in schedules if s.pack == "hobbies" and s.cron), None)
    finally:
        parts.close()


def test_packs_are_reloaded_only_after_a_change(own: Settings) -> None:
    assert own.rules is not None
    assert [arrived(own), arrived(own)] == [(True, "0 3 * * *"), (False, "0 3 * * *")]
    assert arrived(own.model_copy(update={"tenant": "acme"})) == (False, "0 3 * * *")

    write_hobbies(own.rules / "hobbies", "30 4 * * *")
    assert [arrived(own), arrived(own)] == [(True, "30 4 * * *"), (False, "30 4 * * *")]

    others = own.model_copy(update={"rules": None})
    assert arrived(others) == (True, None)
    assert arrived(own) == (True, "30 4 * * *")

    watching = wiring.connect(own)
    watching.watched.look()
    wiring.register_watched(watching)
    watching.close()
    assert arrived(own) == (True, "30 4 * * *")


def test_status_and_doctor_name_a_pack_that_is_not_loaded_and_say_what_to_set(own: Settings, url: str) -> None:
    arrived(own)
    env = {"SLOWWAVE_URL": url, "SLOWWAVE_RULES": ""}
    for ask in (["status"], ["doctor"]):
        shown = CliRunner().invoke(cli, ask, env=env).output
        assert "the rule pack 'hobbies' has run on this database, but this process does not load it" in shown
        assert "set SLOWWAVE_RULES (now not set) to the folder that contains the folder hobbies" in shown
        assert "not load" not in CliRunner().invoke(cli, ask, env=env | {"SLOWWAVE_RULES": str(own.rules)}).output
    arrived(own.model_copy(update={"rules": None}))
    assert "not load" not in CliRunner().invoke(cli, ["status"], env=env).output, "inactive, and never ran"


def test_an_invalid_pack_says_so_and_stops_nobody(
    own: Settings, scope: Scope, caplog: pytest.LogCaptureFixture
) -> None:
    assert own.rules is not None
    arrived(own)
    shutil.copytree(own.rules / "hobbies", own.rules / "games")
    for name in ("hobbies", "games"):
        (own.rules / name / "pack.yaml").write_text("pack: [")

    with closing(wiring.connect(own)) as parts:
        register_if_new(parts)
        agent = MemoryScope(parts, scope)
        agent.push("I like dogs")
        problems = wiring.pack_problems(parts)

        assert [one.text for one in agent.recall("dogs")] == ["I like dogs"]
        assert {s.pack for s in parts.schedule.schedules()} >= {"hobbies", "everyday"}, "the registration stays"
    assert [problem.split("'")[1] for problem in problems] == ["games", "hobbies"]
    assert all("pack.yaml: line 2" in problem for problem in problems)
    assert [record.message.partition("\n  until")[0] for record in caplog.records] == problems
    with pytest.raises(Incorrect) as refused:
        wiring.load_packs(own)
    assert all(f"rule pack {name!r} has 1 problem" in str(refused.value) for name in ("hobbies", "games"))


def test_a_pack_that_changed_without_a_new_version_gives_a_warning_until_its_version_is_raised(
    own: Settings, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert own.rules is not None
    manifest = own.rules / "hobbies" / "pack.yaml"
    arrived(own)
    write_hobbies(own.rules / "hobbies", "30 4 * * *")

    assert arrived(own) == (True, "30 4 * * *")
    env = {"SLOWWAVE_URL": url, "SLOWWAVE_RULES": str(own.rules)}
    shown = [
        CliRunner().invoke(cli, ask, env=env).output for ask in (["status"], ["doctor"], ["rules", "check", "hobbies"])
    ]

    warning = "the files of rule pack 'hobbies' have changed, but its version is still 1"
    assert all(warning in text for text in [*shown, caplog.text])
    manifest.write_text(manifest.read_text().replace("version: 1", "version: 2"))
    arrived(own)
    with closing(wiring.connect(own)) as parts:
        assert wiring.pack_problems(parts) == []


def test_an_installation_is_identified_by_its_files_and_settings(own: Settings) -> None:
    assert own.rules is not None
    at_first = installed(own)

    assert installed(own.model_copy(update={"log_level": "DEBUG", "flower_port": 5556})) == at_first
    assert installed(own.model_copy(update={"preset": "agentx"})) != at_first
    (own.rules / "hobbies" / "more.yaml").write_text("")
    assert installed(own) != at_first
