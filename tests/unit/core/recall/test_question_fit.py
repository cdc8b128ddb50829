"""Question fit: speaker, age, content, and near synonyms of words."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from slowwave.core.recall.candidate import Candidate, Ranked
from slowwave.core.recall.candidates import count_names
from slowwave.core.recall.explanation import parts
from slowwave.core.recall.scoring import Scoring, Weights
from slowwave.core.recall.synonyms import FLOOR, SAYS, words_of
from slowwave.inference.word_similarity import LOOKED_AT, shipped
from tests.unit.core.recall.test_ranking import columns, episode, fact, order, rank, reasons
from tests.unit.tables import table

ROWS = table(__file__)

PLAIN = Weights(replies=0.0, later=0.0, fits=0.0, assistant=0.0)


def first(ranked: Sequence[Ranked]) -> int:
    return order(ranked)[0]


@pytest.mark.parametrize(
    ("question", "stands_first"),
    [("How much is the flat?", 1001), ("Which flat did you suggest?", 1011), ("a good price", 1011)],
)
def test_an_assistants_turn_ranks_below_a_users_turn_unless_asked_for(question: str, stands_first: int) -> None:
    person = episode(1, similarity=0.5, role="user", ending="we found a flat")
    filler = episode(11, similarity=0.55, role="assistant", ending="That sounds like a good price.")

    assert first(rank([person, filler], question, limit=2)) == stands_first


def test_an_answer_is_read_with_the_assistants_question() -> None:
    asked = episode(
        1, similarity=0.8, keyword=0.5, role="assistant", ending="Do you use Kafka?", shares={0: 0.5}, asks=True
    )
    answer = episode(2, similarity=0.1, role="user", ending="for sixty gauges? no")
    told = replace(answer, role="assistant")

    assert reasons(rank([asked, answer], "Is Kafka used?", limit=2), answer)["similarity"] == pytest.approx(0.48)
    assert reasons(rank([asked, answer], "Is Kafka used?", limit=2), answer)["keyword"] == pytest.approx(0.3)
    assert reasons(rank([asked, told], "Is Kafka used?", limit=2), answer)["similarity"] == 0.1


@pytest.mark.parametrize(("question", "stands_first"), [("Does she still ski?", 1011), ("Where did she ski?", 1001)])
def test_a_question_about_the_present_prefers_the_later_memory(question: str, stands_first: int) -> None:
    told = [episode(1, similarity=0.55), episode(11, similarity=0.5)]
    at_once = [replace(one, occurred=told[0].occurred, age=told[0].age) for one in told]

    assert first(rank(told, question, limit=2)) == stands_first
    assert first(rank(at_once, question, limit=2)) == stands_first


def test_a_who_question_prefers_a_memory_with_a_name() -> None:
    nice = episode(1, similarity=0.52, ending="my boss is nice")
    named = episode(11, similarity=0.5, ending="my new boss is Mr. Okafor")

    assert first(rank([nice, named], "Who is the boss?", limit=2)) == 1011
    assert first(rank([nice, named], "Why is the boss nice?", limit=2)) == 1001


def test_a_fact_is_ranked_by_the_similarity_of_its_single_words() -> None:
    told = episode(1)
    sister, pet = fact(1, [told], similarity=0.6), fact(2, [told], similarity=0.5)
    ranked = rank([told, sister, pet], "What pet has she?", limit=3, worded={sister.id: 0.0, pet.id: 0.8})

    assert order(ranked).index(pet.id.int) < order(ranked).index(sister.id.int)
    assert reasons(ranked, pet)["worded"] == 0.8


def test_the_parts_of_a_score_add_up_to_it() -> None:
    told = [
        episode(1, similarity=0.9, keyword=0.9, role="assistant", ending="Ann lives in York."),
        episode(2, similarity=0.4, role="user", ending="off to Hull"),
    ]
    known = fact(1, told, similarity=0.7)
    ranked = rank([*told, known], "Where does she live now?", limit=3, worded={known.id: 0.4})

    for one in ranked:
        assert sum(part.adds for part in parts(one, Weights(), Scoring())) == pytest.approx(one.score)
    assert {"assistant", "later", "fits", "worded"} <= {name for one in ranked for name in one.reasons}


@pytest.mark.parametrize("question", ["Where will Ann live next year?", "Where does Ann live?"])
def test_the_parts_of_plans_and_former_states_add_up_to_the_score(question: str) -> None:
    plan = episode(1, similarity=0.5, role="user", ending="we're going to move to Rome")
    former = episode(11, similarity=0.55, role="user", ending="I used to live in Bath")

    for one in rank([plan, former], question, limit=2):
        assert sum(part.adds for part in parts(one, Weights(), Scoring())) == pytest.approx(one.score)


def test_weights_of_zero_change_no_score() -> None:
    told = [
        episode(1, similarity=0.9, role="assistant", ending="Shall I? 5"),
        episode(2, role="user", ending="in York, 5"),
    ]

    found = rank(told, "How much is it now?", limit=2, weights=PLAIN)
    assert not any({"assistant", "later", "fits"} & one.reasons.keys() for one in found)
    assert reasons(found, told[1])["similarity"] == 0.1


def counted(
    candidates: Sequence[Candidate], question: str, numbers: Mapping[str, int], share: float
) -> list[Candidate]:
    """Return *candidates* in which speakers' names have this *share* of a word's weight."""
    return list(count_names(columns(candidates), question, numbers, [], share))


def test_a_speakers_name_counts_by_its_weight() -> None:
    mara = episode(1, keyword=0.9, speaker="Mara", shares={0: 0.6, 1: 0.3})
    susan = replace(fact(1, [mara], keyword=0.4), speaker="Susan", shares={2: 0.4})
    numbers = {"mara": 0, "boss": 1, "susan": 2}

    without = counted([mara, susan], "Is Mara's boss Susan?", numbers, 0.0)
    half = counted([mara], "Is Mara's boss Susan?", numbers, 0.5)

    assert (without[0].shares, without[0].keyword) == ({1: 0.3}, 0.3)
    assert without[1] == susan  # no speaker has this name
    assert half[0].keyword == pytest.approx(0.6)
    assert counted([mara], "Mara", {"mara": 0}, 0.0) == [mara]
    assert counted([mara], "Who is Mara?", {"mara": 0}, 0.0)[0].keyword == pytest.approx(0.3)
    assert counted([mara], "Is Mara's boss Susan?", numbers, 1.0) == [mara]


@pytest.mark.parametrize(("question", "stands_first"), ROWS["plans"])
def test_a_question_about_plans_prefers_a_memory_that_tells_of_one(question: str, stands_first: int) -> None:
    plan = episode(1, similarity=0.5, role="user", ending="we're going to move to Rome")
    present = episode(11, similarity=0.55, role="user", ending="the flat in Rome is cold")

    assert first(rank([plan, present], question, limit=2)) == stands_first


def test_synonyms_of_a_word_have_weights_below_one_and_the_nearest_first() -> None:
    car, pets = shipped().near(["car", "pets"])

    assert (car.of, pets.of) == ("car", "pets")
    assert list(car.weights)[:4] == ["cars", "vehicle", "automobile", "vehicles"]
    assert {"animals", "dogs", "cats"} <= pets.weights.keys()
    assert all(SAYS * FLOOR <= weight < 1 for one in (car, pets) for weight in one.weights.values())


def test_a_word_has_a_limited_number_of_synonyms_and_an_unknown_word_has_no_synonyms() -> None:
    (car,) = shipped().near(["car"])
    assert 0 < len(car.weights) <= LOOKED_AT
    assert shipped().near(["zzyzxq"]) == []


def test_words_of_returns_each_word_once_up_to_a_limit() -> None:
    assert words_of("Is the car, THE Car, at 5 rue d'Öst?") == ["the", "car", "rue"]
    assert len(words_of(" ".join("abcdefghij"[n % 10] * 3 + "klmnopqrst"[n // 10] * 3 for n in range(100)))) == 32


def test_a_text_covers_a_questions_words_by_its_nearest_words() -> None:
    said = shipped().says("What pet does Ann have?", ["Ann got a cat", "my own pet", "Ann moved", ""], ["ann"])

    assert said[1] == 1.0  # with the same stem
    assert 0.5 < said[0] < 1.0
    assert said[2] < 0.2
    assert said[3] == 0.0


def test_names_and_numbers_have_no_synonyms() -> None:
    london, paris = shipped().says("Is it London?", ["off to London", "off to Paris"])
    assert (london, paris) == (1.0, 0.0)
    assert shipped().says("Is it 15?", ["version 17", "version 15"]) == [0.0, 1.0]


def test_a_question_without_content_words_is_covered_by_no_text() -> None:
    assert shipped().says("What is it?", ["a cat"]) == [0.0]
    assert shipped().says("What pet?", []) == []
