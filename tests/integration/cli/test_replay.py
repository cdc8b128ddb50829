"""`slowwave replay` compares another version of a pack with the beliefs, and writes nothing."""

import io
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest

from slowwave.domain.episode import Episode
from slowwave.memory import Memory, MemoryScope, due_work
from slowwave.wiring import Parts
from tests.faults.rig.provider import LocalProvider
from tests.integration.cli.test_dry_runs import asked, everything, other_reader
from tests.integration.command import ALICE, WHOSE, Run, of_alice
from tests.integration.steps import homes, learn, work_off
from tests.unit.rules.rulepacks import manifest, rule, written

FORGETFUL = rule(id="home", when=r"\bI (?:live in) (?P<object>Lisbon)", certainty="explicit")
CASE = {"it": "reads a home", "episodes": ["I live in Lisbon"], "believe": ["user lives_in Lisbon"]}


@pytest.fixture
def next_version(tmp_path: Path) -> str:
    """The folder of another version of the shipped pack, which reads one city alone."""
    return str(written(tmp_path, manifest(pack="everyday", version=99, rules=[FORGETFUL]), [CASE], name="everyday"))


def same(run: Run) -> dict[str, object]:
    """Return the comparison with the installed version."""
    found = run("replay", "everyday", *WHOSE, "--json").json
    return {"gained": found["difference"]["gained"], "lost": found["difference"]["lost"],
            "changed": found["difference"]["changed"], "of_no_pack": found["of_no_pack"]}  # fmt: skip


__all__ = ["asked"]
NOTHING = {"gained": [], "lost": [], "changed": [], "of_no_pack": 0}


def test_a_replay_compares_another_version_with_the_facts_and_writes_nothing(
    run: Run, alice: Memory, superuser: psycopg.Connection, next_version: str
) -> None:
    before = everything(superuser)
    told = run("replay", next_version, *WHOSE, "--json").json
    said = run("replay", f"{next_version}@99", *WHOSE)
    difference = told["difference"]

    assert (told["pack"], told["version"], told["episodes"], told["price"]) == ("everyday", 99, 4, None)
    assert [(old["object"], new["object"]) for old, new in difference["changed"]] == [("Oslo", "Lisbon")]
    assert ("likes", "jazz") in {(one["predicate"], one["object"]) for one in difference["lost"]}
    assert difference["changed"][0][1]["quotes"][0]["words"] == "I live in Lisbon"
    assert (said.status, said.err) == (0, "")
    assert "everyday@99 over 4 episodes: 1 claim\n" in said.out
    assert said.out.endswith("made by no pack, and unchanged: 0\nnothing was written\n")
    assert everything(superuser) == before


def test_a_replay_of_the_current_version_changes_nothing(run: Run, alice: Memory) -> None:
    assert same(run) == NOTHING
    assert run("replay", "everyday", *WHOSE, "--json").json["difference"]["same"] > 1


LATER = datetime(2026, 4, 1, 9, tzinfo=UTC)


def test_an_episode_that_no_pack_has_read_does_not_count(run: Run, alice: Memory, parts: Parts) -> None:
    parts.push(ALICE, [Episode(content="I moved to Rome.", key="new", session="s9", occurred_at=LATER)])
    assert same(run) == NOTHING

    due_work.fire(parts)
    alice.drain()
    assert homes(of_alice(alice)) == ["Rome"]
    assert same(run) == NOTHING


@pytest.mark.parametrize(
    ("late", "news"),
    [
        ("I like tea.", "No, I meant coffee."),
        ("I drive a Honda.", "I sold the Honda."),
        ("I like tea.", "I don't like tea any more."),
        ("My boss is Karen", "I have a new manager"),
    ],
)
def test_a_replay_after_a_late_episode_changes_nothing(
    run: Run, alice: Memory, parts: Parts, late: str, news: str
) -> None:
    for key, text, at in (("news", news, LATER), ("late", late, LATER - timedelta(minutes=1))):
        work_off(parts, ALICE, [Episode(content=text, key=key, session="s9", occurred_at=at)])

    assert same(run) == NOTHING


