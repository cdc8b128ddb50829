"""Compact schemas for models: every token of a tool's description costs money in each prompt."""

from typing import Any

_NOTHING = {"title", "$schema"}


def slim(schema: Any) -> Any:
    """Return a JSON schema without titles; an optional argument has only its type, without null and default.

    >>> slim({"title": "A", "properties": {"b": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}}})
    {'properties': {'b': {'type': 'string'}}}
    """
    if isinstance(schema, list):
        return [slim(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {name: slim(one) for name, one in schema.items() if name not in _NOTHING or isinstance(one, dict)}
    choices = kept.get("anyOf")
    if choices and {"type": "null"} in choices and len(choices) == 2:
        (other,) = (one for one in choices if one != {"type": "null"})
        del kept["anyOf"]
        kept = {**other, **kept}
        if kept.get("default", ...) is None:
            del kept["default"]
    return kept
