"""Every result of a public verb has a one-line repr with at most the beginning of a person's words."""

import dataclasses
import inspect
import types
import typing
import uuid
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
from pydantic import BaseModel

import slowwave
from slowwave.domain.arguments import Shown
from slowwave.domain.dead_letter import DeadLetter
from slowwave.domain.overview import Overview, PastRun, Waiting
from slowwave.domain.pattern import Strategy
from slowwave.domain.receipt import read_items, receipts
from slowwave.domain.recollection import Recollections
from slowwave.domain.run import Report
from slowwave.domain.stats import Lag, Latency, Share, Stats, Tiering
from slowwave.memory.continuum import ContinuumMemory
from tests.conftest import NOON
from tests.integration.memory.test_manual_corrections import is_inside
from tests.unit.tables import over
from worker.results import of_runs

PAGE = "a page of somebody's\nwords\x1b[31m and more " * 500
LONGEST = 100
OF_THE_COMMAND = (DeadLetter, Overview, PastRun, Waiting)
"""Results that the command prints and an operator may use."""


def verbs(face: type) -> Iterator[Any]:
    """Give the public methods and properties of *face* that are ours."""
    for name in dir(face):
        kind = inspect.getattr_static(face, name)
        found = kind.fget if isinstance(kind, property) else getattr(kind, "__func__", kind)
        if not name.startswith("_") and inspect.isfunction(found) and found.__module__.startswith("slowwave"):
            yield found


def named_in(hint: Any) -> Iterator[type]:
    """Give the classes of ours in a type."""
    if inspect.isclass(hint) and not typing.get_args(hint) and hint.__module__.startswith("slowwave"):
        yield hint
    for part in typing.get_args(hint):
        yield from named_in(part)


def returned() -> set[type]:
    """Return the classes of ours that public verbs or their results return.

    A protocol is for others to keep to: nobody is given one.
    """
    public = [kind for name in slowwave.__all__ if inspect.isclass(kind := getattr(slowwave, name))]
    due = [kind for kind in public if not getattr(kind, "_is_protocol", False)]
    seen: set[type] = set()
    while due:
        kind = due.pop()
        if kind in seen or issubclass(kind, Exception):
            continue
        seen.add(kind)
        hints = [typing.get_type_hints(verb).get("return") for verb in verbs(kind)]
        if dataclasses.is_dataclass(kind) or issubclass(kind, BaseModel):
            hints += [hint for name, hint in typing.get_type_hints(kind).items() if not name.startswith("_")]
        due += [one for hint in hints for one in named_in(hint)]
    return seen


def is_value(kind: type) -> bool:
    """Return whether a *kind* has only public fields; `test_inside` tests the faces, whose parts are private."""
    if not dataclasses.is_dataclass(kind):
        return issubclass(kind, BaseModel)
    return not any(one.init and one.name.startswith("_") for one in dataclasses.fields(kind))


RETURNED = returned()
VALUES = sorted(
    {kind for kind in {*OF_THE_COMMAND, *RETURNED} if is_value(kind)}, key=lambda one: (one.__name__, one.__module__)
)


