"""Invariants: what must always hold, each with what to do where it does not. The store has a statement for each."""

from dataclasses import dataclass

REPORT = "please report this"


@dataclass(frozen=True, slots=True)
class Invariant:
    """A promise by name; *remedy* is what somebody can do who finds it broken."""

    name: str
    remedy: str


REBUILT = Invariant(
    "fold-differs", "the facts are not what the ledger folds to: restore them from a backup, report this"
)
"""Looked for by folding the ledger again, not by a statement."""
PROJECTED = Invariant("graph-differs", "the graph is not what the facts come to: run `slowwave graph rebuild`")
"""Looked for by making the graph anew, with the ledger."""
GROWN = Invariant("tree-differs", "the tree is not what the summaries come to: run `slowwave tree grow`")
"""Looked for by growing the tree anew, with the ledger."""

OF_A_TENANT = (
    Invariant("fact-without-source", REPORT),
    Invariant("fact-without-delta", REPORT),
    Invariant("two-live-versions", REPORT),
    Invariant("source-orphaned", REPORT),
    Invariant("origin-orphaned", REPORT),
    Invariant("promotion-orphaned", REPORT),
    Invariant("position-gap", "episodes are lost or doubled: compare with a backup, report this"),
    Invariant("episode-lost", "compare with a backup: what was acknowledged must be there; report this"),
    Invariant("vector-mismatched", "no question finds this memory by meaning: delete the vector, report this"),
    Invariant("vector-orphaned", "the vector may be deleted; report this"),
    Invariant("standing-orphaned", "the standing may be deleted; report this"),
    Invariant(
        "buried-together",
        "something here was out of order then: once it is mended, `slowwave dead-letters retry --all --reason TEXT`",
    ),
    Invariant("scope-orphaned", "these rows are in the wrong hands: look at them as a superuser, report this"),
)
"""What holds for each tenant alone. Who sees one tenant finds an edge into another as one into nothing."""

OF_THE_INSTALLATION = (
    Invariant("scope-incomplete", "the scope's work stands still: run `slowwave db migrate`, report this"),
    Invariant("watermark-wrong", REPORT),
    Invariant("work-forgotten", "the job reconcile asks for it within the hour, `slowwave schedule run-now` at once"),
    Invariant("intent-wrong", REPORT),
    Invariant("lease-wrong", "the next claim takes no notice of it; if it lasts, was the database's clock put back?"),
    Invariant("job-unscheduled", "run `slowwave db migrate`: it registers the jobs and packs that are installed"),
    Invariant("partition-missing", "start `slowwave up` or `slowwave work`, or run `slowwave db migrate`"),
)
"""What holds for everybody together: no content is needed to see it."""
