"""Judgements of beliefs by a model: the turns and beliefs that the model reads, and how far the model was asked."""

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from sqlalchemy import Connection

from slowwave.core.contradiction.matters import Matters
from slowwave.core.contradiction.model_judgements import QuotedTurn
from slowwave.core.contradiction.reconsideration import Meaning, change_in
from slowwave.core.fold import Version
from slowwave.domain.claim import Source
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.job_table import RECONSIDER, pack_of
from slowwave.domain.model_calls import UNHELD
from slowwave.domain.run import Run
from slowwave.ports import IntentRequest
from slowwave.ports.model_calls import Planned, Reply
from slowwave.store.beliefs import affected_facts
from slowwave.store.beliefs.manual_corrections import sources_of
from slowwave.store.database import Repository
from slowwave.store.model_requests import add_requests, replies_of, turns_at
from slowwave.store.reconsideration.new_facts import beside, ended_since, learned_since, meanings, pairs_of
from slowwave.store.runs import settling
from slowwave.store.statements import execute

MOST_NEW_FACTS = 300
"""The maximum number of new facts of a night that are read, the latest first. A request contains a few dozen facts."""
MOST_REFUSED = 200
"""The maximum number of refused claims of a scope, the latest first, searched for ends of beliefs that nobody held."""
MOST_RUNS = 300
"""The maximum number of runs of a scope, the latest first, that are searched for turns read since the last night."""
CLOSED = frozenset({"answered", "dead", "split", "erased"})
"""The states of a closed request. A job that waits for a request continues when the request is closed."""
FIRINGS = tuple(f"{RECONSIDER}/{kind}" for kind in ("cron", "interval", "manual"))
"""The schedules of the job, including the manual schedule. A firing of any of them counts as a night."""


@dataclass(frozen=True, slots=True)
class AskingProgress:
    """The range of a scope's facts about which a model was asked: recorded after *since* and up to *until*.

    *waiting* is the request whose reply is not read yet, and *edition* is the edition of this request. *reply* has the
    state of the request, and the reply's text if it exists. *now* is the time at which the run began.
    """

    now: datetime
    until: datetime | None = None
    since: datetime | None = None
    waiting: str | None = None
    edition: str = ""
    reply: Reply | None = None


