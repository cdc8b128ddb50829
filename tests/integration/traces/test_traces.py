"""One trace from a push to its deltas, if traces are collected."""

import io
import json
import logging
from collections.abc import Iterator

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from slowwave.domain.episode import Episode
from slowwave.memory import Memory, due_work
from slowwave.telemetry import logs, tracing
from slowwave.telemetry.collector import OpenTelemetrySpans
from slowwave.wiring import Parts
from tests.integration.command import ALICE


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    """The spans of this process, collected."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracing.collect(OpenTelemetrySpans(provider.get_tracer("test")))
    yield exporter
    tracing.collect(None)
    provider.shutdown()


def moved(key: str = "k") -> Episode:
    return Episode(content="I moved to Oslo", key=key, session="s")


def read(parts: Parts) -> None:
    due_work.fire(parts, ALICE.id)
    Memory(parts).drain()


def named(spans: InMemorySpanExporter, name: str) -> list[ReadableSpan]:
    return [span for span in spans.get_finished_spans() if span.name == name]


def trace_of(span: ReadableSpan) -> int:
    assert span.context is not None
    trace: int = span.context.trace_id
    return trace


def test_the_run_that_learns_goes_on_in_the_trace_of_the_push(parts: Parts, spans: InMemorySpanExporter) -> None:
    parts.push(ALICE, [moved()])
    read(parts)

    (push,) = named(spans, "slowwave.push")
    (run,) = named(spans, "slowwave.consolidate")
    assert trace_of(run) == trace_of(push)
    assert run.parent is not None
    assert push.context is not None
    assert run.parent.span_id == push.context.span_id
    assert run.attributes is not None
    assert (run.attributes["slowwave.outcome"], run.attributes["slowwave.add"]) == ("ok", 1)
    assert {trace_of(span) for name in ("think", "apply") for span in named(spans, f"slowwave.{name}")} == {
        trace_of(push)
    }
    told = str([(span.name, span.attributes, span.events) for span in spans.get_finished_spans()])
    assert "Oslo" not in told
    assert ALICE.user not in told


def test_a_run_over_several_pushes_is_linked_to_the_others(parts: Parts, spans: InMemorySpanExporter) -> None:
    for key in ("a", "b", "c"):
        parts.push(ALICE, [moved(key)])
    read(parts)

    (run,) = named(spans, "slowwave.consolidate")
    first, *others = named(spans, "slowwave.push")
    assert trace_of(run) == trace_of(first)
    assert [link.context.trace_id for link in run.links] == [trace_of(push) for push in others]


def test_a_trace_does_not_change_an_episodes_identity(parts: Parts, spans: InMemorySpanExporter) -> None:
    first, again = parts.push(ALICE, [moved()])[0], parts.push(ALICE, [moved()])[0]

    assert len({trace_of(push) for push in named(spans, "slowwave.push")}) == 2
    assert (again.state, again.repeated, again.id) == ("stored", True, first.id)


def test_an_invalid_trace_is_ignored(parts: Parts, spans: InMemorySpanExporter) -> None:
    made_up = ["no trace", "00-" + "f" * 32 + "-0000000000000000-01", 7]
    for number, trace in enumerate(made_up):
        parts.push(ALICE, [Episode(content="I like tea", key=f"k{number}", metadata={"traceparent": trace})])
    read(parts)

    assert [run.attributes and run.attributes["slowwave.outcome"] for run in named(spans, "slowwave.consolidate")] == [
        "ok"
    ]


def test_a_span_records_an_error_by_its_type(spans: InMemorySpanExporter) -> None:
    with pytest.raises(ValueError, match="secret"), tracing.span("failing"):
        raise ValueError("a secret")

    (span,) = spans.get_finished_spans()
    assert span.attributes == {"error.type": "ValueError"}
    assert "secret" not in str((span.events, span.status.description))


def test_an_episode_without_a_collector_carries_no_trace(parts: Parts) -> None:
    assert not tracing.collected()
    parts.push(ALICE, [moved()])
    read(parts)

    stored = parts.records.episode(ALICE.tenant, str(ALICE.episode_id("k")))
    assert stored is not None
    assert stored.metadata == {}


def test_a_line_that_is_logged_in_a_run_names_it_and_its_task(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    stream, root = io.StringIO(), logging.getLogger()
    before = root.handlers[:], root.level
    parts.push(ALICE, [moved()])
    monkeypatch.setattr("slowwave.jobs.prepare.Prepare.think", broken)
    try:
        logs.configure("INFO", process="test", stream=stream)
        report = due_work.run_next(parts, owner="ann", only=["prepare"], task="t-1")
    finally:
        root.handlers[:] = before[0]
        root.setLevel(before[1])

    assert report is not None
    (line,) = [one for one in map(json.loads, stream.getvalue().splitlines()) if one["logger"] == "slowwave.jobs.run"]
    assert (line["run"], line["task"], line["process"]) == (report.run, "t-1", "test")
    assert "Oslo" not in stream.getvalue()
    assert dict(tracing.current_work()) == {}


def broken(*_: object) -> None:
    raise ZeroDivisionError("while somebody moved to Oslo")
