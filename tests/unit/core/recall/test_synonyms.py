"""Words that say something of another."""

from slowwave.core.recall.synonyms import FLOOR, SAYS, words_of
from slowwave.inference.word_similarity import LOOKED_AT, shipped


def test_synonyms_of_a_word_have_weights_below_one_and_the_nearest_first() -> None:
    car, pets = shipped().near(["car", "pets"])

    assert (car.of, pets.of) == ("car", "pets")
    assert list(car.weights)[:4] == ["cars", "vehicle", "automobile", "vehicles"]
    assert {"animals", "dogs", "cats"} <= pets.weights.keys()
    assert all(SAYS * FLOOR <= weight < 1 for one in (car, pets) for weight in one.weights.values())


def test_a_word_has_a_limited_number_of_synonyms_and_an_unknown_word_has_none() -> None:
    (car,) = shipped().near(["car"])
    assert 0 < len(car.weights) <= LOOKED_AT
    assert shipped().near(["zzyzxq"]) == []


def test_words_of_returns_each_word_once_up_to_a_limit() -> None:
    assert words_of("Is the car, THE Car, at 5 rue d'Öst?") == ["the", "car", "rue"]
    assert len(words_of(" ".join("abcdefghij"[n % 10] * 3 + "klmnopqrst"[n // 10] * 3 for n in range(100)))) == 32


def test_a_text_covers_a_questions_words_by_its_nearest_words() -> None:
    said = shipped().says("What pet does Ann have?", ["Ann got a cat", "my own pet", "Ann moved", ""], ["ann"])

    assert said[1] == 1.0  # of one stem
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
