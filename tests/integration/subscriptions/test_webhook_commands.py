"""`slowwave webhooks` and `/v1/webhooks`: create, list without the secret, test, enable, remove."""

import json
import uuid
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from slowwave.api.app import create_app
from slowwave.memory import Memory
from slowwave.memory.operations import Access
from slowwave.wiring import Parts
from tests.integration.command import Run
from tests.integration.subscriptions.receiver import Receiver
from tests.integration.subscriptions.test_webhooks import learn, tell, visited


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLOWWAVE_WEBHOOKS", "loopback")
    monkeypatch.setenv("SLOWWAVE_TENANT", "mine")


@pytest.fixture
def client(parts: Parts) -> Iterator[TestClient]:
    _, key = Access(parts).create("test", ["operate"], tenant="mine")
    headers = {"Authorization": f"Bearer {key}"}
    with TestClient(create_app(Memory(parts)), headers=headers, raise_server_exceptions=False) as client:
        yield client


def test_webhook_commands_create_and_list_and_remove_webhooks(run: Run, parts: Parts, receiver: Receiver) -> None:
    assert "there are no webhooks" in run("webhooks", "list").out
    made = run("webhooks", "create", receiver.url, "--user", "nora", "--json")
    told = json.loads(made.out)
    assert told["kinds"] == ["add", "update", "delete"]

    assert run("webhooks", "test", told["webhook"]).status == 0
    assert receiver.verifies(told["secret"])
    assert receiver.taken.pop()["type"] == "webhook.test"
    learn(parts, "Oslo")
    assert tell(parts) == ["ok"]
    assert receiver.words == visited("Oslo")

    receiver.script = [(410, {}), (500, {})]
    learn(parts, "Lima")
    assert tell(parts) == ["given up"]
    listed = run("webhooks", "list", "--json")
    (one,) = json.loads(listed.out)
    assert (one["delivered"], one["user"], one["trouble"]) == (1, "nora", "the receiver answered 410")
    assert told["secret"] not in listed.out
    refused = run("webhooks", "test", told["webhook"])
    assert (refused.status, "answered 500" in refused.err) == (1, True)
    assert "deliveries to " in run("webhooks", "enable", told["webhook"]).out
    assert tell(parts) == ["ok"]

    assert "is removed" in run("webhooks", "remove", told["webhook"]).out
    assert json.loads(run("webhooks", "list", "--json").out) == []
    assert run("webhooks", "remove", told["webhook"]).status == 1
    assert "not an https address" in run("webhooks", "create", "ftp://example.org/").err


def test_the_routes_create_and_list_and_remove_webhooks(client: TestClient, parts: Parts, receiver: Receiver) -> None:
    answer = client.post("/v1/webhooks", json={"url": receiver.url, "kinds": ["add"], "user": "nora"})
    assert answer.status_code == 201
    made, secret = answer.json()["webhook"], answer.json()["secret"]
    path = f"/v1/webhooks/{made['webhook']}"

    tried = client.post(f"{path}/test").json()
    assert (tried["status"], tried["accepted"], receiver.verifies(secret)) == (204, True, True)
    receiver.taken.clear()
    receiver.script = [(410, {})]
    learn(parts, "Oslo")
    assert tell(parts) == ["given up"]
    listed = client.get("/v1/webhooks")
    assert listed.json()["items"][0]["disabled"] is not None
    assert secret not in listed.text
    assert client.post(f"{path}/enable").json()["disabled"] is None
    assert tell(parts) == ["ok"]
    assert receiver.words == visited("Oslo")

    assert client.delete(path).json()["webhook"] == made["webhook"]
    assert client.get("/v1/webhooks").json()["items"] == []
    assert [client.delete(path).status_code, client.post(f"/v1/webhooks/{uuid.uuid4()}/test").status_code] == [404, 404]


def test_webhook_routes_refuse_invalid_requests(client: TestClient, parts: Parts) -> None:
    wrong = client.post("/v1/webhooks", json={"url": "http://me:pw@example.org/#x"})
    assert wrong.status_code in (400, 422)
    assert len(wrong.json()["problems"]) == 2
    assert client.post("/v1/webhooks", json={"url": "https://example.org/", "agent": "coder"}).status_code >= 400
    _, key = Access(parts).create("test", ["recall"], tenant="mine")
    assert client.get("/v1/webhooks", headers={"Authorization": f"Bearer {key}"}).status_code == 403
