"""Validation problems of pydantic, in the words of the person who has to correct the input."""

import difflib
import itertools
import re
import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

LONGEST_NAME = 60
"""The maximum number of characters of a name for which a similar name is suggested."""
LONGEST_PLACE = 200
"""The maximum number of characters of a problem's place in a message."""
MOST_UNKNOWN = 50
"""The maximum number of unknown fields in one error. A small message can have a million unknown fields."""
_EXPECTED = {
    "string": "text", "int": "an integer", "float": "a number", "finite": "a number", "bool": "true or false",
    "dict": "an object", "mapping": "an object", "model": "an object", "list": "a list", "tuple": "a list",
    "datetime": "a time", "uuid": "an id", "path": "a path", "bytes": "bytes",
    "time": "a length of time",
}  # fmt: skip
"""The expected value for pydantic's error types with this prefix, such as `int_parsing`."""
_CLASSES = {"UUID": "an id", "Path": "a path"}
_WRONG_TYPES = ("_type", "_parsing", "_from_float", "_number")
_KINDS: dict[type, str] = {str: "text", dict: "an object", list: "a list", tuple: "a tuple", bytes: "bytes"}
_SHORT = reprlib.Repr()
_SHORT.maxlevel, _SHORT.maxstring, _SHORT.maxother, _SHORT.maxlong = 3, 100, 100, 100
_SHORT.maxdict = _SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxset = _SHORT.maxfrozenset = 10


def sentence(problem: Mapping[str, Any], *, shown: Callable[[Any], str] | None = None) -> str:
    """Return one *problem* of a ValidationError as text that follows the name of a field, such as `is missing`.

    *shown* is a function that quotes the given value. Without *shown*, the sentence does not quote a value of an
    unexpected type, because the value may contain a user's words.
    """
    context, value = problem.get("ctx", {}), (shown or shortened)(problem.get("input"))
    match problem["type"]:
        case "missing" | "missing_argument" | "missing_positional_only_argument" | "missing_keyword_only_argument":
            return "is missing"
        case "extra_forbidden" | "unexpected_keyword_argument":
            return "is not known"
        case "unexpected_positional_argument":
            return "is one argument too many"
        case "multiple_argument_values":
            return "is given twice"
        case "value_error":
            return str(context["error"])
        case "string_unicode":
            return "contains a lone surrogate"
        case "is_instance_of" if context["class"] in _CLASSES:
            return f"expected {_CLASSES[context['class']]}, got {(shown or kind)(problem.get('input'))}"
        case "greater_than_equal":
            return f"expected {_number(context['ge'])} of {context['ge']} or more, got {value}"
        case "less_than_equal":
            return f"expected {_number(context['le'])} of {context['le']} or less, got {value}"
        case "greater_than":
            return f"expected {_number(context['gt'])} above {context['gt']}, got {value}"
        case "less_than":
            return f"expected {_number(context['lt'])} below {context['lt']}, got {value}"
        case "path_not_directory":
            return f"{value} is not an existing folder"
        case "string_too_short" if context["min_length"] == 1:
            return "is empty"
        case "timezone_naive" | "timezone_aware":
            return "has no time zone"
        case "too_short":
            return f"expected {context['min_length']} or more, got {context['actual_length']}"
        case "sequence_str":
            return "expected a list, got a single text"
        case "literal_error":
            return f"expected {context['expected']}, got {value}"
        case wrong if wrong.endswith(_WRONG_TYPES) and wrong.split("_")[0] in _EXPECTED:
            return f"expected {_EXPECTED[wrong.split('_')[0]]}, got {(shown or kind)(problem.get('input'))}"
        case _:
            message = problem["msg"].replace("Input should be", "expected").replace("should", "expected to", 1)
            return f"{message[0].lower()}{message[1:]}, got {(shown or kind)(problem.get('input'))}"


def of_one(lines: Sequence[str]) -> Sequence[str]:
    """Return the problem of a value that may have several types, given the problem of each type.

    >>> of_one(["expected an id, got None", "expected text, got None"])
    ['expected an id or text, got None']
    >>> of_one(["expected an id, got text", "is empty"])
    ['is empty']
    """
    if fitting := [line for line in lines if not line.startswith("expected ")]:
        return fitting
    parts = [line.removeprefix("expected ").partition(", got ") for line in lines]
    if len({got for _, _, got in parts}) > 1:
        return lines
    return [f"expected {' or '.join(wanted for wanted, _, _ in parts)}, got {parts[0][2]}"]


def _number(bound: Any) -> str:
    if isinstance(bound, str | timedelta):
        return "a length of time"
    return "an integer" if isinstance(bound, int) else "a number"


def kind(value: Any) -> str:
    """Return a number, a boolean or None as text.

    For any other value, return only the name of its type, because the value may contain a user's words.
    """
    if value is None or isinstance(value, bool | int | float):
        return shortened(value)
    return _KINDS.get(type(value), type(value).__name__)


def nearest(name: object, names: Iterable[str], *, meant: Mapping[str, str] | None = None) -> str:
    """Return a suggestion with the name in *names* that is most similar to *name*; empty if no name is similar.

    *meant* maps other words to names. A value that is not text, or too long, gets no suggestion.
    """
    if not isinstance(name, str) or len(name) > LONGEST_NAME:
        return ""
    other, known = (meant or {}).get(name), list(names)
    close = [other] if other in known else difflib.get_close_matches(name, known, n=1)
    return f", did you mean {close[0]}?" if close else ""


def limited_and_clipped(fields: Mapping[Any, Any], names: Iterable[str]) -> tuple[dict[Any, Any], int]:
    """Return the *fields* in *names* and a few other fields, and the number of fields that were left out.

    >>> fields, more = limited_and_clipped({"content": "x"} | {f"k{number}": 1 for number in range(60)}, ["content"])
    >>> len(fields), more
    (51, 10)
    """
    known = set(names)
    others = list(itertools.islice((name for name in fields if name not in known), MOST_UNKNOWN))
    more = sum(name not in known for name in fields) - len(others)
    retained = known.union(others)
    return {name: value for name, value in fields.items() if name in retained} if more else {**fields}, more


def clipped_place(place: str) -> str:
    """Return a *place*, cut to its beginning if it is long."""
    return place if len(place) <= LONGEST_PLACE else f"{place[: LONGEST_PLACE - 1]}…"


def shortened(value: Any) -> str:
    """Return *value* quoted and shortened. The time is constant for values of any size."""
    if isinstance(value, str | bytes):
        value = value[:100]
    if isinstance(value, timedelta):
        return f"{value.total_seconds():g} seconds"
    try:
        text = _SHORT.repr(value) if isinstance(value, dict | list | tuple | set | frozenset) else repr(value)
    except Exception as error:  # noqa: BLE001 - it is the caller's object, and any of its errors ends here
        return f"a {type(value).__name__} ({type(error).__name__})"
    return text if len(text) <= 60 else f"{text[:57]}…"


def in_a_line(reason: str) -> str:
    r"""Return an error's text on one line. The text may list problems on separate lines.

    >>> in_a_line("episode has 2 problems:\n  - role: Input should be 'user'\n  - content: is empty")
    "episode has 2 problems: role: Input should be 'user'; content: is empty"
    """
    head, *listed = [" ".join(part.split()) for part in re.split(r"\n\s*-\s+", reason)]
    return f"{head} {'; '.join(listed)}".rstrip()
