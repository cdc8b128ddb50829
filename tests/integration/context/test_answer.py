"""An answer on the real path: a model over OpenAI's protocol, on the terms of the desk, checked against its sources."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest
from pydantic import SecretStr

from slowwave import wiring
from slowwave.domain.context.answer import NOT_KNOWN
from slowwave.domain.model_calls.chunk import Message
from slowwave.errors import Incorrect, NotFound, Refused, Unavailable
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of
from slowwave.settings import Settings
from tests.faults.rig.provider import LocalProvider, answering
from tests.integration.command import Run

QUESTION = "Where does Anna work?"
Asked = Callable[..., AbstractContextManager[MemoryScope]]


def saying(sentence: str) -> Callable[[Sequence[Message]], str]:
    """A model that cites for *sentence* the memory that speaks of Acme."""

    def reply(messages: Sequence[Message]) -> str:
        number = re.search(r"^(\d+)\. .*Anna works at Acme", messages[-1]["content"], re.MULTILINE)
        said = [{"text": sentence, "sources": [int(number[1])] if number else []}]
        return json.dumps({"sentences": said if sentence else []})

    return reply


@pytest.fixture
def asking(settings: Settings, heavy_parts: dict[str, object]) -> Asked:
    """A memory of Anna, in a process that asks the provider given."""

    @contextmanager
    def ask(provider: LocalProvider, **more: Any) -> Iterator[MemoryScope]:
        told = {"model": "echo-1", "model_url": provider.url, "model_key": SecretStr("k"), **more}
        parts = wiring.connect(Settings.load(**{**settings.model_dump(exclude_unset=True), **told}))
        vars(parts).update(heavy_parts)
        wiring.register(parts)
        with Memory(parts) as memory:
            scope = memory.scope("alice", agent="concierge")
            scope.push("Anna works at Acme.", key="k1", session="s1")
            scope.push("The soup is cold.", key="k2", session="s1")
            yield scope

    return ask


def test_each_sentence_of_an_answer_cites_its_sources(asking: Asked) -> None:
    with answering(replies=saying("Anna works at Acme.")) as provider, asking(provider) as alice:
        answer = alice.answer(QUESTION)
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
        answer = alice.answer(QUESTION)

    assert (answer.text, answer.known, len(answer.rejected)) == (NOT_KNOWN, False, bool(sentence))


def test_an_empty_memory_answers_without_a_model_request(asking: Asked) -> None:
    with answering() as provider, asking(provider) as alice:
        answer = Memory(parts_of(alice)).scope("bob").answer(QUESTION)

        assert (answer.text, provider.met) == (NOT_KNOWN, [])


def test_answering_without_a_model_names_the_missing_setting(parts: wiring.Parts) -> None:
    with pytest.raises(Incorrect, match="need a model, and none is set") as refusal:
        Memory(parts).scope("alice").answer(QUESTION)

    assert "SLOWWAVE_MODEL" in str(refusal.value.hint)


def test_a_model_call_is_booked_and_frees_its_slot_in_each_outcome(asking: Asked, superuser: Any) -> None:
    script = ["ok", "garbage", "500", "400"]
    with answering(script, replies=saying("Anna works at Acme.")) as provider, asking(provider) as alice:
        alice.answer(QUESTION)
        for kind in (Unavailable, Unavailable, Refused):
            with pytest.raises(kind, match="no answer: "):
                alice.answer(QUESTION)

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
            alice.answer(QUESTION)
        assert provider.met == []
    with answering(["500"] * 9) as provider, asking(provider) as alice:
        for _ in range(3):
            with pytest.raises(Unavailable, match="no answer: the provider answered 500"):
                alice.answer(QUESTION)
        with pytest.raises(Unavailable, match="the model is not available now"):
            alice.answer(QUESTION)
        assert provider.met == ["500"] * 3


def test_a_model_that_does_not_answer_in_time_is_abandoned(asking: Asked, superuser: Any) -> None:
    with answering(["hang"]) as provider, asking(provider) as alice:
        with pytest.raises(Unavailable, match=r"did not answer within 0\.2 s"):
            alice.answer(QUESTION, deadline_seconds=0.2)
        provider.over.set()

    assert superuser.execute("SELECT outcome, spent_tokens = reserved_tokens FROM model_calls").fetchall() == [
        ("failed", True)
    ]


def test_the_command_answers_with_its_sources(asking: Asked, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(replies=saying("Anna works at Acme.")) as provider, asking(provider):
        for name, value in (("MODEL", "echo-1"), ("MODEL_URL", provider.url), ("MODEL_KEY", "k")):
            monkeypatch.setenv(f"SLOWWAVE_{name}", value)
        said = run("answer", QUESTION, "--user", "alice", "--agent", "concierge")
        told = run("answer", QUESTION, "--user", "alice", "--agent", "concierge", "--json").json

    assert said.out.splitlines()[0] == "Anna works at Acme."
    assert "Anna works at Acme." in said.out.splitlines()[1]
    assert (told["text"], told["known"], told["rejected"]) == ("Anna works at Acme.", True, [])
    assert told["sentences"][0]["memories"][0]["sources"][0]["key"] == "k1"
