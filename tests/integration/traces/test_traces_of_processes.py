"""A trace across processes: from the push of one to the delta of the other, in a collector that receives both."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from slowwave.embedded_services import RedisServer
from slowwave.memory import Memory
from slowwave.wiring import Parts
from tests.faults.rig.processes import Process, celery, running, until
from tests.local_server import Request, Response, serving_posts

pytestmark = pytest.mark.accept
PUSH = """
from slowwave import Memory
with Memory.connect() as memory:
    scope = memory.scope("alice", agent="concierge")
    scope.push("I moved to Oslo", session="s")
    scope.end_session("s")
"""
SEND = """
import os
from slowwave import QueueClient
with QueueClient(os.environ["BROKER"], traces_url=os.environ["COLLECTOR"]) as client:
    assert client.scope("alice", agent="concierge").push("I moved to Oslo", session="s").state == "queued"
"""


@dataclass
class Collector:
    """An OTLP collector over HTTP: each span by name, with its trace and its service."""

    url: str = ""
    bodies: list[bytes] = field(default_factory=list)

    def spans(self) -> Iterator[tuple[str, bytes, str]]:
        """Give the name, the trace and the service of each span."""
        for body in self.bodies:
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                told = {one.key: one.value.string_value for one in resource.resource.attributes}
                for scope in resource.scope_spans:
                    yield from ((span.name, span.trace_id, told["service.name"]) for span in scope.spans)


@pytest.fixture
def collector() -> Iterator[Collector]:
    """A collector that runs while the test does."""
    made = Collector()

    def respond(request: Request) -> Response:
        assert request.path == "/v1/traces"
        made.bodies.append(request.body)
        return 200, {}, b""

    with serving_posts(respond) as port:
        made.url = f"http://127.0.0.1:{port}"
        yield made


def process(*command: str, service: str, **variables: str) -> str:
    others = {name: value for name, value in os.environ.items() if not name.startswith(("SLOWWAVE_", "OTEL_"))}
    done = subprocess.run(
        [sys.executable, *command],
        env={**others, "OTEL_SERVICE_NAME": service, **variables},
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    return done.stdout + done.stderr


def test_agent_and_worker_share_one_trace(parts: Parts, collector: Collector, tmp_path: Path) -> None:
    told = {"SLOWWAVE_URL": parts.url, "SLOWWAVE_HOME": str(tmp_path)}
    process("-c", PUSH, service="agent", SLOWWAVE_TRACES_URL=collector.url, **told)
    there = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url}
    process("-m", "slowwave.cli", "work", "--until-idle", service="worker", **there, **told)

    spans = list(collector.spans())
    (push,) = [trace for name, trace, _ in spans if name == "slowwave.push"]
    assert {(name, who) for name, trace, who in spans if trace == push} >= {
        ("slowwave.push", "agent"),
        ("slowwave.consolidate", "worker"),
        ("slowwave.apply", "worker"),
    }
    assert b"Oslo" not in b"".join(collector.bodies)


def test_a_push_by_the_broker_joins_the_trace(
    parts: Parts, mortal_redis: RedisServer, collector: Collector, tmp_path: Path
) -> None:
    process("-c", SEND, service="agent", BROKER=mortal_redis.broker_url, COLLECTOR=collector.url)
    env = {name: value for name, value in os.environ.items() if not name.startswith(("SLOWWAVE_", "OTEL_"))}
    env |= {"SLOWWAVE_URL": parts.url, "SLOWWAVE_BROKER_URL": mortal_redis.broker_url, "SLOWWAVE_HOME": str(tmp_path)}
    env |= {"SLOWWAVE_TRACES_URL": collector.url, "OTEL_SERVICE_NAME": "worker", "OTEL_BSP_SCHEDULE_DELAY": "100"}
    worker = Process(celery("worker.app", processes=1), env, tmp_path / "worker.log")

    def told() -> set[tuple[str, str]]:
        spans = list(collector.spans())
        pushed = {trace for name, trace, who in spans if (name, who) == ("slowwave.push", "agent")}
        return {(name, who) for name, trace, who in spans if trace in pushed}

    with running(worker):
        until(lambda: parts.records.scopes("default"), "it is stored", otherwise=worker.said)
        Memory(parts).scope("alice", agent="concierge").end_session("s")
        wanted = {("slowwave.push", "agent"), ("slowwave.push", "worker"), ("slowwave.apply", "worker")}
        until(lambda: told() >= wanted, "one trace tells all of it", otherwise=worker.said)
    assert b"Oslo" not in b"".join(collector.bodies)


def test_an_unavailable_collector_does_not_block_memory(parts: Parts, tmp_path: Path) -> None:
    told = {"SLOWWAVE_TRACES_URL": "http://127.0.0.1:1", "SLOWWAVE_URL": parts.url, "SLOWWAVE_HOME": str(tmp_path)}
    told["OTEL_EXPORTER_OTLP_TIMEOUT"] = "1"
    process("-c", PUSH, service="agent", **told)
    process("-m", "slowwave.cli", "work", "--until-idle", service="worker", **told)

    assert [fact.object for scope in parts.records.scopes("default") for fact in parts.records.facts(scope)] == ["Oslo"]
