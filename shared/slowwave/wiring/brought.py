"""The embedder and the summariser that the settings name: Slowwave's own, or those of an installed package."""

from collections.abc import Callable, Mapping
from typing import Any

from slowwave.inference.embedder import StaticEmbedder
from slowwave.inference.summariser import ExtractiveSummariser
from slowwave.jobs.summaries.rolling import Summariser
from slowwave.plugins import brought, made, unknown
from slowwave.ports import Embedder

EMBEDDERS, SUMMARISERS = "slowwave.embedders", "slowwave.summarisers"
"""The entry points by which a package brings one: a name, and a function that takes nothing and gives it."""


def embedder_of(name: str) -> Embedder:
    """Return the embedder of that *name*. Raises `Incorrect` where there is none, or it is broken."""
    found: Embedder = _part(EMBEDDERS, "embedder", name, {"static": StaticEmbedder}, does="embed")
    return found


def summariser_of(name: str) -> Summariser:
    """Return the summariser of that *name*. Raises `Incorrect` where there is none, or it is broken."""
    found: Summariser = _part(SUMMARISERS, "summariser", name, {"extractive": ExtractiveSummariser}, does="summarise")
    return found


def _part(group: str, kind: str, name: str, own: Mapping[str, Callable[[], Any]], *, does: str) -> Any:
    if name in own:
        return own[name]()
    others = brought(group)
    if name not in others:
        raise unknown(kind, name, sorted({*own, *others}))
    return made(group, kind, name, does=does)
