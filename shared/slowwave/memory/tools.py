"""Tool calls of an agent, as episodes: told by the agent, or captured as they run.

Capturing is off until SLOWWAVE_CAPTURE_ENABLED is set. SLOWWAVE_CAPTURE_TOOLS names the tools it may capture,
SLOWWAVE_CAPTURE_SKIP_TOOLS those it never does, SLOWWAVE_CAPTURE_MAX_PER_MINUTE how many calls of a scope. They are
Aragora's ARAGORA_MEMORY_CAPTURE_ENABLED, …_CAPTURE_TOOLS, …_SKIP_TOOLS and …_CAPTURE_MAX_PER_MINUTE.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from slowwave.core.capture import CAPTURED, Passed, clipped, plain
from slowwave.domain.arguments import (
    Description,
    Id,
    Instant,
    Latency,
    Limit,
    Name,
    Names,
    Note,
    Result,
    checked,
    checked_type,
)
from slowwave.domain.episode import Episode, key_or_new
from slowwave.domain.reading.episode import EpisodeFilters
from slowwave.domain.reading.invocation import ToolInvocation, invocation
from slowwave.domain.receipt import Receipt
from slowwave.memory import storing
from slowwave.memory.face import Face
from slowwave.memory.reach import Reads, reach_of
from slowwave.memory.reading import paging
from slowwave.memory.reading.handing import handed_out

CONTENT_BYTES = 64 * 1024
"""What is kept of a tool's input, and of its output."""
BESIDE_CHARACTERS = 2_000
"""What of each is kept in the metadata too, where it can be asked for; what takes more stands in the content alone."""
ERROR_CHARACTERS = 1_000


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class Tools(Face):
    """The calls of tools in one scope; `calls` reads them back from where recall looks."""

    reads: Reads = "agent"

    @checked
    def calls(
        self, limit: Limit = 50, *, tools: Names | None = None, sessions: Names | None = None,
        success: bool | None = None, since: Instant | None = None, until: Instant | None = None,
        before: Id | None = None, session: Name | None = None,
    ) -> list[ToolInvocation]:  # fmt: skip
        """Return the *limit* calls that were told last, the newest first: input, output, how it went, how long it took.

        Of *tools* with these names, in *sessions*, those that were a *success* or with False those that were not; they
        happened from *since* up to *until*, itself left out. Go on with *before*, the id of the last one. *session* is
        the one in which you ask: it stands in the audit.
        """
        wanted = EpisodeFilters(["tool_call"], None, sessions, since, until, tools, success)
        reach = reach_of(self._parts, self.scope, self.reads)
        page = paging.page(self._parts, reach, wanted, limit, before=before, after=None, newest_first=True)
        return [invocation(one) for one in handed_out(self._parts, reach, page, verb="tools.calls", session=session)]

    @checked
    def record_invocation(
        self,
        conversation_id: Name,
        turn_id: Name,
        tool_name: Name,
        tool_input: Any,
        tool_output: Any,
        success: bool,
        latency_ms: Latency,
        channel: Name | None = None,
        *,
        error: Result | None = None,
        task: Note = "",
        key: Name | None = None,
    ) -> Receipt:
        """Store one call of a tool, in this channel or another; return its receipt.

        *task* says for what kind of task it was called. Input and output may be anything; of what is long the
        beginning is kept. With a *key*, telling of the same call again changes nothing.
        """
        said = {
            "tool": tool_name,
            "success": success,
            "latency_ms": latency_ms,
            "turn": turn_id,
            **({"error": error[:ERROR_CHARACTERS]} if error else {}),
            **({"task": task} if task else {}),
        }
        there = self.scope if channel is None else replace(self.scope, channel=channel)
        return storing.push(self._parts, there, _call(conversation_id, said, tool_input, tool_output, key))

    @checked
    def capture(
        self,
        conversation_id: Name,
        tool_name: Name,
        tool_input: Any,
        tool_output: Any,
        *,
        success: bool,
        latency_ms: Latency,
        error: Result | None = None,
        task: Note = "",
        key: Name | None = None,
    ) -> Receipt | None:
        """Store a call as it happens, on the hottest rung, if calls of this tool are captured; else return None.

        It is placed in the transaction that stores it, be it later, out of an outbox.
        `passed_over` counts the calls that were not, by reason.
        """
        if not self._parts.capture.admits(self.scope.id, tool_name):
            return None
        said = {
            "type": CAPTURED,
            "tool": tool_name,
            "success": success,
            "latency_ms": latency_ms,
            **({"error": error[:ERROR_CHARACTERS]} if error else {}),
            **({"task": task} if task else {}),
        }
        call = _call(conversation_id, said, tool_input, tool_output, key)
        return storing.push(self._parts, self.scope, call)

    @checked
    def plan(
        self, session: Name, task: Description, steps: Sequence[Note] = (), *, note: Note = "", key: Name | None = None
    ) -> Receipt:
        """Store a plan: a worker makes a goal of the *task*, and of each step one that serves it.

        `outcome`, told of the same task, ends the goals. Any episode whose metadata have `task` and a list `plan` is a
        plan, too.
        """
        planned = Episode(
            content=note or "\n".join([task, *(f"- {step}" for step in steps)]),
            session=session,
            role="assistant",
            kind="model_call",
            metadata={"task": task, "plan": list(steps)},
            key=key_or_new(key),
        )
        return storing.push(self._parts, self.scope, planned)

    @property
    def passed_over(self) -> Mapping[Passed, int]:
        """The number of calls this process did not capture, by reason."""
        return dict(self._parts.capture.passed_over)

    @checked
    def outcome(
        self, session: Name, success: bool, *, task: Note = "", note: Note = "", key: Name | None = None
    ) -> Receipt:
        """Store how a session's task ended: with it end the calls that led there, and the goal that was the *task*.

        The goal, and those open that serve it, are `completed` or `abandoned` once a worker has seen it; its result is
        the *note*.
        """
        words = note or f"The task {'succeeded' if success else 'failed'}."
        said = {"success": success, **({"task": task} if task else {})}
        ended = Episode(
            content=words,
            session=session,
            role="system",
            kind="outcome",
            metadata=said,
            key=key_or_new(key),
        )
        return storing.push(self._parts, self.scope, ended)


def _call(session: str, said: dict[str, Any], given: Any, got: Any, key: str | None) -> Episode:
    words = {"input": plain(given), "output": plain(got)}
    beside = {name: value for name, value in words.items() if len(json.dumps(value)) <= BESIDE_CHARACTERS}
    content = {
        "tool": said["tool"],
        **{name: clipped(value, most_bytes=CONTENT_BYTES) for name, value in words.items()},
    }
    return Episode(
        content=json.dumps(content, ensure_ascii=False),
        session=session,
        role="tool",
        kind="tool_call",
        metadata={**plain(said), **beside},
        key=key_or_new(key),
    )
