"""The model requests about a window, planned in chunks; and the claims read from the replies."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from slowwave.core.contradiction.reported_changes import changes, with_rule_news
from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.model_calls import Chunk, Reading, Rejected
from slowwave.domain.run import Run
from slowwave.errors import Fault, NotLoaded, SlowwaveError, Unreadable
from slowwave.ports import Extractor, Plan
from slowwave.ports.context import extracted
from slowwave.ports.model_calls import (
    Applied,
    DeadPositions,
    ModelExtractor,
    Planned,
    Read,
    Reply,
    Request,
    WindowContext,
)
from slowwave.store.model_requests import PostgresModelRequests
from slowwave.store.runs.runs import PostgresRuns

CATEGORIES = {"vanished": "vanished", "failed": "fault"}
"""The category of dead letters by the reason why a request is dead. Any other reason gives `incorrect`."""


def requests_edition(extractor: ModelExtractor) -> str:
    """Return a name made of everything that changes a pack's requests: the model and the prompt version."""
    return f"{extractor.model} {extractor.prompt_version}"


@dataclass(frozen=True, slots=True)
class _OfPacks:
    extractors: Mapping[str, ModelExtractor]
    model_requests: PostgresModelRequests

    def extractor(self, run: Run) -> ModelExtractor:
        """Return the pack of a run. Raises `NotLoaded`."""
        if run.pack not in self.extractors:
            raise NotLoaded(run.pack)
        return self.extractors[run.pack]


@dataclass(frozen=True, slots=True)
class PlanWindow(_OfPacks):
    """A `Job` that plans requests but sends no request.

    The window then waits for the replies. Meanwhile the window has no lease and no intent.
    """

    def think(self, run: Run, store: PostgresRuns) -> Plan:
        """Return the window's requests. Each position of a retried dead letter gets a new request."""
        episodes = store.episodes(run)
        planned = self.planned(run, episodes)
        return Plan(episodes=len(episodes), effects=[planned], counts={"requests": len(planned.requests)})

    def planned(self, run: Run, episodes: Sequence[StoredEpisode], *, anew: bool = False) -> Planned:
        """Return the requests about the *episodes* of a run, including requests made before. Writes nothing.

        With *anew*, a new request replaces each request that ended without a readable reply.
        """
        extractor = self.extractor(run)
        chunks = _chunks(extractor, episodes, self.model_requests.near(run, episodes), singly=bool(run.only))
        return self._planned(extractor, run, chunks, anew=anew)

    def witness(self, run: Run) -> bool:
        """Return whether the pack passes its own test cases in this process."""
        return self.extractor(run).sound()

    def _planned(self, extractor: ModelExtractor, run: Run, chunks: Sequence[Chunk], *, anew: bool) -> Planned:
        """Return the request of each chunk.

        A request that was too long is replaced by two halves. A request that failed for good is repeated only by a
        retry or a replay (*anew*).
        """
        keys = self.model_requests.keys(run, requests_edition(extractor))
        found, todo = _Found(), [(chunk, 0) for chunk in chunks]
        while todo:
            named = [(keys(chunk, round), chunk, round) for chunk, round in todo]
            states = self.model_requests.states(run, [key for key, _, _ in named])
            todo = []
            for key, chunk, round in named:
                state = states.get(key)
                if state == "erased" or (state == "dead" and (anew or run.only)):
                    todo.append((chunk, round + 1))
                elif state != "split":
                    found.requests.append(Request(key, chunk, round))
                elif len(chunk.episodes) > 1 and (halves := extractor.halves(chunk)):
                    todo += [(half, 0) for half in halves]
                elif anew:
                    todo.append((chunk, round + 1))
                else:
                    found.hopeless.append(key)
        return Planned(run.pack, extractor.model, requests_edition(extractor), found.requests, found.hopeless)


@dataclass(slots=True)
class _Found:
    requests: list[Request] = field(default_factory=list)
    hopeless: list[str] = field(default_factory=list)


def _chunks(
    extractor: ModelExtractor, episodes: Sequence[StoredEpisode], near: WindowContext, *, singly: bool
) -> list[Chunk]:
    groups = [[episode] for episode in episodes] if singly else [list(episodes)] if episodes else []
    around = sorted({turn.position: turn for turn in (*near.before, *episodes)}.items())
    return [
        chunk
        for group in groups
        for chunk in _planned(extractor, group, _preceding([turn for _, turn in around], group), near)
    ]


def _preceding(turns: Sequence[StoredEpisode], group: Sequence[StoredEpisode]) -> list[StoredEpisode]:
    sessions, first = {one.session for one in group}, group[0].position
    return [turn for turn in turns if turn.position < first and turn.session in sessions]


def _planned(
    extractor: ModelExtractor, group: Sequence[StoredEpisode], before: Sequence[StoredEpisode], near: WindowContext
) -> list[Chunk]:
    with _faults():
        return extractor.plan(group, before, near.beliefs, near.names)


@dataclass(frozen=True, slots=True)
class Replies(_OfPacks):
    """Reads the replies of a window.

    A run over a part of the window reads the same replies as a run over the whole window.

    *beside* maps a model pack to packs without a model. These packs look for reported changes in the same turns.
    """

    beside: Mapping[str, Sequence[Extractor]] = field(default_factory=dict)

    def read(self, run: Run) -> Read:
        """Return the claims about the run's positions (sorted), the dead letters, and the rejected claims."""
        extractor, mine = self.extractor(run), set(run.positions)
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
        return self.extractor(run).sound()


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
        with _faults():
            return extractor.read(reply.chunk, reply.raw)
    except Unreadable as error:
        return DeadPositions(positions, "incorrect", f"the reply cannot be read: {error.message}")


@contextmanager
def _faults() -> Iterator[None]:
    """Raise `Fault` for an unexpected error of a pack's own code, which may raise anything."""
    try:
        yield
    except SlowwaveError:
        raise
    except Exception as error:  # the edge to a pack's own code
        raise Fault(f"the pack failed with {type(error).__name__}") from error


def news_of(pack: Extractor, chunk: Chunk, here: Collection[int]) -> list[Claim]:
    """Return the reported changes that *pack*, which needs no model, finds in the turns of *chunk*.

    Only turns at the positions in *here* count.
    """
    news = changes(extracted(pack, chunk.before, chunk.episodes)) if here else []
    return _within(Reading(news), chunk, here)[0]


def _within(reading: Reading, chunk: Chunk, here: Collection[int]) -> tuple[list[Claim], list[Rejected]]:
    """Return the claims and the rejected claims of *reading* that are about the positions in *here*.

    Claims that cite words outside the request are rejected.
    """
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
