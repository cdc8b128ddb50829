"""The OpenAPI document is what the API does: requests made from it are answered as it says, and nothing breaks."""

import json
from typing import Any

import pytest

from slowwave import wiring
from slowwave.api.app import create_app
from slowwave.memory import Memory
from slowwave.memory.operations.access import Access
from slowwave.store.access.rate_limit import KeyAuthentication

FEW, MANY = 300, 5_000
ENDLESS = "/v1/deltas/stream"
"""Its answer never ends."""


def fuzzed(parts: wiring.Parts, cases: int) -> list[str]:
    """Return what broke, or was answered otherwise than documented, in so many requests."""
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


@pytest.mark.accept
def test_generated_requests_are_answered_as_documented(parts: wiring.Parts) -> None:
    assert fuzzed(parts, FEW) == []


@pytest.mark.soak
@pytest.mark.timeout(1_800)
def test_many_generated_requests_are_answered_as_documented(parts: wiring.Parts) -> None:
    assert fuzzed(parts, MANY) == []


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
