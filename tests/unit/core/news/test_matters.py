"""Words of matters, and the effects of news, with the shipped predicates."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from slowwave.core.beliefs.versions import UNSURE
from slowwave.core.contradiction.matters import Matters
from slowwave.core.contradiction.reported_changes import head, is_news
from slowwave.core.contradiction.words import stem, words_of
from slowwave.core.fold import Fold
from slowwave.core.predicates import Predicates
from slowwave.core.time_spans import END
from slowwave.domain.claim import Claim, Effect, Tense
from slowwave.rules.predicates import load_predicates, merged
from tests.unit.core.histories import DAY, NOON, claim, held
from tests.unit.core.news.happenings import news, stated
from tests.unit.tables import over, table

ROWS = table(__file__)

SHIPPED = merged(load_predicates())
MATTERS = Matters(SHIPPED)


def typed(predicate: str, object_: str, *, day: int = 0, position: int = 1) -> Claim:
    """Return a belief about the user with a predicate."""
    known = SHIPPED.of(predicate)
    one = known.single_valued
    return claim(object_, predicate=known.name, single_valued=one, day=day, position=position)


def said(text: str, verb: str = "have", tense: Tense = "current") -> Claim:
    """Return a statement about the user."""
    return stated(text, verb=verb, tense=tense)


@over(ROWS["the_forms_of_a_word_share_a_stem"])
def test_the_forms_of_a_word_share_a_stem(forms: Sequence[str]) -> None:
    assert len({stem(form) for form in forms}) == 1


@pytest.mark.parametrize(
    ("one", "other"), [("course", "coach"), ("bed", "bee"), ("red", "ring"), ("3.12", "3.13"), ("king", "kind")]
)
def test_different_words_have_different_stems(one: str, other: str) -> None:
    assert stem(one) != stem(other)


@pytest.mark.parametrize(("text", "words"), ROWS["words_of_returns_the_stems_of_the_content_words"])
def test_words_of_returns_the_stems_of_the_content_words(text: str, words: Sequence[str]) -> None:
    assert list(words_of(text)) == words


def test_news_without_a_specific_name_ends_nothing() -> None:
    fold = Fold(predicates=SHIPPED)
    fold.decide(typed("likes", "tea"))
    nameless = news("the old one")

    (decision,) = fold.decide(nameless)

    assert (is_news(nameless), decision.kind, decision.reason) == (False, "noop", "it names nothing specific")
    assert [version.valid.end for version in held(fold)] == [END]


def belief_of(row: dict[str, str]) -> Claim:
    """Return the belief of a row: a predicate and its object, or what was `said`, and how."""
    fields = dict(row)
    if "said" not in fields:
        return typed(*next(iter(fields.items())))
    subject = fields.pop("subject", "user")
    return replace(stated(fields.pop("said"), **{"verb": "have", **fields}), subject=subject)  # type: ignore[arg-type]


@over(ROWS["news_changes_only_beliefs_of_its_subject_and_kind"])
def test_news_changes_only_beliefs_of_its_subject_and_kind(
    effect: Effect, matter: str, belief: dict[str, str], changes: bool
) -> None:
    told, about = news(matter, effect), belief_of(belief)

    assert MATTERS.changes(told, about) is changes
    if changes:
        assert MATTERS.named([head(told)]) & MATTERS.words(about)
        needed = MATTERS.needed(told)
        assert not needed or needed & MATTERS.all_words(about)


@pytest.mark.parametrize(
    ("effect", "matter", "text", "verb"),
    [
        ("replace", "phone", "The user has an iPhone", "have"),
        ("end", "Rome trip", "The user is going to Rome in May 2026", "be"),
        ("move", "report deadline", "The user's report is due on 3 May 2026", "be"),
        ("replace", "amount", "The user's rent is 900", "be"),
    ],
    ids=["kind", "trip", "due-date", "amount"],
)
def test_news_finds_a_belief_by_a_word_that_it_does_not_have(effect: Effect, matter: str, text: str, verb: str) -> None:
    told, about = news(matter, effect), said(text, verb)

    assert MATTERS.changes(told, about)
    assert MATTERS.needed(told) & MATTERS.all_words(about)


@pytest.mark.parametrize(
    ("subject", "about", "text", "changes"), ROWS["news_changes_only_beliefs_about_the_same_people"]
)
def test_news_changes_only_beliefs_about_the_same_people(subject: str, about: str, text: str, changes: bool) -> None:
    belief = replace(said(text), subject=about)

    assert MATTERS.changes(news("Honda", subject=subject), belief) is changes


def told(*beliefs: Claim) -> Fold:
    """Return a fold with *beliefs*, each told by its own episode."""
    fold = Fold(predicates=SHIPPED)
    for position, belief in enumerate(beliefs, 1):
        fold.decide(replace(belief, source=claim(position=position).source))
    return fold


def open_(fold: Fold) -> set[str]:
    """Return the beliefs without an end."""
    return {version.text or version.object for version in held(fold) if version.valid.end == END}


def test_news_ends_the_typed_fact_and_the_statement_of_one_thing() -> None:
    fold = told(typed("drives", "Honda"), said("The user parks the Honda at home", "park"), said("The user has a cat"))

    made = fold.decide(news("Honda"))

    assert [decision.kind for decision in made] == ["delete", "delete"]
    assert {decision.reason for decision in made} == {"no longer true"}
    assert open_(fold) == {"The user has a cat"}
    assert {version.ended_by for version in held(fold) if version.valid.end != END} == {one.id for one in made}


def test_news_that_could_mean_two_cars_becomes_a_review_of_both() -> None:
    fold = told(typed("drives", "Honda"), typed("drives", "Toyota"))
    facts = {version.fact for version in held(fold)}

    (review,) = fold.decide(news("car"))

    assert (review.kind, set(review.among)) == ("review", facts)
    assert review.reason == "news that could mean any of 2 beliefs"
    assert (len(open_(fold)), fold.news) == (2, [])


def test_a_person_is_asked_once_about_the_words_of_one_sentence() -> None:
    fold = told(typed("drives", "Honda"), typed("drives", "Toyota"))

    kinds = [
        one.kind
        for number, owner in enumerate(("user", "*"))
        for one in fold.decide(replace(news("car", subject=owner), ordinal=number))
    ]

    assert kinds == ["review", "noop"]


def test_things_at_two_places_are_distinct_in_any_statement() -> None:
    fold = told(
        said("The user rents a garage in Bow Street", "rent"), said("The user's boat is in a garage at Hull", "be")
    )

    (asked,) = fold.decide(news("garage"))
    (end,) = fold.decide(news("garage at Hull", day=6, position=10))

    assert (asked.kind, len(asked.among)) == ("review", 2)
    assert (end.kind, end.closes[0].text) == ("delete", "The user's boat is in a garage at Hull")


def test_news_about_a_thing_that_two_people_own_becomes_a_review() -> None:
    mine, hers = said("The user has a cat"), replace(said("Ines has a cat"), subject="Ines", ordinal=1)
    fold = told(mine, hers)

    (decision,) = fold.decide(news("cat", subject="*"))

    assert (decision.kind, len(decision.among)) == ("review", 2)
    assert open_(fold) == {"The user has a cat", "Ines has a cat"}


def test_news_ends_only_the_fact_with_the_named_object() -> None:
    fold = told(typed("drives", "Honda"), typed("drives", "Toyota"))

    fold.decide(news("Honda"))

    assert open_(fold) == {"The user drives a Toyota"}


def test_a_claim_from_the_same_episode_as_the_news_stays_open() -> None:
    fold = told(typed("boss", "Ana"))
    fold.decide(news("boss", "replace", position=9))

    fold.decide(typed("boss", "Bo", day=5, position=9))

    assert open_(fold) == {"Bo is the user's boss"}


def test_news_about_the_past_ends_a_belief_until_it_is_stated_again() -> None:
    fold = told(typed("drives", "Honda"))
    fold.decide(typed("drives", "Honda", day=8, position=3))

    fold.decide(news("Honda", day=5))

    assert {(v.valid.start, v.valid.end) for v in held(fold)} == {
        (NOON, NOON + 5 * DAY), (NOON + 8 * DAY, END),
    }  # fmt: skip


def test_a_later_claim_about_the_time_before_the_news_ends_at_the_news() -> None:
    fold = told()
    fold.decide(news("Honda", day=5, position=1))

    fold.decide(replace(said("The user has a red Honda"), source=claim(position=2).source))

    assert [version.valid.end for version in held(fold)] == [NOON + 5 * DAY]


@pytest.mark.parametrize(("sure", "left"), [(0.95, set()), (0.5, {"The user works at Acme"})])
def test_news_of_low_confidence_ends_no_fact(sure: float, left: set[str]) -> None:
    fold = told(typed("works_at", "Acme"))

    (decision,) = fold.decide(replace(news("Acme"), confidence=sure))

    assert open_(fold) == left
    assert decision.reason == ("no longer true" if not left else UNSURE)
    assert len(fold.news) == (not left)


def test_a_guess_ends_a_guess() -> None:
    fold = told(replace(typed("works_at", "Acme"), confidence=0.5))

    fold.decide(replace(news("Acme"), confidence=0.5))

    assert open_(fold) == set()


def test_a_word_of_change_ends_the_one_belief_that_shares_the_rarest_words() -> None:
    fold = told(
        said("The user's standup is at 9:30", "be"), said("The user's team eats on Fridays", "eat"),
        said("The user's team has a standup board"),
    )  # fmt: skip

    (end,) = fold.decide(news("our team eats on Thursdays from now on", "change", subject="*"))

    assert (end.kind, end.reason, end.closes[0].text) == ("delete", "it has changed", "The user's team eats on Fridays")


@pytest.mark.parametrize("beliefs", [
    [said("The user has a red kite"), said("The user flies a kite", "fly")],
    [said("The user has a dog")],
    [said("The user lives by the sea", "live")],
])  # fmt: skip
def test_news_without_a_single_nearest_belief_ends_no_fact(beliefs: Sequence[Claim]) -> None:
    fold = told(*beliefs)

    assert fold.decide(news("no more kite these days", "change")) == []
    assert len(open_(fold)) == len(beliefs)


def test_each_name_of_a_role_means_the_same_role() -> None:
    roles = Predicates(SHIPPED.registered).roles

    assert {"boss", "manager", "supervisor"} <= roles["manager"]
    assert {"doctor", "gp", "physician"} <= roles["gp"]
    assert roles["boss"].isdisjoint(roles["doctor"])


@pytest.mark.parametrize(
    ("matter", "fulfilled"), [("shipped 2.0", True), ("shipped 2.1", False), ("shipped the release", True)]
)
def test_news_about_its_subject_fulfils_a_deadline(matter: str, fulfilled: bool) -> None:
    due = replace(typed("deadline", "24 April"), subject="release 2.0")

    assert MATTERS.changes(replace(news(matter, "fulfil"), subject="*"), due) is fulfilled
