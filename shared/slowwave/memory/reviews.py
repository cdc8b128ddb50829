"""The reviews of a scope: claims that need a person's decision."""

import uuid
from dataclasses import dataclass

from slowwave.domain.arguments import Id, Limit, Name, Number, checked, checked_type
from slowwave.domain.dead_letter import Review, Verdict
from slowwave.memory import beliefs
from slowwave.memory.verb_group import VerbGroup


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class ReviewVerbs(VerbGroup):
    """The verbs with which a person decides open reviews."""

    @checked
    def review(self, *, limit: Limit | None = None, after: Number | None = None) -> list[Review]:
        """Return the open reviews of this scope (claims that need a person's decision), oldest first; see
        `Memory.review`.
        """
        return beliefs.review(self._parts, self.scope.tenant, self.scope, after=after, limit=limit)

    @checked
    def decide(
        self, number: Number, verdict: Verdict, *, by: Name, object: Name | None = None, replaces: Id | None = None
    ) -> uuid.UUID:
        """Decide a review: `accept` the claim, `reject` the claim, or `edit` its *object*; return the id of the delta.

        *by* is the person who decides; the delta records this name. If the claim could replace several facts,
        *replaces* selects one of these facts. Raises `NotFound` for a review that is not open in this scope,
        `Incorrect` for an invalid decision, `FactConflictError` if the fact to replace is no longer believed, and
        `Conflict` while a worker holds the scope.
        """
        return beliefs.decide(
            self._parts, self.scope.tenant, self.scope, number, verdict, by=by, object=object, replaces=replaces
        )
