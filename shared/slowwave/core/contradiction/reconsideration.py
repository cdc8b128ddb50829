"""Reconsideration: finds beliefs that new facts have ended or repeat."""

import re
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from math import ceil
from typing import Literal

from slowwave.core.beliefs.identity import normal, text_of
from slowwave.core.beliefs.versions import Version
from slowwave.core.contradiction.belief_state import DATED, belief_words, holds, is_due, is_part
from slowwave.core.contradiction.habits import outlasts
from slowwave.core.contradiction.kinds import are_of_one_kind
from slowwave.core.contradiction.matters import Matters
from slowwave.core.contradiction.people import EVERY, about_same_people, relative_in
from slowwave.core.contradiction.reported_changes import matter_of
from slowwave.core.contradiction.words import MAY_REPORT, REPORTS, words_of
from slowwave.core.patterns import is_preference
from slowwave.core.time_spans import BEGINNING
from slowwave.domain.claim import Claim

NEAR_WORDS = 1.0
"""The least weight of the words that news shares with a belief. One unique word or several rare words reach this
weight."""
NEAR_MEANING = 0.55
"""The least cosine of news and a belief that it ends, if they share several words: at least .59 in nine test lives."""
NEAREST_MEANING = 0.70
"""The least cosine of news and a belief that it ends, if they share one word. In tests, wrong pairs had up to .64, and
right pairs .75."""
COMMON = 50
"""The number of beliefs of a scope from which a word is ignored. Its weight would be a fiftieth of the weight of a
unique word."""
SAME_WORDS = 0.75
"""The least share of common words in two beliefs that say the same."""
SAME_MEANING = 0.93
"""The least cosine of two beliefs that say the same. With a lower cosine, days or names may differ."""
NEAR_THING = 0.47
"""The least nearness of two things, as `Nearness.says` gives it, for which a person is asked: a cosine of .48.

It finds 48 of 108 pairs of synonyms (63 % of the 76 whose words have vectors), and 10 % of 260 pairs of things that
people have at the same time (`tests/unit/core/news/things.txt`). Nearness alone ends nothing: at .7, a quarter of the
pairs are wrong; from .9 on none is wrong, but only six are found.
"""

_INSTEAD_OF = re.compile(r"\binstead of (.+)", re.IGNORECASE)
"""The part of news that names the ended matter. The other part says what is true now."""
_CLAUSE_ENDS = (
    r"(?=[,.;:!?(]|$| (?:and|but|or|so|as|because|since|when|while|after|before|until|though|who|which|that)\b"
)
_NAMED = re.compile(
    rf"\bno longer (.+?){_CLAUSE_ENDS})"
    r"|\b(?:sold|finished|cancell?ed|dropped|fixed|solved|resolved|scrapped|replaced|postponed|passed|lost|quit|left"
    rf"|handed in|gave up|given up|gives up|stop(?:ped|s)) (.+?){_CLAUSE_ENDS}"
    r"| (?:at|in|on|for|from|with|without|to|of|by|into|over|off|out|through|during|online)\b)",
    re.IGNORECASE,
)
"""Patterns for the ended thing: the words after `no longer`, or a verb's object."""
_AFTER_THING = re.compile(
    r"[,.;:(]| (?:called|named|in|on|at|with|for|from|to|of|by|since|every|each|once|twice|that|which|who|when|because"
    r"|and)\b"
)
"""Text that follows the name of a thing."""
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
DENIED = re.compile(r"\b(?:not|no|never|neither|nor|without)\b|n't\b", re.IGNORECASE)
_UNREAL = re.compile(
    r"\?|\b(?:in|at|with) (?:[\w']+ ){0,2}(?:old|previous|former|first|last) "
    r"(?:company|team|firm|jobs?|employer|office|school|university|flat|house|town|city|project|role|club|days|life)\b"
    r"|\b(?:might|(?-i:may)|could|would|should|if|unless|wish\w*|hop(?:es|ed|ing)|want(?:s|ed)? to|plan\w*"
    r"|consider\w*|think\w* (?:of|about)|almost|nearly|never|not|going to)\b|n't\b",
    re.IGNORECASE,
)


