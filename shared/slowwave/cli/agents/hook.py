"""`slowwave hook`: stores the words that a coding agent reports at its hooks, and returns relevant memories."""

import json
import sys
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

import click

from slowwave import wiring
from slowwave.cli.options import opened, tenant_option
from slowwave.cli.options.choices import agent_options
from slowwave.domain.episode import EpisodeFields, Role
from slowwave.errors import Incorrect
from slowwave.memory import Memory, MemoryScope

MOST_TOKENS_AT_START = 1_000
ANSWERS = 5
LEAST_SCORE = 0.1
"""The minimum score of a recollection for a prompt.

Of the recollections with a score of 0.1, one in eight answers the question.
"""
SAYINGS: Mapping[str, tuple[str, Role]] = {
    "UserPromptSubmit": ("prompt", "user"),
    "beforeSubmitPrompt": ("prompt", "user"),
    "Stop": ("last_assistant_message", "assistant"),
    "afterAgentResponse": ("text", "assistant"),
}
"""The events that contain words, with the name of the field that has the words, and the role of the speaker."""
STARTS, ENDS = ("SessionStart", "sessionStart"), ("SessionEnd", "sessionEnd")


@click.command
@agent_options
@tenant_option
def hook_command(user: str, agent: str | None, channel: str | None, tenant: str | None) -> None:
    """Answer one hook of a coding agent: read the agent's JSON from standard input, and write JSON to standard output.

    When a session starts, the command returns the user's profile and memories of the project. It stores each prompt
    and, except for Cursor, returns the memories that answer the prompt. It also stores the agent's answers. When the
    session ends, the command makes the session due for consolidation. It knows the events of Claude Code, Codex and
    Cursor; to any other event, it gives an empty answer. The exit status is never 2, because this status would stop the
    agent.
    """
    payload = _read(sys.stdin.buffer.read())
    event = str(payload.get("hook_event_name", ""))
    if event not in (*SAYINGS, *STARTS, *ENDS):
        return click.echo("{}")
    with opened(tenant) as parts:
        found = _store_and_recall(parts, Memory(parts).scope(user, agent=agent, channel=channel), event, payload)
    return click.echo(json.dumps(_answer(event, found), ensure_ascii=False))


def _read(text: bytes) -> dict[str, Any]:
    """Return the JSON object that the agent sent. Raises `Incorrect` for other input."""
    try:
        payload = json.loads(text)
    except ValueError:
        payload = None
    if not isinstance(payload, dict):
        raise Incorrect(
            "standard input is not a JSON object", hint="a coding agent runs this command as a hook; see hooks.md"
        )
    return payload


def _store_and_recall(parts: wiring.Parts, scope: MemoryScope, event: str, payload: Mapping[str, Any]) -> str:
    """Store the words of the event, and return the relevant memories as text; the text is empty if there are none."""
    session = str(payload.get("session_id") or payload.get("conversation_id") or "default")
    if event in STARTS:
        return _known(scope, payload)
    if event in ENDS:
        scope.end_session(session)
        return ""
    field, role = SAYINGS[event]
    words = str(payload.get(field) or "")
    if not words.strip():
        return ""
    found = ""
    if role == "user" and event == "UserPromptSubmit":  # Cursor's prompt hook accepts no added text
        parts.tally.timed = False
        answers = scope.recall(words, limit=ANSWERS, min_score=LEAST_SCORE, exclude_sessions=[session], session=session)
        found = "\n".join(f"- {one.text} ({one.occurred:%Y-%m-%d})" for one in answers)
    fields: EpisodeFields = {"session": session, "role": role}
    if turn := payload.get("turn_id") or payload.get("generation_id"):
        fields["key"] = f"{session}/{turn}/{role}"
    scope.push(words, **fields)
    return f"Remembered:\n{found}" if found else ""


def _known(scope: MemoryScope, fields: Mapping[str, Any]) -> str:
    """Return the context of a new session: the user's profile, and memories relevant to the project."""
    place = str(fields.get("cwd") or next(iter(fields.get("workspace_roots") or ()), ""))
    known = [f"- {entry.fact.text}" for entry in scope.profile().entries]
    question = f"Decisions, conventions and open work in {PurePath(place).name or 'this project'}"
    context = scope.context(question, max_tokens=MOST_TOKENS_AT_START).as_text()
    profile = ["Known of the user:", *known] if known else []
    return "\n".join([*profile, *([context] if context else [])])


def _answer(event: str, found: str) -> dict[str, Any]:
    """Return *found* in the JSON form that the agent with this *event* expects."""
    if event == "beforeSubmitPrompt":
        return {"continue": True}
    if not found:
        return {}
    if event == "sessionStart":
        return {"additional_context": found}
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": found}}
