"""The export of spans by OpenTelemetry, to a given address or the address in OpenTelemetry's environment variables."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, TypeVar

from slowwave.domain.episode import Episode
from slowwave.domain.limits import TRACEPARENT
from slowwave.domain.scope import Scope
from slowwave.runtime.extras import needed
from slowwave.telemetry import tracing
from slowwave.telemetry.tracing import RecordAttributes, SpanAttributes

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Tracer

T = TypeVar("T")
NAMED_BY = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
"""Environment variables of OpenTelemetry that contain the address for spans."""


def collect_spans(url: str | None) -> None:
    """Export spans of this process to *url*, or to the address in OpenTelemetry's variables.

    Without an address, do nothing. If the process has already set up OpenTelemetry, the existing exporter gets the
    spans. It is safe to call this function again. Raises `Incorrect` if the extra is not installed.
    """
    if tracing.collected() or not (url or any(os.environ.get(name) for name in NAMED_BY)):
        return
    with needed():
        from opentelemetry import trace
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    provider = trace.get_tracer_provider()
    if not isinstance(provider, TracerProvider):
        endpoint = None if url is None else f"{url.rstrip('/')}/v1/traces"
        name = os.environ.get("OTEL_SERVICE_NAME", "slowwave")
        provider = TracerProvider(resource=Resource.create({"service.name": name}))
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint)))
    tracing.collect(OpenTelemetrySpans(provider.get_tracer("slowwave", version("slowwave"))))


def pushing(scope: Scope, push: Callable[[Sequence[Episode]], T]) -> Callable[[Sequence[Episode]], T]:
    """Return *push* wrapped in a span. The trace of the span goes into each episode that has no trace."""

    def pushed(episodes: Sequence[Episode]) -> T:
        with tracing.span("slowwave.push", _traces_of(episodes), scope=str(scope.id), episodes=len(episodes)):
            return push(_with_current_trace(episodes))

    return pushed


class OpenTelemetrySpans:
    """Spans of OpenTelemetry.

    A span records only the type of an exception, because the text of an exception may quote a user.
    """

    def __init__(self, tracer: "Tracer") -> None:
        self._tracer = tracer

    @contextmanager
    def span(
        self, name: str, parents: Sequence[str], attributes: Mapping[str, SpanAttributes]
    ) -> Iterator[RecordAttributes]:
        from opentelemetry.trace import Link, SpanKind, Status, StatusCode, get_current_span

        contexts = [_context(parent) for parent in parents]
        remote = [context for context in contexts if get_current_span(context).get_span_context().is_valid]
        with self._tracer.start_as_current_span(
            name,
            context=remote[0] if remote else None,
            kind=SpanKind.CONSUMER if remote else SpanKind.INTERNAL,
            links=[Link(get_current_span(context).get_span_context()) for context in remote[1:]],
            record_exception=False,
            set_status_on_exception=False,
        ) as span:

            def tell(**more: SpanAttributes) -> None:
                span.set_attributes({f"slowwave.{key}": value for key, value in more.items()})

            tell(**attributes)
            try:
                yield tell
            except BaseException as error:
                span.set_attribute("error.type", type(error).__name__)
                span.set_status(Status(StatusCode.ERROR))
                raise

    def traceparent(self) -> str | None:
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        carrier: dict[str, str] = {}
        TraceContextTextMapPropagator().inject(carrier)
        return carrier.get(TRACEPARENT)


def _context(parent: str) -> "Context":
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    return TraceContextTextMapPropagator().extract({TRACEPARENT: parent})


def _with_current_trace(episodes: Sequence[Episode]) -> Sequence[Episode]:
    """Return *episodes*; each episode without a trace gets the current trace, if there is one."""
    trace = tracing.traceparent()
    return episodes if trace is None else [_traced(episode, trace) for episode in episodes]


def _traces_of(episodes: Sequence[Episode]) -> list[str]:
    """Return the traces that *episodes* already have, each trace once. Return an empty list if no exporter is set."""
    if not tracing.collected():
        return []
    carried = (episode.metadata.get(TRACEPARENT) for episode in episodes)
    return list(dict.fromkeys(trace for trace in carried if isinstance(trace, str)))


def _traced(episode: Episode, trace: str) -> Episode:
    if TRACEPARENT in episode.metadata:
        return episode
    return episode.model_copy(update={"metadata": {**episode.metadata, TRACEPARENT: trace}})
