"""Where `recall`, `facts` and `strategies` look: in the same places as in Python, of one user or of everybody."""

from rich.text import Text

from slowwave.cli.printing import cell
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, MemoryScope
from slowwave.wiring import Parts


def asked(parts: Parts, *, user: str | None, agent: str | None, channel: str | None) -> list[MemoryScope]:
    """Return what is asked, a user each: the one named, or every user of the tenant."""
    known = parts.records.scopes(parts.settings.tenant) if user is None else []
    users = dict.fromkeys(scope.user for scope in known) if user is None else [user]
    return [Memory(parts).scope(name, agent=agent, channel=channel) for name in users]


def heading(scope: Scope) -> Text:
    """Return whose the lines below are."""
    return cell(f"{scope.user}, as {scope.agent} knows them in {scope.channel}", "bold")
