"""A worker without Celery that calls a model and breaks at a chosen point: `python -m tests.faults.rig.asking`.

It is `slowwave work` with a pack that needs a model. At each point it looks for a file of that name in SABOTAGE.
"""

import os
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

from slowwave import wiring
from slowwave.cli import main
from slowwave.inference.providers import OpenAIProtocol
from slowwave.jobs.model_calls.window import Replies
from slowwave.store.model_calls.call_queue import PostgresCallQueue
from tests.contract.model_calls.scripted_models import TALK, Talk
from tests.faults.rig.saboteur import Sabotage

POINTS = ("before-call", "after-call", "after-reply", "verifying")
"""The points of a window with model calls, in order."""


def _breaking(cls: type, name: str, *, before: str = "", after: str = "") -> None:
    """Add a breaking point before and after a method."""
    method: Callable[..., Any] = getattr(cls, name)

    @wraps(method)
    def broken(*arguments: Any, **named: Any) -> Any:
        sabotage = Sabotage(Path(os.environ["SABOTAGE"]))
        if before:
            sabotage.reach(before)
        done = method(*arguments, **named)
        if after:
            sabotage.reach(after)
        return done

    setattr(cls, name, broken)


def _with_talk(parts: type[wiring.Parts]) -> None:
    """Register the pack in every process of ours."""
    setattr(parts, "models", {TALK: Talk()})  # noqa: B010 - it is meant to be replaced


if __name__ == "__main__":
    _with_talk(wiring.Parts)
    _breaking(OpenAIProtocol, "ask", before="before-call", after="after-call")
    _breaking(PostgresCallQueue, "keep", after="after-reply")
    _breaking(Replies, "read", after="verifying")
    main(sys.argv[1:])
