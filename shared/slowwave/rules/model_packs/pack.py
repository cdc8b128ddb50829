"""A model pack turns episodes into requests, and replies into verified claims. It has test cases."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from slowwave.core.beliefs.identity import normal
from slowwave.core.contradiction.matters import Matters
from slowwave.core.fold import Version
from slowwave.core.predicates import Predicates
from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.model_calls import Chunk, Reading, Rejected
from slowwave.errors import Unreadable
from slowwave.ports.model_calls import ModelExtractor
from slowwave.rules.cadence import Cadence
from slowwave.rules.cases import Case, FailedCase, check_cases
from slowwave.rules.model_packs.planning import Beside, chunk, cut, halves
from slowwave.rules.model_packs.reply_format import MOST_A_TURN, SCHEMA, ModelClaim, claim_of, claims_of
from slowwave.rules.model_packs.times import when
from slowwave.rules.model_packs.transcript import Transcript, sentence_at
from slowwave.rules.model_packs.verification import Unsaid, UnsaidWords, Verifier, of_the_same
from slowwave.rules.model_packs.verified_claims import ClaimBuilder, distinct
from slowwave.rules.model_packs.words import SourceWords as Words
from slowwave.rules.model_packs.words import content, names, negates
from slowwave.rules.predicates import Declared

MOST_REJECTED = 200
"""The maximum number of rejected claims of one reply that are stored. Further rejected claims are only counted."""
SHARED_WORDS = 2
"""The least number of words that a belief shares with the belief that it depends on."""
READING = 1
"""The version of the reply parser. The prompt's version includes this version, because a prompt is written for one
parser.
"""


class ReadCase(Case):
    """A case with the recorded *replies* to its requests, in order. A reply is a list of claims, or the raw text."""

    replies: Annotated[list[list[dict[str, Any]] | str], Field(min_length=1)]

    @property
    def raw(self) -> list[str]:
        """The replies in the form that a provider returns."""
        return [
            one if isinstance(one, str) else json.dumps({"claims": one}, ensure_ascii=False, default=str)
            for one in self.replies
        ]


@dataclass(frozen=True, slots=True)
class Recorded:
    """An `Extractor` that uses recorded *replies*. A request without a recorded reply yields no claims."""

    reader: ModelExtractor
    replies: Sequence[str]

    @property
    def pack(self) -> str:
        return self.reader.pack

    @property
    def version(self) -> int:
        return self.reader.version

    def propose(self, episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of the replies, in order. Raises `Unreadable` for an invalid reply."""
        chunks = self.reader.plan(episodes, [], [], [])
        readings = [self.reader.read(chunk, reply) for chunk, reply in zip(chunks, self.replies, strict=False)]
        claims = [claim for reading in readings for claim in reading.claims]
        return sorted(claims, key=lambda claim: (claim.source.position, claim.ordinal))

    def sound(self) -> bool:
        return True


@dataclass(frozen=True)
class ReaderPack:
    """A `ModelExtractor`: a *prompt*, a schedule, and test cases with recorded replies.

    *predicates* are the predicates that the pack uses; *declared* has their declarations in files. *model* is the model
    with its settings. *languages* are the languages that the pack reads; if *languages* is empty, the pack reads any
    language.
    """

    pack: str
    version: int
    folder: Path
    cadence: Cadence
    declared: tuple[Declared, ...] = field(repr=False)
    predicates: Predicates = field(repr=False)
    cases: tuple[ReadCase, ...]
    prompt: str = field(repr=False)
    digest: str
    next_runs: tuple[datetime, ...]
    model: str = "none"
    languages: tuple[str, ...] = ()

    @property
    def prompt_version(self) -> str:
        """The pack, and a digest of everything that affects a reply: the prompt, the schema and the reply parser."""
        inputs = json.dumps([self.prompt, SCHEMA, READING], sort_keys=True)
        return f"{self.pack}@{self.version}-{hashlib.sha256(inputs.encode()).hexdigest()[:10]}"

    def plan(
        self,
        episodes: Sequence[StoredEpisode],
        before: Sequence[StoredEpisode],
        believed: Sequence[Version],
        names: Sequence[str],
    ) -> list[Chunk]:
        """Return the requests about *episodes*; short sessions share a request.

        Turns of an assistant without a user's turn get no request.
        """
        beside = Beside([*before, *episodes], believed, names, Matters(self.predicates))
        parts = (part for part in cut(episodes) if any(turn.role == "user" for turn in part))
        return [chunk(self.prompt, part, beside) for part in parts]

    def halves(self, chunk: Chunk) -> tuple[Chunk, Chunk] | None:
        """Return a chunk split in two; None if the chunk has only one turn of a user."""
        return halves(self.prompt, chunk)

    def read(self, chunk: Chunk, reply: str) -> Reading:
        """Return the claims of *reply* that the turns support, and the rejected claims. Raises `Unreadable`."""
        claims = claims_of(reply)
        talk = Transcript.of(chunk.episodes, chunk.before, chunk.words.noted)
        reader = _Reader(talk, self.predicates, f"{self.pack}/model@{self.version}")
        most = MOST_A_TURN * max(1, len(chunk.episodes))
        repeated = repeated_ends(list(map(claim_of, claims[:most])), talk)
        for number, one in enumerate(claims[:most]):
            if number not in repeated:
                reader.read(one)
        reader.too_many(len(claims) - most, chunk.positions)
        return Reading(reader.ordered(), reader.rejected)

    def smallest(self) -> Chunk:
        """Return the chunk of the pack's shortest test case."""
        case = min(self.cases, key=lambda one: sum(len(message.text) for message in one.episodes))
        return self.plan(case.stored, [], [], [])[0]

    def sound(self) -> bool:
        """Return whether the pack passes its own test cases, with their recorded replies, in this process."""
        return not self.failures()

    def failures(self, replies: Mapping[str, Sequence[str]] | None = None) -> list[FailedCase]:
        """Return the cases that fail with their recorded replies.

        If *replies* has replies by case, use these instead.
        """
        failed = []
        for case in self.cases:
            given = case.raw if replies is None else replies[case.it]
            try:
                failed += check_cases(Recorded(self, given), [case], self.predicates)
            except Unreadable as error:
                broke = f"the reply cannot be read: {error.message}"
                failed.append(FailedCase(case.it, None, tuple(case.believe), (), {}, broke))
        return failed


