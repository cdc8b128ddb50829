"""A store for LangGraph, and graph nodes that add memories to the messages and push new turns."""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from slowwave.adapters.key_value import KeyValueStore, Namespace, StoredValue
from slowwave.adapters.talk import AsyncTalk, Message, text_of
from slowwave.domain.fact import Fact
from slowwave.errors import Incorrect
from slowwave.formatting import brief
from slowwave.former_names import warn_of_former
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.asynchronous import AsyncMemory, AsyncMemoryScope
from slowwave.memory.verb_group import parts_of

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        InvalidNamespaceError,
        Item,
        ListNamespacesOp,
        MatchCondition,
        PutOp,
        SearchItem,
        SearchOp,
        get_text_at_path,
        tokenize_path,
    )
except ModuleNotFoundError as error:
    raise Incorrect("this needs the package langgraph, which is not installed", hint="pip install langgraph") from error

FACTS = ("slowwave", "facts")
"""The read-only namespace of facts about a user. The full namespace is ("slowwave", "facts", user)."""
OVERFETCH = 4
_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}
_COMPARED: Mapping[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda have, want: have == want,
    "$ne": lambda have, want: have != want,
    "$gt": lambda have, want: have is not None and float(have) > float(want),
    "$gte": lambda have, want: have is not None and float(have) >= float(want),
    "$lt": lambda have, want: have is not None and float(have) < float(want),
    "$lte": lambda have, want: have is not None and float(have) <= float(want),
}


class SlowwaveStore(BaseStore):  # type: ignore[misc]  # langgraph's types are not read here
    """A LangGraph store that keeps its values in *memory*. The store also finds facts about users.

    Namespaces belong to the tenant of *memory*. The values are in a separate scope: the user is `langgraph`, the agent
    is *agent*. A put stores an episode with the exact value. Episodes of earlier values stay stored, but are not
    returned. Facts about a user are in the namespace `("slowwave", "facts", user)`. The async methods run on threads.
    """

    supports_ttl = False

    def __init__(self, memory: Memory | AsyncMemory, *, agent: str = "default", tenant: str | None = None) -> None:
        self._memory = Memory(parts_of(memory)) if isinstance(memory, AsyncMemory) else memory
        self._agent, self._tenant = agent, tenant
        self._shelf = KeyValueStore(self._scope("langgraph"))

    def batch(self, ops: Iterable[Any]) -> list[Any]:
        """Return the results of *ops*, in order. All reads are done before all puts. Of several puts to a key, only the
        last is stored.
        """
        asked = list(ops)
        answers = [self._answer(op) for op in asked]
        puts = {(op.namespace, op.key): op for op in asked if isinstance(op, PutOp)}
        for op in puts.values():
            self._put(op)
        return answers

    async def abatch(self, ops: Iterable[Any]) -> list[Any]:
        """Return the results of `batch` without blocking the event loop."""
        return await asyncio.to_thread(self.batch, ops)

    def _answer(self, op: Any) -> Any:
        if isinstance(op, GetOp):
            found = None if _of_facts(op.namespace) else self._shelf.get(op.namespace, op.key)
            return _item(found) if found else None
        if isinstance(op, SearchOp):
            return self._facts(op) if _of_facts(op.namespace_prefix) else self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        if isinstance(op, PutOp):
            return None
        raise Incorrect(f"a store does not know the operation {type(op).__name__}", hint="get, put, search or list")

    def _put(self, op: Any) -> None:
        if _of_facts(op.namespace):
            raise InvalidNamespaceError(f"{'/'.join(FACTS)} is read-only: its facts come from episodes")
        self._shelf.put(op.namespace, op.key, op.value, _words(op), indexed=op.index is not False)

    def _search(self, op: Any) -> list[Any]:
        under = [one for one in self._shelf.namespaces() if one[: len(op.namespace_prefix)] == op.namespace_prefix]
        stored = [one for namespace in under for one in self._shelf.all(namespace)]
        fit = [one for one in stored if _fits(one.value, op.filter or {})]
        scores: dict[str, float] = {}
        if op.query and fit:
            scores = self._shelf.alike(under, op.query, min(1_000, OVERFETCH * (op.limit + op.offset) + 20))
            fit.sort(key=lambda one: -scores.get(one.episode, 0.0) if one.indexed else 1.0)
        return [_found(one, scores.get(one.episode)) for one in fit[op.offset : op.offset + op.limit]]

    def _facts(self, op: Any) -> list[Any]:
        users = op.namespace_prefix[len(FACTS) :]
        if len(users) != 1:
            raise InvalidNamespaceError('name the user: ("slowwave", "facts", user)')
        scope = self._scope(users[0])
        if op.query:
            recalled = scope.recall(op.query, limit=min(1_000, op.limit + op.offset), kinds=["fact"])
            score = {one.id: one.score for one in recalled}
            named = {fact.id: fact for fact in scope.facts()}
            found: list[tuple[Fact, float | None]] = [(named[id_], score[id_]) for id_ in score if id_ in named]
        else:
            found = [(fact, None) for fact in scope.facts()]
        items = [_fact(op.namespace_prefix, fact, score) for fact, score in found]
        return [one for one in items if _fits(one.value, op.filter or {})][op.offset : op.offset + op.limit]

    def _namespaces(self, op: Any) -> list[Namespace]:
        there = {one for one in self._shelf.namespaces() if all(_matches(c, one) for c in op.match_conditions or ())}
        lived = {one[: op.max_depth] for one in there if self._shelf.all(one)}
        return sorted(lived)[op.offset : op.offset + op.limit]

    def _scope(self, user: str) -> MemoryScope:
        return self._memory.scope(user, agent=self._agent, **({"tenant": self._tenant} if self._tenant else {}))

    def __repr__(self) -> str:
        return brief(self, f"agent {self._agent}")


