"""The warning of a former public name, which names the present one."""

import warnings


def warn_of_former(former: str, present: str) -> None:
    """Warn that *former* is the former name of *present*. The warning shows the line that uses *former*."""
    warnings.warn(f"write `{present}` for `{former}`, the former name", DeprecationWarning, stacklevel=3)
