"""The clients of OpenAI and Anthropic with memory: real clients, a stub of a model, a real memory."""

import asyncio
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from slowwave.adapters import remembering
from slowwave.errors import Incorrect
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.asynchronous import AsyncMemory
from slowwave.wiring import Parts
from tests.integration.adapters.model import REPLY, Model, model
from tests.integration.steps import learn

pytestmark = pytest.mark.accept

ASKED = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Where do I live?"}]


@pytest.fixture
def there() -> Iterator[Model]:
    with model() as one:
        yield one


@pytest.fixture
def alice(parts: Parts) -> MemoryScope:
    """A user who has told where she lives."""
    scope = learn(Memory(parts).scope("alice"), "I live in Lisbon", role="user", session="before")
    return scope


def openai_client(there: Model, scope: MemoryScope) -> Any:
    """Return a client of OpenAI with memory."""
    import openai

    return remembering(openai.OpenAI(base_url=there.url, api_key="none"), scope, session="s1")


def said(scope: MemoryScope, session: str = "s1") -> list[str]:
    return [f"{one.role}: {one.content}" for one in scope.conversation(session)]


@pytest.mark.parametrize("stream", [False, True])
def test_an_openai_client_gets_known_facts_and_its_turns_are_pushed(
    alice: MemoryScope, there: Model, stream: bool
) -> None:
    answer = openai_client(there, alice).chat.completions.create(model="m", messages=ASKED, stream=stream)
    text = "".join(c.choices[0].delta.content for c in answer) if stream else answer.choices[0].message.content

    assert text == REPLY
    (sent,) = there.heard
    assert [one["role"] for one in sent["messages"]] == ["system", "system", "user"]
    assert "Lisbon" in sent["messages"][1]["content"]
    assert said(alice) == ["user: Where do I live?", f"assistant: {REPLY}"]


@pytest.mark.parametrize("stream", [False, True])
def test_an_anthropic_client_gets_facts_in_its_system_prompt(alice: MemoryScope, there: Model, stream: bool) -> None:
    import anthropic

    client = remembering(anthropic.Anthropic(base_url=there.url, api_key="none"), alice, session="s1")
    answer = client.messages.create(model="m", max_tokens=9, system="Be kind.", messages=ASKED[1:], stream=stream)
    if stream:
        assert len(list(answer)) == 5

    (sent,) = there.heard
    assert sent["system"].startswith("Be kind.\n\n")
    assert "Lisbon" in sent["system"]
    assert sent["messages"] == ASKED[1:]
    assert said(alice) == ["user: Where do I live?", f"assistant: {REPLY}"]


@pytest.mark.parametrize("stream", [False, True])
def test_a_client_that_awaits_remembers_too(alice: MemoryScope, url: str, there: Model, stream: bool) -> None:
    import openai

    async def ask() -> None:
        async with AsyncMemory.connect(url, statements=False) as memory:
            inner = openai.AsyncOpenAI(base_url=there.url, api_key="none")
            client = remembering(inner, memory.scope("alice"), session="s1")
            answer = await client.chat.completions.create(model="m", messages=ASKED, stream=stream)
            if stream:
                assert [c.choices[0].delta.content async for c in answer] == [REPLY[:7], REPLY[7:]]
            await inner.close()

    asyncio.run(ask())
    assert "Lisbon" in there.heard[0]["messages"][1]["content"]
    assert said(alice) == ["user: Where do I live?", f"assistant: {REPLY}"]


def test_calls_of_tools_pass_untouched_and_are_not_pushed(alice: MemoryScope, there: Model) -> None:
    call = {"id": "t1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    after: list[dict[str, Any]] = [
        *ASKED,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "t1", "content": "42"},
    ]
    openai_client(there, alice).chat.completions.create(model="m", messages=after)

    assert there.heard[0]["messages"][2:] == after[1:]
    assert said(alice) == [f"assistant: {REPLY}"]


def test_messages_from_an_iterator_reach_the_model(alice: MemoryScope, there: Model) -> None:
    openai_client(there, alice).chat.completions.create(model="m", messages=iter(ASKED))

    assert there.heard[0]["messages"][::2] == ASKED
    assert said(alice) == ["user: Where do I live?", f"assistant: {REPLY}"]


def test_a_call_succeeds_while_memory_is_unavailable_and_logs_it_once(
    there: Model, caplog: pytest.LogCaptureFixture
) -> None:
    with Memory.connect("postgresql://nobody@127.0.0.1:9/nowhere", statements=False) as memory:
        client = openai_client(there, memory.scope("alice"))
        with caplog.at_level(logging.WARNING, "slowwave.adapters"):
            for _ in range(2):
                answer = client.chat.completions.create(model="m", messages=ASKED)
                assert answer.choices[0].message.content == REPLY

    assert [one["messages"] for one in there.heard] == [ASKED, ASKED]
    assert len([one for one in caplog.records if "memory is unreachable" in one.message]) == 1


def test_a_client_and_a_memory_of_different_kinds_are_refused(alice: MemoryScope) -> None:
    import openai

    with pytest.raises(Incorrect, match=r"chat\.completions\.create is awaited"):
        remembering(openai.AsyncOpenAI(base_url="http://127.0.0.1:9", api_key="none"), alice)
    with pytest.raises(Incorrect, match="no method that can use a memory"):
        remembering(object(), alice)
