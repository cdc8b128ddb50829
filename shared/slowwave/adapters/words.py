"""The words of a chat's messages, each of which is a text or a list of blocks."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

MOST_ASKED = 4_000
"""The most characters of a question to the memory; of a longer text, only the end is used."""
Message = Mapping[str, Any]


def text_of(content: object) -> str:
    """Return the text of a message's *content*, without tool calls, tool results and pictures."""
    if isinstance(content, str):
        return content
    if not isinstance(content, Iterable):
        return ""
    return "\n".join(text for block in content if (text := _of_block(block)))


def question_of(messages: Sequence[Message]) -> str:
    """Return the last message of the user, as the question to the memory; empty if there is none."""
    said = (text_of(one.get("content")) for one in reversed(messages) if one.get("role") == "user")
    return next((text for text in said if text.strip()), "")[-MOST_ASKED:]


def new_turns(messages: Sequence[Message], reply: str) -> list[dict[str, Any]]:
    """Return the new turns of a model call: the user's message, if it is the last message, and the *reply*.

    After a tool result, there is no new message of the user.
    """
    last = messages[-1] if messages else {}
    asked = text_of(last.get("content")) if last.get("role") == "user" else ""
    said = (("user", asked), ("assistant", reply))
    return [{"role": role, "content": text} for role, text in said if text.strip()]


def memory_lines(shown: Iterable[tuple[str, str]], messages: Sequence[Message]) -> str:
    """Return lines for a prompt from *shown*, pairs of content and words, without those that repeat *messages*."""
    said = {text_of(one.get("content")).strip() for one in messages}
    return "\n".join(words for content, words in shown if content.strip() not in said)


def _of_block(block: object) -> str:
    if isinstance(block, str):
        return block
    kind, text = (
        (block.get("type"), block.get("text"))
        if isinstance(block, Mapping)
        else (getattr(block, "type", None), getattr(block, "text", None))
    )
    return text if isinstance(text, str) and kind in ("text", "input_text", "output_text") else ""
