"""The report that the demo prints in the morning: counts, answers, and the changes in a user's life."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from rich.console import Console
from rich.text import Text

from slowwave.cli.printing import (
    add_by_scope,
    cell,
    day,
    in_words,
    keys_or_session,
    one_line,
    quoted_episode,
    short,
    table,
)
from slowwave.cli.printing.compact_table import Trimmed
from slowwave.domain.dead_letter import DeadLetter
from slowwave.domain.delta import AppliedDelta, DeleteDelta, UpdateDelta
from slowwave.domain.explanation import Evidence, Explanation
from slowwave.domain.fact import Fact
from slowwave.domain.overview import Overview
from slowwave.domain.recollection import Recollection
from slowwave.domain.scope import Scope
from slowwave.formatting import counted, seconds
from slowwave.memory import MemoryScope

OF_TOOLS = "last_outcome"
"""The predicate of tool results. The report leaves these facts out, because every tool call changes them."""
FIRST = ("lives_in", "works_at", "allergic_to", "last_outcome", "favourite_bread", "diet", "pet", "plans", "partner")
"""The predicates of facts that are shown first, because they are easy to understand."""
REASONS_SHOWN = 3
WIDTH = 80
"""The width of a standard terminal, in columns."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A belief that ended, and the words on which the belief was based."""

    text: str
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Change:
    """A change of beliefs by the *words* of one turn: the beliefs that ended, and the new beliefs (*believed*).

    *until* is the time at which the old beliefs stopped being true. *reason* is empty if new beliefs replaced them.
    """

    ended: Sequence[Ended]
    until: datetime
    reason: str
    words: Evidence
    believed: Sequence[str]


@dataclass(frozen=True, slots=True)
class _End:
    """The end of one belief: the time at which the belief stopped being true (*until*), the words that ended the
    belief, and the reason.
    """

    of: Explanation
    until: datetime
    reason: str
    words: Evidence


def changes(scope: MemoryScope) -> list[Change]:
    """Return the changes of belief in *scope* that people's words caused, in the order of these words.

    Denied beliefs and requests to forget are not changes.
    """
    turns: dict[str, list[_End]] = {}
    for one in scope.deltas(limit=1_000):
        if one.claim is not None and one.claim[1] != OF_TOOLS:
            for end in _ends(scope, one):
                turns.setdefault(end.words.key, []).append(end)
    return [_change(scope, ends) for ends in turns.values()]


def _ends(scope: MemoryScope, applied: AppliedDelta) -> Iterator[_End]:
    delta = applied.delta
    if not isinstance(delta, UpdateDelta | DeleteDelta) or delta.valid_from is None:
        return
    reason = delta.reason if isinstance(delta, DeleteDelta) else ""
    for old in map(scope.why, delta.replaces):
        words = next((step.evidence[0] for step in old.steps if step.delta == applied.id and step.evidence), None)
        if old.believed and words is not None:
            yield _End(old, delta.valid_from, reason, words)


def _change(scope: MemoryScope, ends: Sequence[_End]) -> Change:
    until = max(end.until for end in ends)
    ended = {end.of.fact: Ended(end.of.text, end.of.steps[0].evidence[0]) for end in ends}
    return Change(
        ended=tuple(ended.values()),
        until=until,
        reason=next((end.reason for end in ends if end.reason), ""),
        words=max((end.words for end in ends), key=lambda words: len(words.words)),
        believed=[fact.text for fact in scope.facts(as_of=until) if _rests_on(fact, [end.words for end in ends])],
    )


def _rests_on(fact: Fact, words: Sequence[Evidence]) -> bool:
    return any(
        source.episode == one.episode and source.start < one.start + len(one.words) and one.start < source.end
        for source in fact.sources
        for one in words
    )


def show_changes(console: Console, name: str, changed: Sequence[Change]) -> None:
    """Print each belief that ended, the time of the end, the new belief, and the words from which each belief came."""
    console.print()
    console.print(Text(f"What changed for {name}, and the words behind it:", "bold"))
    for change in changed:
        made = Trimmed(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0), width=WIDTH)
        made.add_column(ratio=1)
        made.add_column(justify="right", no_wrap=True)
        for old in change.ended:
            made.add_row(cell(old.text), f"until {_on(change.until)}")
            made.add_row(cell(f"  “{old.evidence.words}”", "dim"), _on(old.evidence.occurred))
        for text in change.believed:
            made.add_row(cell(f"→ {text}", "bold"), change.reason)
        made.add_row(cell(f"  “{change.words.words}”", "dim"), _on(change.words.occurred))
        console.print()
        console.print(made)


def _on(instant: datetime) -> str:
    at = instant.astimezone(UTC)
    return f"{at:%a} {at.day} {at:%b}"


def show_counts(console: Console, overview: Overview, *, new: int, tonight: int) -> None:
    """Print the numbers of stored episodes and of decided deltas."""
    known = overview.episodes - new
    console.print()
    console.print(f"{overview.episodes} episodes are stored in {overview.scopes} scopes" + _known(new, known) + ".")
    kinds = ", ".join(f"{overview.deltas.get(kind, 0)} {kind}" for kind in ("add", "update", "delete", "noop"))
    console.print(
        f"{sum(overview.deltas.values())} deltas: {kinds}"
        + (f" ({tonight} of them tonight)." if tonight else "; nothing new tonight, and nothing counted twice.")
    )
    if overview.dead_letters:
        console.print(f"To be checked by a person: {in_words(overview.dead_letters)}.")


