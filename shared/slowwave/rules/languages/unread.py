"""Turns of users in languages that no pack in force reads: counted by language, and never guessed."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from slowwave.domain.episode import StoredEpisode
from slowwave.rules.languages.identified import language_of
from slowwave.words import UNREAD


def read_by(packs: Iterable[object]) -> frozenset[str] | None:
    """Return the languages that *packs* read together; None where one of them reads any, or there is no pack."""
    each = [frozenset[str](getattr(pack, "languages", ())) for pack in packs]
    return frozenset().union(*each) if each and all(each) else None


@dataclass(frozen=True, slots=True)
class Unread:
    """Tells which turns are in a language that is not *read*; none is where any language is."""

    read: frozenset[str] | None

    def counts(self, episodes: Sequence[StoredEpisode]) -> Mapping[str, int]:
        """Return how many turns of users among *episodes* are in which language that is not read, to tell of a run."""
        told = (one for one in episodes if (one.role, one.kind) == ("user", "message"))
        found = Counter(language for one in told if (language := self.language(one.content)))
        return {f"{UNREAD}{language}": count for language, count in sorted(found.items())}

    def language(self, text: str) -> str | None:
        """Return the language of *text*, if it is surely one that is not read."""
        return None if self.read is None else language_of(text, self.read)
