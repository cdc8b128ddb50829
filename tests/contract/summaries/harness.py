"""A scripted model that summarises, called over local HTTP by the parts of one process."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import GROW, RETELL, SUMMARISE, pack_of
from slowwave.domain.model_calls import Message
from slowwave.domain.run import Report
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, MemoryScope, due_work
from slowwave.memory.verb_group import parts_of
from slowwave.settings import Settings
from tests.conftest import NOON
from tests.contract.model_calls.scripted_models import echo
from tests.faults.rig.provider import LocalProvider, answering

NUMBERED = re.compile(r"^\[(\d+)\] (?:\d{4}-\d\d-\d\d )?(.*)$", re.MULTILINE)


def retold(messages: Sequence[Message]) -> str:
    """Return a model's reply that rewords what it was shown, one sentence per line and at most twelve."""
    found = [(int(number), text.removeprefix("It is known: ")) for number, text in shown(messages)]
    return said(*({"text": f"It is known: {text}"[:300], "from": [number]} for number, text in found))


def shown(messages: Sequence[Message]) -> list[tuple[str, str]]:
    return NUMBERED.findall(messages[-1]["content"])


def said(*lines: Mapping[str, Any]) -> str:
    return json.dumps({"lines": list(lines)[-12:]})


def anything(messages: Sequence[Message]) -> str:
    """Return a model's reply to a prompt of any job: a summary, an answer from all that it was shown, or claims."""
    prompt = messages[-1]["content"]
    if NUMBERED.search(prompt):
        return retold(messages)
    known = re.findall(r"^(\d+)\. (.+)$", prompt, re.MULTILINE)
    sentences = [{"text": text, "sources": [int(number)]} for number, text in known]
    return json.dumps({"sentences": sentences}) if known else echo(messages)


@dataclass
class Model:
    """A model: *replies* are the recorded replies, followed by those of `retold`; *asked* are its prompts."""

    provider: LocalProvider
    replies: list[str] = field(default_factory=list)
    asked: list[Sequence[Message]] = field(default_factory=list)

    def reply(self, messages: Sequence[Message]) -> str:
        """Return the next reply."""
        self.asked.append(messages)
        return self.replies.pop(0) if self.replies else retold(messages)


@contextmanager
def model() -> Iterator[Model]:
    """Run a model during the block."""
    with answering() as provider:
        answers = Model(provider)
        provider.replies = answers.reply
        yield answers


@contextmanager
def telling(
    settings: Settings, heavy: Mapping[str, object], small: Model | None, **more: Any
) -> Iterator[wiring.Parts]:
    """Give the parts of a process whose summaries a model writes; without a model, replies come from elsewhere."""
    live = {"extraction_model": "small"} if small is None else {"model": "small", "model_url": small.provider.url}
    known = {**settings.model_dump(exclude_unset=True), **live, "summariser": "model", **more}
    parts = wiring.connect(Settings.load(**known))
    vars(parts).update(heavy, models={})
    wiring.register(parts)
    yield parts
    parts.close()


def say(parts: wiring.Parts, scope: Scope, *sentences: str, session: str = "s1", start: int = 0) -> MemoryScope:
    """Push sentences in a session, a day apart."""
    alice = MemoryScope(parts, scope)
    alice.push_many(
        Episode(content=words, key=f"{session}/{n}", session=session, occurred_at=NOON + timedelta(days=n))
        for n, words in enumerate(sentences, start)
    )
    return alice


def sum_up(alice: MemoryScope, *, ask: bool = True) -> list[Report]:
    """Make the due summaries, with model calls; return the runs that planned a request or applied a reply."""
    parts = parts_of(alice)
    parts.schedule.fire_manually(by="test", scopes=[alice.scope.id], pack=pack_of(SUMMARISE))
    reports = Memory(parts).drain() if ask else runs(parts)
    return [report for report in reports if report.job == RETELL]


def grow(alice: MemoryScope) -> None:
    """Grow the tree, with model calls."""
    parts = parts_of(alice)
    parts.schedule.fire_job(GROW, pack_of(GROW), by="test")
    Memory(parts).drain()


def runs(parts: wiring.Parts) -> list[Report]:
    """Do the due work, without a model call."""
    reports = list[Report]()
    while (report := due_work.run_next(parts, owner="test")) is not None:
        reports.append(report)
    return reports


@pytest.fixture
def small() -> Iterator[Model]:
    """A model that replies what it is to."""
    with model() as small:
        yield small


@pytest.fixture
def live(settings: Settings, heavy_parts: dict[str, object], small: Model) -> Iterator[wiring.Parts]:
    """The parts of a process whose summaries the model writes."""
    with telling(settings, heavy_parts, small) as parts:
        yield parts
