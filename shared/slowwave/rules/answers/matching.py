"""Matches of the rules that read an answer together with its question. Pure, like other matching."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import re2

from slowwave.domain.claim import Source
from slowwave.domain.episode import StoredEpisode
from slowwave.rules import sentence_splitting
from slowwave.rules.answers.questions import Question
from slowwave.rules.claim_cleanup import listed, trimmed
from slowwave.rules.compiling import Rule, by_pattern, rules_of
from slowwave.rules.matching import Finding, Matcher, listens, sense_of, speaker_of
from slowwave.rules.pack_schema import PackPart
from slowwave.rules.regexes import Sieve
from slowwave.rules.sentence_splitting import Sentence
from slowwave.rules.templates import TemplateValues, filled_claim

LONGEST_ANSWER = 500
"""The most characters of an answer's first sentence, which holds the answer."""
AFTER_ALL = 1_000_000
"""The rank of the first rule for answers: rules that read the words alone come first."""


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of an answer: its first *sentence*, and *all* of its text."""

    sentence: Sentence
    all: str


class Answers:
    """A pack's rules for questions and answers; *rules* is empty if no rule has `asked`."""

    def __init__(self, pack: PackPart, matcher: Matcher) -> None:
        self.rules = [one for rule in rules_of(pack) if rule.part.asked for one in _with_denial(rule)]
        self._matcher = matcher
        numbered = list(enumerate(self.rules))
        self._asked, self._asked_by = by_pattern((number, one) for number, rule in numbered for one in rule.part.asked)
        self._said, self._said_by = by_pattern((number, one) for number, rule in numbered for one in rule.part.said)

    def worth(self, text: str) -> bool:
        """Return whether *text* may contain a question that a rule knows; False is certain, True may be wrong."""
        return bool(self._asked.candidates(text))

    def findings(self, episode: StoredEpisode, question: Question) -> Iterator[Finding]:
        """Return the findings of the rules in *episode* as the answer to *question*."""
        asked = _matches(self._asked, self._asked_by, question.text)
        words = self._words(episode) if asked else None
        said = _matches(self._said, self._said_by, words.sentence.text) if words else {}
        if not words or not said:
            return
        effects = self._matcher.effects(words.sentence.text)
        for number, rule in enumerate(self.rules):
            if number not in said or number not in asked or not listens(rule, episode):
                continue
            if rule.is_excluded(f"{question.text}\n{words.all}") or not (sense := sense_of(rule, effects)):
                continue
            for one, other in product(asked[number], said[number]):
                start, (begin, _) = words.sentence.start, trimmed(words.sentence.text, *other.span())
                for core, end, made in self._made(rule, question, words.sentence, one, other, episode):
                    yield Finding(
                        rule, AFTER_ALL + number, made, *sense, None, begin + start, end + start,
                        (core[0] + start, core[1] + start), start, asked=_source(question),
                    )  # fmt: skip

    def _words(self, episode: StoredEpisode) -> _Words | None:
        text = sentence_splitting.plain(episode.content)
        first = next(sentence_splitting.sentences(text, self._matcher.not_names), None)
        return _Words(first, text) if first and not first.speaker and len(first.text) <= LONGEST_ANSWER else None

    def _made(
        self, rule: Rule, question: Question, words: Sentence, asked: re2._Match, said: re2._Match,
        episode: StoredEpisode,
    ) -> Iterator[tuple[tuple[int, int], int, tuple[str, str, str]]]:  # fmt: skip
        """The object's span in the answer, the end of its words, and the statement.

        If the object is in the question, the whole words are the answer.
        """
        groups = {**asked.groupdict(), **said.groupdict()}
        whole = trimmed(words.text, *said.span())
        for object_, core in self._objects(rule, question, words, asked, said):
            values = TemplateValues(speaker_of(episode, None), groups, object_, None, episode.metadata)
            if made := filled_claim(rule, values, self._matcher.not_names):
                yield core or whole, whole[1], made

    def _objects(
        self, rule: Rule, question: Question, words: Sentence, asked: re2._Match, said: re2._Match
    ) -> Iterator[tuple[str | None, tuple[int, int] | None]]:
        for match, sentence in ((said, words), (asked, Sentence(question.text, question.start, None))):
            if match.groupdict().get("object") is None:
                continue
            span = match.span(match.re.groupindex["object"])
            for begin, stop in listed(sentence.text, *span) if rule.part.each else [span]:
                if found := self._matcher.tidy.object(sentence, begin, stop, rule):
                    yield found[1], found[0] if sentence is words else None
            return
        yield None, None


def _with_denial(rule: Rule) -> Iterator[Rule]:
    """Give a rule, and besides it the one that ends its claim where the answer denies it."""
    yield rule
    if rule.part.denied:
        ends = rule.part.claim.model_copy(update={"mode": "end"})
        yield replace(rule, part=rule.part.model_copy(update={"said": rule.part.denied, "claim": ends}))


def _matches(sieve: Sieve, owners: Sequence[Sequence[tuple[int, int]]], text: str) -> Mapping[int, list[re2._Match]]:
    """Return the matches in *text* by the number of their rule, in the order of its patterns."""
    matches = [(place, rule, number) for number in sieve.hits(text) for place, rule in owners[number]]
    found: dict[int, list[re2._Match]] = {}
    for _, rule, number in sorted(matches):
        if match := sieve.expressions[number].search(text):
            found.setdefault(rule, []).append(match)
    return found


def _source(question: Question) -> Source:
    turn = question.turn
    start, end = trimmed(question.text, 0, len(question.text))
    return Source(turn.id, turn.key, turn.position, question.start + start, question.start + end)
