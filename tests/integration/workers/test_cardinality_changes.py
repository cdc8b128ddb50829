"""The cardinality of a predicate with facts does not change, whichever file is edited."""

import dataclasses
import json
import re
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from scheduler.tick import Ticker
from slowwave import wiring
from slowwave.errors import Incorrect
from slowwave.memory import MemoryScope
from slowwave.rules import hot_reload
from slowwave.store.statements import sql
from slowwave.wiring import Parts, Settings
from tests.databases import registered
from tests.faults.rig.provider import answering
from tests.integration.command import ALICE, Run
from tests.plans import touched
from tests.unit.rules.rulepacks import manifest, rule, written

KEEPS = rule(
    id="keeps", says="Whoever says so keeps an animal.", when=r"\bI keep a (?P<object>\w+)",
    claim={"predicate": "keeps"},
)  # fmt: skip
CASE = {"it": "keeps", "episodes": ["I keep a cat"], "believe": ["user keeps cat"]}
MANY, ONE = {"single_valued": False}, {"single_valued": True}


def zoo(folder: Path, keeps: dict[str, Any] | None, *, version: int = 1) -> None:
    """Write the pack `zoo`, with *keeps* as the declaration of its predicate, or without one."""
    predicates = {} if keeps is None else {"keeps": keeps}
    written(folder, manifest(pack="zoo", version=version, rules=[KEEPS], predicates=predicates), [CASE], name="zoo")


def operators(folder: Path, **predicates: Any) -> None:
    """Write the operator's own `predicates.yaml` beside the packs in *folder*."""
    policies = folder.parent / "policies"
    policies.mkdir(exist_ok=True)
    (policies / "predicates.yaml").write_text(json.dumps(predicates))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The operator's packs: one, whose predicate holds many values."""
    packs = tmp_path / "packs"
    packs.mkdir()
    zoo(packs, MANY)
    return packs


