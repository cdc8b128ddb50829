"""The question that a turn answers, and the matches of rules that read a question and its answer together."""

import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import islice, product

import re2

from slowwave.domain.claim import Source
from slowwave.domain.episode import StoredEpisode
from slowwave.rules import sentence_splitting
from slowwave.rules.claim_cleanup import TemplateValues, filled_claim, listed, trimmed
from slowwave.rules.compiling import Rule, by_pattern, rules_of
from slowwave.rules.matching import Finding, Matcher, listens, sense_of, speaker_of
from slowwave.rules.pack_schema import PackPart
from slowwave.rules.regexes import PatternSet
from slowwave.rules.sentence_splitting import Sentence

TURNS_BACK = 6
"""The number of turns of a session that are checked for other speakers. With a third speaker, it is unclear who was
asked.
"""
LONGEST_PAUSE = timedelta(days=1)
"""The longest time between a question and its answer."""
LONGEST_TURN = 4_000
"""The maximum number of characters of a turn that may contain a question."""
MOST_SENTENCES = 100
_ASKS = re.compile(r"\?[^A-Za-z0-9]*$")
_WORDS = re.compile(r"\w")
LONGEST_ANSWER = 500
"""The maximum number of characters of an answer's first sentence. The rules search this sentence for the answer."""
AFTER_ALL = 1_000_000
"""The rank of the first rule for answers. Rules that read the words of a turn alone have lower ranks and come first."""


@dataclass(frozen=True, slots=True)
class Question:
    """The sentence of a *turn* that asks something: its plain *text*, and the offset of its *start* in the turn."""

    turn: StoredEpisode
    text: str
    start: int


def questions(
    before: Iterable[StoredEpisode],
    episodes: Iterable[StoredEpisode],
    not_names: frozenset[str],
    may_ask: Callable[[str], bool],
) -> dict[int, Question]:
    """Return the question that each of *episodes* may answer, by position; episodes without a question are left out.

    The question is in the other party's turn directly before, in a session where only two parties talk. It is the only
    question of that turn. If that turn has no question, its last sentence counts as the question, because the answer
    may confirm this sentence. *may_ask* says whether the plain text of a turn is read; other turns are skipped.
    """
    here = {episode.position: episode for episode in episodes}
    turns = sorted({**{turn.position: turn for turn in before}, **here}.values(), key=lambda turn: turn.position)
    talks = defaultdict[str, deque[tuple[str, StoredEpisode]]](lambda: deque(maxlen=TURNS_BACK))
    found: dict[int, Question] = {}
    for turn in (turn for turn in turns if turn.kind == "message" and turn.role in ("user", "assistant")):
        talk, own = talks[turn.session], _party(turn)
        if turn.position in here and talk and _answers(own, turn, talk):
            asked = _question(talk[-1][1], not_names, may_ask)
            found |= {turn.position: asked} if asked else {}
        talk.append((own, turn))
    return found


def _answers(own: str, turn: StoredEpisode, talk: Sequence[tuple[str, StoredEpisode]]) -> bool:
    other, asked = talk[-1]
    if other == own or not timedelta() <= turn.occurred - asked.occurred <= LONGEST_PAUSE:
        return False
    return all(party in (other, own) for party, _ in talk)


def _party(turn: StoredEpisode) -> str:
    """Return the party that says a turn: the assistant, a named person, or the unnamed user."""
    return f"{turn.role} {(turn.speaker or '').casefold()}" if turn.role == "user" else turn.role


