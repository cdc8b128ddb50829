"""Erasures as tool results for an agent: previews and receipts."""

from mcp.types import CallToolResult
from pydantic import BaseModel

from slowwave.api.mcp.results import Data, cut, tool_result
from slowwave.domain.erasure import Erasure


class Forgotten(BaseModel):
    """An erasure, done or previewed."""

    rows: int
    episodes: list[str] | None = None
    facts: list[str] | None = None
    token: str | None = None
    erasure: str | None = None


def forgotten(done: Erasure) -> CallToolResult:
    """Return the receipt of an erasure or, for a preview, what it would erase and the token to confirm it."""
    data: Data = {"rows": sum(done.counts.values())}
    if not done.preview:
        data["erasure"] = str(done.id)
        return tool_result([f"forgotten for good: erasure {done.id}", *done.todo, *done.beyond], data)
    data |= {"episodes": [cut(one) for one in done.episodes], "facts": [cut(one) for one in done.facts]}
    data["token"] = done.token
    lines = [f"would be forgotten: {one}" for name in ("episodes", "facts") for one in data[name]]
    counts = ", ".join(f"{count} {name}" for name, count in done.counts.items())
    held = ["a legal hold forbids this"] if done.held else []
    return tool_result(
        [*lines, f"in total {counts}, and everything derived from them; to confirm: {done.token}", *held], data
    )
