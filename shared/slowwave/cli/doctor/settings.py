"""The settings in force, each with its description; passwords in addresses are masked."""

from collections.abc import Iterator
from typing import Any

from pydantic import SecretStr

from slowwave.cli.addresses import without_password
from slowwave.cli.doctor.line import Line
from slowwave.validation_messages import nearest
from slowwave.wiring import Settings

ALWAYS = ("url", "broker_url", "home")
"""The settings of addresses and folders, which are always shown, even with their default values."""


def in_force(settings: Settings, *, everything: bool) -> Iterator[Line]:
    """Yield the settings that differ from their defaults, or all if *everything*; then unknown SLOWWAVE_ variables."""
    for name, field in type(settings).model_fields.items():
        value = getattr(settings, name)
        if everything or name in ALWAYS or value != field.get_default(call_default_factory=True):
            yield Line(f"SLOWWAVE_{name.upper()}", _shown(settings, name, value), about=field.description or "")
    for name in type(settings).unknown():
        meant = nearest(name, [f"SLOWWAVE_{field.upper()}" for field in type(settings).model_fields])
        yield Line(name, f"is not a setting{meant}", good=False, remedy="`slowwave doctor --all` lists all settings")


def _shown(settings: Settings, name: str, value: Any) -> str:
    if isinstance(value, SecretStr):
        address = value.get_secret_value()
        return without_password(address) if "://" in address else "set"
    if value is not None:
        return str(value)
    if name == "url":
        return f"not set: the embedded Postgres in {settings.home} is used"
    if name == "broker_url":
        return "not set: `slowwave up` runs an embedded Redis, and `slowwave work` needs none"
    return "not set"
