"""A reader of talk over parsed sentences: what somebody did or said of themselves. The same words give the same."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise

from slowwave.domain.claim import Tense
from slowwave.domain.episode import StoredEpisode
from slowwave.rules.dates import dated
from slowwave.rules.grammar.clauses import AUXILIARIES, Clause, clauses, led, of_verb
from slowwave.rules.grammar.enough import beside, whole
from slowwave.rules.grammar.holding import may_hold
from slowwave.rules.grammar.keeping import kept, of_relative, pruned, split, without_joint
from slowwave.rules.grammar.leading import leads
from slowwave.rules.grammar.linking import GOES_ON, linked
from slowwave.rules.grammar.parser import Parser
from slowwave.rules.grammar.persons import TURNED, Telling, told
from slowwave.rules.grammar.tellers import STATES, by_the_way, kind_of, names_something, of_speaker
from slowwave.rules.grammar.tree import Tree
from slowwave.rules.grammar.worth import worth
from slowwave.rules.statements import verbs
from slowwave.rules.statements.judging import JUDGED, judgement
from slowwave.rules.statements.reader import statements as read
from slowwave.rules.statements.sentences import DATED, LEAST_WORDS, Statement, leans, undangled
from slowwave.rules.statements.spoken import Spoken, spoken
from slowwave.rules.statements.tellers import content
from slowwave.rules.statements.words import ADVERBS, FIRST, LEADING, OF_FIRST, SECOND, UNRESOLVED, Word, these, words_of
from slowwave.rules.statements.worth import weight

MOST_WORDS = 13
"""Words that say something, of one statement: of more nobody sees the point."""


def statements(
    talk: Sequence[tuple[StoredEpisode, Sequence[StoredEpisode]]], parser: Parser
) -> Iterator[list[Statement]]:
    """Return, for each episode of a *talk*, what its speaker did or said of themselves, in the order of the words.

    The turns beside it, which came before it, tell what it points at and what it answers: of words that no parse makes
    a statement of, the reader that needs none does.
    """
    episodes = [episode for episode, _ in talk]
    found: list[list[Statement]] = [[] for _ in episodes]
    said = [(number, one) for number, episode in enumerate(episodes) for one in spoken(episode)]
    telling = [_may_tell(one.words) for _, one in said]
    for at, ((number, one), (following, after)) in enumerate(pairwise(said)):
        if number == following and telling[at + 1] and _may_lead(one.words, after.words):
            telling[at] = True
    trees = parser.parse([one.text for (_, one), tells in zip(said, telling, strict=True) if tells])
    for (number, one), tells in zip(said, telling, strict=True):
        if tells:
            found[number] += _Sentence(next(trees), one, episodes[number].local).pieces()
        elif judged := judgement(_spelled(one.words)):
            found[number].append(_goes_on(one, "judged", judged, one.start, one.start + len(one.text)))
    for (episode, turns), pieces in zip(talk, found, strict=True):
        yield beside(whole(linked(pieces), episode.content), read(episode, turns))


def _may_tell(words: Sequence[Word]) -> bool:
    """False for a sentence that needs no parse: nobody speaks of themselves in it, and it begins with no verb."""
    if any(word.low in FIRST or word.low in OF_FIRST for word in words):
        return True
    if _may_hold(words):
        return True
    first = [word.low for word in words[:4]]
    if first[0] in ("it", "it's") and any(
        word.low in ("to", "how", "that") or word.low.endswith("ing") for word in words
    ):
        return True
    begin = next((word for word in first if word not in _BEFORE), first[0])
    return begin.endswith(("ed", "ing")) or verbs.is_past(begin) or begin in _BEGINS


def _may_lead(words: Sequence[Word], after: Sequence[Word]) -> bool:
    """True for a sentence that says something of something, before one that points back."""
    return (
        words[0].low not in UNRESOLVED
        and SECOND.isdisjoint(word.low for word in words)
        and len(words) > 3
        and any(word.low in UNRESOLVED for word in after)
    )


def _may_hold(words: Sequence[Word]) -> bool:
    """True for a sentence of some length that says how something is, to nobody."""
    low = [word.low for word in words]
    return (low[0] in _ABOUT or may_hold(low)) and content(words) > LEAST_WORDS and SECOND.isdisjoint(low)


_ABOUT = these("it it's it'll they they're")
_BEFORE = ADVERBS | LEADING | these("week weekend month year night morning summer winter too , and but")
"""Words that may stand before a verb whose subject is left out."""
_BEGINS = these("didn't been gonna can't need want love hate miss") | STATES


def _spelled(words: Sequence[Word]) -> list[Word]:
    """Return *words* without the marks among them."""
    return list(undangled([word for word in words if word.low[-1].isalnum()]))


def _numbers(tree: Tree, words: Sequence[Word]) -> list[range]:
    """Return, for each token, the numbers of the words that it shares characters with: a parser cuts `don't` in two."""
    starts, ends = [word.start for word in words], [word.end for word in words]
    found, first, count = list[range](), 0, len(words)
    for _, _, start, end, *_ in tree:
        while first < count and ends[first] <= start:
            first += 1
        after = first
        while after < count and starts[after] < end:
            after += 1
        found.append(range(first, after))
    return found


def _goes_on(said: Spoken, kind: str, text: str, start: int, end: int) -> Statement:
    return Statement(said.person.subject, "be", text, text, "current", None, start, end, kind)


class _Sentence:
    """A parsed sentence, with who said it and *when* by their clock."""

    def __init__(self, tree: Tree, said: Spoken, when: datetime) -> None:
        self.tree, self.said, self.when = tree, said, when
        self._numbers = _numbers(tree, said.words)

    def pieces(self) -> Iterator[Statement]:
        """Return what it tells of its speaker, and what it goes on about."""
        for clause in led(self.tree, clauses(self.tree)):
            made = [one for one in self._of(clause) if one]
            within = list(self._within(clause)) if all(one.kind == "more" for one in made) else []
            yield from within or made
            if not (made or within) and (judged := self._judgement(clause) or self._lead(clause)):
                yield judged

    def _within(self, clause: Clause) -> Iterator[Statement]:
        """The deeds of the speaker within a clause that tells nothing of them by itself."""
        for verb in of_speaker(self.tree, clause):
            if one := self._statement(of_verb(self.tree, verb), "i", of_relative(self.tree, verb)):
                yield one
        for verb in by_the_way(self.tree, clause):
            if one := self._statement(of_verb(self.tree, verb), "i", without_joint(self.tree, verb)):
                yield one

    def _lead(self, clause: Clause) -> Statement | None:
        """The words of a clause about something else, which the next one may be about: `the show went well`."""
        return self._statement(clause, "lead", kept(self.tree, clause)) if leads(self.tree, clause) else None

    def _judgement(self, clause: Clause) -> Statement | None:
        if clause.subject is None or self.tree[clause.subject].low not in JUDGED:
            return None
        words = _spelled(self._words(list(self.tree.whole(clause.verb, clause.apart))))
        text = judgement(words)
        start = self.said.start
        return _goes_on(self.said, "judged", text, start + words[0].start, start + words[-1].end) if text else None

    def _of(self, clause: Clause) -> Iterator[Statement | None]:
        """The statement of a clause; of one that is too long, or tells nothing as a whole, those of its verbs."""
        kind = kind_of(self.tree, clause)
        if kind is None:
            return
        places = kept(self.tree, clause)
        whole = self._statement(clause, kind, places) if self._says(places) <= MOST_WORDS else None
        if whole is None and clause.about is not None:
            yield from self._of(replace(clause, about=None))
            return
        if whole is None and places and clause.joined and clause.subject is not None:
            for part, own in split(self.tree, clause):
                yield self._statement(part, kind, self._shorter(part, own))
            return
        yield whole or self._statement(clause, kind, self._shorter(clause, places))

    def _shorter(self, clause: Clause, places: list[int]) -> list[int]:
        """As much of *places* as one statement holds; nothing where that is too long even without its adjuncts."""
        every = (places, *pruned(self.tree, clause, places))
        return next((less for less in every if self._says(less) <= MOST_WORDS), [])

    def _words(self, places: Sequence[int]) -> list[Word]:
        numbers = sorted({number for one in places for number in self._numbers[one]})
        return [self.said.words[number] for number in numbers]

    def _says(self, places: Sequence[int]) -> int:
        return content(self._words(places))

    def _statement(self, clause: Clause, kind: str, places: list[int]) -> Statement | None:
        """The statement of the tokens at *places*, or None where they tell nothing."""
        if not places or not names_something(self.tree, places):
            return None
        words = self._words(places)
        if content(words) < LEAST_WORDS or not worth(self.tree, clause, kind, words):
            return None
        begin = min(self.tree[one].start for one in places)
        end = max(self.tree[one].end for one in places)
        tense = _tense(self.tree, clause.verb)
        dates = list(dated(self.said.text[begin:end], self.when))
        sentence = _clean(
            kind, told(self.tree, clause, places, Telling(self.said.person, kind, tense == "past", dates, begin))
        )
        if kind in TURNED and content(words_of(sentence)) <= LEAST_WORDS:
            return None
        if not sentence or leans(f"and {sentence}" if kind in GOES_ON else sentence):
            return None
        period = next((one.period for one in dates if one.period), None)
        start = self.said.start
        return Statement(
            self.said.person.subject, _predicate(self.tree, clause.verb), _object(sentence, self.tree, clause.verb),
            sentence, tense, period, start + begin, start + end, kind, weight(words) + DATED * (period is not None),
        )  # fmt: skip


def _clean(kind: str, sentence: str) -> str:
    sentence = re.sub(r" +(?=[,.;:!])|(?<= ) +", "", sentence).strip(" ,;:-")
    sentence += '"' if sentence.count('"') % 2 else ""
    return sentence[:1].lower() + sentence[1:] if kind in GOES_ON else sentence[:1].upper() + sentence[1:]


def _tense(tree: Tree, verb: int) -> Tense:
    helpers = tree.under(verb, *AUXILIARIES)
    low = {tree[one].low for one in helpers}
    if low & {"will", "'ll"} or (tree[verb].low in ("going", "gon") and tree.under(verb, "xcomp")):
        return "future"
    first = tree[helpers[0]] if helpers else tree[verb]
    return "past" if first.tag == "VBD" or (first.tag in ("VB", "VBN") and verbs.is_past(first.low)) else "current"


def _predicate(tree: Tree, verb: int) -> str:
    going = tree[verb].low in ("going", "gon") and tree.under(verb, "xcomp")
    verb = going[0] if going else verb
    parts = [verbs.lemma(tree[verb].low), *(tree[one].low for one in tree.under(verb, "prt"))]
    name = "_".join(["not", *parts] if tree.under(verb, "neg") else parts)
    name = re.sub(r"[^a-z0-9]+", "_", name).strip("_")
    return name if name[:1].isalpha() else "be"


def _object(sentence: str, tree: Tree, verb: int) -> str:
    """The words behind the verb, as far as they can be found again; else the whole sentence."""
    behind = next((tree[one].low for one in sorted(tree.whole(verb)) if one > verb and tree[one].dep != "prt"), "")
    place = sentence.lower().find(f" {behind}") if behind else -1
    return sentence[place + 1 :] if place > 0 else sentence
