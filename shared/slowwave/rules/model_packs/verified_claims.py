"""The conversion of verified claims into `Claim`s: typed claims if the predicate is registered, else statements."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from slowwave.core.beliefs.identity import normal
from slowwave.core.predicates import Predicates
from slowwave.core.predicates.sentences import since
from slowwave.domain.claim import CONFIDENCE, Claim, Source
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.model_calls import ENDS_UNHELD
from slowwave.rules.model_packs.times import When, when
from slowwave.rules.model_packs.transcript import SENTENCE, NumberedBelief, Transcript, Turn
from slowwave.rules.model_packs.verification import NEAR_TURNS, Unsaid, Verified
from slowwave.rules.model_packs.words import Lexicon, Wording, content, name_of, names
from slowwave.rules.model_packs.words import SourceWords as Words
from slowwave.rules.statements.statement_claims import HOME, slot_of

LONGEST_BESIDE = 400
"""The maximum number of cited characters of the turn beside a claim. They are its end, where an assistant asks."""
MOST_ELSEWHERE = 3
"""The maximum number of sentences of other turns that are cited for words that the cited turn does not contain."""
EVENTS = frozenset({"did"})
"""Registered predicates for which the model finds better words. An event becomes a statement."""

DEADLINE = "deadline"
_DUE = re.compile(
    r"(?:,? (?:which|that))?(?: (?:has|have|had|was|is|are)(?: been)?)?"
    r"(?: (?:slipped|moved|postponed|pushed(?: back)?|delayed|extended)(?: and| to)?)?"
    r"(?: (?:is|are))?(?: now)?(?: due)?$",
    re.IGNORECASE,
)
"""The end of an object that says only that a thing is due."""

_THING = re.compile(r"(?!user\b)[a-z](?=.*\d)")
"""A subject that is a thing. Its number distinguishes it from people: `release 2.1`."""
_THE_USER = re.compile(r"\bthe user(?=['’]s\b| (?:is|was|has|had|does|did|will|can)\b|[.,;]|$)")
"""A mention of the user in the object of a claim about another person. `the user interface` is no such mention."""


@dataclass(frozen=True, slots=True)
class ClaimBuilder:
    """Converts verified claims about a conversation (*talk*) into `Claim`s, under the name of a rule (*rule*)."""

    talk: Transcript
    predicates: Predicates
    rule: str
    lexicon: Lexicon = field(default_factory=Lexicon)

    def claims(self, one: Verified, ordinal: int) -> list[Claim]:
        """Return the `Claim`s for *one*, usually a single one, numbered from *ordinal* on. Raises `Unsaid`."""
        name = name_of(one.claim.predicate)
        due = self._due(one) if name == DEADLINE else None
        one = due or one
        if one.belief and one.claim.mode == "end":
            made = [self._ended(one, one.belief)]
        elif due or (self.predicates.knows(name) and one.support.every == 1.0 and name not in EVENTS):
            made = list(self._in_turn(self._typed(one, name), one))
        elif one.claim.mode == "assert":
            made = [*self._ending(one), self._claim(one, name, self._text(one, name))]
        else:
            raise Unsaid(ENDS_UNHELD)
        return [replace(claim, ordinal=ordinal + number) for number, claim in enumerate(made)]

    def _due(self, one: Verified) -> Verified | None:
        """Return a claim about a deadline in the form in which the due thing is the subject and the day is the object.

        Return None for a claim without a day, or for the end of a belief. The due thing is the given object, or the
        given subject if the subject is a thing.
        """
        thing, day = _DUE.sub("", one.claim.object).strip(), self._when(one).dated.strip(" ()")
        if _THING.match(one.claim.subject) and not set(content(one.claim.subject)) <= set(content(thing)):
            thing = one.claim.subject
        if not thing or not day or one.claim.mode == "end":
            return None
        return replace(one, claim=replace(one.claim, subject=thing, object=day, time=""))

    def _typed(self, one: Verified, name: str) -> Claim:
        known = self.predicates.of(name)
        name = name if known.open else known.name
        claim = self._claim(one, name, self._text(one, name))
        thing, _ = Wording(self.predicates, self.talk.called).parted(name, claim.object)
        typed = replace(claim, object=thing, mode=one.claim.mode, single_valued=known.single_valued, form="typed")
        return replace(typed, wrong=_replaced_object(typed, one)) if typed.mode == "correct" else typed

    def _in_turn(self, claim: Claim, one: Verified) -> Iterator[Claim]:
        """Give *claim* after the end of the belief that it replaces.

        If *claim* became true before the turn and is still true, give a second claim that starts at the time of the
        turn.
        """
        stated_at = one.cited.turn.episode.occurred
        replaced = _replaced_object(claim, one)
        if replaced and claim.mode == "assert" and not claim.single_valued:
            yield replace(claim, object=replaced, mode="end", text="", valid_from=stated_at)
        if not replaced and claim.mode == "assert":
            yield from self._ending(one)
        yield claim
        if claim.mode == "assert" and claim.tense == "current" and claim.valid_from < stated_at:
            yield replace(claim, valid_from=stated_at)

    def _ending(self, one: Verified) -> Iterator[Claim]:
        """Give the end of the belief that *one* ends, at the time of the turn. Give nothing for a future end."""
        if one.belief and one.ends and self._when(one).tense != "future":
            yield replace(self._ended(one, one.belief), valid_from=one.cited.turn.episode.occurred)

    def _ended(self, one: Verified, belief: NumberedBelief) -> Claim:
        """Return a claim that ends *belief*.

        For a statement, the claim has the exact text of the statement, so that no similar statement ends.
        """
        typed = belief.form == "typed"
        single = typed and self.predicates.of(belief.predicate).single_valued
        return replace(
            self._claim(one, belief.predicate, "" if typed else belief.text), subject=belief.subject,
            predicate=belief.predicate, object=belief.object, mode="end", single_valued=single, form=belief.form,
            tense="current",
        )  # fmt: skip

    def _text(self, one: Verified, name: str) -> str:
        called = self.talk.called or one.cited.turn.episode.speaker
        object_ = _THE_USER.sub(called, one.claim.object) if called else one.claim.object
        wording = Wording(self.predicates, self.talk.called)
        return wording.text(one.claim.subject, name, one.claim.predicate, object_, self._begun(one, name))

    def _begun(self, one: Verified, name: str) -> When:
        """Return the time of a claim. The date of a past move or new job becomes the start of a state: `since May`."""
        known, time = self.predicates.of(name), self._when(one)
        is_state = known.single_valued and known.object in ("place", "organisation", "person")
        if not (is_state and time.dated and time.tense == "current" and time.starts < one.cited.turn.episode.occurred):
            return time
        return replace(time, dated="", words=since(time.starts.date()))

    def _when(self, one: Verified) -> When:
        return when(one.claim.time, one.claim.predicate.replace("_", " "), one.cited.turn.episode)

    def _claim(self, one: Verified, name: str, text: str) -> Claim:
        turn, said, time = one.cited.turn.episode, one.claim, self._when(one)
        beside = one.cited.beside
        more = [*([_end_of(beside)] if beside else []), *self._elsewhere(one)]
        known = self.predicates.knows(name)
        slot = slot_of(text) if text and not known and time.tense != "past" else None
        filled = slot if slot != HOME else None
        return Claim(
            subject=said.subject, predicate=filled or name, object=said.object, mode="assert", certainty=said.certainty,
            confidence=CONFIDENCE[said.certainty], valid_from=time.starts, valid_to=None, single_valued=bool(filled),
            rule=self.rule, session=turn.session, source=Source(turn.id, turn.key, turn.position, *one.cited.span),
            ordinal=0, more_sources=tuple(more), form="statement", text=text,
            tense=time.tense,
        )  # fmt: skip

    def _elsewhere(self, one: Verified) -> list[Source]:
        """Return earlier sentences, nearest first, for words of the object that the cited turns do not contain.

        Any speaker may have said the sentences.

        A word must have been said shortly before the cited turn. A name may come from anywhere in the session.
        """
        cited, wanted = one.cited, one.claim.object
        own = self.lexicon.of(turn.episode.content for turn in (cited.turn, cited.beside) if turn)
        missing = [word for word in content(wanted) if not own.has_form(word)]
        called, found = frozenset(names(wanted)), list[Source]()
        for back, turn in enumerate(cited.before):
            sought = missing if back < NEAR_TURNS else [word for word in missing if word in called]
            if turn is cited.beside or not sought or len(found) == MOST_ELSEWHERE:
                continue
            present = [word for word in sought if self.lexicon.of([turn.episode.content]).has_form(word)]
            if present:
                found.append(_source_sentence(turn.episode, present))
                missing = [word for word in missing if word not in present]
        return found


def _replaced_object(claim: Claim, one: Verified) -> str:
    """Return the object of the replaced belief, or "" if this belief lacks the subject and predicate of *claim*."""
    belief = one.belief
    if belief is None or belief.form != "typed":
        return ""
    return (
        belief.object if (normal(belief.subject), belief.predicate) == (normal(claim.subject), claim.predicate) else ""
    )


def _source_sentence(episode: StoredEpisode, words: Sequence[str]) -> Source:
    """Return the first sentence of *episode* with any of *words*; the whole episode if *words* span two sentences."""
    for sentence in SENTENCE.finditer(episode.content):
        if any(map(Words([sentence[0]]).has_form, words)):
            lead = len(sentence[0]) - len(sentence[0].lstrip())
            return Source(episode.id, episode.key, episode.position, sentence.start() + lead, sentence.end())
    return Source(episode.id, episode.key, episode.position, 0, len(episode.content))


def _end_of(turn: Turn) -> Source:
    episode = turn.episode
    end = len(episode.content)
    return Source(episode.id, episode.key, episode.position, max(0, end - LONGEST_BESIDE), end)


def distinct(claims: Sequence[Claim]) -> list[Claim]:
    """Return *claims* without later claims that repeat an earlier claim about the same words."""
    by_key: dict[tuple[object, ...], Claim] = {}
    for claim in claims:
        identity = (claim.mode, claim.predicate, normal(claim.subject), normal(claim.object))
        by_key.setdefault((claim.source.position, claim.valid_from, *identity), claim)
    return list(by_key.values())
