"""Limits of stored values: sizes in bytes, text and JSON that Postgres accepts, and the metadata of an episode."""

import itertools
import json
import math
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from slowwave.validation_messages import kind, shortened

NAME_CHARACTERS = 255
"""The longest name of a tenant, user, agent, channel, session, key, speaker, or tool."""
CONTENT_BYTES = 256 * 1024
"""The largest content of an episode, question, or value of working memory."""
METADATA_BYTES = 16 * 1024
METADATA_DEPTH = 64
DESCRIPTION_BYTES = 32 * 1024
"""The largest goal, strategy, topic, statement or note. These texts are embedded."""
REASON_BYTES = 16 * 1024
"""The largest reason, and the largest result of a goal."""
REFUSAL_BYTES = 4 * 1024
"""The largest stored and reported reason why an item was refused. A longer reason is cut."""
MESSAGE_BYTES = 1024 * 1024
"""The largest message with several episodes, as JSON."""
LONE_BYTES = 2 * 1024 * 1024
"""The largest message with one episode. The largest episode takes 1.6 MiB if JSON escapes each byte as six bytes."""
MOST_EPISODES = 10_000
"""The maximum number of episodes of one message."""
MOST_RESULTS = 1_000
"""The maximum number of answers to one question, and of items in one list."""
MOST_NAMES = 1_000
"""The maximum number of sources of a delta, tools of a sequence, and tiers or channels of a query."""
MOST_SECONDS = 10 * 365 * 24 * 3600.0
"""The longest timeout, and the longest time to live of a value: ten years."""
MOST_HOURS = 10 * 365 * 24


ZERO_WIDTH = frozenset("\u200b\u200c\u200d\u2060\ufeff\u00ad")
BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")
_CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
TRACEPARENT = "traceparent"
"""The metadata key for the trace of the push. It is not part of the caller's data."""
MOST_PROBLEMS = 50
"""The maximum number of problems that an error lists for one metadata value. Without a limit, a small message can have
a million problems.
"""
_CHAT: dict[str, dict[str, Any]] = {
    "tool_calls": {"type": "array", "items": {"type": "object", "additionalProperties": True}},
    "tool_call_id": {"type": "string"},
}


ENCRYPTION_MARK = "\x01slowwave:"
"""The beginning of every encrypted text."""


def text_problems(text: str) -> list[str]:
    """Return the reasons why *text* cannot be stored: a NUL, a lone surrogate, or the mark of encrypted texts."""
    problems = ["begins with the mark of encrypted texts"] if text.startswith(ENCRYPTION_MARK) else []
    if "\0" in text:
        problems.append("contains a NUL character")
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        problems.append("contains a lone surrogate")
    return problems


def beginning(text: str, most_bytes: int) -> str:
    """Return *text*, or its beginning and an ellipsis if *text* is longer than *most_bytes* bytes of UTF-8.

    >>> beginning("crème", 5), beginning("crème", 6)
    ('cr…', 'crème')
    """
    whole = text.encode("utf-8", "replace")
    return text if len(whole) <= most_bytes else whole[: most_bytes - 3].decode(errors="ignore") + "…"


def name_problems(name: str, *, longest: int = NAME_CHARACTERS) -> list[str]:
    """Return the reasons why *name* is not valid for a tenant, user, agent, channel, session or key.

    Names are compared character by character. Therefore invisible characters are not allowed.
    """
    if not name:
        return ["is empty"]
    if len(name) > 100 * longest:
        return [f"has {len(name)} characters, at most {longest} are allowed"]
    problems = [] if (plain := name.isascii() and name.isprintable()) else text_problems(name)
    if len(name) > longest:
        problems.append(f"has {len(name)} characters, at most {longest} are allowed")
    if name != name.strip():
        problems.append("begins or ends with white space")
    if plain:
        return problems
    if any(unicodedata.category(character) == "Cc" and character != "\0" for character in name):
        problems.append("contains control characters")
    if any(character in ZERO_WIDTH or character in BIDI for character in name):
        problems.append("contains invisible characters")
    if not any("\ud800" <= c <= "\udfff" for c in name) and not unicodedata.is_normalized("NFC", name):
        problems.append("is not normalised (use Unicode NFC)")
    return problems


def canonical_json(value: Any) -> bytes:
    """Return JSON that is identical for equal values, whatever the order of their keys."""
    return _CANONICAL.encode(value).encode()


def as_stored(value: Any) -> Any:
    """Return the JSON *value* with the numbers that Postgres gives back: it stores 1e16 as an integer and -0.0 as 0.0.

    >>> as_stored({"a": [1e16, -0.0, 0.5]})
    {'a': [10000000000000000, 0.0, 0.5]}
    """
    match value:
        case dict():
            return {key: as_stored(one) for key, one in value.items()}
        case list():
            return [as_stored(one) for one in value]
        case float() if value == 0:
            return 0.0
        case float():
            return whole_number(value)
    return value


def whole_number(value: float) -> int | float:
    """Return *value* as the integer with its digits if Python writes it with a positive exponent; else unchanged.

    >>> whole_number(-1.25e16), whole_number(1e15)
    (-12500000000000000, 1000000000000000.0)
    """
    mantissa, large, exponent = repr(value).partition("e+")
    if not large:
        return value
    whole, _, fraction = mantissa.partition(".")
    return int(whole + fraction + "0" * (int(exponent) - len(fraction)))


