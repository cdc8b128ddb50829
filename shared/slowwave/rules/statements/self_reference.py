"""Clauses about the speaker, as opposed to clauses about the conversation: thanks, wishes, hearsay."""

from collections.abc import Sequence
from itertools import pairwise

from slowwave.rules.statements import other_subjects, verbs
from slowwave.rules.statements.clauses import Clause
from slowwave.rules.statements.contentless_words import LONG, NAMED, is_named, weight
from slowwave.rules.statements.words import (
    ADVERBS,
    AUXILIARY,
    COORDINATE,
    DANGLING,
    DETERMINERS,
    FIRST,
    GRAMMAR,
    INVERTED,
    LEADING,
    LISTS,
    OF_FIRST,
    PREPOSITIONS,
    QUESTION,
    SECOND,
    SUBORDINATE,
    UNRESOLVED,
    Word,
    these,
)  # fmt: skip

CONDITIONS = these("if unless whether")
DOUBTED = CONDITIONS | these("heard apparently supposedly reportedly would've could've")
_COURTESIES = LISTS["courtesies"]
"""Verbs with which a speaker comments on the talk."""
_REPORTS = these("said says claims claimed reckons thinks")
_PAST_THOUGHTS = these("known seen meant promised believed forgot")
REACTIONS = LISTS["reactions"]
"""Adjectives of a reaction to somebody."""
_TO_TALK = these("check say ask tell thank let catch")
_COURTEOUS = these("good nice cool interesting fun see hear know talk sad")
_LIVED = these("was felt having being seeing")
_BEFORE_NOUN = DETERMINERS | OF_FIRST | {"to"}
_MANY = these("and people kids family parents children folks friends team everyone police")
_OF_TALK = these("hear see know be have help say read find share talk chat support listen")
_OFTEN = (["i", "sometimes", "doubt"], ["i'll", "never", "forget"])
CALLS = these("""let's let lets keep remember imagine check look see take make tell give send don't do here's forget""")
_OF_ALL = these("all can should need must gotta never")
"""*We* with one of these words means people in general."""
_AHEAD = these("i'll we'll will gonna to going")
_VAGUE = these("how that the these those this it what when them all")
TELLS_MUCH = 8
"""The weight from which a clause is kept even if it is a reaction or a courtesy."""
_FELT = these("love hate need want miss")
_NO_VERBS = LISTS["no verbs"]
"""Past forms that, at the start of a sentence, are not verbs with an omitted subject."""
_NO_NOUN = ADVERBS | AUXILIARY | COORDINATE | PREPOSITIONS | SUBORDINATE | these(", ; : what when where why how")
_MODAL = these("must may might should could can will would sounds feels seems")
_CLOSED = _NO_NOUN | GRAMMAR
_UNDER_WAY = these("think plan work look learn try start get go hope wait dream prepare save train")
_GRAMMAR = (GRAMMAR | DANGLING) - SECOND
OWN = these("i i'm i've i'd my me mine myself")
FINITE = these("is was has are were have had do does did can will would isn't wasn't hasn't don't doesn't 's")


def content(words: Sequence[Word]) -> int:
    """Return the number of distinct content words."""
    return len(saying([word.low for word in words]))


def saying(low: Sequence[str]) -> set[str]:
    """Return the content words."""
    return {word for word in low if word not in _GRAMMAR and word[0].isalnum()}


def subject_at(low: Sequence[str]) -> int:
    """Return the index of the subject: after adverbs, and after a phrase of time or place."""
    at = 0
    while at < len(low) and low[at] in ADVERBS:
        at += 1
    if at < len(low) and (low[at] in LEADING or low[at] in PREPOSITIONS or low[at].endswith("day")):
        for place in range(at + 1, min(len(low), at + 8)):
            if low[place] in FIRST:
                return place
            if low[place] in UNRESOLVED or low[place] in SECOND:
                break
    return at


