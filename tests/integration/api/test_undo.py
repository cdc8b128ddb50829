"""Undo, replay and forgetting over HTTP: previewed, confirmed, done in one tenant, by its key."""

import pytest
from fastapi.testclient import TestClient

from slowwave.memory import Memory, MemoryScope
from slowwave.wiring import Parts
from tests.contract.replay.packs import VERSIONS, declare, install, mishearing
from tests.integration.api.conftest import MINE, THEIRS, Keyed, refused
from tests.integration.steps import learn


@pytest.fixture
def memory(parts: Parts) -> Memory:
    return Memory(parts)


@pytest.fixture
def ann(memory: Memory) -> MemoryScope:
    return memory.scope("ann", agent="a", tenant=MINE)


def objects(scope: MemoryScope) -> list[str]:
    """Return the objects of the facts of a scope."""
    return [fact.object for fact in scope.facts()]


def test_a_replay_is_previewed_done_and_taken_back(client: TestClient, parts: Parts, ann: MemoryScope) -> None:
    install(parts)
    learn(ann, "I live in Lisbon")
    install(parts, mishearing(Lisbon="Lagos"), version=2)
    asked = {"pack": "everyday@2", "user": "ann", "agent": "a"}

    seen = client.post("/v1/replay", json={**asked, "preview": True}).json()
    assert [one["text"] for one in seen["restored"]] == ["The user lives in Lagos"]
    assert objects(ann) == ["Lisbon"]

    done = client.post("/v1/replay", json={**asked, "by": "Ann", "ask": True}).json()
    assert (done["what"], done["by"], done["state"]) == ("the replay of everyday@2", "Ann", "done")
    assert objects(ann) == ["Lagos"]
    client.post("/v1/undo", json={"what": done["id"]})
    assert objects(ann) == ["Lisbon"]
    refused(client.post("/v1/replay", json={**asked, "pack": "everyday@99"}), 422)


def test_a_replay_of_all_users_is_asked_for_by_name_and_stays_in_its_tenant(
    client: TestClient, keyed: Keyed, parts: Parts, memory: Memory, ann: MemoryScope
) -> None:
    install(parts)
    learn(ann, "I live in Lisbon")
    theirs = learn(memory.scope("ann", agent="a", tenant=THEIRS), "I live in Lisbon")
    install(parts, mishearing(Lisbon="Lagos"), version=2)

    problem = refused(client.post("/v1/replay", json={"pack": "everyday"}), 422)
    assert "set all_users to true" in str(problem)
    problem = refused(client.post("/v1/replay", json={"pack": "everyday", "user": "ann", "all_users": True}), 422)
    assert "leave out user, agent and channel" in str(problem)
    asked = {"pack": "everyday", "all_users": True}
    refused(client.post("/v1/replay", json=asked, headers=keyed(MINE, "recall", "operate")), 403)

    seen = client.post("/v1/replay", json={**asked, "preview": True}).json()
    done = client.post("/v1/replay", json=asked).json()
    for one in (seen, done):
        assert [(one["text"], one["scope"]["tenant"]) for one in one["restored"]] == [("The user lives in Lagos", MINE)]
        assert one["skipped"] == []
    assert objects(ann) == ["Lagos"]
    assert objects(theirs) == ["Lisbon"]
    client.post("/v1/undo", json={"what": done["id"]})
    assert objects(ann) == ["Lisbon"]


