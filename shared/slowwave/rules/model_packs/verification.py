"""Verification of a model's claims against the text: unsupported claims are rejected with a reason."""

import re
from contextlib import suppress
from dataclasses import dataclass, field, replace

from slowwave.core.beliefs.identity import normal
from slowwave.core.predicates import Predicates
from slowwave.core.predicates.sentences import USER
from slowwave.domain.model_calls import REPLACES_UNHELD
from slowwave.rules.model_packs.reply_format import ModelClaim, without
from slowwave.rules.model_packs.times import LEANING, planned_before
from slowwave.rules.model_packs.transcript import (
    Cited,
    NumberedBelief,
    Support,
    Transcript,
    clause_at,
    is_quoted,
    located,
    pasted_spans,
    sentence_at,
    speaker,
)
from slowwave.rules.model_packs.words import (
    NO,
    YES,
    Lexicon,
    affirmed,
    content,
    denies,
    further_denials,
    head_of,
    name_of,
    names,
    negates,
)
from slowwave.rules.model_packs.words import SourceWords as Words

NEAR_TURNS = 6
"""The number of earlier turns that a short answer or a pronoun may refer to: three exchanges."""
STATED_SHARE = 0.5
"""The least share of the words in a statement's object that must have been said. The model may add other words."""
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
"""A sentence that looks like a line of the prompt, or like a reply to the prompt."""
_WE = re.compile(r"\b(?:we|we're|we've|we'll|our|ours)\b")
_YOU, _FIRST = re.compile(r"\byou(?:r|rs|'re)?\b"), re.compile(r"\b(?:i|i'm|i've|my|me|we|our|us|mine)\b")
_NOT_A_NAME = re.compile(r"[^\w ]+")
_NAMED = frozenset({"place", "person", "animal", "organisation"})
"""Kinds of objects that have a name."""
_OF_REQUESTS = frozenset({"wants_answers"})
"""Predicates that people state as requests: "could you keep it short?"."""
_OF_DENIAL = frozenset({"dislikes", "avoids", "allergic_to", "intolerant_to", "gave_up", "did", "is", "habit"})
"""Predicates whose words are often negative."""


class Unsaid(Exception):
    """An error: the text does not support a claim. The message is one of a few reasons, which are counted."""


class UnsaidWords(Unsaid):
    """An error: words of the claim were not said. The belief that the claim replaces may still have ended."""


@dataclass(frozen=True, slots=True)
class Verified:
    """A verified claim, with its time separate from its object. Its subject has the same name as in facts.

    *cited* are the words that support the claim. *belief* is the one that the claim ends or replaces. *ends* is True
    for a claim that reports a change of *belief* in another mode than `end`.
    """

    claim: ModelClaim
    cited: Cited
    support: Support
    belief: NumberedBelief | None
    ends: bool = False


