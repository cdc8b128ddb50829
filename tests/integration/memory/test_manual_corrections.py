"""Facts applied and deleted by hand, and public objects that expose no internals."""

import json
import uuid
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
import redis

from slowwave import QueueClient
from slowwave.broker import queue
from slowwave.domain.delta import AddDelta
from slowwave.domain.episode import Episode
from slowwave.domain.recollection import Remembered
from slowwave.domain.scope import Scope
from slowwave.errors import Conflict, Incorrect, Unavailable
from slowwave.memory import Memory, MemoryScope, due_work
from slowwave.memory.graph_builder import GraphBuilder
from slowwave.wiring import Parts
from tests.integration.steps import Told, homes, learn
from tests.ledger import rebuilt

Add = Callable[[dict[str, Any]], uuid.UUID]


@pytest.fixture
def remembered(parts: Parts, scope: Scope, told: Told) -> MemoryScope:
    """A scope with two episodes to cite."""
    known = MemoryScope(parts, scope)
    known.push_many(told("We met in Riga.", "It rained."))
    return known


@pytest.fixture
def provenance(remembered: MemoryScope) -> dict[str, Any]:
    """Return the required fields of every delta."""
    sources = [str(remembered.push(Episode(content=f"source {n}", key=f"source-{n}")).id) for n in range(2)]
    return {
        "source_episode_ids": sources,
        "promotion_ts": datetime.fromisoformat("2026-03-03T00:00:00+00:00"),
        "rule_id": "a person",
        "confidence": 0.9,
    }


def payload(object_: str) -> dict[str, Any]:
    return {"subject": "user", "predicate": "lives_in", "object": object_, "single_valued": True}


@pytest.fixture
def add(remembered: MemoryScope, provenance: dict[str, Any]) -> Add:
    """Return a function that adds a fact to the scope by hand."""
    return lambda payload: remembered.apply({"kind": "add", "fact_payload": payload, **provenance})


def test_a_deleted_fact_can_be_learned_again(remembered: MemoryScope, add: Add, provenance: dict[str, Any]) -> None:
    remembered.apply({"kind": "delete", "replaces": [str(add(payload("Riga")))], **provenance})

    assert homes(learn(remembered, "I live in Riga")) == ["Riga"]


def test_applying_the_same_delta_again_changes_nothing(remembered: MemoryScope, add: Add) -> None:
    assert add(payload("Riga")) == add(payload("Riga"))
    assert [fact.text for fact in remembered.facts()] == ["The user lives in Riga"]


def test_all_problems_of_a_delta_are_listed_at_once(remembered: MemoryScope) -> None:
    with pytest.raises(Incorrect) as caught:
        remembered.apply({"kind": "update", "fact_payload": {}, "confidence": 1.4, "promotion_ts": "soon", "x": 1})
    places = {problem.partition(":")[0] for problem in caught.value.problems}
    assert places == {"source_episode_ids", "promotion_ts", "rule_id", "confidence", "replaces", "x"}


def test_a_manual_delta_is_refused_while_a_worker_holds_the_scope(
    remembered: MemoryScope, provenance: dict[str, Any], parts: Parts
) -> None:
    due_work.fire(parts, remembered.scope.id)
    run = parts.runs.claim(owner="somebody", scope=remembered.scope.id, jobs=None, overdue_seconds=0)
    assert run is not None

    with pytest.raises(Conflict):
        remembered.apply({"kind": "noop", **provenance})


def test_the_fold_of_the_ledger_is_the_fact_table_after_work_by_hand(
    remembered: MemoryScope, add: Add, provenance: dict[str, Any], parts: Parts
) -> None:
    old = add(payload("Riga"))
    later = provenance["promotion_ts"] + timedelta(days=10)
    update = {"kind": "update", "replaces": [str(old)], "fact_payload": payload("Oslo"), **provenance}
    new = remembered.apply({**update, "valid_from": later})
    remembered.apply({"kind": "delete", "replaces": [str(new)], **provenance, "valid_from": later + timedelta(days=1)})

    folded, table = rebuilt(parts, remembered.scope)
    assert folded == table
    assert len(table) == 4  # Riga open and cut short, Oslo open and cut short


STATEMENT = {
    "subject": "Nora", "predicate": "go_hiking", "object": "on the weekend of 4 April 2026", "form": "statement",
    "text": "Nora went hiking on the weekend of 4 April 2026", "tense": "past",
}  # fmt: skip