@pytest.fixture
def own(settings: Settings, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings with the operator's packs, for processes that reload them before every run."""
    monkeypatch.setattr(hot_reload, "GLANCE_SECONDS", 0)
    monkeypatch.setenv("SLOWWAVE_RULES", str(folder))
    return settings.model_copy(update={"rules": folder})


@pytest.fixture
def worker(own: Settings) -> Iterator[Parts]:
    """A process that consolidates; the packs are registered."""
    with registered(own) as parts:
        yield parts


@pytest.fixture
def alice(worker: Parts) -> MemoryScope:
    """The memory of Alice, who keeps a cat and a dog."""
    scope = MemoryScope(worker, ALICE)
    told(scope, "I keep a cat")
    told(scope, "I keep a dog")
    assert keeps(scope) == {"cat": 1, "dog": 1}
    return scope


def told(scope: MemoryScope, text: str) -> None:
    scope.push(text, key=text)
    scope.consolidate()


def keeps(scope: MemoryScope) -> dict[str, int]:
    """Return the kept objects, each with the version of the pack that extracted it."""
    return {f.object: int(f.rule.partition("@")[2]) for f in scope.facts() if f.predicate == "keeps"}


def problem(own: Settings) -> str:
    """Return the error that registering the packs raises."""
    with pytest.raises(Incorrect) as caught, registered(own):
        pass
    return str(caught.value)


def test_a_pack_that_changes_the_cardinality_of_a_used_predicate_is_refused_with_a_remedy(
    alice: MemoryScope, own: Settings, folder: Path
) -> None:
    bob = MemoryScope(alice._parts, dataclasses.replace(ALICE, tenant="other", user="bob"))
    told(bob, "I keep a cow")
    zoo(folder, ONE, version=2)

    assert problem(own).splitlines() == [
        "rule pack 'zoo' has 2 problems:",
        "  - predicates.keeps.single_valued: is true here and false in force, and tenant 'default' holds 2 facts of it",
        "  - predicates.keeps.single_valued: is true here and false in force, and tenant 'other' holds 1 fact of it",
        "  hint: give the predicate another name, or retire its facts first, each with a delta of kind delete",
    ]


@pytest.mark.parametrize("before", [ONE, {**ONE, "aliases": ["keeps_a"]}])
def test_a_single_valued_predicate_with_facts_cannot_become_many_valued(
    own: Settings, folder: Path, before: dict[str, Any]
) -> None:
    zoo(folder, before)
    with registered(own) as parts:
        told(MemoryScope(parts, ALICE), "I keep a cat")
    zoo(folder, None, version=2)

    assert "predicates.keeps.single_valued: is false here and true in force" in problem(own)


def test_a_worker_keeps_the_old_pack_and_follows_once_the_facts_are_retired(alice: MemoryScope, folder: Path) -> None:
    zoo(folder, ONE, version=2)
    told(alice, "I keep a cow")
    assert keeps(alice) == {"cat": 1, "dog": 1, "cow": 1}
    assert "tenant 'default' holds 2 facts of it" in alice._parts.watched.problems["zoo"]

    for fact in alice.facts():
        alice.apply({"kind": "delete", "replaces": [str(fact.id)], "source_episode_ids": [str(fact.sources[0].episode)],
                     "promotion_ts": fact.recorded_from, "rule_id": "tidied", "confidence": 1})  # fmt: skip
    zoo(folder, ONE, version=3)
    told(alice, "I keep a goat")
    told(alice, "I keep a horse")
    assert keeps(alice) == {"horse": 3}


def test_a_worker_started_with_the_edited_pack_does_not_run_it(alice: MemoryScope, own: Settings, folder: Path) -> None:
    zoo(folder, ONE, version=2)
    with closing(wiring.connect(own)) as late:
        MemoryScope(late, ALICE).push("I keep a cow", key="late")
        with pytest.raises(Incorrect, match=r"keeps\.single_valued"):
            late.jobs  # noqa: B018  # as the first run asks for them

    assert keeps(alice) == {"cat": 1, "dog": 1}


def test_a_scheduler_leaves_the_registered_pack_in_force_and_says_why(
    alice: MemoryScope, own: Settings, folder: Path, superuser: Any, caplog: pytest.LogCaptureFixture
) -> None:
    def version() -> int:
        found = superuser.execute("SELECT version FROM packs WHERE pack = 'zoo' AND active").fetchone()
        assert found is not None
        return int(found[0])

    ticker = Ticker(wiring.connect(own), by="beat", ring=None)
    ticker.tick()
    zoo(folder, ONE, version=2)
    ticker.tick()
    assert version() == 1
    assert "keeps.single_valued: is true here and false in force" in caplog.text

    zoo(folder, MANY, version=3)
    ticker.tick()
    assert version() == 3
    ticker.close()


def test_a_shared_predicate_with_facts_keeps_its_cardinality(alice: MemoryScope, own: Settings, folder: Path) -> None:
    told(alice, "I live in Oslo")
    operators(folder, lives_in={"single_valued": False})

    told(alice, "I live in Bergen")
    assert [f.object for f in alice.facts() if f.predicate == "lives_in"] == ["Bergen"]
    assert problem(own).startswith("the shared predicates has 1 problem")
    assert "predicates.lives_in.single_valued" in alice._parts.watched.problems["predicates.yaml"]


def test_moving_a_shared_declaration_into_a_pack_changes_nothing(own: Settings, folder: Path) -> None:
    operators(folder, keeps=ONE)
    zoo(folder, None)
    with registered(own) as parts:
        scope = MemoryScope(parts, ALICE)
        told(scope, "I keep a cat")

        operators(folder, hums={})
        zoo(folder, ONE, version=2)
        told(scope, "I keep a dog")
        assert keeps(scope) == {"dog": 2}


def test_a_predicate_without_facts_can_change_its_cardinality(worker: Parts, own: Settings, folder: Path) -> None:
    zoo(folder, {**ONE, "aliases": ["keeps_a"]}, version=2)
    scope = MemoryScope(worker, ALICE)
    told(scope, "I keep a cat")
    told(scope, "I keep a dog")
    assert keeps(scope) == {"dog": 2}


def test_a_removed_pack_leaves_its_predicates_unchanged(alice: MemoryScope, own: Settings, folder: Path) -> None:
    shutil.rmtree(folder / "zoo")
    with registered(own):
        pass
    zoo(folder, ONE, version=2)

    assert "tenant 'default' holds 2 facts of it" in problem(own)


def test_a_dry_run_and_a_live_check_report_the_same_problem(
    run: Run, alice: MemoryScope, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    zoo(folder, ONE, version=2)
    whose = ("--user", ALICE.user, "--agent", ALICE.agent, "--channel", ALICE.channel)
    with answering(["503"]) as provider:
        monkeypatch.setenv("SLOWWAVE_MODEL", "echo")
        monkeypatch.setenv("SLOWWAVE_MODEL_URL", provider.url)
        live = run("rules", "check", "zoo", "--live")
    monkeypatch.delenv("SLOWWAVE_MODEL")
    said = run("rules", "dry-run", "zoo", *whose)

    told_of_it = r"keeps\.single_valued: is true here and false in force, and tenant 'default' holds 2 facts of it"
    assert (said.status, live.status) == (1, 1)
    assert re.search(told_of_it, said.err)
    assert re.search(told_of_it, live.err)


def test_checking_a_tenant_reads_one_row_per_predicate(alice: MemoryScope, url: str, superuser: Any) -> None:
    superuser.execute(
        "INSERT INTO facts (scope, tenant, fact, belief, subject, predicate, object, single_valued, valid, recorded, "
        "confidence, rule, position, session, text) "
        "SELECT scope, tenant, gen_random_uuid(), 1000000 + n, subject, predicate, n, false, valid, recorded, 1, rule, "
        "position, session, n FROM facts, generate_series(1, 5000) n WHERE object = 'cat'"
    )
    superuser.execute("VACUUM ANALYZE facts")

    found = touched(url, sql("packs/predicates_in_use"))
    assert {index for table, index, _ in found if table == "facts"} == {"facts_open_predicates"}
    assert sum(rows for *_, rows in found) <= 3
    other = touched(url, sql("packs/predicates_in_use"), tenant="other")
    assert sum(rows for *_, rows in other) == 0