class MemoryNodes:
    """Two nodes of a graph whose state has `messages`: `recall` before the model, `push` after it.

    graph.add_node("recall", nodes.recall) # fills `known` of the state with lines for the prompt
    graph.add_node("push", nodes.push) # pushes the new turns

    *known* is the field of the state that `recall` fills. Both nodes are async. `push` pushes the turns to
    *session* in *scope*.
    """

    def __init__(
        self, scope: AsyncMemoryScope, session: str = "default", *, known: str = "known", max_tokens: int = 1_000
    ) -> None:
        self._talk = AsyncTalk(scope, session, max_tokens=max_tokens)
        self._known = known

    async def recall(self, state: Mapping[str, Any]) -> dict[str, str]:
        """Return memories related to the user's last message; empty while the memory is unreachable."""
        return {self._known: await self._talk.known(_turns(state["messages"]))}

    async def push(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """Push the user's last message and everything after it.

        The id of a message becomes the key of its episode, so a repeated push stores nothing twice. The result is
        always empty.
        """
        turns = _turns(state["messages"])
        begins = max((at for at, one in enumerate(turns) if one["role"] == "user"), default=len(turns))
        await self._talk.push([one for one in turns[begins:] if one["content"].strip() and one["role"] != "tool"])
        return {}

    async def remember(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """Call `push`, whose former name this is."""
        warn_of_former("remember", "push")
        return await self.push(state)

    def __repr__(self) -> str:
        return brief(self, repr(self._talk))


def _turns(messages: Sequence[Any]) -> list[Message]:
    """Return LangChain's messages as turns. If a message has an id, the id becomes the key of the turn."""
    return [
        {"role": _ROLES.get(one.type, "system"), "content": text_of(one.content)}
        | ({"key": f"message:{one.id}"} if one.id else {})
        for one in messages
    ]


def _of_facts(namespace: Namespace) -> bool:
    return namespace[: len(FACTS)] == FACTS


def _words(op: Any) -> str:
    """Return the searchable words of the value that *op* puts: all texts in the value, or the texts in the indexed
    fields.
    """
    if op.value is None:
        return "(taken away)"
    texts = [text for path in op.index or ["$"] for text in get_text_at_path(op.value, tokenize_path(path))]
    if not op.index:
        texts = list(_texts(op.value)) or [json.dumps(dict(op.value))]
    return "\n".join(texts)


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, Sequence):
        for one in value:
            yield from _texts(one)


def _item(stored: StoredValue) -> Any:
    return Item(
        value=stored.value, key=stored.key, namespace=stored.namespace, created_at=stored.created,
        updated_at=stored.updated,
    )  # fmt: skip


def _found(stored: StoredValue, score: float | None) -> Any:
    return SearchItem(stored.namespace, stored.key, stored.value, stored.created, stored.updated, score)


def _fact(namespace: Namespace, fact: Fact, score: float | None) -> Any:
    value = {"text": fact.text, "subject": fact.subject, "predicate": fact.predicate, "object": fact.object}
    return SearchItem(namespace, str(fact.id), value, fact.recorded_from, fact.recorded_from, score)


def _matches(condition: MatchCondition, namespace: Namespace) -> bool:
    path = condition.path
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(want in ("*", have) for want, have in zip(path, part, strict=True))


def _fits(have: Any, want: Any) -> bool:
    """Return whether a value matches a filter, field by field. Raises `Incorrect` for an unknown operator."""
    if isinstance(want, Mapping):
        if any(str(name).startswith("$") for name in want):
            if unknown := sorted(set(want) - set(_COMPARED)):
                raise Incorrect(f"a filter does not know {', '.join(unknown)}", hint=f"use {', '.join(_COMPARED)}")
            return all(_COMPARED[name](have, one) for name, one in want.items())
        return isinstance(have, Mapping) and all(_fits(have.get(name), one) for name, one in want.items())
    if isinstance(want, list | tuple):
        return isinstance(have, list | tuple) and len(have) == len(want) and all(map(_fits, have, want))
    return bool(have == want)
