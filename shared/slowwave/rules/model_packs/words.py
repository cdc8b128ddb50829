"""The words of a claim: compared with the words of the text, searched for negation, and made into a sentence."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from slowwave.core.beliefs.identity import normal
from slowwave.core.predicates import Predicates, english
from slowwave.core.predicates.sentences import filled, subject_of
from slowwave.rules.model_packs.reply_format import ModelClaim
from slowwave.rules.model_packs.times import When
from slowwave.rules.model_packs.transcript import CLAUSE_ENDS
from slowwave.word_lists import patterns, word_lists

EMPTY = english.FUNCTION_WORDS | word_lists("phrases")["empty"]
"""Function words of the common languages. A model cannot invent them."""
NUMBERS = {word: str(number) for word, number in english.NUMBERS.items()}
STEM = 4
"""The least number of letters that two forms of a word share: `relax` and `relaxing`, but never `tea` and `team`."""
_SHORTEST = 3
"""The least number of letters of a word that may have a plural: `cat`, but never `a`."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SPACELESS = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_ADDED = re.compile(r",? (?:with|together with|as|who|which) ", re.IGNORECASE)
_ANSWERS = patterns("phrases")
YES = re.compile(rf"\W*(?:{_ANSWERS['yes']})\b", re.IGNORECASE)
NO = re.compile(rf"\W*(?:{_ANSWERS['no']})\b", re.IGNORECASE)
_DENIED = re.compile(
    r"\b(?:not|never|no longer|no more|nobody|nothing|without|hardly|\w+n't|nicht|kein\w*|nie|ne|pas)\b"
)
_NOT = ("never", "no longer", "no more")
_DENIED_NEXT = re.compile(r"\b(?:not|never|no longer|\w+n't)\s+((?:really |even |ever )?\w+)")
_DENIED_NOTHING = re.compile(
    r"\b(?:can't|cannot|can not|couldn't|could not|hardly) (?:wait|help|be happier|believe|get enough|agree more)\b"
    r"|\b(?:not|never) since\b|\bnicht (?:mehr )?seit\b|\bnot only\b|\bnicht nur\b"
    r"|\bkann(?:'s| es)? (?:nicht|kaum) erwarten\b"
)
"""Negations that do not deny the words after them: "I cannot wait" is an affirmation."""
_CONTRAST = re.compile(r", not (?:an? |the |in |on |at )?(\w+)")
_ENDED = re.compile(
    r"\b(?:stop\w*|quit\w*|gave up|lost|lack\w*|avoid\w*|dislike\w*|hate\w*|refus\w*|instead of|rather than)\b"
)
SHORT = 2
"""The maximum number of words of an object that is only a thing. The registry has the sentence for such an object."""
_OWN = re.compile(r"\{subject\} ([\w ]+) \{(?:an_|to_do_|place_)?object\}")
_VERB = re.compile(r"\w*[^\Ws]s(?: (?:at|for|in|on))?|\w+ed")
_NO_VERB = re.compile(r"(?:\w*[aeiouy]\w*ing|\w+ly|an?|the|her|his|their|every)\b")
_STATE = re.compile(
    r"\w+(?:ed|ful|less|ous|able|ible)|pregnant|single|ill|sick|well|fit|blind|deaf|alone|happy|sad|free|busy|away|home"
)
"""A word for a state, which has no article: a person is `retired`."""
_RELATED_CLAUSE = re.compile(r", | (?=(?:(?:with|of|to) )?wh(?:o|om|ose|ich)\b)")
_PLAIN = str.maketrans("_", " ", "{}")


def content(text: str) -> list[str]:
    """Return the content words of *text*, in order, in lower case.

    >>> content("She is from Nora's town")
    ['nora', 'town']
    """
    return [word for word in map(_bare, _WORD.findall(text)) if word not in EMPTY]


