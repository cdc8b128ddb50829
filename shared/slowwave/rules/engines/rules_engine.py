"""The engine `rules`: applies the patterns of a `pack.yaml` to episodes, and reads statements."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice

from slowwave.core.contradiction.namesakes import with_roles
from slowwave.core.predicates import Predicates
from slowwave.domain.claim import Claim, Source
from slowwave.domain.episode import StoredEpisode
from slowwave.rules.answers import Answers, Question, questions
from slowwave.rules.engines.deduplication import marked_together, without_duplicates
from slowwave.rules.engines.engine import Files
from slowwave.rules.engines.unclaimed import unclaimed
from slowwave.rules.matching import Finding, Matcher
from slowwave.rules.pack_schema import PackPart
from slowwave.rules.statements.statement_claims import StatementClaims

MOST_CLAIMS = 100
"""The maximum number of claims of one episode. An episode with more claims is not talk."""


def build(files: Files[PackPart]) -> "PatternReader":
    """Return the reader of a pack's patterns. If the pack requests statements, the reader also reads statements."""
    statements = StatementClaims(files.manifest.pack, files.manifest.version) if files.manifest.statements else None
    return _compiled(files.manifest, files.predicates, statements)


def _compiled(manifest: PackPart, predicates: Predicates, statements: StatementClaims | None) -> "PatternReader":
    matcher = Matcher(manifest)
    return PatternReader(manifest, matcher, Answers(manifest, matcher), predicates, statements)


def again(reader: "PatternReader", predicates: Predicates) -> "PatternReader":
    """Return *reader* adapted to other predicates."""
    return replace(reader, predicates=predicates)


