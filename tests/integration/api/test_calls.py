"""HTTP calls: push, recall, keys, health and metrics."""

import uuid

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from slowwave.api.app import create_app
from slowwave.memory import Memory
from slowwave.memory.operations import Access
from slowwave.wiring import Parts
from tests.integration.api.conftest import MINE, THEIRS, Keyed, refused

HELLO = {"user": "nora", "content": "I moved to Oslo last week", "key": "m1", "session": "s1"}


def test_a_pushed_episode_is_stored_once_and_recalled(client: TestClient) -> None:
    first, again = client.post("/v1/push", json=HELLO), client.post("/v1/push", json=HELLO)

    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() | {"repeated": True} == again.json()
    found = client.post("/v1/recall", json={"user": "nora", "question": "Where did I move?"}).json()
    assert [one["text"] for one in found["items"]] == [HELLO["content"]]
    assert client.post("/v1/context", json={"user": "nora", "question": "Where did I move?"}).json()["parts"]


def test_a_repeated_key_with_other_content_is_a_conflict(client: TestClient) -> None:
    client.post("/v1/push", json=HELLO)

    problem = refused(client.post("/v1/push", json=HELLO | {"content": "other"}), 409)
    assert (problem["title"], problem["type"]) == ("Conflict", "urn:slowwave:conflict")
    assert "new key" in problem["hint"]


def test_a_batch_returns_a_receipt_for_each_episode(client: TestClient) -> None:
    good, bad = {"content": "one", "key": "1"}, {"content": "", "key": "2"}

    answer = client.post("/v1/push/batch", json={"user": "nora", "episodes": [good, bad, "three"]})
    whole = client.post("/v1/push/batch", json={"user": "nora", "episodes": [good]})

    assert (answer.status_code, whole.status_code) == (207, 201)
    assert [one["state"] for one in answer.json()["items"]] == ["stored", "refused", "stored"]
    assert answer.json()["items"][1]["problem"]["problems"] == ["content: is empty"]
    assert whole.json()["items"][0]["repeated"]


def test_a_stream_answers_line_by_line(client: TestClient) -> None:
    lines = b'{"user": "nora", "content": "one"}\n\nnonsense\n{"content": "whose?"}\n{"user": "nora", "content": "two"}'
    answer = client.post("/v1/push/stream", content=lines, headers={"Content-Type": "application/x-ndjson"})

    states = [line.partition('"state":"')[2].partition('"')[0] for line in answer.text.splitlines()]
    assert states == ["stored", "refused", "refused", "stored"]
    refused(client.post("/v1/push/stream", json={}), 415)


def test_all_problems_of_a_request_are_reported_at_once(client: TestClient) -> None:
    problem = refused(client.post("/v1/recall", json={"user": "", "limit": 0}), 422)

    assert problem["problems"] == [
        "user: is empty", "question: is missing", "limit: expected an integer of 1 or more, got 0",
    ]  # fmt: skip
    json = {"Content-Type": "application/json"}
    assert refused(client.post("/v1/recall", content=b"{", headers=json), 400)["detail"] == "the body is not JSON"
    refused(client.post("/v1/recall", content=b"{}"), 415)
    refused(client.get("/v1/nowhere"), 404)


def test_a_request_that_is_too_long_is_not_read(parts: Parts, keyed: Keyed) -> None:
    vars(parts)["settings"] = parts.settings.model_copy(update={"api_body_bytes": 2_000})
    with TestClient(create_app(Memory(parts)), headers=keyed()) as client:
        long = HELLO | {"content": "x" * 3_000}
        refused(client.post("/v1/push", json=long), 413)
        refused(client.post("/v1/push", content=iter([b"x" * 1_500, b"x" * 1_500])), 413)
        ndjson = {"Content-Type": "application/x-ndjson"}
        answer = client.post(
            "/v1/push/stream", content=b"x" * 3_000 + b'\n{"user": "n", "content": "c"}', headers=ndjson
        )
    assert [("too long" in line) for line in answer.text.splitlines()] == [True, False]


def test_a_request_without_a_valid_key_for_its_verb_is_refused(
    app: FastAPI, parts: Parts, keyed: Keyed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("slowwave.store.access.rate_limit.CACHE_SECONDS", -1.0)  # each request queries the database
    question = {"user": "nora", "question": "Where?"}
    with TestClient(app) as client:
        assert client.post("/v1/push", json=HELLO).headers["www-authenticate"] == "Bearer"
        refused(client.post("/v1/push", json=HELLO), 401)
        refused(client.post("/v1/push", json=HELLO, headers={"Authorization": "Bearer sw_guess"}), 401)
        only = keyed(MINE, "recall")
        assert "but for recall" in refused(client.post("/v1/push", json=HELLO, headers=only), 403)["detail"]
        assert client.post("/v1/recall", json=question, headers=only).status_code == 200

        access = Access(parts)
        access.revoke(access.listing(tenant=MINE)[0].key, tenant=MINE)
        refused(client.post("/v1/recall", json=question, headers=only), 401)


def test_a_keys_secret_is_not_stored(parts: Parts, keyed: Keyed) -> None:
    secret = keyed()["Authorization"].removeprefix("Bearer ")

    with parts.database.tenant(MINE) as connection:
        (kept,) = connection.exec_driver_sql("SELECT api_keys::text FROM api_keys").scalars()
    assert secret not in kept
    assert len(secret) == len("sw_") + 43


def test_health_reports_liveness_and_readiness_and_lag(client: TestClient) -> None:
    assert client.get("/health/live").json() == {"live": True}
    assert client.get("/health/ready").json() == {"ready": True}
    assert client.get("/health/progress").json()["keeps_up"]


def test_a_keyless_server_serves_only_this_host(parts: Parts) -> None:
    app = create_app(Memory(parts), keyless=True)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        assert client.post("/v1/push", json=HELLO).status_code == 201
        refused(client.post("/v1/push", json=HELLO, headers={"Origin": "https://elsewhere.example"}), 403)
        refused(client.post("/v1/push", json=HELLO, headers={"Host": "rebound.example"}), 403)


def test_a_secret_of_another_tenant_revokes_nothing(parts: Parts) -> None:
    with pytest.raises(Exception, match="there is no key"):
        Access(parts).revoke(uuid.uuid4(), tenant=MINE)


def test_a_key_with_the_operate_verb_reads_the_metrics(app: FastAPI, keyed: Keyed, parts: Parts) -> None:
    with TestClient(app, headers=keyed(parts.settings.tenant, "operate")) as client:
        answer = client.get("/metrics")

    assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (200, "text/plain")
    assert "\nslowwave_up 1.0\n" in answer.text


def test_other_keys_cannot_read_the_metrics(app: FastAPI, keyed: Keyed, parts: Parts) -> None:
    with TestClient(app) as client:
        refused(client.get("/metrics"), 401)
        refused(client.get("/metrics", headers=keyed(THEIRS, "*")), 403)
        refused(client.get("/metrics", headers=keyed(parts.settings.tenant, "recall")), 403)
        refused(client.post("/v1/check", json={}, headers=keyed(parts.settings.tenant, "recall")), 403)
