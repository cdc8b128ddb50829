"""Stargraph: two tiers and typed deltas; how each is written, and what is refused."""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, get_args

import pytest

from slowwave.domain.audit import AuditFilter
from slowwave.domain.claim import Claim
from slowwave.domain.delta import AddDelta, DeleteDelta, MemoryDelta, NoopDelta, UpdateDelta, parse_delta
from slowwave.domain.episode import Episode, StoredEpisode
from slowwave.domain.scope import Scope
from slowwave.errors import FactConflictError, Fault, Incorrect, NotFound, SlowwaveError
from slowwave.jobs.consolidate import Consolidate
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of
from slowwave.wiring import Parts

MARCH = datetime.fromisoformat("2026-03-03T00:00:00+00:00")
WHY: dict[str, Any] = {"source_episode_ids": ["e1"], "promotion_ts": MARCH, "rule_id": "a-rule", "confidence": 0.9}
RIGA = {"subject": "user", "predicate": "lives_in", "object": "Riga", "single_valued": True}
OSLO = {**RIGA, "object": "Oslo"}
ADD: dict[str, Any] = {"kind": "add", "fact_payload": RIGA}
VARIANTS: dict[str, dict[str, Any]] = {
    "add": {"fact_payload": RIGA},
    "update": {"fact_payload": OSLO, "replaces": ["f1"]},
    "delete": {"replaces": ["f1"]},
    "noop": {},
}


@pytest.fixture
def known(parts: Parts, scope: Scope, told: Callable[..., list[Episode]]) -> MemoryScope:
    """A scope with an episode to cite."""
    known = MemoryScope(parts, scope)
    known.push_many(told("Did we meet in Riga?", session="s1"))
    return known


@pytest.fixture
def why(known: MemoryScope) -> dict[str, Any]:
    """Return the required fields of every delta."""
    return {**WHY, "source_episode_ids": [str(known.push("It was written down.", key="source").id)]}


def believed(known: MemoryScope) -> list[str]:
    return [fact.object for fact in known.facts()]


def test_a_delta_is_one_of_four_kinds_and_nothing_else() -> None:
    union = get_args(get_args(MemoryDelta)[0])
    assert set(union) == {AddDelta, UpdateDelta, DeleteDelta, NoopDelta}
    for kind, fields in VARIANTS.items():
        assert parse_delta({"kind": kind, **WHY, **fields}).kind == kind

    with pytest.raises(Incorrect, match="kind: expected one of add, update"):
        parse_delta({"kind": "merge", **WHY})


@pytest.mark.requirement("S4.11")
def test_consolidation_writes_only_validated_deltas(parts: Parts, known: MemoryScope) -> None:
    home = known.push("I live in Lisbon", key="home")
    moved = known.push("I just moved to Oslo", key="moved")
    again = known.push("I live in Oslo", key="again")
    gone = known.push("Forget where I live.", key="gone")

    runs = [report.run for report in known.consolidate() if report.job == "consolidate"]

    written = [delta for run in runs for delta in Memory(parts).deltas(run=run)]
    assert [type(one.delta) for one in written] == [AddDelta, UpdateDelta, NoopDelta, DeleteDelta, DeleteDelta]
    assert [one.delta.source_episode_ids for one in written] == [[str(e.id)] for e in (home, moved, again, gone, gone)]
    added, updated, confirmed, *deleted = written
    assert isinstance(added.delta, AddDelta)
    assert isinstance(updated.delta, UpdateDelta)
    worded = {"form": "typed", "text": added.text, "tense": "current"}
    assert added.delta.fact_payload == {**RIGA, "object": "Lisbon", **worded}
    assert updated.delta.replaces == [str(added.id)]
    assert {one.fact for one in deleted} == {added.id, updated.id}
    assert (confirmed.fact, confirmed.text) == (updated.id, "The user lives in Oslo")


@pytest.mark.requirement("S4.11")
def test_a_claim_that_makes_no_delta_changes_no_belief(parts: Parts, known: MemoryScope) -> None:
    known.push("I live in Lisbon", key="home")

    class Sure:
        """A pack that claims a confidence above 1."""

        pack, version = "everyday", 1

        def propose(self, episodes: Sequence[StoredEpisode]) -> list[Claim]:
            return [replace(claim, confidence=1.4) for claim in everyday.propose(episodes)]

        def sound(self) -> bool:
            return True

    (everyday,) = (pack for pack in parts.packs if pack.pack == "everyday")
    vars(parts)["jobs"] = {
        **parts.jobs,
        "consolidate": Consolidate({"everyday": Sure()}, parts.embedder, everyday.predicates),
    }
    known.consolidate()

    assert known.deltas() == []
    (letter,) = parts.records.dead_letters("default")
    assert "confidence" in letter.reason