def names(text: str) -> list[str]:
    """Return the words of *text* that are written like names or numbers, in lower case.

    >>> names("went to Oslo on 3 May")
    ['oslo', '3', 'may']
    """
    found = (word for word in _WORD.findall(text) if word[0].isupper() or any(one.isdigit() for one in word))
    return [word for word in map(_bare, found) if word not in EMPTY]


def _bare(word: str) -> str:
    small = word.casefold().replace("’", "'")
    return small.partition("'")[0] if small.endswith(("'s", "'")) else small.replace("'", "")


def _words_of(text: str) -> frozenset[str]:
    words = {_bare(word) for word in _WORD.findall(text.casefold())}
    return frozenset(words | {part for word in words if "-" in word for part in word.split("-")})


def name_of(predicate: str) -> str:
    """Return a predicate in its registered form: `lives in` becomes `lives_in`."""
    return "_".join(re.findall(r"\w+", predicate.casefold().replace("_", " ")))


def head_of(name: str) -> str:
    """Return the name of a person, a place or the like, without the words that a clause adds to the name.

    >>> head_of("York with her cousin Bex"), head_of("Avonside Court in Keynsham")
    ('York', 'Avonside Court in Keynsham')
    """
    return _ADDED.split(name, maxsplit=1)[0]


class Lexicon:
    """The words of texts. Each text is split only once."""

    def __init__(self) -> None:
        self._known: dict[str, frozenset[str]] = {}

    def of(self, texts: Iterable[str]) -> "SourceWords":
        """Return the words of all *texts* together."""
        given = list(texts)
        for text in given:
            if text not in self._known:
                self._known[text] = _words_of(text)
        return SourceWords(given, frozenset().union(*(self._known[text] for text in given)))


class SourceWords:
    """The words of *texts*."""

    def __init__(self, texts: Sequence[str], words: frozenset[str] | None = None) -> None:
        self._texts = texts
        self.words = frozenset().union(*map(_words_of, texts)) if words is None else words
        self._stems: dict[str, list[str]] | None = None

    def has(self, word: str) -> bool:
        """Return whether the text contains *word*, which is in lower case. `two` and `2` are the same word.

        In a script without spaces, *word* may be a part of a longer text.
        """
        if word in self.words or NUMBERS.get(word, word) in self.words:
            return True
        if _SPACELESS.search(word):
            return any(word in text.casefold() for text in self._texts)
        return any(NUMBERS.get(other) == word for other in self.words) if word.isdigit() else False

    def has_form(self, word: str) -> bool:
        """Return whether the text contains any form of *word*."""
        if self.has(word) or (len(word) >= _SHORTEST and (self.has(word.removesuffix("s")) or self.has(f"{word}s"))):
            return True
        return len(word) >= STEM and any(_akin(word, other) for other in self._like(word[:STEM]))

    def _like(self, beginning: str) -> Sequence[str]:
        if self._stems is None:
            self._stems = {}
            for word in self.words:
                self._stems.setdefault(word[:STEM], []).append(word)
        return self._stems.get(beginning, ())

    def share(self, words: Sequence[str]) -> float:
        """Return the share of *words* that the text contains in some form; 1 if *words* is empty."""
        return sum(map(self.has_form, words)) / len(words) if words else 1.0


def _akin(one: str, other: str) -> bool:
    """Return whether two words differ only in their endings: in at most three letters, or in a plural s."""
    if one.removesuffix("s") == other.removesuffix("s"):
        return True
    shared = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    shorter, longer = sorted((len(one), len(other)))
    return shared >= max(STEM, shorter - 3) and longer - shared <= 5


def affirmed(quote: str, claim: ModelClaim) -> str:
    """Return the clauses of a quotation that affirm the object: "I eat fish" in "I'm no vegetarian, I eat fish"."""
    wanted = content(claim.object)
    clauses = [clause for clause in CLAUSE_ENDS.split(quote) if any(map(SourceWords([clause]).has_form, wanted))]
    return " , ".join(clauses) or quote


