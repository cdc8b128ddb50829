"""Summaries: extracted sentences, lines that fit, and made-up names."""

from collections.abc import Sequence
from datetime import timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.core.beliefs.identity import normal
from slowwave.core.summaries.extractive_summary import (
    SENTENCES,
    Line,
    best,
    fitting,
    informativeness,
    join,
    sentences,
    split,
    subject,
)
from slowwave.core.summaries.model_summary import count_unsupported
from slowwave.core.tokens import tokens
from slowwave.domain.episode import StoredEpisode
from slowwave.inference.summariser import ExtractiveSummariser
from tests.conftest import NOON
from tests.unit.rules.rulepacks import episode
from tests.unit.tables import table

ROWS = table(__file__)

WORDS = st.sampled_from([*"Oslo Lisbon moved likes 42 tea the and I Alice? works. Berlin! 3.50 nice".split(), "\n"])  # noqa: SIM905 - reads as talk

SESSIONS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


def message(content: str, position: int = 1, **metadata: str) -> StoredEpisode:
    occurred = NOON + timedelta(minutes=position)
    return episode(content, number=position, received=NOON, occurred=occurred, metadata=dict(metadata))


def messages(contents: Sequence[str]) -> list[StoredEpisode]:
    """Return messages with these contents, numbered from one."""
    return [message(content, number) for number, content in enumerate(contents, 1)]


def texts(content: str) -> list[str]:
    return [line.text for line in sentences(message(content))]


def test_a_message_is_taken_apart_into_sentences() -> None:
    said = "Hi! I paid 3.50 for it...  It's on\n\nslowwave.dev?\t yes "

    assert texts(said) == [
        "user: Hi!",
        "user: I paid 3.50 for it...",
        "user: It's on",
        "user: slowwave.dev?",
        "user: yes",
    ]


def test_sentences_of_other_scripts_are_told_apart() -> None:
    assert texts("我住在奥斯陆。你呢？") == ["user: 我住在奥斯陆。", "user: 你呢？"]


@given(st.text())
def test_each_line_quotes_its_source_words(content: str) -> None:
    for line in sentences(message(content)):
        words = content[line.source.start : line.source.end]
        assert line.text == f"user: {' '.join(words.split())}"
        assert 0 < len(words) <= 300


def test_a_line_names_its_speaker() -> None:
    assert [line.text for line in sentences(message("Hello.", speaker="Ann"))] == ["Ann: Hello."]


def test_a_summary_keeps_informative_sentences_and_drops_small_talk() -> None:
    talk = [message(f"Well, that is really very nice number{n}.", n) for n in range(1, 20)]
    talk.insert(7, message("I moved to Oslo in May 2024.", 30))

    summary = ExtractiveSummariser().summarise([], talk)

    assert len(summary) == SENTENCES
    assert "user: I moved to Oslo in May 2024." in [line.text for line in summary]


@given(st.lists(st.lists(WORDS, min_size=1, max_size=6).map(" ".join), max_size=40), st.data())
def test_any_split_of_the_messages_gives_the_same_summary(contents: list[str], data: st.DataObject) -> None:
    said = messages(contents)
    summarise = ExtractiveSummariser().summarise
    rolling: list[Line] = []
    start = 0
    while start < len(said):
        end = data.draw(st.integers(start + 1, len(said)))
        rolling = summarise(rolling, said[start:end])
        start = end

    assert rolling == summarise([], said)
    assert rolling == summarise([], list(reversed(said)))
    if rolling:
        assert split(join(rolling), [line.source for line in rolling]) == rolling


def test_a_repeated_sentence_appears_once() -> None:
    lines = [line for n in (1, 2) for line in sentences(message("I like tea.", n))]

    assert [line.source.position for line in best(lines)] == [2]


@given(SESSIONS, SESSIONS)
def test_two_sessions_never_share_a_summary(one: str, other: str) -> None:
    first, second = normal(subject(one)), normal(subject(other))

    assert (first == second) == (one == other)


SAID = ["Ann: I moved to Oslo in 2024 with Bob. I paid 3.50 for it, at 10:30."]


@pytest.mark.parametrize("line", ROWS["supported"])
def test_a_paraphrase_without_new_names_or_numbers_is_supported(line: str) -> None:
    assert not count_unsupported([line], SAID)


@pytest.mark.parametrize(("line", "made_up"), ROWS["unsupported"])
def test_unsupported_names_and_numbers_are_counted(line: str, made_up: dict[str, int]) -> None:
    assert dict(count_unsupported([line], SAID)) == made_up


@given(st.lists(st.lists(WORDS, min_size=1).map(" ".join), max_size=5))
def test_a_quoted_line_is_supported(contents: list[str]) -> None:
    lines = [line.text for each in messages(contents) for line in sentences(each)]

    assert not count_unsupported(lines, [*contents, "user"])


def test_a_line_has_its_date_in_the_speakers_time_zone() -> None:
    said = message("I moved to Oslo.", speaker="Ann")
    tokyo = NOON.replace(hour=23).astimezone(timezone(timedelta(hours=9)))

    (line,) = fitting(list(sentences(said)), {said.id: tokyo}, most=100)

    assert line.text == f"{(NOON + timedelta(days=1)).date().isoformat()} Ann: I moved to Oslo."
    assert (line.occurred, said.content[line.source.start : line.source.end]) == (tokyo, "I moved to Oslo.")


def test_a_line_with_an_erased_source_is_left_out() -> None:
    kept, gone = message("I like tea.", 1), message("I like rum.", 2)

    told = fitting([*sentences(kept), *sentences(gone)], {kept.id: kept.occurred}, most=100)

    assert [line.source.episode for line in told] == [kept.id]


@given(st.lists(st.lists(WORDS, min_size=1, max_size=8).map(" ".join), max_size=30), st.integers(1, 200))
def test_fitting_keeps_whole_lines_in_order_and_prefers_the_best(said: list[str], most: int) -> None:
    lines = [line for each in messages(said) for line in sentences(each)]
    occurred = {each.id: each.occurred for each in messages(said)}

    told = fitting(lines, occurred, most=most)

    places = [line.source for line in lines]
    assert [places.index(line.source) for line in told] == sorted(places.index(line.source) for line in told)
    assert tokens("\n".join(line.text for line in told)) <= most
    all_of_them = fitting(lines, occurred, most=10**9)
    assert {line.text for line in told} <= {line.text for line in all_of_them}
    left = most - sum(tokens(line.text + "\n") for line in told)
    kept, value = {line.source for line in told}, {line.source: informativeness(line.text) for line in lines}
    for line in all_of_them:
        if line.source not in kept:
            room = left + sum(tokens(one.text + "\n") for one in told if value[one.source] < value[line.source])
            assert tokens(line.text + "\n") > room
