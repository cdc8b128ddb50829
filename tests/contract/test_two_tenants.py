"""Two tenants with the same names: no verb and no job gives one tenant the words of the other, or changes the other."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pydantic import SecretStr
from pydantic_core import to_json

from slowwave import wiring
from slowwave.domain.claim import Claim
from slowwave.domain.delta import AddDelta
from slowwave.domain.job_table import JOBS, pack_of
from slowwave.errors import Incorrect, SlowwaveError
from slowwave.inference.static_embedder import StaticEmbedder
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.asynchronous import faces
from slowwave.memory.asynchronous.twin import TWINS
from slowwave.memory.verb_group import parts_of
from slowwave.settings import Settings
from slowwave.testing import move_clock
from tests.contract.erasure import planting
from tests.contract.erasure.planting import MONDAY, TASK, WORDS, found, live
from tests.contract.model_calls.scripted_models import TALK, Talk
from tests.contract.replay.packs import VERSIONS, declare, everything
from tests.contract.summaries.harness import Model, anything, small, telling
from tests.endpoint import serving
from tests.integration.store.rows import tables

MINE, THEIRS = "mine", "theirs"
OURS = {"TOWN": "Brelvermoor", "SPORT": "klopfschwung", "PET": "Mirrelpuff", "TASK": "drosculation"}
"""The words of the tenant that asks; the other tenant says those of `planting`."""
BESIDE = {
    **dict.fromkeys(("Canaries.promote", "Canaries.roll_back", "Memory.check", "Memory.drain"), "covers all tenants"),
    **dict.fromkeys(("Memory.close", "Memory.connect"), "remembers nothing"),
    **dict.fromkeys(
        ("Memory.follow", "Memory.on_delta", "MemoryScope.follow", "MemoryScope.on_delta"),
        "has no end; test_stream asks it as another tenant",
    ),
    **dict.fromkeys(
        ("Consensus.topic_hash", "Graph.format_as_context", "Encryption.new_master_key"), "reads no memory"
    ),
}
"""The verbs that the test does not call, with the reason."""


@dataclass
class Asked:
    """The arguments of the calls: the memory, scope and file of the caller, and ids of the other tenant."""

    m: Memory
    s: MemoryScope
    file: Path
    fact: Any
    episode: Any
    goal: Any
    strategy: Any
    entity: Any
    consensus: str
    run: Any
    hold: int
    letter: Any
    erasure: Any
    recollection: Any


Call = Callable[[Asked], Any]
VECTOR = [1.0, *[0.0] * 383]
CALLS: dict[str, Call] = {
    "Canaries.listing": lambda a: a.m.canaries.listing(),
    "Canaries.status": lambda a: a.m.canaries.status("everyday", tenant=MINE),
    "Consensus.find_similar": lambda a: a.s.consensus.find_similar("moving"),
    "Consensus.get_dissent_for_topic": lambda a: a.s.consensus.get_dissent_for_topic(a.consensus),
    "Consensus.store_consensus": lambda a: a.s.consensus.store_consensus(
        {"topic": "tea", "statement": "tea is fine", "agents": ["helper"], "confidence": 0.9}),
    "Consensus.store_dissent": lambda a: a.s.consensus.store_dissent(
        {"topic": "tea", "statement": "tea is bad", "agents": ["other"], "confidence": 0.9}),
    "ContinuumMemory.context": lambda a: a.s.continuum.context(),
    "ContinuumMemory.outcome": lambda a: a.s.continuum.outcome("it went well", success=True, references=[a.fact]),
    "ContinuumMemory.retrieve": lambda a: a.s.continuum.retrieve(planting.PET, min_similarity=-1.0),
    "ContinuumMemory.store": lambda a: a.s.continuum.store("tea is fine"),
    "Encryption.destroy": lambda a: a.m.encryption.destroy(tenant=MINE, confirm=THEIRS),
    "Encryption.encrypt_stored": lambda a: a.m.encryption.encrypt_stored(tenant=MINE),
    "Encryption.listing": lambda a: a.m.encryption.listing(tenant=MINE),
    "Encryption.rotate": lambda a: a.m.encryption.rotate(tenant=MINE),
    "Encryption.status": lambda a: a.m.encryption.status(tenant=MINE),
    "Goals.add": lambda a: a.s.goals.add("Rest", parent=a.goal),
    "Goals.block": lambda a: a.s.goals.block(a.goal, "rain"),
    "Goals.complete": lambda a: a.s.goals.complete(a.goal),
    "Goals.get": lambda a: a.s.goals.get(a.goal),
    "Goals.list": lambda a: a.s.goals.list(None),
    "Goals.resume": lambda a: a.s.goals.resume(a.goal),
    "Graph.compare": lambda a: a.s.graph.compare(1, 2),
    "Graph.create_relationship": lambda a: a.s.graph.create_relationship(a.entity, "tea", "likes"),
    "Graph.describe": lambda a: a.s.graph.describe(a.entity),
    "Graph.find": lambda a: a.s.graph.find(planting.TOWN),
    "Graph.get_entity_graph": lambda a: a.s.graph.get_entity_graph([a.entity]),
    "Graph.load": lambda a: a.s.graph.load(),
    "Graph.mentioned_in": lambda a: a.s.graph.mentioned_in(a.episode),
    "Graph.mentions": lambda a: a.s.graph.mentions(a.entity),
    "Graph.node": lambda a: a.s.graph.node(a.entity),
    "Graph.query": lambda a: a.s.graph.query(f"Who lives in {planting.TOWN}?"),
    "Graph.rebuild": lambda a: a.s.graph.rebuild(),
    "Graph.store_fact": lambda a: a.s.graph.store_fact("tea", "is", "fine"),
    "Graph.upsert_entity": lambda a: a.s.graph.upsert_entity("tea"),
    "Graph.vector_search_entities": lambda a: a.s.graph.vector_search_entities(VECTOR),
    "Graph.vector_search_facts": lambda a: a.s.graph.vector_search_facts(VECTOR),
    "Graph.vector_search_turns": lambda a: a.s.graph.vector_search_turns(VECTOR),
    "Graph.versions": lambda a: a.s.graph.versions(),
    "Graph.walk": lambda a: a.s.graph.walk("Where does nora live?"),
    "MemoryStream.recall": lambda a: a.s.stream.recall(planting.SPORT),
    "MemoryStream.record": lambda a: a.s.stream.record("tea is fine"),
    "MemoryStream.summarize": lambda a: a.s.stream.summarize([MONDAY, MONDAY + timedelta(days=9)]),
    "Operator.budget": lambda a: a.m.operator(tenant=MINE).budget(),
    "Operator.dead_letters": lambda a: a.m.operator(tenant=MINE).dead_letters(everything=True),
    "Operator.drop": lambda a: a.m.operator(tenant=MINE).drop([a.letter]),
    "Operator.moves": lambda a: a.m.operator(tenant=MINE).moves(),
    "Operator.night": lambda a: a.m.operator(tenant=MINE).night(),
    "Operator.overview": lambda a: a.m.operator(tenant=MINE).overview(),
    "Operator.people": lambda a: a.m.operator(tenant=MINE).people(),
    "Operator.queue": lambda a: a.m.operator(tenant=MINE).queue(),
    "Operator.retry": lambda a: a.m.operator(tenant=MINE).retry([a.letter]),
    "Operator.run": lambda a: a.m.operator(tenant=MINE).run(a.run),
    "Operator.runs": lambda a: a.m.operator(tenant=MINE).runs(1000),
    "Quotas.listing": lambda a: a.m.quotas.listing(tenant=MINE),
    "Quotas.remove": lambda a: a.m.quotas.remove("recalls-a-minute", user="nora", tenant=MINE),
    "Quotas.set": lambda a: a.m.quotas.set("recalls-a-minute", 900, user="nora", tenant=MINE),
    "Strategies.all": lambda a: a.s.strategies.all(),
    "Strategies.find_strategies": lambda a: a.s.strategies.find_strategies(TASK),
    "Strategies.get": lambda a: a.s.strategies.get(a.strategy),
    "Strategies.get_tool_stats": lambda a: a.s.strategies.get_tool_stats(),
    "Strategies.learn_strategy": lambda a: a.s.strategies.learn_strategy("a", "b", ["grep"], "s", True),
    "Strategies.paths": lambda a: a.s.strategies.paths(),
    "Strategies.record_invocation": lambda a: a.s.strategies.record_invocation("s", "1", "grep", {}, {}, True, 1.0),
    "Strategies.reinforce_strategy": lambda a: a.s.strategies.reinforce_strategy(a.strategy, True),
    "Tools.calls": lambda a: a.s.tools.calls(before=a.episode),
    "Tools.capture": lambda a: a.s.tools.capture("s", "grep", {}, {}, success=True, latency_ms=1.0),
    "Tools.outcome": lambda a: a.s.tools.outcome("s", True),
    "Tools.plan": lambda a: a.s.tools.plan("s", "rest"),
    "Tools.record_invocation": lambda a: a.s.tools.record_invocation("s", "2", "grep", {}, {}, True, 1.0),
    "Tree.grow": lambda a: a.s.tree.grow(),
    "Tree.nodes": lambda a: a.s.tree.nodes(),
    "Tree.search": lambda a: a.s.tree.search(planting.TOWN),
    "WorkingMemory.add_turn": lambda a: a.s.working("s-one").add_turn("tea is fine"),
    "WorkingMemory.delete": lambda a: a.s.working("s-two").delete("k"),
    "WorkingMemory.evict_oldest": lambda a: a.s.working("s-one").evict_oldest(),
    "WorkingMemory.get": lambda a: a.s.working("s-one").get("secret"),
    "WorkingMemory.get_active_goal": lambda a: a.s.working("s-one").get_active_goal(),
    "WorkingMemory.get_context": lambda a: a.s.working("s-one").get_context(),
    "WorkingMemory.get_recent_turns": lambda a: a.s.working("s-one").get_recent_turns(),
    "WorkingMemory.get_thoughts": lambda a: a.s.working("s-one").get_thoughts(),
    "WorkingMemory.needs_pruning": lambda a: a.s.working("s-one").needs_pruning(),
    "WorkingMemory.prune": lambda a: a.s.working("s-one").prune(1),
    "WorkingMemory.push_thought": lambda a: a.s.working("s-one").push_thought("tea"),
    "WorkingMemory.set": lambda a: a.s.working("s-one").set("k", 1),
    "WorkingMemory.set_active_goal": lambda a: a.s.working("s-one").set_active_goal(a.goal, "rest"),
    "WorkingMemory.clear_session": lambda a: a.s.working("s-one").clear_session(),
    "MemoryScope.answer": lambda a: a.s.answer("Where does nora live?"),
    "MemoryScope.apply": lambda a: a.s.apply(AddDelta.model_validate({
        "fact_payload": {"subject": "user", "predicate": "likes", "object": "tea"}, "source_episode_ids": [a.episode],
        "confidence": 0.9, "rule_id": "test"})),
    "MemoryScope.archive": lambda a: a.s.archive("s-two"),
    "MemoryScope.archived": lambda a: a.s.archived(),
    "MemoryScope.consolidate": lambda a: a.s.consolidate(),
    "MemoryScope.context": lambda a: a.s.context("Where does nora live?", session="s-one").as_text(),
    "MemoryScope.conversation": lambda a: a.s.conversation("s-one"),
    "MemoryScope.conversations": lambda a: a.s.conversations(),
    "MemoryScope.correct": lambda a: a.s.correct(a.fact, "Bergen"),
    "MemoryScope.decide": lambda a: a.s.decide(a.letter, "accept", by="me"),
    "MemoryScope.deltas": lambda a: [*a.s.deltas(run=a.run), *a.s.deltas()],
    "MemoryScope.digest": lambda a: a.s.digest(),
    "MemoryScope.end_session": lambda a: a.s.end_session("s-one"),
    "MemoryScope.entries": lambda a: a.s.entries([a.fact]),
    "MemoryScope.episode": lambda a: a.s.episode(a.episode),
    "MemoryScope.facts": lambda a: a.s.facts(),
    "MemoryScope.feedback": lambda a: a.s.feedback(a.recollection, 1.0),
    "MemoryScope.forget": lambda a: a.s.forget(fact=a.fact, rewrite=False),
    "MemoryScope.history": lambda a: a.s.history(),
    "MemoryScope.hold": lambda a: a.s.hold("a lawsuit"),
    "MemoryScope.in_channel": lambda a: a.s.in_channel("trip").facts(),
    "MemoryScope.outlook": lambda a: a.s.outlook(a.s.facts()),
    "MemoryScope.pin": lambda a: a.s.pin(a.recollection),
    "MemoryScope.profile": lambda a: a.s.profile(),
    "MemoryScope.promote": lambda a: a.s.promote(a.fact, reason="it matters"),
    "MemoryScope.push": lambda a: a.s.push("I like tea", key="new"),
    "MemoryScope.push_many": lambda a: a.s.push_many(["I like milk"]),
    "MemoryScope.quietly": lambda a: a.s.quietly().recent(),
    "MemoryScope.recall": lambda a: a.s.recall(planting.TOWN, limit=100),
    "MemoryScope.recent": lambda a: [*a.s.recent(100)],
    "MemoryScope.remember": lambda a: a.s.remember(f"nora and {planting.SPORT}"),
    "MemoryScope.replay": lambda a: a.s.replay("everyday"),
    "MemoryScope.restore": lambda a: a.s.restore("s-two"),
    "MemoryScope.retrieve": lambda a: a.s.retrieve("Where does nora live?", session="s-one"),
    "MemoryScope.review": lambda a: a.s.review(),
    "MemoryScope.search_index": lambda a: a.s.search_index(planting.PET),
    "MemoryScope.standing": lambda a: a.s.standing(a.fact),
    "MemoryScope.store_turn": lambda a: a.s.store_turn("I like juice"),
    "MemoryScope.summary": lambda a: a.s.summary("s-one"),
    "MemoryScope.sweep": lambda a: a.s.sweep(),
    "MemoryScope.timeline": lambda a: a.s.timeline(a.episode),
    "MemoryScope.undo": lambda a: a.s.undo(a.run),
    "MemoryScope.undos": lambda a: a.s.undos(),
    "MemoryScope.unpin": lambda a: a.s.unpin(a.recollection),
    "MemoryScope.unread": lambda a: a.s.unread(),
    "MemoryScope.versions": lambda a: a.s.versions(a.fact),
    "MemoryScope.why": lambda a: a.s.why(a.fact),
    "MemoryScope.working": lambda a: a.s.working("s-two").get_context(),
    "Memory.archive_preview": lambda a: a.m.archive_preview(tenant=MINE),
    "Memory.archived": lambda a: a.m.archived(tenant=MINE),
    "Memory.decide": lambda a: a.m.decide(a.letter, "accept", by="me", tenant=MINE),
    "Memory.deltas": lambda a: [*a.m.deltas(run=a.run, tenant=MINE), *a.m.deltas(tenant=MINE)],
    "Memory.digest": lambda a: a.m.digest(tenant=MINE),
    "Memory.embedding_spaces": lambda a: a.m.embedding_spaces(tenant=MINE),
    "Memory.erasures": lambda a: a.m.erasures(tenant=MINE),
    "Memory.export": lambda a: (a.m.export(a.file, tenant=MINE), a.file.read_text()),
    "Memory.forget": lambda a: a.m.forget(matching=planting.SPORT, rewrite=False, tenant=MINE),
    "Memory.hold": lambda a: a.m.hold(None, "a lawsuit", tenant=MINE),
    "Memory.holds": lambda a: a.m.holds(tenant=MINE),
    "Memory.import_file": lambda a: a.m.import_file(a.file, tenant=MINE),
    "Memory.keep_embedding": lambda a: a.m.keep_embedding(tenant=MINE),
    "Memory.operator": lambda a: a.m.operator(tenant=MINE),
    "Memory.promote_to_global": lambda a: a.m.promote_to_global(a.fact, "it matters", tenant=MINE),
    "Memory.reembed": lambda a: a.m.reembed(tenant=MINE),
    "Memory.release": lambda a: a.m.release(a.hold, tenant=MINE),
    "Memory.replay": lambda a: a.m.replay("everyday", tenant=MINE),
    "Memory.review": lambda a: a.m.review(tenant=MINE),
    "Memory.rewrite_erased": lambda a: a.m.rewrite_erased(tenant=MINE),
    "Memory.scope": lambda a: a.m.scope("nora", tenant=MINE).facts(),
    "Memory.stats": lambda a: a.m.stats(tenant=MINE),
    "Memory.undo": lambda a: a.m.undo(a.run, tenant=MINE),
    "Memory.undos": lambda a: a.m.undos(tenant=MINE),
    "Memory.verify_erasure": lambda a: a.m.verify_erasure(a.erasure, tenant=MINE),
    "Memory.verify_export": lambda a: a.m.verify_export(a.file),
    "Memory.why": lambda a: a.m.why(a.fact, tenant=MINE),
}  # fmt: skip


@pytest.fixture
def talkative(settings: Settings, statement_parts: dict[str, object], cache_url: str, small: Model) -> Iterator[Memory]:
    """A memory as of the other suites, with a model."""
    small.provider.replies = anything
    with telling(settings, statement_parts, small, cache_url=SecretStr(cache_url), audit="verbose") as parts:
        yield Memory(parts)


@pytest.fixture
def moved(talkative: Memory, statement_parts: dict[str, object], small: Model) -> Iterator[Memory]:
    """A process on the same database with another embedder, and a pack that needs the model."""
    static = StaticEmbedder()
    with serving(lambda texts: static.embed(texts)[:, 64:].tolist()) as endpoint:
        own = {"embedding_url": endpoint.url, "embedding_model": "small", "embedding_dimensions": 192}
        packs = {"packs": statement_parts["packs"]}
        with telling(parts_of(talkative).settings, packs, small, embedder="endpoint", **own) as parts:
            vars(parts).update(models={TALK: Talk(model="openai:small?temperature=0")})
            vars(parts).pop("jobs", None)
            wiring.register(parts)
            yield Memory(parts)


def bury(memory: Memory, scope: MemoryScope, word: str) -> None:
    """Make a dead letter of an episode with *word*, and retry the letter."""

    def refuse(_: Claim) -> Claim:
        raise Incorrect(f"{word} cannot be read")

    parts = parts_of(memory)
    declare(parts, refuse, version=next(VERSIONS))
    scope.push(f"I live in {word}.", key="buried", session="s-four")
    scope.consolidate()
    declare(parts, everything, version=next(VERSIONS))
    operator = memory.operator(tenant=scope.scope.tenant)
    assert operator.retry([letter.letter for letter in operator.dead_letters() if letter.pack == "everyday"]) > 0
    memory.drain()


@pytest.fixture
def both(talkative: Memory, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[MemoryScope, MemoryScope]]:
    """Nora's scope in each tenant. Each tenant used every feature, with other words; a canary has read in both."""
    parts = parts_of(talkative)
    declare(parts, everything, version=next(VERSIONS))
    theirs = live(talkative, "nora", tenant=THEIRS)
    theirs.working("s-one").set("secret", WORDS[0])
    with monkeypatch.context() as other:
        for name, word in OURS.items():
            other.setattr(planting, name, word)
        mine = live(talkative, "nora", tenant=MINE)
    yield mine, theirs
    declare(parts)


