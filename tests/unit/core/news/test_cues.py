"""The words that may report a change: `cues.txt` has a sentence for each, and sentences that only look like it."""

import re
from pathlib import Path

import pytest

from slowwave.core.contradiction import cues

CASES = [
    tuple(line.split(" | "))
    for line in Path(__file__).with_name("cues.txt").read_text(encoding="utf-8").splitlines()
    if " | " in line and not line.startswith("#")
]
LISTS = {name: getattr(cues, name) for name in ("REPORTS", "MAY_REPORT", "MAY_BE_NEWS", "PARTS", "AMOUNTS")}


def words_in(pattern: re.Pattern[str]) -> list[str]:
    """Return the alternatives of a list: its words, which `|` separates outside of brackets."""
    found, depth = [""], 0
    for part in re.findall(r"\\.|\[[^]]*\]|.", pattern.pattern.removeprefix(r"\b(?:").removesuffix(r")\b")):
        depth += {"(": 1, ")": -1}.get(part, 0)
        if part == "|" and not depth:
            found.append("")
        else:
            found[-1] += part
    return found


@pytest.mark.parametrize(("name", "sentence"), [case for case in CASES if not case[0].startswith("- ")])
def test_each_word_of_change_is_found_in_its_sentence(name: str, sentence: str) -> None:
    cue = sentence[sentence.index("[") + 1 : sentence.index("]")]
    found = LISTS[name].search(re.sub(r"[][]", "", sentence))
    assert found is not None
    assert found[0] == cue


@pytest.mark.parametrize(("name", "sentence"), [case for case in CASES if case[0].startswith("- ")])
def test_no_word_of_change_is_found_in_other_sentences(name: str, sentence: str) -> None:
    assert LISTS[name.removeprefix("- ")].search(sentence) is None


@pytest.mark.parametrize("name", LISTS)
def test_each_word_of_change_has_a_sentence(name: str) -> None:
    """A longer list contains the shorter ones, whose sentences count for it too."""
    told = [sentence.replace("[", "").replace("]", "") for kind, sentence in CASES if not kind.startswith("- ")]
    unproved = [
        word
        for word in words_in(LISTS[name])
        if not any(re.search(rf"\b(?:{word})\b", sentence, re.IGNORECASE) for sentence in told)
    ]
    assert unproved == []
