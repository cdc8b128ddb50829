"""Reading of a scope: questions answered, and what is remembered told again."""

from collections.abc import Sequence
from dataclasses import dataclass

from slowwave.domain.arguments import Instant, Limit, Names, Question, checked, checked_type
from slowwave.domain.episode import Role
from slowwave.domain.reading.filters import Filters
from slowwave.domain.recollection import Recollections, Remembered
from slowwave.domain.scope import Scope
from slowwave.memory import answers
from slowwave.memory.face import Face
from slowwave.memory.reach import Reads, reach_of


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class Reading(Face):
    """A face on which what is remembered is read: in `reach`, which *reads* decides."""

    reads: Reads = "agent"

    @property
    def reach(self) -> list[Scope]:
        """The scopes in which it is looked, first the one that is written to."""
        return reach_of(self._parts, self.scope, self.reads)

    @checked
    def recall(
        self, question: Question, *, limit: Limit = 10, as_of: Instant | None = None, archived: bool = False,
        kinds: Sequence[Remembered] | None = None, roles: Sequence[Role] | None = None, sessions: Names | None = None,
        exclude_sessions: Names | None = None, since: Instant | None = None, until: Instant | None = None,
        channels: Names | None = None, agents: Names | None = None,
    ) -> Recollections:  # fmt: skip
        """Return the facts and episodes that answer *question* best, with reasons and sources, best first.

        Looks in `reach`: in this channel and in `_global`, or further where no agent was named; or in exactly these
        *channels*, or of these *agents*, as far as anything is remembered there. *as_of* asks about another time.

        The other filters leave out what is not asked for before the best are chosen: *kinds* of memories (facts of one
        form or of both, or episodes), *roles* of who spoke (of a fact, in an episode behind it), *sessions* in which
        it was said or learned. *exclude_sessions* leaves sessions out, as the running one whose turns are in the prompt
        anyhow. From *since* up to *until*, itself left out, it happened or began to be so. Conversations that are put
        away answer only if *archived* is set; what was learned from them answers anyhow.

        What was just said is found by meaning before a worker has seen it: the newest 100 such episodes are embedded
        here, and `.by_words_alone` of the answer counts the others.
        """
        filters = Filters(kinds, roles, sessions, exclude_sessions, since, until, archived=archived)
        reach = reach_of(self._parts, self.scope, self.reads, channels=channels, agents=agents)
        return answers.answer(self._parts, reach, question, limit=limit, at=as_of, filters=filters)