def test_the_database_refuses_a_delta_that_cites_nothing(parts: Parts, known: MemoryScope) -> None:
    known.push("I live in Lisbon", key="home")
    known.consolidate()
    bare = (
        "INSERT INTO deltas (id, scope, tenant, pack, rule, kind, mode, position, confidence, recorded, fingerprint, "
        "payload_digest) SELECT gen_random_uuid(), scope, tenant, pack, rule, 'noop', mode, position, confidence, "
        "recorded + interval '1 s', fingerprint, payload_digest FROM deltas"
    )

    with pytest.raises(Fault, match="delta_cites"), parts.database.tenant(known.scope.tenant) as connection:
        connection.exec_driver_sql(bare)
    for way in ("ALTER TABLE deltas DISABLE TRIGGER delta_cites", "SET session_replication_role = replica"):
        with pytest.raises(SlowwaveError), parts.database.tenant(known.scope.tenant) as connection:
            connection.exec_driver_sql(way)
    assert len(known.deltas()) == 1


def test_deltas_are_read_in_their_order_a_page_at_a_time(parts: Parts, known: MemoryScope) -> None:
    memory = Memory(parts)
    other = MemoryScope(parts, replace(known.scope, agent="planner"))
    stranger = MemoryScope(parts, replace(known.scope, tenant="globex"))
    for number in range(3):
        for each in (known, other, stranger):
            each.push(f"I love {('tea', 'jazz', 'rain')[number]}.", key=str(number))
            each.consolidate()

    everything = memory.deltas()

    assert [one.delta.promotion_ts for one in everything] == sorted(one.delta.promotion_ts for one in everything)
    assert {one.scope for one in everything} == {known.scope, other.scope}
    pages = [memory.deltas(limit=2)]
    while pages[-1]:
        pages.append(memory.deltas(limit=2, after=pages[-1][-1].id))
    assert [one for page in pages for one in page] == everything
    assert known.deltas() == [one for one in everything if one.scope == known.scope]
    assert memory.deltas(since=everything[3].delta.promotion_ts) == everything[3:]
    assert memory.deltas(kind="delete") == []
    assert [one.text for one in known.deltas(kind="add", limit=1)] == ["The user likes tea"]
    assert {one.scope for one in memory.deltas(tenant="globex")} == {stranger.scope}
    with pytest.raises(NotFound):
        memory.deltas(after=stranger.deltas()[0].id)
    with pytest.raises(NotFound):
        memory.deltas(after="no-id")


def written(known: MemoryScope, delta: uuid.UUID) -> dict[str, Any]:
    """Return the stored row of a delta."""
    with parts_of(known).database.tenant(known.scope.tenant) as connection:
        return dict(
            connection.exec_driver_sql(
                "SELECT kind, rule, confidence, replaces, fact, lower(valid) AS valid_from, "
                "ARRAY(SELECT s.episode::text FROM delta_sources s WHERE s.delta = d.id ORDER BY ordinal) AS sources "
                "FROM deltas d WHERE id = %(delta)s",
                {"delta": delta},
            )
            .mappings()
            .one()
        )


def provenance(why: dict[str, Any]) -> dict[str, Any]:
    return {"rule": why["rule_id"], "confidence": why["confidence"], "sources": why["source_episode_ids"]}


@pytest.mark.requirement("S4.13", "S4.14", "S4.22")
def test_update_and_delete_deltas_store_the_facts_that_they_end(known: MemoryScope, why: dict[str, Any]) -> None:
    added = known.apply(ADD | why)
    updated = known.apply({"kind": "update", **why, "fact_payload": OSLO, "replaces": [str(added)]})
    deleted = known.apply({"kind": "delete", **why, "replaces": [str(updated)]})

    for delta, kind, replaces in ((updated, "update", [added]), (deleted, "delete", [updated])):
        row = written(known, delta)
        assert (row["kind"], row["replaces"]) == (kind, replaces)
        assert row.items() >= provenance(why).items()
    assert believed(known) == []
    assert not known.why(updated).believed
    assert [step.kind for step in known.why(updated).steps] == ["update", "delete"]
    with pytest.raises(Incorrect, match="fact_payload"):
        known.apply({"kind": "delete", **why, "replaces": [str(added)], "fact_payload": RIGA})


@pytest.mark.requirement("S4.15")
def test_a_noop_is_written_with_its_reason_only(known: MemoryScope, why: dict[str, Any]) -> None:
    row = written(known, known.apply({"kind": "noop", **why}))

    assert row == {"kind": "noop", "replaces": [], "fact": None, "valid_from": None, **provenance(why)}