def asked(memory: Memory, mine: MemoryScope, theirs: MemoryScope, file: Path) -> Asked:
    """Return the ids of the other tenant."""
    theirs.push("I like cake", session="erased", key="erased")
    erasure = memory.forget(user="nora", session="erased", rewrite=False, tenant=THEIRS)
    fact = next(one for one in theirs.facts() if planting.TOWN in one.text)
    strategy = theirs.strategies.learn_strategy(TASK, TASK, [TASK], "s-two", True)
    letters = memory.operator(tenant=THEIRS).dead_letters()
    return Asked(
        memory, mine, file, fact.id, theirs.recent(1)[0].id, theirs.goals.list()[0].goal_id, strategy,
        theirs.graph.find(planting.TOWN)[0].id, theirs.consensus.topic_hash(f"moving to {planting.TOWN}"),
        theirs.deltas()[0].run, theirs.hold(f"about {planting.TOWN}"), letters[0].letter, erasure,
        theirs.recall(planting.TOWN)[0],
    )  # fmt: skip


def said(call: Call, a: Asked) -> str:
    """Return everything that a verb returned, or the error that it raised."""
    try:
        return to_json(call(a), fallback=repr).decode()
    except SlowwaveError as error:
        return f"{error} {error.hint}"


def leaks(a: Asked, calls: Mapping[str, Call]) -> list[str]:
    """Return the verbs that told words of the other tenant."""
    return [name for name, call in calls.items() if any(word.casefold() in said(call, a).casefold() for word in WORDS)]


