"""Two tenants with the same ids: no operation of the app returns data of the other tenant."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlencode

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from slowwave.api.access import ScopeNames
from slowwave.domain.access import Caller
from slowwave.memory import Memory, MemoryScope
from slowwave.wiring import Parts
from tests.contract.replay.packs import VERSIONS, declare, everything
from tests.integration.api.conftest import MINE, THEIRS, Keyed, refused
from tests.unit.tables import table

WHOSE = {"user": "nora", "agent": "rag", "channel": "work"}
THEIR_WORDS = ("Oslo", "Zephyr", THEIRS)
"""Words that only the other tenant said, and the tenant's name."""
OPEN = {"GET /health/live", "GET /health/ready", "GET /health/progress"}
"""Operations without memories, which need no key."""
ENDLESS = {"GET /v1/deltas/stream"}
"""Operations with endless responses; `test_stream` tests their separation of tenants."""


@dataclass(frozen=True)
class Ids:
    """Ids of what is remembered for one tenant."""

    fact: str
    episode: str
    goal: str
    strategy: str
    webhook: str
    run: int


def told(client: TestClient, parts: Parts, city: str, aim: str) -> Ids:
    """Push episodes of a tenant under the ids that both tenants use; return the resulting ids."""
    memory = Memory(parts)
    stored = client.post("/v1/push", json=WHOSE | {"content": f"I moved to {city}", "session": "s", "key": "k"}).json()
    goal = client.post("/v1/goals", json=WHOSE | {"description": f"Finish {aim}", "key": "g"}).json()
    way = {
        "description": f"search for {aim}", "context_pattern": aim, "tool_sequence": ["grep", f"read{aim}"],
        "conversation": "s", "success": True, "key": "w",
    }  # fmt: skip
    strategy = client.post("/v1/strategies", json=WHOSE | way).json()
    webhook = client.post("/v1/webhooks", json={"url": f"https://{aim.lower()}.example/{aim}"}).json()["webhook"]
    memory.drain()
    memory.scope("nora", agent="rag", channel="work", tenant=MINE if city == "Lisbon" else THEIRS).consolidate()
    (fact,) = [one for one in client.get("/v1/facts", params=WHOSE).json()["items"] if one["predicate"] == "lives_in"]
    runs = [one for one in client.get("/v1/runs").json()["items"] if one["scope"]]
    return Ids(fact["id"], stored["id"], goal["goal_id"], strategy["strategy"], webhook["webhook"], runs[0]["run"])


def calls(theirs: Ids) -> Mapping[str, list[tuple[str, Any, int]]]:
    """Return the requests of one tenant by operation, each with its address, body and status."""
    query = "?" + urlencode(WHOSE)
    requests: dict[str, list[tuple[str, Any, int]]] = table(__file__, query=query, **asdict(theirs))["requests"]
    return requests


def leaks(client: TestClient, theirs: Ids) -> list[str]:
    """Return the requests whose responses contain data of the other tenant."""
    found = []
    for operation, requests in calls(theirs).items():
        method = operation.partition(" ")[0]
        for address, body, status in requests:
            lines = b'{"user": "nora", "content": "Hello", "key": "k2"}' if address.endswith("/stream") else None
            kind = {"content-type": "application/x-ndjson"} if lines else {}
            answer = client.request(method, address, json=body, content=lines, headers=kind)
            if words := [word for word in THEIR_WORDS if word in answer.text.replace(address, "")]:
                found.append(f"{operation}: tells {words}")
            if answer.status_code != status:
                found.append(f"{operation}: {address}: {answer.status_code}, {answer.text[:300]}")
    return found


@pytest.fixture
def tenants(app: FastAPI, parts: Parts, keyed: Keyed) -> Iterator[tuple[TestClient, Ids]]:
    """A caller of the tenant `mine`, and the ids of what is remembered for `theirs`."""
    Memory(parts).quotas.set("recalls-a-minute", 10_000, user="Zephyr", tenant=THEIRS)
    declare(parts, everything, version=next(VERSIONS))  # it reads in both tenants
    with TestClient(app, headers=keyed(MINE)) as mine, TestClient(app, headers=keyed(THEIRS)) as their:
        told(mine, parts, "Lisbon", "Alpha")
        yield mine, told(their, parts, "Oslo", "Zephyr")


def operations(app: FastAPI) -> set[str]:
    """Return every operation that *app* documents."""
    return {f"{method.upper()} {path}" for path, item in app.openapi()["paths"].items() for method in item}


def test_each_operation_is_called_for_another_tenants_data(app: FastAPI) -> None:
    nobody = Ids("f", "e", "g", "s", "w", 0)
    assert operations(app) - set(calls(nobody)) - OPEN - ENDLESS == set(), (
        "an operation that nobody asked as another tenant"
    )


def test_no_operation_returns_another_tenants_data(tenants: tuple[TestClient, Ids]) -> None:
    mine, theirs = tenants
    assert leaks(mine, theirs) == []


def test_a_planted_leak_is_detected(tenants: tuple[TestClient, Ids], monkeypatch: pytest.MonkeyPatch) -> None:
    mine, theirs = tenants

    def leaky(self: ScopeNames, memory: Memory, caller: Caller) -> MemoryScope:
        return memory.scope(self.user, agent=self.agent, channel=self.channel, tenant=THEIRS)

    monkeypatch.setattr(ScopeNames, "of", leaky)
    assert {line.partition(":")[0] for line in leaks(mine, theirs)} >= {
        "POST /v1/recall", "POST /v1/context", "GET /v1/facts", "GET /v1/goals", "GET /api/v1/memory/entries",
    }  # fmt: skip


def test_each_operation_except_health_requires_a_key(app: FastAPI) -> None:
    with TestClient(app) as client:
        for operation in sorted(operations(app) - OPEN):
            method, _, path = operation.partition(" ")
            refused(client.request(method, path.replace("{", "").replace("}", "")), 401)