def _known(new: int, known: int) -> str:
    if not known:
        return ""
    return f" ({new} new, {known} known already)" if new else ", all of them known already"


def chosen(believed: Iterable[tuple[Scope, Fact]], *, most: int | None) -> list[tuple[Scope, Fact]]:
    """Return the facts to show, at most *most* per scope.

    Each predicate gets one fact before any predicate gets a second.

    Typed facts come first. The last fact is the most informative statement, if there is a statement.
    """
    by_scope: dict[Scope, list[Fact]] = {}
    for scope, fact in believed:
        by_scope.setdefault(scope, []).append(fact)
    return [(scope, fact) for scope, facts in by_scope.items() for fact in _shown(facts, most)]


def _shown(facts: Sequence[Fact], most: int | None) -> list[Fact]:
    typed = _varied([fact for fact in facts if fact.form == "typed"])
    statements = sorted(
        (fact for fact in facts if fact.form == "statement"), key=lambda fact: (len(fact.text), fact.text), reverse=True
    )
    if most is not None:
        typed, statements = typed[: most - bool(statements)], statements[:1]
    return [*sorted(typed, key=_text), *sorted(statements, key=_text)]


def _varied(facts: Sequence[Fact]) -> list[Fact]:
    seen: Counter[str] = Counter()
    order: dict[int, tuple[int, int]] = {}
    for number, fact in enumerate(facts):
        order[number] = seen[fact.predicate], FIRST.index(fact.predicate) if fact.predicate in FIRST else len(FIRST)
        seen[fact.predicate] += 1
    return [facts[number] for number in sorted(order, key=lambda number: (order[number], number))]


def _text(fact: Fact) -> str:
    return fact.text.casefold()


def show_facts(console: Console, believed: Sequence[tuple[Scope, Fact]], shown: Sequence[tuple[Scope, Fact]]) -> None:
    """Print a table of facts with confidence and sources."""
    made = table("what is believed", "confidence", "since", "said in", "id", right=["confidence"])
    add_by_scope(made, ((scope, [
        cell(f"  {fact.text}"), f"{fact.confidence:.2f}", day(fact.valid_from), cell(keys_or_session(fact)),
        short(fact.id),
    ]) for scope, fact in shown))  # fmt: skip
    console.print()
    console.print(made)
    console.print()
    statements = sum(fact.form == "statement" for _, fact in believed)
    console.print(
        f"{counted(len(believed), 'facts')} believed now, {statements} of them statements"
        + (f", {len(shown)} shown." if len(shown) < len(believed) else ".")
    )


def show_answers(console: Console, scope: Scope, question: str, answers: Sequence[Recollection]) -> None:
    """Print a question with the answers, and the reasons of each answer."""
    console.print()
    console.print(Text.assemble((f"? {question}", "bold"), f"  ({scope.user}, {scope.agent})"))
    for number, answer in enumerate(answers, 1):
        best = sorted(answer.reasons.items(), key=lambda reason: (-reason[1], reason[0]))[:REASONS_SHOWN]
        reasons = ", ".join(f"{name} {value:.2f}" for name, value in best if value)
        where = ", ".join(dict.fromkeys(source.key for source in answer.sources))
        console.print(Text(f"  {number}. {one_line(answer.text)}"), Text(f"[{answer.kind}, {answer.score:.2f}]", "dim"))
        console.print(Text(f"     because of {reasons}; from {where}", "dim"))


def show_why(console: Console, explanation: Explanation, replaced: Sequence[Explanation]) -> None:
    """Print why a fact is believed, with the original words, and the facts that it replaced."""
    console.print()
    state = "" if explanation.believed else " (no longer believed)"
    console.print(Text.assemble(("Why: ", "bold"), (one_line(explanation.text), "bold"), state))
    for step in explanation.steps:
        console.print(Text(f"  {step.kind} by {step.rule}, confidence {step.confidence:.2f}: {one_line(step.reason)}"))
        for evidence in step.evidence:
            console.print(Text.from_ansi(f"    {quoted_episode(evidence)}"))
    for before in replaced:
        console.print(Text(f"  replaces: {one_line(before.text)}"))
        for evidence in before.steps[0].evidence:
            console.print(Text.from_ansi(f"    {quoted_episode(evidence)}"))


def show_dead_letters(console: Console, letters: Sequence[DeadLetter]) -> None:
    """Print the dead letters, each with its reason."""
    for letter in letters:
        console.print()
        console.print(Text.assemble(("Not decided: ", "bold"), f"“{one_line(letter.content or '')}” ({letter.key})"))
        console.print(Text(f"  {letter.reason}. Slowwave does not guess; a person decides."))


def show_times(console: Console, took: dict[str, float]) -> None:
    """Print the duration of each stage."""
    made = table("stage", "took", right=["took"])
    for name, duration in took.items():
        made.add_row(name, seconds(duration))
    made.add_row("together", seconds(sum(took.values())))
    console.print()
    console.print(made)