def _question(turn: StoredEpisode, not_names: frozenset[str], may_ask: Callable[[str], bool]) -> Question | None:
    if len(turn.content) > LONGEST_TURN or not may_ask(text := sentence_splitting.plain(turn.content)):
        return None
    sentences = list(islice(sentence_splitting.sentences(text, not_names), MOST_SENTENCES))
    sentences = [sentence for sentence in sentences if _WORDS.search(sentence.text)]
    asking = [sentence for sentence in sentences if _ASKS.search(sentence.text)] or sentences[-1:]
    if len(asking) != 1 or asking[0].speaker:
        return None
    return Question(turn, asking[0].text, asking[0].start)


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of an answer: its first *sentence*, and *all* the text of the answer."""

    sentence: Sentence
    all: str


class Answers:
    """A pack's rules for questions and answers. *rules* is empty if no rule of the pack has the field `asked`."""

    def __init__(self, pack: PackPart, matcher: Matcher) -> None:
        self.rules = [one for rule in rules_of(pack) if rule.part.asked for one in _with_denial(rule)]
        self._matcher = matcher
        numbered = list(enumerate(self.rules))
        self._asked, self._asked_by = by_pattern((number, one) for number, rule in numbered for one in rule.part.asked)
        self._answered, self._answered_by = by_pattern(
            (number, one) for number, rule in numbered for one in rule.part.answered
        )

    def may_ask(self, text: str) -> bool:
        """Return whether *text* may contain a question that a rule knows. True may be wrong; False is always right."""
        return bool(self._asked.candidates(text))

    def findings(self, episode: StoredEpisode, question: Question) -> Iterator[Finding]:
        """Return what the rules find in *episode*, read as the answer to *question*."""
        asked = _matches(self._asked, self._asked_by, question.text)
        words = self._words(episode) if asked else None
        answered = _matches(self._answered, self._answered_by, words.sentence.text) if words else {}
        if not words or not answered:
            return
        effects = self._matcher.effects(words.sentence.text)
        for number, rule in enumerate(self.rules):
            if number not in answered or number not in asked or not listens(rule, episode):
                continue
            if rule.is_excluded(f"{question.text}\n{words.all}") or not (sense := sense_of(rule, effects)):
                continue
            for one, other in product(asked[number], answered[number]):
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
        self, rule: Rule, question: Question, words: Sentence, asked: re2._Match, answered: re2._Match,
        episode: StoredEpisode,
    ) -> Iterator[tuple[tuple[int, int], int, tuple[str, str, str]]]:  # fmt: skip
        """Yield the span of the object in the answer, the end of the answer's words, and the statement.

        If the object is in the question, all words of the answer count as the span.
        """
        groups = {**asked.groupdict(), **answered.groupdict()}
        whole = trimmed(words.text, *answered.span())
        for object_, core in self._objects(rule, question, words, asked, answered):
            values = TemplateValues(speaker_of(episode, None), groups, object_, None, episode.metadata)
            if made := filled_claim(rule, values, self._matcher.not_names):
                yield core or whole, whole[1], made

    def _objects(
        self, rule: Rule, question: Question, words: Sentence, asked: re2._Match, answered: re2._Match
    ) -> Iterator[tuple[str | None, tuple[int, int] | None]]:
        for match, sentence in ((answered, words), (asked, Sentence(question.text, question.start, None))):
            if match.groupdict().get("object") is None:
                continue
            span = match.span(match.re.groupindex["object"])
            for begin, stop in listed(sentence.text, *span) if rule.part.each else [span]:
                if found := self._matcher.tidy.object(sentence, begin, stop, rule):
                    yield found[1], found[0] if sentence is words else None
            return
        yield None, None


def _with_denial(rule: Rule) -> Iterator[Rule]:
    """Yield *rule*, and the rule that ends the claim of *rule* if the answer denies the claim."""
    yield rule
    if rule.part.denied:
        ends = rule.part.claim.model_copy(update={"mode": "end"})
        yield replace(rule, part=rule.part.model_copy(update={"answered": rule.part.denied, "claim": ends}))


def _matches(
    pattern_set: PatternSet, owners: Sequence[Sequence[tuple[int, int]]], text: str
) -> Mapping[int, list[re2._Match]]:
    matches = [(place, rule, number) for number in pattern_set.hits(text) for place, rule in owners[number]]
    found: dict[int, list[re2._Match]] = {}
    for _, rule, number in sorted(matches):
        if match := pattern_set.expressions[number].search(text):
            found.setdefault(rule, []).append(match)
    return found


def _source(question: Question) -> Source:
    turn = question.turn
    start, end = trimmed(question.text, 0, len(question.text))
    return Source(turn.id, turn.key, turn.position, question.start + start, question.start + end)
