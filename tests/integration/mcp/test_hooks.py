"""`slowwave hook` with the documented events of coding agents: Claude Code 2.1, Codex 0.148, Cursor 3."""

import io
import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from slowwave.cli.agents.hook import ENDS, SAYINGS, STARTS
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of
from slowwave.wiring import Parts
from tests.integration.command import ALICE, Run

Hook = Callable[..., Any]
EXAMPLES = Path(__file__).parents[3] / "ops/examples"
CLAUDE_CODE = {"transcript_path": "/home/a/.claude/s.jsonl", "cwd": "/home/a/shop", "permission_mode": "default"}
CODEX = {**CLAUDE_CODE, "turn_id": "019d036d", "model": "gpt-5"}
CURSOR = {
    "conversation_id": "c7", "generation_id": "g1", "model": "auto", "cursor_version": "3.7.21",
    "workspace_roots": ["/home/a/shop"], "user_email": None, "transcript_path": None,
}  # fmt: skip


@pytest.fixture
def hook(run: Run, monkeypatch: pytest.MonkeyPatch) -> Hook:
    """Sends one event to the hook of Alice's agent, and returns its answer."""

    def hook(event: str, common: dict[str, Any], **fields: Any) -> Any:
        said = json.dumps({**common, "hook_event_name": event, **fields}).encode()
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(said)))
        answer = run("hook", "--user", ALICE.user, "--agent", ALICE.agent, "--channel", ALICE.channel)
        assert answer.status == 0, answer.err
        return answer.json

    return hook


@pytest.fixture
def here(alice: Memory) -> MemoryScope:
    return MemoryScope(parts_of(alice), ALICE)


def test_a_session_starts_with_the_known_facts(hook: Hook, alice: Memory) -> None:
    told = hook("SessionStart", CLAUDE_CODE, session_id="abc123", source="startup", model="claude-opus-4-8")

    assert told["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert "The user lives in Oslo" in told["hookSpecificOutput"]["additionalContext"]


@pytest.mark.accept
def test_a_prompt_is_answered_from_other_sessions_and_kept(hook: Hook, here: MemoryScope) -> None:
    told = hook("UserPromptSubmit", CLAUDE_CODE, session_id="abc123", prompt="Which music does the user like?")
    again = hook("UserPromptSubmit", CLAUDE_CODE, session_id="abc123", prompt="Which music does the user like?")

    assert "jazz" in told["hookSpecificOutput"]["additionalContext"]
    assert "Which music" not in again["hookSpecificOutput"]["additionalContext"]
    assert [one.session for one in here.recent(sessions=["abc123"])] == ["abc123", "abc123"]


def test_the_hook_stores_the_first_prompt_of_a_new_user(hook: Hook, parts: Parts) -> None:
    assert hook("UserPromptSubmit", CLAUDE_CODE, session_id="abc123", prompt="Where do I live?") == {}
    assert [one.content for one in MemoryScope(parts, ALICE).recent()] == ["Where do I live?"]


@pytest.mark.accept
def test_the_agents_answer_is_stored_and_the_session_end_triggers_consolidation(hook: Hook, here: MemoryScope) -> None:
    assert hook("UserPromptSubmit", CLAUDE_CODE, session_id="abc123", prompt="I moved to Rome.") is not None
    assert hook("Stop", CLAUDE_CODE, session_id="abc123", stop_hook_active=False, last_assistant_message="Noted.") == {}
    assert hook("SessionEnd", CLAUDE_CODE, session_id="abc123", reason="prompt_input_exit") == {}

    Memory(parts_of(here)).drain()
    assert [(one.role, one.content) for one in here.recent(sessions=["abc123"])][::-1] == [
        ("user", "I moved to Rome."),
        ("assistant", "Noted."),
    ]
    assert "The user lives in Rome" in [one.text for one in here.facts()]


@pytest.mark.accept
def test_a_repeated_codex_turn_is_stored_once(hook: Hook, here: MemoryScope) -> None:
    for _ in range(2):
        hook("UserPromptSubmit", CODEX, session_id="019d", prompt="Use tabs here.")
        hook("Stop", CODEX, session_id="019d", stop_hook_active=False, last_assistant_message="I will.")

    assert len(here.recent(sessions=["019d"])) == 2


@pytest.mark.accept
def test_cursor_gets_responses_in_its_own_format(hook: Hook, here: MemoryScope) -> None:
    start = hook("sessionStart", CURSOR, session_id="c7", is_background_agent=False, composer_mode="agent")

    assert "The user lives in Oslo" in start["additional_context"]
    assert hook("beforeSubmitPrompt", CURSOR, prompt="I moved to Rome.", attachments=[]) == {"continue": True}
    assert hook("afterAgentResponse", CURSOR, text="Noted.") == {}
    assert hook("sessionEnd", CURSOR, session_id="c7", reason="completed", duration_ms=4) == {}
    assert len(here.recent(sessions=["c7"])) == 2


@pytest.mark.accept
def test_the_hook_answers_an_unknown_or_wordless_event_with_an_empty_object(hook: Hook, alice: Memory) -> None:
    assert hook("PreToolUse", CLAUDE_CODE, session_id="abc123", tool_name="Bash", tool_input={}) == {}
    assert hook("Stop", CLAUDE_CODE, session_id="abc123", stop_hook_active=True, last_assistant_message=None) == {}


def test_invalid_hook_input_is_refused_without_stopping_the_agent(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"hello")))
    answer = run("hook", "--user", "alice")

    assert answer.status == 1
    assert answer.err.startswith("standard input is not a JSON object")


def test_the_ready_files_name_events_that_are_answered() -> None:
    for path in EXAMPLES.glob("*/*.json"):
        read = json.loads(path.read_text())
        assert set(read.get("hooks", ())) <= {*SAYINGS, *STARTS, *ENDS}, path
        assert "slowwave" in json.dumps(read)
    codex = tomllib.loads((EXAMPLES / "codex/config.toml").read_text())
    assert codex["mcp_servers"]["slowwave"]["args"] == ["mcp"]
