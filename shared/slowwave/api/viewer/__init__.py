"""The viewer: pages that show memories, the reasons why facts are believed, and the nightly jobs.

`viewer(memory)` returns the pages' router.
"""

from slowwave.api.viewer.access_control import Guest, Keys, guests
from slowwave.api.viewer.router import viewer
from slowwave.api.viewer.sessions import Sessions, sessions_at, shared_sessions
from slowwave.api.viewer.site import PREFIX

__all__ = ["PREFIX", "Guest", "Keys", "Sessions", "guests", "sessions_at", "shared_sessions", "viewer"]
