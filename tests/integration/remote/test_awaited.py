"""An async agent has the same verbs over HTTP."""

import asyncio

import pytest

from slowwave import AsyncMemory, Fact
from slowwave.remote.responses import OutOfReach


def test_verbs_are_awaited(address: str, key: str) -> None:
    async def agent() -> None:
        async with AsyncMemory.connect(address, key=key) as memory:
            scope = memory.scope("nora", agent="concierge")
            told = await asyncio.gather(*(scope.push("I live in Lisbon", key=f"m{n}") for n in range(8)))
            assert {one.state for one in told} == {"stored"}
            assert all(isinstance(one, Fact) for one in await scope.facts())
            assert (await scope.goals.add("Find a flat", key="g1")).status == "active"
            with pytest.raises(OutOfReach):
                await scope.consolidate()
        other = await AsyncMemory.connect(address, key=key)
        assert (await other.scope("nora").recall("Where does Nora live?", agents=["concierge"]))[0].text
        await other.close()

    asyncio.run(agent())