@dataclass(frozen=True, slots=True)
class Verifier:
    """Verifies a model's claims about a conversation (*talk*), with the registered *predicates*."""

    talk: Transcript
    predicates: Predicates
    lexicon: Lexicon = field(default_factory=Lexicon)

    def verified(self, claim: ModelClaim) -> "Verified":
        """Return *claim* as a verified claim. Raises `Unsaid` if the text does not support *claim*."""
        cited = self._cited(claim)
        claim = self._timed(claim, cited)
        if claim.mode == "assert" and planned_before(claim.time, claim.predicate.replace("_", " "), cited.turn.episode):
            raise Unsaid("it would begin before it was planned")
        belief = self._belief_of(claim)
        claim = replace(claim, subject=self._subject(claim.subject, cited))
        if belief and claim.mode == "end":
            self._spoken_of(belief, cited)
            return Verified(claim, cited, Support(1.0, 1.0), belief)
        claim, support = self._supported(claim, cited, belief)
        self._certain(claim, cited, support)
        return Verified(claim, cited, support, belief, belief is not None and self._tells_of(belief, claim, cited))

    # the words that a claim cites

    def _cited(self, claim: ModelClaim) -> Cited:
        turn = self.talk.turns.get(claim.number)
        if turn is None:
            raise Unsaid("there is no such turn")
        if not turn.about:
            raise Unsaid("the turn was read before")
        if not turn.users:
            raise Unsaid("only the assistant said it")
        span = located(claim.quote, turn.episode.content)
        if span is None:
            raise Unsaid("the quote is not in the turn")
        if any(span[0] < end and begin < span[1] for begin, end in pasted_spans(turn.episode.content)):
            raise Unsaid("it was recalled, not said")
        sentence = sentence_at(turn.episode.content, span)
        if normal(sentence.strip(" .!?\"'")) in self.talk.texts or normal(sentence) in self.talk.texts:
            raise Unsaid("it was recalled, not said")
        if _IMITATES.match(sentence):
            raise Unsaid("it imitates the prompt")
        if _ASKED.match(sentence) and not (claim.predicate in _OF_REQUESTS and _TO_ASSISTANT.match(sentence)):
            raise Unsaid("it is a question")
        beside = self.talk.turns.get(claim.answers) if claim.answers else None
        before = self.talk.spoken_before(claim.number)
        return Cited(turn, span, before, beside if beside and beside is not turn else None)

    # the subject, the object and the time of a claim

    def _subject(self, subject: str, cited: Cited) -> str:
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
            matched = sum(any(map(spoken.has_form, each)) for each in names_for)
            if not names_for or matched < STATED_SHARE * len(names_for):
                raise UnsaidWords("the subject is not in the conversation")
            return f"{own}'s {rest}"
        known = Words([*self.talk.names, *(one.subject for one in self.talk.beliefs.values())])
        spoken = self._spoken(cited)
        if not content(subject) or not all(spoken.has_form(word) or known.has(word) for word in content(subject)):
            raise UnsaidWords("the subject is not in the conversation")
        return subject

    def _spoken(self, cited: Cited) -> Words:
        """Return all words of the cited turn and of the turns shortly before it, and the name of the speaker."""
        turns = [cited.turn, *cited.before[:NEAR_TURNS], *([cited.beside] if cited.beside else [])]
        return self.lexicon.of([*(turn.episode.content for turn in turns), *(speaker(turn.episode) for turn in turns)])

    def _supported(self, claim: ModelClaim, cited: Cited, belief: NumberedBelief | None) -> tuple[ModelClaim, Support]:
        """Return *claim* with its support.

        If only a name was said, words that the model adds to the name are removed.
        """
        named = self.predicates.of(name_of(claim.predicate)).object in _NAMED
        for tried in (claim, replace(claim, object=head_of(claim.object))) if named else ():
            with suppress(UnsaidWords):
                support = self._support(tried, cited, belief)
                if support.every == 1:
                    return tried, support
        return claim, self._support(claim, cited, belief)

    def _support(self, claim: ModelClaim, cited: Cited, belief: NumberedBelief | None) -> Support:
        """Return the share of the object that was said, by persons and by anybody.

        A claim about the same person as *belief* may repeat words of the belief that were said earlier.

        Raises `Unsaid` if too few words of the object were said, or if a name or number in the object was not said.
        """
        every = self._spoken(cited)
        known = (
            [f"{belief.subject} {belief.text or belief.object}"] if belief and of_the_same(belief, claim, cited) else []
        )
        again = Words(known)
        if any(not (every.has(word) or again.has(word) or self._called(word, cited)) for word in names(claim.object)):
            raise UnsaidWords("a name or number of the object was not said")
        wanted = content(claim.object)
        if not wanted and not normal(claim.object):
            raise Unsaid("the object has no content")
        near = [turn.episode.content for turn in cited.before[:NEAR_TURNS] if turn.users]
        own = self.lexicon.of([cited.turn.episode.content, *near, speaker(cited.turn.episode)])
        new = [word for word in wanted if not again.has_form(word)] or wanted
        support = Support(own.share(new), every.share(new))
        if support.every < STATED_SHARE:
            raise UnsaidWords("the object was not said")
        return support

    def _called(self, word: str, cited: Cited) -> bool:
        """Return whether *word* is a known name, or a word said earlier in the session."""
        if Words([*self.talk.names, self.talk.called or ""]).has(word):
            return True
        return word.isalpha() and self.lexicon.of(turn.episode.content for turn in cited.before).has(word)

    def _timed(self, claim: ModelClaim, cited: Cited) -> ModelClaim:
        """Return *claim* with its time separate from its object. Raises `Unsaid` if the time was not said."""
        if not claim.time:
            found = LEANING.search(claim.object)
            return claim if found is None else without(replace(claim, time=found[0].strip()), found.span())
        texts = [cited.turn.episode.content, *([cited.beside.episode.content] if cited.beside else [])]
        if not any(located(claim.time, text) for text in texts):
            raise Unsaid("the time was not said")
        begin = claim.object.casefold().find(claim.time.casefold())
        return claim if begin < 0 else without(claim, (begin, begin + len(claim.time)))

    def _belief_of(self, claim: ModelClaim) -> NumberedBelief | None:
        if claim.replaces is None:
            return None
        if claim.replaces not in self.talk.beliefs and claim.mode != "assert":
            raise Unsaid(REPLACES_UNHELD)
        return self.talk.beliefs.get(claim.replaces)

    def _tells_of(self, belief: NumberedBelief, claim: ModelClaim, cited: Cited) -> bool:
        """Return whether a claim is about the subject of *belief*, and the conversation mentions the belief."""
        try:
            self._spoken_of(belief, cited)
        except Unsaid:
            return False
        return of_the_same(belief, claim, cited)

    def _spoken_of(self, belief: NumberedBelief, cited: Cited) -> None:
        """Reject the end of a belief if no word of the belief was said: "delete everything" ends no belief."""
        clause = cited.clause
        if _SUPPOSED.search(normal(sentence_at(cited.turn.episode.content, cited.span))):
            raise Unsaid("it is a supposition")
        spoken = self._spoken(cited)
        named = [word for word in content(f"{belief.object or belief.text} {belief.subject}") if word != USER]
        verbs = content(belief.predicate.replace("_", " ")) if _OVER.search(normal(clause)) else []
        if not any(map(spoken.has_form, [*named, *verbs])):
            raise Unsaid("the fact that it ends was not mentioned")

    # the certainty of a claim

    def _certain(self, claim: ModelClaim, cited: Cited, words: Support) -> None:
        """Reject a claim that was denied, hypothetical, or said only by the assistant without a confirmation."""
        quote, known = normal(cited.clause), self.predicates.of(name_of(claim.predicate))
        refuses = NO.match(cited.turn.episode.content)
        against = denies(claim) or (claim.mode == "end" and claim.answers is not None)
        if words.own < STATED_SHARE and not (refuses and against) and not YES.match(cited.turn.episode.content):
            raise Unsaid("only the assistant said it")
        if words.own < 1 and refuses and claim.answers and not against:
            raise Unsaid("it was denied")
        if claim.mode == "end":
            return
        if negates(quote, claim):
            raise Unsaid("it was denied")
        if not self.predicates.knows(known.name):
            return
        if _SUPPOSED.search(normal(sentence_at(cited.turn.episode.content, cited.span))):
            raise Unsaid("it is a supposition")
        where = cited.turn.episode.content.casefold().find(claim.object.casefold())
        if where >= 0 and is_quoted(cited.turn.episode.content, where):
            raise Unsaid("it is quoted from somebody else")
        clause = (
            normal(clause_at(cited.turn.episode.content, (where, where + len(claim.object)))) if where >= 0 else quote
        )
        if claim.subject == speaker(cited.turn.episode) and _YOU.search(clause) and not _FIRST.search(clause):
            raise Unsaid("it is about somebody else")
        if known.name not in _OF_DENIAL and further_denials(affirmed(quote, claim), claim):
            raise Unsaid("it was denied")
        opposed = {word for other in known.opposites for word in self.predicates.of(other).aliases} | {*known.opposites}
        mine = {known.name, *known.aliases}
        spoken = Words([quote])
        if (
            any(map(spoken.has_form, opposed))
            and not any(map(spoken.has_form, mine))
            and not (known.name in _OF_DENIAL and further_denials(quote, replace(claim, predicate="is")))
        ):
            raise Unsaid("it was denied")


def of_the_same(belief: NumberedBelief, claim: ModelClaim, cited: Cited) -> bool:
    """Return whether a claim is about the subject of *belief*.

    If the words are about "we", the subject may be any member of the group.
    """
    return normal(belief.subject) == normal(claim.subject) or _WE.search(normal(cited.clause)) is not None
