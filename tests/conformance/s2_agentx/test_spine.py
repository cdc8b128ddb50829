"""AgentX: storing, believing and recalling; channels, certainty, corrections and safety."""

from datetime import timedelta

import psycopg
import pytest
from pydantic import SecretStr

from slowwave import wiring
from slowwave.domain.audit import AuditFilter
from slowwave.domain.claim import CONFIDENCE
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import DETECT_PATTERNS, pack_of
from slowwave.domain.scope import GLOBAL_CHANNEL, Scope
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of
from slowwave.settings import Settings
from slowwave.store.encryption.cipher import new_master_key
from slowwave.testing import stop_clock
from tests.conftest import NOON
from tests.contract.learning.lessons import attempt
from tests.databases import registered
from tests.ledger import rebuilt


@pytest.fixture
def known(parts: wiring.Parts, scope: Scope) -> MemoryScope:
    """A scope with a known home."""
    known = MemoryScope(parts, scope)
    known.push("I live in Lisbon", key="home", session="s1")
    known.consolidate()
    return known


def believed(known: MemoryScope) -> list[str]:
    return [fact.object for fact in known.facts() if fact.scope == known.scope]


@pytest.mark.requirement("S2.4")
def test_the_default_channel_is_global_and_projects_have_their_own(parts: wiring.Parts, known: MemoryScope) -> None:
    assert Memory(parts).scope("alice").scope.channel == GLOBAL_CHANNEL == "_global"

    trip = known.in_channel("trip")
    trip.push("I live in Oslo", key="home")
    trip.consolidate()

    assert (believed(known), believed(trip)) == (["Lisbon"], ["Oslo"])


@pytest.mark.requirement("S2.24")
def test_each_word_of_certainty_has_its_confidence(parts: wiring.Parts, known: MemoryScope) -> None:
    known.push("I'm a nurse", key="implied", session="s2")
    known.push("I think I like figs", key="uncertain", session="s2")
    for week in range(3):
        known.push_many(attempt(["mail"], at=NOON + timedelta(weeks=week)))
    known.consolidate()
    parts.schedule.fire_manually(by="test", scopes=[known.scope.id], pack=pack_of(DETECT_PATTERNS))
    Memory(parts_of(known)).drain()

    certain = {fact.predicate: fact.confidence for fact in known.facts()}
    assert certain["lives_in"] == CONFIDENCE["explicit"] == 0.95
    assert certain["works_as"] == CONFIDENCE["implied"] == 0.85
    assert certain["routine"] == CONFIDENCE["inferred"] == 0.70
    assert certain["likes"] == CONFIDENCE["uncertain"] == 0.50


@pytest.mark.requirement("S2.64")
def test_consolidation_reads_each_new_episode_once(known: MemoryScope) -> None:
    first = known.digest()
    assert known.consolidate() == []

    known.push("I like rowing", key="more", session="s2")
    runs = [report for report in known.consolidate() if report.job == "consolidate"]

    assert sorted((run.pack, run.lo, run.hi) for run in runs) == [("everyday", 2, 2)]
    assert sorted(believed(known)) == ["Lisbon", "rowing"]
    assert known.digest() != first


@pytest.mark.requirement("S2.80")
def test_connections_are_pooled(parts: wiring.Parts) -> None:
    def backend() -> int:
        with parts.database.tenant("default") as connection:
            return int(connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one())

    size = parts.settings.pool_size
    assert len({backend() for _ in range(5 * size)}) <= size


@pytest.mark.requirement("S2.82")
@pytest.mark.parametrize("text", ["'; DROP TABLE facts; --", "%(scope)s", "%s", "x' OR '1'='1", "$1", "\\'; SELECT 1"])
def test_input_never_becomes_part_of_a_statement(parts: wiring.Parts, text: str) -> None:
    mine = MemoryScope(parts, Scope("default", f"user {text}", text, text))
    theirs = MemoryScope(parts, Scope("default", "bob", "rag"))
    theirs.push("I live in Riga", key="home")
    mine.push(Episode(content=text, key=text, session=text, metadata={text: text}))
    mine.push("I live in Oslo", key="home")
    mine.consolidate()
    theirs.consolidate()

    found = mine.recall(text, limit=50)

    assert {one.text for one in found} <= {text, "I live in Oslo", *(fact.text for fact in mine.facts())}
    assert (believed(mine), believed(theirs)) == (["Oslo"], ["Riga"])
    assert parts.records.audit("default", AuditFilter(user=text, session=text, channel=text), most=5) == []


