"""`/v1/deltas/stream` over a socket: new deltas, resumption, and the limits of a stream."""

import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from fastapi.testclient import TestClient

from slowwave.memory import Memory, MemoryScope
from slowwave.memory.operations import Access
from slowwave.subscriptions import deltas
from slowwave.wiring import Parts
from tests.integration.api.conftest import Keyed, refused
from tests.integration.steps import learn

Event = tuple[str, dict[str, Any]]


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deltas, "POLL_SECONDS", 0.02)


@pytest.fixture
def nora(parts: Parts) -> MemoryScope:
    return Memory(parts).scope("nora", agent="coder", channel="shop", tenant="mine")


def moved(scope: MemoryScope, city: str) -> str:
    """Push a move and consolidate it; return the id of its delta."""
    return str(learn(scope, f"I moved to {city}.").deltas()[-1].id)


def events(lines: Iterator[str]) -> Iterator[Event]:
    """Give the id and the data of each event."""
    name = ""
    for line in lines:
        if line.startswith("id: "):
            name = line.removeprefix("id: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def opened(address: str, headers: dict[str, str], **query: str) -> Any:
    return httpx2.stream(
        "GET", f"{address}/v1/deltas/stream", headers=headers, params=query, timeout=12
    )  # before a keep-alive


def test_a_stream_sends_new_deltas_and_resumes_after_the_last_id(address: str, nora: MemoryScope, keyed: Keyed) -> None:
    key = keyed()
    with opened(address, key) as answer:
        heard = events(answer.iter_lines())
        first = moved(nora, "Lisbon")
        name, said = next(heard)

    assert answer.headers["content-type"].startswith("text/event-stream")
    assert (name, said["text"]) == (first, "The user lives in Lisbon")
    second = moved(nora, "Oslo")
    with opened(address, {**key, "Last-Event-ID": first}) as answer:
        assert next(events(answer.iter_lines()))[0] == second
    with opened(address, key, after=first) as answer:
        assert next(events(answer.iter_lines()))[0] == second


@pytest.mark.accept
def test_a_stream_contains_no_deltas_of_other_tenants_and_scopes(
    address: str, nora: MemoryScope, parts: Parts, keyed: Keyed
) -> None:
    first = moved(nora, "Lisbon")
    other = Memory(parts).scope("nora", agent="coder", channel="shop", tenant="theirs")
    named = {"user": "nora", "agent": "coder", "channel": "shop"}
    with opened(address, keyed("theirs")) as theirs, opened(address, keyed(), after=first, **named) as mine:
        moved(Memory(parts).scope("bob", tenant="mine"), "Rome")
        expected = moved(nora, "Oslo"), moved(other, "Bergen")
        assert (next(events(mine.iter_lines()))[0], next(events(theirs.iter_lines()))[0]) == expected


@pytest.mark.accept
def test_an_idle_stream_sends_heartbeats_until_its_key_is_revoked(
    address: str, parts: Parts, keyed: Keyed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("slowwave.api.routes.deltas.HEARTBEAT_SECONDS", 0.0)
    key = keyed()
    with opened(address, key) as answer:
        lines = answer.iter_lines()
        assert next(line for line in lines if line.startswith(":")) == ": alive"
        (made,) = Access(parts).listing(tenant="mine")
        Access(parts).revoke(made.key, tenant="mine")
        assert set(lines) <= {"", ": alive"}  # and it ends


def test_an_invalid_stream_request_is_refused_with_a_problem(client: TestClient, keyed: Keyed) -> None:
    refused(client.get("/v1/deltas/stream", headers={"Last-Event-ID": "00000000-0000-0000-0000-000000000000"}), 404)
    refused(client.get("/v1/deltas/stream", params={"kind": "dream"}), 422)
    refused(client.get("/v1/deltas/stream", headers=keyed("mine", "push")), 403)


@pytest.mark.accept
def test_a_client_that_reads_nothing_holds_no_thread_and_no_connection(
    address: str, nora: MemoryScope, keyed: Keyed
) -> None:
    key = keyed()
    hanging = [opened(address, key) for _ in range(60)]  # more than there are threads, or connections to Postgres
    for one in hanging:
        one.__enter__()
    try:
        with opened(address, key) as answer:
            expected = moved(nora, "Lisbon")
            assert next(events(answer.iter_lines()))[0] == expected
    finally:
        for one in hanging:
            one.__exit__(None, None, None)
