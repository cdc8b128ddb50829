"""AgentX, retrieval: rewriting of questions, routes to memories, and ranking."""

import json
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from slowwave import wiring
from slowwave.core.recall.query import OVERFETCH
from slowwave.domain.model_calls import Message
from slowwave.domain.recollection import Recollection
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of
from slowwave.settings import Settings
from slowwave.testing import stop_clock
from tests.conftest import NOON
from tests.faults.rig.provider import LocalProvider, answering

Asked = Callable[..., AbstractContextManager[MemoryScope]]
TOLD = [("The tulips came out.", 0), ("We bought a cello.", 1), ("The physician forbade penicillin.", 2)]


@pytest.fixture
def asking(settings: Settings, heavy_parts: dict[str, object]) -> Asked:
    """A memory with a turn per day, in a process that rewrites questions."""

    @contextmanager
    def ask(restate: str, provider: LocalProvider | None = None, **more: Any) -> Iterator[MemoryScope]:
        model = {"model": "echo-1", "model_url": provider.url, "model_key": SecretStr("k")} if provider else {}
        told = {"restate": restate, **model, **more}
        parts = wiring.connect(Settings.load(**{**settings.model_dump(exclude_unset=True), **told}))
        vars(parts).update(heavy_parts)
        wiring.register(parts)
        with Memory(parts) as memory:
            scope = memory.scope("alice", agent="concierge")
            for said, day in TOLD:
                scope.push(said, key=f"k{day}", session=f"s{day}", occurred_at=NOON + timedelta(days=day))
            yield scope

    return ask


def saying(**said: Any) -> Callable[[Sequence[Message]], str]:
    return lambda _: json.dumps(said)


def reasons(alice: MemoryScope, question: str) -> set[str]:
    """Return the reasons from a rewritten question that all answers have."""
    found = alice.recall(question)
    assert len(found) == len(TOLD), "without a filter everything answers"
    return set.intersection(*({*one.reasons} for one in found)) & {
        f"{way}{away}" for way in ("expansion", "hyde", "self_query") for away in ("", "_away")
    }


@pytest.mark.requirement("S2.21")
def test_a_hypothetical_answer_finds_a_memory_without_the_questions_words(asking: Asked) -> None:
    question = "Is anything to be kept in mind?"
    with answering(replies=saying(passage="My doctor told me not to take antibiotics.")) as provider:
        with asking("", provider) as alice:
            assert alice.recall(question)[0].text != TOLD[2][0]
            assert reasons(alice, question) == set()
            assert provider.met == []
        with asking("hyde", provider) as alice:
            (best, *_) = alice.recall(question)
            assert (best.text, best.reasons["hyde"]) == (TOLD[2][0], 1.0)
            assert provider.met == ["ok"]


@pytest.mark.requirement("S2.21")
def test_filters_are_read_out_of_the_question_and_never_go_beyond_the_callers(asking: Asked) -> None:
    until = NOON + timedelta(hours=1)
    first = saying(since=NOON.replace(tzinfo=None).isoformat(), until=until.isoformat(), kinds=["episode"])
    with answering(replies=first) as provider, asking("self_query", provider) as alice:
        assert [(one.text, one.reasons["self_query"]) for one in alice.recall("what came out?")] == [(TOLD[0][0], 1.0)]
        later = alice.recall("what came out?", since=NOON + timedelta(days=1))
        assert {one.text for one in later} == {TOLD[1][0], TOLD[2][0]}
        assert [one.text for one in alice.recall("what came out?", until=NOON + timedelta(minutes=1))] == [TOLD[0][0]]


def test_model_filters_without_results_are_dropped(asking: Asked) -> None:
    never = saying(since="1970-01-01", until="1971-01-01", kinds=None)
    with answering(replies=never) as provider, asking("self_query", provider) as alice:
        assert len(alice.recall("what came out?")) == len(TOLD)
        assert provider.met == ["ok"]


def test_query_rewriting_and_filters_share_one_call(asking: Asked) -> None:
    both = saying(passage="My doctor told me not to take antibiotics.", since=None, until=None, kinds=None)
    with answering(replies=both) as provider, asking("hyde, self_query, expansion", provider) as alice:
        assert reasons(alice, "Anything to be kept in mind?") == {"hyde", "self_query", "expansion"}
        assert provider.met == ["ok"]


def test_a_failing_model_drops_only_its_part_and_is_named_in_the_reasons(asking: Asked, superuser: Any) -> None:
    sound = saying(passage="A physician.", since=None, until=None, kinds=None)
    question = "What did the physician forbid?"
    for how in ("hang", "garbage", "truncated", "500", "400", "429"):
        with answering([how], replies=sound) as provider:
            with asking("hyde,self_query,expansion", provider, restate_seconds=0.3) as alice:
                assert reasons(alice, question) == {"hyde_away", "self_query_away", "expansion"}, how
            provider.over.set()
    with answering(["500"] * 9, replies=sound) as provider, asking("hyde", provider) as alice:
        assert [reasons(alice, question) for _ in range(5)] == [{"hyde_away"}] * 5
        assert provider.met == ["500"] * 3, "the breaker is open"
    assert superuser.execute("SELECT count(call) FROM model_slots").fetchone() == (0,)


