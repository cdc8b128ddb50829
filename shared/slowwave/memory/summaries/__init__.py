"""Summaries read back: of a session, as long as there is room for."""

from dataclasses import dataclass

from slowwave.domain.arguments import Name, checked, checked_type
from slowwave.domain.reading.summary import SUMMARY_TOKENS, Summary
from slowwave.memory.reading import Reading
from slowwave.memory.summaries.arguments import MostTokens
from slowwave.memory.summaries.rolling import summary
from slowwave.memory.summaries.tree import Tree


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class Summaries(Reading):
    """A face on which summaries are read beside what they sum up."""

    @checked
    def summary(
        self, conversation: Name, *, max_tokens: MostTokens = SUMMARY_TOKENS, session: Name | None = None
    ) -> Summary:
        """Return the summary of a conversation: the sentences that say most, dated, in the speakers' own words.

        In the order they were said, at most *max_tokens* by the estimate of `Summary.tokens`: what does not fit is
        left out whole. It is what runs have kept, and what was said since; where a summariser that rephrases is set,
        what runs have kept alone. Each line names the words of the episode it rests on. What is put away is summed up
        as well, what has expired is not. Empty where only tools were called. *session* is the one in which you ask: it
        stands in the audit. Raises `NotFound` for a conversation in which nothing was said.
        """
        return summary(self._parts, self.reach, conversation, max_tokens=max_tokens, session=session)

    @property
    def tree(self) -> Tree:
        """The tree over the summaries here: what says most of all, of what is alike, and of each session."""
        return Tree(self._parts, self.scope, self.reads)