def rows(admin: psycopg.Connection) -> dict[str, int]:
    """Return the number of rows of the other tenant in each table."""
    return {
        table: admin.execute(f"SELECT count(*) FROM {table} WHERE tenant = %s".encode(), (THEIRS,)).fetchall()[0][0]
        for table in tables(admin)
    }


def verbs() -> set[str]:
    """Return the verbs of every face of the public API."""
    assert faces
    return {
        f"{face.__name__}.{name}"
        for face in TWINS
        for name, verb in inspect.getmembers(face, inspect.isroutine)
        if not name.startswith("_")
    }


__all__ = ["small"]


def test_each_verb_is_called_in_another_tenant_or_says_why_not() -> None:
    assert verbs() - BESIDE.keys() == set(CALLS)


def test_no_verb_tells_or_changes_what_another_tenant_remembers(
    talkative: Memory, both: tuple[MemoryScope, MemoryScope], superuser: psycopg.Connection, tmp_path: Path
) -> None:  # fmt: skip
    a = asked(talkative, *both, tmp_path / "export.jsonl")
    talkative.drain()
    parts_of(talkative).tally.flush()
    before, digest = rows(superuser), talkative.digest(tenant=THEIRS)

    assert leaks(a, CALLS) == []

    after = rows(superuser)
    assert {table: (count, after[table]) for table, count in before.items() if after[table] != count} == {}
    assert talkative.digest(tenant=THEIRS) == digest
    assert both[1].working("s-one").get("secret") == WORDS[0]
    assert leaks(a, {"planted": lambda _: both[1].facts()}) == ["planted"]


