"""Aragora, retrieval: three strategies over the tiers, and a search in stages by HTTP and in the viewer."""

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from fastapi.testclient import TestClient

from slowwave import wiring
from slowwave.adapters.hybrid import get_hybrid_memory_search
from slowwave.api.app import create_app
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.counted_recall import write_accesses
from slowwave.rules.lifecycle import load_preset

LESS, MORE, NOTHING = "The cello stands in the hall.", "The cello stands in the hall of the house.", "The soup is cold."
QUESTION = "who stands in the hall of the house with a cello?"
Living = Callable[[str], MemoryScope]


@pytest.fixture
def living(connected: Callable[..., wiring.Parts], scope: Scope, tmp_path: Path) -> Living:
    """An agent who was told three things, with Aragora's tiers and this scoring."""
    for folder in ("packs", "policies/presets"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "policies" / "lifecycle.yaml").write_text("everybody: {tiers: aragora_hope, scoring: own}\n")

    def live(scoring: str) -> MemoryScope:
        (tmp_path / "policies" / "presets" / "own.yaml").write_text(f"scoring: {scoring}\n")
        mine = MemoryScope(connected(rules=tmp_path / "packs"), scope)
        for number, words in enumerate((LESS, MORE, NOTHING)):
            mine.push(words, key=f"k{number}", session=f"s{number}")
        return mine

    return live


def on_fast(mine: MemoryScope, superuser: psycopg.Connection, words: str) -> None:
    mine.recall(words, limit=3)
    write_accesses(mine._parts)
    (id_,) = [one.id for one in mine.recent() if one.content == words]
    assert superuser.execute("UPDATE standing SET tier = 'fast' WHERE memory = %s", (id_,)).rowcount == 1


@pytest.mark.requirement("S3.23")
def test_the_strategy_merges_tiers_or_weights_them_or_asks_the_fastest_first(
    living: Living, superuser: psycopg.Connection
) -> None:
    tiers = "{fast: 1.0, medium: 0.9, slow: 0.8, glacial: 0.7}"
    mine = living("{strategy: comprehensive}")
    on_fast(mine, superuser, LESS)
    merged = mine.recall(QUESTION)
    weighed = living(f"{{strategy: weighted, tiers: {tiers}}}").recall(QUESTION)
    fast = living(f"{{strategy: fast_first, tiers: {tiers}}}").recall(QUESTION)

    assert [one.text for one in merged][:2] == [MORE, LESS]
    assert "tier" not in merged[0].reasons
    assert {one.text: one.reasons["tier"] for one in weighed} == {
        LESS: 1.0, MORE: pytest.approx(0.8), NOTHING: pytest.approx(0.8)
    }  # fmt: skip
    assert {one.text for one in fast} == {LESS, MORE, NOTHING}, "what stands on slower tiers still answers"
    assert (load_preset("aragora_hope").policies.of("default").scoring.strategy) == "weighted"


@pytest.mark.requirement("S3.25")
def test_an_exact_term_and_a_meaning_are_found_by_one_search(living: Living) -> None:
    mine = living("{}")
    mine.push("Error QX-7741 came up once more.", key="term", session="s7")
    mine.push("My physician forbade penicillin.", key="meaning", session="s8")
    search = get_hybrid_memory_search(mine)

    exact = asyncio.run(search.search("QX-7741"))
    meant = asyncio.run(search.search("drugs that are dangerous for the patient", limit=2))

    assert exact[0].text == "Error QX-7741 came up once more."
    assert meant[0].text == "My physician forbade penicillin."
    assert len(meant) == 2
    assert [one.score for one in exact] == sorted((one.score for one in exact), reverse=True)
    assert all(one.score == one.reasons["ranks"] for one in exact)


TOLD = ["I live in Lisbon " + "and it is lovely " * 10, "My sister bakes bread", "We sail on Sundays"]
WHOSE = {"user": "nora", "agent": "rag"}


@pytest.mark.requirement("S3.26", "S3.27", "S3.28")
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


@pytest.mark.requirement("S3.29")
def test_the_address_of_the_viewer_leads_to_its_stages(parts: wiring.Parts) -> None:
    ann = Scope("default", "ann", "concierge")
    parts.push(ann, [Episode(content=said, session="s1") for said in ("I moved to Oslo", "I live in Lisbon")])
    memory = Memory(parts)
    memory.drain()
    site = TestClient(create_app(memory, keyless=True), base_url="http://127.0.0.1")

    index = site.get("/api/v1/memory/viewer", params={"user": "ann", "agent": "concierge", "q": "Where does she live?"})
    first = re.search(r'href="(/viewer/entry\?[^"]*)">I live in Lisbon', index.text)
    assert first
    entry = site.get(first[1].replace("&amp;", "&")).text

    assert "Stages of the search" in index.text
    assert re.search(r'class="this user"[^>]*>.*?I live in Lisbon', entry, re.S)
    assert "I moved to Oslo" in entry
