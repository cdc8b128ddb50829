"""Malformed messages: every part missing, null, of another type, wrongly encoded or huge."""

import base64
import copy
import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from slowwave.domain.scope import Scope

TASK = "slowwave.ingest"
TEXT = [7, True, 1.5, [], ["a"], {"a": 1}]
NUMBER = ["7", 1.5, [], {}]
TIME = ["tomorrow", 7, [], {}]
NAME = [*TEXT, "", "x" * 100_000, "\ud800", "a\0b", "a\nb"]
LIMIT = [["a", {}], ["a", None], [1], [1, 2, 3], [-1, 1], [None, float("nan")], [float("inf"), 1], 5, "x", {}]

REQUIRED: Mapping[str, list[Any]] = {
    "body": [7, True, [], {}, ""],
    "content-type": [*TEXT, "", "application/x-python-serialize", "application/data", "x" * 100_000],
    "content-encoding": [*TEXT, "", "no-such-codec", "utf-16", "x" * 100_000],
    "headers": [7, True, "text", [], [1], {}],
    "headers.task": [*NAME, "slowwave.no_such_job", "no.such.task", "celery.chord_unlock", "celery.map"],
    "headers.id": NAME,
    "properties": [7, True, "text", [], [1], {}],
    "properties.body_encoding": [*TEXT, "", "base32", "x" * 100_000],
    "properties.delivery_tag": [*TEXT, ""],
    "properties.delivery_info": [7, True, "text", [], {}],
    "properties.delivery_info.exchange": TEXT,
    "properties.delivery_info.routing_key": TEXT,
}
OPTIONAL: Mapping[str, list[Any]] = {
    **{f"headers.{name}": TEXT for name in ("lang", "root_id", "parent_id", "argsrepr", "kwargsrepr", "shadow")},
    **{f"headers.{name}": TEXT for name in ("origin", "group")},
    **{f"headers.{name}": TIME for name in ("eta", "expires")},
    **{f"headers.{name}": NUMBER for name in ("retries", "group_index", "replaced_task_nesting")},
    "headers.timelimit": LIMIT,
    "headers.ignore_result": ["x", 7, [], {}],
    "headers.stamped_headers": [7, "x", [1], {}],
    "headers.stamps": [7, "x", []],
    "headers.compression": ["zlib", "no-such-method", 7, []],
    "properties.delivery_mode": [1.5, [], {}],
    "properties.priority": NUMBER,
    "properties.correlation_id": TEXT,
    "properties.reply_to": TEXT,
}
OBEYED_NEVER: Mapping[str, list[Any]] = {
    "headers.timelimit": [[0.0001, 0.0001], [None, None]],
    "headers.eta": ["2999-01-01T00:00:00+00:00"],
    "headers.expires": ["2001-01-01T00:00:00+00:00"],
    "headers.argsrepr": ["x" * 1_000_000],
    "headers.no_such_header": [7, [[[]]], {"a": [None]}],
    "properties.delivery_info.exchange": ["no such exchange"],
    "properties.delivery_info.routing_key": ["another queue"],
    "properties.priority": [9, -1],
}
"""Valid headers of control commands without an effect: the episode is stored."""
ORDERS: Mapping[str, list[Any]] = {
    "method": [*TEXT, None],
    "arguments": [7, "text", [1]],
    "destination": [7, "celery@here", [7], {"a": 1}],
    "pattern": [7, [], {}],
    "matcher": [7, "pcre", "no-such-matcher", []],
    "reply_to": [7, "text", [], {}, {"exchange": 7, "routing_key": "x"}, {"exchange": "x"}],
    "ticket": [7, [], {}],
    "self": [1],
    "no_such_part": [1],
}
OF_ORDERS: Mapping[str, list[Any]] = {
    **{part: [None, *values] for part, values in REQUIRED.items() if not part.startswith("headers.")},
    "headers": [None, 7, True, "text", [], [1]],  # a control command needs no headers
    "headers.clock": ["x", 1 << 70, []],
}
BODIES: Mapping[str, bytes] = {
    "no UTF-8": b"\xff\xfe",
    "UTF-16": "[[], {}, {}]".encode("utf-16"),
    "a byte-order mark": b"\xef\xbb\xbf[[], {}, {}]",
    "no JSON": b"[[], {}, {}",
    "too deep for Python": b"[" * 100_000,
    "too deep for a message": b'[[], {"a": ' + b"[" * 600 + b"]" * 600 + b"}, {}]",
    "a number of 5 000 digits": b"[[" + b"7" * 5_000 + b"], {}, {}]",
    **{text: text.encode() for text in ("null", "7", '"text"', "{}", "[]", "[1, 2]", "[[], {}]", "[[], {}, {}, {}]")},
    **{
        text: text.encode()
        for text in ("[{}, [], {}]", "[[], 5, {}]", "[[], {}, 7]", "[null, {}, {}]", '["a", {}, {}]')
    },
    "of protocol 1": b'{"task": "slowwave.ingest", "id": "a", "args": [], "kwargs": {}}',
}
BELLS: Mapping[str, tuple[list[Any], dict[str, Any]]] = {
    "slowwave.consolidate": ([7], {}),
    "slowwave.prepare": (["no scope"], {}),
    "slowwave.retry": ([], {}),
    "slowwave.sweep": ([str(uuid.UUID(int=7))], {"scope": 1}),
    "slowwave.roll_call": ([None], {}),
    "slowwave.bury": (["x"], {}),
}


