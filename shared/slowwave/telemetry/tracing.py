"""Traces: spans of work for a collector. Without a collector, spans cost nothing.

The metadata of an episode contain the W3C trace context of its push. A run that reads the episode later continues this
trace, in any process. Spans contain ids and counts, never a user's words.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Protocol

SpanAttributes = str | int | float
_about: ContextVar[Mapping[str, SpanAttributes]] = ContextVar("slowwave.about", default={})  # noqa: B039  # never written to


class RecordAttributes(Protocol):
    """Adds attributes to a running span."""

    def __call__(self, **attributes: SpanAttributes) -> None:
        """Add *attributes* to the span."""


class Spans(Protocol):
    """A collector of spans."""

    def span(
        self, name: str, parents: Sequence[str], attributes: Mapping[str, SpanAttributes]
    ) -> AbstractContextManager[RecordAttributes]:
        """Return a span that covers the block.

        The span belongs to the trace of the first of *parents*, and is linked to all *parents*.
        """

    def traceparent(self) -> str | None:
        """Return the context of the current span; None if there is no span."""


_spans: Spans | None = None


def collect(spans: Spans | None) -> None:
    """Send every span of this process to *spans* from now on; if *spans* is None, send no spans."""
    global _spans
    _spans = spans


def collected() -> bool:
    """Return whether this process has a collector."""
    return _spans is not None


def span(
    name: str, parents: Sequence[str] = (), **attributes: SpanAttributes
) -> AbstractContextManager[RecordAttributes]:
    """Return a span that covers the block. The block gets a function that adds attributes to the span; see `Spans`."""
    return nullcontext(_no_attributes) if _spans is None else _spans.span(name, parents, attributes)


def traceparent() -> str | None:
    """Return the context with which another process can continue the trace; None if spans are not collected."""
    return None if _spans is None else _spans.traceparent()


@contextmanager
def attributes_of(**attributes: SpanAttributes) -> Iterator[None]:
    """Add *attributes* to every line logged during the block; do not add empty values."""
    token = _about.set({**_about.get(), **{name: value for name, value in attributes.items() if value != ""}})
    try:
        yield
    finally:
        _about.reset(token)


def current_work() -> Mapping[str, SpanAttributes]:
    """Return the current run and the current task, as far as there are any."""
    return _about.get()


def _no_attributes(**_attributes: SpanAttributes) -> None:
    """Do nothing."""
