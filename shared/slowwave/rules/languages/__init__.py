"""The language a text is in, where that is sure; and turns in languages that no pack in force reads."""

from slowwave.rules.languages.identified import PACKAGE, available, language_of
from slowwave.rules.languages.unread import Unread, languages_of, read_by

__all__ = ["PACKAGE", "Unread", "available", "language_of", "languages_of", "read_by"]
