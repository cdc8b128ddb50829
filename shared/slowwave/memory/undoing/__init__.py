"""Undo and replay.

Undo computes beliefs without certain decisions. Replay reads all episodes again with the present version of a pack.
"""

from dataclasses import dataclass

from slowwave.domain.arguments import Id, Instant, Limit, Name, Note, Timeout, checked, checked_type
from slowwave.domain.undo import Undone, What
from slowwave.memory.undoing import every_scope, replaying, work
from slowwave.memory.undoing import work as correcting
from slowwave.memory.undoing.canaries import Canaries
from slowwave.memory.verb_group import TenantVerbs, VerbGroup


class UndoingAll(TenantVerbs):
    """The verbs that undo decisions in any scope of a tenant."""

    @property
    def canaries(self) -> Canaries:
        """The canaries of the packs: new versions that read in a share of the scopes."""
        return Canaries(self._parts)

    @checked
    def undo(
        self, what: What | None = None, *, since: Instant | None = None, by: Name | None = None, reason: Note = "",
        preview: bool = False, timeout: Timeout = 60.0, tenant: Name | None = None,
    ) -> Undone:  # fmt: skip
        """Undo *what*; return the changes. Beliefs are computed again as if the undone decisions had never been made.

        *what* is the number of a run, the id of a delta, PACK@VERSION for all runs of that version, or the id or run of
        an earlier undo. *since* is the time of the first decision to undo. Without *what*, decisions of all runs are
        undone; with PACK@VERSION, only decisions of that version. New deltas end the facts that *what* made, and
        restore the facts that *what* replaced or ended. Stored deltas do not change. Slowwave decides later claims
        again, and the result names the runs that built on *what*. No episode is read again. `why` shows *by* and
        *reason*.

        A *preview* writes nothing. To finish an interrupted undo, repeat the call. A repeat of a finished undo changes
        nothing. Raises `NotFound` if *what* does not exist. Raises `Incorrect` with every problem, or if there is
        nothing to undo. Raises `Unavailable` after *timeout* seconds if a worker holds a scope.
        """
        return work.undo(
            self._at(tenant), self._tenant(tenant), what, since=since, by=by, reason=reason,
            preview=preview, timeout=timeout,
        )  # fmt: skip

    @checked
    def replay(
        self, pack: Name, *, by: Name | None = None, reason: Note = "", preview: bool = False, ask: bool = False,
        timeout: Timeout = 60.0, tenant: Name | None = None,
    ) -> Undone:  # fmt: skip
        """Replay an installed *pack* in every scope of a tenant in which the pack has read; see `MemoryScope.replay`.

        Returns the changes of all scopes. Each scope has its own transaction. The result's `skipped` names each scope
        that was not replayed, with the problem: replies of a model are missing, words were erased, or a worker held the
        scope for *timeout* seconds. The other scopes are replayed. To finish an interrupted replay, repeat the call:
        scopes that are already replayed do not change. To revert the replay in all scopes, pass the `id` of the result
        to `undo`.

        With *ask*, a model is first asked for the missing replies, as in `MemoryScope.replay`, scope by scope. A
        *preview* changes no belief. Raises `Incorrect` if the version is not installed, or if the pack has read no
        episode of the tenant.
        """
        return every_scope.replay_all(
            self._at(tenant), self._tenant(tenant), pack, by=by, reason=reason, preview=preview, ask=ask,
            timeout=timeout,
        )  # fmt: skip

    @checked
    def undos(self, limit: Limit = 20, *, tenant: Name | None = None) -> list[Undone]:
        """Return the latest undos of a tenant, newest first, each with its changes."""
        return work.undos(self._at(tenant), self._tenant(tenant), None, limit)


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class Undoing(VerbGroup):
    """The verbs that undo or replay what was decided in one scope."""

    @checked
    def undo(
        self, what: What | None = None, *, since: Instant | None = None, by: Name | None = None, reason: Note = "",
        preview: bool = False, timeout: Timeout = 60.0,
    ) -> Undone:  # fmt: skip
        """Undo a run, a delta, a pack's version or all decisions *since* a time in this scope; see `Memory.undo`."""
        return work.undo(
            self._parts, self.scope.tenant, what, since=since, by=by, reason=reason, preview=preview, timeout=timeout,
            scope=self.scope,
        )  # fmt: skip

    @checked
    def undos(self, limit: Limit = 20) -> list[Undone]:
        """Return the latest undos of this scope, newest first, each with its changes."""
        return work.undos(self._parts, self.scope.tenant, self.scope, limit)

    @checked
    def replay(
        self, pack: Name, *, by: Name | None = None, reason: Note = "", preview: bool = False, ask: bool = False,
        timeout: Timeout = 60.0,
    ) -> Undone:  # fmt: skip
        """Read all episodes of this scope again with an installed *pack*, and replace the pack's earlier claims.

        Returns the changes. *pack* is a name. With NAME@VERSION, the call fails if another version is installed. One
        transaction undoes the claims that the pack no longer makes, and decides the pack's new claims as of the times
        of their episodes. Stored deltas do not change. Claims that the pack still makes stay. Corrections, undone
        decisions, decided reviews, erasures and beliefs from dropped episodes also stay. To revert the replay, pass the
        `id` of the result to `undo`. A pack with a model uses stored replies. With *ask*, the model is first
        asked for the replies that are missing: through the queue of all model calls, within its budgets and quotas.

        A *preview* changes no belief. A repeat of a replay changes nothing. Raises `Incorrect` if the version is not
        installed, if the pack has read no episode of this scope, or if replies are missing or unreadable. Raises
        `Unavailable` after *timeout* seconds if a worker holds the scope or replies are still missing, and at once if a
        budget or quota is used up. No belief has changed then; replies are stored, and a repeat continues.
        """
        return replaying.replay(
            self._parts, self.scope, pack, by=by, reason=reason, preview=preview, ask=ask, timeout=timeout
        )  # fmt: skip

    @checked
    def correct(
        self, fact: Id, object: Name | None = None, *, by: Name | None = None, reason: Note = "",
        preview: bool = False, timeout: Timeout = 60.0,
    ) -> Undone:  # fmt: skip
        """Undo a wrong fact and everything derived from the fact; if *object* is given, add a fact with this right
        object.

        Returns the changes. *fact* is an id or a unique prefix of an id. The method undoes the claims that made and
        confirmed the fact. Facts that these claims replaced are believed again. The fact's promotions, summaries and
        relations are withdrawn. For a statement, *object* is the whole right sentence. The right fact cites the same
        words as the wrong fact; the result's `corrected` is the id of the right fact. `why` shows *by* and *reason*. A
        *preview* writes nothing. Raises `NotFound`, `Incorrect` if the fact is already undone, and `Unavailable` after
        *timeout* seconds if a worker holds the scope.
        """
        return correcting.correct(
            self._parts, self.scope, fact, object, by=by, reason=reason, preview=preview, timeout=timeout
        )  # fmt: skip