@dataclass(frozen=True, slots=True)
class RelatedBeliefs:
    """Recent *turns*, the *beliefs* that share words with these turns, and similarities of facts (*meaning*).

    The words in *common* are not compared, because they occur in too many beliefs. *before* has the source episodes of
    each belief, by fact.
    """

    turns: Sequence[QuotedTurn] = ()
    beliefs: Sequence[Version] = ()
    meaning: Meaning = field(default_factory=dict)
    common: Collection[str] = ()
    before: Mapping[uuid.UUID, Sequence[StoredEpisode]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ShownFacts:
    """The *facts* of a request that are still believed, with their similarities (*meaning*) and *sources*."""

    facts: Mapping[uuid.UUID, Version] = field(default_factory=dict)
    meaning: Meaning = field(default_factory=dict)
    sources: Mapping[uuid.UUID, Sequence[Source]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RecordProgress:
    """An instruction for the transaction that ends a run: store how far a model was asked about a scope.

    The model was asked about facts recorded after *since* and up to *until*. *waiting* is the request that waits for a
    reply. The requests in *let_go* are abandoned. The requests in *hopeless* were to be split, but cannot be split.
    """

    until: datetime | None
    since: datetime | None
    waiting: str | None = None
    planned: Planned | None = None
    let_go: Sequence[str] = ()
    hopeless: Sequence[str] = ()


class PostgresJudgements(Repository):
    """The model requests about beliefs. Each method is one transaction."""

    def asked(self, run: Run) -> AskingProgress:
        """Return how far a model was asked about the beliefs of the run's scope."""
        with self._database.tenant(run.tenant) as connection:
            row = execute(connection, "reconsideration/asked_until", run=run.run).mappings().one()
            replies = replies_of(connection, run.scope, [dict(row)]) if row["request"] is not None else [None]
            return AskingProgress(
                row["now"], row["told"], row["since"], row["waiting"], row["edition"] or "", replies[0]
            )

    def is_night(self, run: Run, after: datetime | None) -> bool:
        """Return whether a schedule of the job fired for the scope after the time *after*."""
        asked = {"schedules": list(FIRINGS), "scope": run.scope, "tenant": run.tenant, "after": after}
        with self._database.dispatch() as connection:
            return bool(execute(connection, "reconsideration/schedule_fired", **asked).scalar_one())

    def beside(self, run: Run, matters: Matters, after: datetime | None) -> RelatedBeliefs:
        """Return the turns of facts learned after *after*, and the beliefs that share words with these turns."""
        with self._database.tenant(run.tenant) as connection:
            return _beside(connection, run.scope, matters, after or "-infinity")

    def shown(self, run: Run, news: Collection[uuid.UUID], beliefs: Collection[uuid.UUID]) -> ShownFacts:
        """Return the still believed facts of a request, among the new facts *news* and the older *beliefs*."""
        facts = sorted({*news, *beliefs})
        with self._database.tenant(run.tenant) as connection:
            versions = affected_facts.open_of_facts(connection, run.scope, facts)
            pairs = sorted((one, other) for one in news for other in beliefs)
            return ShownFacts(
                {fact: mine[-1] for fact, mine in versions.items()},
                meanings(connection, run.scope, pairs),
                sources_of(connection, facts),
            )


def _beside(connection: Connection, scope: uuid.UUID, matters: Matters, after: datetime | str) -> RelatedBeliefs:
    news = learned_since(connection, scope, after, most=MOST_NEW_FACTS)
    rest = sources_of(connection, [one.fact for one in news])
    asked = {"scope": scope, "since": after, "reasons": sorted(UNHELD), "most": MOST_REFUSED}
    unheard = list(execute(connection, "reconsideration/unmatched_endings", **asked).scalars())
    wanted = {"scope": scope, "since": after, "runs": MOST_RUNS, "most": MOST_NEW_FACTS}
    untold = list(execute(connection, "reconsideration/turns_without_facts", **wanted).scalars())
    learned = (rest[one.fact][0].own_position for one in news)
    ended: dict[int, list[Version]] = {}
    for ending in ended_since(connection, scope, after, news, most=MOST_NEW_FACTS):
        ended.setdefault(ending.news.position, []).append(ending.earlier)
    turns = turns_at(connection, scope, sorted({*unheard, *untold, *learned, *ended}))
    beside_news = {**_changing(turns, [*untold, *ended]), **_whole(turns, unheard)}
    quoted = [
        replace(one, ended=tuple(ended.get(one.position, ()))) for one in _quoted_turns(news, rest, beside_news, turns)
    ]
    if not quoted:
        return RelatedBeliefs()
    texts = [f"{one.words} {one.facts}" for one in quoted]
    since = min(one.episode.occurred for one in quoted)
    beliefs, common = beside(connection, scope, texts, since, matters)
    over = [replace(fact, position=one.position) for one in quoted for fact in one.ended]
    meaning = meanings(connection, scope, pairs_of([*news, *over], beliefs, matters, common))
    return RelatedBeliefs(quoted, beliefs, meaning, common, _before(connection, scope, beliefs))


def _quoted_turns(
    news: Iterable[Version],
    rest: Mapping[uuid.UUID, Sequence[Source]],
    beside: Mapping[int, QuotedTurn],
    turns: Mapping[int, StoredEpisode],
) -> list[QuotedTurn]:
    """Return the turns of users that stated the new facts *news*, and those in *beside*, in order of position."""
    found = dict(beside)
    for one in news:
        source = rest[one.fact][0]
        turn = turns.get(source.own_position)
        if turn is None:
            continue
        before = found.get(turn.position, QuotedTurn(turn, source.start, source.end))
        begin, end = min(before.start, source.start), max(before.end, source.end)
        found[turn.position] = QuotedTurn(turn, begin, end, (*before.news, one))
    return [one for _, one in sorted(found.items()) if one.episode.kind == "message" and one.episode.role == "user"]


def _whole(turns: Mapping[int, StoredEpisode], positions: Iterable[int]) -> dict[int, QuotedTurn]:
    return {at: QuotedTurn(turns[at], 0, len(turns[at].content)) for at in positions if at in turns}


def _changing(turns: Mapping[int, StoredEpisode], positions: Iterable[int]) -> dict[int, QuotedTurn]:
    """Return the turns at *positions* that may report a change, each with the span of the words that report it."""
    spans = {at: change_in(turns[at].content) for at in positions if at in turns}
    return {at: QuotedTurn(turns[at], *span) for at, span in spans.items() if span}


def _before(
    connection: Connection, scope: uuid.UUID, beliefs: Sequence[Version]
) -> dict[uuid.UUID, list[StoredEpisode]]:
    """Return the source episodes of each belief in the belief's scope; omit sources in other scopes."""
    rest = sources_of(connection, [belief.fact for belief in beliefs])
    turns = turns_at(connection, scope, sorted({one.own_position for sources in rest.values() for one in sources}))
    return {
        fact: [turns[one.own_position] for one in sources if one.own_position in turns]
        for fact, sources in rest.items()
    }


@settling.write.register
def _looked(effect: RecordProgress, connection: Connection, run: Run) -> None:
    """Store a new request and the progress.

    If the reply exists already, create an intent for a run that reads the reply.
    """
    states = add_requests(connection, run, effect.planned) if effect.planned else set[str]()
    execute(connection, "model_requests/end_unsplittable", requests=list(effect.hopeless))
    execute(connection, "model_requests/void_unneeded", requests=sorted({*effect.let_go} - {effect.waiting}))
    fields = {"scope": run.scope, "told": effect.until, "since": effect.since, "waiting": effect.waiting}
    execute(connection, "reconsideration/store_progress", **fields)
    if states & CLOSED:
        settling.write(IntentRequest(RECONSIDER, pack_of(RECONSIDER), at_once=True), connection, run)
