"""Validates raw messages from the broker before Celery reads them. Returns a valid envelope, or all problems.

Celery and kombu crash on most malformed envelopes, and on some repeatedly: a message with an invalid time limit goes
back into the queue and crashes the next worker. Therefore Celery gets only a new, valid envelope with the task, id and
body of the message. The new envelope has no time limit, no start time and no follow-up task.
"""

import base64
import binascii
import json
import uuid
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SkipValidation, ValidationError

from slowwave.broker import queue
from slowwave.broker.envelope import UNSHOWN, envelope
from slowwave.domain.episode import problems_of
from slowwave.domain.limits import name_problems
from slowwave.errors import Incorrect

ENVELOPE_BYTES = 8 * 1024 * 1024
"""The maximum number of bytes of an envelope. The largest storable message is smaller: 2 MiB of JSON, times three
if every character is escaped, plus a third for base64. Larger messages are not parsed.
"""
DEEPEST = 500
"""The maximum number of levels of nesting in a body. Python fails at about a thousand, and a message is serialized
several times.
"""
EXCERPT_BYTES = 16 * 1024
"""The number of bytes of a malformed message that are stored."""
P = TypeVar("P", bound="Part")
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_CALL, _BARE_CALL = [list, dict, dict], [list, dict, type(None)]


def _iso(text: str) -> str:
    datetime.fromisoformat(text)
    return text


def _name(text: str) -> str:
    if problems := name_problems(text):
        raise ValueError("\n".join(problems))
    return text


def _stamps(value: object) -> object:
    """Return a list of texts.

    Report any other value as one problem, because a message may have millions of invalid values.
    """
    if not isinstance(value, list) or not all(isinstance(stamp, str) for stamp in value):
        raise ValueError("expected a list of texts")
    return value


Name = Annotated[str, AfterValidator(_name)]
Time = Annotated[str, AfterValidator(_iso)]


Stamps = Annotated[SkipValidation[list[str]], BeforeValidator(_stamps)]


class Part(BaseModel):
    """A part of an envelope. Fields that Celery does not read may have any value."""

    model_config = ConfigDict(strict=True, extra="ignore")


class _Headers(Part):
    task: Name
    id: Name
    lang: str | None = None
    root_id: str | None = None
    parent_id: str | None = None
    argsrepr: str | None = None
    kwargsrepr: str | None = None
    shadow: str | None = None
    origin: str | None = None
    eta: Time | None = None
    expires: Time | None = None
    timelimit: Annotated[list[Seconds | None], Field(min_length=2, max_length=2)] | None = None
    retries: int | None = None
    group: str | None = None
    group_index: int | None = None
    ignore_result: bool | None = None
    replaced_task_nesting: int | None = None
    stamped_headers: Stamps | None = None
    stamps: dict[str, Any] | None = None
    compression: None = None


class _Delivery(Part):
    exchange: str
    routing_key: str


class Properties(Part):
    body_encoding: Literal["base64", "utf-8"]
    delivery_tag: Annotated[str, Field(min_length=1)]
    delivery_info: _Delivery
    delivery_mode: int | str | None = None
    priority: int | None = None
    correlation_id: str | None = None
    reply_to: str | None = None


