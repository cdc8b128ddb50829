"""Output of commands: tables for people, plain text without a terminal, JSON for programs, times in UTC.

Tables need rich, which an extra installs; this module imports rich only to draw a table.
"""

import dataclasses
import json
import re
import sys
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

import click
from pydantic import BaseModel

from slowwave.core.time_spans import BEGINNING
from slowwave.domain.claim import Source
from slowwave.domain.episode import UNNAMED, is_drawn
from slowwave.domain.explanation import Evidence, quotation
from slowwave.domain.fact import Fact
from slowwave.domain.scope import Scope
from slowwave.formatting import counts_in_words
from slowwave.formatting import one_line as one_line
from slowwave.formatting import utc as utc
from slowwave.validation_messages import in_a_line as in_a_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

T = TypeVar("T")
PLAIN_WIDTH = 150
"""The width of tables without a terminal, in columns."""


def console() -> "Console":
    """Return the console for output: colours and the full width on a terminal, plain text elsewhere."""
    from rich.console import Console

    terminal = sys.stdout.isatty()
    return Console(
        file=sys.stdout, width=None if terminal else PLAIN_WIDTH, highlight=False, soft_wrap=False, markup=False
    )


def table(*columns: str, right: Iterable[str] = ()) -> "Table":
    """Return an empty table with these columns."""
    from rich import box

    from slowwave.cli.printing.compact_table import Trimmed

    made = Trimmed(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    numbers = set(right)
    for column in columns:
        made.add_column(column, justify="right" if column in numbers else "left", overflow="fold")
    return made


def print_listing(
    found: Sequence[T], *, as_json: bool, none: str, columns: Sequence[str], row: Callable[[T], Iterable["str | Text"]],
    right: Iterable[str] = (),
) -> None:  # fmt: skip
    """Print *found* as JSON, or as a table with one row per element. If *found* is empty, print the text *none*."""
    if as_json:
        return print_json(found)
    if not found:
        return click.echo(none)
    made = table(*columns, right=right)
    for one in found:
        made.add_row(*row(one))
    console().print(made)


def day(instant: datetime | None) -> str:
    """Return an instant's day in UTC; empty for None and for the earliest time."""
    return f"{instant.astimezone(UTC):%Y-%m-%d}" if instant and instant != BEGINNING else ""


def in_words(counts: Mapping[str, int]) -> str:
    """Return counts in words, sorted by name.

    >>> in_words({"noop": 1, "add": 3, "facts": 1})
    '3 add, 1 fact, 1 noop'
    """
    return ", ".join(counts_in_words(count, name) for name, count in sorted(counts.items()))


def short(id_: uuid.UUID) -> str:
    """Return a shortened id for people. `slowwave why` accepts any unique prefix of an id."""
    return str(id_)[:8]


def keys_or_session(fact: Fact) -> str:
    """Return the agent's own keys of a fact's source episodes; if the agent set none, the session."""
    return own_keys(fact.sources) or ("" if fact.session == UNNAMED else fact.session)


def own_keys(sources: Iterable[Source]) -> str:
    """Return the keys that the agent gave the source episodes of a memory, without generated keys."""
    return ", ".join(dict.fromkeys(source.key for source in sources if not is_drawn(source.key)))


def share(value: float) -> str:
    """Return a number from 0 to 1 with two decimals, or with three if it is small but not zero.

    >>> share(0.25), share(0.0042), share(0.0001), share(0.0)
    ('0.25', '0.004', '<.001', '0.00')
    """
    if 0 < value < 0.005:
        return f"{value:.3f}" if value >= 0.0005 else "<.001"
    return f"{value:.2f}"


def cell(text: str, style: str = "") -> "Text":
    """Return user text for a table cell, without markup or control characters."""
    from rich.text import Text

    return Text(one_line(text), style=style)


def heading(scope: Scope) -> "Text":
    """Return a heading with the user, agent and channel of the lines below."""
    return cell(f"{scope.user}, as {scope.agent} knows them in {scope.channel}", "bold")


def owner_text(scope: Scope) -> str:
    """Return the user, agent and channel of a scope."""
    return f"{scope.user}/{scope.agent}/{scope.channel}"


def add_by_scope(made: "Table", rows: Iterable[tuple[Scope, Iterable["str | Text"]]]) -> None:
    """Add *rows* to the table *made*, with a heading before the rows of each scope."""
    for scope, group in groupby(rows, key=itemgetter(0)):
        made.add_section()
        made.add_row(heading(scope))
        for _, row in group:
            made.add_row(*row)


def quoted_episode(evidence: Evidence) -> str:
    """Return an episode with its speaker and time, the quoted words marked."""
    return quotation(evidence, mark=quoted_words)


def quoted_words(words: str) -> str:
    """Return quoted words in the style of quotations."""
    return click.style(words, bold=True, fg="green")


def natural(name: str) -> list[tuple[int, str]]:
    """Return a sort key for *name* that orders its numbers by value.

    >>> sorted(["session_10", "session_2", "session_1"], key=natural)
    ['session_1', 'session_2', 'session_10']
    """
    parts = re.split(r"0*([1-9][0-9]*|0)", name)
    return [(len(part) if number % 2 else 0, part) for number, part in enumerate(parts)]


def print_json(value: Any) -> None:
    """Print *value*: dataclasses as objects, times in UTC."""
    click.echo(json.dumps(value, default=_plain, ensure_ascii=False, indent=2))


def print_json_lines(values: Iterable[Any]) -> None:
    """Print each of *values* as JSON on a line of its own."""
    for value in values:
        click.echo(json.dumps(value, default=_plain, ensure_ascii=False))


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return fields
    if isinstance(value, datetime):
        return None if value == BEGINNING else value.astimezone(UTC).isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Mapping):
        return dict(value)
    return str(value)
