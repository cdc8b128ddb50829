"""Update the summaries of a scope's sessions, each from the summary so far and the new turns."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol

from slowwave.core.summaries.extractive_summary import Line, join, quoted, subject
from slowwave.core.summaries.model_summary import count_unsupported
from slowwave.core.working_memory import evicted
from slowwave.domain.claim import CONFIDENCE, Certainty, Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.fact import SUMMARY
from slowwave.domain.job_table import GROW, pack_of
from slowwave.domain.queries.summary import QUOTING
from slowwave.domain.run import Run
from slowwave.ports import Embedder, IntentRequest, Plan
from slowwave.store.runs.runs import PostgresRuns
from slowwave.store.summaries.model_summaries import PostgresSummaries, Previous, RecordSummarised

_MICROSECOND = timedelta(microseconds=1)


class Summariser(Protocol):
    """A method that makes the next summary from the previous summary and new messages."""

    @property
    def name(self) -> str:
        """The name of the method. The name is part of the rule in each summary."""

    @property
    def version(self) -> int:
        """The version of the method."""

    @property
    def certainty(self) -> Certainty:
        """The certainty of the summaries: `explicit` if the method quotes, a lower certainty if it rephrases."""

    def summarise(self, previous: Sequence[Line], messages: Sequence[StoredEpisode]) -> list[Line]:
        """Return the lines of the next summary, each with the words on which the line is based.

        A model must run at temperature 0. If a line has names or numbers that are in neither input, the caller rejects
        the summary, and quotes the most informative sentences instead. Raises `Unavailable` if a later attempt may
        succeed.
        """


@dataclass(frozen=True, slots=True)
class _Found:
    """The lines of the next summary, the name of the method that made them, and their certainty."""

    lines: Sequence[Line]
    name: str
    certainty: Certainty


@dataclass(frozen=True, slots=True)
class Summarise:
    """A `Job` that keeps one belief per session: the summary.

    The sources of this belief are the quoted words of the summary's lines, newest first. If *retold* is True, another
    job later asks a model to rephrase the summary.
    """

    summariser: Summariser
    embedder: Embedder
    summaries: PostgresSummaries
    retold: bool = False

    def think(self, run: Run, store: PostgresRuns) -> Plan:
        """Return the summaries that the window's messages change, and their vectors."""
        messages = [episode for episode in store.episodes(run) if episode.kind == "message"]
        left = self.summaries.evicted(run)
        heard = [RecordSummarised({one.session: one.position for one in messages})] if self.retold else []
        claims, reasons = self._claims(run, messages)

        fold = store.fold(run, claims) if claims else None
        decisions = [decision for claim in claims for decision in fold.decide(claim)] if fold else []

        new = [decision for decision in decisions if decision.kind in ("add", "update")]
        vectors = self.embedder.embed([decision.claim.text for decision in new])
        return Plan(
            decisions=decisions,
            fact_vectors={d.id: v for d, v in zip(new, vectors, strict=True) if v.any()},
            episodes=len(messages),
            effects=[IntentRequest(GROW, pack_of(GROW)), *heard] if messages else [],
            counts={"summaries": len(new), **reasons},
            says=evicted(left) if left else "",
        )

    def witness(self, run: Run) -> bool:
        """Return whether the summariser works in this process."""
        del run  # all sessions are alike
        return bool(self.embedder.embed(["hello"]).any())

    def _claims(self, run: Run, messages: Sequence[StoredEpisode]) -> tuple[list[Claim], Counter[str]]:
        """Return the changed summaries, and the number of rejected summaries by reason."""
        by_session: dict[str, list[StoredEpisode]] = defaultdict(list)
        for message in messages:
            by_session[message.session].append(message)
        before = self.summaries.of(run.tenant, run.scope, list(by_session))
        claims, reasons = list[Claim](), Counter[str]()
        for session, new in by_session.items():
            found, made_up = self._summed_up(before.get(session), new)
            reasons.update({f"summaries_with_unsaid_{kind}": 1 for kind in made_up})
            claim = self._claim(session, new, before.get(session), found)
            claims += [] if claim is None else [claim]
        return claims, reasons

    def _summed_up(self, before: Previous | None, messages: Sequence[StoredEpisode]) -> tuple[_Found, Counter[Any]]:
        """Return the lines of the next summary.

        If the summariser gives names or numbers that nobody said, the lines are quotes instead. The lines of a quoting
        summariser are not checked, because they are the speakers' words.
        """
        previous = before.lines if before else ()
        lines = self.summariser.summarise(previous, messages)
        if self.summariser.certainty == "explicit":
            return _Found(lines, self.summariser.name, "explicit"), Counter()
        words = (f"{message.speaker or message.role}: {message.content}" for message in messages)
        made_up = count_unsupported((line.text for line in lines), [*(line.text for line in previous), *words])
        if made_up:
            return _Found(quoted(previous, messages), QUOTING, "explicit"), made_up
        return _Found(lines, self.summariser.name, self.summariser.certainty), made_up

    def _claim(
        self, session: str, messages: Sequence[StoredEpisode], before: Previous | None, found: _Found
    ) -> Claim | None:
        """Return the summary of a session, or None if it is unchanged.

        A late message does not change summaries of the past.
        """
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
            ordinal=messages[-1].position,  # no two runs have the same last new message of a session
            more_sources=tuple(line.source for line in older),
            text=join(lines),
        )
