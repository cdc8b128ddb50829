"""Tool results: text lines for a model, and the same data for programs, with short ids and without empty fields."""

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel

from slowwave.domain import undo
from slowwave.domain.context import PromptContext
from slowwave.domain.dead_letter import Review
from slowwave.domain.explanation import Explanation
from slowwave.domain.fact import Fact
from slowwave.domain.queries.unread import UnreadTurns
from slowwave.domain.receipt import Receipt
from slowwave.domain.recollection import Recollection, ending
from slowwave.formatting import language

MOST_CHARACTERS = 400
"""The most characters shown of a memory's text; `why` shows all of it."""

Data = dict[str, Any]


class Stored(BaseModel):
    """A receipt."""

    state: str
    key: str
    id: str | None = None
    repeated: bool | None = None
    masked: list[str] | None = None


class Memory(BaseModel):
    """One recollection."""

    text: str
    id: str
    kind: str
    on: str
    until: str | None = None
    score: float


class Memories(BaseModel):
    """Recollections, best first."""

    memories: list[Memory]


class Context(BaseModel):
    """The context for a prompt."""

    text: str
    tokens: int
    left_out: int


class Belief(BaseModel):
    """One fact."""

    text: str
    id: str
    since: str
    until: str | None = None
    confidence: float


class Beliefs(BaseModel):
    """A page of facts, and the id after which to continue."""

    facts: list[Belief]
    after: str | None = None
    unread: list[str] | None = None


class Word(BaseModel):
    """Words of an episode."""

    words: str
    speaker: str
    on: str
    session: str


class Step(BaseModel):
    """One change of a fact."""

    change: str
    rule: str
    on: str
    reason: str | None = None
    said: list[Word] | None = None
    instead_of: list[str] | None = None


class Why(BaseModel):
    """A fact with its changes, or an episode alone."""

    text: str
    id: str
    believed: bool | None = None
    steps: list[Step] | None = None


class Question(BaseModel):
    """An open review: a claim that waits for a person to decide."""

    number: int
    claims: str
    why: str
    said: str
    instead_of: list[str] | None = None


class Reviews(BaseModel):
    """The open reviews, or the number and the delta of the review that was just decided."""

    waiting: list[Question] | None = None
    decided: int | None = None
    delta: str | None = None


class Undone(BaseModel):
    """The changes of a correction."""

    withdrawn: list[str] | None = None
    restored: list[str] | None = None
    changed: list[str] | None = None
    instead: str | None = None
    undo: str | None = None


def tool_result(lines: Sequence[str], data: Any) -> CallToolResult:
    """Return a tool's result: *lines* to read, and *data* for programs."""
    return CallToolResult(content=[TextContent(type="text", text="\n".join(lines))], structured_content=data)


def short(id_: uuid.UUID) -> str:
    """Return a shortened id; `why` and `facts` accept any unique prefix."""
    return str(id_)[:8]


def day(at: datetime) -> str:
    """Return the day of an instant in UTC."""
    return at.astimezone(UTC).date().isoformat()


def cut(text: str) -> str:
    """Return *text* on one line, cut to the shown length."""
    line = " ".join(text.split())
    return line if len(line) <= MOST_CHARACTERS else f"{line[: MOST_CHARACTERS - 1]}…"


def stored(receipt: Receipt) -> CallToolResult:
    """Return the receipt of an episode that was stored."""
    data: Data = {"state": receipt.state, "key": receipt.key}
    if receipt.id is not None:
        data["id"] = short(receipt.id)
    if receipt.repeated:
        data["repeated"] = True
    if receipt.masked:
        data["masked"] = list(receipt.masked)
    again = ", known already" if receipt.repeated else ""
    masked = f", masked: {', '.join(receipt.masked)}" if receipt.masked else ""
    return tool_result([f"{receipt.state}{again}{masked}: key {receipt.key}"], data)


def memories(found: Sequence[Recollection]) -> CallToolResult:
    """Return recollections, best first."""
    data: list[Data] = [
        {
            "text": cut(one.text), "id": short(one.id), "kind": one.form if one.form == "statement" else one.kind,
            "on": day(one.occurred), **({"until": day(one.until)} if one.until else {}), "score": round(one.score, 2),
        }
        for one in found
    ]  # fmt: skip
    lines = [
        f"{one['text']}{ending(of.until)}  ({one['kind']} {one['id']}, {one['on']}, {one['score']:.2f})"
        for one, of in zip(data, found, strict=True)
    ]
    return tool_result(lines or ["no memory answers this"], {"memories": data})


