"""The context of a prompt: what is in mind, and what is remembered that answers, within a budget."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from slowwave.domain.arguments import Limit, Name, Question, checked, checked_type
from slowwave.domain.context import Part, PromptContext
from slowwave.domain.context.answer import SourcedAnswer
from slowwave.memory.context.answering import answered
from slowwave.memory.context.assembling import Wanted, assembled
from slowwave.memory.summaries import Summaries

Tokens = Annotated[int, Field(ge=1, le=2**31 - 1)]
Count = Callable[[str], int]
Deadline = Annotated[float, Field(gt=0, le=600, allow_inf_nan=False)]


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class Prompting(Summaries):
    """A face on which the context of the next prompt is made, of what `reach` holds."""

    @checked
    def context(
        self, question: Question, *, session: Name | None = None, max_tokens: Tokens = 4_000,
        count: Count | None = None, limit: Limit = 20, include_summary: bool = True,
        include_graph: bool | None = None, stop_at_overflow: bool = False, anticipate: bool = True,
    ) -> PromptContext:  # fmt: skip
        """Return what a prompt needs to know before *question*, each part with its sources; never over *max_tokens*.

        Of the *session*, if you name the one you ask in: its `system_prompt` and `tools` in working memory, always; its
        summary; its newest turns, at first up to half of the room. Then the graph around what is named, and the at most
        *limit* best recollections, of which one that is too long is skipped and the next one tried; with
        *stop_at_overflow* the first that is too long ends them. What is left goes to older turns. `.as_messages()` and
        `.as_text()` are what a prompt says of it. What it tells counts as accessed, and nothing else.

        With a session it also *anticipates*: once it has answered, it looks up on a thread of its own what the newest
        turns and the active goal bring to mind. Of that the next context tells up to ten memories, after its own and
        marked `anticipated` in their reasons, where there is room; `.reused` says how much was at hand before.

        *count* says how many tokens a text takes, as the model's own tokenizer does; each message takes four more.
        Without it they are estimated on the high side. *include_graph* is where the extra `graph` is installed, if you
        do not say. Raises `Incorrect` where prompt and tools alone take more than *max_tokens*.
        """
        wanted = Wanted(
            session, max_tokens, count, limit, working=True, summary=include_summary, graph=include_graph,
            stop_at_overflow=stop_at_overflow, anticipate=anticipate,
        )  # fmt: skip
        return assembled(self._parts, self.scope, self.reads, question, wanted)

    @checked
    def retrieve(
        self, question: Question, *, session: Name | None = None, max_tokens: Tokens = 4_000,
        count: Count | None = None, limit: Limit = 20, include_summary: bool = True, stop_at_overflow: bool = False,
    ) -> list[Part]:  # fmt: skip
        """Return what is remembered that answers *question*, as `context` tells it, without what is in mind.

        The summary of the *session* first, counted against *max_tokens*, then facts and episodes, best first.
        """
        wanted = Wanted(
            session, max_tokens, count, limit, working=False, summary=include_summary, graph=False,
            stop_at_overflow=stop_at_overflow, anticipate=False,
        )  # fmt: skip
        return assembled(self._parts, self.scope, self.reads, question, wanted).retrieved

    @checked
    def answer(
        self, question: Question, *, session: Name | None = None, max_tokens: Tokens = 4_000, limit: Limit = 20,
        deadline_seconds: Deadline = 20.0,
    ) -> SourcedAnswer:  # fmt: skip
        """Return an answer in sentences, each with the memories that carry it; `.known` is False where none does.

        A model answers from the `context` of the question and cites it; what it cites is checked, and a sentence is
        left out unless a memory shares its words and every name and number in it stands there or in the question. The
        model is the one that packs read with, asked once, within *deadline_seconds*, on the terms of the desk: its
        slots, its breaker, the tenant's budget of the day. No transaction is open meanwhile. What is cited counts as
        accessed. Raises `Incorrect` where
        no model is set, and `Unavailable` where it has no time, no budget, or says nothing readable.
        """
        wanted = Wanted(
            session, max_tokens, None, limit, working=True, summary=True, graph=None, stop_at_overflow=False,
            anticipate=session is not None,
        )  # fmt: skip
        return answered(self._parts, self.scope, self.reads, question, wanted, deadline_seconds=deadline_seconds)
