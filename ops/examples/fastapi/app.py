"""A chat service that remembers: `uvicorn app:app`. Every request awaits one memory, and no loop waits for it.

Without a database of your own, `pip install "slowwave[async,embedded]" fastapi uvicorn` brings one. No key is needed:
`answered` is the place for your model.
"""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, HTTPException, Request
from pydantic import BaseModel

from slowwave import AsyncMemory, AsyncMemoryScope, Incorrect, Unavailable


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Hold one memory as long as the service runs."""
    async with AsyncMemory.connect() as memory:
        app.state.memory = memory
        gc.freeze()  # exempt loaded objects from garbage collection: they stay for the life of the process
        yield


app = FastAPI(lifespan=lifespan)


class Said(BaseModel):
    """A turn of a conversation."""

    words: str
    session: str


@app.post("/chat/{user}")
async def chat(user: str, said: Said, request: Request) -> dict[str, str]:
    """Return an answer to what was said, by what is remembered of the user; keep both."""
    scope: AsyncMemoryScope = request.app.state.memory.scope(user, agent="chat")
    try:
        context = await scope.context(said.words, session=said.session)
        answer = answered(said.words, context.as_text())
        await scope.push(said.words, role="user", session=said.session)
        await scope.push(answer, role="assistant", session=said.session)
    except Incorrect as error:
        raise HTTPException(422, error.message) from error
    except Unavailable as error:
        raise HTTPException(503, error.message, {"Retry-After": "1"}) from error
    return {"answer": answer}


@app.get("/known/{user}")
async def known(user: str, request: Request) -> list[str]:
    """Return what is believed of the user."""
    scope: AsyncMemoryScope = request.app.state.memory.scope(user, agent="chat")
    return [fact.text for fact in await scope.facts()]


@app.post("/night/{user}")
async def night(user: str, request: Request) -> list[str]:
    """Turn what was said into facts now, as workers do when they run; return what is believed then."""
    scope: AsyncMemoryScope = request.app.state.memory.scope(user, agent="chat")
    await scope.consolidate()
    return [fact.text for fact in await scope.facts()]


def answered(words: str, context: str) -> str:
    """Return what the agent says to *words* that knows *context*: here your model is asked."""
    return f"You said: {words}. I know:\n{context}"