def test_a_recall_over_the_users_quota_of_tokens_drops_only_the_models_part(asking: Asked) -> None:
    sound = saying(passage="A physician.", since=None, until=None, kinds=None)
    question = "What did the physician forbid?"
    with answering(replies=sound) as provider, asking("hyde,expansion", provider) as alice:
        memory = Memory(parts_of(alice))
        memory.quotas.set("tokens-a-day", 1, each_user=True)
        memory.quotas.set("tokens-a-day", 2, user="alice")
        for way in ("hyde", "hyde_away", "hyde_away"):
            assert reasons(alice, question) == {way, "expansion"}
        assert provider.met == ["ok"]
        assert {quota.user: quota.left for quota in memory.quotas.listing()} == {None: None, "alice": 0}

        for _ in range(3):
            memory.scope("bob", agent="concierge").recall(question)
        assert provider.met == ["ok"] * 2, "also for a user about whom nothing is stored"


def test_invalid_model_filters_are_ignored(asking: Asked) -> None:
    for said in (
        {"since": "soon", "until": None, "kinds": None}, {"since": 3, "until": None, "kinds": None},
        {"since": "2026-05-02", "until": "2026-05-01", "kinds": None}, {"since": None, "until": None},
        {"since": None, "until": None, "kinds": ["rumour"]}, {"since": None, "until": None, "kinds": "fact"},
    ):  # fmt: skip
        with answering(replies=saying(**said)) as provider, asking("self_query", provider) as alice:
            assert reasons(alice, "What did the physician forbid?") == {"self_query_away"}, said


def test_rewriting_without_a_model_is_reported_in_the_reasons(asking: Asked) -> None:
    with asking("hyde,expansion") as alice:
        assert reasons(alice, "What did the physician forbid?") == {"hyde_away", "expansion"}


@pytest.mark.requirement("S2.21")
def test_expansion_adds_a_statement_and_the_aliases_of_a_name(asking: Asked) -> None:
    with asking("expansion") as alice:
        alice.graph.store_fact("Robert Miller", "name", "Bob")
        alice.push("Robert Miller is afraid of bees.", key="bee", session="s8")
        found = alice.recall("What is Bob afraid of?", kinds=["episode"])
        assert (found[0].text, found[0].reasons["expansion"]) == ("Robert Miller is afraid of bees.", 1.0)
        with_names = found[0].reasons["keyword"]
    with asking("") as alice:
        plain = alice.recall("What is Bob afraid of?", kinds=["episode"])
        assert next(one for one in plain if "bees" in one.text).reasons["keyword"] < with_names


def test_an_unknown_rewriting_method_is_refused() -> None:
    with pytest.raises(Incorrect, match="restate"):
        Settings.load(url="postgresql://slowwave@host/slowwave", restate="guessing, hyde")


Living = Callable[[str], MemoryScope]


@pytest.fixture
def living(connected: Callable[..., wiring.Parts], scope: Scope, tmp_path: Path, owner_url: str) -> Living:
    """An agent with the policy of this preset, or with this policy."""
    stop_clock(owner_url, NOON)
    for folder in ("packs", "policies/presets"):
        (tmp_path / folder).mkdir(parents=True)

    def live(policy: str) -> MemoryScope:
        chosen: dict[str, object] = {"preset": policy}
        if "{" in policy:
            (tmp_path / "policies" / "lifecycle.yaml").write_text("everybody: own\n")
            (tmp_path / "policies" / "presets" / "own.yaml").write_text(policy)
            chosen = {"rules": tmp_path / "packs"}
        return MemoryScope(connected(**chosen), scope)

    return live


def told(mine: MemoryScope) -> MemoryScope:
    for number, words in enumerate(
        ["I live in Oslo.", "In Bergen I painted the fence last week.", "The ferry to Oslo was late."]
    ):
        mine.push(words, key=f"k{number}", session=f"s{number}", occurred_at=NOON)
    mine.consolidate()
    return mine


def by_text(found: list[Recollection]) -> dict[str, Recollection]:
    return {one.text: one for one in found}


