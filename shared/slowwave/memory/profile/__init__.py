"""The profile and history of a user, independent of a question."""

from slowwave.memory.profile.profile import ProfileVerbs

__all__ = ["ProfileVerbs"]