def self_reference(clause: Clause) -> str | None:
    """Return the kind of a clause's reference to the speaker; None if the clause does not refer to the speaker.

    `i` and `we` mean that the speaker is the subject. `elided` means that the subject is omitted. `finds` means that
    the speaker judges something ("it's hard to leave"). `other` means that the clause is about things of the speaker.
    `thing` means a thing of work or home, such as a rent.
    """
    low = clause.low
    at = subject_at(low)
    if at >= len(low):
        return None
    if low[at] in FIRST:
        return "we" if low[at].startswith("we") else "i"
    if not SECOND.isdisjoint(low):
        return None
    if other_subjects.verb_of_thing(clause.words):
        return "thing"
    if low[at] in ("it's", "it") and other_subjects.judged(low[at:]):
        return "finds"
    if other_subjects.moved(low[at:]):
        return "moved"
    if other_subjects.shown(low, opens=not clause.joint) and any(word in OF_FIRST or word in FIRST for word in low):
        return "shows"
    if low[at] in ("mine", "ours", "me", "us") or (low[at] in UNRESOLVED):
        return None
    if _elided(low, at):
        return "elided"
    orphan = verbs.lemma(low[at]) in verbs.BASE and low[at] not in verbs.BASE and not low[at].endswith("ing")
    orphan = orphan and low[at + 1 : at + 2] not in ([","], ["and"])
    orphan = orphan or low[at] in INVERTED or "let's" in low
    orphan = orphan or (low[at] in verbs.BASE and low[at + 1 : at + 2] in (["the"], ["a"], ["an"]))
    own = not OF_FIRST.isdisjoint(low) or _by_first(low[at:])
    return "other" if not orphan and own and _has_verb(low[at:]) else None


def _by_first(low: Sequence[str]) -> bool:
    """Return True for a thing that the speaker acted on: `a film that I wrote was shown`."""
    place = next((at for at, word in enumerate(low) if word in FIRST), 0)
    before = low[max(0, place - 2) : place]
    return len(before) == 2 and before[1] not in _NO_NOUN and before[0] not in FINITE and not verbs.is_past(before[1])


def _has_verb(low: Sequence[str]) -> bool:
    many = next((place for place, word in enumerate(low) if word.endswith("s") or word in _MANY), None)
    return other_subjects.is_short_for_is(low, 0) or any(
        word in FINITE or verbs.is_past(word) or other_subjects.is_short_for_is(low, place + 1)
        or (word.endswith("'s") and word in UNRESOLVED)
        or (low[place] not in _BEFORE_NOUN and _agrees(word, many is not None and many <= place))
        for place, word in enumerate(low[1:])
    )  # fmt: skip


def _agrees(word: str, many: bool) -> bool:
    """Return True for a verb form that agrees with its subject: `my kids love`. *many* means a plural subject."""
    return not word.endswith("ing") and verbs.lemma(word) in verbs.BASE and (many or word not in verbs.BASE)


def _elided(low: Sequence[str], at: int) -> bool:
    after = low[at + 1] if at + 1 < len(low) else ""
    if low[at] in ("been", "gonna"):
        return after != "be" and after not in DETERMINERS and after not in ("ages", "forever", "long")
    if low[at] in _FELT:
        return after not in COORDINATE and after not in ("that", "the", "this", "how", "it")
    if verbs.is_past(low[at]):
        made = after in DETERMINERS and low[at] in ("made", "left")
        return after not in ("me", "us") and (low[at] not in _NO_VERBS or made)
    if not low[at].endswith("ing") or "not" in low[:at] or verbs.lemma(low[at]) not in verbs.BASE or at + 2 >= len(low):
        return False
    if low[at] in ("starting", "beginning") and after in ("next", "tomorrow") and not FIRST.isdisjoint(low):
        return False  # since when the speaker does what follows: `starting next Monday I work from home`
    lone = after not in PREPOSITIONS
    going = (after not in _CLOSED and after[0].isalpha()) if lone else verbs.lemma(low[at]) in _UNDER_WAY
    if going and lone and (_has_verb(low[at:]) or not _MODAL.isdisjoint(low)):
        return False
    cheered = any(after in ("me", "us") and word.endswith("s") for word, after in pairwise(low))
    return going and FINITE.isdisjoint(low) and not cheered


