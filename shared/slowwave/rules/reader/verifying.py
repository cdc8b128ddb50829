"""Verification of a model's claims against the text: unsupported claims are rejected with a reason."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from slowwave.core.beliefs.identity import normal
from slowwave.core.predicates import Predicates
from slowwave.core.predicates.sentences import USER
from slowwave.domain.model.chunk import REPLACES_UNHELD
from slowwave.rules.reader.denial import NO, YES, affirmed, denied_more, denies, negates
from slowwave.rules.reader.quotes import Where, clause_at, located, sentence_at
from slowwave.rules.reader.said import Said, without
from slowwave.rules.reader.talk import Held, Talk, Turn, recalled, speaker
from slowwave.rules.reader.times import LEANING, planned_before
from slowwave.rules.reader.words import Lexicon, content, names
from slowwave.rules.reader.words import Said as Words
from slowwave.rules.reading import Quotations

NEAR_TURNS = 6
"""The turns of the session that a short answer or a pronoun may refer to: three exchanges."""
STATED_SHARE = 0.5
"""The least share of a statement object's words that must have been said; the model may add the rest."""


class Unsaid(Exception):
    """A claim is not supported by the text; the message is one of a few reasons, for counting."""


_ASKED = re.compile(
    r"\W*(?:who|what|when|where|why|how|which|whose|do|does|did|is|are|am|was|were|will|would|can|could|should|shall"
    r"|may|might|has|have|had)\b[^.!]*\?\W*$",
    re.IGNORECASE,
)
_TO_ASSISTANT = re.compile(r"\W*(?:please )?(?:will|would|can|could) you\b", re.IGNORECASE)
_SUPPOSED = re.compile(
    r"\b(?:if|unless|suppose|supposing|imagine|pretend|what if|wish(?! (?:me|us)\b)|act as"
    r"|repeat after|say that|falls|wenn)\b|\bsay:"
)
_OVER = re.compile(
    r"\b(?:no longer|no more|not any ?more|\w+n't|quit\w*|left|leav\w+|stopp\w+|moved out|ended|over|broke up|died"
    r"|split|dead|lost|sold|cancel\w*|retir\w+|former|ex|gave up|gone|nicht mehr|kein\w*)\b"
)
_IMITATES = re.compile(
    r"\W*(?:(?i:system|assistant|tool|developer|admin\w*)\s*:|(?:HELD|TALK|NAMES|READ BEFORE)\b|\d+ [\w ]+:)"
    r"|\s*(?:[{<]|\[\s*[\[{\"'])"
)
"""A sentence that imitates a line of the prompt, or a reply to it."""
_WE = re.compile(r"\b(?:we|we're|we've|we'll|our|ours)\b")
_YOU, _FIRST = re.compile(r"\byou(?:r|rs|'re)?\b"), re.compile(r"\b(?:i|i'm|i've|my|me|we|our|us|mine)\b")
_NOT_A_NAME = re.compile(r"[^\w ]+")


@dataclass(frozen=True, slots=True)
class Cited:
    """The words that a claim rests on: its turn, the span of its quotation, and the turn that it answers, if any.

    *before* are the earlier turns of the session, nearest first.
    """

    turn: Turn
    span: Where
    before: Sequence[Turn]
    beside: Turn | None = None

    @property
    def words(self) -> str:
        """The words as they were said."""
        return self.turn.episode.content[slice(*self.span)]

    @property
    def clause(self) -> str:
        """The words with the earlier ones of their clause."""
        return clause_at(self.turn.episode.content, self.span)


@dataclass(frozen=True, slots=True)
class Support:
    """The share of an object's words said by persons, and the share said by anybody."""

    own: float
    every: float


@dataclass(frozen=True, slots=True)
class Verified:
    """A verified claim: the *cited* words, its *subject* as facts name it, its time separate from its object.

    *held* is the belief that it ends or replaces; *ends* is True if it is news about that belief of another kind.
    """

    said: Said
    cited: Cited
    support: Support
    held: Held | None
    ends: bool = False


