"""StarGraph: what was told last is read of one session, of all of an agent's, or of all agents."""

import pytest

from slowwave.memory import Memory
from slowwave.wiring import Parts


@pytest.mark.requirement("S4.26")
def test_reads_widen_from_a_session_to_all_sessions_to_all_agents(parts: Parts) -> None:
    memory = Memory(parts)
    for agent, session in (("rag", "s1"), ("rag", "s2"), ("planner", "s3")):
        memory.scope("Alice", agent=agent).push(f"told to {agent} in {session}", session=session)
    memory.scope("Alice2", agent="rag").push("of somebody else", session="s1")

    def told(agent: str | None, sessions: list[str] | None) -> list[str]:
        return [one.content for one in memory.scope("Alice", agent=agent).recent(sessions=sessions)]

    assert told("rag", ["s1"]) == ["told to rag in s1"]
    assert told("rag", None) == ["told to rag in s2", "told to rag in s1"]
    assert told(None, None) == ["told to planner in s3", "told to rag in s2", "told to rag in s1"]
