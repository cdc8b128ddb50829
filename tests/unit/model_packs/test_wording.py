"""The words of a model's claims: wording, negation and quotations."""

import pytest

from slowwave.rules.model_packs.transcript import located
from tests.unit.model_packs.talks import chunk, claim, only, reading, reasons
from tests.unit.tables import over, table

ROWS = table(__file__)


@over([
        ("I have kids who dance", claim(1, "has", "kids who dance", "kids who dance"), "The user has kids who dance"),
        ("I have dog", claim(1, "has", "dog", "have dog"), "The user has a dog"),
        ("I am proud of my cat", claim(1, "is", "proud of the cat", "proud of my cat"), "The user is proud of the cat"),
        ("I am retired", claim(1, "is", "retired", "am retired"), "The user is retired"),
        ("I am nurse", claim(1, "is", "nurse", "am nurse"), "The user is a nurse"),
        (
            "Keeping up with trends is my habit", claim(1, "habit", "keeping up with trends", "Keeping up with"),
            "The user is in the habit of keeping up with trends",
        ),
        (
            "I keep some daily me-time", claim(1, "habit", "daily me-time", "daily me-time"),
            "The user is in the habit of daily me-time",
        ),
        (
            "Blue is my favorite color", claim(1, "favorite_color", "blue, the calmest", "Blue is my favorite"),
            "The user's favorite color is blue, the calmest",
        ),
        ("I love baking", claim(1, "loves", "baking", "love baking"), "The user loves baking"),
        ("I visited Rome", claim(1, "visited", "Rome", "visited Rome"), "The user visited Rome"),
        ("Tea is a taste of mine", claim(1, "likes", "tea", "Tea is a taste"), "The user likes tea"),
        ("Ana is my alias", claim(1, "alias", "Ana", "Ana is my alias"), "The user is also called Ana"),
        ("Rex is my grey dog", claim(1, "pet", "Rex, a grey dog", "Rex is my"), "The user has a grey dog called Rex"),
        (
            "Jon is my friend, he dances", claim(1, "friend", "Jon, who dances", "Jon is my friend"),
            "Jon is the user's friend, who dances",
        ),
    ])  # fmt: skip
def test_a_registered_predicate_reads_well_with_a_thing_and_with_a_clause(
    told: str, made: dict[str, object], text: str
) -> None:
    assert only(reading(chunk(told), made)).text == text


@over(ROWS["a_time_is_no_more_precise_than_stated"])
def test_a_time_is_no_more_precise_than_stated(when: str, tells: str) -> None:
    one = only(reading(chunk(f"I rode horses {when}"), claim(1, "rode", "horses", "rode horses", t=when)))

    assert one.text == f"The user rode horses {tells}".strip()


def test_a_time_in_the_object_is_not_repeated() -> None:
    talk = chunk("I rode horses as a kid when I was a kid")

    one = only(reading(talk, claim(1, "rode", "horses as a kid", "rode horses", t="when I was a kid")))

    assert one.text == "The user rode horses as a kid"


def test_an_earlier_turn_is_cited_only_for_missing_words() -> None:
    talk = chunk("A: How was the pottery course?", "I loved it, it calmed me down")

    said = reading(
        talk,
        claim(2, "loved", "the course, calmed down", "I loved it"),
        claim(2, "found", "calm, loved relaxation", "it calmed me down"),
    )

    assert [[one.position for one in claim.more_sources] for claim in said.claims] == [[1], []]


def test_each_word_of_an_object_comes_from_a_cited_turn() -> None:
    talk = chunk(
        "I met Åse at the harbour. It rained.", *["A: And then?", "We talked"] * 4, "She taught me to sail there"
    )

    one = only(reading(talk, claim(10, "learned", "to sail from Åse", "taught me to sail")))

    assert [(each.position, each.start, each.end) for each in one.more_sources] == [(1, 0, 25)]


def test_a_pronoun_may_be_replaced_by_a_name_of_the_session_but_not_by_a_number() -> None:
    talk = chunk("I met Gina, she is 40", *["A: And then?", "We talked"] * 5, "Can you believe it, she opens a shop")

    said = reading(
        talk,
        claim(12, "knows", "Gina, who opens a shop", "she opens a shop"),
        claim(12, "knows", "somebody who opens 40 shops", "she opens a shop"),
    )

    assert [one.object for one in said.claims] == ["Gina, who opens a shop"]
    assert reasons(said) == ["a name or number of the object was not said"]


