"""Reading takes linear time: twice the text takes at most 2.5 times as long."""

import json
import random
from collections.abc import Callable

import pytest

from slowwave.cli.bench.rules import TEXTS, repeated
from slowwave.core.beliefs.identity import normal
from slowwave.core.beliefs.refused import tells_secret
from slowwave.core.beliefs.spelling import every_spelling
from slowwave.core.patterns import occurrences
from slowwave.core.recall import candidate
from slowwave.core.summaries.extractive_summary import informativeness, sentences
from slowwave.inference.static_embedder import WEIGHTS, WordPiece
from slowwave.rules.dates import period
from slowwave.telemetry.logs import redacted
from tests.unit.growth import AT_MOST, growth
from tests.unit.rules.rulepacks import EVERYDAY, NINE, episode

WORDS = json.loads((WEIGHTS / "tokenizer.json").read_text())["model"]["vocab"]
TOKENS = WordPiece(WORDS, unknown=WORDS["[UNK]"], special={"[UNK]": WORDS["[UNK]"]})

READERS: dict[str, Callable[[str], object]] = {
    "rules": lambda text: EVERYDAY.without_statements().propose([episode(text)]),
    "rules and statements": lambda text: EVERYDAY.propose([episode(text)]),
    "secrets": tells_secret,
    "speakers": lambda text: EVERYDAY.propose([episode("I live in Oslo.", metadata={"speaker": text})]),
    "summary": lambda text: [informativeness(line.text) for line in sentences(episode(text))],
    "dates": lambda text: period(text, NINE, "past"),
    "names": lambda text: (candidate.is_named("Ann Lee", text), candidate.is_named(text, "Ann Lee")),
    "tokens": TOKENS,
    "log": redacted,
    "spellings": every_spelling,
    "habits": lambda text: (normal(text), occurrences(episode("").id, [], [episode(text)])),
}
CHARACTERS = (
    ".!?…\"'“”«»()[]*_~`<>;:,-–—•| \t\n\r\x0b\x1c\x85\u2028\u00a0\u200b\u3000。aAzZ0é中\u0301\ud800😀&@#/\\{}=+%^$"
)
PHRASES = [
    ". ", " . ", ".' ", "a. ", "A. ", "Mr. ", "“”", "«a", '"a', "```", "`a", "~~~", "<memory>", "</memory>", "a.b.",
    "user: ", "Ann: ", "Ann Lee: ", "\nAnn: ", "\n> ", " - ", " -- ", "I live in Oslo. ", "I live in Oslo and ",
    "if I live in Oslo. ", "I like tea, ", "I like it, it, ", "I like tea and ", "on 3 March 2020 ", "last week ",
    "I moved to Oslo on 3 March 2020. ", "3/4/2020 ", "I moved to Oslo in ", "I am not a doctor but ",
    "actually ", "2020-01-01 ", "http://a.b/", "a@b.c ", "very ", ", and I ", "I was born on 1 1 ", "I live in Oslo\n",
    "://a:", "a://a:", "pw='", 'pw="', "pw = ", "pw", "token:'\\",
    "on on in the ", "a couple of ", "I live in Oslo " + "I but " * 150 + "\n",
]  # fmt: skip


def drawn() -> list[str]:
    """Return random sequences of characters and phrases, the same in each run."""
    draw = random.Random(20)
    return ["".join(draw.choice([*CHARACTERS, *PHRASES]) for _ in range(draw.randint(2, 4))) for _ in range(40)]


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("text", TEXTS)
def test_a_hostile_text_is_read_in_linear_time(reader: str, text: str) -> None:
    assert growth(READERS[reader], TEXTS[text], 16_000, 64_000) <= AT_MOST


@pytest.mark.accept
@pytest.mark.parametrize("reader", READERS)
def test_any_repeated_text_is_read_in_linear_time(reader: str) -> None:
    slow = {
        part: ratio
        for part in [*CHARACTERS, *PHRASES, *drawn()]
        if (ratio := growth(READERS[reader], repeated("I live in Oslo ", part, "a"), 4_000, 16_000, 64_000)) > AT_MOST
    }
    assert slow == {}
