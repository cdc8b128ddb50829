"""Summaries of a session, within a token limit."""

from dataclasses import dataclass

from slowwave.domain.arguments import Name, checked, checked_type
from slowwave.domain.queries.summary import SUMMARY_TOKENS, Summary
from slowwave.memory.queries import QueryVerbs
from slowwave.memory.summaries.session_summary import summary
from slowwave.memory.summaries.tree import MostTokens, Tree


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class Summaries(QueryVerbs):
    """The verbs that read summaries, beside the verbs that read episodes."""

    @checked
    def summary(
        self, conversation: Name, *, max_tokens: MostTokens = SUMMARY_TOKENS, session: Name | None = None
    ) -> Summary:
        """Return the summary of a conversation: its most informative sentences, dated, in the speakers' own words.

        The sentences are in order, with at most *max_tokens* by the estimate of `Summary.tokens`; leaves out a sentence
        that does not fit. The summary combines the stored summary with later sentences; with a summarizer that
        rephrases, it is only the stored summary. Each line names its source episode. Includes archived conversations,
        but not expired ones. Empty if there were only tool calls. *session* is the caller's session, for the audit log.
        Raises `NotFound` for an unknown conversation.
        """
        return summary(self._parts, self.reach, conversation, max_tokens=max_tokens, session=session)

    @property
    def tree(self) -> Tree:
        """The tree of summaries here: the root covers all sessions, its nodes similar ones, its leaves one each."""
        return Tree(self._parts, self.scope, self.reads)
