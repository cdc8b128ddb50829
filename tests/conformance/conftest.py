"""What a document says of jobs and memories is walked with the settings as they come: statements beside typed facts."""

from tests.contract.conftest import harness
from tests.statements import heavy_parts, settings

__all__ = ["harness", "heavy_parts", "settings"]
