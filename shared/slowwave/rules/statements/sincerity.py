"""The sincere sentences of a text, without jokes, fiction, and texts to translate or edit."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from slowwave.rules import sentence_splitting
from slowwave.rules.sentence_splitting import Sentence
from slowwave.rules.statements.words import LISTS, these

_BETWEEN = re.compile(r"\[[^\[\]\n]{0,300}\]|[\u2600-\u27bf\U0001f000-\U0001faff]\ufe0f?")
"""Text between sentences: brackets or an emoji."""
MOST_SENTENCES = 300
"""The maximum number of sentences that are read of one episode, as many as in a long letter. Later ones are skipped."""

_NOT_NAMES = LISTS["no names of speakers"]
_ORDER = re.compile(
    r"(?:please |can you |could you )?(?:translate|rewrite|rephrase|proofread|paraphrase|summari[sz]e|transcribe|write"
    r"|compose|draft|correct|fix|repeat|complete)\b",
    re.IGNORECASE,
)
_JOKE = re.compile(
    r"(?<!no )(?<!not )\b(?:kidding|joking|jk)\b|\b(?:yeah,? right|said no one|sarcasm)\b|(?:^|\s)/s\b", re.IGNORECASE
)
_JOKING = ("kidding", "joking", "jk", "right", "no one", "sarcasm", "/s")
"""Words for a quick test, which takes a tenth of the time. Every joke marker contains one of these words."""
_TAKEN_BACK = re.compile(r"\W*(?:(?:lol|haha|i'm|im|just|only|jk)\W+)*(?:kidding|joking|jk)\b", re.IGNORECASE)
_QUOTING = re.compile(
    r"(?:\b(?i:my|our|the|his|her|some|an?)(?: [\w'-]+){1,3}|\b[A-Z]\w+)(?: just| also)? (?:said|says|told|tells|wrote"
    r"|writes|texted|texts|messaged|emailed|replied|announced|shouted|posted|confessed|admitted|called|cried|explained"
    r"|complained|goes)(?: (?:me|us|everyone|to me|to us|back|yesterday|today|last night|this morning)){0,2}: ?"
    r"(?i:I|my|we|our)\b"
)
"""The beginning of a quotation, in which `I` is another person."""
_FICTION = re.compile(
    r"in (?:the|a|my|this|our) (?:story|tale|novel|dream|game|film|movie|book|song|poem)\b"
    r"|.{0,60}\b(?:my character|the protagonist|once upon a time|role-?play)",
    re.IGNORECASE,
)
_FOREIGN = LISTS["foreign"]
"""Function words of other languages; two of them in one sentence show that it is not English."""
_ENGLISH = these("the and i i'm is are my it it's to of have you that was for with but they we not do on at be a")
_FICTION_OPENINGS = ("in ", "character", "protagonist", "once upon", "role")
"""Words for a quick test. Every opening of fiction contains one of these words."""


def sincere_text(content: str) -> str:
    """Return an episode's *content* in the same length: normalised, and with blanks for the text between sentences."""
    text = sentence_splitting.plain(content)
    return text if text.isascii() and "[" not in text else _BETWEEN.sub(lambda found: "\n" * len(found[0]), text)


def sentences(text: str) -> Iterator[Sentence]:
    """Return the sincere sentences of a plain *text*. After a request to translate or edit text, there are none.

    >>> [one.text for one in sentences("I live in Narnia. Just kidding! I live in Oslo. Translate: I own a castle.")]
    ['I live in Oslo.']
    """
    low = text.lower()
    may_joke, may_tell_a_tale = any(word in low for word in _JOKING), any(word in low for word in _FICTION_OPENINGS)
    found: list[Sentence | None] = [*islice(sentence_splitting.sentences(text, _NOT_NAMES), MOST_SENTENCES), None]
    for sentence, following in pairwise(found):
        if sentence is None or (_ORDER.match(sentence.text) and (following is None or ":" in sentence.text)):
            return
        jokes = may_joke and (_JOKE.search(sentence.text) or (following and _TAKEN_BACK.match(following.text)))
        quotes = ":" in sentence.text and _QUOTING.search(sentence.text)
        if not (jokes or quotes or (may_tell_a_tale and _FICTION.match(sentence.text))):
            yield sentence


def is_other_language(low: Sequence[str]) -> bool:
    """Return whether *low* are words of another language than English. Two function words are enough."""
    return not _FOREIGN.isdisjoint(low) and sum(word in _FOREIGN for word in low) > 1


def is_all_other_language(text: str) -> bool:
    """Return whether a whole turn is in another language than English, by its function words."""
    words = text.lower().split()
    if _FOREIGN.isdisjoint(words):
        return False
    others = sum(word in _FOREIGN for word in words)
    return others > 2 and others > sum(word in _ENGLISH for word in words)
