"""The reviews of a scope: what nobody could decide for certain is decided by a person."""

import uuid
from dataclasses import dataclass

from slowwave.domain.arguments import Id, Limit, Name, Number, checked, checked_type
from slowwave.domain.dead_letter import Review, Verdict
from slowwave.memory import beliefs
from slowwave.memory.face import Face


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class Reviewing(Face):
    """A face on which a person decides what was not decided."""

    @checked
    def review(self, *, limit: Limit | None = None, after: Number | None = None) -> list[Review]:
        """Return the reviews here: claims that nobody could decide for certain, oldest first; see `Memory.review`."""
        return beliefs.review(self._parts, self.scope.tenant, self.scope, after=after, limit=limit)

    @checked
    def decide(
        self, number: Number, verdict: Verdict, *, by: Name, object: Name | None = None, replaces: Id | None = None
    ) -> uuid.UUID:
        """Decide a review: `accept` what it claims, `reject` it, or `edit` its *object*; return the delta's id.

        The delta names the person *by* whom it was decided. Where several beliefs could be meant, *replaces* says which
        gives way. Raises `NotFound` for a review that does not wait here, `Incorrect`, `FactConflictError` when what it
        would replace is believed no longer, and `Conflict` while a worker holds the scope.
        """
        return beliefs.decide(
            self._parts, self.scope.tenant, self.scope, number, verdict, by=by, object=object, replaces=replaces
        )
