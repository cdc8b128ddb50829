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
        """Return the context for answering *question*, in at most *max_tokens*; each part has its sources.

        With a *session*, the context always starts with the `system_prompt` and `tools` in working memory. The
        session's summary and its newest turns follow, in up to half of the remaining room. Then come the graph around
        the entities that the question names, and up to *limit* of the best recollections. A recollection that is too
        long is skipped; with *stop_at_overflow*, it ends the list. Older turns fill the remaining room.
        `.as_messages()` and `.as_text()` format the context for a prompt. Only the memories in the context count as
        accessed.

        With a session and *anticipate*, a separate thread then looks up memories related to the newest turns and the
        active goal. If there is room, the session's next context ends with up to ten of these memories, with
        `anticipated` in their reasons; its `.reused` is the share of its recollections that were already in working
        memory or looked up in advance.

        *count* is a function that returns the number of tokens of a text, such as the model's own tokenizer; each
        message adds four. Without *count*, tokens are estimated on the high side. By default, the context includes the
        graph if the extra `graph` is installed. Raises `Incorrect` if prompt and tools alone exceed *max_tokens*.
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

        The summary of the *session* comes first, counted against *max_tokens*, then facts and episodes, best first.
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
        """Return an answer in sentences, each with its supporting memories; `.known` is False if there are none.

        A model answers from the `context` of the question and cites its memories. The answer has a sentence only if a
        cited memory shares its words, and has every name and number of the sentence that the question does not have.
        The model is the packs' model. It is called once, within *deadline_seconds* and the limits of the model call
        queue: its slots, its circuit breaker and the tenant's daily budget. No transaction is open during the call.
        Cited memories count as accessed. Raises `Incorrect` if no model is set, and `Unavailable` if it has no slot in
        time, no budget left, or gives no readable reply.
        """
        wanted = WantedParts(
            session, max_tokens, None, limit, working=True, summary=True, graph=None, stop_at_overflow=False,
            anticipate=session is not None,
        )  # fmt: skip
        return answered(self._parts, self.scope, self.reads, question, wanted, deadline_seconds=deadline_seconds)
