"""AgentX: the policy of a predicate decides between two claims; a guess is believed for a limited time."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.domain.job_table import DECAY
from slowwave.domain.scope import Scope
from slowwave.memory import MemoryScope
from slowwave.settings import Settings
from tests.contract.harness import Harness
from tests.contract.memory_state.harness import changed, chosen, later, now, run

SHIPPED = Path(__file__).parents[3] / "rules"

Told = Callable[..., MemoryScope]


@pytest.fixture
def told(settings: Settings, scope: Scope, tmp_path: Path) -> Iterator[Told]:
    """Give a function that tells these texts to an installation with a policy, one run each, and returns the scope."""

    opened: list[wiring.Parts] = []

    def tell(*words: str, policy: str | None = None) -> MemoryScope:
        rules = tmp_path / "rules"
        shutil.copytree(SHIPPED, rules)
        if policy is not None:
            shared = rules / "policies" / "predicates.yaml"
            line = f"lives_in: {{aliases: [resides_in, home], single_valued: true, policy: {policy}}}\n"
            shared.write_text(line)
        parts = wiring.connect(settings.model_copy(update={"rules": rules / "packs"}))
        opened.append(parts)
        wiring.register(parts)
        known = MemoryScope(parts, scope)
        for number, said in enumerate(words):
            known.push(said, key=f"e{number}", session="s1")
            known.consolidate()
        return known

    yield tell
    for parts in opened:
        parts.close()


def believed(known: MemoryScope) -> list[str]:
    """Return the current facts as sentences."""
    return sorted(f"{fact.predicate} {fact.object}" for fact in known.facts())


@pytest.mark.requirement("S2.26")
@pytest.mark.parametrize(
    ("policy", "home"),
    [("prefer_new", "Oslo"), ("prefer_old", "Lisbon"), ("prefer_surer", "Oslo"), ("flag_review", "Lisbon")],
)
def test_the_policy_chooses_one_of_two_homes(told: Told, policy: str, home: str) -> None:
    known = told("I live in Lisbon", "I live in Oslo", policy=policy)

    assert believed(known) == [f"lives_in {home}"]


@pytest.mark.requirement("S2.26")
@pytest.mark.parametrize("policy", ["prefer_surer", None])
def test_a_guess_does_not_replace_a_stated_fact(told: Told, policy: str | None) -> None:
    known = told("I live in Oslo", "I think I live in Lisbon", policy=policy)

    assert believed(known) == ["lives_in Oslo"]
    assert [delta.delta.reason for delta in known.deltas()][-1] == "less certain than the current fact"


@pytest.mark.requirement("S2.26")
def test_two_opposites_are_not_believed_at_once(told: Told) -> None:
    known = told("I love sushi", "I hate sushi")

    assert believed(known) == ["dislikes sushi"]
    assert [delta.delta.kind for delta in known.deltas()] == ["add", "update"]


@pytest.mark.requirement("S2.26")
def test_a_used_to_statement_ends_the_present_fact(told: Told) -> None:
    assert believed(told("I work at Google", "I used to work at Google")) == ["worked_at Google"]


@pytest.mark.requirement("S2.26")
def test_two_compatible_facts_are_both_believed(told: Told) -> None:
    assert believed(told("I love red tulips", "I love yellow tulips")) == ["likes red tulips", "likes yellow tulips"]


@pytest.mark.requirement("S2.27")
@pytest.mark.parametrize(
    ("said", "correction", "believes"),
    [
        ("I live in Oslo", "Actually, I live in Bergen", "lives_in Bergen"),
        ("I live in Oslo", "No, I meant Bergen", "lives_in Bergen"),
        ("I live in Oslo", "Actually, no, it's Bergen", "lives_in Bergen"),
        ("My favourite colour is green", "Actually blue.", "favourite_colour blue"),
        ("I love sushi", "Actually I don't like sushi", "dislikes sushi"),
    ],
)
def test_a_correction_replaces_the_named_fact(told: Told, said: str, correction: str, believes: str) -> None:
    known = told(said, correction)

    assert believed(known) == [believes]
    wrong, mended = known.deltas()
    assert mended.delta.kind == "update"
    assert mended.delta.replaces == [str(wrong.fact)]


@pytest.mark.requirement("S2.34", "S0.4")
def test_a_guess_shows_its_falling_strength_and_leaves_recall_below_the_floor(harness: Harness, scope: Scope) -> None:
    chosen(harness, "agentx")
    mine = MemoryScope(harness.parts, scope)
    harness.told(scope, 1)
    harness.drain()
    (fact,) = mine.facts()
    changed(harness, fact.id, source="inferred", base=0.7, decay_due=now(harness))
    run(harness, DECAY)

    shown = []
    for _ in range(3):
        shown.append(mine.standing(fact.id).strength)
        (entry,) = mine.search_index("food", kinds=["fact"])
        assert entry.strength == pytest.approx(shown[-1], rel=1e-4)
        (told,) = mine.profile().entries
        assert told.reasons["strength"] == pytest.approx(shown[-1], rel=1e-4)
        later(harness, days=20)
    assert shown == pytest.approx([0.7, 0.7 * 2 ** (-20 / 27.027), 0.7 * 2 ** (-40 / 27.027)], rel=1e-3)

    later(harness, days=30)
    run(harness, DECAY)
    assert mine.recall("food", kinds=["fact"]) == []
    assert mine.why(fact.id).steps[-1].reason == "it faded below `forget_below`"


@pytest.mark.requirement("S2.66")
def test_an_entity_keeps_95_of_100_a_day_and_shows_it(harness: Harness, scope: Scope) -> None:
    chosen(harness, "agentx")
    mine = MemoryScope(harness.parts, scope)
    harness.told(scope, 1)
    harness.drain()
    entity = harness.value("SELECT entity FROM entities WHERE name = 'user' AND scope = %s", scope.id)
    worth = mine.standing(entity).base

    for days in (2, 14):
        later(harness, days=days - (2 if days > 2 else 0))
        assert mine.standing(entity).strength == pytest.approx(worth * 0.95**days, rel=1e-3)
