"""The stream of an agent's episodes, in order of time."""

from collections.abc import Sequence
from typing import Annotated, Unpack

from pydantic import Field, SkipValidation

from slowwave.core.summaries.extractive_summary import Line, join
from slowwave.domain.arguments import Instant, Limit, Name, Question, checked
from slowwave.domain.episode import EpisodeFields, Item
from slowwave.domain.queries.filters import Filters
from slowwave.domain.receipt import Receipt, item_of
from slowwave.domain.recollection import Recollection
from slowwave.errors import Incorrect
from slowwave.inference.summariser import ExtractiveSummariser
from slowwave.memory import counted_recall, ingestion
from slowwave.memory.verb_group import VerbGroup
from slowwave.store.recall import timeline


class MemoryStream(VerbGroup):
    """The episodes of one agent with one user in one channel."""

    __slots__ = ()

    @checked
    def record(self, event: Annotated[Item, SkipValidation], **fields: Unpack[EpisodeFields]) -> Receipt:
        """Store an event; return the receipt. See `MemoryScope.push`."""
        return ingestion.push(self._parts, self.scope, item_of(event, fields))

    @checked
    def recall(self, query: Question, limit: Limit = 10, *, session: Name | None = None) -> list[Recollection]:
        """Return the *limit* episodes that answer *query* best, in order of time.

        *session* is the caller's session, for the audit log.
        """
        episodes = Filters(kinds=["episode"])
        best = counted_recall.counted_recall(
            self._parts, [self.scope], query, limit=limit, at=None, filters=episodes, session=session
        )
        return sorted(best, key=lambda one: (one.occurred, one.sources[0].position))

    @checked
    def summarize(self, time_range: Annotated[Sequence[Instant], Field(min_length=2, max_length=2)]) -> str:
        """Return the most informative sentences that were said in *time_range*, one sentence per line.

        The text is empty if nobody said anything. Raises `Incorrect` unless *time_range* has two times with a zone, the
        earlier time first.
        """
        since, until = time_range
        if since >= until:
            raise Incorrect.listing("summarize", ["time_range: the earlier time comes first"], hint="swap them")
        lines: list[Line] = []
        after = 0
        with self._parts.database.tenant(self.scope.tenant) as connection:
            while page := timeline.messages(connection, self.scope.id, since, until, after=after):
                lines = ExtractiveSummariser().summarise(lines, page)
                after = page[-1].position
        return join(lines)