@dataclass(frozen=True)
class PatternReader:
    """A `Reader` of a pack's patterns and, if *statements* is set, of statements.

    A pickle leaves out compiled expressions.
    """

    manifest: PackPart
    matcher: Matcher
    answers: Answers
    predicates: Predicates
    statements: StatementClaims | None = None

    def __reduce__(self) -> tuple[Callable[..., "PatternReader"], tuple[object, ...]]:
        return _compiled, (self.manifest, self.predicates, self.statements)

    @property
    def rules(self) -> tuple[str, ...]:
        """The ids of the enabled rules."""
        return tuple(rule.id for rule in self.manifest.rules if not rule.disabled)

    @property
    def looks_back(self) -> bool:
        """True if a rule of the pack reads answers."""
        return bool(self.answers.rules)

    def unclaimed(self, episodes: Sequence[StoredEpisode], belief: str) -> list[str]:
        """Return what stopped the rules that could make the *belief* of a case from *episodes*."""
        return unclaimed(self.matcher, episodes, belief)

    def without_statements(self) -> "PatternReader":
        """Return this reader limited to typed facts."""
        return replace(self, statements=None)

    def propose(self, episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of *episodes*, one episode after the other; the claims of an episode are in word order."""
        return self.propose_after((), episodes)

    def propose_after(self, before: Sequence[StoredEpisode], episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of *episodes*, which may be answers to the turns *before* them."""
        read = self.by_turn(before, episodes)
        return [claim for episode in episodes for claim in read(episode)]

    def by_turn(
        self, before: Sequence[StoredEpisode], episodes: Sequence[StoredEpisode]
    ) -> Callable[[StoredEpisode], list[Claim]]:
        """Return a function that reads one of *episodes*, in any order."""
        asked = questions(before, episodes, self.matcher.not_names, self.answers.may_ask) if self.answers.rules else {}

        def read(episode: StoredEpisode) -> list[Claim]:
            typed = self._claims(episode, asked.get(episode.position))
            stated = self.statements.claims(episode) if self.statements and _is_stated(episode) else ()
            claims = without_duplicates(typed, stated, episode.content)[:MOST_CLAIMS]
            return with_roles([marked_together(claim, episode.content) for claim in claims], self.predicates)

        return read

    def _claims(self, episode: StoredEpisode, question: Question | None) -> list[Claim]:
        answered = list(islice(self.answers.findings(episode, question), MOST_CLAIMS)) if question else []
        alone = islice(self.matcher.findings(episode), 10 * MOST_CLAIMS)
        findings = [*(one for one in alone if not any(_surer(other, one) for other in answered)), *answered]
        dated = [(one, begin, end) for one in _distinct(findings) for begin, end in _valid(episode.occurred, one)]
        return [self._claim(episode, ordinal, *one) for ordinal, one in enumerate(dated[:MOST_CLAIMS])]

    def _claim(
        self, episode: StoredEpisode, ordinal: int, found: Finding, begin: datetime, end: datetime | None
    ) -> Claim:
        subject, predicate, object = found.statement
        single = self.predicates.of(predicate).single_valued
        return Claim(
            subject=found.owner or subject,
            predicate=predicate,
            object=object,
            mode=found.mode(single_valued=single),
            certainty=found.certainty,
            confidence=found.confidence,
            valid_from=begin,
            valid_to=end,
            single_valued=single,
            rule=found.rule.name,
            session=episode.session,
            source=Source(episode.id, episode.key, episode.position, found.start, found.end),
            ordinal=ordinal,
            more_sources=(found.asked,) if found.asked else (),
            wrong=found.wrong,
            effect=found.rule.part.claim.effect,
        )


def _is_stated(episode: StoredEpisode) -> bool:
    """Return True for a message of a person. Only such messages are read as statements."""
    return (episode.role, episode.kind) == ("user", "message")


def _valid(occurred: datetime, found: Finding) -> list[tuple[datetime, datetime | None]]:
    """Return the start and end of each period in which the claim is valid.

    A claim that begins before the turn, and also holds or ends at the turn, gets a second period from the turn on.
    """
    part, time = found.rule.part.when_time, found.time
    if found.since:
        since, alone = found.since
        ends = found.rule.part.claim.mode == "end"
        begin = min(since.end, max(occurred, since.start)) if ends else since.start
        return [(begin, None)] if alone or begin >= occurred else [(begin, None), (occurred, None)]
    if part is None or time is None or part.use == "object":
        passes = part is not None and time is not None and part.passes and time.end > occurred
        return [(occurred, time.end if passes and time else None)]
    if part.use == "until":
        return [(occurred, time.end if time.end > occurred else None)]
    begin = time.start if part.use == "since" else min(time.end, max(occurred, time.start))
    return [(begin, None), (occurred, None)] if part.still and begin < occurred else [(begin, None)]


def _distinct(findings: Iterable[Finding]) -> list[Finding]:
    """Merge findings of several rules in the same words. The first rule in the pack wins.

    Findings about fulfilled plans are not merged with other findings.
    """
    unique: dict[tuple[int, str, str, bool], list[Finding]] = {}
    found: dict[int, list[Finding]] = {}
    for one in sorted(findings, key=lambda one: (one.rank, one.core)):
        subject, predicate, _ = one.statement
        fulfils = one.rule.part.claim.effect == "fulfil"
        others = unique.setdefault((one.sentence, subject.casefold(), predicate, fulfils), [])
        before = found.setdefault(one.sentence, [])
        if one.rule.part.otherwise and any(_in_words_of(one, other) for other in before):
            continue
        if not any(_same(one, other) for other in others):
            others.append(one)
            before.append(one)
    return sorted((one for others in unique.values() for one in others), key=lambda one: (one.core, one.rank))


def _surer(answer: Finding, alone: Finding) -> bool:
    """Return True if the words of an answer are more certain together with the question than alone."""
    about = [(one.sentence, one.statement[0].casefold(), one.statement[1]) for one in (answer, alone)]
    return about[0] == about[1] and answer.confidence > alone.confidence


def _same(one: Finding, other: Finding) -> bool:
    if (
        one.mode(single_valued=True) == other.mode(single_valued=True)
        and one.statement[2].casefold() == other.statement[2].casefold()
    ):
        return True
    return _in_words_of(one, other)


def _in_words_of(one: Finding, other: Finding) -> bool:
    return one.core[0] < other.core[1] and other.core[0] < one.core[1]
