"""The context of a prompt: working memory and recalled memories, within a token budget."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from slowwave.domain.arguments import Limit, Name, Question, checked, checked_type
from slowwave.domain.context import Part, PromptContext, SourcedAnswer
from slowwave.memory.context.assembly import WantedParts, answered, assemble
from slowwave.memory.summaries import Summaries

Tokens = Annotated[int, Field(ge=1, le=2**31 - 1)]
Count = Callable[[str], int]
Deadline = Annotated[float, Field(gt=0, le=600, allow_inf_nan=False)]


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class Prompting(Summaries):
    """The verbs that build the context of the next prompt from the scopes in `reach`."""

    @checked
    def context(
        self, question: Question, *, session: Name | None = None, max_tokens: Tokens = 4_000,
        count: Count | None = None, limit: Limit = 20, include_summary: bool = True,
        include_graph: bool | None = None, stop_at_overflow: bool = False, anticipate: bool = True,
    ) -> PromptContext:  # fmt: skip
        """Return the context for an answer to *question*, in at most *max_tokens*.

        Each part of the context has its sources.

        With a *session*, the context always starts with the `system_prompt` and `tools` of working memory. The
        remaining tokens go, in this order, to the session's summary, the newest turns (up to half of the tokens), the
        graph around the entities in the question, up to *limit* of the best recollections, and older turns.
        `PromptContext` has the order of the parts in the prompt. A recollection that is too long is skipped. With
        *stop_at_overflow*, no recollection follows a skipped one. `.as_messages()` and `.as_text()` format the context
        for a prompt. Only the memories in the context are counted as accessed.

        With a session and *anticipate*, a separate thread then looks up memories related to the newest turns and the
        active goal. If there is room, the session's next context also has up to ten of these memories, with
        `anticipated` in their reasons. The `.reused` of a context is the share of its recollections that were already
        in working memory or were looked up in advance.

        *count* is a function that returns the number of tokens of a text, such as the model's own tokenizer; each
        message adds four tokens. Without *count*, the number of tokens is estimated, and tends to be too high. By
        default, the context includes the graph if the extra `graph` is installed. Raises `Incorrect` if the system
        prompt and the tools alone exceed *max_tokens*.
        """
        wanted = WantedParts(
            session, max_tokens, count, limit, working=True, summary=include_summary, graph=include_graph,
            stop_at_overflow=stop_at_overflow, anticipate=anticipate,
        )  # fmt: skip
        return assemble(self._parts, self.scope, self.reads, question, wanted)

    @checked
    def retrieve(
        self, question: Question, *, session: Name | None = None, max_tokens: Tokens = 4_000,
        count: Count | None = None, limit: Limit = 20, include_summary: bool = True, stop_at_overflow: bool = False,
    ) -> list[Part]:  # fmt: skip
        """Return the memories that answer *question*, as in `context`, without working memory.

        The summary of the *session* comes first, and counts towards *max_tokens*. Facts and episodes follow, best
        first.
        """
        wanted = WantedParts(
            session, max_tokens, count, limit, working=False, summary=include_summary, graph=False,
            stop_at_overflow=stop_at_overflow, anticipate=False,
        )  # fmt: skip
        return assemble(self._parts, self.scope, self.reads, question, wanted).retrieved

    @checked
    def answer(
        self, question: Question, *, session: Name | None = None, max_tokens: Tokens = 4_000, limit: Limit = 20,
        deadline_seconds: Deadline = 20.0,
    ) -> SourcedAnswer:  # fmt: skip
        """Return an answer in sentences, each with its supporting memories.

        `.known` of the answer is False if no sentence is supported.

        A model answers from the `context` of the question and cites memories. A sentence of the model is kept only if a
        cited memory shares words with the sentence. The cited memories must also contain every name and number of the
        sentence that is not in the question. The model is the same as for model packs. The method calls the model once,
        within *deadline_seconds* and the limits of the model call queue: slots, circuit breaker and the tenant's daily
        budget. No transaction is open during the call. Cited memories are counted as accessed. Raises `Incorrect` if no
        model is set. Raises `Unavailable` if there is no free slot in time, no budget left, or no readable reply.
        """
        wanted = WantedParts(
            session, max_tokens, None, limit, working=True, summary=True, graph=None, stop_at_overflow=False,
            anticipate=session is not None,
        )  # fmt: skip
        return answered(self._parts, self.scope, self.reads, question, wanted, deadline_seconds=deadline_seconds)
