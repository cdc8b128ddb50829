"""Stargraph: what was told last is read of one session, of one agent, or of everybody who knows a user."""

import uuid

import pytest

from slowwave import wiring
from slowwave.memory import Memory


@pytest.mark.requirement("S4.26")
def test_reads_widen_from_one_session_to_one_agent_to_all_agents(parts: wiring.Parts) -> None:
    memory, user = Memory(parts), f"alice-{uuid.uuid4().hex[:8]}"
    for agent, session in [("guide", "s1"), ("guide", "s2"), ("rental", "s3")]:
        memory.scope(user, agent=agent).push(f"{agent} in {session}", session=session)
    memory.scope("bob", agent="guide").push("somebody else's", session="s1")
    guide, everybody = memory.scope(user, agent="guide"), memory.scope(user)

    assert [one.content for one in guide.recent(sessions=["s1"])] == ["guide in s1"]
    assert [one.content for one in guide.recent()] == ["guide in s2", "guide in s1"]
    assert [one.content for one in everybody.recent()] == ["rental in s3", "guide in s2", "guide in s1"]
