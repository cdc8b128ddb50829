"""A client that reaches only the broker refuses what is no address, and outlives what others write to its receipts."""

import json
import uuid
from typing import Any

import pytest
import redis

from slowwave import QueueClient
from slowwave.broker import queue
from slowwave.errors import Incorrect, Unavailable


@pytest.mark.parametrize("url", [None, 5, ["a"], b"redis://h", "http://h", "redis://h:notaport/0", "redis://[::1"])
def test_an_invalid_broker_address_is_refused(url: Any) -> None:
    with pytest.raises(Incorrect, match="address"):
        QueueClient(url)


def test_an_unset_tenant_is_not_the_default_one() -> None:
    with QueueClient("redis://localhost:1/0") as client, pytest.raises(Incorrect, match="tenant"):
        client.scope("alice", tenant="")


def test_a_malformed_confirmation_does_not_affect_its_neighbours(cache_url: str) -> None:
    id_ = uuid.uuid4()
    with redis.Redis.from_url(cache_url) as broker:
        broker.rpush(queue.RECEIPTS + "me", "not json", "5", json.dumps(["no id", None]), json.dumps([str(id_), None]))

    line = queue.MessageSender(cache_url)

    assert line.confirmed("me") == [(id_, None)]
    line.close()


def test_an_unexpected_error_does_not_stop_delivery(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []

    def send(_line: queue.MessageSender, task: str, _message: Any) -> None:
        sent.append(task)
        if len(sent) == 1:
            raise RuntimeError("nobody foresaw this")

    monkeypatch.setattr(queue.MessageSender, "send", send)
    with QueueClient("redis://localhost:1/0") as client:
        scope = client.scope("alice")
        with pytest.raises(Unavailable, match="RuntimeError"):
            scope.push("the first one")

        assert scope.push("and one more").state == "queued"
