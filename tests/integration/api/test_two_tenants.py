"""Two tenants with the same ids: no operation of the app returns data of the other tenant."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from slowwave.api.access import ScopeNames
from slowwave.domain.access import Caller
from slowwave.memory import Memory, MemoryScope
from slowwave.wiring import Parts
from tests.contract.replay.packs import VERSIONS, declare, everything
from tests.integration.api.conftest import MINE, THEIRS, Keyed, refused

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


def calls(theirs: Ids) -> Mapping[str, list[tuple[str, Any, int | None]]]:
    """Return the requests of one tenant by operation, with the status where it does not depend on the caller.

    A request is the address, the body or None, and the status: 404 where it names something of the other tenant.
    """
    query = "?user=nora&agent=rag&channel=work"
    asked = WHOSE | {"question": "Where does Nora live, and what is she to finish?"}
    return {
        "POST /v1/push": [("/v1/push", WHOSE | {"content": "Hello", "key": "h"}, 201)],
        "POST /v1/push/batch": [("/v1/push/batch", WHOSE | {"episodes": ["Hello"]}, 201)],
        "POST /v1/push/stream": [("/v1/push/stream", None, 200)],
        "POST /v1/recall": [("/v1/recall", asked, 200), ("/v1/recall", {**asked, "agent": None, "channel": None}, 200)],
        "POST /v1/context": [("/v1/context", asked | {"session": "s"}, 200)],
        "GET /v1/facts": [(f"/v1/facts{query}", None, 200), (f"/v1/facts{query}&after={theirs.fact}", None, 404)],
        "GET /v1/unread": [
            (f"/v1/unread{query}", None, 200), (f"/v1/unread{query}&before={theirs.episode}", None, 404),
        ],
        "GET /v1/facts/{fact}/why": [(f"/v1/facts/{theirs.fact}/why", None, 404)],
        "GET /v1/deltas": [
            ("/v1/deltas", None, 200), (f"/v1/deltas{query}", None, 200),
            (f"/v1/deltas?after={theirs.fact}", None, 404), (f"/v1/deltas?run={theirs.run}", None, 200),
        ],
        "POST /v1/feedback": [
            ("/v1/feedback", WHOSE | {"id": id_, "score": 0.5, "useful": 1.0}, 404)
            for id_ in (theirs.fact, theirs.episode)
        ],
        "GET /v1/review": [("/v1/review", None, 200)],
        "POST /v1/review/{number}": [("/v1/review/1", {"verdict": "reject", "by": "me"}, 404)],
        "POST /v1/undo": [
            ("/v1/undo", {"what": theirs.run}, 404), ("/v1/undo", {"what": theirs.fact}, 404),
            ("/v1/undo", {"what": theirs.run, "preview": True}, 404),
            ("/v1/undo", WHOSE | {"since": "2020-01-01T00:00:00Z", "preview": True}, 200),
        ],
        "GET /v1/undos": [("/v1/undos", None, 200), (f"/v1/undos{query}", None, 200)],
        "POST /v1/replay": [("/v1/replay", WHOSE | {"pack": "everyday"}, 200)],
        "GET /v1/canaries": [("/v1/canaries", None, 200)],
        "GET /v1/canaries/{pack}": [("/v1/canaries/everyday", None, 200)],
        "POST /v1/canaries/{pack}/promote": [("/v1/canaries/everyday/promote", {}, 403)],
        "POST /v1/canaries/{pack}/roll-back": [("/v1/canaries/everyday/roll-back", {}, 403)],
        "POST /v1/facts/{fact}/correct": [(f"/v1/facts/{theirs.fact}/correct", WHOSE | {"object": "Bergen"}, 404)],
        "POST /v1/forget": [
            ("/v1/forget", {"fact": theirs.fact}, 404), ("/v1/forget", {"matching": "Zephyr"}, 404),
            ("/v1/forget", {"user": "nora", "preview": True}, 200),
        ],
        "POST /v1/scopes/forget": [
            ("/v1/scopes/forget", WHOSE | {"fact": theirs.fact}, 404),
            ("/v1/scopes/forget", WHOSE | {"session": "s", "preview": True}, 200),
        ],
        "GET /v1/erasures": [("/v1/erasures", None, 200)],
        "POST /v1/erasures/rewrite": [("/v1/erasures/rewrite", None, 200)],
        "POST /v1/erasures/verify": [("/v1/erasures/verify", {}, 422)],
        "GET /v1/goals": [(f"/v1/goals{query}", None, 200)],
        "POST /v1/goals": [
            ("/v1/goals", WHOSE | {"description": "Rest"}, 201),
            ("/v1/goals", WHOSE | {"description": "Rest", "parent": theirs.goal}, 404),
        ],
        "GET /v1/goals/{goal}": [(f"/v1/goals/{theirs.goal}{query}", None, 404)],
        "POST /v1/goals/{goal}/end": [(f"/v1/goals/{theirs.goal}/end", WHOSE, 404)],
        "POST /v1/goals/{goal}/block": [(f"/v1/goals/{theirs.goal}/block", WHOSE | {"reason": "rain"}, 404)],
        "POST /v1/goals/{goal}/resume": [(f"/v1/goals/{theirs.goal}/resume", WHOSE, 404)],
        "GET /v1/strategies": [
            (f"/v1/strategies{query}", None, 200), (f"/v1/strategies{query}&task=search", None, 200),
        ],
        "GET /v1/strategies/{strategy}": [(f"/v1/strategies/{theirs.strategy}{query}", None, 404)],
        "POST /v1/strategies": [("/v1/strategies", WHOSE | {
            "description": "", "context_pattern": "a", "tool_sequence": ["grep"], "conversation": "s", "success": True,
        }, 201)],
        "GET /metrics": [("/metrics", None, 403)],
        "GET /v1/status": [("/v1/status", None, 200)],
        "GET /v1/stats": [("/v1/stats", None, 200)],
        "GET /v1/runs": [("/v1/runs?limit=1000", None, 200)],
        "GET /v1/runs/{run}": [(f"/v1/runs/{theirs.run}", None, 404)],
        "GET /v1/intents": [("/v1/intents", None, 200)],
        "GET /v1/schedule": [("/v1/schedule", None, 200)],
        "GET /v1/dead-letters": [("/v1/dead-letters?everything=true", None, 200)],
        "POST /v1/dead-letters/retry": [("/v1/dead-letters/retry", {"letters": [1]}, 404)],
        "POST /v1/webhooks": [("/v1/webhooks", {"url": "https://alpha.example/b"}, 201)],
        "GET /v1/webhooks": [("/v1/webhooks", None, 200)],
        "DELETE /v1/webhooks/{webhook}": [(f"/v1/webhooks/{theirs.webhook}", None, 404)],
        "POST /v1/webhooks/{webhook}/enable": [(f"/v1/webhooks/{theirs.webhook}/enable", None, 404)],
        "POST /v1/webhooks/{webhook}/test": [(f"/v1/webhooks/{theirs.webhook}/test", None, 404)],
        "GET /v1/budget": [("/v1/budget", None, 200)],
        "GET /v1/quotas": [("/v1/quotas", None, 200)],
        "POST /v1/sessions/end": [("/v1/sessions/end", WHOSE | {"session": "s"}, 200)],
        "GET /api/v1/memory/search-index": [
            (f"/api/v1/memory/search-index{query}&question=Where+is+home%3F", None, 200),
        ],
        "GET /api/v1/memory/search-timeline": [
            (f"/api/v1/memory/search-timeline{query}&anchor=k", None, 200),
            (f"/api/v1/memory/search-timeline{query}&anchor={theirs.episode}", None, 404),
        ],
        "GET /api/v1/memory/entries": [
            (f"/api/v1/memory/entries{query}&ids=k", None, 200),
            (f"/api/v1/memory/entries{query}&ids={theirs.fact}", None, 404),
            (f"/api/v1/memory/entries{query}&ids={theirs.episode}", None, 404),
        ],
    }  # fmt: skip


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