def test_a_replay_of_the_same_version_respects_an_undo(run: Run, alice: Memory) -> None:
    delta = next(one for one in alice.deltas() if "lives in Oslo" in one.text)
    alice.undo(delta.id)

    assert same(run) == NOTHING


@pytest.mark.parametrize(("wrong", "right"), [("Oslo", "Bergen"), ("jazz", "blues")])
def test_a_correction_by_hand_is_kept(run: Run, alice: Memory, wrong: str, right: str) -> None:
    (fact,) = (one for one in of_alice(alice).facts() if one.object == wrong)
    of_alice(alice).correct(fact.id, right)

    assert same(run) == {**NOTHING, "of_no_pack": 1}


def test_a_missing_version_and_a_pack_that_read_nothing_are_reported(run: Run, alice: Memory, tmp_path: Path) -> None:
    odd = written(tmp_path, manifest(rules=[FORGETFUL]), [CASE])
    other, unread, unknown = (
        run("replay", "everyday@98765", *WHOSE), run("replay", str(odd), *WHOSE), run("replay", "nothing@1", *WHOSE),
    )  # fmt: skip

    assert "not 98765\n  hint: name the folder that holds the other version" in other.err
    assert "no pack 'odd' has read anything in" in unread.err
    assert "there is no rule pack 'nothing'" in unknown.err
    assert {other.status, unread.status, unknown.status} == {1}


