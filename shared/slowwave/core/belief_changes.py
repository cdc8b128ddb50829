"""Changes of beliefs that a reconsideration (a comparison of new facts with older facts) finds. Each change becomes a
claim, which is compared with the believed facts.
"""

import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

from slowwave.core.beliefs.identity import compared_words, fact_fields, identity
from slowwave.core.contradiction.matters import Matters
from slowwave.core.contradiction.reconsideration import Ending, Kind, Meaning, Occurred, Verdict, verdicts
from slowwave.core.contradiction.reported_changes import head
from slowwave.core.fold import Decision, Fold, Version
from slowwave.core.time_spans import Span
from slowwave.core.withdrawal import withdraw
from slowwave.domain.claim import Claim, Source
from slowwave.domain.job_table import RECONSIDER

REASONS: Mapping[Kind, str] = {
    "ended": "ended by a later statement",
    "contradicted": "denied by a later statement",
    "same": "repeats an earlier belief in other words",
    "unsure": "could mean any of several beliefs",
    "near": "names a thing in other words, and may mean what is believed",
}
"""The reason that a delta gives for each kind of verdict. The delta cites the words of both the belief and the news."""
ASKS: Collection[Kind] = ("unsure", "near")
"""The kinds of verdicts that a person decides."""
STILL_VALID = "it still holds: what ended it may mean a belief that came late"
"""The reason of a delta that opens a belief again after a verdict had ended it."""
STILL_VALID_RULE = f"slowwave.{RECONSIDER}/held@1"
"""The rule of a delta that opens such a belief again."""
_ENDS = ("ended", "contradicted")


