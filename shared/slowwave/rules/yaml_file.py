"""YAML with strict limits, and the problems of a file: one line per problem, with the place and the expected value."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, Self, TypeVar, get_args

import yaml
from pydantic import AliasChoices, BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo

from slowwave.errors import Incorrect
from slowwave.validation_messages import LONGEST_NAME, nearest, sentence
from slowwave.validation_messages import shortened as plainly

MOST_PROBLEMS = 50
"""The maximum number of problems that are listed for one file. Nobody reads more, and their texts take time."""
LONGEST_SENTENCE = 300
_MOST_BITS = 200
_MEANT = {"promote": "rise", "demote": "fall", "tell": "episodes", "single_valued": "predicates"}
"""Other words for fields. Their spelling is too different for a suggestion of a similar name."""
FILE_BYTES = 256 * 1024
DEPTH = 16
"""The deepest nesting of a file. It is more than any real pack has, and less than the composer's recursion limit."""
MOST_VALUES = 25_000
"""The maximum number of keys and values of a file. A file of maximum size that is as dense as the shipped cases has
21 000 keys and values.
"""
LONGEST_NUMBER = 40
"""The maximum number of characters of a number. The time to parse a number grows faster than its length."""
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml, if it is available, is ten times faster
_TAG = "tag:yaml.org,2002:"
_NUMBERS = (f"{_TAG}int", f"{_TAG}float")
_SYNTAX_HINTS = {
    "mapping values are not allowed": "a text with a colon and a space needs single quotes",
    "cannot start any token": "indent with spaces, not tabs; put a text that begins with @ or ` in single quotes",
    "escape character": "write backslashes in single quotes, such as '\\w'",
    "did not find expected": "compare the indentation, quotes and brackets of this line with the lines before",
    "unexpected end": "a quote opens before this line and does not close",
}
"""Advice by a part of the parser's message."""
_Model = TypeVar("_Model", bound=BaseModel)


