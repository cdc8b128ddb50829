"""The extractive summary: in the speakers' words, the same however the messages were split into windows."""

import uuid
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from slowwave.core.beliefs.identity import normal
from slowwave.core.summaries.extractive_summary import SENTENCES, Line, best, join, sentences, split, subject
from slowwave.domain.episode import StoredEpisode
from slowwave.inference.summariser import ExtractiveSummariser
from tests.conftest import NOON

WORDS = st.sampled_from([*"Oslo Lisbon moved likes 42 tea the and I Alice? works. Berlin! 3.50 nice".split(), "\n"])  # noqa: SIM905 - reads as talk

SESSIONS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


def message(content: str, position: int = 1, **metadata: str) -> StoredEpisode:
    return StoredEpisode(
        id=uuid.uuid5(uuid.NAMESPACE_OID, str(position)),
        key=f"k{position}",
        position=position,
        received=NOON,
        occurred=NOON + timedelta(minutes=position),
        session="s1",
        role="user",
        kind="message",
        content=content,
        metadata=dict(metadata),
    )


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
    said = [message(content, number) for number, content in enumerate(contents, 1)]
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
