"""A model's claims about changes: one per matter, supported by the turn and the held beliefs."""

import uuid
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from slowwave.core.time_spans import Span
from tests.unit.core.histories import version
from tests.unit.model_packs.talks import MAY, chunk, claim, only, reading, reasons
from tests.unit.tables import table

ROWS = table(__file__)

PATEL = replace(
    version("Dr. Patel, the GP at the surgery", predicate="doctor", position=0), valid=Span(MAY - timedelta(days=30))
)
TOOLS = replace(
    PATEL, fact=uuid.UUID(int=8), key=("Kofi", "uses", "python"), subject="Kofi", predicate="uses", form="statement",
    object="Python 3.11 and Postgres 17", text="Kofi uses Python 3.11 and Postgres 17 at work",
)  # fmt: skip


def test_a_belief_that_has_ended_is_not_held() -> None:
    over = replace(PATEL, valid=Span(MAY - timedelta(days=30), MAY - timedelta(days=1)))

    assert "HELD 1 user|doctor" in chunk("Dr. Patel retired.", held=[PATEL]).words.messages[1]["content"]
    assert "HELD" not in chunk("Dr. Patel retired.", held=[over]).words.messages[1]["content"]


def test_a_predecessors_retirement_is_not_claimed_beside_the_successor() -> None:
    told = "My new GP is Dr. Hughes, Dr. Patel retired"
    retired = claim(1, "work_status", "retired", "Dr. Patel retired", "Dr. Patel")
    hughes = claim(1, "doctor", "Dr. Hughes, the new GP since Dr. Patel retired", "new GP is Dr. Hughes", r=1)

    said = reading(chunk(told, held=[PATEL]), hughes, retired)

    assert "retired" not in [one.object for one in said.claims]
    assert {(one.mode, one.object[:10]) for one in said.claims} >= {("end", "Dr. Patel,"), ("assert", "Dr. Hughes")}
    assert "retired" in [one.object for one in reading(chunk(told, held=[PATEL]), retired).claims]


def test_an_inferred_end_counts_if_the_turn_ends_its_premise() -> None:
    wrist = replace(
        PATEL, predicate="broke", form="statement", text="Kofi broke a wrist and has a cast", subject="Kofi"
    )
    types = replace(
        wrist,
        fact=uuid.UUID(int=9),
        predicate="dictates",
        object="everything",
        text="Kofi dictates everything with the broken wrist",
    )
    talk = chunk("the cast is off, finally", held=[wrist, types], speaker="Kofi")
    off = claim(1, "broke", "a wrist", "cast is off", "Kofi", m="end", r=1)
    again = claim(1, "dictates", "everything", "cast is off", "Kofi", m="end", r=2, c="inferred")

    rests, alone = reading(talk, off, again), reading(talk, again)

    assert [one.certainty for one in rests.claims] == ["explicit", "explicit"]
    assert [one.certainty for one in alone.claims] == ["inferred"]


@pytest.mark.parametrize(("told", "more", "ends"), ROWS["unsaid_words"])
def test_a_claim_with_unsaid_words_ends_the_replaced_fact_if_the_sentence_names_it(
    told: str, more: dict[str, Any], ends: bool
) -> None:
    left = claim(1, "left", "the practice of the neighbourhood", told, r=1) | more

    said = reading(chunk(told, held=[PATEL]), left)

    assert reasons(said) == ["the object was not said"]
    assert [(one.mode, one.object) for one in said.claims] == ([("end", PATEL.object)] if ends else [])


@pytest.mark.parametrize(
    ("told", "taken"),
    [("we're on Python 3.13 now", True), ("Python 3.13 is out now", False)]
)  # fmt: skip
def test_news_about_we_changes_a_belief_about_us_of_another_speaker(told: str, taken: bool) -> None:
    talk = chunk(told, held=[TOOLS], speaker="Wei")

    said = reading(talk, claim(1, "uses", "Python 3.13 and Postgres 17 at work", told, "Wei", r=1))

    assert [one.mode for one in said.claims] == (["end", "assert"] if taken else [])
    assert reasons(said) == ([] if taken else ["a name or number of the object was not said"])


@pytest.mark.parametrize(
    ("told", "made", "text"),
    [
        (
            "I'm not a vegetarian any more, I eat fish again",
            claim(1, "diet", "fish again", "not a vegetarian … eat fish again"), "The user's diet is fish again",
        ),
        (
            "can you give me short answers? no essays please",
            claim(1, "wants_answers", "short, no essays", "give me short … essays please"), None,
        ),
        (
            "I'm away from May 1st, Wei decides meanwhile",
            claim(1, "decides", "things while the user is away", "Wei decides meanwhile", "Wei"), None,
        ),
        (
            "they extended my internship till december",
            claim(1, "has", "an extended internship", "extended my internship", t="till december"),
            "The user has an extended internship until December 2023",
        ),
        (
            "release 2.0 slipped, it's due May 24th now",
            claim(1, "deadline", "release 2.0 slipped and is due", "release 2.0 slipped", t="May 24th"),
            "release 2.0 is due on 24 May 2023",
        ),
    ],
)  # fmt: skip
def test_a_claim_that_the_words_support_is_kept(told: str, made: dict[str, Any], text: str | None) -> None:
    one = only(reading(chunk(told, names=["Wei"]), made))

    assert text is None or one.text == text


@pytest.mark.parametrize(
    ("told", "made", "reason"),
    [
        ("I don't eat fish, only meat", claim(1, "diet", "fish", "don't eat fish, only meat"), "it was denied"),
        ("can you tell if I live in Rome?", claim(1, "lives_in", "Rome", "I live in Rome"), "it is a question"),
    ],
)
def test_a_claim_that_the_words_deny_or_ask_is_dropped(told: str, made: dict[str, Any], reason: str) -> None:
    assert reasons(reading(chunk(told), made)) == [reason]


def test_a_deadline_has_the_due_thing_as_subject_and_one_day() -> None:
    told = claim(1, "deadline", "release 2.0 of the project is due", "release 2.0 is due", t="May 10th")

    one = only(reading(chunk("release 2.0 is due May 10th"), told))

    assert (one.form, one.subject, one.object, one.single_valued) == (
        "typed", "release 2.0 of the project", "2023-05-10", True,
    )  # fmt: skip


def test_a_deadline_of_a_numbered_thing_keeps_its_number() -> None:
    told = claim(1, "deadline", "the next release after 2.0", "the next release is 2.1", s="release 2.1", t="May 30th")

    one = only(reading(chunk("the next release is 2.1, due May 30th. 2.0 is out"), told))

    assert one.text == "release 2.1 is due on 30 May 2023"


def test_a_move_on_a_date_gives_a_home_since_that_date() -> None:
    moved = claim(1, "lives_in", "Keynsham", "have moved into Keynsham", t="on the first of May")

    (one, _now) = reading(chunk("I have moved into Keynsham on the first of May"), moved).claims

    assert one.text == "The user lives in Keynsham since May 2023"
