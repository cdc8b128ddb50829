"""Undo and replay: beliefs without some decisions, or as if the present version of a pack had read all episodes."""

from dataclasses import dataclass

from slowwave.domain.arguments import Id, Instant, Limit, Name, Note, Timeout, checked, checked_type
from slowwave.domain.undo import Undone, What
from slowwave.memory.undoing import replaying, work
from slowwave.memory.undoing import work as correcting
from slowwave.memory.verb_group import VerbGroup
from slowwave.wiring import Parts


class UndoingAll:
    """The verbs that undo what was decided in any scope of a tenant."""

    _parts: Parts

    @checked
    def undo(
        self, what: What | None = None, *, since: Instant | None = None, by: Name | None = None, reason: Note = "",
        preview: bool = False, timeout: Timeout = 60.0, tenant: Name | None = None,
    ) -> Undone:  # fmt: skip
        """Undo *what*: beliefs become what they would be without those decisions; return the changes.

        *what* is the number of a run, the id of a delta, PACK@VERSION for all runs of that version, or an earlier undo
        by its id or run. *since* undoes what all runs, or the runs of a pack, decided since then. New deltas end the
        facts that *what* made, and restore the facts that *what* replaced or ended; no stored delta changes. Slowwave
        decides later claims again, and the result names the runs that built on *what*. It reads no episode again. `why`
        shows *by* and *reason*.

        A *preview* writes nothing. To finish an interrupted undo, repeat the call; to repeat a finished undo does
        nothing. Raises `NotFound`, `Incorrect` with every problem or if there is nothing to undo, and `Unavailable`
        after *timeout* seconds if a worker holds a scope.
        """
        return work.undo(
            self._parts, tenant or self._parts.settings.tenant, what, since=since, by=by, reason=reason,
            preview=preview, timeout=timeout,
        )  # fmt: skip

    @checked
    def undos(self, limit: Limit = 20, *, tenant: Name | None = None) -> list[Undone]:
        """Return the latest undos of a tenant, newest first, each with what it changed."""
        return work.undos(self._parts, tenant or self._parts.settings.tenant, None, limit)


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class Undoing(VerbGroup):
    """The verbs that undo or replay what was decided in one scope."""

    @checked
    def undo(
        self, what: What | None = None, *, since: Instant | None = None, by: Name | None = None, reason: Note = "",
        preview: bool = False, timeout: Timeout = 60.0,
    ) -> Undone:  # fmt: skip
        """Undo a run, a delta, a pack's version or everything *since* a time, in this scope; see `Memory.undo`."""
        return work.undo(
            self._parts, self.scope.tenant, what, since=since, by=by, reason=reason, preview=preview, timeout=timeout,
            scope=self.scope,
        )  # fmt: skip

    @checked
    def undos(self, limit: Limit = 20) -> list[Undone]:
        """Return the latest undos here, newest first, each with what it changed."""
        return work.undos(self._parts, self.scope.tenant, self.scope, limit)

    @checked
    def replay(
        self, pack: Name, *, by: Name | None = None, reason: Note = "", preview: bool = False, timeout: Timeout = 60.0
    ) -> Undone:  # fmt: skip
        """Read all episodes here again with an installed *pack*, and replace its earlier claims; return what changed.

        *pack* is a name; with NAME@VERSION, another installed version is an error. One transaction undoes the claims
        that the pack no longer makes, and decides its new claims at the times of their episodes; no stored delta
        changes. Claims that it still makes stay. Corrections, undone decisions, decided reviews, erasures and beliefs
        from dropped episodes also stay. To revert the replay, pass the `id` of the result to `undo`. A pack with a
        model uses only stored replies.

        A *preview* writes nothing. Repeating a replay changes nothing. Raises `Incorrect` if that version is
        not installed, if the pack has read nothing here or replies are missing, and `Unavailable` after *timeout*
        seconds if a worker holds the scope.
        """
        return replaying.replay(
            self._parts, self.scope, pack, by=by, reason=reason, preview=preview, timeout=timeout
        )  # fmt: skip

    @checked
    def correct(
        self, fact: Id, object: Name | None = None, *, by: Name | None = None, reason: Note = "",
        preview: bool = False, timeout: Timeout = 60.0,
    ) -> Undone:  # fmt: skip
        """Undo a wrong fact and everything derived from it; add a fact with the right *object*, if given.

        *fact* is an id or a unique prefix of one. This undoes the claims that made and confirmed the fact; facts that
        they replaced are believed again. It also withdraws the fact's promotions, summaries and relations. For a
        statement, *object* is the whole right sentence. The right fact cites the same words; its id is the result's
        `corrected`. `why` shows *by* and *reason*. A *preview* writes nothing. Raises `NotFound`, `Incorrect` if the
        fact is undone already, and `Unavailable` after *timeout* seconds if a worker holds the scope.
        """
        return correcting.correct(
            self._parts, self.scope, fact, object, by=by, reason=reason, preview=preview, timeout=timeout
        )  # fmt: skip
