"""Texts that are certainly in a language no pack reads, and odd texts that are not."""

import json
from pathlib import Path

import pytest
import yaml

from slowwave.rules.languages import Unread, language_of, read_by
from tests.unit.bare import run
from tests.unit.rules.rulepacks import packed, problems_of
from tests.unit.tables import over, table

CHECKOUT = Path(__file__).parents[3]
ENGLISH = frozenset({"en"})

ROWS = table(__file__)
FOREIGN = ROWS["foreign"]

SHORT_TURNS = [
    line
    for line in Path(__file__).with_name("short_turns.txt").read_text(encoding="utf-8").splitlines()
    if line[:2] in ("+ ", "- ")
]


@over([(code, text) for code in FOREIGN for text in FOREIGN[code]])
def test_a_whole_sentence_is_known_by_its_language(code: str, text: str) -> None:
    assert language_of(text, ENGLISH) == code


@over(SHORT_TURNS)
def test_a_short_turn_is_known_by_the_words_that_join_it_and_not_by_names_or_loanwords(line: str) -> None:
    expected, _, text = line.removeprefix("+ ").partition(" | ") if line.startswith("+") else ("", "", line[2:])

    assert (language_of(text, ENGLISH) or "") == expected


@over(ROWS["odd"])
def test_an_odd_text_has_no_certain_language(text: str) -> None:
    assert language_of(text, ENGLISH) is None


def test_english_sample_texts_and_cases_are_not_detected_as_foreign() -> None:
    lines = (CHECKOUT / "shared/slowwave/samples/days.jsonl").read_text().splitlines()
    told = [json.loads(line).get("content") or "" for line in lines]
    for cases in (CHECKOUT / "rules").glob("*/*/cases.yaml"):
        listed = [one for case in yaml.safe_load(cases.read_text()) for one in case["episodes"]]
        told += [one if isinstance(one, str) else one["text"] for one in listed]

    assert len(told) > 900
    foreign = {text: language for text in told if (language := language_of(text, ENGLISH))}
    assert foreign == {
        "Meine Schwester heißt Greta.": "de",
        "Ich wohne in Bergen und arbeite als Köchin.": "de",
        "Vivo junto ao rio e amo a chuva.": "pt",
        "Stiegen meiden, im dritten Stock, sehr gut. Am 20. liest sie bei mir und ich habe nicht genug Stühle.": "de",
    }  # texts in a certain language


def test_a_language_that_a_pack_reads_is_not_foreign() -> None:
    german, french = FOREIGN["de"][0], FOREIGN["fr"][0]
    both = frozenset({"de", "en"})
    assert (language_of(german, both), language_of(french, both)) == (None, "fr")
    assert language_of("My sister lives in a small house by the sea and likes it.", frozenset({"de"})) == "en"


class Pack:
    def __init__(self, *languages: str) -> None:
        self.languages = languages


def test_packs_read_their_joint_languages_and_a_pack_without_languages_reads_all() -> None:
    assert read_by([Pack("en"), Pack("de", "en")]) == frozenset({"de", "en"})
    assert read_by([Pack("en"), Pack()]) is None
    assert read_by([]) is None
    assert Unread(None).language(FOREIGN["de"][0]) is None


def test_a_pack_names_languages_by_their_codes(tmp_path: Path) -> None:
    assert packed(tmp_path, languages="en").languages == ("en",)
    assert problems_of(tmp_path, languages=["en", "German"]) == [
        "pack.yaml, languages.1: expected the code of a language, such as en, got 'German'"
    ]


@pytest.mark.accept
def test_english_loads_no_detector_and_a_missing_extra_detects_nothing() -> None:
    code = (
        "import sys\nfrom slowwave.rules.languages import available, language_of\n"
        "said = [available(), language_of({text!r}, frozenset({{'en'}})), bool(sys.modules.get('py3langid'))]\n"
        "print(said)"
    )
    english = "I moved to Lisbon with my sister and we love the light there."
    assert run(code.format(text=english)) == "[True, None, False]\n"
    assert run(code.format(text=FOREIGN["es"][0])) == "[True, 'es', True]\n"
    assert run(code.format(text=FOREIGN["es"][0]), absent=["py3langid"]) == "[False, None, False]\n"