def test_no_job_gives_a_tenant_the_words_of_another(
    talkative: Memory, both: tuple[MemoryScope, MemoryScope], moved: Memory, superuser: psycopg.Connection,
    owner_url: str,
) -> None:  # fmt: skip
    parts = parts_of(moved)
    for scope, town in zip(both, (OURS["TOWN"], planting.TOWN), strict=True):
        bury(talkative, scope, town)
    wiring.register(parts)
    for scope, pet in zip(both, (OURS["PET"], planting.PET), strict=True):
        assert moved.reembed(tenant=scope.scope.tenant) > 0
        there = MemoryScope(parts, scope.scope)
        there.push_many(f"likes {pet}{number}" for number in range(4))
    move_clock(owner_url, timedelta(days=40))
    for _ in range(2):  # a job requests others
        for job, kind in JOBS.items():
            if kind.triggers:
                parts.schedule.fire_job(job, pack_of(job), by="test")
        moved.drain()

    for tenant, words in ((MINE, WORDS), (THEIRS, tuple(OURS.values()))):
        assert found(superuser, words, tenant=tenant) == {}, tenant
        asked_for = "SELECT DISTINCT job FROM runs WHERE tenant = %s AND outcome = 'ok'"
        ran = {job for (job,) in superuser.execute(asked_for, (tenant,))}
        due = {job for job, kind in JOBS.items() if kind.works != "installation"}
        assert due - ran == set(), tenant
    assert found(superuser, WORDS, tenant=THEIRS).keys() > {"episodes", "facts"}
