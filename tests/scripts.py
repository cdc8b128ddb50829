"""Scripts in another language that lie beside the module that runs them."""

from pathlib import Path
from string import Template


def script(module: str, name: str, **values: object) -> str:
    """Return the text of the file *name* beside the file *module*; with *values*, `$name` in it stands for a value."""
    text = Path(module).with_name(name).read_text(encoding="utf-8")
    return Template(text).substitute(values) if values else text
