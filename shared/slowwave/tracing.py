"""Traces: spans of what is done, where somebody collects them; nothing, at no cost, where nobody does.

An episode carries the context of the trace in which it was pushed in its metadata, as W3C writes it, so that the run
which reads it, in whatever process and however late, goes on in the same trace. Losing it loses a picture, no memory.
Spans say ids and counts, never anybody's words.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Protocol

Told = str | int | float


class Tell(Protocol):
    """Says more of a span while it lasts."""

    def __call__(self, **told: Told) -> None:
        """Add what is *told* to the span."""


class Spans(Protocol):
    """Whoever collects spans."""

    def span(self, name: str, parents: Sequence[str], told: Mapping[str, Told]) -> AbstractContextManager[Tell]:
        """Return a span that lasts as long as the block: in the trace of the first of *parents*, and linked to all."""

    def traceparent(self) -> str | None:
        """Return the context of the span that lasts now; None where none does."""


_spans: Spans | None = None
_about: ContextVar[Mapping[str, Told]] = ContextVar("slowwave.about", default={})  # noqa: B039  # never written to


def collect(spans: Spans | None) -> None:
    """Hand every span of this process to *spans* from now on; to nobody, where it is None."""
    global _spans
    _spans = spans


def collected() -> bool:
    """Return whether anybody collects spans here."""
    return _spans is not None


def span(name: str, parents: Sequence[str] = (), **told: Told) -> AbstractContextManager[Tell]:
    """Return a span that lasts as long as the block; see `Spans`. What it gives takes more to tell."""
    return nullcontext(_untold) if _spans is None else _spans.span(name, parents, told)


def traceparent() -> str | None:
    """Return the context in which this is called, for who goes on elsewhere; None where nobody collects."""
    return None if _spans is None else _spans.traceparent()


@contextmanager
def about(**told: Told) -> Iterator[None]:
    """Have every line that is logged meanwhile say what is *told*; what is empty is left out."""
    token = _about.set({**_about.get(), **{name: value for name, value in told.items() if value != ""}})
    try:
        yield
    finally:
        _about.reset(token)


def working() -> Mapping[str, Told]:
    """Return what this is about: the run and the task that go on here, where any do."""
    return _about.get()


def _untold(**_told: Told) -> None:
    """Tell nobody."""