def metadata_problems(metadata: Any) -> Iterator[str]:
    """Yield the reasons why *metadata* cannot be stored as JSON, without repeats, each with the place of the invalid
    value.
    """
    if metadata == {}:  # the usual case
        return
    room = itertools.count()  # each value takes at least a byte; a shared value counts once per place
    walked = itertools.takewhile(lambda _: next(room) <= METADATA_BYTES, _walk(metadata, "", 1))
    problems = sorted(set(itertools.islice(filter(None, walked), MOST_PROBLEMS)))
    yield from problems
    if not problems and next(room) > METADATA_BYTES:
        yield f"has more than {METADATA_BYTES} bytes, at most {METADATA_BYTES} are allowed"
    elif not problems:
        size = metadata_bytes(metadata)
        if size > METADATA_BYTES:
            yield f"has {size} bytes, at most {METADATA_BYTES} are allowed"


def metadata_bytes(metadata: Mapping[str, Any]) -> int:
    """Return the bytes that *metadata* takes as JSON; 0 if it is empty."""
    return len(json.dumps(metadata, ensure_ascii=False).encode("utf-8")) if metadata else 0


def _walk(value: Any, place: str, depth: int) -> Iterator[str]:
    """Yield a sentence for each problem, and an empty text for each value, so that a caller can count the values."""
    yield ""
    if depth > METADATA_DEPTH:
        yield f"is nested deeper than {METADATA_DEPTH}"
    elif isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str):
                yield f"{at(place)}has a key that is not text"
                continue
            yield from (f"{at(place)}a key {problem}" for problem in text_problems(key))
            yield from _walk(inner, _join(place, key), depth + 1)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _walk(inner, _join(place, str(number)), depth + 1)
    elif isinstance(value, str):
        yield from (f"{at(place)}{problem}" for problem in text_problems(value))
    elif isinstance(value, float) and not math.isfinite(value):
        yield f"{at(place)}is not a finite number"
    elif isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**63:
        yield f"{at(place)}does not fit 64 bits"
    elif value is not None and not isinstance(value, bool | int | float):
        yield f"{at(place)}is not a JSON value ({type(value).__name__})"


def _join(place: str, part: str) -> str:
    return place if text_problems(part) else f"{place}.{part}".lstrip(".")


def at(place: str) -> str:
    """Return the prefix of an error message about *place*: `place: `, or nothing without a place."""
    return f"{place}: " if place else ""


def from_chat(item: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the episode fields of the chat turn *item*, and the problems of its chat-only fields.

    `tool_calls` and `tool_call_id` become metadata. If there is no text, the calls become the content. A field that is
    None counts as absent.
    """
    fields = {name: value for name, value in item.items() if name not in _CHAT}
    beside = {name: item[name] for name in _CHAT if item.get(name) is not None}
    metadata = fields.get("metadata", {})
    problems = [*itertools.islice(_chat_problems(beside), MOST_PROBLEMS), *_disagreements(beside, metadata)]
    if problems:
        return fields, problems
    if beside.get("tool_calls") and fields.get("content") in (None, ""):
        try:
            fields["content"] = json.dumps({"tool_calls": beside.pop("tool_calls")}, ensure_ascii=False)
        except (TypeError, ValueError, RecursionError) as error:
            return fields, [f"tool_calls: are not JSON ({error})"]
    if beside and isinstance(metadata, Mapping):
        fields["metadata"] = {**metadata, **beside}
    return fields, []


def describe_chat_fields(schema: dict[str, Any]) -> None:
    """Add the fields of a chat turn to the *schema* of an episode. The schema then requires a text or tool calls."""
    fields = schema["properties"]
    content = fields["content"]
    fields["content"] = {"anyOf": [{"type": "string"}, {"type": "null"}], "title": content["title"]}
    for name, field in _CHAT.items():
        fields[name] = {"anyOf": [field, {"type": "null"}], "default": None, "title": name.replace("_", " ").title()}
    del schema["required"]
    schema["anyOf"] = [
        {"required": ["content"], "properties": {"content": {"type": "string"}}},
        {"required": ["tool_calls"], "properties": {"tool_calls": {"type": "array", "minItems": 1}}},
    ]


def _chat_problems(beside: Mapping[str, Any]) -> Iterator[str]:
    calls, answered = beside.get("tool_calls", []), beside.get("tool_call_id", "")
    if not isinstance(answered, str):
        yield f"tool_call_id: expected text, got {kind(answered)}"
    if not isinstance(calls, list):
        yield f"tool_calls: expected a list of objects, got {kind(calls)}"
        return
    for place, call in enumerate(calls):
        if not isinstance(call, dict):
            yield f"tool_calls.{place}: expected an object, got {kind(call)}"


def _disagreements(beside: Mapping[str, Any], metadata: Any) -> Iterator[str]:
    for name, value in beside.items():
        if isinstance(metadata, Mapping) and name in metadata and metadata[name] != value:
            yield f"{name}: is {shortened(value)} here and {shortened(metadata[name])} in the metadata"
