"""The requests to a model that a replay needs: those without a reply, and the calls that get the replies.

The requests wait in the queue of all model calls, within its budgets and quotas. Workers send them, and so does the
process that replays. Replies are stored, so a repeat asks only for what is missing then.
"""

import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from slowwave.domain.episode import StoredEpisode
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect, Unavailable
from slowwave.formatting import counted
from slowwave.jobs.model_calls.window import requests_edition
from slowwave.memory.dry_runs import AnyPack, StoredReplies, extractor_of
from slowwave.memory.due_work import POLL_SECONDS, send_next_request
from slowwave.ports import Extractor
from slowwave.ports.model_calls import Planned, Request
from slowwave.rules.model_packs.pack import ReaderPack
from slowwave.runtime import clock
from slowwave.store.dry_runs import PostgresDryRuns
from slowwave.store.model_calls.request_outcomes import Awaited, awaited
from slowwave.store.model_requests import place, reason_of
from slowwave.store.undo.refolding import PackClaims, pack_claims
from slowwave.wiring import Parts, owner_name
from slowwave.wiring.model_client import terms_of

STALLED_SECONDS = 60.0
"""Seconds without a reply after which a replay stops asking. A circuit breaker pauses for about as long at the most."""

MOST_TURNS = 2
"""How often a request is put into the queue by one replay: a second time if a new plan of a window voided it."""


class RepliesAwaited(Unavailable):
    """A replay asked a model, and some replies are still missing."""


@dataclass(frozen=True, slots=True)
class Material:
    """The *episodes* that a pack reads in a replay, up to the last one that it has read, and the *extractor* of claims.

    *occurred* has the times of the episodes of which the pack may make claims, by position.
    """

    episodes: Sequence[StoredEpisode]
    occurred: Mapping[int, datetime]
    extractor: Extractor

    @property
    def missing(self) -> list[Request]:
        """The requests without a reply about episodes of which the pack may make claims."""
        if not isinstance(self.extractor, StoredReplies):
            return []
        return [one for one in self.extractor.missing if not self.occurred.keys().isdisjoint(one.chunk.positions)]


def material(parts: Parts, scope: Scope, pack: AnyPack, known: PackClaims) -> Material:
    """Return the material of *pack* in a replay of *scope*."""
    every = PostgresDryRuns(parts.database).episodes(scope)
    episodes = [one for one in every if one.position <= known.upto]
    occurred = {one.position: one.occurred for one in episodes if one.position not in known.unread}
    return Material(episodes, occurred, extractor_of(parts, pack, scope, episodes))


def missing(parts: Parts, scope: Scope, pack: AnyPack) -> list[Request]:
    """Return the requests without a reply that a replay of *scope* needs. Writes nothing.

    Raises `Incorrect` if *pack* has read nothing in *scope*.
    """
    with parts.database.long(scope.tenant, frozen=True) as connection:
        known = pack_claims(connection, scope, pack.pack)
    return material(parts, scope, pack, known).missing


@dataclass(slots=True)
class Asking:
    """Asks for the missing replies of replays, until the time *end* or until no reply came for a minute."""

    parts: Parts
    end: float
    replied: float

    @classmethod
    def within(cls, parts: Parts, seconds: float) -> "Asking":
        """Return the asking of a process that has so many *seconds*."""
        now = clock.monotonic()
        return cls(parts, now + seconds, now)

    def ask(self, scope: Scope, pack: AnyPack) -> None:
        """Ask for every reply that a replay of *scope* needs, unless the reply is stored.

        A request that turns out to be too long is split. Raises `RepliesAwaited` if a budget or quota is used up, if
        the time is over, or if the replies come from files. Raises `Incorrect` if the model gave no readable reply to a
        request: a repeat asks again. Raises `Conflict` while a worker holds the scope.
        """
        if not isinstance(pack, ReaderPack):
            return
        asked: dict[tuple[int, ...], str] = {}
        placed = Counter[str]()
        while found := missing(self.parts, scope, pack):
            ended = [asked[at] for one in found if asked.get(at := _place_of(one), one.key) != one.key]
            if failed := ended or [one.key for one in found if placed[one.key] >= MOST_TURNS]:
                raise self._failure(scope, pack, failed)
            asked |= {_place_of(one): one.key for one in found}
            placed.update(one.key for one in found)
            with self.parts.database.tenant(scope.tenant) as connection:
                place(connection, scope, Planned(pack.pack, pack.model, requests_edition(pack), found))
            self._send(scope, pack, [one.key for one in found])

    def _send(self, scope: Scope, pack: AnyPack, requests: Collection[str]) -> None:
        """Send requests of the queue until these *requests* are closed, by this process or another."""
        owner = owner_name("replay")
        outcome: str | None = ""
        while (waits := self._awaited(scope, requests)).open:
            reason = None if outcome == "" else self._hindrance(waits, scope, sent=outcome is not None)
            if reason:
                raise RepliesAwaited(
                    f"{counted(waits.open, 'requests')} of {pack.pack}@{pack.version} in {scope.key} have no reply "
                    f"yet: {reason}",
                    hint="replies are kept, and the other requests stay in the queue; repeat the replay later",
                )
            if outcome is None:
                time.sleep(POLL_SECONDS)
            outcome = send_next_request(self.parts, owner=owner)
            if outcome == "ok":
                self.replied = clock.monotonic()

    def _awaited(self, scope: Scope, requests: Collection[str]) -> Awaited:
        provider = self.parts.provider
        with self.parts.database.dispatch() as connection:
            terms = terms_of(self.parts.settings, provider.name if provider else "")
            return awaited(connection, terms, scope.tenant, requests)

    def _hindrance(self, waits: Awaited, scope: Scope, *, sent: bool) -> str | None:
        """Return why the process must not wait for more replies; None if it may. *sent*: a request was just sent."""
        if not sent and self.parts.provider is None:
            return "`slowwave model requests` exports them, and `slowwave model replies` reads the replies"
        if not sent and waits.over_quota and not waits.running:
            return f"the quota of user {scope.user} for model calls is used up for today"
        if not sent and waits.over_budget and not waits.running:
            return "the tenant's budget for models is used up for today"
        if clock.monotonic() >= min(self.end, self.replied + STALLED_SECONDS):
            return "no reply came in time; `slowwave status` shows the state of the model"
        return None

    def _failure(self, scope: Scope, pack: AnyPack, failed: Sequence[str]) -> Incorrect:
        with self.parts.database.tenant(scope.tenant) as connection:
            reason = reason_of(connection, failed)
        return Incorrect(
            f"{counted(len(failed), 'requests')} of {pack.pack}@{pack.version} in {scope.key} got no reply that can be "
            f"read: {reason or 'the reply cannot be read, and the request cannot be split'}",
            hint="nothing was written; a repeat asks the model again, and pays again",
        )


def _place_of(request: Request) -> tuple[int, ...]:
    return tuple(request.chunk.positions)