@pytest.mark.requirement("S2.65")
def test_facts_and_deltas_can_only_be_appended_and_never_rewritten(parts: wiring.Parts, known: MemoryScope) -> None:
    """The app may add to the ledger and close versions, but has no right to change a fact or a delta."""
    with parts.database.tenant("default") as connection:
        rights = connection.exec_driver_sql(
            "SELECT has_column_privilege('facts', 'object', 'UPDATE'), has_table_privilege('facts', 'DELETE'), "
            "has_table_privilege('deltas', 'UPDATE'), has_table_privilege('deltas', 'DELETE')"
        ).one()
    folded, table = rebuilt(parts, known.scope)

    assert tuple(rights) == (False, False, False, False)
    assert folded == table != set()


@pytest.mark.requirement("S2.5")
def test_one_interface_has_every_kind_of_memory_in_a_channel_and_owns_the_goals(mindful: Memory) -> None:
    alice = mindful.scope("alice")
    assert alice.scope.channel == "_global"
    assert mindful.scope("alice", channel="trip").scope.channel == "trip"

    alice.working("s1").add_turn("hello")
    alice.push("I live in Lisbon", key="home")
    alice.strategies.learn_strategy("Search, then book", "travel by plane", ["search", "book"], "s1", True)
    alice.consolidate()
    goal = alice.goals.add("Book a hotel")

    assert [turn.content for turn in alice.working("s1").get_recent_turns()] == ["hello"]
    assert {one.kind for one in alice.recall("where do I live?")} == {"fact", "episode"}
    assert [one.description for one in alice.strategies.find_strategies("book a flight")] == ["Search, then book"]
    assert alice.goals.get(goal.goal_id).status == "active"
    assert alice.goals.complete(goal.goal_id, "completed", "the Grand").result == "the Grand"


@pytest.mark.requirement("S2.29")
def test_a_retrieval_raises_the_access_count_and_sets_the_last_access(
    parts: wiring.Parts, known: MemoryScope, owner_url: str
) -> None:
    (fact,) = known.facts()
    seen = []
    for hours in (1, 2):
        with parts.database.tenant("default") as connection:
            began = connection.exec_driver_sql("SELECT slowwave_now()").scalar_one()
        stop_clock(owner_url, began + timedelta(hours=hours))
        assert fact.id in [one.id for one in known.recall("where do I live?")]
        standing = known.standing(fact.id)
        seen.append((standing.access_count, standing.last_access == began + timedelta(hours=hours)))

    assert seen == [(2, True), (3, True)], "the list of facts, in which it stood, was the first"
    parts.accesses.close()


@pytest.mark.requirement("S2.46", "S2.78")
def test_a_fact_has_its_claim_certainty_source_turn_vector_and_time(parts: wiring.Parts, scope: Scope) -> None:
    known = MemoryScope(parts, scope)
    turn = known.push("I live in Lisbon", key="home", session="s1")
    known.consolidate()

    (fact,) = known.facts()

    assert (fact.text, fact.confidence, fact.rule.partition("/")[0]) == ("The user lives in Lisbon", 0.95, "everyday")
    (source,) = fact.sources
    assert (source.episode, source.key) == (turn.id, "home")
    with parts.database.tenant("default") as connection:
        row = connection.exec_driver_sql(
            "SELECT h.user_id, h.channel, pg_typeof(v.embedding)::text, vector_dims(v.embedding), "
            "d.recorded FROM facts f "
            "JOIN scope_heads h USING (scope) JOIN fact_vectors v USING (scope, fact) JOIN deltas d ON d.id = f.fact "
            "WHERE f.fact = %(fact)s",
            {"fact": fact.id},
        ).one()
    assert tuple(row) == (scope.user, "_global", "vector", parts.embedder.dimensions, fact.recorded_from)


@pytest.mark.requirement("S2.79")
def test_words_are_encrypted_in_postgres_and_readable_by_the_agent(
    settings: Settings, heavy_parts: dict[str, object], scope: Scope, superuser: psycopg.Connection
) -> None:
    own = settings.model_copy(update={"encryption_keys": SecretStr(new_master_key())})
    with registered(own, **heavy_parts) as parts:
        known = MemoryScope(parts, scope)
        known.push("I live in Lisbon", session="s1")
        known.consolidate()

        assert [fact.object for fact in known.facts()] == ["Lisbon"]
        assert [turn.content for turn in known.conversation("s1")] == ["I live in Lisbon"]
    stored = superuser.execute("SELECT e.content, f.object FROM episodes e JOIN facts f USING (scope)").fetchall()
    assert len(stored) == 1
    assert "Lisbon" not in "".join(stored[0])