def test_each_kind_has_the_documents_fields() -> None:
    provenance = {"kind", "source_episode_ids", "promotion_ts", "rule_id", "confidence"}
    ours = {"reason", "valid_from", "valid_to"}

    def fields(delta: type[AddDelta | UpdateDelta | DeleteDelta | NoopDelta]) -> set[str]:
        return set(delta.model_fields) - ours

    assert fields(AddDelta) == provenance | {"fact_payload"}
    assert fields(UpdateDelta) == fields(AddDelta) | {"replaces"}
    assert UpdateDelta.model_fields["replaces"].is_required()
    assert fields(DeleteDelta) == provenance | {"replaces"}
    assert fields(NoopDelta) == provenance


@pytest.mark.requirement("S4.16")
@pytest.mark.parametrize("kind", VARIANTS)
def test_a_delta_without_provenance_is_refused(known: MemoryScope, why: dict[str, Any], kind: str) -> None:
    for missing in why:
        whole = {"kind": kind, **why, **VARIANTS[kind]}
        with pytest.raises(Incorrect) as refused:
            known.apply({name: value for name, value in whole.items() if name != missing})
        assert [problem for problem in refused.value.problems if missing in problem]
    with pytest.raises(Incorrect, match="source_episode_ids"):
        known.apply({"kind": kind, **why, **VARIANTS[kind], "source_episode_ids": []})


@pytest.mark.requirement("S4.17")
@pytest.mark.parametrize("kind", ["update", "delete"])
@pytest.mark.parametrize("replaces", [{}, {"replaces": []}])
def test_an_update_or_delete_that_names_nothing_to_replace_is_refused(
    known: MemoryScope, why: dict[str, Any], kind: str, replaces: dict[str, Any]
) -> None:
    payload = {"fact_payload": OSLO} if kind == "update" else {}

    with pytest.raises(Incorrect) as refused:
        known.apply({"kind": kind, **why, **payload, **replaces})
    assert "replaces" in str(refused.value.problems)


@pytest.mark.requirement("S4.18")
def test_a_delta_is_validated_where_it_is_applied(known: MemoryScope, why: dict[str, Any]) -> None:
    with pytest.raises(Incorrect) as refused:
        known.apply({"kind": "add", **why, "confidence": 1.4, "fact_payload": RIGA})
    assert "confidence" in refused.value.problems[0]

    with pytest.raises(Incorrect):
        known.apply(AddDelta.model_construct(**{**why, "fact_payload": {"subject": "user"}}))
    assert believed(known) == []


@pytest.mark.requirement("S4.19", "S4.23")
def test_a_noop_leaves_an_audit_trail_and_no_change(parts: Parts, known: MemoryScope, why: dict[str, Any]) -> None:
    before = known.digest()

    known.apply({"kind": "noop", **why, "reason": "said twice"})

    assert (known.digest(), believed(known)) == (before, [])
    (row,) = parts.records.audit("default", AuditFilter(operation="noop"), most=5)
    assert (row.user_id, row.detail["rules"]) == (known.scope.user, ["a-rule"])


@pytest.mark.requirement("S4.4", "S4.12", "S4.20")
def test_an_add_is_written_and_holds_a_fact_with_its_provenance(known: MemoryScope, why: dict[str, Any]) -> None:
    second = str(known.push("And said.", key="second").id)
    sources = [*why["source_episode_ids"], second]

    fact = known.apply(ADD | why | {"source_episode_ids": sources})

    told = provenance(why | {"source_episode_ids": sources})
    assert written(known, fact) == {"kind": "add", "replaces": [], "fact": fact, "valid_from": MARCH, **told}
    assert believed(known) == [one.object for one in known.facts(as_of=MARCH)] == ["Riga"]
    assert known.facts(as_of=MARCH - timedelta(seconds=1)) == []
    (held,) = known.facts()
    assert (held.id, held.text, held.confidence) == (fact, "The user lives in Riga", 0.9)
    assert [source.key for source in held.sources] == ["source", "second"]
    (step,) = known.why(fact).steps
    assert (step.kind, step.rule) == ("add", "a-rule")
    assert [evidence.words for evidence in step.evidence] == ["It was written down.", "And said."]