def repeated_ends(claims: Sequence[ModelClaim | None], talk: Transcript) -> set[int]:
    """Return the numbers of the claims that end a belief which another claim of the same turn already ends.

    "My new GP is Dr. Hughes, Dr. Patel retired" is one change, the change of the GP.
    """
    over = {
        (one.number, normal(belief.object.partition(",")[0]))
        for one in claims
        if one and one.replaces and (belief := talk.beliefs.get(one.replaces)) and belief.form == "typed"
    }
    return {
        number
        for number, one in enumerate(claims)
        if one
        and one.replaces is None
        and (one.number, normal(one.subject)) in over
        and any(
            other and other is not one and other.number == one.number and other.mode == "assert"
            and names(one.subject) and Words([other.object]).has(names(one.subject)[-1])
            for other in claims
        )
    }  # fmt: skip


class _Reader:
    """The parser of the claims of one reply."""

    def __init__(self, talk: Transcript, predicates: Predicates, rule: str) -> None:
        self._talk = talk
        self._verifier, self._maker = Verifier(talk, predicates), ClaimBuilder(talk, predicates, rule)
        self._claims: list[Claim] = []
        self._next: Counter[int] = Counter()
        self._first = min((turn.episode.position for turn in talk.turns.values() if turn.about), default=0)
        self._over: list[ModelClaim] = []
        self.rejected: list[Rejected] = []

    def read(self, fields: Mapping[str, Any]) -> None:
        """Accept a claim, or reject the claim with a reason."""
        one = claim_of(fields)
        if one is None:
            return self._reject(self._first, "it does not match the schema of a claim", fields)
        turn = self._talk.turns.get(one.number)
        position = turn.episode.position if turn and turn.about else self._first
        one = self._resting(one)
        try:
            made = self._maker.claims(self._verifier.verified(one), self._next[position])
        except Unsaid as error:
            self._reject(position, str(error), fields)
            made = self._ended_by(one, self._next[position]) if isinstance(error, UnsaidWords) else []
        self._next[position] += len(made)
        self._claims += made
        if made and one.replaces:
            self._over.append(one)

    def _resting(self, one: ModelClaim) -> ModelClaim:
        """Return *one*, with another certainty if *one* ends a belief that depends on another ended belief.

        The certainty is then that of the claim that ends the other belief. A belief depends on another belief if they
        share two words: "dictates because of a broken wrist" depends on "has a cast on the broken wrist".
        """
        belief = self._talk.beliefs.get(one.replaces or 0)
        if belief is None or one.mode != "end":
            return one
        rests = Words([belief.text or belief.object])
        for over in self._over:
            replaced = self._talk.beliefs.get(over.replaces or 0)
            named = content(replaced.text or replaced.object) if replaced and over.number == one.number else []
            if sum(map(rests.has_form, set(named).difference(content(belief.subject)))) >= SHARED_WORDS:
                return replace(one, certainty=over.certainty)
        return one

    def _ended_by(self, one: ModelClaim, ordinal: int) -> list[Claim]:
        """Return the end of the belief that a rejected claim replaces, if the cited sentence names this belief."""
        belief = self._talk.beliefs.get(one.replaces or 0)
        if belief is None or one.mode != "assert" or one.certainty == "uncertain":
            return []
        try:
            end = self._verifier.verified(replace(one, mode="end", subject=belief.subject))
        except Unsaid:
            return []
        turn = end.cited.turn.episode
        sentence = Words([sentence_at(turn.content, end.cited.span)])
        mentioned = any(map(sentence.has_form, content(f"{belief.object or belief.text} {belief.subject}")))
        ahead = when(one.time, one.predicate.replace("_", " "), turn).tense == "future"
        if not mentioned or ahead or not of_the_same(belief, one, end.cited) or negates(normal(end.cited.clause), one):
            return []
        return self._maker.claims(end, ordinal)

    def too_many(self, count: int, positions: Sequence[int]) -> None:
        """Reject *count* unparsed claims together, with one reason."""
        if count > 0:
            self._reject(min(positions, default=0), "too many claims for these turns", {"claims": count})

    def ordered(self) -> list[Claim]:
        """Return the claims in the order of the turns."""
        return sorted(distinct(self._claims), key=lambda claim: (claim.source.position, claim.ordinal))

    def _reject(self, position: int, reason: str, fields: Mapping[str, Any]) -> None:
        if len(self.rejected) < MOST_REJECTED:
            self.rejected.append(Rejected(position, reason, _short(fields)))


def _short(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return a claim with each of its parts cut to the length of a fact."""
    return {
        str(key)[:20]: value[:300] if isinstance(value, str) else _plain(value) for key, value in [*fields.items()][:12]
    }


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, int | float | bool) else str(value)[:300]
