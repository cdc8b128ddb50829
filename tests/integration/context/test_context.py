"""A context and an answer on the real path: parts, another count of tokens, citations."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import psycopg
import pytest
from pydantic import SecretStr

from slowwave.domain.context import NOT_KNOWN
from slowwave.domain.model_calls import Message
from slowwave.errors import Incorrect, NotFound, Refused, Unavailable
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of
from slowwave.runtime import clock
from slowwave.settings import Settings
from slowwave.wiring import Parts
from tests.conftest import NOON
from tests.faults.rig.provider import LocalProvider, answering
from tests.integration.command import Run
from tests.integration.steps import process

QUESTION = "Where does Anna work?"


@pytest.fixture
def alice(parts: Parts) -> MemoryScope:
    """An agent in a process that has no cache."""
    scope = Memory(parts).scope("alice", agent="concierge")
    for number, words in enumerate(("I live in Oslo.", "Anna works at Acme.", "The soup is cold.")):
        scope.push(words, key=f"k{number}", session="s1", occurred_at=NOON)
    scope.consolidate()
    return scope


def accesses(scope: MemoryScope, memory: object) -> int:
    try:
        return scope.standing(memory).access_count  # type: ignore[arg-type]  # an id
    except NotFound:
        return 0


def test_a_context_without_a_cache_reads_the_last_turns_from_episodes(alice: MemoryScope) -> None:
    context = alice.context(QUESTION, session="s1")

    assert [part.content for part in context.parts if part.type == "turn"] == [
        "I live in Oslo.", "Anna works at Acme.", "The soup is cold.",
    ]  # fmt: skip
    assert [part.content for part in context.parts if part.type == "episode"] == []
    assert context.working[1].sources[0].key == "k1"


def test_a_context_without_a_session_has_no_working_memory(alice: MemoryScope) -> None:
    context = alice.context(QUESTION)

    assert context.working == []
    assert "Anna works at Acme." in [part.content for part in context.parts]
    assert "[Memory] user, 2026-03-02: Anna works at Acme." in context.as_text().splitlines()


def test_a_context_contains_the_graph_around_named_entities_with_sources(alice: MemoryScope) -> None:
    alice.graph.create_relationship("Anna", "Acme", "works_for")
    (graph,) = [part for part in alice.context(QUESTION).parts if part.type == "graph"]

    assert graph.content.startswith("Knowledge graph context:\n- ")
    assert {"Anna", "Acme"} <= set(graph.reasons)
    assert graph.sources
    assert "graph" not in [part.type for part in alice.context(QUESTION, include_graph=False).parts]


def test_only_the_parts_of_a_context_count_as_accessed(alice: MemoryScope) -> None:
    told = alice.context(QUESTION, max_tokens=60, include_graph=False).parts
    left = [one for one in alice.search_index(QUESTION) if one.id not in {part.id for part in told}]

    assert told
    assert left
    assert {accesses(alice, part.id) for part in told} == {1}
    assert {accesses(alice, one.id) for one in left} == {0}


def test_a_context_writes_nothing_before_it_returns(alice: MemoryScope, superuser: psycopg.Connection) -> None:
    with superuser.transaction():
        superuser.execute("LOCK TABLE standing IN EXCLUSIVE MODE")
        told = alice.context(QUESTION, session="s1").retrieved + alice.retrieve(QUESTION)

    assert 0 not in {accesses(alice, part.id) for part in told if part.id}


def test_the_callers_token_counter_decides_the_size(alice: MemoryScope) -> None:
    context = alice.context(QUESTION, session="s1", max_tokens=100, count=len)

    assert len(context.as_text()) <= 100
    assert context.left_out
    with pytest.raises(Incorrect, match="count: gave -1 for a text"):
        alice.context(QUESTION, session="s1", count=lambda text: -1)


def test_a_part_has_a_one_line_form_and_its_own_text(alice: MemoryScope) -> None:
    context = alice.context(QUESTION, include_graph=False)

    assert repr(context).startswith("<PromptContext: Where does Anna work?, ")
    (anna,) = [part for part in context.parts if part.content == "Anna works at Acme."]
    assert (anna.type, anna.role, anna.session, anna.sources[0].key) == ("episode", "user", "s1", "k1")
    assert alice.episode(anna.sources[0].episode).content == anna.content


def test_the_command_prints_the_same(alice: MemoryScope, run: Run) -> None:
    whose = ("--user", "alice", "--agent", "concierge")
    said = run("context", QUESTION, *whose, "--session", "s1", "--max-tokens", "500", "--json").json

    context = alice.context(QUESTION, session="s1", max_tokens=500)
    assert said["messages"] == context.as_messages()
    assert (said["tokens"], said["max_tokens"], said["left_out"]) == (context.tokens, 500, 0)
    assert [part["type"] for part in said["parts"]] == [part.type for part in context.parts]
    assert said["parts"][-1]["sources"][0]["key"] == "k2"
    assert run("context", QUESTION, *whose, "--session", "s1").out.startswith(context.as_text())
    assert "no memories of nobody" in run("context", QUESTION, "--user", "nobody").out
    assert json.dumps(said)


_ASKED_OF_A_MODEL = "Where does Anna work?"
Asked = Callable[..., AbstractContextManager[MemoryScope]]


def saying(sentence: str) -> Callable[[Sequence[Message]], str]:
    """A model that cites the memory about Acme for *sentence*."""

    def reply(messages: Sequence[Message]) -> str:
        number = re.search(r"^(\d+)\. .*Anna works at Acme", messages[-1]["content"], re.MULTILINE)
        said = [{"text": sentence, "sources": [int(number[1])] if number else []}]
        return json.dumps({"sentences": said if sentence else []})

    return reply


@pytest.fixture
def asking(settings: Settings, heavy_parts: dict[str, object]) -> Asked:
    """A memory of Anna, in a process with the given provider."""

    @contextmanager
    def ask(provider: LocalProvider, **more: Any) -> Iterator[MemoryScope]:
        model = {"model": "echo-1", "model_url": provider.url, "model_key": SecretStr("k"), **more}
        with process(settings, heavy_parts, **model) as parts:
            scope = Memory(parts).scope("alice", agent="concierge")
            scope.push("Anna works at Acme.", key="k1", session="s1")
            scope.push("The soup is cold.", key="k2", session="s1")
            yield scope

    return ask


def test_each_sentence_of_an_answer_cites_its_sources(asking: Asked) -> None:
    with answering(replies=saying("Anna works at Acme.")) as provider, asking(provider) as alice:
        answer = alice.answer(_ASKED_OF_A_MODEL)
        assert [alice.standing(part.id).access_count for part in answer.sentences[0].memories if part.id] == [1]
        soup = alice.scope.episode_id("k2")
        with pytest.raises(NotFound):
            alice.standing(soup)

    assert (answer.text, answer.known, answer.model) == ("Anna works at Acme.", True, "echo-1")
    (sentence,) = answer.sentences
    assert [source.key for source in sentence.sources] == ["k1"]
    assert repr(answer) == "<SourcedAnswer: Where does Anna work?, Anna works at Acme.>"


@pytest.mark.parametrize("sentence", ["", "Anna works at Globex."])
def test_an_unsupported_answer_is_returned_as_not_known(asking: Asked, sentence: str) -> None:
    with answering(replies=saying(sentence)) as provider, asking(provider) as alice:
        answer = alice.answer(_ASKED_OF_A_MODEL)

    assert (answer.text, answer.known, len(answer.rejected)) == (NOT_KNOWN, False, bool(sentence))


def test_an_empty_memory_answers_without_a_model_request(asking: Asked) -> None:
    with answering() as provider, asking(provider) as alice:
        answer = Memory(parts_of(alice)).scope("bob").answer(_ASKED_OF_A_MODEL)

        assert (answer.text, provider.met) == (NOT_KNOWN, [])


def test_answering_without_a_model_names_the_missing_setting(parts: Parts) -> None:
    with pytest.raises(Incorrect, match="need a model, and none is set") as refusal:
        Memory(parts).scope("alice").answer(_ASKED_OF_A_MODEL)

    assert "SLOWWAVE_MODEL" in str(refusal.value.hint)


def test_a_model_call_is_booked_and_frees_its_slot_in_each_outcome(asking: Asked, superuser: Any) -> None:
    script = ["ok", "garbage", "500", "400"]
    with answering(script, replies=saying("Anna works at Acme.")) as provider, asking(provider) as alice:
        alice.answer(_ASKED_OF_A_MODEL)
        for kind in (Unavailable, Unavailable, Refused):
            with pytest.raises(kind, match="no answer: "):
                alice.answer(_ASKED_OF_A_MODEL)

    calls = superuser.execute("SELECT outcome, spent_tokens > 0, tenant FROM model_calls ORDER BY call").fetchall()
    assert calls == [
        ("ok", True, "default"), ("unreadable", True, "default"), ("failed", False, "default"),
        ("refused", False, "default"),
    ]  # fmt: skip
    assert superuser.execute("SELECT count(call) FROM model_slots").fetchone() == (0,)
    ((spent, reserved),) = superuser.execute("SELECT spent_tokens, reserved_tokens FROM model_budgets").fetchall()
    assert (spent, reserved) == (60, 0)


def test_an_exhausted_budget_or_open_breaker_is_reported_before_a_request(asking: Asked) -> None:
    with answering() as provider, asking(provider, model_tokens_a_day=600) as alice:
        with pytest.raises(Unavailable, match="budget for today has less"):
            alice.answer(_ASKED_OF_A_MODEL)
        assert provider.met == []
    with answering(["500"] * 9) as provider, asking(provider) as alice:
        for _ in range(3):
            with pytest.raises(Unavailable, match="no answer: the provider answered 500"):
                alice.answer(_ASKED_OF_A_MODEL)
        with pytest.raises(Unavailable, match="the model is not available now"):
            alice.answer(_ASKED_OF_A_MODEL)
        assert provider.met == ["500"] * 3


def test_an_answer_over_the_users_quota_is_refused_before_a_request(asking: Asked) -> None:
    with answering(replies=saying("Anna works at Acme.")) as provider:
        with asking(provider, model_prompt_price=1_000_000.0) as alice:
            memory = Memory(parts_of(alice))
            memory.quotas.set("cents-a-day", 1, user="alice")
            alice.answer(_ASKED_OF_A_MODEL)
            with pytest.raises(Unavailable, match="the quota of user alice for model calls is used up") as refused:
                alice.answer(_ASKED_OF_A_MODEL)
            assert str(refused.value.hint).startswith("try again tomorrow (UTC)")
            today = clock.now() - clock.now().replace(hour=0, minute=0, second=0, microsecond=0)
            assert refused.value.retry_after_seconds == pytest.approx(86_400 - today.total_seconds(), abs=120)
            memory.quotas.set("cents-a-day", 10**9, user="alice")
            alice.answer(_ASKED_OF_A_MODEL)
        assert provider.met == ["ok"] * 2


def test_a_model_that_does_not_answer_in_time_is_abandoned(asking: Asked, superuser: Any) -> None:
    with answering(["hang"]) as provider, asking(provider) as alice:
        with pytest.raises(Unavailable, match=r"did not answer within 0\.2 s"):
            alice.answer(_ASKED_OF_A_MODEL, deadline_seconds=0.2)
        provider.over.set()

    assert superuser.execute("SELECT outcome, spent_tokens = reserved_tokens FROM model_calls").fetchall() == [
        ("failed", True)
    ]


def test_the_command_answers_with_its_sources(asking: Asked, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(replies=saying("Anna works at Acme.")) as provider, asking(provider):
        for name, value in (("MODEL", "echo-1"), ("MODEL_URL", provider.url), ("MODEL_KEY", "k")):
            monkeypatch.setenv(f"SLOWWAVE_{name}", value)
        said = run("answer", _ASKED_OF_A_MODEL, "--user", "alice", "--agent", "concierge")
        told = run("answer", _ASKED_OF_A_MODEL, "--user", "alice", "--agent", "concierge", "--json").json

    assert said.out.splitlines()[0] == "Anna works at Acme."
    assert "Anna works at Acme." in said.out.splitlines()[1]
    assert (told["text"], told["known"], told["rejected"]) == ("Anna works at Acme.", True, [])
    assert told["sentences"][0]["memories"][0]["sources"][0]["key"] == "k1"