class Part(BaseModel):
    """A part of a file. Unknown fields are rejected."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def read_model(
    path: Path, model: type[_Model], *, name: str = "", prepare: Callable[[Any], Any] = lambda raw: raw
) -> tuple[_Model | None, list[str]]:
    """Return the content of a policy file as *model*, and no problems; or None, and all problems of the file.

    *name* is the name of the file in problems. *prepare* changes the content before the validation.
    """
    name = name or path.name
    raw, problems = read_yaml(path)
    if problems:
        return None, within(name, problems)
    try:
        return model.model_validate(raw := prepare(raw)), []
    except ValidationError as error:
        return None, lines_of(name, error, model, raw)


def lines_of(
    file: str, error: ValidationError, model: type[BaseModel], raw: Any, others: Iterable[str] = ()
) -> list[str]:
    """Return the problems in *error*, one line per problem, followed by the problems *others*.

    *raw* is the content of *file*, which was validated as *model*. If there are more than `MOST_PROBLEMS` problems, the
    last line gives the number of unlisted problems.
    """
    problems = error.errors(include_url=False)
    lines = [
        f"{at(file, written(problem['loc'], raw))}: {_sentence(dict(problem), model)}"
        for problem in problems[:MOST_PROBLEMS]
    ]
    return first(dict.fromkeys([*lines, *others]), besides=len(problems) - len(lines))


class More(str):
    """The line that stands for *count* unlisted problems."""

    unlisted: int

    def __new__(cls, count: int) -> Self:
        line = super().__new__(cls, f"and {count} more")
        line.unlisted = count
        return line


def first(problems: Iterable[str], *, besides: int = 0) -> list[str]:
    """Return the first `MOST_PROBLEMS` of *problems*.

    If there are more problems, the last line gives the number of unlisted problems. *besides* is added to this number.
    """
    rest = iter(problems)
    lines = list(islice(rest, MOST_PROBLEMS))
    more = besides + sum(1 for _ in rest)
    return [*lines, More(more)] if more else lines


def within(file: str, problems: Iterable[str]) -> list[str]:
    """Return *problems* with the name of *file* before each problem."""
    return [problem if isinstance(problem, More) else f"{file}: {problem}" for problem in problems]


def refusal(subject: str, problems: Sequence[str], *, hint: str) -> Incorrect:
    """Return the error that lists the first `MOST_PROBLEMS` problems of all files and counts the other problems."""
    unique = list(dict.fromkeys(problems))
    lines = [problem for problem in unique if not isinstance(problem, More)]
    besides = sum(problem.unlisted for problem in problems if isinstance(problem, More))
    more = besides + max(0, len(lines) - MOST_PROBLEMS)
    return Incorrect.listing(subject, lines[:MOST_PROBLEMS], more=more, hint=hint)


def renamed_hint(problems: Iterable[str]) -> str:
    """Return the start of a hint with the new words for outdated words in *problems*, or an empty text."""
    listed = list(problems)
    new = [
        f"`{word}:` for `{old}:`"
        for old, word in _MEANT.items()
        if any(f"{old}: is not known, did you mean {word}?" in problem for problem in listed)
    ]
    return f"write {', '.join(new)}; " if new else ""


def at(file: str, place: Iterable[Any]) -> str:
    """Return *file* and the path *place* in the file as one text: `pack.yaml, rules.name`."""
    path = ".".join(part if isinstance(part, str) and len(part) <= LONGEST_NAME else shortened(part) for part in place)
    return f"{file}, {path}" if path else file


def written(place: Iterable[Any], raw: Any) -> list[Any]:
    """Return *place* as a path in the file.

    The id of a rule stands for its index. Branches of unions, and list indexes that the file does not have, are left
    out.
    """
    path: list[Any] = []
    value = raw
    for part in place:
        if path and path[-1] == "rules" and isinstance(part, int) and isinstance(name := _id(value, part), str):
            path.append(name)
            value = value[part]
            continue
        if isinstance(value, dict) and (part in value or isinstance(part, str)):
            path.append(part)
            value = value.get(part)
        elif isinstance(value, list) and isinstance(part, int):
            path.append(part)
            value = value[part] if part < len(value) else None
    return path


def _id(parts: Any, number: int) -> Any:
    """Return the id of an item; None if the item has no id. Authors can search for an id."""
    part = parts[number] if isinstance(parts, list) and number < len(parts) else None
    return part.get("id") if isinstance(part, dict) else None


def _sentence(problem: dict[str, Any], model: type[BaseModel]) -> str:
    text = clipped(sentence(problem, shown=shortened), LONGEST_SENTENCE)
    if problem["type"] != "extra_forbidden":
        return text
    *place, name = problem["loc"]
    return text + nearest(name, _names(model, tuple(place)) - {name}, meant=_MEANT)


def shortened(value: Any) -> str:
    """Return *value* as a short quotation."""
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return "a number of many digits"
    if isinstance(value, timedelta):
        return plainly(value)
    if isinstance(value, str):
        value = value[:LONGEST_NAME]
    if isinstance(value, dict | list):
        return f"a {'mapping' if isinstance(value, dict) else 'list'} of {len(value)}" if value else repr(value)
    return clipped(repr(value), LONGEST_NAME)


def clipped(text: str, longest: int) -> str:
    """Return *text*, cut at the end if it is longer than *longest*."""
    return text if len(text) <= longest else f"{text[: longest - 3]}…"


@cache
def _names(model: type[BaseModel], place: tuple[Any, ...]) -> frozenset[str]:
    """Return the fields that are allowed at *place* in a file of *model*, including fields in branches of unions."""
    here = {model}
    for part in place:
        fields = (field for one in here for name, field in one.model_fields.items() if part in _words_of(name, field))
        here = {found for field in fields for found in _models(field.annotation)} or here
    return frozenset(name for one in here for name in one.model_fields)


def _words_of(name: str, field: FieldInfo) -> list[Any]:
    """Return the words for a field in a file: its name, and its former name."""
    return field.validation_alias.choices if isinstance(field.validation_alias, AliasChoices) else [name]


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """Give the models in *annotation*, including the models in lists, mappings and unions."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models(part)