def denies(claim: ModelClaim) -> bool:
    """Return whether the claim itself is negative."""
    return bool(_denials(_claim(claim)))


def further_denials(quote: str, claim: ModelClaim) -> bool:
    """Return whether the quotation has more negations than the claim; see `_denials`. `X, not Y` does not negate X."""
    text = _claim(claim)
    denied = _denials(_CONTRAST.sub(lambda found: found[0] if SourceWords([text]).has_form(found[1]) else "", quote))
    return not denied <= _denials(text) + Counter({"not": len(_ENDED.findall(text))})


def negates(quote: str, claim: ModelClaim) -> bool:
    """Return whether the quotation negates the verb of an affirmative claim."""
    text = _claim(claim)
    if _denials(text) or _ENDED.search(text):
        return False
    verbs = content(claim.predicate.replace("_", " "))[:1]
    return any(SourceWords([found[1]]).has_form(verb) for found in _DENIED_NEXT.finditer(quote) for verb in verbs)


def _claim(claim: ModelClaim) -> str:
    return normal(f"{claim.predicate.replace('_', ' ')} {claim.object}")


def _denials(text: str) -> Counter[str]:
    """Return the negations in *text* with their counts. `isn't`, `never` and `no longer` count as the same negation."""
    found = _DENIED.findall(_DENIED_NOTHING.sub(" ", text))
    return Counter("not" if word.endswith("n't") or word in _NOT else word for word in found)


@dataclass(frozen=True, slots=True)
class Wording:
    """A maker of sentences for the claims of a conversation.

    *predicates* is the registry; *called* is the user's name.
    """

    predicates: Predicates
    called: str | None

    def text(self, subject: str, predicate: str, verb: str, object_: str, when: When) -> str:
        """Return the sentence of a claim.

        *predicate* is in its registered form; *verb* is in the words of the model.
        """
        verb = " ".join(verb.translate(_PLAIN).split())
        words = when.words if SourceWords([object_]).share(content(when.words)) < 1 else ""
        says = self.predicates.of(predicate).says
        if not says or _is_own(says, verb, object_) or self._is_another(predicate, verb):
            says = f"{{subject}} {verb} {{object}}"
        elif says == "{subject} {does_object}" and _NO_VERB.match(object_):
            says = "{subject} is in the habit of {object}"
        elif says == "{subject} is {an_object}" and _STATE.fullmatch(object_):
            says = "{subject} is {object}"
        thing, more = self.parted(predicate, object_)
        called = subject_of(subject, self.called, object_)
        thing, more = (thing, more + when.dated) if more else (thing + when.dated, "")
        text = filled(says, subject=called, object=thing, rest=self.predicates.rest(predicate)) + _clause_text(more)
        return f"{text} {words}" if words else text

    def _is_another(self, predicate: str, verb: str) -> bool:
        """Return whether *verb* says more than the verb of *predicate*: to love is more than to like.

        Single-valued predicates always have the same sentence.
        """
        known = self.predicates.of(predicate)
        own = None if known.single_valued else _OWN.fullmatch(known.says or "")
        if own is None or own[1].startswith("is ") or verb.replace(" ", "_") not in known.aliases:
            return False
        return _VERB.fullmatch(verb) is not None

    def parted(self, predicate: str, object_: str) -> tuple[str, str]:
        """Return the related person, and separately the words about this person after a comma or in a clause."""
        found = _RELATED_CLAUSE.search(object_) if "{subject}'s" in (self.predicates.of(predicate).says or "") else None
        end = found.start() if found else len(object_)
        return object_[:end], object_[end:]


def _clause_text(more: str) -> str:
    return filled("{subject}{object}", subject="", object=more)


def _is_own(says: str, verb: str, object_: str) -> bool:
    """Return whether the registry's sentence has the model's verb, and the object has more than `SHORT` words."""
    found = _OWN.fullmatch(says)
    return found is not None and found[1] == verb and len(object_.split()) > SHORT
