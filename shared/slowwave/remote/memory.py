"""`RemoteMemory`: the memories of a key's tenant, on a server."""

import uuid
from typing import Self

from slowwave.domain.arguments import Hours, Id, Instant, Limit, Name, Number, Seconds, Timeout, checked
from slowwave.domain.dead_letter import Review, Verdict
from slowwave.domain.delta import AppliedDelta, Kind
from slowwave.domain.explanation import Explanation
from slowwave.domain.finding import Finding
from slowwave.domain.stats import Stats
from slowwave.formatting import brief
from slowwave.remote.http import HttpConnection
from slowwave.remote.responses import only
from slowwave.remote.scope import RemoteScope
from slowwave.remote.subscriptions import RemoteDeltas, callback_thread, delta_iterator
from slowwave.remote.verb_groups import (
    RemoteEncryption,
    RemoteErasingAll,
    RemoteOperator,
    RemoteQuotas,
    RemoteUndoingAll,
)
from slowwave.remote.verbs import sends
from slowwave.runtime.closing import Closing
from slowwave.subscriptions import DeltaCallback, Subscription


class RemoteMemory(RemoteUndoingAll, RemoteErasingAll, Closing):
    """The memories of a key's tenant, on the server at *url*. Safe to share between threads. Call `close` at the end.

    `Memory.connect("http://…", key=…)` returns it. The object has the verbs of `Memory`. Verbs that work only with the
    database raise `OutOfReach`. A call waits for a response for *timeout_seconds*. While the server is down or
    unavailable, a call that is safe to repeat is retried with back-off for *patience_seconds*; then the call raises
    `Unavailable`.
    """

    called = "memory"
    beside_the_database = frozenset({
        "archive_preview", "archived", "digest", "drain", "embedding_spaces", "export", "hold", "holds", "import_file",
        "keep_embedding", "outbox", "promote_to_global", "reembed", "release", "verify_export",
    })  # fmt: skip

    @checked
    def __init__(
        self, url: str, key: str | None = None, *, timeout_seconds: Seconds = 30.0, patience_seconds: Timeout = 20.0
    ) -> None:
        self._wire = HttpConnection(url, key, timeout_seconds, patience_seconds)

    @classmethod
    def connect(
        cls, url: str, key: str | None = None, *, timeout_seconds: float = 30.0, patience_seconds: float = 20.0
    ) -> Self:
        """Return the memory on the server at *url*, authorised by *key*. No request is sent before the first verb."""
        return cls(url, key, timeout_seconds=timeout_seconds, patience_seconds=patience_seconds)

    @checked
    def scope(
        self, user: Name, *, agent: Name | None = None, channel: Name | None = None, tenant: Name | None = None
    ) -> RemoteScope:
        """Return the memory that *agent* has of *user* in *channel*; see `Memory.scope`."""
        only(tenant=tenant)
        return RemoteScope(self._wire, user, agent, channel)

    @sends("GET /v1/facts/{fact}/why")
    def why(self, fact: Id, *, tenant: Name | None = None, session: Name | None = None) -> Explanation:
        """Return why a fact is or was believed, with the original words; *fact* is an id or a unique prefix of one."""

    @sends("GET /v1/deltas", pages="after")
    def deltas(
        self, *, run: Number | None = None, since: Instant | None = None, kind: Kind | None = None,
        after: Id | None = None, limit: Limit = 100, tenant: Name | None = None,
    ) -> list[AppliedDelta]:  # fmt: skip
        """Return up to *limit* deltas, in the order of application. A delta is a change of belief."""

    @checked
    def follow(
        self, *, after: Id | None = None, since: Instant | None = None, kind: Kind | None = None,
        tenant: Name | None = None,
    ) -> RemoteDeltas:  # fmt: skip
        """Return an iterator over the deltas of the tenant as they are applied, each once; see `Memory.follow`.

        After a broken connection, the iterator continues after the last delta received.
        """
        only(tenant=tenant)
        return delta_iterator(self._wire, after=after, since=since, kind=kind)

    @checked
    def on_delta(
        self, hear: DeltaCallback, *, after: Id | None = None, since: Instant | None = None, kind: Kind | None = None,
        tenant: Name | None = None,
    ) -> Subscription:  # fmt: skip
        """Call *hear* with each delta of the tenant, in the background; see `Memory.on_delta`."""
        only(tenant=tenant)
        return callback_thread(self._wire, hear, after=after, since=since, kind=kind)

    @sends("GET /v1/review", pages="after")
    def review(
        self, *, limit: Limit | None = None, after: Number | None = None, tenant: Name | None = None
    ) -> list[Review]:
        """Return the open reviews of the tenant, oldest first. A review is a claim that needs a person's decision."""

    @sends("POST /v1/review/{number}", key="delta", again=False)
    def decide(
        self, number: Number, verdict: Verdict, *, by: Name, object: Name | None = None, replaces: Id | None = None,
        tenant: Name | None = None,
    ) -> uuid.UUID:  # fmt: skip
        """Accept, reject or edit the claim of a review; return the delta's id. An edit sets the claim's *object*."""

    @checked
    def operator(self, *, tenant: Name | None = None) -> RemoteOperator:
        """Return the operator's view of the tenant's installation: runs, pending work and dead letters."""
        only(tenant=tenant)
        return RemoteOperator(self._wire)

    @property
    def quotas(self) -> RemoteQuotas:
        """The quotas of tenants and their users."""
        return RemoteQuotas(self._wire)

    @property
    def encryption(self) -> RemoteEncryption:
        """The data keys of tenants, which encrypt words at rest."""
        return RemoteEncryption(self._wire)

    @sends("POST /v1/check", again=False)
    def check(self, *, rebuild: bool = False) -> list[Finding]:
        """Return the violations of invariants in all tenants; see `Memory.check`.

        The key must be one of SLOWWAVE_TENANT. For a large installation, set a longer *timeout_seconds*.
        """

    @sends("GET /v1/stats")
    def stats(self, *, tenant: Name | None = None, hours: Hours = 24) -> Stats:
        """Return the statistics: sizes, latency and hits of recall, the lag of pending work, and the tiers."""

    def close(self) -> None:
        """Close the connections to the server."""
        self._wire.close()

    def __repr__(self) -> str:
        return brief(self, self._wire.url)
