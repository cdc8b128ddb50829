"""The language of a text, if it is certain; and turns in languages that no active pack reads."""

from slowwave.rules.languages.detection import PACKAGE, available, language_of
from slowwave.rules.languages.unread_turns import Unread, languages_of, read_by

__all__ = ["PACKAGE", "Unread", "available", "language_of", "languages_of", "read_by"]
