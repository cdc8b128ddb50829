"""Forgetting over HTTP: previewed, confirmed, done in one tenant alone, by whoever may operate."""

from fastapi.testclient import TestClient

from tests.integration.api.conftest import MINE, THEIRS, Keyed, refused


def test_a_user_is_forgotten_in_one_tenant_after_a_preview(client: TestClient) -> None:
    memory = client.app.state.memory  # type: ignore[attr-defined]
    for tenant in (MINE, THEIRS):
        ann = memory.scope("ann", agent="a", tenant=tenant)
        ann.push("I live in Lisbon", key="k1")
        ann.consolidate()

    seen = client.post("/v1/forget", json={"user": "ann", "preview": True}).json()
    assert seen["episodes"] == ["I live in Lisbon"]
    assert memory.erasures(tenant=MINE) == []

    done = client.post("/v1/forget", json={"user": "ann", "confirm": seen["token"], "rewrite": False}).json()

    assert done["erased"]
    assert client.get("/v1/facts", params={"user": "ann"}).json()["items"] == []
    assert [one.text for one in memory.scope("ann", agent="a", tenant=THEIRS).facts()] == ["The user lives in Lisbon"]
    assert [one["id"] for one in client.get("/v1/erasures").json()["items"]] == [done["id"]]
    assert client.post("/v1/erasures/verify", json=done).json() == {"genuine": True}
    assert client.post("/v1/erasures/verify", json={**done, "scopes": 9}).json() == {"genuine": False}


def test_a_scope_forgets_matching_words(client: TestClient) -> None:
    memory = client.app.state.memory  # type: ignore[attr-defined]
    ann = memory.scope("ann", agent="a", tenant=MINE)
    ann.push("I live in Lisbon", key="k1")
    ann.push("I play chess", key="k2")

    client.post("/v1/scopes/forget", json={"user": "ann", "agent": "a", "matching": "lisbon", "rewrite": False})

    assert [one.content for one in ann.recent()] == ["I play chess"]


def test_forgetting_requires_the_operate_verb(client: TestClient, keyed: Keyed) -> None:
    lesser = keyed(MINE, "push", "recall", "review")

    refused(client.post("/v1/forget", json={"user": "ann"}, headers=lesser), 403)
    refused(client.post("/v1/scopes/forget", json={"user": "ann"}, headers=lesser), 403)
    refused(client.get("/v1/erasures", headers=lesser), 403)
    refused(client.post("/v1/erasures/rewrite", headers=lesser), 403)
    refused(client.post("/v1/forget", json={}), 422)
    refused(client.post("/v1/forget", json={"user": "nobody"}), 404)