def test_a_statement_is_a_fact_with_its_own_text(remembered: MemoryScope, add: Add) -> None:
    typed, statement = add(payload("Riga")), add(STATEMENT)

    (believed,) = remembered.facts(form="statement")
    assert (believed.id, believed.text, believed.form, believed.tense) == (
        statement, STATEMENT["text"], "statement", "past"
    )  # fmt: skip
    assert [fact.id for fact in remembered.facts(form="typed")] == [typed]
    assert {fact.id for fact in remembered.facts()} == {typed, statement}
    why = remembered.why(statement)
    assert (why.text, why.form, why.tense, why.steps[0].text) == (
        STATEMENT["text"], "statement", "past", STATEMENT["text"]
    )  # fmt: skip
    last = remembered.deltas()[-1]
    assert last.text == STATEMENT["text"]
    assert isinstance(last.delta, AddDelta)
    assert last.delta.fact_payload == {**STATEMENT, "single_valued": False}


def test_recall_finds_memories_of_the_kinds_that_are_asked_for(remembered: MemoryScope, add: Add) -> None:
    typed, statement = add(payload("Riga")), add(STATEMENT)
    question = "Did Nora go hiking, or meet the user in Riga?"

    def found(*kinds: Remembered) -> set[Any]:
        return {one.id if one.kind == "fact" else one.kind for one in remembered.recall(question, kinds=kinds or None)}

    assert found() == {typed, statement, "episode"}
    assert (found("fact"), found("typed"), found("statement")) == ({typed, statement}, {typed}, {statement})
    assert (found("episode"), found("episode", "statement")) == ({"episode"}, {"episode", statement})
    assert {one.form for one in remembered.recall(question, kinds=["fact"])} == {"typed", "statement"}


def test_an_exported_statement_can_be_applied_elsewhere(remembered: MemoryScope, add: Add, parts: Parts) -> None:
    add(STATEMENT)
    exported = remembered.deltas()[-1].delta.model_dump(mode="json")
    other = Memory(parts).scope("somebody else")
    source = other.push("I went hiking.", key="source-0")

    other.apply({**exported, "source_episode_ids": [str(source.id)]})

    assert [(fact.text, fact.form) for fact in other.facts()] == [(STATEMENT["text"], "statement")]


@pytest.mark.parametrize("wrong", [{"text": ""}, {"text": " "}, {"single_valued": True}, {"form": "guess"}])
def test_a_statement_has_a_text_and_is_never_single_valued(add: Add, wrong: dict[str, Any]) -> None:
    with pytest.raises(Incorrect, match="fact_payload"):
        add({**STATEMENT, **wrong})


def test_a_statement_counts_in_the_digest_with_its_words(
    remembered: MemoryScope, add: Add, provenance: dict[str, Any]
) -> None:
    empty, first = remembered.digest(), add(STATEMENT)
    with_it = remembered.digest()
    remembered.apply({"kind": "delete", "replaces": [str(first)], **provenance})
    add({**STATEMENT, "tense": "future"})

    assert len({empty, with_it, remembered.digest()}) == 3


def test_an_unused_statement_fades_and_a_typed_fact_stays(remembered: MemoryScope, add: Add, parts: Parts) -> None:
    typed, statement = add(payload("Riga")), add(STATEMENT)
    decay = parts.lifecycle.policies.of("default").decay

    def strength(fact: uuid.UUID, days: int) -> float:
        standing = remembered.standing(fact)
        return decay.strength(standing, standing.created + timedelta(days=days))

    assert (strength(typed, 365), strength(statement, 20)) == (0.9, 0.9)
    assert 0.1 < strength(statement, 150) < 0.3
    assert decay.due(remembered.standing(typed)) is None
    assert decay.due(remembered.standing(statement)) is not None


@pytest.mark.parametrize("url", [None, 5, ["a"], b"redis://h", "http://h", "redis://h:notaport/0", "redis://[::1"])
def test_an_invalid_broker_address_is_refused(url: Any) -> None:
    with pytest.raises(Incorrect, match="address"):
        QueueClient(url)


def test_an_unset_tenant_is_not_the_default_one() -> None:
    with QueueClient("redis://localhost:1/0") as client, pytest.raises(Incorrect, match="tenant"):
        client.scope("alice", tenant="")


