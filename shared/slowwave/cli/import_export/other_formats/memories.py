"""Memories in the formats of mem0, honcho and LangGraph stores: conclusions, and the messages of honcho.

Nobody said a conclusion: it becomes an episode of the role `system`, which recall finds and no rule reads.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

Entry = Mapping[str, Any]


def mem0(entry: Entry) -> Iterator[dict[str, Any]]:
    """Give the memory in *entry*, in the form of `get_all` and `get` of mem0 1.0."""
    yield _known({
        "key": _key("mem0", entry.get("id")),
        "content": entry.get("memory"),
        "role": "system",
        "user": entry.get("user_id"),
        "agent": entry.get("agent_id"),
        "session": entry.get("run_id"),
        "occurred_at": entry.get("updated_at") or entry.get("created_at"),
        "metadata": _origin("mem0", entry, "id", "metadata", "app_id", "categories", "created_at"),
    })  # fmt: skip


def honcho(entry: Entry) -> Iterator[dict[str, Any]]:
    """Give the message or conclusion in *entry*, in the form of honcho's API v3."""
    if "observed_id" in entry:
        yield _known({
            "key": _key("honcho", entry.get("id")),
            "content": entry.get("content"),
            "role": "system",
            "user": entry["observed_id"],
            "session": entry.get("session_id"),
            "occurred_at": entry.get("created_at"),
            "metadata": _origin("honcho", entry, "id", "observer_id"),
        })  # fmt: skip
        return
    own = entry.get("metadata") or {}
    role = own.get("role") if isinstance(own, dict) else None
    yield _known({
        "key": _key("honcho", entry.get("id")),
        "content": entry.get("content"),
        "role": role or "user",
        "user": None if role == "assistant" else entry.get("peer_id"),
        "speaker": entry.get("peer_id"),
        "session": entry.get("session_id"),
        "occurred_at": entry.get("created_at"),
        "metadata": _origin("honcho", entry, "id", "metadata", "workspace_id"),
    })  # fmt: skip


def langgraph(entry: Entry) -> Iterator[dict[str, Any]]:
    """Give the item in *entry*, in the form of `Item.dict()` of LangGraph's stores, 1.0.

    The position of the user in its namespace is not fixed, so give the user with --user; metadata keeps the namespace.
    """
    namespace, value = entry.get("namespace"), entry.get("value")
    parts = [str(part) for part in namespace] if isinstance(namespace, list) else []
    yield _known({
        "key": _key("langgraph", "/".join([*parts, str(entry["key"])]) if entry.get("key") else None),
        "content": _text_of_item(value),
        "role": "system",
        "occurred_at": entry.get("updated_at") or entry.get("created_at"),
        "metadata": _origin("langgraph", entry, "namespace", "key", "created_at"),
    })  # fmt: skip


def _text_of_item(value: Any) -> Any:
    """Return an item's text from its usual fields, else the whole item as JSON."""
    if not isinstance(value, dict):
        return value
    said = [value[name] for name in ("content", "text", "memory", "data") if isinstance(value.get(name), str)]
    return said[0] if said else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _key(project: str, id_: Any) -> str | None:
    return None if id_ is None else f"{project}:{id_}"


def _origin(project: str, entry: Entry, *names: str) -> dict[str, Any]:
    """Return the metadata with an episode's origin: the *project*, and the fields *names* of the entry."""
    return {"source": project, project: {name: entry[name] for name in names if entry.get(name) is not None}}


def _known(item: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in item.items() if value is not None}
