"""Operator queries about one tenant, and the retry of its dead letters. Every method is one transaction."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from slowwave.domain.audit import AuditFilter, AuditRow
from slowwave.domain.claim import Form
from slowwave.domain.dead_letter import DeadLetter
from slowwave.domain.delta import AppliedDelta, Kind
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.fact import Fact
from slowwave.domain.job_table import CONSOLIDATE, PLAN, PUSHED
from slowwave.domain.overview import (
    ModelCallsOverview,
    Moves,
    Overview,
    PastRun,
    Person,
    ProviderState,
    RejectedClaim,
    Retry,
    Waiting,
)
from slowwave.domain.scope import Scope
from slowwave.domain.standing import Standing
from slowwave.domain.stats import Stats
from slowwave.errors import Incorrect, NotFound
from slowwave.store import dead_letters
from slowwave.store.audit import log as audit
from slowwave.store.beliefs import deltas
from slowwave.store.beliefs.facts import facts as stored_facts
from slowwave.store.database import Repository
from slowwave.store.direct import ask
from slowwave.store.memory_state.standing import standings
from slowwave.store.operator import stats
from slowwave.store.queries.conversation_turns import languages
from slowwave.store.statements import execute


def _queue(connection: Connection, tenant: str) -> list[Waiting]:
    """Return the waiting jobs, in order of name."""
    return [Waiting(*row) for row in execute(connection, "operator/queue", tenant=tenant)]


def _retries(connection: Connection, tenant: str) -> list[Retry]:
    """Return the work that waits after a failed run, the longest wait first."""
    rows = execute(connection, "operator/retries", tenant=tenant)
    return [
        Retry(row.job, row.until, Scope(row.tenant, row.user_id, row.agent, row.channel) if row.user_id else None)
        for row in rows
    ]


MOST_ALIKE = 5
"""The number of facts that are listed if the prefix of an id is ambiguous."""


class PostgresQueries(Repository):
    """The queries of an operator. Every method raises `Unavailable` when the database is unreachable."""

    def overview(self, tenant: str) -> Overview:
        """Return the numbers of the tenant's memories, and the progress of the work on them."""
        calls = self.budget(tenant)

        def read(connection: Connection) -> Overview:
            row = dict(execute(connection, "operator/status", tenant=tenant, pushed=list(PUSHED)).mappings().one())
            partitions = {name: until for name, until in execute(connection, "retention/partitions") if until}
            queue, retries = _queue(connection, tenant), _retries(connection, tenant)
            return Overview(**row, partitions=partitions, queue=queue, desk=calls, retries=retries, model_calls=calls)

        return self._database.read(tenant, read)

    def queue(self, tenant: str) -> list[Waiting]:
        """Return the waiting jobs, in order of name."""
        return self._database.read(tenant, lambda connection: _queue(connection, tenant))

    def unread_languages(self, scopes: Sequence[Scope]) -> Mapping[str, int]:
        """Return the numbers of unread turns of *scopes*, which belong to one tenant, by language."""
        if not scopes:
            return {}
        return self._database.read(scopes[0].tenant, lambda connection: languages(connection, scopes))

    def waiting_episodes(self, scopes: Sequence[Scope]) -> tuple[int, datetime | None]:
        """Return how many episodes of *scopes*, which belong to one tenant, wait for a pack, and when the next of
        them are due; None if only the end of a session or a person starts their consolidation.
        """
        wanted = {"scopes": [scope.id for scope in scopes], "jobs": [CONSOLIDATE, PLAN]}
        row = self._database.read(
            scopes[0].tenant, lambda connection: execute(connection, "queries/waiting", **wanted).one()
        )
        return row.episodes, row.due

    def budget(self, tenant: str) -> ModelCallsOverview:
        """Return an overview of the pending model requests and of today's cost."""
        with self._database.dispatch() as connection:
            row = execute(connection, "operator/model_requests", tenant=tenant).mappings().one()
            providers = execute(connection, "operator/providers").mappings()
            return ModelCallsOverview(**row, providers=[ProviderState(**one) for one in providers])

    def rejected(self, tenant: str, *, most: int) -> list[RejectedClaim]:
        """Return the latest rejected claims of models, newest first."""
        return self._database.read(tenant, lambda connection: [
            RejectedClaim(**row) for row in execute(connection, "operator/rejected", most=most).mappings()
        ])  # fmt: skip

    def scopes(
        self, tenant: str, *, user: str | None = None, agent: str | None = None, channel: str | None = None
    ) -> list[Scope]:
        """Return all scopes, or those of one user, agent or channel."""
        return self._database.read(tenant, lambda connection: _scopes(connection, tenant, user, agent, channel))()

    def facts(
        self,
        scope: Scope,
        *,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        everything: bool = False,
        form: Form | None = None,
        among: Sequence[Scope] = (),
        after: uuid.UUID | None = None,
        most: int | None = None,
    ) -> list[Fact]:
        """Return the facts believed in *scope* and in the scopes *among*. *everything* adds facts valid at other times.

        A page has at most *most* facts, and starts after the fact with the id *after*.
        """
        scopes = [one.id for one in (scope, *among)]
        return self._database.read(
            scope.tenant,
            lambda connection: stored_facts(
                connection, scopes, as_of=as_of, known_at=known_at, everything=everything, form=form, after=after,
                most=most,
            ),
        )  # fmt: skip

    def strengths(self, tenant: str, facts: Sequence[Fact]) -> dict[uuid.UUID, float]:
        """Return the present strength of each of *facts*, in [0, 1], by id."""
        if not facts:
            return {}
        wanted = {(fact.scope.id, fact.id) for fact in facts}
        known = self._database.read(tenant, lambda connection: standings(connection, wanted))
        return {fact.id: _left(known.get(fact.id), fact.confidence) for fact in facts}

    def deltas(
        self,
        tenant: str,
        *,
        user: str | None = None,
        agent: str | None = None,
        channel: str | None = None,
        run: int | None = None,
        since: datetime | None = None,
        kind: Kind | None = None,
        after: uuid.UUID | None = None,
        most: int,
    ) -> list[AppliedDelta]:
        """Return at most *most* deltas of a tenant, or of one user, agent or channel, in ledger order; see
        `applied`.
        """
        scopes = None
        if user is not None or agent is not None or channel is not None:
            scopes = [scope.id for scope in self.scopes(tenant, user=user, agent=agent, channel=channel)]
        return self._database.read(tenant, lambda connection: deltas.applied(
            connection, tenant, scopes, run=run, since=since, kind=kind, after=after, most=most
        ))  # fmt: skip

    def fact(self, tenant: str, beginning: str) -> uuid.UUID:
        """Return the only fact whose id has this prefix.

        Raises `NotFound` for no fact, and `Incorrect` for several facts.
        """
        digits = _digits(beginning)
        if digits is None:
            raise NotFound(f"{beginning!r} is not the id of a fact", hint="`slowwave facts` lists them")
        found = self._database.read(tenant, lambda connection: _facts_beginning(connection, digits))
        if not found:
            raise NotFound(f"there is no fact {beginning}", hint="`slowwave facts` lists what is believed")
        if len(found) > 1:
            alike = [str(fact) for fact in found]
            raise Incorrect(f"{beginning} could mean several facts:", problems=alike, hint="give more digits of the id")
        return found[0]

    def episode(self, tenant: str, beginning: str) -> StoredEpisode | None:
        """Return the only episode whose id has this prefix; None for no episode or several episodes."""
        from slowwave.store.inbox import stored_episodes

        digits = _digits(beginning)
        if digits is None:
            return None
        found = self._database.read(
            tenant, lambda connection: stored_episodes.beginning(connection, tenant, digits, most=2)
        )
        return found[0] if len(found) == 1 else None

    def runs(
        self,
        tenant: str,
        *,
        most: int,
        task: str | None = None,
        scope: uuid.UUID | None = None,
        before: int | None = None,
    ) -> list[PastRun]:
        """Return the latest runs of a tenant and of the installation, newest first.

        Filters: *task* names a Celery task, *scope* is the id of a scope or slice, and *before* excludes the run with
        this number and later runs.
        """
        with self._database.dispatch() as connection:
            asked = {"tenant": tenant, "most": most, "task": task, "scope": scope, "before": before}
            return [past(dict(row)) for row in execute(connection, "operator/runs_latest", **asked).mappings()]

    def people(self, tenant: str, *, after: str | None, most: int) -> list[Person]:
        """Return at most *most* people with memories, in order of name. The page starts after the name *after*."""
        return self._database.read(tenant, lambda connection: [
            Person(*row) for row in execute(connection, "operator/people", tenant=tenant, after=after, most=most)
        ])  # fmt: skip

    def moves(self, tenant: str, *, days: int) -> list[Moves]:
        """Return the tier moves of each of the last *days*."""
        return self._database.read(tenant, lambda connection: [
            Moves(*row) for row in execute(connection, "operator/tier_moves", tenant=tenant, days=days)
        ])  # fmt: skip

    def scope(self, id_: uuid.UUID) -> Scope | None:
        """Return the scope with this id, of any tenant; None if no scope has the id. Served by scope_heads_pkey."""
        with self._database.dispatch() as connection:
            found = connection.exec_driver_sql(
                "SELECT tenant, user_id, agent, channel FROM scope_heads WHERE scope = %(scope)s", {"scope": id_}
            ).one_or_none()
            return None if found is None else Scope(*found)

    def audit(self, tenant: str, wanted: AuditFilter, *, most: int) -> list[AuditRow]:
        """Return the latest rows of the audit log that match *wanted*, newest first."""
        return self._database.read(tenant, lambda connection: audit.rows(connection, wanted, most=most))

    def stats(self, tenant: str, *, hours: int) -> Stats:
        """Return the statistics of the last *hours*."""
        return self._database.read(tenant, lambda connection: stats.stats(connection, tenant, hours=hours))

    def dead_letters(
        self,
        tenant: str,
        *,
        state: str | None = "open",
        conflicts: bool | None = None,
        after: int = 0,
        most: int | None = None,
    ) -> list[DeadLetter]:
        """Return the dead letters in one *state*, or in any, in the order they were written.

        *conflicts* is True for reviews only, False for all other letters. A page has at most *most* letters, with
        numbers above *after*.
        """
        return self._database.read(tenant, lambda connection: dead_letters.letters(
            connection, state=state, conflicts=conflicts, after=after, most=most
        ))  # fmt: skip

    def open_dead_letters(self, tenant: str, numbers: Sequence[int]) -> list[DeadLetter]:
        """Return the open dead letters with these *numbers*.

        Raises `NotFound` with the numbers of letters that are not open.
        """
        with self._database.tenant(tenant) as connection:
            return dead_letters.take(connection, numbers)

    def ask_again(self, tenant: str, chosen: Sequence[DeadLetter]) -> None:
        """Retry the episodes of *chosen* dead letters.

        Raises `Incorrect` with the numbers of letters that cannot be retried.
        """
        with self._database.tenant(tenant) as connection:
            dead_letters.ask_again(connection, chosen)

    def mark(self, tenant: str, numbers: Sequence[int], state: str) -> None:
        """Set the state of open dead letters."""
        with self._database.tenant(tenant) as connection:
            dead_letters.mark(connection, numbers, state)


