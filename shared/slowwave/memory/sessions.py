"""The end of a session, said by the agent: what waits for it comes due."""

from slowwave import wiring
from slowwave.domain.scope import Scope
from slowwave.domain.text import name_problems
from slowwave.errors import Incorrect
from slowwave.ports import Due


def end_session(parts: wiring.Parts, scope: Scope, session: str) -> list[Due]:
    """Fire what waits for sessions to end and ring for it; return what is due by it."""
    if problems := list(name_problems(session)):
        raise Incorrect.listing("session", problems, hint="name the session whose episodes were pushed")
    due = parts.schedule.end_session(scope, session, by=wiring.owner_name("agent"))
    if parts.bell is not None:
        for one in due:
            parts.bell.ring(one.scope, one.job)
    return due
