"""Chats in OpenAI's formats: messages with their speakers."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from slowwave.core.masking import MASKING

Entry = Mapping[str, Any]
_SPEAKING_ROLES = ("user", "assistant")


def openai(entry: Entry) -> Iterator[dict[str, Any]]:
    """Give the messages of *entry*: a chat completions request with `messages`, or a single message.

    The messages have no id, so the key of each consists of the chat's id, if any, its position and its content.
    """
    messages = entry.get("messages")
    if not isinstance(messages, list):
        yield _of_openai(entry, "", 0)
        return
    chat = str(entry.get("id") or entry.get("conversation_id") or _digest(messages[:1]))
    for number, message in enumerate(messages, 1):
        if isinstance(message, dict) and message.get("role") not in ("system", "developer"):
            whose = {name: entry[name] for name in ("user", "agent", "channel") if isinstance(entry.get(name), str)}
            yield {**whose, "session": chat, **_of_openai(message, chat, number)}


def chatgpt(entry: Entry) -> Iterator[dict[str, Any]]:
    """Give the messages of a conversation in ChatGPT's exported `conversations.json`, as of 2025.

    A conversation is a tree: only the path from its current node to the root is imported, not regenerated answers.
    Hidden and non-text messages are left out.
    """
    mapping = entry.get("mapping")
    if not isinstance(mapping, dict):
        yield {"metadata": {"source": "chatgpt"}}  # reported as invalid, since it has no content
        return
    chat = str(entry.get("conversation_id") or entry.get("id") or _digest([entry.get("create_time")]))
    for node in reversed(_path_to_root(mapping, entry.get("current_node"))):
        message = node.get("message")
        if isinstance(message, dict) and (said := _of_chatgpt(message)):
            title = {"title": entry["title"]} if isinstance(entry.get("title"), str) else {}
            yield {**said, "session": chat, "metadata": {"source": "chatgpt", "chatgpt": {"id": chat, **title}}}


def _of_openai(message: Entry, chat: str, number: int) -> dict[str, Any]:
    place = f"{chat}/{number}/" if chat else ""
    content = message.get("content")
    if isinstance(content, list):  # a list of parts; only text is kept
        content = "\n".join(part["text"] for part in content if isinstance(part, dict) and "text" in part)
    own = {name: message[name] for name in ("user", "agent", "channel", "session") if name in message}
    return {
        **own, "key": f"openai:{place}{_digest(message)}", "content": content or "", "role": message.get("role"),
        "metadata": {"source": "openai"},
    }  # fmt: skip


def _path_to_root(mapping: Mapping[str, Any], leaf: Any) -> list[Mapping[str, Any]]:
    """Return the nodes from *leaf* to the root; if *leaf* is unknown, from the newest node."""
    if leaf not in mapping:
        nodes = [(_time(node), name) for name, node in mapping.items() if isinstance(node, dict)]
        leaf = max(nodes, default=(0.0, None))[1]
    way: list[Mapping[str, Any]] = []
    seen: set[str] = set()
    while isinstance(leaf, str) and leaf not in seen and isinstance(mapping.get(leaf), dict):
        seen.add(leaf)
        way.append(mapping[leaf])
        leaf = mapping[leaf].get("parent")
    return way


def _time(node: Mapping[str, Any]) -> float:
    message = node.get("message")
    time = message.get("create_time") if isinstance(message, dict) else None
    return float(time) if isinstance(time, int | float) else 0.0


def _of_chatgpt(message: Entry) -> dict[str, Any]:
    author, content = message.get("author") or {}, message.get("content") or {}
    hidden = message.get("weight") == 0 or (message.get("metadata") or {}).get("is_visually_hidden_from_conversation")
    parts = content.get("parts") if content.get("content_type") in ("text", "multimodal_text") else None
    text = "\n".join(part for part in parts or [] if isinstance(part, str)).strip()
    if author.get("role") not in _SPEAKING_ROLES or hidden or not text:
        return {}
    time = message.get("create_time")
    when = {"occurred_at": datetime.fromtimestamp(time, UTC).isoformat()} if isinstance(time, int | float) else {}
    return {"key": f"chatgpt:{message.get('id')}", "content": text, "role": author["role"], **when}


def _digest(value: Any) -> str:
    """Return a hash of *value* from which its secrets cannot be guessed."""
    return hashlib.sha256(json.dumps(MASKING.value(value), sort_keys=True).encode()).hexdigest()[:32]