def tells(clause: Clause, kind: str) -> bool:
    """Return whether a clause is worth keeping: no courtesy, reaction, request, hearsay, condition or possibility."""
    low = clause.low
    if (
        any(word in SECOND or word in DOUBTED for word in low)
        or (low[0] in CALLS and kind != "shows")
        or ("each other" in " ".join(low) and weight(clause.words) < TELLS_MUCH)
    ):
        return False
    of_all = low[0] in ("we", "we're") and not _OF_ALL.isdisjoint(low[:4])
    if kind == "we" and of_all and not other_subjects.past(low[:5], perfect=True):
        return False
    if kind == "other":
        return (
            low[0] not in _COURTESIES
            and low[1] not in _REPORTS
            and not _reacts(low)
            and not (OWN.isdisjoint(low) and other_subjects.of_everybody(low))
        )
    if kind == "finds":
        return _of_own(clause)
    if kind in ("moved", "shows", "thing"):
        return True
    verb, rest = main_verb(low)
    lemma = verbs.lemma(verb)
    if (
        (lemma == "want" and rest[:1] == ["to"] and not _TO_TALK.isdisjoint(rest[1:2]))
        or (lemma == "need" and "help" in rest[:2] and weight(clause.words) < NAMED)
        or (lemma == "do" and not REACTIONS.isdisjoint(rest[:1]))
    ):
        return False
    if verb == "meant" and rest[:1] != ["to"]:  # "I meant Lisbon" corrects a word
        return False
    aims = lemma == "hope" and rest[:1] == ["to"] and _OF_TALK.isdisjoint(rest[1:2])
    if (
        (lemma in _COURTESIES and not (aims or verb in _PAST_THOUGHTS or low[:3] in _OFTEN or _did(verb, clause.words)))
        or _only_possible(low)
        or "best" in rest[:3]
    ):
        return False
    if lemma in ("love", "like") and rest and rest[0] in _VAGUE and content(clause.words) < 5:
        return False
    if lemma == "keep" and weight(clause.words) < NAMED and not _AHEAD.isdisjoint(low[:4]):
        return False
    reacts = lemma == "be" and not REACTIONS.isdisjoint(rest[:1])
    return not reacts or (weight(clause.words) >= TELLS_MUCH and not OWN.isdisjoint(low[low.index(rest[0]) :]))


def _did(verb: str, words: Sequence[Word]) -> bool:
    """Return True for a verb of talk that reports an action: `I asked my neighbours to join the choir`."""
    if verb in ("saw", "see", "seen"):
        return weight(words) >= LONG - 1
    return verb in ("asked", "told", "promised", "supported", "thanked") and weight(words) >= TELLS_MUCH


def _reacts(low: Sequence[str]) -> bool:
    """Return True for a reaction without a verb: `glad my journey inspires you`."""
    return low[0] in REACTIONS or (low[0] in PREPOSITIONS and "," not in low)


def _of_own(clause: Clause) -> bool:
    """Return True if a judgement is about the speaker's own matters. `Art is calming` is not about them."""
    low = clause.low
    lived = is_named(clause.words[1:]) or not (_LIVED.isdisjoint(low[:5]) and other_subjects.HARD.isdisjoint(low[:4]))
    return not OWN.isdisjoint(low) or (lived and _COURTEOUS.isdisjoint(low))


def _only_possible(low: Sequence[str]) -> bool:
    """Return True for a clause about a possibility, not a fact."""
    at = subject_at(low)
    helper = next((word for word in low[at + 1 : at + 4] if word not in ADVERBS), "")
    if low[at].endswith("'d"):
        return helper not in ("love", "like", "been", "rather") and not verbs.is_past(helper)
    if (helper in ("may", "might") and "have" in low[:5]) or (helper == "must" and not OWN.isdisjoint(low)):
        return False
    return helper in ("can", "could", "should", "might", "may", "must", "would") and "love" not in low[:5]


def main_verb(low: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the first main verb of a clause, or else its auxiliary; and the words after the verb, without adverbs."""
    after = [
        word
        for word in low[subject_at(low) :]
        if (word not in ADVERBS and word not in ("no", "longer")) or word == "not"
    ]
    if after[1:3] == ["going", "to"] and verbs.is_base(next(iter(after[3:4]), "")):
        return after[3], after[4:]
    helper = ""
    for number, word in enumerate(after):
        if word in FIRST:
            helper = word[word.index("'") :] if "'" in word else ""
            helper = {"'m": "am", "'re": "are", "'ve": "have"}.get(helper, helper)
        elif word in AUXILIARY or word == "not":
            helper = word
        elif verbs.lemma(word) in verbs.BASE:
            return word, after[number + 1 :]
        else:
            return helper or word, after[number:]
    return helper, []


def stands(clause: Clause) -> bool:
    """Return whether a dependent clause is understandable alone: it does not begin with `it` or `she`."""
    low = clause.low
    begin = [word for word in low[:3] if word not in ADVERBS]
    return bool(begin) and begin[0] not in UNRESOLVED and SECOND.isdisjoint(low)


def leads(clause: Clause, after: Clause) -> bool:
    """Return whether a clause is the topic of the one after it: `The roof leaks, but I'm mending it`."""
    low, kind = clause.low, self_reference(after)
    if (
        kind not in ("i", "we")
        or after.joint not in ("but", "so", "and")
        or not tells(after, kind)
        or not stands(clause)
    ):
        return False
    if low[0] in verbs.BASE or low[0] in QUESTION or low[0] in CALLS or low[0] in REACTIONS:
        return False
    return len(low) > 3 and not FINITE.isdisjoint(low) and DOUBTED.isdisjoint(low) and "that" not in low
