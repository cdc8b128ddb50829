"""The weight of a memory's kind, tier and strength in its score, as the policy sets it; by default none."""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest

from slowwave.core.recall.adjustments import ENOUGH
from slowwave.domain.recollection import Recollection
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.counted_recall import write_accesses
from slowwave.memory.verb_group import parts_of
from slowwave.settings import Settings
from slowwave.testing import stop_clock
from tests.conftest import NOON
from tests.integration.steps import learn, process

LESS, MORE, NOTHING = "The cello stands in the hall.", "The cello stands in the hall of the house.", "The soup is cold."
QUESTION = "who stands in the hall of the house with a cello?"

Living = Callable[..., AbstractContextManager[MemoryScope]]


@pytest.fixture
def living(settings: Settings, heavy_parts: dict[str, object], tmp_path: Path, owner_url: str) -> Living:
    """Gives a memory with three texts of noon, under a scoring policy in these words."""
    (packs := tmp_path / "packs").mkdir()
    policies = tmp_path / "policies"
    (policies / "presets").mkdir(parents=True)
    (policies / "lifecycle.yaml").write_text("everybody: own\n")

    @contextmanager
    def live(scoring: str, **axes: object) -> Iterator[MemoryScope]:
        own = "".join(f"{axis}: {json.dumps(said)}\n" for axis, said in axes.items())
        (policies / "presets" / "own.yaml").write_text(f"scoring: {scoring}\n{own}")
        with process(settings, heavy_parts, rules=packs) as parts:
            stop_clock(owner_url, NOON)
            scope = Memory(parts).scope("alice", agent="concierge")
            for number, words in enumerate((LESS, MORE, NOTHING)):
                scope.push(words, key=f"k{number}", session=f"s{number}", occurred_at=NOON)
            yield scope

    return live


def moved(alice: MemoryScope, superuser: psycopg.Connection, words: str, tier: str) -> None:
    """Put the memory with the text *words* on a tier."""
    alice.recall(words, limit=1)
    write_accesses(parts_of(alice))
    (id_,) = [one.id for one in alice.recent() if one.content == words]
    assert superuser.execute("UPDATE standing SET tier = %s WHERE memory = %s", (tier, id_)).rowcount == 1


def texts(found: list[Recollection]) -> list[str]:
    return [one.text for one in found]


def reason(found: list[Recollection], words: str, name: str) -> float | None:
    return next(one.reasons.get(name) for one in found if one.text == words)


def test_kind_and_tier_and_age_do_not_count_by_default(
    living: Living, superuser: psycopg.Connection, owner_url: str
) -> None:
    with living("{}") as alice:
        moved(alice, superuser, LESS, "hot")
        stop_clock(owner_url, NOON + timedelta(days=400))
        found = alice.recall(QUESTION)

    assert texts(found)[:2] == [MORE, LESS]
    assert not {"kind", "tier", "strength", "salience"} & {name for one in found for name in one.reasons}


def test_the_weight_of_a_kind_is_divided_by_the_largest_weight(living: Living) -> None:
    with living("{kinds: {episodic: 0.1, semantic: 0.4}}") as alice:
        learn(alice, "I live in Oslo.", session="s9", occurred_at=NOON)
        found = alice.recall("Where do I live? In Oslo?")

    fact, episode = next(one for one in found if one.kind == "fact"), next(one for one in found if one.kind != "fact")
    assert found[0] == fact
    assert (fact.reasons["kind"], episode.reasons["kind"]) == (1.0, 0.25)


def test_a_tier_affects_the_score_only_of_a_strategy_with_tiers(living: Living, superuser: psycopg.Connection) -> None:
    with living("{strategy: weighted, tiers: {hot: 1, warm: 0.8, cold: 0.5}}") as alice:
        before = alice.recall(QUESTION)
        moved(alice, superuser, LESS, "hot")
        found = alice.recall(QUESTION)

    assert texts(before)[:2] == [MORE, LESS]
    assert texts(found)[:2] == [LESS, MORE]
    assert (reason(found, LESS, "tier"), reason(found, MORE, "tier")) == (1.0, 0.5)


def test_fast_first_ranks_a_good_match_of_a_hotter_tier_first(living: Living, superuser: psycopg.Connection) -> None:
    with living("{strategy: fast_first, tiers: {hot: 1, cold: 1}}") as alice:
        before = alice.recall(QUESTION)
        moved(alice, superuser, LESS, "hot")
        moved(alice, superuser, NOTHING, "hot")
        found = alice.recall(QUESTION)

    matches = {one.text: one.match or 0.0 for one in found}
    assert texts(before)[:2] == [MORE, LESS]
    assert matches[MORE] > matches[LESS] >= ENOUGH > matches[NOTHING]
    assert texts(found) == [LESS, MORE, NOTHING]


def test_a_faded_memory_loses_score_and_a_used_memory_keeps_it(living: Living, owner_url: str) -> None:
    decay = [{"anchor": "last_access", "half_life": "P10D"}]
    with living("{strength: 0.6}", decay=decay) as alice:
        before = [entry.preview for entry in alice.search_index(QUESTION)]
        stop_clock(owner_url, NOON + timedelta(days=20))
        alice.recall(LESS, limit=1)
        write_accesses(parts_of(alice))
        found = alice.recall(QUESTION, explain=True)

    assert before[:2] == [MORE, LESS]
    assert texts(found)[:2] == [LESS, MORE]
    assert reason(found, LESS, "strength") == 1.0
    assert reason(found, MORE, "strength") == pytest.approx(0.25, abs=1e-3)
    how = found.explained
    assert how is not None
    made = [sum(part.adds for part in how.parts[one.id]) for one in found]
    assert made == pytest.approx([one.match for one in found])
