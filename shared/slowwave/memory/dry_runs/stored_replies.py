"""The stored replies of a model pack about a scope, and the requests without a reply, which would cost money."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from slowwave.core.contradiction.rule_news import with_rule_news
from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.job_table import PLAN
from slowwave.domain.model_calls.chunk import Chunk
from slowwave.domain.run import Run
from slowwave.domain.scope import Scope
from slowwave.jobs.model_calls.plan import PlanWindow
from slowwave.jobs.model_calls.replies import news_of
from slowwave.rules.model_packs.pack import ReaderPack
from slowwave.store.dry_runs.dry_runs import PostgresDryRuns
from slowwave.wiring import Parts
from slowwave.wiring.packs import news_beside


@dataclass(frozen=True, slots=True)
class StoredReplies:
    """An `Extractor` of the *claims* in a model pack's stored *replies*; *unasked* are the requests without a reply."""

    pack: str
    version: int
    claims: Sequence[Claim]
    replies: int
    unasked: Sequence[Chunk]

    def propose(self, episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims about these episodes."""
        positions = {episode.position for episode in episodes}
        return [claim for claim in self.claims if claim.source.position in positions]

    def sound(self) -> bool:
        return True


def stored_replies(parts: Parts, pack: ReaderPack, scope: Scope, episodes: Sequence[StoredEpisode]) -> StoredReplies:
    """Return the stored replies to *pack* about *episodes* of *scope*, in its recorded windows. Writes nothing."""
    stored, planner = PostgresDryRuns(parts.database), PlanWindow({pack.pack: pack}, parts.model_requests)
    head = max((episode.position for episode in episodes), default=0)
    requests = {}
    for lo, hi in _borders(stored.windows(scope, pack.pack), head, parts.settings.window):
        part = [episode for episode in episodes if lo <= episode.position <= hi]
        planned = planner.planned(_run(scope, pack.pack, lo, hi), part)
        requests.update({request.key: request.chunk for request in planned.requests})
    replies = {reply.request: reply for reply in stored.replies(scope, list(requests))}
    beside = news_beside(parts.packs, {*parts.models, pack.pack}).get(pack.pack, ())
    chunks = [reply.chunk for reply in replies.values()]
    news = [claim for one in beside for chunk in chunks for claim in news_of(one, chunk, chunk.positions)]
    read = [claim for reply in replies.values() for claim in pack.read(reply.chunk, reply.raw or "").claims]
    claims = with_rule_news(read, news)
    unasked = [chunk for key, chunk in requests.items() if key not in replies]
    return StoredReplies(pack.pack, pack.version, claims, len(replies), unasked)


def _borders(recorded: Sequence[tuple[int, int]], head: int, size: int) -> Iterator[tuple[int, int]]:
    """Give the first and last position of each *recorded* window, and of windows of *size* for all other positions."""
    next_ = 1
    for lo, hi in [*recorded, (head + 1, head)]:
        yield from ((start, min(start + size, lo) - 1) for start in range(next_, lo, size))
        if hi >= max(lo, next_):
            yield max(lo, next_), hi
        next_ = max(next_, hi + 1)


def _run(scope: Scope, pack: str, lo: int, hi: int) -> Run:
    """Return a run that is not stored, to pass the scope and the window to planning."""
    return Run(0, 0, scope.tenant, scope.id, PLAN, pack, lo, hi, target=hi, fence=0, owner="trial")