@pytest.mark.requirement("S4.21")
def test_an_update_ends_the_old_fact_and_adds_the_new_one(known: MemoryScope, why: dict[str, Any]) -> None:
    old = known.apply(ADD | why)

    new = known.apply({"kind": "update", **why, "fact_payload": OSLO, "replaces": [str(old)]})

    assert believed(known) == ["Oslo"]
    assert not known.why(old).believed
    assert [step.kind for step in known.why(new).steps] == ["update"]

    rome = {"kind": "update", **why, "fact_payload": {**RIGA, "object": "Rome"}, "replaces": [str(new)]}
    known.apply({**rome, "valid_from": MARCH + timedelta(days=10)})

    assert believed(known) == ["Rome"]
    assert [fact.object for fact in known.facts(as_of=MARCH + timedelta(days=9))] == ["Oslo"]
    assert [step.kind for step in known.why(new).steps] == ["update", "update"]


@pytest.mark.requirement("S4.24")
def test_replacing_an_unknown_or_ended_or_foreign_or_ambiguous_fact_is_a_conflict(
    known: MemoryScope, why: dict[str, Any]
) -> None:
    nobody = str(uuid.uuid4())
    for kind in ("update", "delete"):
        with pytest.raises(FactConflictError, match=nobody):
            known.apply({"kind": kind, **why, **VARIANTS[kind], "replaces": [nobody]})
    assert believed(known) == []
    old = known.apply(ADD | why)
    with pytest.raises(FactConflictError, match="update delta"):
        known.apply({"kind": "add", **why, "fact_payload": OSLO})  # what of Riga?

    elsewhere = known.in_channel("trip")
    source = {"source_episode_ids": [str(elsewhere.push("Elsewhere.", key="there").id)]}
    with pytest.raises(FactConflictError):
        elsewhere.apply({"kind": "delete", **why, **source, "replaces": [str(old)]})

    known.apply({"kind": "delete", **why, "replaces": [str(old)]})
    with pytest.raises(FactConflictError):
        known.apply({"kind": "delete", **why, "reason": "again", "replaces": [str(old)]})


@pytest.mark.requirement("S4.4")
def test_a_source_must_be_an_episode_of_the_scope(known: MemoryScope, why: dict[str, Any]) -> None:
    for unknown in (str(uuid.uuid4()), "not-an-id"):
        with pytest.raises(NotFound, match=unknown):
            known.apply({"kind": "add", **why, "fact_payload": RIGA, "source_episode_ids": [unknown]})


# two tiers, by scope


@pytest.mark.requirement("S4.1", "S4.25")
def test_an_episode_is_written_under_user_session_and_agent(parts: Parts, scope: Scope) -> None:
    memory = Memory(parts)
    other = replace(scope, agent="planner")
    for whose, session in ((scope, "s1"), (scope, "s2"), (other, "s1")):
        MemoryScope(parts_of(memory), whose).push("hello", session=session, key=session)

    with parts.database.tenant(scope.tenant) as connection:
        written = connection.exec_driver_sql(
            "SELECT h.user_id, e.session, h.agent FROM episodes e JOIN scope_heads h USING (scope) ORDER BY 3, 2"
        ).all()
        mandatory = connection.exec_driver_sql(
            "SELECT count(*) FROM pg_attribute WHERE attnotnull AND (attrelid::regclass::text, attname) IN "
            "(('episodes', 'session'), ('scope_heads', 'user_id'), ('scope_heads', 'agent'))"
        ).scalar_one()
    who = scope.user
    assert [tuple(row) for row in written] == [
        (who, "s1", "concierge"), (who, "s2", "concierge"), (who, "s1", "planner"),
    ]  # fmt: skip
    assert mandatory == 3


@pytest.mark.requirement("S4.2")
def test_a_fact_belongs_to_user_and_agent_whatever_the_session(known: MemoryScope) -> None:
    known.push("I live in Lisbon", session="s1", key="home")
    known.push("I just moved to Oslo", session="s2", key="moved")
    other = MemoryScope(parts_of(known), replace(known.scope, agent="planner"))
    other.push("hello", session="s1")

    known.consolidate()

    assert believed(known) == ["Oslo"]
    assert believed(other) == []
    assert "session" not in known.scope.key


@pytest.mark.requirement("S4.27")
@pytest.mark.parametrize("name", ["50%", "a/b", "/", "ALICE", "alice", "a_b"])
def test_scopes_with_similar_user_names_stay_apart(parts: Parts, name: str) -> None:
    memory = Memory(parts)
    mine, theirs = (MemoryScope(parts_of(memory), Scope("default", user, "rag")) for user in (name, name + "2"))
    mine.push("I live in Lisbon", key="home")
    theirs.push("I live in Oslo", key="home")
    mine.consolidate()
    theirs.consolidate()

    assert Scope.parse(mine.scope.key) == mine.scope
    assert (believed(mine), believed(theirs)) == (["Lisbon"], ["Oslo"])
    assert [scope.user for scope in parts.records.scopes("default", user=name)] == [name]
