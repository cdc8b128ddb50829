"""An agent of pydantic-ai that remembers: `python agent.py`. No key is needed: its test model is the place for yours.

`pip install "slowwave[async,embedded]" pydantic-ai-slim`.
"""

import asyncio

from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel

from slowwave import AsyncMemory
from slowwave.adapters.pydantic_ai import MessageHistory


async def main() -> None:
    """Tell it where you live, let a night pass, and ask in another session."""
    async with AsyncMemory.connect() as memory:
        scope = memory.scope("alice")
        for session, words in [("s1", "I moved to Oslo"), ("s2", "Where do I live?")]:
            history = MessageHistory(scope, session)
            agent = Agent(TestModel(), instructions=history.known)
            result = await agent.run(words, message_history=await history.load())
            await history.save(result.new_messages())
            print(f"{words} — told: {result.all_messages()[0].instructions or 'nothing'}")
            await scope.consolidate()


asyncio.run(main())
