"""Names of a package that are imported at their first use."""

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def lazy_names(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of *package*: it imports a name from its home at the first use of the name.

    *homes* maps each module of the package to its names, separated by spaces.
    """
    home_of = {name: home for home, names in homes.items() for name in names.split()}

    def load(name: str) -> Any:
        if name in home_of:
            return getattr(importlib.import_module(f"{package}.{home_of[name]}"), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return load
