"""A graph that remembers: `python graph.py`. No key is needed: a fake chat model is the place for yours.

`pip install "slowwave[async,embedded]" langgraph`.
"""

import asyncio
from typing import Annotated, Any, TypedDict

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages

from slowwave import AsyncMemory
from slowwave.adapters.langgraph import FACTS, MemoryNodes, SlowwaveStore


class State(TypedDict):
    """The messages of a conversation, and what is known that they ask for."""

    messages: Annotated[list[AnyMessage], add_messages]
    known: str


model = GenericFakeChatModel(messages=iter([AIMessage("Nice!"), AIMessage("You told me.")]))


async def answer(state: State) -> dict[str, Any]:
    """Return what the model says that is told what is known."""
    return {"messages": [await model.ainvoke([SystemMessage(state["known"]), *state["messages"]])]}


async def main() -> None:
    """Tell it where you live, let a night pass, and ask in another session."""
    async with AsyncMemory.connect() as memory:
        scope = memory.scope("alice")
        store = SlowwaveStore(memory)
        for session, words in [("s1", "I moved to Oslo"), ("s2", "Where do I live?")]:
            nodes = MemoryNodes(scope, session)
            graph = StateGraph(State)
            graph.add_node("recall", nodes.recall)
            graph.add_node("answer", answer)
            graph.add_node("push", nodes.push)
            graph.add_edge(START, "recall")
            graph.add_edge("recall", "answer")
            graph.add_edge("answer", "push")
            graph.add_edge("push", END)
            said = await graph.compile(store=store).ainvoke({"messages": [HumanMessage(words)], "known": ""})
            print(f"{words} — known: {said['known'] or 'nothing'}")
            await scope.consolidate()
        for fact in await store.asearch((*FACTS, "alice")):
            print(fact.value["text"])


asyncio.run(main())
