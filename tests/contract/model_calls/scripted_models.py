"""A pack that needs a model, and a provider with scripted replies."""

import json
import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from slowwave.core.fold import Version
from slowwave.domain.claim import CONFIDENCE, Claim, Mode, Source
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.model_calls import Answer, Chunk, Message, Reading, Rejected, Words
from slowwave.errors import Unreadable
from slowwave.rules import Cadence

TALK = "talk"
SAID = re.compile(r"^(?P<how>likes|lives in|left|forgets|meant) (?P<what>.+)$")
MODES: Mapping[str, tuple[str, Mode]] = {
    "likes": ("likes", "assert"),
    "lives in": ("lives_in", "assert"),
    "left": ("lives_in", "end"),
    "forgets": ("likes", "forget"),
    "meant": ("lives_in", "correct"),
}


@dataclass(frozen=True)
class Talk:
    """A `ModelPack`: a reply repeats the turns that claim something, and code makes claims of them."""

    size: int = 4
    prompt_version: str = "talk-1"
    model: str = "fake:echo?temperature=0"
    version: int = 1
    pack: str = TALK
    healthy: bool = True
    harm: Callable[[Chunk, str], None] = field(default=lambda _chunk, _reply: None)

    @property
    def cadence(self) -> Cadence:
        return Cadence(every=4, max_age=timedelta(hours=24))

    @property
    def digest(self) -> str:
        return self.prompt_version.encode().hex().ljust(64, "0")

    def plan(
        self,
        episodes: Sequence[StoredEpisode],
        before: Sequence[StoredEpisode],
        held: Sequence[Version],
        names: Sequence[str],
    ) -> list[Chunk]:
        sessions: dict[str, list[StoredEpisode]] = {}
        for episode in episodes:
            sessions.setdefault(episode.session, []).append(episode)
        known = [*before, *episodes]
        return [
            self._chunk(part, [one for one in known if one.session == session and one.position < part[0].position][-2:])
            for session, turns in sessions.items()
            for part in (turns[at : at + self.size] for at in range(0, len(turns), self.size))
        ]

    def halves(self, chunk: Chunk) -> tuple[Chunk, Chunk] | None:
        turns = chunk.episodes
        half = len(turns) // 2
        first, second = turns[:half], turns[half:]
        return self._chunk(first, chunk.before), self._chunk(second, [*chunk.before, *first][-2:])

    def read(self, chunk: Chunk, reply: str) -> Reading:
        self.harm(chunk, reply)
        try:
            said = json.loads(reply)["claims"]
        except (ValueError, KeyError, TypeError):
            raise Unreadable("expected JSON with claims") from None
        claims, rejected = [], []
        turns = {turn.position: turn for turn in chunk.episodes}
        for ordinal, (position, quote) in enumerate(said):
            turn = turns.get(position)
            if turn is None or quote not in turn.content or not SAID.match(quote):
                rejected.append(Rejected(min(turns), "the quote is not in the turn", {"quote": quote}))
            else:
                claims.append(_claim(turn, quote, ordinal))
        return Reading(claims, rejected)

    def smallest(self) -> Chunk:
        at = datetime(2026, 1, 1, tzinfo=UTC)
        turn = StoredEpisode(
            id=uuid.UUID(int=1), key="case", position=1, received=at, occurred=at, session="case", role="user",
            kind="message", content="likes tea", metadata={},
        )  # fmt: skip
        return self._chunk([turn], [])

    def sound(self) -> bool:
        return self.healthy

    def _chunk(self, turns: Sequence[StoredEpisode], before: Sequence[StoredEpisode]) -> Chunk:
        said = "\n".join(f"{turn.position}|{turn.content}" for turn in turns)
        messages: list[Message] = [{"role": "user", "content": said}]
        return Chunk(tuple(turns), tuple(before), Words(messages), prompt_tokens=len(said) // 4 + 1, most_tokens=50)


def _claim(turn: StoredEpisode, quote: str, ordinal: int) -> Claim:
    found = SAID.match(quote)
    assert found
    predicate, mode = MODES[found["how"]]
    start = turn.content.index(quote)
    return Claim(
        subject="user", predicate=predicate, object=found["what"], mode=mode, certainty="explicit",
        confidence=CONFIDENCE["explicit"], valid_from=turn.occurred, valid_to=None,
        single_valued=predicate == "lives_in", rule=f"{TALK}/model@1", session=turn.session,
        source=Source(turn.id, turn.key, turn.position, start, start + len(quote)), ordinal=ordinal,
    )  # fmt: skip


def echo(messages: Sequence[Message]) -> str:
    """Return a correct reply: each turn with a claim, word for word."""
    lines = [line.split("|", 1) for line in messages[0]["content"].splitlines() if "|" in line]
    return json.dumps({"claims": [[int(number), said] for number, said in lines if SAID.match(said)]})


@dataclass
class Echo:
    """A `Provider` that answers at once; *answers* go before what it would say, and an error among them is raised."""

    name: str = "fake"
    answers: list[str | Exception] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def ask(
        self, messages: Sequence[Message], schema: Mapping[str, object], *, most_tokens: int, timeout_seconds: float
    ) -> Answer:
        self.asked.append(messages[0]["content"])
        answer = self.answers.pop(0) if self.answers else echo(messages)
        if isinstance(answer, Exception):
            raise answer
        return Answer(answer, model="echo-1", prompt_tokens=10, reply_tokens=5, latency_ms=1.0)
