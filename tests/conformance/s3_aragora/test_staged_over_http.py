"""Search in stages over HTTP, under the paths that the source document gives it."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from slowwave import wiring
from slowwave.api.app import create_app
from slowwave.memory import Memory

TOLD = ["I live in Lisbon " + "and it is lovely " * 10, "My sister bakes bread", "We sail on Sundays"]
WHOSE = {"user": "nora", "agent": "rag"}


@pytest.mark.requirement("S3.26")
@pytest.mark.requirement("S3.27")
@pytest.mark.requirement("S3.28")
def test_a_question_is_answered_in_three_stages(parts: wiring.Parts) -> None:
    episodes = [{"content": text, "key": f"k{number}"} for number, text in enumerate(TOLD)]
    with TestClient(create_app(Memory(parts), keyless=True), base_url="http://127.0.0.1") as client:

        def stage(name: str, **query: Any) -> Any:
            return client.get(f"/api/v1/memory/{name}", params={**WHOSE, **query}).json()

        client.post("/v1/push/batch", json={**WHOSE, "episodes": episodes})
        index = stage("search-index", question="Where does Nora live?")
        first = index["items"][0]
        around = stage("search-timeline", anchor=first["id"], before=1, after=1)
        full = stage("entries", ids=[first["id"]])

    assert first["preview"] == TOLD[0][:80]
    assert first["tokens"] > len(TOLD[0]) / 8
    assert index["failed"] == {}
    assert [one["preview"] for one in around["items"]] == [TOLD[0][:80], TOLD[1]]
    assert [one["content"].strip() for one in full["items"]] == [TOLD[0].strip()]