def test_a_canary_is_compared_in_a_tenant_and_decided_by_the_installation(
    client: TestClient, keyed: Keyed, parts: Parts, memory: Memory, ann: MemoryScope
) -> None:
    new = next(VERSIONS)
    declare(parts, mishearing(Lisbon="Lagos"), version=new)
    theirs = memory.scope("ann", agent="a", tenant=THEIRS)
    for scope in (ann, theirs):
        learn(scope, "I live in Lisbon")
    assert (objects(ann), objects(theirs)) == (["Lagos"], ["Lagos"])

    (listed,) = client.get("/v1/canaries").json()["items"]
    assert (listed["pack"], listed["version"], listed["verdict"]) == ("everyday", new, None)
    seen = client.get("/v1/canaries/everyday").json()
    assert [(one["text"], one["scope"]["tenant"]) for one in seen["difference"]["restored"]] == [
        ("The user lives in Lisbon", MINE)
    ]
    for path in ("promote", "roll-back"):
        problem = refused(client.post(f"/v1/canaries/everyday/{path}", json={}), 403)
        assert "this covers all tenants" in str(problem)
    refused(client.get("/v1/canaries", headers=keyed(MINE, "recall", "review")), 403)
    refused(client.get("/v1/canaries/nothing"), 422)

    operator = keyed(parts.settings.tenant, "operate")
    asked = {"by": "Ann", "reason": "it mishears"}
    promoted = client.post("/v1/canaries/everyday/promote", json={**asked, "replay": True}, headers=operator).json()
    assert (promoted["verdict"], objects(ann)) == ("promoted", ["Lagos"])
    done = client.post("/v1/canaries/everyday/roll-back", json=asked, headers=operator).json()
    assert (done["verdict"], set(done["replays"]) >= {MINE, THEIRS}) == ("rolled back", True)
    assert (objects(ann), objects(theirs)) == (["Lisbon"], ["Lisbon"])


def test_an_earlier_canary_is_rolled_back_by_its_version(
    client: TestClient, keyed: Keyed, parts: Parts, ann: MemoryScope
) -> None:
    old, new = next(VERSIONS), next(VERSIONS)
    operator = keyed(parts.settings.tenant, "operate")
    declare(parts, mishearing(Lisbon="Lagos"), version=old)
    learn(ann, "I live in Lisbon")
    declare(parts, mishearing(chess="cheese"), version=new)
    assert objects(ann) == ["Lagos"]

    (undecided,) = client.get("/v1/canaries/everyday").json()["undecided"]
    assert (undecided["version"], client.get(f"/v1/canaries/everyday@{old}").json()["read"]) == (old, 1)
    done = client.post(f"/v1/canaries/everyday@{old}/roll-back", json={}, headers=operator).json()

    assert (done["canary"]["version"], objects(ann)) == (old, ["Lisbon"])
    assert client.get("/v1/canaries/everyday").json()["canary"]["version"] == new
    assert "was never a canary" in str(refused(client.get("/v1/canaries/everyday@7"), 422))


def test_an_undo_requires_the_right_verb_and_tenant(client: TestClient, keyed: Keyed, ann: MemoryScope) -> None:
    run = learn(ann, "I live in Lisbon").deltas()[0].run

    refused(client.post("/v1/undo", json={"what": run}, headers=keyed(MINE, "recall", "operate")), 403)
    refused(client.get("/v1/undos", headers=keyed(MINE, "recall")), 403)
    refused(client.post("/v1/undo", json={"what": run}, headers=keyed(THEIRS)), 404)
    problem = refused(client.post("/v1/undo", json={}), 422)
    assert "what: is missing" in str(problem)
    refused(client.post("/v1/undo", json={"what": run, "agent": "a"}), 422)
    replay = {"pack": "everyday", "user": "ann", "agent": "a"}
    refused(client.post("/v1/replay", json=replay, headers=keyed(MINE, "recall", "operate")), 403)


def test_a_user_is_forgotten_in_one_tenant_after_a_preview(client: TestClient) -> None:
    memory = client.app.state.memory  # type: ignore[attr-defined]
    for tenant in (MINE, THEIRS):
        learn(memory.scope("ann", agent="a", tenant=tenant), "I live in Lisbon")

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


def test_a_scope_forgets_matching_words(client: TestClient, ann: MemoryScope) -> None:
    ann.push_many(["I live in Lisbon", "I play chess"])

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