@dataclass(frozen=True, slots=True)
class Change:
    """A verdict on the first belief in *beliefs*, for example that this belief has ended. For a *kind* in `ASKS`, a
    person must choose the belief to which the verdict applies.

    *sources* are the words in *session* that support the verdict. *by* is `model-` for the verdict of a model, and
    empty otherwise. If a new fact only repeats the belief, *repeats* is the new fact, and *rests* are the sources of
    the new fact. The same belief and words always give the same *id*.
    """

    id: uuid.UUID
    kind: Kind
    by: str
    beliefs: Sequence[Version]
    sources: Sequence[Source]
    session: str
    since: datetime
    confidence: float
    repeats: Version | None = None
    rests: Sequence[Source] = ()

    @property
    def rule(self) -> str:
        """The rule name of the deltas of this change."""
        return f"slowwave.{RECONSIDER}/{self.by}{self.kind}@1"

    @property
    def claim(self) -> Claim:
        """The claim that the belief has ended, or that the belief was said again."""
        return Claim(
            **fact_fields(self.beliefs[0]), mode="assert" if self.kind == "same" else "end", certainty="explicit",
            confidence=self.confidence, valid_from=self.since, valid_to=None, rule=self.rule, session=self.session,
            source=self.sources[0], ordinal=0, more_sources=tuple(self.sources[1:]),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Lasting:
    """An ended *belief* whose end moves later, with its *sources*. The claim that ended the belief may really be about
    another belief, which arrived late.
    """

    belief: Version
    sources: Sequence[Source]

    @property
    def claim(self) -> Claim:
        """The claim that the belief is true."""
        belief = self.belief
        return Claim(
            **fact_fields(belief), mode="assert", certainty="explicit", confidence=belief.confidence,
            valid_from=belief.valid.start, valid_to=None, rule=STILL_VALID_RULE, session=belief.session,
            source=self.sources[0], ordinal=0, more_sources=tuple(self.sources[1:]),
        )  # fmt: skip

    def decided(self, fold: Fold) -> Iterator[Decision]:
        """Give the decision that extends the belief to its former end, or to the start of a later belief that replaced
        it.

        Give no decision if the belief has changed or already extends that far.
        """
        belief, claim = self.belief, self.claim
        versions = fold.active.get(belief.key, ())
        now = next((one for one in versions if one.row == belief.row), None)
        if now is None:
            return
        later = [one.valid.start for one in versions if one.valid.start >= now.valid.end]
        span = Span(now.valid.start, min([belief.valid.end, *later]))
        if span == now.valid:
            return
        id_ = uuid.uuid5(now.fact, f"held/{now.ended_by}")
        opened = replace(now, fact=id_, valid=span, row=None, rule=claim.rule, ended_by=None)
        decision = Decision(
            id_, "update", claim, now.key, fold.fingerprint(*identity(now)), STILL_VALID,
            replaces=(now.fact,), valid=span, closes=(now,), opens=(opened,),
        )  # fmt: skip
        fold.take(decision)
        yield decision


def name_of(scope: uuid.UUID, kind: Kind, belief: uuid.UUID, words: uuid.UUID) -> uuid.UUID:
    """Return the id of a verdict on a belief.

    *words* is the id of the new fact or the episode that caused the verdict.
    """
    return uuid.uuid5(scope, f"{RECONSIDER}/{kind}/{belief}/{words}")


def asked(scope: uuid.UUID, news: Claim, beliefs: Sequence[Version]) -> Change:
    """Return a change that asks a person which of *beliefs* has ended. *news* is a claim that something has ended, in
    words that match no belief exactly.

    The change has the same id each time it is found, so a person is asked only once.
    """
    id_ = uuid.uuid5(scope, f"{RECONSIDER}/near/{news.source.episode}/{head(news)}")
    return Change(
        id_, "near", "", beliefs, [news.source, *news.more_sources], news.session, news.valid_from, news.confidence
    )


def decided(fold: Fold, changes: Iterable[Change]) -> Iterator[Decision]:
    """Give the decisions that follow from *changes*, one after the other.

    Changes of beliefs that are no longer held are skipped.
    """
    for change in changes:
        fold.derive = partial(_decision_id, change.id)
        reason = REASONS[change.kind]
        if change.kind in ASKS:
            yield fold.ask(change.claim, reason, [_now(belief, fold) for belief in change.beliefs])
            continue
        decisions = fold.weigh(change.claim)
        if [decision.about for decision in decisions] != [change.beliefs[0].fact]:
            continue
        (decision,) = decisions
        fold.take(decision)
        yield replace(decision, reason=reason)
        if (news := change.repeats) is not None:
            yield withdraw(
                [version for version in fold.active.get(news.key, ()) if version.fact == news.fact] or [news],
                id=uuid.uuid5(change.id, "withdrawn"), rule=change.rule, reason=reason, at=news.valid.start,
                sources=change.rests, fingerprint=fold.fingerprint,
            )  # fmt: skip


def _decision_id(change: uuid.UUID, _claim: Claim, number: int) -> uuid.UUID:
    return uuid.uuid5(change, str(number)) if number else change


def _now(belief: Version, fold: Fold) -> Version:
    """Return the current version of a belief, or *belief* itself if there is none. The current version may have another
    fact id.
    """
    versions = [one for one in fold.active.get(belief.key, ()) if compared_words(one) == compared_words(belief)]
    same = next((one for one in versions if one.fact == belief.fact), None)
    return same or next((one for one in versions if one.valid.start == belief.valid.start), belief)


@dataclass(frozen=True, slots=True)
class Learned:
    """The facts learned since the last run (*news*), and the current *beliefs* that share words with these facts.

    *meaning* has the similarities between the new facts and the beliefs. *common* has the words that occur in too many
    beliefs to be looked up. *sources* has the sources of each fact. *endings* has the facts that ended or were replaced
    since the last run.

    *unmatched* has the claims that something has ended for which no belief was found, each claim with its speaker.
    *recent* has the current beliefs that were mentioned last; it is empty if *unmatched* is empty.

    *backfilled* has the ids of facts from late arrivals, which are episodes that were read after later episodes. If
    there are such facts, *news* and *endings* also contain known facts about later times, *beliefs* also contains the
    beliefs that these known facts have ended, *ended* has the ids of these beliefs, and *occurred* has the times of all
    turns.
    """

    news: Sequence[Version] = ()
    beliefs: Sequence[Version] = ()
    meaning: Meaning = field(default_factory=dict)
    common: Collection[str] = ()
    sources: Mapping[uuid.UUID, Sequence[Source]] = field(default_factory=dict)
    endings: Sequence[Ending] = ()
    occurred: Occurred | None = None
    backfilled: Collection[uuid.UUID] = ()
    ended: Collection[uuid.UUID] = ()
    unmatched: Sequence[tuple[Claim, str]] = ()
    recent: Sequence[Version] = ()

    def verdicts(self, matters: Matters, *, without_backfilled: bool = False) -> list[Verdict]:
        """Return the verdicts on the beliefs. With *without_backfilled*, leave out facts from late arrivals."""
        beliefs = [one for one in self.beliefs if not (without_backfilled and one.fact in self.backfilled)]
        found = verdicts(
            self.news, beliefs, self.meaning, matters, common=self.common, endings=self.endings, occurred=self.occurred
        )
        return list(found)

    def wrongly_ended(self, judged: Iterable[Verdict], matters: Matters) -> list[Version]:
        """Return the beliefs that have ended, but would not have ended if the late facts had been known in time.
        *judged* are the verdicts with the late facts.
        """
        if not self.ended:
            return []
        over = {one.beliefs[0].fact for one in judged if one.kind in _ENDS}
        was = [one.beliefs[0] for one in self.verdicts(matters, without_backfilled=True) if one.kind in _ENDS]
        return [belief for belief in was if belief.fact in self.ended and belief.fact not in over]
