"""Users' turns in languages that no active pack reads, by language."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from slowwave.domain.episode import StoredEpisode
from slowwave.rules.languages.detection import language_of


def read_by(packs: Iterable[object]) -> frozenset[str] | None:
    """Return the languages that *packs* read together; None if one of them reads any, or there is no pack."""
    each = [languages_of(pack) for pack in packs]
    return frozenset().union(*each) if each and all(each) else None


def languages_of(pack: object) -> frozenset[str]:
    """Return the languages that *pack* reads; empty if it reads any."""
    return frozenset(getattr(pack, "languages", ()))


@dataclass(frozen=True, slots=True)
class Unread:
    """Finds turns in a language that is not *read*; none if any language is read."""

    read: frozenset[str] | None

    def turns(self, episodes: Sequence[StoredEpisode]) -> Mapping[int, str]:
        """Return the language, by position, of the users' turns among *episodes* that are not read."""
        told = (one for one in episodes if (one.role, one.kind) == ("user", "message"))
        return {one.position: language for one in told if (language := self.language(one.content))}

    def language(self, text: str) -> str | None:
        """Return the language of *text*, if it is certainly one that is not read."""
        return None if self.read is None else language_of(text, self.read)
