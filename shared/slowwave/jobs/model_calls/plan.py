"""Plan the model requests about a window: one request per chunk, with a key from its content, so it is made once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from slowwave.domain.episode import StoredEpisode
from slowwave.domain.model_calls.chunk import Chunk
from slowwave.domain.run import Run
from slowwave.errors import Fault, SlowwaveError, Unavailable
from slowwave.ports import Plan, RunStore
from slowwave.ports.model_calls import ModelExtractor, ModelRequestStore, Planned, Request, WindowContext


def requests_edition(extractor: ModelExtractor) -> str:
    """Return the name of all that changes a pack's requests: model and prompt version."""
    return f"{extractor.model} {extractor.prompt_version}"


@dataclass(frozen=True, slots=True)
class PlanWindow:
    """A `Job` that plans requests and sends none. The window then waits, without lease or intent, for their replies."""

    extractors: Mapping[str, ModelExtractor]
    model_requests: ModelRequestStore

    def think(self, run: Run, store: RunStore) -> Plan:
        """Return the window's requests. Each position of a retried dead letter gets a new request."""
        episodes = store.episodes(run)
        planned = self.planned(run, episodes)
        return Plan(episodes=len(episodes), effects=[planned], counts={"requests": len(planned.requests)})

    def planned(self, run: Run, episodes: Sequence[StoredEpisode]) -> Planned:
        """Return the requests about the *episodes* of a run, including those already made. Writes nothing."""
        extractor = self.extractor(run)
        chunks = _chunks(extractor, episodes, self.model_requests.near(run, episodes), singly=bool(run.only))
        return self._planned(extractor, run, chunks)

    def witness(self, run: Run) -> bool:
        """Return whether the pack passes its own test cases here."""
        return self.extractor(run).sound()

    def extractor(self, run: Run) -> ModelExtractor:
        """Return the pack of a run. Raises `Unavailable` if it is not loaded."""
        try:
            return self.extractors[run.pack]
        except KeyError:
            raise Unavailable(
                f"the pack {run.pack!r} is not loaded here",
                retry_after_seconds=30,
                hint="deploy the pack to every worker, or point SLOWWAVE_RULES at it",
            ) from None

    def _planned(self, extractor: ModelExtractor, run: Run, chunks: Sequence[Chunk]) -> Planned:
        """Find each chunk's request: one marked for splitting is split; a dead request is repeated only by a retry."""
        keys = self.model_requests.keys(run, requests_edition(extractor))
        found, todo = _Found(), [(chunk, 0) for chunk in chunks]
        while todo:
            named = [(keys(chunk, round), chunk, round) for chunk, round in todo]
            states = self.model_requests.states(run, [key for key, _, _ in named])
            todo = []
            for key, chunk, round in named:
                state = states.get(key)
                if state == "dead" and run.only:
                    todo.append((chunk, round + 1))
                elif state != "split":
                    found.requests.append(Request(key, chunk, round))
                elif halves := _halves(extractor, chunk):
                    todo += [(half, 0) for half in halves]
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
    try:
        return extractor.plan(group, before, near.held, near.names)
    except SlowwaveError:
        raise
    except Exception as error:  # a pack's own code may raise anything
        raise Fault(f"the pack failed with {type(error).__name__}") from error


def _halves(extractor: ModelExtractor, chunk: Chunk) -> tuple[Chunk, Chunk] | None:
    return extractor.halves(chunk) if len(chunk.episodes) > 1 else None
