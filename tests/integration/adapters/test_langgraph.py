"""LangGraph's store and nodes: a real graph, a stub of a model, a real memory."""

import asyncio
from typing import Annotated, Any, TypedDict

import pytest

from slowwave.adapters.langgraph import FACTS, MemoryNodes, SlowwaveStore
from slowwave.errors import Incorrect
from slowwave.memory import Memory
from slowwave.memory.asynchronous import AsyncMemory
from slowwave.wiring import Parts
from tests.integration.steps import awaiting

pytestmark = pytest.mark.accept


@pytest.fixture
def store(parts: Parts) -> SlowwaveStore:
    return SlowwaveStore(Memory(parts))


def keys(found: Any) -> list[str]:
    return [one.key for one in found]


def test_the_store_returns_the_last_put_value_unchanged(store: SlowwaveStore) -> None:
    value = {
        "text": "I like pizza",
        "n": 1.0,
        "odd": "\u0000é",
        "long": "x" * 300_000,
        "none": None,
        "deep": [{"a": []}],
    }
    assert store.get(("docs", "a/b"), "k") is None
    store.put(("docs", "a/b"), "k", value)
    first = store.get(("docs", "a/b"), "k")
    assert first.value == value
    assert (first.namespace, first.key) == (("docs", "a/b"), "k")
    for n in range(5):
        store.put(("docs", "a/b"), "k", {"n": n})
    again = store.get(("docs", "a/b"), "k")
    assert again.value == {"n": 4}
    assert again.created_at == first.created_at < again.updated_at
    store.delete(("docs", "a/b"), "k")
    store.delete(("docs", "a/b"), "never")
    assert store.get(("docs", "a/b"), "k") is None
    assert store.search(("docs",)) == store.list_namespaces() == []
    store.put(("docs", "a/b"), "k", {"n": 9})
    assert store.get(("docs", "a/b"), "k").created_at > again.updated_at
    with pytest.raises(Incorrect, match="at most 255"):
        store.put(("x" * 300,), "k", {})


def test_a_search_takes_a_prefix_and_a_filter_and_a_question_and_pages(store: SlowwaveStore) -> None:
    store.put(("users", "1"), "food", {"text": "loves pizza and pasta", "score": 3, "kind": "taste"})
    store.put(("users", "1"), "sport", {"text": "plays tennis on Sundays", "score": 5, "kind": "habit"})
    store.put(("users", "2"), "work", {"text": "repairs bicycles", "score": 7, "kind": "habit"})
    store.put(("users", "2"), "hidden", {"text": "a tennis court", "score": 0, "kind": "none"}, index=False)
    store.put(("other",), "x", {"text": "tennis", "score": 4})

    assert keys(store.search(("users", "1"))) == ["food", "sport"]
    assert keys(store.search(("users",), filter={"kind": "habit"})) == ["sport", "work"]
    assert keys(store.search(("users",), filter={"score": {"$gte": 5, "$lt": 7}})) == ["sport"]
    assert keys(store.search(("users",), filter={"kind": {"$ne": "habit"}})) == ["food", "hidden"]
    assert keys(store.search(("users",), limit=2, offset=1)) == ["sport", "work"]
    (best, *_) = store.search(("users",), query="Who plays tennis?")
    assert best.key == "sport"
    assert best.score > 0
    assert keys(store.search(("users",), query="Who plays tennis?"))[-1] == "hidden"
    with pytest.raises(Incorrect, match=r"\$in"):
        store.search(("users",), filter={"score": {"$in": [1]}})


def test_namespaces_are_listed_by_prefix_suffix_and_depth(store: SlowwaveStore) -> None:
    for namespace in [("a", "b", "c"), ("a", "b", "d"), ("a", "x", "c"), ("z",)]:
        store.put(namespace, "k", {"v": 1})

    assert store.list_namespaces() == [("a", "b", "c"), ("a", "b", "d"), ("a", "x", "c"), ("z",)]
    assert store.list_namespaces(prefix=("a", "b")) == [("a", "b", "c"), ("a", "b", "d")]
    assert store.list_namespaces(suffix=("c",)) == [("a", "b", "c"), ("a", "x", "c")]
    assert store.list_namespaces(prefix=("a", "*", "c")) == [("a", "b", "c"), ("a", "x", "c")]
    assert store.list_namespaces(max_depth=2) == [("a", "b"), ("a", "x"), ("z",)]
    assert store.list_namespaces(limit=1, offset=1) == [("a", "b", "d")]


def test_the_former_remember_of_the_nodes_pushes(monkeypatch: pytest.MonkeyPatch) -> None:
    async def pushed(_: MemoryNodes, state: str) -> str:
        return state

    monkeypatch.setattr(MemoryNodes, "push", pushed)
    nodes: Any = object.__new__(MemoryNodes)

    with pytest.warns(DeprecationWarning, match="write `push` for `remember`, the former name"):
        assert asyncio.run(nodes.remember("it")) == "it"


def test_a_langgraph_agent_recalls_memories_and_its_store_finds_facts(parts: Parts) -> None:
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
    from langgraph.graph import END, START, StateGraph
    from langgraph.graph.message import add_messages
    from langgraph.store.base import BaseStore

    class State(TypedDict):
        messages: Annotated[list[AnyMessage], add_messages]
        known: str

    async def act(memory: AsyncMemory) -> None:
        scope = memory.scope("alice")
        nodes = MemoryNodes(scope, "s2")
        await scope.push("I live in Lisbon", role="user", session="s1")
        await scope.consolidate()
        model = GenericFakeChatModel(messages=iter([AIMessage("In Lisbon.")]))

        async def answer(state: State, *, store: BaseStore) -> dict[str, Any]:
            await store.aput(("seen", "alice"), "last", {"text": state["known"]})
            said = await model.ainvoke([SystemMessage(state["known"]), *state["messages"]])
            return {"messages": [said]}

        graph = StateGraph(State)
        graph.add_node("recall", nodes.recall)
        graph.add_node("answer", answer)
        graph.add_node("push", nodes.push)
        for before, after in [(START, "recall"), ("recall", "answer"), ("answer", "push"), ("push", END)]:
            graph.add_edge(before, after)
        store = SlowwaveStore(memory)
        compiled = graph.compile(store=store)
        out = await compiled.ainvoke({"messages": [HumanMessage("Where do I live?")], "known": ""})
        await nodes.push(out)  # a step that is run again

        assert "Lisbon" in out["known"]
        assert "Lisbon" in (await store.aget(("seen", "alice"), "last")).value["text"]
        assert [one.content for one in await scope.conversation("s2")] == ["Where do I live?", "In Lisbon."]
        (fact, *_) = await store.asearch((*FACTS, "alice"), query="Where does the user live?")
        assert fact.value["text"] == "The user lives in Lisbon"
        assert await store.asearch((*FACTS, "bob"), query="Where?") == []
        with pytest.raises(ValueError, match="read-only"):
            await store.aput((*FACTS, "alice"), "k", {})

    awaiting(Memory(parts), act)