def test_recall_combines_meaning_and_graph_and_time_and_removes_duplicates(living: Living) -> None:
    mine = told(living("agentx"))
    mine.graph.store_fact("Oslo", "capital_of", "Norway")
    mine.push("The ferry to Oslo was late.", key="again", session="s9", occurred_at=NOON)

    found = mine.recall("Which country's capital is the city I live in?", limit=20)
    assert all(one.reasons["similarity"] >= 0 for one in found)
    assert max(one.reasons.get("graph", 0) for one in found) > 0
    assert sum(one.text == "The ferry to Oslo was late." for one in found) == 1
    later = mine.recall("Oslo", since=NOON + timedelta(seconds=1), kinds=["episode"])
    assert later == []
    recency = {one.text: one.reasons["recency"] for one in found}
    assert min(recency.values()) < max(recency.values()) == 1.0, "what was so a week ago is less recent"


@pytest.mark.requirement("S2.20", "S2.30")
def test_kinds_recency_salience_and_tense_have_the_documented_weights(living: Living, owner_url: str) -> None:
    mine = living("agentx")
    scoring = mine._parts.lifecycle.policies.of("default").scoring
    assert scoring.kinds == {"episodic": 0.30, "semantic": 0.25, "entity": 0.20, "procedural": 0.15}
    assert sum(scoring.kinds.values()) + scoring.weights.recency == pytest.approx(1.0)
    assert scoring.weights.recency == 0.1

    found = told(mine).recall("Where in Oslo or Bergen do I live?", limit=20, explain=True)
    facts = {one.id: one.reasons for one in found if one.kind == "fact"}
    assert [reasons["kind"] for reasons in facts.values()] == pytest.approx([0.25 / 0.3] * len(facts))
    assert {one.reasons["kind"] for one in found if one.kind == "episode"} == {1.0}
    counts = {"current": 1.2, "past": 0.7}
    told_of = {one.id: counts[one.tense] for one in mine.facts()}
    assert {id_: reasons["tense"] for id_, reasons in facts.items()} == {id_: told_of[id_] for id_ in facts}
    assert {told_of[id_] for id_ in facts} == {1.2, 0.7}
    assert all(0 <= one.reasons["salience"] <= 1 for one in found)
    assert found.explained is not None
    for one in found:
        parts = found.explained.parts[one.id]
        assert sum(part.adds for part in parts) == pytest.approx(one.match)
    used = by_text(found)["The ferry to Oslo was late."]
    stop_clock(owner_url, NOON + timedelta(days=2))
    assert (
        by_text(mine.recall("Where in Oslo or Bergen do I live?", limit=20))[used.text].reasons["salience"]
        < (used.reasons["salience"])
    )


@pytest.mark.requirement("S2.21")
def test_a_policy_can_fuse_similarity_and_words_by_rank(living: Living) -> None:
    found = told(living("scoring: {fusion: ranks}\ndecay: []\n")).recall("Where is the ferry?", limit=20)

    orders = [
        [one.id for one in sorted(found, key=lambda one: -one.reasons[by]) if one.reasons[by] > 0]
        for by in ("similarity", "keyword")
    ]
    (best, *_) = found
    assert best.text == "The ferry to Oslo was late."
    places = [order.index(best.id) + 1 for order in orders if best.id in order]
    assert best.reasons["ranks"] == pytest.approx(sum(61 / (60 + place) / 2 for place in places), abs=1e-6)


@pytest.mark.requirement("S2.67")
def test_accesses_count_logarithmically_and_decay_with_age(living: Living, owner_url: str) -> None:
    rule = {"anchor": "created", "half_life": "P7D", "familiarity": 0.1, "freshness": 0.2}
    mine = told(living(f"decay: {json.dumps([rule])}\n"))
    (fact,) = [one for one in mine.recall("Oslo", limit=20) if one.text == "The user lives in Oslo"]
    base = mine.standing(fact).base

    shown = []
    for accesses in (1, 2, 3):
        standing = mine.standing(fact)
        assert standing.access_count == accesses
        shown.append(standing.strength)
        assert fact.id in [one.id for one in mine.recall("Oslo", limit=20)]
    assert mine.standing(fact).access_count == 4
    stop_clock(owner_url, NOON + timedelta(days=10))
    late = mine.standing(fact)

    assert late.access_count == 4
    faded = base * 2 ** (-10 / 7)
    assert late.strength == pytest.approx(min(1.0, faded + 0.1 * math.log1p(4) + 0.2 * math.exp(-10)), rel=1e-3)
    assert shown == [pytest.approx(min(1.0, base + 0.1 * math.log1p(n) + 0.2)) for n in (1, 2, 3)]


def test_recall_fetches_twice_the_wanted_number(living: Living) -> None:
    assert OVERFETCH == 2
    mine = living("agentx")
    mine.push_many([f"The ferry number {number} was late." for number in range(260)])
    found = mine.recall("ferry", limit=120, explain=True)
    assert found.explained is not None
    assert {stage.name: stage.memories for stage in found.explained.stages}["scan"] == 240
