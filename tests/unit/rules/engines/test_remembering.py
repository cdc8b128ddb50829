"""Turns that were read a moment ago are not read again; what is read otherwise is."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.rules import default_roots, load_pack
from slowwave.rules.answers import Question
from slowwave.rules.case import Told
from slowwave.rules.engines.remembering import LONGEST, MOST, Remembering
from slowwave.rules.matching import Finding, Matcher
from slowwave.rules.statements.beside import Beside
from tests.unit.core.histories import claim


class Counting:
    """Reads a turn as one claim, and keeps what it has read."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def __call__(self, episode: StoredEpisode, _question: Question | None) -> list[Claim]:
        self.read.append(episode.content)
        return [claim(episode.content)]


def _turn(text: str, number: int = 0) -> StoredEpisode:
    return Told(text=text).episode(number)


def test_a_turn_is_read_once_and_claims_the_same_again() -> None:
    remembering = Remembering(reader := Counting())

    assert remembering.of(_turn("Oslo"), None) == remembering.of(_turn("Oslo"), None) == [claim("Oslo")]
    assert reader.read == ["Oslo"]


def test_a_turn_is_read_again_as_the_answer_to_another_question() -> None:
    remembering, asked = Remembering(reader := Counting()), Question(_turn("Where?", 1), "Where?", 0)

    remembering.of(_turn("Oslo"), None)
    remembering.of(_turn("Oslo"), asked)
    remembering.of(_turn("Oslo"), replace(asked, text="Whence?"))

    assert reader.read == ["Oslo"] * 3


def test_another_text_under_the_same_id_is_read() -> None:
    remembering = Remembering(reader := Counting())

    assert remembering.of(_turn("Oslo"), None) != remembering.of(_turn("Bergen"), None)
    assert reader.read == ["Oslo", "Bergen"]


def test_only_the_last_turns_are_remembered_and_none_that_is_long() -> None:
    remembering = Remembering(reader := Counting())
    for number in range(MOST + 1):
        remembering.of(_turn("Oslo", number), None)
    del reader.read[:]

    remembering.of(_turn("Oslo", MOST), None)
    assert reader.read == []
    remembering.of(_turn("Oslo", 0), None)
    assert reader.read == ["Oslo"]
    for _ in range(2):
        remembering.of(_turn("a" * (LONGEST + 1)), None)
    assert len(reader.read) == 3


def test_a_window_is_matched_once_for_its_own_pack_and_for_statements_beside_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    everyday, beside = (load_pack(default_roots()[0] / name) for name in ("everyday", "statements"))
    matched, findings = list[str](), Matcher.findings

    def counted(matcher: Matcher, episode: StoredEpisode) -> Iterator[Finding]:
        matched.append(episode.content)
        return findings(matcher, episode)

    monkeypatch.setattr(Matcher, "findings", counted)
    window = [_turn("I live in Oslo."), _turn("Our neighbours bought a wooden boat and painted it blue.", 1)]

    typed = everyday.propose(window)
    told = Beside(beside, [everyday]).propose(window)

    assert ([one.object for one in typed], len(told)) == (["Oslo"], 1)
    assert matched == [one.content for one in window]
