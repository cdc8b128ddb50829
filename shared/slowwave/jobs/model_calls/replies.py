"""Read the replies to a window's requests: claims, and the dead letters of episodes without a reply."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from slowwave.core.contradiction.rule_news import changes, with_rule_news
from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.model_calls.chunk import Chunk, Reading, Rejected
from slowwave.domain.run import Run
from slowwave.errors import Fault, SlowwaveError, Unavailable, Unreadable
from slowwave.ports import Extractor
from slowwave.ports.context import extracted
from slowwave.ports.model_calls import Applied, DeadPositions, ModelExtractor, ModelRequestStore, Read, Reply

CATEGORIES = {"vanished": "vanished", "failed": "fault"}
"""The category of the dead letters, by the reason why a request is dead; any other reason gives `incorrect`."""


@dataclass(frozen=True, slots=True)
class Replies:
    """Reads the replies of a window for its consolidation; a run over a part of the window reads the same replies.

    *beside* maps a model pack to the packs without a model that look for reported changes in the same turns.
    """

    extractors: Mapping[str, ModelExtractor]
    model_requests: ModelRequestStore
    beside: Mapping[str, Sequence[Extractor]] = field(default_factory=dict)

    def read(self, run: Run) -> Read:
        """Return the claims about the run's positions, in order, the dead letters, and the rejected claims."""
        extractor, mine = self._extractor(run), set(run.positions)
        claims: list[Claim] = []
        news: list[Claim] = []
        buried: list[DeadPositions] = []
        rejected: list[tuple[str, Rejected]] = []
        occurred: dict[int, datetime] = {}
        read = silent = 0
        for reply in self.model_requests.replies(run):
            here = [position for position in reply.chunk.positions if position in mine]
            occurred |= {turn.position: turn.occurred for turn in reply.chunk.episodes if turn.position in mine}
            reading = _reading(extractor, reply, here)
            if isinstance(reading, DeadPositions):
                buried += [reading] if here else []
                continue
            good, bad = _within(reading, reply.chunk, here)
            claims += good
            news += [claim for pack in self.beside.get(run.pack, ()) for claim in news_of(pack, reply.chunk, here)]
            read += bool(here)
            silent += bool(here) and not good
            rejected += [(reply.request, one) for one in bad if one.position in here]
        claims.sort(key=lambda claim: (claim.source.position, claim.ordinal))
        counts = {"rejected": len(rejected), "replies": read, "silent": silent}
        applied = Applied(buried, rejected)
        return Read(with_rule_news(claims, news), len(mine), applied, counts, occurred=occurred)

    def news(self, run: Run, before: Sequence[StoredEpisode], turns: Sequence[StoredEpisode]) -> list[Claim]:
        packs = self.beside.get(run.pack, ())
        return [claim for pack in packs for claim in changes(extracted(pack, before, turns))]

    def sound(self, run: Run) -> bool:
        """Return whether the pack passes its own test cases in this worker."""
        return self._extractor(run).sound()

    def _extractor(self, run: Run) -> ModelExtractor:
        if run.pack not in self.extractors:
            raise Unavailable(f"the pack {run.pack!r} is not loaded here", retry_after_seconds=30)
        return self.extractors[run.pack]


def _reading(extractor: ModelExtractor, reply: Reply, here: Collection[int]) -> Reading | DeadPositions:
    positions = sorted(here)
    if reply.state != "answered" or reply.raw is None:
        reason = reply.reason or reply.state
        return DeadPositions(
            positions, CATEGORIES.get(reason.partition(":")[0], "incorrect"), f"the model's part: {reason}"
        )
    if not positions:
        return Reading()
    try:
        return extractor.read(reply.chunk, reply.raw)
    except Unreadable as error:
        return DeadPositions(positions, "incorrect", f"the reply cannot be read: {error.message}")
    except SlowwaveError:
        raise
    except Exception as error:  # a pack's own code may raise anything
        raise Fault(f"the pack failed with {type(error).__name__}") from error


def news_of(pack: Extractor, chunk: Chunk, here: Collection[int]) -> list[Claim]:
    """Return the reported changes that a *pack* without a model reads in the turns of a *chunk* at these positions."""
    news = changes(extracted(pack, chunk.before, chunk.episodes)) if here else []
    return _within(Reading(news), chunk, here)[0]


def _within(reading: Reading, chunk: Chunk, here: Collection[int]) -> tuple[list[Claim], list[Rejected]]:
    """Return the claims about these positions, and the rejected claims, which cite words outside the request."""
    about = {episode.id: len(episode.content) for episode in chunk.episodes}
    cited = about | {episode.id: len(episode.content) for episode in chunk.before}
    good, bad = [], list(reading.rejected)
    for claim in reading.claims:
        if claim.source.stands_in(about) and all(source.stands_in(cited) for source in claim.more_sources):
            good += [claim] if claim.source.position in here else []
        else:
            fields = {"subject": claim.subject, "predicate": claim.predicate, "object": claim.object}
            bad.append(Rejected(min(here), "cites words outside its request", fields))
    return good, bad