@dataclass(frozen=True)
class Item:
    """A message in the queue, whether its episode is valid, and the *mark* that identifies its dead letter."""

    kind: str
    raw: bytes
    mark: str
    good: bool = False


def kinds(kwargs: Mapping[str, Any]) -> Iterator[Item]:
    """Return one item of every kind; each good one, and most bad ones, is a message of one episode with the mark."""
    for part, values in REQUIRED.items():
        yield _without(kwargs, part)
        for value in [None, *values]:
            yield _with(kwargs, part, value)
    for part, values in OPTIONAL.items():
        for value in values:
            yield _with(kwargs, part, value)
        yield _with(kwargs, part, None, good=True)
    for part, values in OBEYED_NEVER.items():
        for value in values:
            yield _with(kwargs, part, value, good=True)
    for kind, content in BODIES.items():
        yield _with(kwargs, "body", base64.b64encode(content).decode(), kind=f"a body: {kind}")
    yield _with(kwargs, "body", "\u2603", kind="a body that is no base64")
    for task, call in BELLS.items():
        yield _with(kwargs, "headers.task", task, kind=f"a bell that says {call}", body=_encoded([*call, {}]))
    yield from _raw(kwargs)


def good(kwargs: Mapping[str, Any], mark: str) -> dict[str, Any]:
    """Return a valid envelope of one episode with the key *mark*."""
    episodes = [{"key": mark, "content": "x"}]
    return {"mark": mark, **enveloped(packed({**kwargs, "episodes": episodes}), TASK, str(uuid.uuid4()))}


def names_of(scope: Scope) -> dict[str, str]:
    """Return the part of a message that identifies its scope."""
    return {"tenant": scope.tenant, "user": scope.user, "agent": scope.agent, "channel": scope.channel}


def packed(kwargs: Mapping[str, Any], args: Sequence[Any] = ()) -> str:
    """Return the body of a message with these arguments."""
    return _encoded([list(args), kwargs, {}])


def enveloped(body: str, task: str, id_: str) -> dict[str, Any]:
    """Return a valid envelope of *body*."""
    return {
        "body": body,
        "content-encoding": "utf-8",
        "content-type": "application/json",
        "headers": {"lang": "js", "task": task, "id": id_, "root_id": id_},
        "properties": {
            "body_encoding": "base64",
            "delivery_mode": 2,
            "delivery_tag": id_,
            "delivery_info": {"exchange": "", "routing_key": "slowwave"},
        },
    }


def order(**changed: Any) -> dict[str, Any]:
    """Return a ping to all workers as it is published, with *changed* parts."""
    said = {"method": "ping", "arguments": {}, "destination": None, "pattern": None, "matcher": None, **changed}
    envelope = good({}, "") | {"body": _encoded(said)}
    return envelope | {"headers": {"clock": 1, "expires": 1e10}}


def no_orders() -> Iterator[bytes]:
    """Give one of each kind of published messages that are no control commands."""
    for path, wrong in OF_ORDERS.items():
        for value in wrong:
            envelope = order()
            *steps, last = path.split(".")
            reduce(dict.__getitem__, steps, envelope)[last] = value
            yield json.dumps(envelope).encode()
    for name, wrong in ORDERS.items():
        yield from (json.dumps(order(**{name: value})).encode() for value in wrong)
    for content in [*BODIES.values(), b"7", b'"ping"', b'["ping"]', b"{}", b"null"]:
        yield json.dumps(order() | {"body": base64.b64encode(content).decode()}).encode()
    yield from (item.raw for item in _raw({}) if item.kind != "twenty megabytes")


def _with(
    kwargs: Mapping[str, Any], part: str, value: Any, *, kind: str | None = None, good: bool = False, **more: Any
) -> Item:
    envelope, place, last = _at(kwargs, part)
    place[last] = value
    envelope.update(more)
    return Item(kind or f"{part}: {repr(value)[:60]}", json.dumps(envelope).encode(), envelope["mark"], good)


def _without(kwargs: Mapping[str, Any], part: str) -> Item:
    envelope, place, last = _at(kwargs, part)
    del place[last]
    return Item(f"no {part}", json.dumps(envelope).encode(), envelope["mark"])


def _at(kwargs: Mapping[str, Any], part: str) -> tuple[dict[str, Any], dict[str, Any], str]:
    envelope = place = copy.deepcopy(good(kwargs, uuid.uuid4().hex))
    *path, last = part.split(".")
    for step in path:
        place = place[step]
    return envelope, place, last


def _encoded(value: Any) -> str:
    return base64.b64encode(json.dumps(value).encode()).decode()


def _raw(kwargs: Mapping[str, Any]) -> Iterator[Item]:
    def sound() -> tuple[str, str]:
        mark = uuid.uuid4().hex
        return mark, json.dumps(good(kwargs, mark))

    for text in ("", "null", "7", "true", "NaN", '"text"', "[]", "{}", "garbage", "\0", "[" * 100_000):
        yield Item(f"the text {text[:20]!r}", text.encode(), "")
    mark, text = sound()
    yield Item("a byte-order mark", b"\xef\xbb\xbf" + text.encode(), mark)
    mark, text = sound()
    yield Item("cut off", text[:-1].encode(), mark)
    mark, text = sound()
    yield Item("wrongly encoded", text.encode() + b"\xff", mark)
    mark, text = sound()
    yield Item("a list", f"[{text}]".encode(), mark)
    mark, text = sound()
    yield Item("twenty megabytes", (text[:-1] + ', "more": "' + "x" * 20_000_000 + '"}').encode(), mark)
    yield Item("UTF-16", sound()[1].encode("utf-16"), "")
