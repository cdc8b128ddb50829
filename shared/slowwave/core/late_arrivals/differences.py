"""The difference between what is believed before and after a change of history."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from slowwave.core.beliefs.identity import BeliefKey, compared_words
from slowwave.core.beliefs.versions import Version

Content = tuple[BeliefKey, str]


@dataclass(frozen=True, slots=True)
class Differences:
    """Beliefs that ended, beliefs that are new, and beliefs with another valid time or other sources."""

    withdrawn: Sequence[Version]
    restored: Sequence[Version]
    changed: Sequence[tuple[Version, Version]]


def differences(before: Iterable[Version], after: Iterable[Version]) -> Differences:
    """Return the differences by content; the same content from other facts is not a difference."""
    was, now = _by_content(before), _by_content(after)
    both = [content for content in was if content in now and _plain(was[content]) != _plain(now[content])]
    return Differences(
        [version for content, versions in was.items() if content not in now for version in versions[-1:]],
        [version for content, versions in now.items() if content not in was for version in versions[-1:]],
        [(was[content][-1], now[content][-1]) for content in both],
    )


def _by_content(versions: Iterable[Version]) -> dict[Content, list[Version]]:
    found: dict[Content, list[Version]] = {}
    for version in sorted(versions, key=lambda one: (one.valid, one.text)):
        found.setdefault((version.key, compared_words(version)), []).append(version)
    return found


def _plain(versions: Iterable[Version]) -> set[tuple[object, ...]]:
    return {(one.valid, one.confidence, one.rule, one.position) for one in versions}
