"""Pages on which a person sees what is remembered, why, and how the nights go: `viewer(memory)` is a router of them."""

from slowwave.api.viewer.door import Guest, Keys, guests
from slowwave.api.viewer.router import viewer
from slowwave.api.viewer.site import PREFIX

__all__ = ["PREFIX", "Guest", "Keys", "guests", "viewer"]