def _digits(beginning: str) -> str | None:
    """Return the digits of an id's prefix, without dashes and in lower case; None if no id has this prefix."""
    digits = beginning.replace("-", "").lower()
    return digits if 1 <= len(digits) <= 32 and not set(digits) - set("0123456789abcdef") else None


def _left(stands: Standing | None, otherwise: float) -> float:
    return otherwise if stands is None or stands.strength is None else stands.strength


def past(row: dict[str, Any]) -> PastRun:
    """Return the run in a row, with its scope or slice."""
    parts = [row.pop(part) for part in ("tenant", "user", "agent", "channel")]
    counts: Mapping[str, int] = row.pop("counts")
    return PastRun(scope=Scope(*parts) if parts[0] is not None else None, counts=counts, **row)


def _scopes(
    connection: Connection, tenant: str, user: str | None, agent: str | None, channel: str | None
) -> Callable[[], list[Scope]]:
    """Return a function that returns the scopes of a tenant, or of one user, agent or channel. Call it after the end of
    the transaction, so that the statement and COMMIT share a round trip.

    Served by scope_heads_tenant_user_id_agent_channel_key.
    """
    rows = ask(
        connection,
        "SELECT tenant, user_id, agent, channel FROM scope_heads WHERE tenant = %(tenant)s AND erased IS NULL "
        "AND (%(user)s::text IS NULL OR user_id = %(user)s) AND (%(agent)s::text IS NULL OR agent = %(agent)s) "
        "AND (%(channel)s::text IS NULL OR channel = %(channel)s) ORDER BY user_id, agent, channel",
        {"tenant": tenant, "user": user, "agent": agent, "channel": channel},
    )
    return lambda: [Scope(*row) for row in rows()]


def _facts_beginning(connection: Connection, digits: str) -> Sequence[uuid.UUID]:
    """Return at most `MOST_ALIKE` facts whose ids begin with *digits*, in order of id. Served by facts_of_delta."""
    rows = connection.exec_driver_sql(
        "SELECT DISTINCT fact FROM facts WHERE fact BETWEEN %(least)s::uuid AND %(last)s::uuid ORDER BY fact "
        "LIMIT %(most)s",
        {"least": digits.ljust(32, "0"), "last": digits.ljust(32, "f"), "most": MOST_ALIKE},
    )
    return list(rows.scalars())
