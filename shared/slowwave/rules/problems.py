"""Everything wrong with a pack, one line each: the file, the place, what was expected."""

import difflib
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ValidationError

_MEANT = {"promote": "rise", "demote": "fall", "tell": "told"}
"""The field that is meant by another word for it, where the letters do not say so."""


def lines_of(file: str, error: ValidationError, model: type[BaseModel], raw: Any) -> list[str]:
    """Return one line a problem of *error*, met while reading *raw*, the content of *file*, as *model*."""
    return list(
        dict.fromkeys(
            f"{at(file, _written(problem['loc'], raw))}: {_sentence(dict(problem), model)}"
            for problem in error.errors(include_url=False)
        )
    )


def at(file: str, place: Iterable[Any]) -> str:
    """Return where it is, as the reader of the file would say it."""
    path = ".".join(str(part) for part in place)
    return f"{file}, {path}" if path else file


def _written(place: Iterable[Any], raw: Any) -> list[Any]:
    """The part of *place* that stands in the file: no branches of unions, no lists made of a single text."""
    path, value = [], raw
    for part in place:
        if isinstance(value, dict) and (part in value or isinstance(part, str)):
            path.append(part)
            value = value.get(part)
        elif isinstance(value, list) and isinstance(part, int):
            path.append(part)
            value = value[part] if part < len(value) else None
    return path


def _sentence(problem: dict[str, Any], model: type[BaseModel]) -> str:
    context, value = problem.get("ctx", {}), shortened(problem.get("input"))
    match problem["type"]:
        case "missing":
            return "is missing"
        case "extra_forbidden":
            return f"is not known{_nearest(str(problem['loc'][-1]), model)}"
        case "value_error":
            return str(context["error"])
        case "greater_than_equal":
            kind = "an integer" if isinstance(context["ge"], int) else "a number"
            return f"expected {kind} of {context['ge']} or more, got {value}"
        case "too_short":
            return f"expected {context['min_length']} or more, got {context['actual_length']}"
        case "literal_error":
            return f"expected {context['expected']}, got {value}"
        case _:
            message = problem["msg"].replace("Input should be", "expected").replace("should", "expected to", 1)
            return f"{message[0].lower()}{message[1:]}, got {value}"


def shortened(value: Any) -> str:
    """Return *value* as one would quote it, never a page of it."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _nearest(name: str, model: type[BaseModel]) -> str:
    names = _names(model)
    close = [_MEANT[name]] if _MEANT.get(name) in names else difflib.get_close_matches(name, names, n=1)
    return f", did you mean {close[0]}?" if close else ""


def _names(model: type[BaseModel]) -> set[str]:
    """All field names of *model* and of the models in it."""
    names = set(model.model_fields)
    for definition in model.model_json_schema().get("$defs", {}).values():
        names |= set(definition.get("properties", {}))
    return names
