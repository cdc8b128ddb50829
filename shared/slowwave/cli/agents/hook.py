"""`slowwave hook`: what a coding agent says at its hooks is kept, and what it needs is told."""

import getpass
import json
import sys
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

import click

from slowwave import wiring
from slowwave.cli.options import opened, tenant_option
from slowwave.domain.episode import EpisodeFields, Role
from slowwave.errors import Incorrect
from slowwave.memory import Memory, MemoryScope

MOST_TOKENS_AT_START = 1_000
ANSWERS = 5
LEAST_SCORE = 0.1
"""What scores less answers one time in eight at best: a prompt has no room for it."""
SAYINGS: Mapping[str, tuple[str, Role]] = {
    "UserPromptSubmit": ("prompt", "user"),
    "beforeSubmitPrompt": ("prompt", "user"),
    "Stop": ("last_assistant_message", "assistant"),
    "afterAgentResponse": ("text", "assistant"),
}
"""The events at which something was said: the field with the words, and who said them."""
STARTS, ENDS = ("SessionStart", "sessionStart"), ("SessionEnd", "sessionEnd")


@click.command
@click.option("--user", default=getpass.getuser, show_default="who you are here", metavar="NAME", help="About whom.")
@click.option("--agent", metavar="NAME", help="As which agent; without one, what all agents know is read.")
@click.option("--channel", metavar="NAME", help="In which channel or project.")
@tenant_option
def command(user: str, agent: str | None, channel: str | None, tenant: str | None) -> None:
    """Answer one hook of a coding agent: its JSON on standard input, ours on standard output.

    When a session starts, what is known of the user and the project is told; at a prompt, what is remembered that
    answers it, and the prompt is kept; what the agent answered is kept; the end of the session lets it be learned from.
    Known are the events of Claude Code, Codex and Cursor; any other is answered with nothing. The status is never 2,
    with which a hook would stop the agent.
    """
    told = _read(sys.stdin.buffer.read())
    event = str(told.get("hook_event_name", ""))
    if event not in (*SAYINGS, *STARTS, *ENDS):
        return click.echo("{}")
    with opened(tenant) as parts:
        found = _heard(parts, Memory(parts).scope(user, agent=agent, channel=channel), event, told)
    return click.echo(json.dumps(_answer(event, found), ensure_ascii=False))


def _read(said: bytes) -> dict[str, Any]:
    """Return what the agent says. Raises `Incorrect`."""
    try:
        told = json.loads(said)
    except ValueError:
        told = None
    if not isinstance(told, dict):
        raise Incorrect("standard input is no JSON object", hint="a coding agent calls this at its hooks; see hooks.md")
    return told


def _heard(parts: wiring.Parts, scope: MemoryScope, event: str, told: Mapping[str, Any]) -> str:
    """Keep what was said, and return what is told of it; nothing where nothing bears on it."""
    session = str(told.get("session_id") or told.get("conversation_id") or "default")
    if event in STARTS:
        return _known(scope, told)
    if event in ENDS:
        scope.end_session(session)
        return ""
    field, role = SAYINGS[event]
    words = str(told.get(field) or "")
    if not words.strip():
        return ""
    found = ""
    if role == "user" and event == "UserPromptSubmit":  # Cursor takes no text before a prompt
        parts.tally.timed = False
        answers = scope.recall(words, limit=ANSWERS, min_score=LEAST_SCORE, exclude_sessions=[session], session=session)
        found = "\n".join(f"- {one.text} ({one.occurred:%Y-%m-%d})" for one in answers)
    fields: EpisodeFields = {"session": session, "role": role}
    if turn := told.get("turn_id") or told.get("generation_id"):
        fields["key"] = f"{session}/{turn}/{role}"
    scope.push(words, **fields)
    return f"Remembered:\n{found}" if found else ""


def _known(scope: MemoryScope, told: Mapping[str, Any]) -> str:
    """Return what a session needs to know as it starts: the user's profile, and what bears on the project."""
    place = str(told.get("cwd") or next(iter(told.get("workspace_roots") or ()), ""))
    known = [f"- {entry.fact.text}" for entry in scope.profile().entries]
    question = f"Decisions, conventions and open work in {PurePath(place).name or 'this project'}"
    context = scope.context(question, max_tokens=MOST_TOKENS_AT_START).as_text()
    told_of = ["Known of the user:", *known] if known else []
    return "\n".join([*told_of, *([context] if context else [])])


def _answer(event: str, found: str) -> dict[str, Any]:
    """Return *found* in the form in which the agent that has such an *event* reads it."""
    if event == "beforeSubmitPrompt":
        return {"continue": True}
    if not found:
        return {}
    if event == "sessionStart":
        return {"additional_context": found}
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": found}}
