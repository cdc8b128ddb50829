"""The engines of packs, by the name under `engine`: each makes a reader of episodes from a pack's files."""

from slowwave.rules.engines.engine import Engine, Files, Reader
from slowwave.rules.engines.registry import ENGINES, GROUP, engine_named

__all__ = ["ENGINES", "GROUP", "Engine", "Files", "Reader", "engine_named"]
