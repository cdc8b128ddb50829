"""Undo: beliefs become what they would be without a run, a delta, a pack or all since some time."""

from dataclasses import dataclass

from slowwave.domain.arguments import Id, Instant, Limit, Name, Note, Timeout, checked, checked_type
from slowwave.domain.undo import Undone, What
from slowwave.memory.undoing import correcting, work
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
        """Undo *what* was decided: beliefs become what they would be without it; return what changed.

        *what* is the number of a run, the id of a delta, PACK@VERSION for all its runs, or an earlier undo by its id or
        run; *since* undoes all that runs decided since then, or of a pack. Nothing is edited: new deltas close what
        rested on it and open again what it replaced or ended; later claims are decided again, and the result names the
        runs that built on it. Episodes stay read. *by* and *reason* are kept and shown by `why`.

        With *preview*, nothing is written. The same undo again changes nothing, or finishes one that was interrupted.
        Raises `NotFound`, `Incorrect` with every problem or if there is nothing to undo, and `Unavailable` after
        *timeout* seconds if a worker holds a scope.
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
    """The verbs that undo what was decided in one scope."""

    @checked
    def undo(
        self, what: What | None = None, *, since: Instant | None = None, by: Name | None = None, reason: Note = "",
        preview: bool = False, timeout: Timeout = 60.0,
    ) -> Undone:  # fmt: skip
        """Undo a run, a delta, a pack's version or all *since* some time, in this scope alone; see `Memory.undo`."""
        return work.undo(
            self._parts, self.scope.tenant, what, since=since, by=by, reason=reason, preview=preview, timeout=timeout,
            scope=self.scope,
        )  # fmt: skip

    @checked
    def undos(self, limit: Limit = 20) -> list[Undone]:
        """Return the latest undos here, newest first, each with what it changed."""
        return work.undos(self._parts, self.scope.tenant, self.scope, limit)

    @checked
    def correct(
        self, fact: Id, object: Name | None = None, *, by: Name | None = None, reason: Note = "",
        preview: bool = False, timeout: Timeout = 60.0,
    ) -> Undone:  # fmt: skip
        """Undo one wrong fact with all that was derived from it, and put the right *object* in its place, if given.

        *fact* is an id or a unique prefix of one. The claims that made and confirmed it are undone, so that what they
        replaced is believed again; its promotions, summaries and relations go with it. For a statement, *object* is the
        whole right sentence. The right fact cites the same words, and the result names it as `corrected`. *by* and
        *reason* are kept; with *preview*, nothing is written. Raises `NotFound`, `Incorrect` if the fact is undone
        already, and `Unavailable` after *timeout* seconds if a worker holds the scope.
        """
        return correcting.correct(
            self._parts, self.scope, fact, object, by=by, reason=reason, preview=preview, timeout=timeout
        )  # fmt: skip
