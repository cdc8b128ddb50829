"""Tool results: lines of text for a model, and the same data for programs, with short ids and without empty fields."""

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime

from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel

from slowwave.domain import undo
from slowwave.domain.context import PromptContext
from slowwave.domain.dead_letter import Review
from slowwave.domain.erasure import Erasure
from slowwave.domain.explanation import Explanation
from slowwave.domain.fact import Fact
from slowwave.domain.queries.unread import UnreadTurns
from slowwave.domain.receipt import Receipt
from slowwave.domain.recollection import Recollection, ending
from slowwave.formatting import language

MOST_CHARACTERS = 400
"""The maximum number of characters that are shown of a memory's text. `why` shows the whole text."""


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
    """A page of facts, and the id after which the next page begins."""

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
    evidence: list[Word] | None = None
    instead_of: list[str] | None = None


class Why(BaseModel):
    """A fact with its changes, or a single episode."""

    text: str
    id: str
    believed: bool | None = None
    steps: list[Step] | None = None


class Question(BaseModel):
    """An open review: a claim that waits for a person to decide."""

    number: int
    claims: str
    why: str
    content: str
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


class Forgotten(BaseModel):
    """An erasure, done or previewed."""

    rows: int
    episodes: list[str] | None = None
    facts: list[str] | None = None
    token: str | None = None
    erasure: str | None = None


def tool_result(lines: Sequence[str], data: BaseModel) -> CallToolResult:
    """Return a tool's result: *lines* for the model, and *data* without empty fields for programs."""
    return CallToolResult(
        content=[TextContent(type="text", text="\n".join(lines))],
        structured_content=data.model_dump(mode="json", exclude_none=True),
    )


def short(id_: uuid.UUID) -> str:
    """Return a shortened id. `why` and `facts` accept any unique prefix of an id."""
    return str(id_)[:8]


def day(at: datetime) -> str:
    """Return the day of an instant in UTC."""
    return at.astimezone(UTC).date().isoformat()


def cut(text: str) -> str:
    """Return *text* on one line, cut to at most `MOST_CHARACTERS`."""
    line = " ".join(text.split())
    return line if len(line) <= MOST_CHARACTERS else f"{line[: MOST_CHARACTERS - 1]}…"


def stored(receipt: Receipt) -> CallToolResult:
    """Return the result for the receipt of a stored episode."""
    again = ", known already" if receipt.repeated else ""
    masked = f", masked: {', '.join(receipt.masked)}" if receipt.masked else ""
    return tool_result([f"{receipt.state}{again}{masked}: key {receipt.key}"], Stored(
        state=receipt.state, key=receipt.key, id=None if receipt.id is None else short(receipt.id),
        repeated=receipt.repeated or None, masked=list(receipt.masked) or None,
    ))  # fmt: skip


def memories(found: Sequence[Recollection]) -> CallToolResult:
    """Return the result for recollections, best first."""
    items = [
        Memory(
            text=cut(one.text), id=short(one.id), kind=one.form if one.form == "statement" else one.kind,
            on=day(one.occurred), until=day(one.until) if one.until else None, score=round(one.score, 2),
        )
        for one in found
    ]  # fmt: skip
    lines = [
        f"{one.text}{ending(of.until)}  ({one.kind} {one.id}, {one.on}, {one.score:.2f})"
        for one, of in zip(items, found, strict=True)
    ]
    return tool_result(lines or ["no memory answers this"], Memories(memories=items))


def context(found: PromptContext) -> CallToolResult:
    """Return the result for the context of a prompt."""
    text = found.as_text()
    answer = text or "no memory is relevant to this"
    return tool_result([answer], Context(text=text, tokens=found.tokens, left_out=found.left_out))


