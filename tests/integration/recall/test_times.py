"""Questions that name a time, from the public verb down to the store."""

from datetime import UTC, datetime

from slowwave.core.recall.time_match import OTHER_YEAR
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.memory import Memory
from slowwave.wiring import Parts

PAINTED = {"a lake": 3, "a barn": 5, "a fox": 7}


def test_a_memory_of_the_named_time_ranks_first(parts: Parts, scope: Scope) -> None:
    agent = Memory(parts).scope(scope.user, agent=scope.agent)
    agent.push_many(
        [
            Episode(
                content=f"I painted {what} with the children",
                key=what,
                session=what,
                role="user",
                occurred_at=datetime(2023, month, 9, 12, tzinfo=UTC),
            )
            for what, month in PAINTED.items()
        ]
    )

    for asked, what in (("in May 2023", "a barn"), ("in July", "a fox"), ("on 9 March 2023", "a lake")):
        best = agent.recall(f"What did I paint {asked}?")[0]
        assert what in best.text, asked
        assert best.reasons["time"] == (OTHER_YEAR if asked == "in July" else 1.0)  # the nearest July is another one
    june = agent.recall("What did I paint last month?", as_of=datetime(2023, 6, 20, 12, tzinfo=UTC))
    assert "a barn" in june[0].text
    assert all("time" not in one.reasons for one in agent.recall("What did I paint?"))
