"""The API behaves as its OpenAPI document says, also with `slowwave serve` as a process."""

import json
import re
import signal
from pathlib import Path
from typing import Any

import httpx2
import pytest

from slowwave import wiring
from slowwave.api.app import create_app
from slowwave.embedded_services import PostgresServer
from slowwave.memory import Memory
from slowwave.memory.operations import Access
from slowwave.store.access.rate_limit import KeyAuthentication
from tests.databases import opened
from tests.faults.rig.processes import Process, plain_environment, python, running, until
from tests.folders import open_folder

ENDLESS = "/v1/deltas/stream"
"""The operation whose response never ends."""


def fuzzed(parts: wiring.Parts, cases: int) -> list[str]:
    """Return the failures and undocumented responses among the requests."""
    import hypothesis
    import schemathesis
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import (
        content_type_conformance,
        ignored_auth,
        response_headers_conformance,
        response_schema_conformance,
        status_code_conformance,
    )

    checks = [
        not_a_server_error, status_code_conformance, content_type_conformance, response_headers_conformance,
        response_schema_conformance, ignored_auth,
    ]  # fmt: skip
    vars(parts)["gate"] = KeyAuthentication(parts.database, 1e6, 1_000_000)
    app = create_app(Memory(parts))
    _, secret = Access(parts).create("fuzz", ["*"], tenant="fuzz")
    schema = schemathesis.openapi.from_asgi("/openapi.json", app)
    found = [one.ok() for one in schema.get_all_operations()]
    operations = [one for one in found if one.path != ENDLESS]
    problems: list[str] = []

    def lines(_context: Any, value: Any) -> bytes:
        return str(value).encode("utf-8", "surrogatepass")

    schemathesis.serializer("application/x-ndjson")(lines)

    def ask(label: str, requests: Any) -> None:
        @hypothesis.settings(
            max_examples=max(1, cases // len(operations)), deadline=None, database=None,
            suppress_health_check=list(hypothesis.HealthCheck), phases=[hypothesis.Phase.generate],
        )  # fmt: skip
        @hypothesis.given(case=requests)
        def each(case: Any) -> None:
            try:
                case.call_and_validate(headers={"Authorization": f"Bearer {secret}"}, checks=checks)
            except BaseExceptionGroup as error:
                problems.extend(f"{label}: {one}" for one in error.exceptions)

        each()

    for operation in operations:
        ask(operation.label, operation.as_strategy())
    return problems


@pytest.mark.timeout(1_800)
@pytest.mark.parametrize(
    "cases", [pytest.param(300, marks=pytest.mark.accept), pytest.param(5_000, marks=pytest.mark.soak)]
)
def test_generated_requests_are_answered_as_documented(parts: wiring.Parts, cases: int) -> None:
    assert fuzzed(parts, cases) == []


def test_each_operation_documents_its_error_responses(parts: wiring.Parts) -> None:
    document = create_app(Memory(parts)).openapi()

    assert document["openapi"].startswith("3.1")
    for path, item in document["paths"].items():
        for method, operation in item.items():
            statuses = set(operation["responses"])
            problems = {status for status in statuses if status >= "400"}
            assert all("Problem" in json.dumps(operation["responses"][status]) for status in problems), (path, method)
            if operation.get("security"):
                assert {"401", "403", "429", "500", "503"} <= statuses, (path, method)


HELLO = {"user": "nora", "content": "I moved to Oslo", "key": "m1"}


@pytest.mark.accept
def test_a_server_acknowledges_and_reports_an_outage_and_stops_on_a_signal(tmp_path: Path) -> None:
    with open_folder("serve") as home, PostgresServer(home / "postgres", durable=False) as postgres:
        wiring.migrate_database(postgres.url("slowwave_owner"))
        with opened(postgres, "slowwave", {}) as parts:
            _, secret = Access(parts).create("test", ["*"])

        env = plain_environment(SLOWWAVE_URL=postgres.url())
        server = Process(python("slowwave.cli", "serve", "--port", "0"), env, tmp_path / "serve.log")
        with running(server):
            until(lambda: "ready: serves" in server.said(), "the server is ready", otherwise=server.said)
            found = re.search(r"http://127\.0\.0\.1:\d+", server.said().partition("ready: serves")[2])
            assert found, server.said()
            with httpx2.Client(base_url=found[0], headers={"Authorization": f"Bearer {secret}"}) as client:
                assert client.post("/v1/push", json=HELLO).status_code == 201

                postgres.kill()
                away = client.post("/v1/push", json=HELLO | {"key": "m2"}, timeout=30)
                assert (away.status_code, away.headers["content-type"]) == (503, "application/problem+json")
                assert int(away.headers["retry-after"]) >= 1
                assert client.get("/health/ready", timeout=30).status_code == 503
                assert client.get("/health/live").status_code == 200

                postgres.start()
                again = client.post("/v1/push", json=HELLO, timeout=30)
                assert (again.status_code, again.json()["repeated"]) == (201, True)

            server.ask(signal.SIGTERM)
            until(lambda: not server.running, "the server has ended", otherwise=server.said)
            assert server.said().rstrip().endswith("ended")
