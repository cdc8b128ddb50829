"""Steps of many tests of a memory: push texts and consolidate them, await verbs, and run another process."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import psycopg

from slowwave import AsyncMemory, wiring
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, MemoryScope, due_work
from slowwave.memory.asynchronous.background_loop import BackgroundLoop
from slowwave.memory.verb_group import parts_of
from slowwave.settings import Settings
from tests.databases import registered
from tests.endpoint import Embeddings
from tests.faults.rig.processes import plain_environment

Told = Callable[..., list[Episode]]
"""The fixture `told`: it makes episodes from sentences, a minute apart."""


def learn(scope: MemoryScope, *texts: Any, **fields: Any) -> MemoryScope:
    """Push each text to a scope, with *fields*, and consolidate it before the next; return the scope."""
    for text in texts:
        scope.push(text, **fields)
        scope.consolidate()
    return scope


def talk(turns: Sequence[str], session: str, at: datetime) -> list[Episode]:
    """Return the turns of a conversation; those that begin with `A: ` are the assistant's."""
    return [
        Episode(
            content=turn.removeprefix("A: "), role="assistant" if turn.startswith("A: ") else "user", session=session,
            occurred_at=at,
        )
        for turn in turns
    ]  # fmt: skip


def homes(scope: MemoryScope, **asked: Any) -> list[str]:
    """Return the homes of a user, by default the current ones."""
    return [fact.object for fact in scope.facts(**asked) if fact.predicate == "lives_in"]


def awaiting(memory: Memory, act: Callable[[AsyncMemory], Awaitable[None]]) -> None:
    """Run *act* with the async face of a memory, whose calls and connections end afterwards."""

    async def run() -> None:
        face = AsyncMemory(memory, BackgroundLoop(at_once=8))
        try:
            await act(face)
        finally:
            await face._room.close(last=lambda: None, hang_up=parts_of(memory).database.hang_up)

    asyncio.run(run())


def work_off(parts: wiring.Parts, scope: Scope, episodes: Sequence[Any]) -> Memory:
    """Push episodes, request their consolidation now, and do all due work; return the memory."""
    parts.push(scope, episodes)
    due_work.fire(parts, scope.id)
    memory = Memory(parts)
    memory.drain()
    return memory


def refuse(superuser: psycopg.Connection, state: str, *, table: str = "episodes", when: str = "true") -> None:
    """Let Postgres refuse with *state* every new row of *table* that matches *when*."""
    superuser.execute(
        "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN IF {when} THEN RAISE SQLSTATE '{state}'; END IF; RETURN NEW; END $$".encode()
    )
    superuser.execute(f"CREATE TRIGGER refuse BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION refuse()".encode())


def forgive(superuser: psycopg.Connection, *, table: str = "episodes") -> None:
    """Let Postgres accept new rows of *table* again."""
    superuser.execute(f"DROP TRIGGER refuse ON {table}".encode())


def environment(**settings: str) -> dict[str, str]:
    """Return the environment of a process with these *settings* alone."""
    return plain_environment(**{f"SLOWWAVE_{name.upper()}": value for name, value in settings.items()})


def process(settings: Settings, heavy: Mapping[str, object], **changed: Any) -> AbstractContextManager[wiring.Parts]:
    """Give the parts of a process with *changed* settings, its packs registered; what is *heavy* is loaded."""
    return registered(Settings.load(**{**settings.model_dump(exclude_unset=True), **changed}), **heavy)


@contextmanager
def embedding(
    settings: Settings, heavy: Mapping[str, object], endpoint: Embeddings, dimensions: int
) -> Iterator[Memory]:
    """Give the memory of a process whose embedder is an endpoint with so many *dimensions*."""
    own = {"embedder": "endpoint", "embedding_url": endpoint.url, "embedding_model": "small"}
    with process(settings, {"packs": heavy["packs"]}, **own, embedding_dimensions=dimensions) as parts:
        yield Memory(parts)


def write_hobbies(folder: Path, cron: str) -> None:
    """Write the pack `hobbies` to *folder*, due at *cron*."""
    shutil.copytree(Path(__file__).with_name("hobbies"), folder, dirs_exist_ok=True)
    pack = folder / "pack.yaml"
    pack.write_text(pack.read_text().replace("0 3 * * *", cron))