Kind = Literal["ended", "contradicted", "same", "unsure", "near"]
Says = Callable[[str, Sequence[str]], Sequence[float]]
"""A function of a word and other words that gives how near it is to each, in [0, 1]."""
Meaning = Mapping[tuple[uuid.UUID, uuid.UUID], float]
"""The cosines of news and beliefs, by their facts. Pairs that were not compared are absent."""
Occurred = Mapping[int, datetime]
"""The times when turns occurred, by position."""


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a belief.

    *news* replaced the belief *earlier*. If no belief replaced it, *news* has the id of the ending delta and no object.
    """

    news: Version
    earlier: Version


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict on a belief, given *news*: the belief `ended`, is `contradicted`, or is the `same` as the news.

    *beliefs* has the belief that the verdict is about. If the verdict is `unsure`, *beliefs* has all possible beliefs.
    """

    news: Version
    kind: Kind
    beliefs: tuple[Version, ...]


def reports_change(version: Version) -> bool:
    """Return whether a belief has a word of change, and reports a real change that is not in the future."""
    return version.tense != "future" and _reports_change(text_of(version))


@lru_cache(maxsize=16_384)
def _reports_change(text: str) -> bool:
    return REPORTS.search(text) is not None and _UNREAL.search(text) is None


def change_in(text: str) -> tuple[int, int] | None:
    """Return the span of the sentences in *text* that may report a change, without questions.

    >>> text = "Morning! The cast is off. Can you finally rest?"
    >>> begin, end = change_in(text)
    >>> text[begin:end]
    'The cast is off.'
    """
    found = [one for one in _SENTENCE.finditer(text) if MAY_REPORT.search(one[0]) and not one[0].endswith("?")]
    if not found:
        return None
    begin = found[0].start() + len(found[0][0]) - len(found[0][0].lstrip())
    return begin, found[-1].end()


def denies(version: Version) -> bool:
    """Return whether a belief is a denial."""
    return DENIED.search(text_of(version)) is not None


def numbers_of(version: Version) -> frozenset[str]:
    """Return the words of a belief that contain a digit."""
    return _numbers_in(text_of(version))


@lru_cache(maxsize=16_384)
def _numbers_in(text: str) -> frozenset[str]:
    return frozenset(word for word in words_of(text) if any(map(str.isdigit, word)))


def repeats(belief: Version, ending: Ending, matters: Matters) -> bool:
    """Return whether *belief* is a statement or a taste that repeats an ended typed belief.

    `Ann lives with her parents in Leeds` repeats `lives in Leeds`, which `lives in York` replaced: it has the same
    subject, the predicate's word (*live*) and the old value, but not the new value.
    """
    earlier, news = ending.earlier, ending.news
    if (belief.tense, earlier.form) != ("current", "typed"):
        return False
    if belief.form == "typed" and not is_preference(belief.predicate):
        return False
    if normal(belief.subject) != normal(earlier.subject) or relative_in(text_of(belief), matters.predicates):
        return False
    belief_stems, value, now = matters.words(belief), words_of(earlier.object), words_of(news.object)
    word = words_of(earlier.predicate)[:1]
    return (
        bool(value and word) and belief_stems.issuperset((*value, *word)) and not (now and belief_stems.issuperset(now))
    )


def verdicts(
    news: Sequence[Version], beliefs: Sequence[Version], meaning: Meaning, matters: Matters,
    *, common: Collection[str] = (), endings: Sequence[Ending] = (), occurred: Occurred | None = None,
) -> Iterator[Verdict]:  # fmt: skip
    """Give the verdicts on *beliefs* that share words with *news*, in the order in which the news was said.

    If *endings* has the end of a typed belief, the statements that repeat this belief end too.

    *beliefs* must have all beliefs that contain a word of the news (except *common* words), because a word weighs less
    if more beliefs contain it. Each belief ends once. News that repeats a belief ends no belief. *occurred* has the
    times of all turns if some turns came late. Otherwise, positions are in the order of time.
    """
    gone: set[uuid.UUID] = set()
    reported: list[tuple[Version, Ending | None]] = [(ending.news, ending) for ending in endings]
    reported += [(one, None) for one in news]
    ordered = sorted(beliefs, key=lambda belief: occurrence_order(belief, occurred))
    having, of_subject, of_fact = _places(ordered, matters)
    alike: dict[uuid.UUID, list[int]] = {}
    for (fact, earlier), cosine in meaning.items():
        if cosine >= SAME_MEANING:
            alike.setdefault(fact, []).extend(of_fact.get(earlier, ()))
    for one, ending in sorted(
        reported, key=lambda each: (*occurrence_order(each[0], occurred), each[0].fact, each[1] is None)
    ):

        def known(places: Iterable[int], one: Version = one) -> list[Version]:
            found = (ordered[place] for place in sorted(places))
            return [belief for belief in found if _was_before(belief, one, occurred) and belief.fact not in gone]

        if ending is not None:
            subject = of_subject.get(normal(ending.earlier.subject), ()) if ending.earlier.form == "typed" else ()
            for belief in [belief for belief in known(subject) if repeats(belief, ending, matters)]:
                gone.add(belief.fact)
                yield Verdict(one, "ended", (belief,))
            continue
        verdict = _on_same_words(one, known(alike.get(one.fact, ())), meaning)
        if verdict is None and reports_change(one):
            words = matters.named(word for word in words_of(text_of(one)) if word not in common)
            near = _nearest(one, known({at for word in words for at in having.get(word, ())}), meaning, matters, common)
            if near:
                verdict = Verdict(one, "ended" if len(near) == 1 else "unsure", tuple(near))
        if verdict is None:
            continue
        if verdict.kind != "unsure":
            gone.add(one.fact if verdict.kind == "same" else verdict.beliefs[0].fact)
        yield verdict


