"""Undo and replay: beliefs as they would be without something, or if a pack had read everything as it reads now."""

from dataclasses import dataclass

from slowwave.domain.arguments import Id, Instant, Limit, Name, Note, Timeout, checked, checked_type
from slowwave.domain.undo import Undone, What
from slowwave.memory.undoing import correcting, replaying, work
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
    """The verbs that undo or replay what was decided in one scope."""

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
    def replay(
        self, pack: Name, *, by: Name | None = None, reason: Note = "", preview: bool = False, timeout: Timeout = 60.0
    ) -> Undone:  # fmt: skip
        """Have an installed *pack* read again all that it has read here, and believe what it says; return what changed.

        *pack* is a name, or NAME@VERSION if it must be that one. All happens in one transaction, or nothing. Nothing is
        edited: claims that the pack would not make now are undone, and those that it makes only now are decided at
        their place in time. What it says now as before stays, and so do corrections, what a person undid or decided,
        what was forgotten for good, and beliefs from episodes that were dropped. `undo` with the result's `id` takes it
        back. A pack with a model uses stored replies alone.

        With *preview*, nothing is written. The same replay again changes nothing. Raises `Incorrect` if that version is
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
