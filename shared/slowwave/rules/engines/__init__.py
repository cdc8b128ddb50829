"""The engines of packs, by the name in the field `engine`. An engine makes a reader of episodes from a pack's files."""

from slowwave.rules.engines.engine import Engine, Files, Reader
from slowwave.rules.engines.registry import ENGINES, GROUP, engine_named

__all__ = ["ENGINES", "GROUP", "Engine", "Files", "Reader", "engine_named"]
