"""Bring the summaries of a scope's sessions up to date: the summary so far and what is new make the next one."""

import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from slowwave.core.summaries.rolling import Line, join, subject
from slowwave.domain.claim import CONFIDENCE, Certainty, Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.fact import SUMMARY
from slowwave.domain.job_table import GROW, pack_of
from slowwave.domain.run import Run
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

        At temperature 0, where there is one. Raises `Unavailable` when asking later may help.
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


@dataclass(frozen=True, slots=True)
class Summarise:
    """A `Job`: one belief a session, its summary, whose sources are the words of its lines, newest first."""

    summariser: Summariser
    embedder: Embedder
    summaries: SummaryStore

    def think(self, run: Run, store: RunStore) -> Plan:
        """Return the summaries that change by the window's messages, and their vectors."""
        messages = [episode for episode in store.episodes(run) if episode.kind == "message"]
        claims = self._claims(run, messages)

        fold = store.held(run, claims) if claims else None
        decisions = [decision for claim in claims for decision in fold.decide(claim)] if fold else []

        new = [decision for decision in decisions if decision.kind in ("add", "update")]
        vectors = self.embedder.embed([decision.claim.text for decision in new])
        return Plan(
            decisions=decisions,
            fact_vectors={d.id: v for d, v in zip(new, vectors, strict=True) if v.any()},
            episodes=len(messages),
            effects=[Ask(GROW, pack_of(GROW), at_once=True)] if messages else [],
            counts={"summaries": len(new)},
        )

    def witness(self, run: Run) -> bool:
        """Return whether summarising works here at all."""
        del run  # one session is like another
        return bool(self.embedder.embed(["hello"]).any())

    def _claims(self, run: Run, messages: Sequence[StoredEpisode]) -> list[Claim]:
        said: dict[str, list[StoredEpisode]] = defaultdict(list)
        for message in messages:
            said[message.session].append(message)
        before = self.summaries.of(run.tenant, run.scope, list(said))
        claims = (self._claim(session, new, before.get(session)) for session, new in said.items())
        return [claim for claim in claims if claim is not None]

    def _claim(self, session: str, messages: Sequence[StoredEpisode], before: Previous | None) -> Claim | None:
        """The summary of a session, if it changes; late news changes it from now on, not in history."""
        lines = self.summariser.summarise(before.lines if before else (), messages)
        if not lines or (before and join(lines) == join(before.lines)):
            return None
        since = max(min(message.occurred, message.received) for message in messages)
        newest, *older = reversed(lines)
        return Claim(
            subject=subject(session),
            predicate=SUMMARY,
            object=join(lines),
            mode="assert",
            certainty=self.summariser.certainty,
            confidence=CONFIDENCE[self.summariser.certainty],
            valid_from=max(since, before.since + _MICROSECOND) if before else since,
            valid_to=None,
            single_valued=True,
            rule=f"summarise/{self.summariser.name}",
            session=session,
            source=newest.source,
            ordinal=messages[-1].position,  # no two runs take the same message to be a session's last new one
            more_sources=tuple(line.source for line in older),
            text=join(lines),
        )
