"""Output of commands that export or import: progress and result."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from slowwave.formatting import counted
from slowwave.memory.import_export.counts import MovedCounts


@contextmanager
def telling(what: str = "scopes") -> Iterator[Callable[..., None]]:
    """Give a function to call for each finished item; on a terminal, the function updates a counter."""
    count, terminal = 0, sys.stderr.isatty()

    def told(*_: object) -> None:
        nonlocal count
        count += 1
        if terminal:
            click.echo(f"\r{counted(count, what)}", nl=False, err=True)

    try:
        yield told
    finally:
        if terminal and count:
            click.echo(err=True)


def counted_rows(moved: MovedCounts) -> str:
    """Return the counts of moved rows, in words."""
    names = (("episodes", "episodes"), ("facts", "versions of facts"), ("deltas", "deltas"))
    said = [counted(moved.scopes, "scopes")]
    said += [f"{moved.rows[name]} {words}" for name, words in names if moved.rows.get(name)]
    rest = sum(count for name, count in moved.rows.items() if name not in dict(names))
    return ", ".join(said + ([f"{rest} rows besides"] if rest else []))