def beliefs(facts: Sequence[Fact], limit: int, unread: UnreadTurns) -> CallToolResult:
    """Return the result for facts and unread turns. If there are *limit* facts, the result also has the id after which
    the next page begins.
    """
    result = Beliefs(facts=[
        Belief(
            text=cut(one.text), id=short(one.id), since=day(one.valid_from),
            until=None if one.valid_to is None else day(one.valid_to), confidence=round(one.confidence, 2),
        )
        for one in facts
    ])  # fmt: skip
    lines = [
        f"{one.text}  ({one.id}, since {one.since}{f' until {one.until}' if one.until else ''}, {one.confidence:.2f})"
        for one in result.facts
    ]
    if len(facts) == limit:
        result.after = short(facts[-1].id)
        lines.append(f"there may be more: ask with after={result.after}")
    lines = lines or ["there are no facts here"]
    if unread.languages:
        turns = [f"{language(one.language)}: {cut(one.episode.content)}  ({short(one.episode.id)})" for one in unread]
        result.unread = [unread.sentence, *turns]
        lines += result.unread
    return tool_result(lines, result)


def why(explanation: Explanation) -> CallToolResult:
    """Return the result for the explanation of a fact: the history in steps, with the original words."""
    steps = []
    state = "believed" if explanation.believed else "no longer believed"
    id_ = short(explanation.fact)
    lines = [f"{explanation.text}  ({state}; {id_})"]
    for one in explanation.steps:
        quotes = [
            Word(words=cut(each.words), speaker=each.speaker, on=day(each.occurred), session=each.session)
            for each in one.evidence
        ]
        before = [each for each in one.replaces if each.fact != explanation.fact]
        step = Step(
            change=one.kind, rule=one.rule, on=day(one.recorded), reason=cut(one.reason) if one.reason else None,
            evidence=quotes or None, instead_of=[cut(each.text) for each in before] or None,
        )  # fmt: skip
        lines.append(f"{step.on} {one.kind} by {one.rule}" + (f": {step.reason}" if step.reason else ""))
        lines += [f"  {word.speaker} said on {word.on} in {word.session}: {word.words}" for word in quotes]
        lines += [f"  {each}" for each in one.missing]
        lines += [f"  instead of: {cut(each.text)} ({short(each.fact)})" for each in before]
        steps.append(step)
    return tool_result(lines, Why(text=explanation.text, id=id_, believed=explanation.believed, steps=steps))


def waiting(found: Sequence[Review]) -> CallToolResult:
    """Return the result for open reviews."""
    questions = [
        Question(
            number=one.number, claims=cut(one.claims), why=cut(one.reason), content=cut(one.content),
            instead_of=[f"{short(fact)} ({cut(text)})" for fact, text in zip(one.among, one.beliefs, strict=True)]
            or None,
        )
        for one in found
    ]  # fmt: skip
    lines = [
        f"{one.number}: {one.claims} ({one.why}); content: {one.content}"
        + (f"; instead of {', '.join(one.instead_of)}" if one.instead_of else "")
        for one in questions
    ]
    return tool_result(lines or ["no claim waits for a decision"], Reviews(waiting=questions))


def undone(done: undo.Undone) -> CallToolResult:
    """Return the result for an undo or its preview: the changes."""
    result = Undone(
        withdrawn=[cut(one.text) for one in done.withdrawn] or None,
        restored=[cut(one.text) for one in done.restored] or None,
        changed=[cut(one.after.text) for one in done.changed] or None,
        instead=None if done.corrected is None else short(done.corrected),
        undo=None if done.id is None else str(done.id),
    )  # fmt: skip
    would = "would be " if done.preview else ""
    kinds = ("withdrawn", "restored", "changed")
    lines = [f"{would}{name}: {text}" for name in kinds for text in getattr(result, name) or ()]
    if result.instead is not None:
        lines.append(f"believed instead: {result.instead}")
    return tool_result(lines or ["no fact changes"], result)


def forgotten(done: Erasure) -> CallToolResult:
    """Return the result for an erasure (the receipt) or a preview (the targets, and the token to confirm)."""
    result = Forgotten(rows=sum(done.counts.values()))
    if not done.preview:
        result.erasure = str(done.id)
        return tool_result([f"forgotten for good: erasure {done.id}", *done.todo, *done.beyond], result)
    result.episodes, result.facts = [cut(one) for one in done.episodes], [cut(one) for one in done.facts]
    result.token = done.token
    lines = [f"would be forgotten: {one}" for one in (*result.episodes, *result.facts)]
    counts = ", ".join(f"{count} {name}" for name, count in done.counts.items())
    lines.append(f"in total {counts}, and everything derived from them; to confirm: {done.token}")
    return tool_result(lines + ["a legal hold forbids this"] * done.under_legal_hold, result)
