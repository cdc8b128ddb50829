"""Aragora, retrieval: three strategies over the tiers, and a search by meaning and words at once."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from slowwave import wiring
from slowwave.adapters.hybrid import get_hybrid_memory_search
from slowwave.domain.scope import Scope
from slowwave.memory import MemoryScope
from slowwave.memory.counted_recall import write_accesses
from slowwave.rules.lifecycle import load_preset
from slowwave.settings import Settings

LESS, MORE, NOTHING = "The cello stands in the hall.", "The cello stands in the hall of the house.", "The soup is cold."
QUESTION = "who stands in the hall of the house with a cello?"
Living = Callable[[str], MemoryScope]


@pytest.fixture
def living(settings: Settings, heavy_parts: dict[str, object], scope: Scope, tmp_path: Path) -> Iterator[Living]:
    """An agent who was told three things, with Aragora's ladder and this scoring."""
    opened: list[wiring.Parts] = []
    for folder in ("packs", "policies/presets"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "policies" / "lifecycle.yaml").write_text("everybody: {ladder: aragora_hope, scoring: own}\n")

    def live(scoring: str) -> MemoryScope:
        (tmp_path / "policies" / "presets" / "own.yaml").write_text(f"scoring: {scoring}\n")
        parts = wiring.connect(settings.model_copy(update={"rules": tmp_path / "packs"}))
        vars(parts).update(heavy_parts)
        wiring.register(parts)
        opened.append(parts)
        mine = MemoryScope(parts, scope)
        for number, words in enumerate((LESS, MORE, NOTHING)):
            mine.push(words, key=f"k{number}", session=f"s{number}")
        return mine

    yield live
    for parts in opened:
        parts.close()


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
