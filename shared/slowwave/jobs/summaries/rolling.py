"""Bring the summaries of a scope's sessions up to date: the summary so far and what is new make the next one."""

import uuid
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from slowwave.core.summaries.rolling import QUOTING, Line, join, quoted, subject
from slowwave.core.summaries.unsaid import unsaid
from slowwave.core.working import evicted
from slowwave.domain.claim import CONFIDENCE, Certainty, Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.fact import SUMMARY
from slowwave.domain.job_table import GROW, pack_of
from slowwave.domain.run import Run
from slowwave.jobs.summaries.retold import Heard
from slowwave.ports import Ask, Embedder, Plan, RunStore

_MICROSECOND = timedelta(microseconds=1)


class Summariser(Protocol):
    """A summary and messages to the next summary."""

    @property
    def name(self) -> str:
        """The name of the way it summarises; part of the rule each summary carries."""

    @property
    def version(self) -> int:
        """Its version."""

    @property
    def certainty(self) -> Certainty:
        """`explicit` where a summary quotes, less where it rephrases."""

    def summarise(self, previous: Sequence[Line], messages: Sequence[StoredEpisode]) -> list[Line]:
        """Return the lines of the next summary, each with the words it rests on.

        At temperature 0, where there is one. What says names or numbers that are in neither is not taken over, and
        the sentences that say most are quoted in its place. Raises `Unavailable` when asking later may help.
        """


@dataclass(frozen=True, slots=True)
class Previous:
    """The summary a session has, and since when."""

    lines: Sequence[Line]
    since: datetime


class SummaryStore(Protocol):
    """The summaries that are held."""

    def of(self, tenant: str, scope: uuid.UUID, sessions: Sequence[str]) -> Mapping[str, Previous]:
        """Return the latest summary of each session that has one."""

    def evicted(self, run: Run) -> int:
        """Return how many turns left working memories for the sake of a summary up to the run's positions."""


@dataclass(frozen=True, slots=True)
class _Found:
    """The lines of the next summary, the name of the way they were found, and how sure they are."""

    lines: Sequence[Line]
    name: str
    certainty: Certainty


@dataclass(frozen=True, slots=True)
class Summarise:
    """A `Job`: one belief a session, its summary, whose sources are the words of its lines, newest first.

    Where it is *retold*, a model is asked to say it in other words, later.
    """

    summariser: Summariser
    embedder: Embedder
    summaries: SummaryStore
    retold: bool = False

    def think(self, run: Run, store: RunStore) -> Plan:
        """Return the summaries that change by the window's messages, and their vectors."""
        messages = [episode for episode in store.episodes(run) if episode.kind == "message"]
        left = self.summaries.evicted(run)
        claims, reasons = self._claims(run, messages)

        fold = store.held(run, claims) if claims else None
        decisions = [decision for claim in claims for decision in fold.decide(claim)] if fold else []

        new = [decision for decision in decisions if decision.kind in ("add", "update")]
        vectors = self.embedder.embed([decision.claim.text for decision in new])
        return Plan(
            decisions=decisions,
            fact_vectors={d.id: v for d, v in zip(new, vectors, strict=True) if v.any()},
            episodes=len(messages),
            effects=[Ask(GROW, pack_of(GROW)), *self._heard(messages)] if messages else [],
            counts={"summaries": len(new), **reasons},
            says=evicted(left) if left else "",
        )

    def witness(self, run: Run) -> bool:
        """Return whether summarising works here at all."""
        del run  # one session is like another
        return bool(self.embedder.embed(["hello"]).any())

    def _heard(self, messages: Sequence[StoredEpisode]) -> list[Heard]:
        return [Heard({message.session: message.position for message in messages})] if self.retold else []

    def _claims(self, run: Run, messages: Sequence[StoredEpisode]) -> tuple[list[Claim], Counter[str]]:
        """Return the summaries that change, and how many were not taken over for which reason."""
        said: dict[str, list[StoredEpisode]] = defaultdict(list)
        for message in messages:
            said[message.session].append(message)
        before = self.summaries.of(run.tenant, run.scope, list(said))
        claims, reasons = list[Claim](), Counter[str]()
        for session, new in said.items():
            found, made_up = self._summed_up(before.get(session), new)
            reasons.update({f"summaries_with_unsaid_{kind}": 1 for kind in made_up})
            claim = self._claim(session, new, before.get(session), found)
            claims += [] if claim is None else [claim]
        return claims, reasons

    def _summed_up(self, before: Previous | None, messages: Sequence[StoredEpisode]) -> tuple[_Found, Counter[Any]]:
        """Return the lines of the next summary: quotes, where the summariser tells names or numbers that nobody said.

        Who quotes is taken at its word: its lines were said.
        """
        previous = before.lines if before else ()
        lines = self.summariser.summarise(previous, messages)
        if self.summariser.certainty == "explicit":
            return _Found(lines, self.summariser.name, "explicit"), Counter()
        words = (f"{message.speaker or message.role}: {message.content}" for message in messages)
        made_up = unsaid((line.text for line in lines), [*(line.text for line in previous), *words])
        if made_up:
            return _Found(quoted(previous, messages), QUOTING, "explicit"), made_up
        return _Found(lines, self.summariser.name, self.summariser.certainty), made_up

    def _claim(
        self, session: str, messages: Sequence[StoredEpisode], before: Previous | None, found: _Found
    ) -> Claim | None:
        """The summary of a session, if it changes; late news changes it from now on, not in history."""
        lines = found.lines
        if not lines or (before and join(lines) == join(before.lines)):
            return None
        since = max(min(message.occurred, message.received) for message in messages)
        newest, *older = reversed(lines)
        return Claim(
            subject=subject(session),
            predicate=SUMMARY,
            object=join(lines),
            mode="assert",
            certainty=found.certainty,
            confidence=CONFIDENCE[found.certainty],
            valid_from=max(since, before.since + _MICROSECOND) if before else since,
            valid_to=None,
            single_valued=True,
            rule=f"summarise/{found.name}",
            session=session,
            source=newest.source,
            ordinal=messages[-1].position,  # no two runs take the same message to be a session's last new one
            more_sources=tuple(line.source for line in older),
            text=join(lines),
        )
