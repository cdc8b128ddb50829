"""Plugins of installed packages, by entry point; errors name the package."""

from importlib.metadata import entry_points
from typing import Any

from slowwave.errors import Incorrect
from slowwave.validation_messages import nearest, shortened


def entry_point_names(group: str) -> list[str]:
    """Return the names that installed packages provide in *group*."""
    return sorted({point.name for point in entry_points(group=group)})


def unknown(kind: str, name: str, names: list[str]) -> Incorrect:
    """Return the error for an unknown *name* of a *kind* of plugin, with the nearest of *names*."""
    return Incorrect(f"there is no {kind} {shortened(name)}{nearest(name, names)}", hint=f"there are {names}")


def load_plugin(group: str, kind: str, name: str, *given: Any, does: str) -> Any:
    """Return the result of calling the entry point *name* of *group* with *given*; it must have the method *does*.

    *kind* is the word for the plugin in errors. Any error of the plugin becomes an `Incorrect` with its package.
    """
    point = next(point for point in entry_points(group=group) if point.name == name)
    package = f"the package {point.dist.name}" if point.dist else point.value
    whose, mend = f"the {kind} {name!r} of {package}", f"fix or update {package}"
    try:
        part = point.load()(*given)
    except Incorrect:
        raise
    except Exception as error:  # another author's code may raise anything
        raise Incorrect(f"{whose} failed with {type(error).__name__}: {error}", hint=mend) from error
    if not callable(getattr(part, does, None)):
        raise Incorrect(f"{whose} gives a {type(part).__name__}, which has no {does}()", hint=mend)
    return part