def pairs_to_compare(
    news: Sequence[Version], beliefs: Sequence[Version], matters: Matters, common: Collection[str],
    occurred: Occurred | None = None,
) -> set[tuple[uuid.UUID, uuid.UUID]]:  # fmt: skip
    """Return the pairs of new facts and earlier beliefs whose similarity `verdicts` needs.

    The two share a word that is not *common*. The news reports a change, or both have nearly the same words.
    """
    having, *_ = _places(beliefs, matters)
    alike: dict[tuple[object, str], list[int]] = {}
    for place, belief in enumerate(beliefs):
        if belief.form != "typed":
            likeness = _likeness(belief)
            for word in words_of(text_of(belief)):
                alike.setdefault((likeness, word), []).append(place)
    found: set[tuple[uuid.UUID, uuid.UUID]] = set()
    for one in news:
        words = words_of(text_of(one))
        named, told = matters.named(word for word in words if word not in common), occurrence_order(one, occurred)
        if reports_change(one):
            places = {place for word in named for place in having.get(word, ())}
        elif one.form != "typed":  # a belief without any of the rarest words has too few of the others
            likeness = _likeness(one)
            each = sorted((alike.get((likeness, word), ()) for word in words), key=len)
            places = {place for some in each[: len(words) - ceil(SAME_WORDS * len(words)) + 1] for place in some}
            places = {place for place in places if _has_same_words(one, beliefs[place])}
        else:
            continue
        earlier = (beliefs[place] for place in places if occurrence_order(beliefs[place], occurred) < told)
        found |= {
            (one.fact, belief.fact)
            for belief in earlier
            if not named.isdisjoint(belief_words(belief, matters.known(belief)))
        }
    return found


Places = dict[str, list[int]]
"""The places in a list of beliefs, by word or by subject."""


def _places(beliefs: Sequence[Version], matters: Matters) -> tuple[Places, Places, dict[uuid.UUID, list[int]]]:
    """Return the places of *beliefs* by word, by subject, and by fact."""
    having, of_subject, of_fact = Places(), Places(), dict[uuid.UUID, list[int]]()
    for place, belief in enumerate(beliefs):
        of_fact.setdefault(belief.fact, []).append(place)
        of_subject.setdefault(normal(belief.subject), []).append(place)
        for word in belief_words(belief, matters.known(belief)):
            having.setdefault(word, []).append(place)
    return having, of_subject, of_fact


def near_things(news: Claim, speaker: str, beliefs: Iterable[Version], matters: Matters, says: Says) -> list[Version]:
    """Return the current beliefs about a thing that is nearly the same as the thing in *news*, by meaning.

    Call it only if *news* ended no belief. News that may be about anybody counts as news about its *speaker*. The
    belief must contain the other words of the news, such as the verb of `taking painkillers`.
    """
    *rest, word = matter_of(news)
    changed_thing = _thing_in(news.object)
    if words_of(changed_thing) != (word,) or not changed_thing.islower() or DATED.match(changed_thing):
        return []
    once = "pass" if news.effect == "finish" else news.effect
    attributed = replace(news, subject=speaker if news.subject == EVERY else news.subject, effect=once)
    found = [(one, thing) for one in beliefs if (thing := _other_thing(attributed, word, rest, one, matters))]
    near = zip(found, says(changed_thing, [thing for _, thing in found]), strict=True)
    return [one for (one, _), nearness in near if nearness >= NEAR_THING]


