"""Traces: spans of work for a collector; without a collector they cost nothing.

An episode's metadata have the W3C trace context of its push, so that the run that reads the episode continues the
trace, in any process and at any later time. Spans have ids and counts, never a user's words.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Protocol

SpanAttributes = str | int | float
_about: ContextVar[Mapping[str, SpanAttributes]] = ContextVar("slowwave.about", default={})  # noqa: B039  # never written to


class RecordAttributes(Protocol):
    """Adds attributes to a running span."""

    def __call__(self, **told: SpanAttributes) -> None:
        """Add the attributes *told* to the span."""


class Spans(Protocol):
    """A collector of spans."""

    def span(
        self, name: str, parents: Sequence[str], attributes: Mapping[str, SpanAttributes]
    ) -> AbstractContextManager[RecordAttributes]:
        """Return a span that covers the block, in the trace of the first of *parents* and linked to all."""

    def traceparent(self) -> str | None:
        """Return the context of the current span; None if there is none."""


_spans: Spans | None = None


def collect(spans: Spans | None) -> None:
    """Send every span of this process to *spans* from now on; with None, to no collector."""
    global _spans
    _spans = spans


def collected() -> bool:
    """Return whether this process has a collector."""
    return _spans is not None


def span(name: str, parents: Sequence[str] = (), **told: SpanAttributes) -> AbstractContextManager[RecordAttributes]:
    """Return a span that covers the block, and gives it a function to add attributes; see `Spans`."""
    return nullcontext(_no_attributes) if _spans is None else _spans.span(name, parents, told)


def traceparent() -> str | None:
    """Return the current trace context, to continue elsewhere; None if spans are not collected."""
    return None if _spans is None else _spans.traceparent()


@contextmanager
def attributes_of(**told: SpanAttributes) -> Iterator[None]:
    """Add *told* to every line logged during the block; empty values are left out."""
    token = _about.set({**_about.get(), **{name: value for name, value in told.items() if value != ""}})
    try:
        yield
    finally:
        _about.reset(token)


def current_work() -> Mapping[str, SpanAttributes]:
    """Return the current run and task, if there are any."""
    return _about.get()


def _no_attributes(**_told: SpanAttributes) -> None:
    """Do nothing."""
