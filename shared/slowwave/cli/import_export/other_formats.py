"""Files of other projects (chats, memories), converted to the lines that `slowwave push` reads."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from slowwave.core.masking import MASKING
from slowwave.errors import Incorrect

Entry = Mapping[str, Any]
_SPEAKING_ROLES = ("user", "assistant")
_Entry = Mapping[str, Any]
BATCH = 1_000
"""Items stored per batch."""
Item = dict[str, Any]
_LISTS = ("results", "items", "data", "memories", "conversations")
"""The fields in which documents, and pages of an API, list their entries."""


def openai(entry: Entry) -> Iterator[dict[str, Any]]:
    """Give the messages of *entry*: a chat completions request with `messages`, or a single message.

    The messages have no id. The key of a message therefore consists of the chat's id, if any, the position and the
    content.
    """
    messages = entry.get("messages")
    if not isinstance(messages, list):
        yield _of_openai(entry, "", 0)
        return
    chat = str(entry.get("id") or entry.get("conversation_id") or _digest(messages[:1]))
    for number, message in enumerate(messages, 1):
        if isinstance(message, dict) and message.get("role") not in ("system", "developer"):
            owner = {name: entry[name] for name in ("user", "agent", "channel") if isinstance(entry.get(name), str)}
            yield {**owner, "session": chat, **_of_openai(message, chat, number)}


def chatgpt(entry: Entry) -> Iterator[dict[str, Any]]:
    """Give the messages of a conversation in ChatGPT's exported `conversations.json`, as of 2025.

    A conversation is a tree. Only the path from the current node to the root is imported, without regenerated answers.
    Hidden and non-text messages are left out.
    """
    mapping = entry.get("mapping")
    if not isinstance(mapping, dict):
        yield {"metadata": {"source": "chatgpt"}}  # reported as invalid, since it has no content
        return
    chat = str(entry.get("conversation_id") or entry.get("id") or _digest([entry.get("create_time")]))
    for node in reversed(_path_to_root(mapping, entry.get("current_node"))):
        message = node.get("message")
        if isinstance(message, dict) and (episode := _of_chatgpt(message)):
            title = {"title": entry["title"]} if isinstance(entry.get("title"), str) else {}
            yield {**episode, "session": chat, "metadata": {"source": "chatgpt", "chatgpt": {"id": chat, **title}}}


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
    """Return the nodes from *leaf* to the root.

    If *leaf* is unknown, return the nodes from the newest node to the root.
    """
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


def mem0(entry: _Entry) -> Iterator[dict[str, Any]]:
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


def honcho(entry: _Entry) -> Iterator[dict[str, Any]]:
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


def langgraph(entry: _Entry) -> Iterator[dict[str, Any]]:
    """Give the item in *entry*, in the form of `Item.dict()` of LangGraph's stores, 1.0.

    The position of the user in the namespace is not fixed, so give the user with --user. The metadata keep the
    namespace.
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
    texts = [value[name] for name in ("content", "text", "memory", "data") if isinstance(value.get(name), str)]
    return texts[0] if texts else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _key(project: str, id_: Any) -> str | None:
    return None if id_ is None else f"{project}:{id_}"


def _origin(project: str, entry: _Entry, *names: str) -> dict[str, Any]:
    """Return the metadata with an episode's origin: the *project*, and the fields *names* of the entry."""
    return {"source": project, project: {name: entry[name] for name in names if entry.get(name) is not None}}


def _known(item: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in item.items() if value is not None}


FORMS: Mapping[str, Callable[[Any], Iterator[Item]]] = {
    "chatgpt": chatgpt,
    "honcho": honcho,
    "langgraph": langgraph,
    "mem0": mem0,
    "openai": openai,
}
"""The supported formats by name. Each function converts an entry of a file to episodes."""


def episodes_of(form: str, file: Path) -> Iterator[list[tuple[int, bytes]]]:
    """Give the episodes of a *file* in the format *form*, in batches, each episode with the number of its entry.

    Reads JSON Lines entry by entry, and a JSON document as a whole. Raises `Incorrect` for any other content.
    """
    numbered = _numbered(form, file)
    while batch := list(islice(numbered, BATCH)):
        yield batch


def _numbered(form: str, file: Path) -> Iterator[tuple[int, bytes]]:
    for number, entry in _entries(file):
        if not isinstance(entry, dict):
            yield number, b"[]"  # kept as an invalid line, so that its number is reported
            continue
        for item in FORMS[form](entry):
            yield number, json.dumps(item).encode()


def _entries(file: Path) -> Iterator[tuple[int, Any]]:
    try:
        if _is_lines(file):
            with file.open(encoding="utf-8-sig") as opened:
                for number, line in enumerate(opened, 1):
                    if line.strip():
                        yield number, _read(line)
            return
        document = json.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise Incorrect(f"{file} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise Incorrect(f"{file} is neither JSON nor JSON Lines, in UTF-8") from None
    if isinstance(document, dict):
        lists = [document[name] for name in _LISTS if isinstance(document.get(name), list)]
        document = lists[0] if lists else [document]
    yield from enumerate(document if isinstance(document, list) else [document], 1)


def _is_lines(file: Path) -> bool:
    """Return whether the first line is a complete JSON object and another line follows."""
    with file.open(encoding="utf-8-sig") as opened:
        first, second = opened.readline(), opened.readline()
    return second != "" and isinstance(_read(first), dict) and (second.strip() == "" or _read(second) is not None)


def _read(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