def context(found: PromptContext) -> CallToolResult:
    """Return the context for a prompt."""
    data = {"text": found.as_text(), "tokens": found.tokens, "left_out": found.left_out}
    return tool_result([found.as_text() or "no memory is relevant to this"], data)


def beliefs(facts: Sequence[Fact], limit: int, unread: UnreadTurns) -> CallToolResult:
    """Return facts and unread turns; if the page has *limit* facts, also the id to continue after."""
    data: list[Data] = []
    for one in facts:
        fact: Data = {
            "text": cut(one.text), "id": short(one.id), "since": day(one.valid_from),
            "confidence": round(one.confidence, 2),
        }  # fmt: skip
        if one.valid_to is not None:
            fact["until"] = day(one.valid_to)
        data.append(fact)
    lines = [
        f"{one['text']}  ({one['id']}, since {one['since']}{_until(one)}, {one['confidence']:.2f})" for one in data
    ]
    told: Data = {"facts": data}
    if len(facts) == limit:
        told["after"] = short(facts[-1].id)
        lines.append(f"there may be more: ask with after={told['after']}")
    lines = lines or ["there are no facts here"]
    if unread.languages:
        turns = [f"{language(one.language)}: {cut(one.episode.content)}  ({short(one.episode.id)})" for one in unread]
        told["unread"] = [unread.sentence, *turns]
        lines += told["unread"]
    return tool_result(lines, told)


def why(explanation: Explanation) -> CallToolResult:
    """Return the history of a fact, step by step, with the original words."""
    steps: list[Data] = []
    state = "believed" if explanation.held else "no longer believed"
    lines = [f"{explanation.text}  ({state}; {short(explanation.fact)})"]
    for one in explanation.steps:
        step: Data = {"change": one.kind, "rule": one.rule, "on": day(one.recorded)}
        lines.append(f"{step['on']} {one.kind} by {one.rule}" + (f": {cut(one.reason)}" if one.reason else ""))
        if one.reason:
            step["reason"] = cut(one.reason)
        for said in one.evidence:
            word: Data = {
                "words": cut(said.words), "speaker": said.speaker, "on": day(said.occurred), "session": said.session,
            }  # fmt: skip
            step.setdefault("said", []).append(word)
            lines.append(f"  {word['speaker']} said on {word['on']} in {word['session']}: {word['words']}")
        for before in one.replaces:
            if before.fact != explanation.fact:
                step.setdefault("instead_of", []).append(cut(before.text))
                lines.append(f"  instead of: {cut(before.text)} ({short(before.fact)})")
        steps.append(step)
    return tool_result(
        lines, {"text": explanation.text, "id": short(explanation.fact), "believed": explanation.held, "steps": steps}
    )


def episode(id_: uuid.UUID, text: str) -> CallToolResult:
    """Return an episode word for word."""
    return tool_result([text], {"text": text, "id": short(id_)})


def waiting(found: Sequence[Review]) -> CallToolResult:
    """Return the open reviews."""
    data: list[Data] = []
    for one in found:
        asked: Data = {
            "number": one.number, "claims": cut(one.claims), "why": cut(one.reason), "said": cut(one.said),
        }  # fmt: skip
        if one.among:
            asked["instead_of"] = [
                f"{short(fact)} ({cut(text)})" for fact, text in zip(one.among, one.beliefs, strict=True)
            ]
        data.append(asked)
    lines = [
        f"{one['number']}: {one['claims']} ({one['why']}); said: {one['said']}"
        + (f"; instead of {', '.join(one['instead_of'])}" if "instead_of" in one else "")
        for one in data
    ]
    return tool_result(lines or ["no claim waits for a decision"], {"waiting": data})


def decided(number: int, delta: uuid.UUID) -> CallToolResult:
    """Return the confirmation of a decided review."""
    return tool_result([f"{number} is decided: delta {short(delta)}"], {"decided": number, "delta": short(delta)})


def undone(done: undo.Undone) -> CallToolResult:
    """Return what an undo changed, or would change."""
    texts = {
        "withdrawn": [cut(one.text) for one in done.withdrawn],
        "restored": [cut(one.text) for one in done.restored],
        "changed": [cut(one.after.text) for one in done.changed],
    }
    would = "would be " if done.preview else ""
    lines = [f"{would}{name}: {text}" for name, every in texts.items() for text in every]
    data: Data = {name: every for name, every in texts.items() if every}
    if done.corrected is not None:
        data["instead"] = short(done.corrected)
        lines.append(f"believed instead: {data['instead']}")
    if done.id is not None:
        data["undo"] = str(done.id)
    return tool_result(lines or ["no belief changes"], data)


def _until(one: Data) -> str:
    return f" until {one['until']}" if "until" in one else ""
