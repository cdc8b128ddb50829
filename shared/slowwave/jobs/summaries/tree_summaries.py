"""Model summaries of the tree's nodes, from the bottom up: a node is requested once all its children are summarised."""

from collections import defaultdict
from dataclasses import replace

from slowwave.core.summaries.extractive_summary import Line, join
from slowwave.core.summaries.model_summary import ModelSummariser
from slowwave.domain.run import Run
from slowwave.jobs.summaries.model_summaries import Branch, BranchStore, Telling, TellingStore
from slowwave.jobs.summaries.requests import Requests, Work, taken_over
from slowwave.ports import Embedder
from slowwave.ports.model_calls import Request


class Branches:
    """The nodes of one scope's tree, as a run finds them; results are collected in *work*."""

    def __init__(
        self, run: Run, summariser: ModelSummariser, model_requests: Requests, tellings: TellingStore, work: Work
    ) -> None:
        self._run, self._summariser, self._model_requests, self._tellings, self._work = (
            run,
            summariser,
            model_requests,
            tellings,
            work,
        )
        self._told = dict[object, list[Line]]()

    def tell(self, store: BranchStore, embedder: Embedder) -> None:
        """Apply replies about nodes, and request those whose children are all summarised."""
        found = sorted(store.branches(self._run.tenant, self._run.scope), key=lambda one: (one.level, one.id))
        children = defaultdict[object, list[Branch]](list)
        for branch in found:
            if branch.parent is not None:
                children[branch.parent].append(branch)
            if all(child.id in self._told for child in children[branch.id]):
                self._branch(branch, [self._told[child.id] for child in children[branch.id]], embedder)

    def _branch(self, branch: Branch, items: list[list[Line]], embedder: Embedder) -> None:
        """Record the lines of a branch, unless its reply is pending."""
        if branch.level == 0:
            self._told[branch.id] = _of_leaf(branch)
            return
        telling = branch.open.telling if branch.open else None
        if telling is None:
            telling = self._next(branch, items)
        elif telling.waiting is not None and branch.open is not None:
            reply = branch.open.reply
            if (
                reply is not None
                and reply.state in ("pending", "asked")
                and branch.open.edition == self._summariser.edition
            ):
                return
            telling = taken_over(self._summariser, telling, reply, self._work)
            if telling.lines:
                telling = replace(telling, vector=embedder.embed([join(telling.lines)])[0])
            elif telling.request is None:
                telling = self._next(branch, items)
            self._work.tellings.append(telling)
        if telling.waiting is None:
            self._told[branch.id] = list(telling.lines or branch.quotes)

    def _next(self, branch: Branch, items: list[list[Line]]) -> Telling:
        positions = sorted({s.position for lines in items for line in lines for s in line.sources})
        there = self._tellings.at(self._run.tenant, self._run.scope, positions)
        known = [[line for line in lines if all(s.position in there for s in line.sources)] for lines in items]
        chunk = self._summariser.together(known, [there[position] for position in positions if position in there])
        key = self._model_requests.keys(self._run, f"{self._summariser.edition} tree")(chunk, 0)
        self._work.requests.append(Request(key, chunk))
        return self._kept(Telling(branch.about, waiting=key))

    def _kept(self, telling: Telling) -> Telling:
        self._work.tellings.append(telling)
        return telling


def _of_leaf(branch: Branch) -> list[Line]:
    """Return the lines of a session's model summary, and quotes of what was said there since."""
    telling = branch.open.telling if branch.open else None
    if telling is None or not telling.lines:
        return list(branch.quotes)
    return [*telling.lines, *(line for line in branch.quotes if line.source.position > telling.covered)]
