"""The rule engine: loads, validates and runs packs of declarative rules."""

from typing import TYPE_CHECKING

from slowwave.runtime.lazy_names import lazy_names

if TYPE_CHECKING:
    from slowwave.rules.cadence import Cadence
    from slowwave.rules.cases import Case, FailedCase
    from slowwave.rules.folders import default_roots, find_pack_folders
    from slowwave.rules.loading import load_pack
    from slowwave.rules.pack import Pack

__all__ = ["Cadence", "Case", "FailedCase", "Pack", "default_roots", "find_pack_folders", "load_pack"]
__getattr__ = lazy_names(
    __name__,
    {
        "cadence": "Cadence",
        "cases": "Case FailedCase",
        "folders": "default_roots find_pack_folders",
        "loading": "load_pack",
        "pack": "Pack",
    },
)
