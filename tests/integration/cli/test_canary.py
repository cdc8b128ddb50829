"""`slowwave canary`: a new version of a pack on a share of the scopes is shown, promoted and rolled back."""

import io
import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from slowwave import wiring
from slowwave.memory import Memory, MemoryScope
from slowwave.settings import Settings
from tests.integration.cli.test_dry_runs import everything
from tests.integration.command import ALICE, Run
from tests.integration.steps import learn, process
from tests.integration.workers.test_reloaded_packs import _SHIPPED_PACK, versioned
from tests.unit.rules.rulepacks import manifest, rule, written

READS_OSLO = rule(id="home", when=r"\bI (?:live in) (?P<object>Oslo)", certainty="explicit")
CASE = {"it": "reads a home", "episodes": ["I live in Oslo"], "believe": ["user lives_in Oslo"]}


@pytest.fixture
def alice(
    url: str, parts: wiring.Parts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> Iterator[MemoryScope]:
    """Alice's scope, in which a canary has read that she lives in Oslo, and has not read that she likes tea."""
    rules = tmp_path / "rules"
    shutil.copytree(_SHIPPED_PACK, rules / "packs" / "everyday")
    versioned(rules / "packs" / "everyday" / "pack.yaml", 1001)
    for name in ("canaries", "policies"):
        (rules / name).mkdir()
    written(rules / "canaries", manifest(pack="everyday", version=1002, rules=[READS_OSLO]), [CASE], name="everyday")
    (rules / "policies" / "canaries.yaml").write_text("everyday: {share: 1}")
    monkeypatch.setenv("SLOWWAVE_RULES", str(rules / "packs"))
    with process(Settings.load(url=url, rules=rules / "packs", statements=False), {}) as canary:
        yield read_two(MemoryScope(canary, ALICE))


def read_two(scope: MemoryScope) -> MemoryScope:
    """Push two texts to a scope, and consolidate them together."""
    scope.push("I live in Oslo", key="k1")
    return learn(scope, "I like tea", key="k2")


def objects(scope: MemoryScope) -> list[str]:
    """Return the objects of the facts of a scope."""
    return sorted(fact.object for fact in scope.facts())


def test_the_status_of_a_canary_shows_what_the_installed_version_would_know(
    run: Run, alice: MemoryScope, superuser: psycopg.Connection
) -> None:
    before = everything(superuser)

    said, told = run("canary", "status", "everyday"), run("canary", "status", "everyday", "--json").json

    assert (said.status, said.err) == (0, "")
    assert said.out.startswith(
        "everyday@1002 beside the installed everyday@1001: running\n"
        "share: 1 of the scopes, here 1 scope\nhas read 1 scope in 1 run\n"
        "gained by the canary: 0\nlost by the canary: 1\n  The user likes tea (since "
    )
    assert said.out.endswith("nothing was written\n")
    assert (told["canary"]["version"], told["installed"], told["runs"]) == (1002, 1001, 1)
    assert [one["text"] for one in told["difference"]["restored"]] == ["The user likes tea"]
    assert everything(superuser) == before
    assert objects(alice) == ["Oslo"]
    listed = run("canary", "--json").json
    assert [(one["pack"], one["version"], one["declared"]) for one in listed] == [("everyday", 1002, True)]
    assert run("canary").out.splitlines()[2].split() == ["everyday@1002", "1", "running"]


def test_a_roll_back_asks_and_restores_what_the_installed_version_would_know(
    run: Run, alice: MemoryScope, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    refused = run("canary", "roll-back", "everyday")
    assert (refused.status, objects(alice)) == (130, ["Oslo"])

    done = run("canary", "roll-back", "everyday", "--yes", "--by", "Ann", "--reason", "it is deaf")
    again = run("canary", "roll-back", "everyday", "--yes")

    assert (done.status, done.err, objects(alice)) == (0, "", ["Oslo", "tea"])
    assert done.out.startswith("everyday@1002 is rolled back\ntenant default:\n")
    assert "the roll-back of everyday@1002 to the rules of everyday@1001 is done: `slowwave undo " in done.out
    assert done.out.endswith("next: remove the canary of everyday from canaries.yaml\n")
    assert again.out.startswith("everyday@1002 is rolled back\nnext: ")
    assert "rolled back by Ann: it is deaf\n" in run("canary", "status", "everyday").out
    assert "cannot be promoted: it is rolled back" in run("canary", "promote", "everyday").err
    learn(alice, "I like milk", key="k3")
    assert objects(alice) == ["Oslo", "milk", "tea"]


def test_a_roll_back_takes_back_a_replay_and_an_earlier_version_that_is_named(
    run: Run, alice: MemoryScope, url: str, tmp_path: Path
) -> None:
    mishears = rule(id="home", when=r"\bI live in (?P<object>Osl)o", certainty="explicit")
    heard = {"it": "mishears a home", "episodes": ["I live in Oslo"], "believe": ["user lives_in Osl"]}
    canaries = tmp_path / "rules" / "canaries"
    shutil.rmtree(canaries / "everyday")
    written(canaries, manifest(pack="everyday", version=1003, rules=[mishears]), [heard], name="everyday")
    with process(Settings.load(url=url, rules=tmp_path / "rules" / "packs"), {}):
        assert run("canary", "promote", "everyday", "--replay").status == 0
    assert objects(alice) == ["Osl"]

    seen, earlier = run("canary", "status", "everyday").out, run("canary", "status", "everyday@1002").out
    listed = run("canary").out
    skipped = run("canary", "roll-back", "everyday@1002", "--yes").out
    done = run("canary", "roll-back", "everyday", "--yes").out
    last = run("canary", "roll-back", "everyday@1002", "--yes").out

    assert "has read 0 scopes in 0 runs\nhas replayed 1 scope\n" in seen
    undecided = (
        "everyday@1002 is undecided, and what it has learned stays: `slowwave canary roll-back everyday@1002` ends"
    )
    assert undecided in seen
    assert ["everyday@1002", "1", "undecided"] in [line.split() for line in listed.splitlines()]
    assert earlier.startswith("everyday@1002 beside the installed everyday@1001: undecided\n")
    problem = (
        "everyday@1003 has replayed what everyday@1002 read, which is believed again without everyday@1003\n  hint: "
    )
    assert "not compared: " in earlier
    assert problem in earlier
    assert problem in skipped
    assert "no longer believed: 1\n  The user lives in Osl (" in done
    assert "next: remove the canary" in done
    assert "next: remove the canary" not in last
    assert objects(alice) == ["Oslo", "tea"]


def test_a_promoted_canary_reads_all_scopes_and_replays_them(run: Run, alice: MemoryScope, tmp_path: Path) -> None:
    policy = tmp_path / "rules" / "policies" / "canaries.yaml"
    policy.write_text("everyday: {share: 0.000001}")
    with process(alice._parts.settings, {}) as parts:
        bob = read_two(Memory(parts).scope("bob"))
        assert objects(bob) == ["Oslo", "tea"]

        done = run("canary", "promote", "everyday", "--by", "Ann")
        learn(bob, "I like milk", key="k3")
        assert (done.status, objects(bob)) == (0, ["Oslo", "tea"])
        assert done.out.startswith("everyday@1002 is promoted\nnext: put the folder of everyday@1002 in the place of")
        replayed = run("canary", "promote", "everyday", "--replay")
        assert objects(bob) == ["Oslo"]

    assert "no longer believed: 1\n  The user likes tea (" in replayed.out
    assert "share: all scopes, here 2 scopes\n" in run("canary", "status", "everyday").out


def test_a_pack_without_a_canary_is_refused_with_a_hint(run: Run, parts: wiring.Parts) -> None:
    wiring.register(parts)

    nothing, none = run("canary", "status", "nothing"), run("canary", "roll-back", "everyday", "--yes")

    assert "no pack 'nothing' is installed\n  hint: packs with a canary: none; policies/canaries.yaml" in nothing.err
    assert "the pack 'everyday' has no canary" in none.err
    assert {nothing.status, none.status} == {1}


def test_an_invalid_declaration_stops_a_process_with_all_problems(run: Run, alice: MemoryScope, tmp_path: Path) -> None:
    (tmp_path / "rules" / "policies" / "canaries.yaml").write_text("everyday: {share: 2}\nnothing: {share: 1}")

    said = run("canary", "status", "everyday")

    assert said.status == 1
    assert "the policy canaries.yaml has 3 problems:" in said.err
    assert "everyday.share" in said.err
    assert "nothing: there is no such rule pack" in said.err