def test_a_malformed_confirmation_does_not_affect_its_neighbours(cache_url: str) -> None:
    id_ = uuid.uuid4()
    with redis.Redis.from_url(cache_url) as broker:
        broker.rpush(queue.RECEIPTS + "me", "not json", "5", json.dumps(["no id", None]), json.dumps([str(id_), None]))

    line = queue.MessageSender(cache_url)

    assert line.confirmed("me") == [(id_, None)]
    line.close()


def test_an_unexpected_error_does_not_stop_delivery(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []

    def send(_line: queue.MessageSender, task: str, _message: Any) -> None:
        sent.append(task)
        if len(sent) == 1:
            raise RuntimeError("nobody foresaw this")

    monkeypatch.setattr(queue.MessageSender, "send", send)
    with QueueClient("redis://localhost:1/0") as client:
        scope = client.scope("alice")
        with pytest.raises(Unavailable, match="RuntimeError"):
            scope.push("the first one")

        assert scope.push("and one more").state == "queued"


ROOMS = ("store", "jobs", "wiring", "ports", "embedded", "cli", "rules", "retrieval", "cache", "queue", "settings")
"""The internal packages: users get none of their objects."""


def is_inside(kind: type) -> bool:
    """Return whether a *kind* is defined in an internal package."""
    return kind.__module__.startswith("slowwave.") and kind.__module__.split(".")[1] in ROOMS


def attributes(thing: object) -> Iterator[tuple[str, Any]]:
    """Give the public attributes of *thing* that are not methods."""
    for name in dir(thing):
        if not name.startswith(("_", "model_")) and not callable(value := getattr(thing, name)):
            yield name, value


def strangers(thing: Any, path: str, seen: set[int]) -> Iterator[str]:
    """Give the path to each internal object that can be reached from *thing* by attributes and items."""
    if is_inside(type(thing)):
        yield f"{path} is a {type(thing).__module__}.{type(thing).__name__}"
    elif id(thing) not in seen:
        seen.add(id(thing))
        if isinstance(thing, dict):
            for key, value in thing.items():
                yield from strangers(value, f"{path}[{key!r}]", seen)
        elif isinstance(thing, list | tuple | set | frozenset):
            for number, value in enumerate(thing):
                yield from strangers(value, f"{path}[{number}]", seen)
        elif type(thing).__module__.startswith("slowwave"):
            for name, value in attributes(thing):
                yield from strangers(value, f"{path}.{name}", seen)


@pytest.fixture
def public_objects(mindful: Memory) -> dict[str, Any]:
    """Every object a user may have, and one result of each kind that is cheap to get."""
    scope, builder = mindful.scope("alice", agent="concierge", channel="trip"), GraphBuilder()
    builder.add("hello")
    return {
        "memory": mindful,
        "scope": scope,
        "receipt": scope.push(Episode(content="I live in Lisbon", key="k", session="s1")),
        "due": scope.end_session("s1"),
        "reports": scope.consolidate(),
        "facts": scope.facts()[0],
        "why": scope.why(scope.facts()[0].id),
        "deltas": mindful.deltas(),
        "answers": scope.recall("where do I live?"),
        "stats": mindful.stats(),
        "working": scope.working("s1"),
        "turn": scope.working("s1").add_turn("Where do I live?"),
        "context": scope.working("s1").get_context(),
        "goal": scope.goals.add("find a flat"),
        "entry": scope.continuum.store("the key is under the mat"),
        "position": scope.consensus.store_consensus({"topic": "t", "statement": "s", "agents": ["a"]}),
        "preview": mindful.archive_preview(),
        "builder": builder,
        "graph": builder.graph("default"),
    }


@pytest.mark.filterwarnings("ignore:.*the former name:DeprecationWarning")
def test_public_objects_expose_no_internal_objects(public_objects: dict[str, Any]) -> None:
    assert [path for name, one in public_objects.items() for path in strangers(one, name, set())] == []


def test_the_repr_of_each_public_object_is_one_short_line(public_objects: dict[str, Any]) -> None:
    shown = [repr(one) for some in public_objects.values() for one in (some if isinstance(some, list) else [some])]

    assert [line for line in shown if len(line) > 100 or not line.isprintable() or not line.startswith("<")] == []
    assert [line for line in shown if " object at 0x" in line] == []
