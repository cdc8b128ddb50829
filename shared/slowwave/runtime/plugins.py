"""Plugins of installed packages, by entry point; errors name the package."""

from importlib.metadata import entry_points
from typing import Any

from slowwave.errors import Incorrect
from slowwave.validation_messages import nearest, shortened


def entry_point_names(group: str) -> list[str]:
    """Return the names that installed packages provide in *group*."""
    return sorted({point.name for point in entry_points(group=group)})


def unknown(kind: str, name: str, names: list[str]) -> Incorrect:
    """Return the error that there is no *kind* of that *name*, with the nearest of *names*."""
    return Incorrect(f"there is no {kind} {shortened(name)}{nearest(name, names)}", hint=f"there are {names}")


def load_plugin(group: str, kind: str, name: str, *given: Any, does: str) -> Any:
    """Return the plugin that the *kind* *name* of *group* makes from *given*; it must have the method *does*.

    A plugin is another author's code, which may raise anything: any error becomes an `Incorrect` with its package.
    """
    point = next(point for point in entry_points(group=group) if point.name == name)
    package = f"the package {point.dist.name}" if point.dist else point.value
    whose, mend = f"the {kind} {name!r} of {package}", f"mend or update {package}"
    try:
        part = point.load()(*given)
    except Incorrect:
        raise
    except Exception as error:  # the edge to another author's package
        raise Incorrect(f"{whose} failed with {type(error).__name__}: {error}", hint=mend) from error
    if not callable(getattr(part, does, None)):
        raise Incorrect(f"{whose} gives a {type(part).__name__}, which has no {does}()", hint=mend)
    return part