@dataclass(frozen=True, slots=True)
class Verifier:
    """Verifies a model's claims about a *talk*, with the registered *predicates*."""

    talk: Talk
    predicates: Predicates
    lexicon: Lexicon = field(default_factory=Lexicon)

    def verified(self, said: Said) -> "Verified":
        """Return *said* as a verified claim. Raises `Unsaid`."""
        cited = self._cited(said)
        said = self._timed(said, cited)
        if said.mode == "assert" and planned_before(said.time, said.predicate.replace("_", " "), cited.turn.episode):
            raise Unsaid("it would begin before it was planned")
        held = self._held(said)
        said = replace(said, subject=self._subject(said.subject, cited))
        if held and said.mode == "end":
            self._spoken_of(held, cited)
            return Verified(said, cited, Support(1.0, 1.0), held)
        support = self._support(said, cited, held)
        self._certain(said, cited, support)
        return Verified(said, cited, support, held, held is not None and self._tells_of(held, said, cited))

    # citing

    def _cited(self, said: Said) -> Cited:
        turn = self.talk.turns.get(said.number)
        if turn is None:
            raise Unsaid("there is no such turn")
        if not turn.about:
            raise Unsaid("the turn was read before")
        if not turn.users:
            raise Unsaid("only the assistant said it")
        span = located(said.quote, turn.episode.content)
        if span is None:
            raise Unsaid("the quote is not in the turn")
        if any(span[0] < end and begin < span[1] for begin, end in recalled(turn.episode.content)):
            raise Unsaid("it was recalled, not said")
        sentence = sentence_at(turn.episode.content, span)
        if normal(sentence.strip(" .!?\"'")) in self.talk.texts or normal(sentence) in self.talk.texts:
            raise Unsaid("it was recalled, not said")
        if _IMITATES.match(sentence):
            raise Unsaid("it imitates the record")
        if _ASKED.match(sentence) and not (said.predicate in _OF_REQUESTS and _TO_ASSISTANT.match(sentence)):
            raise Unsaid("it is a question")
        beside = self.talk.turns.get(said.answers) if said.answers else None
        before = self.talk.spoken_before(said.number)
        return Cited(turn, span, before, beside if beside and beside is not turn else None)

    # subject, object, time

    def _subject(self, subject: str, cited: Cited) -> str:
        """Return the subject as facts name it."""
        own = speaker(cited.turn.episode)
        whole = _NOT_A_NAME.sub(" ", normal(subject)).strip()
        if whole in ("user", "the user", "i", "me", "speaker", "the speaker", normal(own)):
            return own
        if whole in ("assistant", "the assistant", "system", "you", "ai"):
            raise Unsaid("it is about the assistant")
        owner, of, rest = subject.replace("’", "'").partition("'s ")
        if of and normal(owner) in ("user", "the user", "my", normal(own)):
            names_for = [{word, *self.predicates.of(word).aliases} for word in content(rest)]
            spoken = self._spoken(cited)
            said = sum(any(map(spoken.has_form, each)) for each in names_for)
            if not names_for or said < STATED_SHARE * len(names_for):
                raise Unsaid("the subject is not in the conversation")
            return f"{own}'s {rest}"
        known = Words([*self.talk.names, *(one.subject for one in self.talk.held.values())])
        spoken = self._spoken(cited)
        if not content(subject) or not all(spoken.has_form(word) or known.has(word) for word in content(subject)):
            raise Unsaid("the subject is not in the conversation")
        return subject

    def _spoken(self, cited: Cited) -> Words:
        """All words of the cited turn and shortly before it, by any speaker, and the speaker's name."""
        turns = [cited.turn, *cited.before[:NEAR_TURNS], *([cited.beside] if cited.beside else [])]
        return self.lexicon.of([*(turn.episode.content for turn in turns), *(speaker(turn.episode) for turn in turns)])

    def _support(self, said: Said, cited: Cited, held: Held | None) -> Support:
        """Return the share of the object that was said, by whom. Raises `Unsaid` for an unsaid name or number in it.

        News of a belief about the same person may repeat the rest of that belief, which was said earlier.
        """
        every = self._spoken(cited)
        known = [f"{held.subject} {held.text or held.object}"] if held and _of_the_same(held, said, cited) else []
        again = Words(known)
        if any(not (every.has(word) or again.has(word) or self._called(word, cited)) for word in names(said.object)):
            raise Unsaid("a name or number of the object was not said")
        wanted = content(said.object)
        if not wanted and not normal(said.object):
            raise Unsaid("the object has no content")
        near = [turn.episode.content for turn in cited.before[:NEAR_TURNS] if turn.users]
        own = self.lexicon.of([cited.turn.episode.content, *near, speaker(cited.turn.episode)])
        new = [word for word in wanted if not again.has_form(word)] or wanted
        support = Support(own.share(new), every.share(new))
        if support.every < STATED_SHARE:
            raise Unsaid("the object was not said")
        return support

    def _called(self, word: str, cited: Cited) -> bool:
        """Return whether *word* is a known name, or a word said earlier in the session."""
        if Words([*self.talk.names, self.talk.called or ""]).has(word):
            return True
        return word.isalpha() and self.lexicon.of(turn.episode.content for turn in cited.before).has(word)

    def _timed(self, said: Said, cited: Cited) -> Said:
        """Return *said* with its time separate from its object. Raises `Unsaid` for a time that was not said."""
        if not said.time:
            found = LEANING.search(said.object)
            return said if found is None else without(replace(said, time=found[0].strip()), found.span())
        texts = [cited.turn.episode.content, *([cited.beside.episode.content] if cited.beside else [])]
        if not any(located(said.time, text) for text in texts):
            raise Unsaid("the time was not said")
        begin = said.object.casefold().find(said.time.casefold())
        return said if begin < 0 else without(said, (begin, begin + len(said.time)))

    def _held(self, said: Said) -> Held | None:
        if said.held is None:
            return None
        if said.held not in self.talk.held and said.mode != "assert":
            raise Unsaid(REPLACES_UNHELD)
        return self.talk.held.get(said.held)

    def _tells_of(self, held: Held, said: Said, cited: Cited) -> bool:
        """Return whether a claim is news about the subject of *held*, and the talk mentions that belief."""
        try:
            self._spoken_of(held, cited)
        except Unsaid:
            return False
        return _of_the_same(held, said, cited)

    def _spoken_of(self, held: Held, cited: Cited) -> None:
        """Reject the end of a belief none of whose words was said: "delete everything" ends nothing."""
        clause = cited.clause
        if _SUPPOSED.search(normal(sentence_at(cited.turn.episode.content, cited.span))):
            raise Unsaid("it is a supposition")
        spoken = self._spoken(cited)
        named = [word for word in content(f"{held.object or held.text} {held.subject}") if word != USER]
        verbs = content(held.predicate.replace("_", " ")) if _OVER.search(normal(clause)) else []
        if not any(map(spoken.has_form, [*named, *verbs])):
            raise Unsaid("the fact that it ends was not mentioned")

    # certainty

    def _certain(self, said: Said, cited: Cited, words: Support) -> None:
        """Reject claims that were denied, hypothetical, or said only by the assistant without confirmation."""
        quote, known = (
            normal(cited.clause),
            self.predicates.of(name_of(said.predicate)),
        )
        refuses = NO.match(cited.turn.episode.content)
        against = denies(said) or (said.mode == "end" and said.answers is not None)
        if words.own < STATED_SHARE and not (refuses and against) and not YES.match(cited.turn.episode.content):
            raise Unsaid("only the assistant said it")
        if words.own < 1 and refuses and said.answers and not against:
            raise Unsaid("it was denied")
        if said.mode == "end":
            return
        if negates(quote, said):
            raise Unsaid("it was denied")
        if not self.predicates.knows(known.name):
            return
        if _SUPPOSED.search(normal(sentence_at(cited.turn.episode.content, cited.span))):
            raise Unsaid("it is a supposition")
        where = cited.turn.episode.content.casefold().find(said.object.casefold())
        if where >= 0 and _quoted(cited.turn.episode.content, where):
            raise Unsaid("it is quoted from somebody else")
        told = normal(clause_at(cited.turn.episode.content, (where, where + len(said.object)))) if where >= 0 else quote
        if said.subject == speaker(cited.turn.episode) and _YOU.search(told) and not _FIRST.search(told):
            raise Unsaid("it is about somebody else")
        if known.name not in _OF_DENIAL and denied_more(affirmed(quote, said), said):
            raise Unsaid("it was denied")
        opposed = {word for other in known.opposites for word in self.predicates.of(other).aliases} | {*known.opposites}
        mine = {known.name, *known.aliases}
        spoken = Words([quote])
        if (
            any(map(spoken.has_form, opposed))
            and not any(map(spoken.has_form, mine))
            and not (known.name in _OF_DENIAL and denied_more(quote, replace(said, predicate="is")))
        ):
            raise Unsaid("it was denied")


_OF_REQUESTS = frozenset({"wants_answers"})
"""Predicates for what people tell by asking for it: "could you keep it short?"."""
_OF_DENIAL = frozenset({"dislikes", "avoids", "allergic_to", "intolerant_to", "gave_up", "did", "is", "habit"})
"""Predicates whose words are often negative."""


def _of_the_same(held: Held, said: Said, cited: Cited) -> bool:
    """Return whether a claim is about the subject of *held*; what "we" do, any of a team or a family tells."""
    return normal(held.subject) == normal(said.subject) or _WE.search(normal(cited.clause)) is not None


def _quoted(text: str, where: int) -> bool:
    """Return whether the words at *where* quote somebody else; a title in quotation marks does not count."""
    return Quotations(text).hold(where) and text[where - 1] not in '"\u201c\u00ab'


def name_of(predicate: str) -> str:
    """Return a predicate in its registered form: `lives in` is `lives_in`."""
    return "_".join(re.findall(r"\w+", predicate.casefold().replace("_", " ")))
