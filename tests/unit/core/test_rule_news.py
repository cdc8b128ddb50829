"""News found by rules, merged with a model's claims: each once, and before the new state."""

from dataclasses import replace

from slowwave.core.contradiction.reported_changes import changes, with_rule_news
from slowwave.domain.claim import Claim, StatedMode
from tests.unit.core.histories import claim


def said(words: str, *, mode: StatedMode = "assert", at: tuple[int, int] = (0, 10), position: int = 1) -> Claim:
    """Return a model's claim that cites the characters *at*."""
    one = claim(words, mode=mode, position=position)
    return replace(one, source=replace(one.source, start=at[0], end=at[1]))


def news(matter: str, *, at: tuple[int, int] = (0, 10), position: int = 1) -> Claim:
    """Return a rule's claim that ends a matter."""
    one = said(matter, mode="end", at=at, position=position)
    return replace(one, subject="*", predicate="*", effect="end", rule="words/over@1")


def told(claims: list[Claim]) -> list[tuple[int, int, str]]:
    return [(one.source.position, one.ordinal, one.object) for one in claims]


def test_rule_news_precedes_the_models_claims_of_the_turn_in_numbering() -> None:
    model = [said("Oslo"), said("Bergen", position=2), replace(said("Rome", position=2), ordinal=1)]

    found = with_rule_news(model, [news("the flat", position=2), news("the car", position=3)])

    assert told(found) == [(1, 0, "Oslo"), (2, 0, "the flat"), (2, 1, "Bergen"), (2, 2, "Rome"), (3, 0, "the car")]


def test_rule_news_with_the_words_of_a_models_ending_is_dropped() -> None:
    for mode in ("end", "correct"):
        assert told(with_rule_news([said("Oslo", mode=mode, at=(8, 20))], [news("the flat")])) == [(1, 0, "Oslo")]
    other_words = with_rule_news([said("Oslo", mode="end", at=(10, 20))], [news("the flat")])
    assert told(other_words) == [(1, 0, "the flat"), (1, 1, "Oslo")]


def test_a_correction_without_the_wrong_value_is_dropped_beside_a_models_claim() -> None:
    meant = replace(news("spelt"), mode="correct", effect="")

    assert told(with_rule_news([said("spelt bread")], [meant])) == [(1, 0, "spelt bread")]
    assert told(with_rule_news([said("spelt bread")], [replace(meant, wrong="rye")]))[0] == (1, 0, "spelt")


def test_changes_returns_endings_and_forgets_and_corrections() -> None:
    taken_back = replace(said("spelt", mode="correct"), predicate="*")
    claims = [said("Oslo"), said("Rome", mode="correct"), said("", mode="forget"), taken_back, news("the car")]

    assert changes(claims) == claims[2:]


LEFT = replace(said("to another team"), subject="Ruth", predicate="moved")
ENDED = replace(said("Ruth", mode="end"), subject="Kofi", predicate="colleague")
AFTER = replace(said("Dina", at=(20, 30)), subject="Kofi", predicate="colleague")


def test_a_departure_becomes_the_end_of_the_role_if_the_turn_names_a_successor() -> None:
    left = replace(LEFT, object="to another team than Kofi's")

    assert [one.object for one in with_rule_news([left, ENDED, AFTER], [])] == ["Ruth", "Dina"]
    assert [one.object for one in with_rule_news([left, AFTER], [replace(news("Ruth"), effect="leave")])] == [
        "Ruth", "Dina",
    ]  # fmt: skip


def test_a_departure_stays_without_a_successor_or_if_it_names_the_new_place() -> None:
    assert len(with_rule_news([LEFT, ENDED], [])) == 2
    assert len(with_rule_news([replace(LEFT, object="to Spain"), ENDED, AFTER], [])) == 3
    assert len(with_rule_news([LEFT, replace(ENDED, object="Tom"), AFTER], [])) == 3