@pytest.mark.parametrize(("told", "tells"), ROWS["other_languages"])
def test_a_time_of_another_language_is_dated_too(told: str, tells: str) -> None:
    one = only(reading(chunk(f"Ich war {told} in Rom"), claim(1, "war", "in Rom", "in Rom", t=told)))

    assert one.text == f"The user war in Rom {tells}"


def test_the_name_of_a_relation_is_separate_from_the_details_about_it() -> None:
    talk = chunk("Jon is a friend who moved here in 2022")

    said = reading(talk, claim(1, "friend", "Jon who moved here", "Jon is a friend", t="in 2022"))

    assert {(one.object, one.text) for one in said.claims} == {
        ("Jon", "Jon is the user's friend who moved here in 2022")
    }


@pytest.mark.parametrize("phrase", ["now", "right now", "nowadays", "these days"])
def test_a_phrase_about_now_gets_no_date(phrase: str) -> None:
    one = only(reading(chunk(f"I feel safer {phrase}."), claim(1, "feels", f"safer {phrase}", "feel safer", t=phrase)))

    assert one.text == "The user feels safer"


@pytest.mark.parametrize("phrase", ["at the moment", "for now", "for the time being"])
def test_a_phrase_about_a_passing_state_stays_in_the_text(phrase: str) -> None:
    one = only(reading(chunk(f"I feel safer {phrase}."), claim(1, "feels", "safer", "feel safer", t=phrase)))

    assert one.text == f"The user feels safer {phrase}"


@pytest.mark.parametrize(
    ("object_", "text"),
    [
        ("meat though the user is vegetarian", "Jonas eats meat though Mara is vegetarian"),
        ("meat at the user's birthday", "Jonas eats meat at Mara's birthday"),
        ("meat and draws the user interface", "Jonas eats meat and draws the user interface"),
    ],
)
def test_an_object_names_the_user_by_name(object_: str, text: str) -> None:
    told = "I am vegetarian, Jonas eats meat though, and at my birthday he draws the user interface"
    asked = chunk(told, speaker="Mara")

    assert only(reading(asked, claim(1, "eats", object_, "Jonas eats meat", s="Jonas"))).text == text


@pytest.mark.parametrize(
    ("told", "made"),
    [
        ("I can't wait for the opening", claim(1, "plans", "to attend the opening", "can't wait for the opening")),
        ("It taught me to never give up", claim(1, "decided", "to never give up", "to never give up")),
        ("I own a hoodie that isn't for sale", claim(1, "owns", "a hoodie that isn't for sale", "isn't for sale")),
    ],
)
def test_a_claim_that_denies_the_denied_thing_is_kept(told: str, made: dict[str, object]) -> None:
    assert only(reading(chunk(told.replace("opening", "opening I plan to attend")), made)).form == "typed"


def test_a_claim_that_denies_less_than_its_quotation_is_dropped() -> None:
    said = reading(chunk("I don't like tea without milk"), claim(1, "likes", "tea without milk", "don't like tea"))

    assert reasons(said) == ["it was denied"]


def test_a_denial_answers_a_question_and_confirms_nothing_else() -> None:
    talk = chunk("A: Have you ever been to a poetry slam?", "Nope, never.")

    said = reading(
        talk,
        claim(2, "has never been", "to a poetry slam", "Nope, never", b=1),
        claim(2, "has been", "to a poetry slam", "Nope, never", b=1),
    )

    assert [one.text for one in said.claims] == ["The user has never been to a poetry slam"]
    assert reasons(said) == ["only the assistant said it"]


@pytest.mark.parametrize(("quote", "text", "found"), ROWS["a_quotation_is_found_whatever_its_typography"])
def test_a_quotation_is_found_whatever_its_typography(quote: str, text: str, found: str) -> None:
    span = located(quote, text)

    assert span is not None
    assert text[slice(*span)] == found


@pytest.mark.parametrize(("quote", "text"), ROWS["a_changed_quotation_is_not_located"])
def test_a_changed_quotation_is_not_located(quote: str, text: str) -> None:
    assert located(quote, text) is None