def _other_thing(news: Claim, word: str, rest: Sequence[str], belief: Version, matters: Matters) -> str:
    """Return the thing in *belief* that *news* may mean by *word*, or an empty text if there is none."""
    known = matters.known(belief)
    belief_stems = belief_words(belief, known)
    if (
        word in belief_stems
        or belief.tense == "future"
        or any(matters.names(one).isdisjoint(belief_stems) for one in rest)
    ):
        return ""
    thing = _thing_in(belief.object or belief.text)
    stems = words_of(thing)
    if not stems or DATED.match(thing) or belief.position == news.source.position:
        return ""
    if not belief.valid.covers(news.valid_from) or not holds(belief, known) or is_due(belief, known):
        return ""
    if known.object in ("person", "place", "organisation") or not matters.is_about_people_of(
        news, belief, belief_stems
    ):
        return ""
    if outlasts(belief, news, (*rest, *stems)) or are_of_one_kind(word, stems[-1]):
        return ""
    return "" if matters.roles(word) and matters.roles(stems[-1]) else thing


@lru_cache(maxsize=4_096)
def _thing_in(text: str) -> str:
    """Return the noun of a text's first phrase: `cello` for `the cello in a band`."""
    return _AFTER_THING.split(text, maxsplit=1)[0].split(" ")[-1]


def occurrence_order(version: Version, occurred: Occurred | None) -> tuple[datetime, int]:
    """Return a sort key for the order in which versions were told: time, then position."""
    return (occurred or {}).get(version.position, BEGINNING), version.position


def _was_before(belief: Version, news: Version, occurred: Occurred | None) -> bool:
    earlier = occurrence_order(belief, occurred) < occurrence_order(news, occurred)
    return earlier and belief.fact != news.fact and belief.valid.covers(news.valid.start)


def _on_same_words(news: Version, beliefs: Sequence[Version], meaning: Meaning) -> Verdict | None:
    """Return the verdict that the news repeats or denies a whole belief, or None."""
    for belief in beliefs:
        if _has_same_words(news, belief) and meaning.get((news.fact, belief.fact), 0.0) >= SAME_MEANING:
            same = denies(news) == denies(belief)
            if not same and is_part(words_of(text_of(news)), belief):
                continue
            return Verdict(news, "same" if same else "contradicted", (belief,))
    return None


def _has_same_words(news: Version, belief: Version) -> bool:
    """Return whether *news* and *belief* are statements about one subject with nearly the same words and numbers."""
    if "typed" in (news.form, belief.form):
        return False
    mine, other = set(words_of(text_of(news))), set(words_of(text_of(belief)))
    return _likeness(news) == _likeness(belief) and len(mine & other) >= SAME_WORDS * len(mine | other)


def _likeness(statement: Version) -> tuple[str, str, frozenset[str]]:
    """Return what is equal in statements with nearly the same words: subject, tense and numbers."""
    return normal(statement.subject), statement.tense, numbers_of(statement)


def _nearest(
    news: Version, beliefs: Sequence[Version], meaning: Meaning, matters: Matters, common: Collection[str]
) -> list[Version]:
    """Return the beliefs about the same people that are nearest to the news.

    If several are equally near, all are returned.
    """
    people = set(words_of(news.subject))
    text = text_of(news)
    over = _INSTEAD_OF.search(text)
    words = [word for word in words_of(over[1] if over else text) if word not in people and word not in common]
    changing = [belief for belief in beliefs if matters.words(belief)]
    shared = matters.shared(words, changing)
    weights = {fact: sum(each.values()) for fact, each in shared.items()}
    least = {fact: NEAR_MEANING if len(each) > 1 else NEAREST_MEANING for fact, each in shared.items()}
    near = [
        belief
        for belief in changing
        if weights.get(belief.fact, 0.0) >= NEAR_WORDS
        and meaning.get((news.fact, belief.fact), 0.0) >= least[belief.fact]
        and _of_same_people(news, belief, matters)
        and not is_part(words, belief)
        and (over or _is_named(text, people, belief, matters))
    ]
    best = max((weights[belief.fact] for belief in near), default=0.0)
    return [belief for belief in near if weights[belief.fact] == best]


def _is_named(text: str, people: Collection[str], belief: Version, matters: Matters) -> bool:
    """Return whether *belief* contains all words of the thing that ended in *text*, or *text* names no such thing.

    Finishing the vegan cheese ends no other belief about vegan food.
    """
    things = [set(words_of(thing or done)).difference(people) for thing, done in _NAMED.findall(text)]
    return not things or any(matters.names_all(thing, belief) for thing in things)


def _of_same_people(news: Version, belief: Version, matters: Matters) -> bool:
    belief_stems = belief_words(belief, matters.known(belief))
    return about_same_people(news.subject, text_of(news), belief, belief_stems, matters.predicates)
