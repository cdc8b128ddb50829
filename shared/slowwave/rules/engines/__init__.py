"""The engines of packs: what makes a reader of episodes out of a pack's files, by the name under `engine`."""

from slowwave.rules.engines.engine import Engine, Files, Reader
from slowwave.rules.engines.table import ENGINES, GROUP, engine_named

__all__ = ["ENGINES", "GROUP", "Engine", "Files", "Reader", "engine_named"]
