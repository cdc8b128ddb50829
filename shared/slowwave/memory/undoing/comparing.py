"""The comparison of a replay in many scopes: the sums, and examples with their scopes. Nothing is written."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from slowwave.core.dry_run import Belief
from slowwave.domain.scope import Scope
from slowwave.memory import dry_runs
from slowwave.memory.dry_runs import AnyPack
from slowwave.memory.undoing.every_scope import scopes_read_by
from slowwave.wiring import Parts


@dataclass(slots=True)
class Sums:
    """The sums of replays over *scopes*, and *examples* of each kind of difference, as pairs of a scope and a belief.

    *of_no_pack* is the number of present beliefs that no pack made. If the pack *needs_model*, *replies* is the number
    of stored replies, and *requests* is the number of requests without a reply, with their tokens.
    """

    pack: str
    version: int
    scopes: int = 0
    episodes: int = 0
    claims: int = 0
    gained: int = 0
    lost: int = 0
    changed: int = 0
    same: int = 0
    of_no_pack: int = 0
    examples_gained: list[tuple[Scope, Belief]] = field(default_factory=list)
    examples_lost: list[tuple[Scope, Belief]] = field(default_factory=list)
    examples_changed: list[tuple[Scope, Belief, Belief]] = field(default_factory=list)
    needs_model: bool = False
    replies: int = 0
    requests: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0

    def add(self, scope: Scope, found: dry_runs.Replay, *, examples: int) -> None:
        """Add the replay of a scope; keep at most *examples* of each kind."""
        difference = found.difference
        self.scopes += 1
        self.episodes += found.episodes
        self.claims += found.claims
        self.gained += len(difference.gained)
        self.lost += len(difference.lost)
        self.changed += len(difference.changed)
        self.same += difference.same
        self.of_no_pack += found.of_no_pack
        for examples_so_far, new in ((self.examples_gained, difference.gained), (self.examples_lost, difference.lost)):
            examples_so_far += [(scope, belief) for belief in new[: examples - len(examples_so_far)]]
        room = examples - len(self.examples_changed)
        self.examples_changed += [(scope, *pair) for pair in difference.changed[:room]]
        for one in found.asked:
            self.needs_model = True
            self.replies += one.replies
            self.requests += len(one.unasked)
            self.prompt_tokens += sum(chunk.prompt_tokens for chunk in one.unasked)
            self.reply_tokens += sum(chunk.most_tokens for chunk in one.unasked)


def compared_in(parts: Parts, pack: AnyPack, scopes: Iterable[Scope], *, examples: int) -> Sums:
    """Return how the beliefs of *scopes* would differ if *pack* had read their episodes; keep *examples* of each kind.

    Raises `Incorrect` like `dry_runs.replay`.
    """
    sums = Sums(pack.pack, pack.version)
    for scope in scopes:
        sums.add(scope, dry_runs.replay(parts, pack, scope), examples=examples)
    return sums


def compared_everywhere(parts: Parts, pack: AnyPack, *, examples: int) -> Sums:
    """Return the same for every scope of the tenant in which a version of *pack* has read an episode."""
    scopes = scopes_read_by(parts, parts.settings.tenant, pack.pack)
    return compared_in(parts, pack, scopes, examples=examples)
