"""Retries of dead letters: their episodes are processed again, and messages that can now be parsed are stored."""

from collections.abc import Sequence

from slowwave.domain.dead_letter import EXCERPT, DeadLetter
from slowwave.domain.job_table import RETRY
from slowwave.domain.message import IngestMessage
from slowwave.domain.receipt import Receipt
from slowwave.errors import Incorrect
from slowwave.formatting.summary_lines import clipped
from slowwave.validation_messages import in_a_line
from slowwave.wiring import Parts

MOST_PROBLEMS = 50
LONGEST_PROBLEM = 300
"""The most characters of a problem that are stored."""


def take_up(parts: Parts, tenant: str, numbers: Sequence[int]) -> int:
    """Retry open letters and notify workers; return how many. See `Operator.retry`."""
    chosen = parts.records.open_dead_letters(tenant, numbers)
    messages = [letter for letter in chosen if _is_message(letter)]
    rest = [letter for letter in chosen if not _is_message(letter)]
    parts.records.ask_again(tenant, rest)
    _ring(parts, rest)
    refused = [problem for letter in messages if (problem := _store(parts, tenant, letter))]
    if refused:
        raise Incorrect.listing(
            "messages that still cannot be parsed",
            [clipped(problem, LONGEST_PROBLEM) for problem in refused[:MOST_PROBLEMS]],
            more=len(refused[MOST_PROBLEMS:]),
            hint="send corrected messages, and drop these; `slowwave dead-letters list` lists all",
        )
    return len(chosen)


def _is_message(letter: DeadLetter) -> bool:
    """Return whether a letter holds a message, not an episode: it was malformed, or our code failed on it."""
    return letter.category == "malformed" or (letter.category == "fault" and letter.pack is None)


def _ring(parts: Parts, letters: Sequence[DeadLetter]) -> None:
    if parts.bell is not None:
        for letter in letters:
            if letter.scope is not None:
                parts.bell.ring(letter.scope.id, RETRY)


def _store(parts: Parts, tenant: str, letter: DeadLetter) -> str | None:
    """Store the episodes of a message if it can now be parsed; else return the problem."""
    try:
        receipts = _receipts(parts, letter)
    except Incorrect as error:
        return f"{letter.letter}: {in_a_line(error.message)}"
    wrong = [in_a_line(receipt.error.message) for receipt in receipts if receipt.error is not None]
    if wrong:
        return f"{letter.letter}: {'; '.join(wrong)}"
    parts.records.mark(tenant, [letter.letter], "retried")
    return None


def _receipts(parts: Parts, letter: DeadLetter) -> list[Receipt]:
    if letter.scope is not None:
        return parts.push(letter.scope, [letter.item])
    if not isinstance(letter.item, dict):
        raise Incorrect("it is not a JSON object")
    if letter.item.keys() == EXCERPT:
        raise Incorrect(f"it was not a task message, and only its beginning is stored ({letter.reason})")
    message, scope = IngestMessage.read(letter.item)
    return parts.push(scope, message.episodes)
