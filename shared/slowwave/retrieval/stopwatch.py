"""A timer for the stages of a recall."""

from dataclasses import dataclass, field

from slowwave.domain.recall_explanation.explanation import Stage
from slowwave.runtime import clock


@dataclass(slots=True)
class Stopwatch:
    """The stages so far; each begins at the end of the previous stage."""

    stages: list[Stage] = field(default_factory=list)
    last: float = field(default_factory=clock.monotonic)

    def ended(self, name: str, memories: int | None = None) -> None:
        """Record the end of a stage, and the number of memories left."""
        now = clock.monotonic()
        self.stages.append(Stage(name, (now - self.last) * 1000, memories))
        self.last = now