def _lower(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


class _Envelope(Part):
    body: str
    content_type: Literal["application/json"] = Field(alias="content-type")
    content_encoding: Annotated[Literal["utf-8"], BeforeValidator(_lower)] = Field(alias="content-encoding")
    headers: _Headers
    properties: Properties


def read(raw: bytes, *, source: str, tasks: Iterable[str]) -> dict[str, Any]:
    """Return a valid envelope with the task, id and body of *raw*.

    *source* is the queue to which the message can return. Raises `Incorrect` with every problem; *tasks* are the known
    task names.
    """
    found = validated(_Envelope, parsed(raw))
    task, call = found.headers.task, _call(found)
    if problems := list(_problems(task, call, tasks)):
        raise incorrect(problems)

    args, kwargs, _ = call
    shown = UNSHOWN if task == queue.INGEST else " of ".join([task.removeprefix(queue.OURS), *args])
    return envelope(task, args, kwargs, task_id=found.headers.id, queue=source, shown=shown)


def excerpt(raw: bytes, *, source: str, error: Incorrect) -> str:
    """Return JSON with a malformed message's queue, size, first bytes, and the reason."""
    begins = raw[:EXCERPT_BYTES].decode("utf-8", "replace")
    return json.dumps({"queue": source, "bytes": len(raw), "begins": begins, "reason": error.message[:EXCERPT_BYTES]})


def parsed(raw: bytes) -> Any:
    """Return the parsed JSON of *raw*. Raises `Incorrect` if it is too long or not JSON."""
    if len(raw) > ENVELOPE_BYTES:
        raise incorrect([f"has {len(raw)} bytes, at most {ENVELOPE_BYTES} are allowed"])
    try:
        return json.loads(raw.decode())
    except UnicodeDecodeError:
        raise incorrect(["is not UTF-8"]) from None
    except (ValueError, RecursionError):
        raise incorrect(["is not JSON"]) from None


def validated(model: type[P], payload: Any) -> P:
    """Return *payload* as a *model*. Raises `Incorrect` with every problem."""
    if not isinstance(payload, dict):
        raise incorrect(["is not an object"])
    try:
        return model.model_validate(payload)
    except ValidationError as error:
        raise incorrect(problems_of(error)) from None


def content(body: str, encoding: str) -> Any:
    """Return the parsed JSON of a body. Raises `Incorrect` if it is not JSON."""
    try:
        text = base64.b64decode(body.encode()) if encoding == "base64" else body.encode()
        return json.loads(text.decode())
    except binascii.Error:
        raise incorrect(["body: is not base64"]) from None
    except UnicodeError:
        raise incorrect(["body: is not UTF-8"]) from None
    except (ValueError, RecursionError):
        raise incorrect(["body: is not JSON"]) from None


def _call(found: _Envelope) -> list[Any]:
    """Return the arguments, the keyword arguments and the embedded options of a call."""
    call = content(found.body, found.properties.body_encoding)
    if isinstance(call, list) and [type(part) for part in call] in (_CALL, _BARE_CALL):
        return call
    raise incorrect(["body: is not [args, kwargs, embed]"])


def _problems(task: str, call: list[Any], tasks: Iterable[str]) -> Iterator[str]:
    if not task.startswith(queue.OURS) or task not in tasks:
        yield "headers.task: there is no such task"
    elif too_deep(call):
        yield f"body: is nested deeper than {DEEPEST}"
    elif task != queue.INGEST:  # the ingest task itself turns invalid messages into dead letters
        yield from _bell_problems(task, *call)


def _bell_problems(task: str, args: list[Any], kwargs: dict[str, Any], _: Any) -> Iterator[str]:
    wanted = [] if task == queue.BURY else [str]
    cells = [str, str] if wanted and task != queue.ROLL_CALL else wanted  # with the name of a cell
    if kwargs or [type(arg) for arg in args] not in (wanted, cells):
        yield f"body: {task} takes {len(wanted)} text argument and no keywords"
    elif task not in (queue.BURY, queue.ROLL_CALL):
        try:
            uuid.UUID(args[0])
        except ValueError:
            yield "body: the scope is not a UUID"


def too_deep(value: Any) -> bool:
    """Return whether *value* is nested deeper than `DEEPEST` levels."""
    depth, level = 0, [value]
    while level and depth <= DEEPEST:
        depth += 1
        level = [inner for outer in level if isinstance(outer, dict | list) for inner in _values(outer)]
    return depth > DEEPEST


def _values(outer: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return outer.values() if isinstance(outer, dict) else outer


def incorrect(problems: list[str]) -> Incorrect:
    """Return the error that lists the problems of a message."""
    return Incorrect.listing("message", problems, hint="the docstring of worker.tasks.ingest shows an envelope")
