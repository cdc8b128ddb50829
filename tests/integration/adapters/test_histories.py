"""The histories of OpenAI's agents and of pydantic-ai: real runners, a stub of a model, a real memory."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from slowwave.adapters.openai_agents import SlowwaveSession
from slowwave.adapters.pydantic_ai import MessageHistory
from slowwave.memory import Memory
from slowwave.memory.asynchronous import AsyncMemoryScope
from slowwave.wiring import Parts
from tests.integration.steps import awaiting, learn

pytestmark = pytest.mark.accept

Walk = Callable[[AsyncMemoryScope], Awaitable[None]]


@pytest.fixture
def walked(parts: Parts) -> Callable[[Walk], None]:
    """Return a function that runs a coroutine with the memory of a user who has told where she lives."""
    memory = Memory(parts)
    learn(memory.scope("alice"), "I live in Lisbon", role="user", session="before")
    return lambda walk: awaiting(memory, lambda face: walk(face.scope("alice")))


def an_agent(heard: list[tuple[str | None, Any]]) -> Any:
    """An agent of OpenAI's SDK whose model says one sentence, and the inputs that its model *heard*."""
    import agents
    from openai.types.responses import ResponseOutputMessage, ResponseOutputText

    class Stub(agents.Model):  # type: ignore[misc]  # agents' types are not read here
        async def get_response(self, system_instructions: str | None, input: Any, *_: Any, **__: Any) -> Any:
            heard.append((system_instructions, input))
            text = ResponseOutputText(text="In Lisbon.", type="output_text", annotations=[])
            said = ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
            return agents.ModelResponse(output=[said], usage=agents.Usage(), response_id=None)

        async def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
            raise NotImplementedError
            yield

    return agents.Agent(name="guide", instructions="Be kind.", model=Stub())


def test_the_openai_runner_gets_its_history_and_facts_of_other_sessions(walked: Callable[[Walk], None]) -> None:
    import agents
    from agents.memory import Session

    async def walk(scope: AsyncMemoryScope) -> None:
        session = SlowwaveSession(scope, "s1")
        assert isinstance(session, Session)
        heard: list[tuple[str | None, Any]] = []
        agent = an_agent(heard)
        how = agents.RunConfig(call_model_input_filter=session.input_with_memories, tracing_disabled=True)
        for said in ("Where do I live?", "Are you sure?"):
            result = await agents.Runner.run(agent, said, session=session, run_config=how)

        assert heard[0][0] is not None
        assert heard[0][0].startswith("Be kind.\n\n")
        assert "Lisbon" in heard[0][0]
        assert await session.get_items() == result.to_input_list()
        assert [one["role"] for one in heard[1][1]] == ["user", "assistant", "user"]
        assert [one.content for one in await scope.conversation("s1")][:2] == ["Where do I live?", "In Lisbon."]

    walked(walk)


def test_openai_session_items_are_returned_unchanged_until_cleared(walked: Callable[[Walk], None]) -> None:
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": '{"a": 1.0, "b": "\\u0000"}'}
    items: list[Any] = [
        {"role": "user", "content": "Hi\u0000"[:2], "odd": 1e300},
        call,
        {"type": "function_call_output", "call_id": "c", "output": "x" * 200_000 + "é\u0000"},
        {"role": "assistant", "content": [{"type": "output_text", "text": "Done"}]},
    ]

    async def walk(scope: AsyncMemoryScope) -> None:
        session = SlowwaveSession(scope, "s1")
        assert await session.pop_item() is None
        await session.add_items(items)
        assert await session.get_items() == items
        assert await session.get_items(2) == items[2:]
        assert await session.get_items(0) == []

        first, second = await asyncio.gather(session.pop_item(), session.pop_item())
        assert sorted([first, second], key=items.index) == items[2:]
        assert await session.get_items() == items[:2]
        await session.clear_session()
        assert await session.get_items() == []
        await session.add_items(items[:1])
        assert await SlowwaveSession(scope, "s1").get_items() == items[:1]
        assert "Done" in [one.content for one in await scope.conversation("s1")]  # archived, not lost

    walked(walk)


def test_pydantic_ai_messages_are_returned_unchanged_and_facts_are_instructions(walked: Callable[[Walk], None]) -> None:
    from pydantic_ai import Agent
    from pydantic_ai.models.test import TestModel

    async def walk(scope: AsyncMemoryScope) -> None:
        history = MessageHistory(scope, "s1")
        agent = Agent(TestModel(), instructions=history.known)

        @agent.tool_plain  # type: ignore[untyped-decorator]  # nor pydantic-ai's
        def weather(place: str) -> str:
            return f"Sun in {place}"

        first = await agent.run("Where do I live?", message_history=await history.load())
        assert "Lisbon" in first.all_messages()[0].instructions
        await history.save(first.new_messages())
        assert await history.load() == first.all_messages()
        second = await agent.run("Are you sure?", message_history=await history.load())
        await history.save(second.new_messages())
        assert await history.load() == second.all_messages()
        await history.clear()
        assert await history.load() == []

    walked(walk)