def read_yaml(path: Path) -> tuple[Any, list[str]]:
    """Return the content of a file, or all the reasons why the file cannot be read."""
    text, problems = read_text(path)
    return (None, problems) if problems else parse_yaml(text)


def read_text(path: Path) -> tuple[str, list[str]]:
    """Return the text of a file, or the reason why the file cannot be read."""
    try:
        with path.open("rb") as file:
            data = file.read(FILE_BYTES + 1)
        return ("", [f"is longer than {FILE_BYTES} bytes"]) if len(data) > FILE_BYTES else (data.decode("utf-8"), [])
    except FileNotFoundError:
        return "", ["is missing"]
    except OSError as error:
        return "", [f"cannot be read: {error.strerror}"]
    except UnicodeDecodeError as error:
        return "", [f"is not UTF-8 at byte {error.start}"]


def parse_yaml(text: str) -> tuple[Any, list[str]]:
    """Return the content of *text*, or all the reasons why *text* cannot be read."""
    try:
        problems = first(_event_problems(text))
        if problems:
            return None, problems
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            problems = first(_node_problems(node, ())) if node is not None else ["is empty"]
            return (None, problems) if problems else (loader.construct_document(node), [])
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        return None, [_syntax_sentence(error)]
    except (ValueError, OverflowError) as error:  # such as 2026-13-45, which looks like a date but is no date
        return None, [f"holds a value that cannot be read: {clipped(str(error), 200)}"]


def _event_problems(text: str) -> Iterator[str]:
    """Give the problems in the stream of events, before values are built.

    A YAML bomb would expand while it is built.
    """
    depth = values = 0
    for event in yaml.parse(text, Loader=_Loader):
        line = f"line {event.start_mark.line + 1}: " if event.start_mark else ""
        anchor, tag = getattr(event, "anchor", None), getattr(event, "tag", None)
        if isinstance(event, yaml.AliasEvent):
            yield f"{line}aliases (*{clipped(str(anchor), 60)}) are not allowed"
        elif anchor:
            yield f"{line}anchors (&{clipped(anchor, 60)}) are not allowed"
        if tag not in (None, "!"):
            yield f"{line}tags ({clipped(tag.replace(_TAG, '!!'), 60)}) are not allowed"
        values += isinstance(event, yaml.NodeEvent)
        if values > MOST_VALUES:
            yield f"holds more than {MOST_VALUES} keys and values"
            return
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEPTH:
                yield f"{line}is nested deeper than {DEPTH}"
                return
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _node_problems(node: yaml.Node, place: tuple[str | int, ...]) -> Iterator[str]:
    """Give duplicate keys, keys that are not plain text, and numbers that are too long."""
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            name, line = str(key.value), key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode) or key.tag == f"{_TAG}merge":
                yield f"line {line}: expected plain text as a key"
                continue
            if name in seen:
                yield f"{at(f'line {line}: the key', (*place, name)).replace(', ', ' ', 1)} is listed twice"
            seen.add(name)
            yield from _node_problems(key, place)
            yield from _node_problems(value, (*place, name))
    elif isinstance(node, yaml.SequenceNode):
        for number, inner in enumerate(node.value):
            yield from _node_problems(inner, (*place, number))
    elif node.tag in _NUMBERS and len(node.value) > LONGEST_NUMBER:
        yield f"line {node.start_mark.line + 1}: a number may have at most {LONGEST_NUMBER} characters"


def _syntax_sentence(error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark:
        advice = next((f"; {hint}" for part, hint in _SYNTAX_HINTS.items() if part in str(error.problem)), "")
        return f"line {error.problem_mark.line + 1}: is not YAML: {error.problem}{advice}"
    return "is not YAML: " + " ".join(str(error).split())