@pytest.fixture
def installed(next_version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install the other version of the pack for the commands."""
    monkeypatch.setenv("SLOWWAVE_RULES", str(Path(next_version).parent))


def believed(scope: MemoryScope) -> list[tuple[str, str]]:
    """Return the predicates and objects of the facts of a scope."""
    return sorted((fact.predicate, fact.object) for fact in scope.facts())


@pytest.mark.usefixtures("installed")
def test_replaying_an_installed_version_replaces_beliefs_and_can_be_undone(run: Run, alice: Memory) -> None:
    before = believed(of_alice(alice))

    done = run("replay", "everyday@99", *WHOSE, "--apply", "--yes", "--by", "Ann", "--reason", "one city")

    assert (done.status, done.err) == (0, "")
    assert "no longer believed: The user lives in Oslo (since 2026-03-02; alice/concierge/home)\n" in done.out
    assert "the replay of everyday@99 is done: `slowwave undo " in done.out
    assert believed(of_alice(alice)) == [("lives_in", "Lisbon")]
    (order,) = alice.undos()
    assert "the replay of everyday@99 was asked for by Ann: one city" in run("why", str(order.withdrawn[0].fact)).out
    again = run("replay", "everyday", *WHOSE, "--apply", "--yes")
    asked = run("replay", "everyday", *WHOSE, "--apply")
    assert again.out == "no fact changes: the pack makes the same claims as before\n"
    assert asked.out == again.out + "nothing is written\n"

    back = run("undo", str(order.id))

    assert "the undo of the replay of everyday@99" not in back.err
    assert believed(of_alice(alice)) == before


@pytest.mark.usefixtures("installed")
def test_a_replay_asks_before_it_writes(
    run: Run, alice: Memory, superuser: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("status")  # registers the pack
    before = everything(superuser)
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))

    seen = run("replay", "everyday", *WHOSE, "--apply")

    assert seen.status == 130
    assert "would be no longer believed: The user lives in Oslo" in seen.out
    assert "nothing is written yet\nReplace the beliefs? [y/N]: " in seen.out
    assert everything(superuser) == before
    assert homes(of_alice(alice)) == ["Oslo"]


def test_only_an_installed_version_can_be_applied(run: Run, alice: Memory, next_version: str) -> None:
    other = run("replay", "everyday@99", *WHOSE, "--apply", "--yes")
    folder = run("replay", next_version, *WHOSE, "--apply", "--yes")

    assert "everyday@99 is not installed: everyday has version" in other.err
    assert "hint: put the folder of that version under SLOWWAVE_RULES" in other.err
    assert "only an installed pack can be replayed for good" in folder.err
    assert {other.status, folder.status} == {1}
    assert homes(of_alice(alice)) == ["Oslo"]


@pytest.fixture
def bob(alice: Memory) -> MemoryScope:
    """Bob's scope, beside Alice's."""
    scope = learn(alice.scope("bob"), "I live in Lisbon and I like tea", key="b1", occurred_at=LATER)
    return scope


def test_all_users_are_compared_in_sums_with_examples(
    run: Run, alice: Memory, bob: MemoryScope, superuser: psycopg.Connection, next_version: str
) -> None:
    before = everything(superuser)

    told = run("replay", next_version, "--all-users", "--json").json
    said = run("replay", next_version, "--all-users", "--examples", "1")

    assert (told["scopes"], told["episodes"], told["claims"], told["price"]) == (2, 5, 2, None)
    assert (told["gained"], told["changed"], told["of_no_pack"]) == (0, 1, 0)
    assert told["same"] >= 1, "Bob's home"
    ((scope, old, new),) = told["examples_changed"]
    assert (scope["user"], old["object"], new["object"]) == ("alice", "Oslo", "Lisbon")
    assert {scope["user"] for scope, _ in told["examples_lost"]} == {"alice", "bob"}
    assert "everyday@99 over 5 episodes of 2 scopes: 2 claims\nwould be believed: 0\n" in said.out
    assert f"would be lost: {told['lost']}\n  - alice/concierge/home: " in said.out
    assert said.out.count("\n  - ") == 1
    assert said.out.endswith("made by no pack, and unchanged: 0\nnothing was written\n")
    assert everything(superuser) == before


@pytest.mark.usefixtures("installed")
def test_all_users_are_replayed_after_one_question_and_undone_by_one_id(
    run: Run, alice: Memory, bob: MemoryScope, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = [believed(scope) for scope in (of_alice(alice), bob)]
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))

    done = run("replay", "everyday@99", "--all-users", "--apply", "--examples", "1")

    assert (done.status, done.err) == (0, "")
    asked, _, written = done.out.partition("Replace the beliefs? [y/N]: ")
    assert "would be no longer believed: " in asked
    assert asked.endswith("in 2 scopes\nnothing is written yet\n")
    assert "\nin 2 scopes\nthe replay of everyday@99 is done: `slowwave undo " in written
    assert [believed(scope) for scope in (of_alice(alice), bob)] == [[("lives_in", "Lisbon")]] * 2
    (order,) = alice.undos()
    run("undo", str(order.id))
    assert [believed(scope) for scope in (of_alice(alice), bob)] == before


def test_all_users_must_be_named_and_excludes_one_user(run: Run, alice: Memory) -> None:
    nobody, both = run("replay", "everyday"), run("replay", "everyday", "--all-users", *WHOSE)
    tenant = run("replay", "everyday", "--all-users", "--tenant", "nobody")

    assert "name one memory with --user, or every memory of the tenant with --all-users" in nobody.err
    assert "leave out --user and --agent and --channel" in both.err
    assert "has read nothing in the tenant 'nobody'" in tenant.err
    assert (nobody.status, both.status, tenant.status) == (2, 2, 1)


def test_missing_replies_of_all_users_are_priced_and_their_scopes_skipped(
    run: Run, asked: tuple[MemoryScope, LocalProvider], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _, provider = asked
    monkeypatch.setenv("SLOWWAVE_RULES", str(other_reader(tmp_path / "packs").parent))

    priced = run("replay", "reader", "--all-users", "--json").json["price"]
    said = run("replay", "reader", "--all-users")
    skipped = run("replay", "reader", "--all-users", "--apply", "--yes")

    assert (priced["requests"], priced["at_hand"]) == (1, 0)
    assert priced["prompt_tokens"] > 0
    assert said.out.startswith("1 episode: 1 request to the model, ")
    assert "skipped: alice/concierge/home: 1 request of reader@" in skipped.out
    assert "no fact changes" not in skipped.out
    assert provider.billed.total() == 1


def test_a_model_pack_is_replayed_from_its_stored_replies(
    run: Run, asked: tuple[MemoryScope, LocalProvider], superuser: psycopg.Connection
) -> None:
    scope, provider = asked
    run("replay", "reader", *WHOSE)  # registers the packs
    before = everything(superuser)

    same = run("replay", "reader", *WHOSE, "--apply", "--yes")

    assert (same.status, same.err) == (0, "")
    assert same.out == "no fact changes: the pack makes the same claims as before\n"
    assert everything(superuser) == before
    assert provider.billed.total() == 1

    (fact,) = scope.facts()
    superuser.execute("UPDATE model_replies SET raw = %s", ('{"claims": []}',))

    other = run("replay", "reader", *WHOSE, "--apply", "--yes", "--json").json

    assert [one["fact"] for one in other["withdrawn"]] == [str(fact.id)]
    assert scope.facts() == []
    assert provider.billed.total() == 1


def test_a_pack_with_a_model_is_refused_while_replies_are_missing(
    run: Run, asked: tuple[MemoryScope, LocalProvider], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    scope, provider = asked
    monkeypatch.setenv("SLOWWAVE_RULES", str(other_reader(tmp_path / "packs").parent))

    refused = run("replay", "reader", *WHOSE, "--apply", "--yes")

    assert refused.status == 1
    assert "1 request of reader@" in refused.err
    assert "to the model have no reply yet\n  hint: `slowwave replay reader --user alice` says what" in refused.err
    assert provider.billed.total() == 1
    assert [one.object for one in scope.facts()] == ["Oslo"]


def test_missing_replies_are_bought_after_a_question_and_then_compared(
    run: Run, asked: tuple[MemoryScope, LocalProvider], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    scope, provider = asked
    monkeypatch.setenv("SLOWWAVE_RULES", str(other_reader(tmp_path / "packs").parent))
    monkeypatch.setattr("sys.stdin", io.StringIO("n\ny\n"))
    provider.replies = lambda _: '{"claims": []}'

    no = run("replay", "reader", *WHOSE, "--ask")
    assert (no.status, provider.billed.total()) == (130, 1)
    yes = run("replay", "reader", *WHOSE, "--ask")

    assert (yes.status, provider.billed.total()) == (0, 2)
    price, _, compared = yes.out.partition("Ask the model? [y/N]: ")
    assert price.startswith("1 episode: 1 request to the model, ")
    assert "\nstored and free: 1 reply\n" in compared
    assert "would be lost: 1\n" in compared
    assert compared.endswith("made by no pack, and unchanged: 0\nno fact was changed\n")
    assert [one.object for one in scope.facts()] == ["Oslo"]

    done = run("replay", "reader", *WHOSE, "--ask", "--apply", "--yes")
    assert (done.status, provider.billed.total(), scope.facts()) == (0, 2, [])


def test_the_missing_replies_of_all_users_are_bought_and_scopes_without_them_are_named(
    run: Run, asked: tuple[MemoryScope, LocalProvider], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    scope, provider = asked
    monkeypatch.setenv("SLOWWAVE_RULES", str(other_reader(tmp_path / "packs").parent))
    provider.replies = lambda _: '{"claims": []}'
    provider.script += ["400"]

    first = run("replay", "reader", "--all-users", "--ask", "--apply", "--yes")
    assert "alice/concierge/home: 1 request of reader@" in first.err
    assert "got no reply that can be read: refused: " in first.err
    assert "skipped: alice/concierge/home: 1 request of reader@" in first.out
    assert [one.object for one in scope.facts()] == ["Oslo"]

    second = run("replay", "reader", "--all-users", "--ask", "--apply", "--yes")
    assert (second.status, second.err, scope.facts()) == (0, "", [])
    assert provider.billed.total() == 2
