"""Rates over HTTP: a key asks so often of each verb, whichever process answers, and is told when to come again."""

import pytest
from fastapi.testclient import TestClient

from slowwave import wiring
from slowwave.api.app import create_app
from slowwave.errors import Crowded
from slowwave.memory import Memory
from slowwave.memory.operations.access import Access
from slowwave.store.access.rate_limit import KeyAuthentication


def key(parts: wiring.Parts) -> str:
    """Return a new key, for every verb."""
    return Access(parts).create("test", ["*"])[1]


@pytest.mark.requirement("S2.81")
def test_a_key_above_its_rate_gets_429_with_retry_after(parts: wiring.Parts) -> None:
    vars(parts)["gate"] = KeyAuthentication(parts.database, per_second=0.01, burst=3)
    question, headers = {"user": "nora", "question": "Where?"}, {"Authorization": f"Bearer {key(parts)}"}
    with TestClient(create_app(Memory(parts)), headers=headers) as client:
        statuses = [client.post("/v1/recall", json=question).status_code for _ in range(4)]
        answer = client.post("/v1/recall", json=question)
        other = client.post("/v1/push", json={"user": "nora", "content": "I moved to Oslo"})

    assert statuses == [200, 200, 200, 429]
    assert 1 < int(answer.headers["retry-after"]) <= 100
    assert answer.json()["title"] == "Crowded"
    assert other.status_code == 201  # each verb has a bucket of its own


@pytest.mark.requirement("S2.81")
def test_two_processes_draw_from_one_bucket(parts: wiring.Parts) -> None:
    secret = key(parts)
    gates = [KeyAuthentication(parts.database, per_second=0.001, burst=4) for _ in range(2)]

    admitted = [gate.admit(secret, "recall") for _ in range(2) for gate in gates]

    assert len(admitted) == 4
    for gate in gates:
        with pytest.raises(Crowded, match="too often"):
            gate.admit(secret, "recall")
