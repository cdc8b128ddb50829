"""A reader of talk over parsed sentences: what somebody did or said of themselves. The same words give the same."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from slowwave.domain.claim import Tense
from slowwave.domain.episode import StoredEpisode
from slowwave.rules.grammar.clauses import AUXILIARIES, Clause, clauses, of_verb
from slowwave.rules.grammar.keeping import kept, of_relative, pruned, split, without_joint
from slowwave.rules.grammar.parser import Parser
from slowwave.rules.grammar.persons import Telling, told
from slowwave.rules.grammar.telling import by_the_way, kind_of, names_something, of_speaker
from slowwave.rules.grammar.tree import Tree
from slowwave.rules.statements import verbs
from slowwave.rules.statements.clauses import Clause as Words
from slowwave.rules.statements.sentences import LEAST_WORDS, Statement, leans
from slowwave.rules.statements.spoken import Spoken, spoken
from slowwave.rules.statements.telling import content, tells
from slowwave.rules.statements.times import dated
from slowwave.rules.statements.words import FIRST, OF_FIRST, SECOND, Word, words_of

MOST_WORDS = 11
"""Words that say something, of one statement: of more nobody sees the point."""


def statements(episodes: Sequence[StoredEpisode], parser: Parser) -> list[list[Statement]]:
    """Return, for each of *episodes*, what its speaker did or said of themselves, in the order of the words."""
    found: list[list[Statement]] = [[] for _ in episodes]
    every = ((number, one) for number, episode in enumerate(episodes) for one in spoken(episode))
    said = [(number, one, words) for number, one in every if _may_tell(words := words_of(one.text))]
    trees = parser.parse([one.text for _, one, _ in said])
    for (number, one, words), tree in zip(said, trees, strict=True):
        found[number] += _Sentence(tree, one, words, episodes[number].local).statements()
    return found


def _may_tell(words: Sequence[Word]) -> bool:
    """False for a sentence that needs no parse: nobody speaks of themselves in it, and it begins with no verb."""
    if any(word.low in FIRST or word.low in OF_FIRST for word in words):
        return True
    return any(word.low.endswith(("ed", "ing")) or verbs.is_past(word.low) or word.low == "been" for word in words[:4])


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A parsed sentence, with who said it and *when* by their clock."""

    tree: Tree
    said: Spoken
    words: Sequence[Word]
    when: datetime

    def statements(self) -> Iterator[Statement]:
        """Return what it tells of its speaker."""
        for clause in clauses(self.tree):
            made = [one for one in self._of(clause) if one]
            yield from made
            for verb in of_speaker(self.tree, clause):
                if one := self._statement(of_verb(self.tree, verb), "i", of_relative(self.tree, verb)):
                    yield one
            for verb in [] if made else by_the_way(self.tree, clause):
                if one := self._statement(of_verb(self.tree, verb), "i", without_joint(self.tree, verb)):
                    yield one

    def _of(self, clause: Clause) -> Iterator[Statement | None]:
        """The statement of a clause; of one that is too long, or tells nothing as a whole, those of its verbs."""
        kind = kind_of(self.tree, clause)
        if kind is None:
            return
        places = kept(self.tree, clause)
        whole = self._statement(clause, kind, places) if self._says(places) <= MOST_WORDS else None
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
        spans = [(self.tree[one].start, self.tree[one].end) for one in places]
        return [word for word in self.words if any(start < word.end and word.start < end for start, end in spans)]

    def _says(self, places: Sequence[int]) -> int:
        return content(self._words(places))

    def _statement(self, clause: Clause, kind: str, places: list[int]) -> Statement | None:
        """The statement of the tokens at *places*, or None where they tell nothing."""
        if not places or not names_something(self.tree, places):
            return None
        words = self._words(places)
        if any(word.low in SECOND for word in words) or content(words) < LEAST_WORDS:
            return None
        if not tells(Words(words, "", 0), "other" if kind == "my" else kind):
            return None
        begin = min(self.tree[one].start for one in places)
        end = max(self.tree[one].end for one in places)
        tense = _tense(self.tree, clause.verb)
        dates = list(dated(self.said.text[begin:end], self.when, "past" if tense == "past" else "future"))
        sentence = _clean(
            told(self.tree, clause, places, Telling(self.said.person, kind, tense == "past", dates, begin))
        )
        if not sentence or leans(sentence):
            return None
        period = next((one.period for one in dates if one.period), None)
        start = self.said.start
        return Statement(
            self.said.person.subject, _predicate(self.tree, clause.verb), _object(sentence, self.tree, clause.verb),
            sentence, tense, period, start + begin, start + end, kind,
        )  # fmt: skip


def _clean(sentence: str) -> str:
    sentence = re.sub(r" +(?=[,.;:!])|(?<= ) +", "", sentence).strip(" ,;:-")
    return sentence[:1].upper() + sentence[1:]


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
