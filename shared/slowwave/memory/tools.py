"""Tool calls of an agent as episodes. The agent records a call, or Slowwave captures the call when it runs.

Calls are captured only if SLOWWAVE_CAPTURE_ENABLED is set. SLOWWAVE_CAPTURE_TOOLS names the tools to capture.
SLOWWAVE_CAPTURE_SKIP_TOOLS names the tools that are never captured. SLOWWAVE_CAPTURE_MAX_PER_MINUTE is the limit of
captured calls per scope and minute. Aragora calls these settings ARAGORA_MEMORY_CAPTURE_ENABLED, …_CAPTURE_TOOLS,
…_SKIP_TOOLS and …_CAPTURE_MAX_PER_MINUTE.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
from slowwave.domain.queries.episode import EpisodeFilters
from slowwave.domain.queries.invocation import ToolInvocation, invocation
from slowwave.domain.receipt import Receipt
from slowwave.memory import ingestion
from slowwave.memory.queries import pages
from slowwave.memory.queries.access_tracking import counted_read
from slowwave.memory.verb_group import VerbGroup
from slowwave.retrieval.reach import Reads, reach_of

CONTENT_BYTES = 64 * 1024
"""The maximum number of bytes that are stored of a tool's input or output."""
BESIDE_CHARACTERS = 2_000
"""An input or output is also stored in the metadata, where it can be queried, if it has at most this number of
characters.
"""
ERROR_CHARACTERS = 1_000


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class Tools(VerbGroup):
    """The tool calls of one scope. `calls` also reads the other scopes that `recall` searches."""

    reads: Reads = "agent"

    @checked
    def calls(
        self, limit: Limit = 50, *, tools: Names | None = None, sessions: Names | None = None,
        success: bool | None = None, since: Instant | None = None, until: Instant | None = None,
        before: Id | None = None, session: Name | None = None,
    ) -> list[ToolInvocation]:  # fmt: skip
        """Return the *limit* latest tool calls, newest first, with input, output, success and duration.

        Filters select *tools* by name, *sessions*, *success* (False for failed calls), and calls from *since* on and
        before *until*. To continue, pass the id of the last call as *before*. *session* is the caller's session, for
        the audit log.
        """
        wanted = EpisodeFilters(["tool_call"], None, sessions, since, until, tools, success)
        reach = reach_of(self._parts.records, self.scope, self.reads)
        page = pages.page(self._parts, reach, wanted, limit, before=before, after=None, newest_first=True)
        return [invocation(one) for one in counted_read(self._parts, reach, page, verb="tools.calls", session=session)]

    @checked
    def record_invocation(
        self, conversation_id: Name, turn_id: Name, tool_name: Name, tool_input: Any, tool_output: Any, success: bool,
        latency_ms: Latency, channel: Name | None = None, *, error: Result | None = None, task: Note = "",
        key: Name | None = None,
    ) -> Receipt:  # fmt: skip
        """Store one tool call, in this channel or in *channel*; return the receipt.

        *task* is the type of task of the call. Input and output may be any value. Of a long value, only the beginning
        is stored. With a *key*, a repeat changes nothing.
        """
        fields = {"tool": tool_name, "success": success, "latency_ms": latency_ms, "turn": turn_id}
        call = _call(conversation_id, fields, tool_input, tool_output, error=error, task=task, key=key)
        return ingestion.push(self._parts, self._in(channel).scope, call)

    @checked
    def capture(
        self, conversation_id: Name, tool_name: Name, tool_input: Any, tool_output: Any, *, success: bool,
        latency_ms: Latency, error: Result | None = None, task: Note = "", key: Name | None = None,
    ) -> Receipt | None:  # fmt: skip
        """Store a call on the hottest tier and return the receipt; return None if calls of this tool are not captured.

        The transaction that stores the call also sets the tier, even if the call waits in an outbox first.
        `passed_over` has the number of calls that were not captured, by reason.
        """
        if not self._parts.capture.admits(self.scope.id, tool_name):
            return None
        fields = {"type": CAPTURED, "tool": tool_name, "success": success, "latency_ms": latency_ms}
        call = _call(conversation_id, fields, tool_input, tool_output, error=error, task=task, key=key)
        return ingestion.push(self._parts, self.scope, call)

    @checked
    def plan(
        self, session: Name, task: Description, steps: Sequence[Note] = (), *, note: Note = "", key: Name | None = None
    ) -> Receipt:
        """Store a plan; return the receipt. A worker makes a goal from the *task*, and a subgoal from each step.

        An `outcome` of the same task ends these goals. An episode is also a plan if its metadata have `task` and a list
        `plan`.
        """
        planned = Episode(
            content=note or "\n".join([task, *(f"- {step}" for step in steps)]),
            session=session,
            role="assistant",
            kind="model_call",
            metadata={"task": task, "plan": list(steps)},
            key=key_or_new(key),
        )
        return ingestion.push(self._parts, self.scope, planned)

    @property
    def passed_over(self) -> Mapping[Passed, int]:
        """The numbers of calls that this process did not capture, by reason."""
        return dict(self._parts.capture.passed_over)

    @checked
    def outcome(
        self, session: Name, success: bool, *, task: Note = "", note: Note = "", key: Name | None = None
    ) -> Receipt:
        """Store the outcome of a session's task; return the receipt.

        The outcome ends the current tool attempt and the task's goal.

        When a worker processes the episode, the goal and its open subgoals become `completed` or `abandoned`. The
        *note* becomes the result of the goal.
        """
        words = note or f"The task {'succeeded' if success else 'failed'}."
        fields = {"success": success, **({"task": task} if task else {})}
        ended = Episode(
            content=words, session=session, role="system", kind="outcome", metadata=fields, key=key_or_new(key)
        )
        return ingestion.push(self._parts, self.scope, ended)


def _call(
    session: str, fields: dict[str, Any], given: Any, got: Any, *, error: str | None, task: str, key: str | None
) -> Episode:
    fields |= {"error": error[:ERROR_CHARACTERS]} if error else {}
    fields |= {"task": task} if task else {}
    words = {"input": plain(given), "output": plain(got)}
    beside = {name: value for name, value in words.items() if len(json.dumps(value)) <= BESIDE_CHARACTERS}
    content = {
        "tool": fields["tool"],
        **{name: clipped(value, most_bytes=CONTENT_BYTES) for name, value in words.items()},
    }
    return Episode(
        content=json.dumps(content, ensure_ascii=False),
        session=session,
        role="tool",
        kind="tool_call",
        metadata={**plain(fields), **beside},
        key=key_or_new(key),
    )