def example(hint: Any) -> Any:
    """Return a value of a type with the maximum length."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    plain = {
        str: PAGE, int: 10**9, float: 0.95, bool: True, uuid.UUID: uuid.uuid4(), datetime: NOON, date: NOON.date(),
        timedelta: timedelta(days=400, seconds=1, microseconds=1), Any: PAGE,
    }  # fmt: skip
    if origin is typing.Annotated:
        shown = [part.kind for part in parts if isinstance(part, Shown)]
        return example(shown[0] if shown else parts[0])
    if origin is typing.Literal:
        return parts[0]
    if origin in (typing.Union, types.UnionType):
        return example(parts[0])
    if origin in (Mapping, dict, Counter):
        return {example(parts[0]): example(parts[1] if len(parts) > 1 else int)}
    if origin is tuple and parts[-1] is not Ellipsis:
        return tuple(example(part) for part in parts)
    if origin in (Sequence, list, Iterable, tuple, Set, frozenset, deque):
        return [example(parts[0])] * 300
    if hint in plain:
        return plain[hint]
    if origin is np.ndarray:
        return np.ones(256, np.float32)
    if isinstance(hint, type) and issubclass(hint, Exception):
        return hint(PAGE)
    return filled(hint)


def filled(kind: type) -> Any:
    """Return a *kind* with all fields set, without its validation."""
    hints = typing.get_type_hints(kind, include_extras=True)
    if issubclass(kind, BaseModel):
        return kind.model_construct(**{name: example(hints[name]) for name in kind.model_fields})
    made = object.__new__(kind)
    for one in dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ():
        object.__setattr__(made, one.name, example(hints[one.name]))
    return made


@over(VALUES)
def test_the_repr_of_a_result_is_one_short_line(kind: type) -> None:
    shown = repr(filled(kind))

    assert len(shown) <= LONGEST
    assert shown.isprintable()
    assert PAGE[:50] not in shown.replace("\\n", " ")
    if issubclass(kind, BaseModel):
        assert str(filled(kind)) == shown


def test_return_annotations_name_the_public_result_types() -> None:
    assert {
        slowwave.Fact,
        slowwave.Receipt,
        slowwave.Report,
        slowwave.Explanation,
        Strategy,
        ContinuumMemory,
    } <= RETURNED
    assert len(VALUES) > 40


def test_no_verb_returns_an_internal_type() -> None:
    assert {kind for kind in RETURNED if is_inside(kind)} == set()


def test_recollections_equal_and_print_as_a_list() -> None:
    found = Recollections([filled(slowwave.Recollection)] * 2)

    assert found == [found[0]] * 2
    assert repr(found) == f"[{found[0]!r}, {found[0]!r}]"


def test_a_refused_receipt_shows_its_problem() -> None:
    (refused, keyed) = receipts(
        read_items([{"content": ""}, {"content": "x", "key": "k1"}]),
        lambda good: [slowwave.Receipt.conflict(uuid.uuid4(), one.key) for one in good],
    )

    assert repr(refused) == "<Receipt: refused, content: is empty>"
    assert repr(keyed).endswith(": refused, Conflict, repeated, key k1>")


def test_statistics_show_readable_durations_and_counts() -> None:
    lag = Lag(2, timedelta(seconds=75), timedelta(seconds=7300, microseconds=12), timedelta(seconds=61, microseconds=7))
    none, tiering = Share(0, 0), Tiering({}, 0, 0, None, None)
    nodes = {"conversations": 1, "episodes": 3, "facts": 0}
    told = Stats(24, nodes, {}, Latency(0, None, None, None), lag, none, none, none, {}, tiering)

    assert repr(lag) == "<Lag: 2 conversations, longest 2 h 1 min, unread since 1 min 1 s>"
    assert repr(told) == "<Stats: 1 conversation, 3 episodes, 0 recalls in 24 h, unread since 1 min 1 s>"
    assert repr(Lag(0, None, None, timedelta())) == "<Lag: 0 conversations>"


def test_the_run_summary_counts_each_episode_once_and_lists_run_numbers() -> None:
    reports = [
        Report(24, "consolidate", "everyday", 1, 4, "ok", 4, Counter(add=2)),
        Report(27, "consolidate", "statements", 1, 4, "ok", 4, Counter(update=1)),
        Report(28, "consolidate", "everyday", 5, 6, "ok", 2),
    ]

    assert (
        of_runs(reports, owner="x") == "ok: 2 add, 1 update of 6 episodes (everyday, statements, runs 24, 27 to 28, x)"
    )
    assert of_runs(reports[:1], owner="x") == "ok: 2 add of 4 episodes (everyday, run 24, x)"
