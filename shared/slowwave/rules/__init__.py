"""The rule engine: loads, validates and runs packs of declarative rules."""

from slowwave.rules.cadence import Cadence
from slowwave.rules.cases import Case, FailedCase
from slowwave.rules.hot_reload import default_roots, find_pack_folders
from slowwave.rules.loading import load_pack
from slowwave.rules.pack import Pack

__all__ = [
    "Cadence",
    "Case",
    "FailedCase",
    "Pack",
    "default_roots",
    "find_pack_folders",
    "load_pack",
]
