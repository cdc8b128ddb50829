"""Claims from the matches of a rule: templates are filled, objects are cleaned, and worthless objects are rejected."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import re2

from slowwave.core.contradiction.reported_changes import ENDING
from slowwave.core.predicates.english import PAST_VERB
from slowwave.domain.episode import StoredEpisode
from slowwave.rules.compiling import Rule, RulePattern
from slowwave.rules.dates import period
from slowwave.rules.pack_schema import FIELD, TidyPart
from slowwave.rules.regexes import PatternSet, compiled
from slowwave.rules.sentence_splitting import Sentence

LONGEST_VALUE = 120
"""The maximum number of characters of a metadata value in a claim: the first line of an error, no stack trace."""
LONGEST_MORE = 160
"""The maximum number of characters of a text after an object that may add to the object."""
_EDGES = " \t\r\n,;:!?.\"'()[]*~_\u2026\u201c\u201d\u00ab\u00bb-\u2013\u2014"
_BETWEEN = compiled(r",? +(?:and|&|or) +|, *")
_WHICH = re2.compile(
    r"^ (?:(?:in|on|at|near|to|with|of|from|for|by) ((?:the )?[A-Z][\w'-]+(?: [A-Z][\w'-]+)*)"
    r"|(?:from|on|off) (?:my|our|the) (?:(?:work|old|new) )?(?:laptop|desktop|tablet|ipad|computer|pc|watch|tv)\b)"
)
_WE = re2.compile(r"(?i)we\b")
_WHOLE = ("{object}", "amount of {object}")
"""The object templates of news in which the object is the thing itself."""
_FIRST_PERSON = re.compile(r"\b(?:i|we|my|our|me|us)\b", re.IGNORECASE)
_I_DID = re.compile(r"\b(?:i|we)\b", re.IGNORECASE)
_NO_NAME = re.compile(
    rf"(?:{PAST_VERB}|\w+ly|just|today|yesterday|now|still|also|never|last|then|already|got|and|but|so)", re.IGNORECASE
)
_ANOTHER_DOES = re.compile(
    r"(?:(?:so|and|but|well|oh|btw|also|then|yesterday|today),? )*"
    r"(?:(?P<name>(?-i:[A-Z])[\w'-]+)(?: (?-i:[A-Z])[\w'-]+)?|he|she|they"
    r"|(?:my|our|his|her|their|the) (?:\w+ ){0,2}?\w+)"
    rf"(?:'s|'ve)? (?:\w+ly |just |also |still )?(?:has|had|is|was|are|were|will|does|\w{{2,}}s|{PAST_VERB})\b",
    re.IGNORECASE,
)


class TemplateValues(NamedTuple):
    """The values for the slots of a template, found in an episode."""

    speaker: str
    groups: Mapping[str, str | None]
    object: str | None
    when: str | None
    metadata: Mapping[str, Any]

    def of(self, rule: Rule, name: str) -> str | None:
        """Return the value of the slot *name*; None if the slot has no value."""
        if name == "user":
            return self.speaker
        if name == "object":
            return self.object
        if name == "who" and self.groups.get("relative"):
            return f"{self.speaker}'s {self.groups['relative']}"
        if name.startswith("metadata."):
            return _short(self.metadata.get(name.removeprefix("metadata.")))
        if rule.part.when_time and name == rule.part.when_time.group:
            return self.when
        return self.groups.get(name)


def filled_claim(rule: Rule, values: TemplateValues, not_names: frozenset[str]) -> tuple[str, str, str] | None:
    """Return subject, predicate and object; None if a slot is empty or the subject is not a name."""
    claim = rule.part.claim
    if claim.subject == "user":
        subject: str | None = values.speaker
    else:
        subject = _filled(claim.subject, lambda name: values.of(rule, name))
        named = "{user}" not in claim.subject and not values.groups.get("relative")
        if subject and named and not not_names.isdisjoint(subject.casefold().split()):
            return None
    predicate = _filled(claim.predicate, lambda name: _slug(values.of(rule, name)))
    object = _filled(claim.object, lambda name: values.of(rule, name))
    if not subject or not predicate or object is None:
        return None
    return subject, predicate, object


def _filled(template: str, value: Callable[[str], str | None]) -> str | None:
    if "{" not in template:
        return template
    found = {name: value(name) for name in FIELD.findall(template)}
    if not all(found.values()):
        return None
    return " ".join(FIELD.sub(lambda match: found[match[1]] or "", template).split())


def _short(value: Any) -> str | None:
    if value is None or isinstance(value, dict | list):
        return None
    line = next((line.strip() for line in str(value).splitlines() if line.strip()), "")
    return line if len(line) <= LONGEST_VALUE else line[: LONGEST_VALUE - 1] + "…"


def _slug(words: str | None) -> str | None:
    """Return *words* as a part of a predicate: `Ice cream` becomes `ice_cream`."""
    text = "".join(character if character.isalnum() else " " for character in (words or "").casefold())
    return "_".join(text.split()) or None


class ObjectCleanup:
    """A pack's rules that clean objects."""

    def __init__(self, part: TidyPart) -> None:
        self._more, self._no_more = PatternSet(part.more), PatternSet(part.no_more)
        self._lead = [compiled(f"^(?:{pattern})") for pattern in part.lead]
        self._cuts = {"light": PatternSet(part.cut), "full": PatternSet([*part.cut, *part.trim])}
        self._refuse = PatternSet(part.refuse)
        self._longest = part.longest

    def object(self, clause: Sentence, start: int, end: int, rule: Rule) -> tuple[tuple[int, int], str] | None:
        """Clean the object that *rule* found in *clause* from *start* to *end*; return its span and words, or None.

        None means that the object is rejected. If the rule has *more*, a text that adds to the object becomes part of
        the object. A vague object without such a text is rejected.
        """
        found = self._span(clause.text, start, end, rule)
        if found is None:
            return None
        words, text = clause.text[slice(*found)], clause.text + clause.after
        if rule.part.more and (more := self._goes_on(text, found[1]) or self._goes_on(text, end)):
            last = trimmed(text, *more)[1]
            return (found[0], last), words + text[more[0] : last]
        return None if rule.is_vague(words) else (found, words)

    def _span(self, text: str, start: int, end: int, rule: Rule) -> tuple[int, int] | None:
        start, end = trimmed(text, start, end)
        if rule.part.tidy != "none":
            start, end = self._shorter(text, start, end, self._cuts[rule.part.tidy])
            for expression in self._lead:
                if found := expression.search(text[start:end]):
                    start, end = trimmed(text, start + found.end(), end)
            if self._refuse.hits(text[start:end]):
                return None
        if start == end or end - start > self._longest or rule.refuses(text[start:end]):
            return None
        return start, end

    def _goes_on(self, text: str, end: int) -> tuple[int, int] | None:
        """Return the span of the text that adds to an object ending at *end*. Excluded texts are skipped."""
        rest = text[end : end + LONGEST_MORE]
        for number in self._more.candidates(rest):
            expression = self._more.expressions[number]
            found = expression.match(rest)
            if found and not self._no_more.hits(found["more"]):
                begin, last = found.span(expression.groupindex["more"])
                return end + begin, end + last
        return None

    def _shorter(self, text: str, start: int, end: int, cuts: PatternSet) -> tuple[int, int]:
        before = None
        while before != end:  # after one cut, another cut may match: "tea a lot with"
            before = end
            for number in cuts.candidates(text[start:end]):
                if cut := cuts.expressions[number].search(text[start:end]):
                    start, end = trimmed(text, start, start + cut.start())
        return start, end


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span without spaces and punctuation at its ends. A title keeps the punctuation mark at its end."""
    words = text[start:end].rstrip(_EDGES)
    begin = start + len(words) - len(words.lstrip(_EDGES))
    last = start + len(words)
    last += last < end and text[last] == '"' and text.count('"', begin, last) % 2
    return min(begin, last), last


def listed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Return the members of a list in words, such as "Ana, Ben and Cleo", as spans of *text*."""
    begin = start
    for between in _BETWEEN.finditer(text[start:end]):
        yield begin, start + between.start()
        begin = start + between.end()
    yield begin, end


def possessive(pattern: RulePattern, match: re2._Match) -> str:
    """Return `my ` or `our ` if a reported change is about a thing of the speaker, else an empty text.

    The word goes before the object of the claim: `my dog died` says nothing about other dogs. The object of `we sold`
    also gets `our`.
    """
    number, claim = pattern.groups.get("object"), pattern.rule.part.claim
    if number is None or not claim.effect or claim.subject != "*":
        return ""
    before, whole = match.string[: match.start(number)].casefold(), claim.object in _WHOLE
    if before.endswith("my ") or not whole:
        return "my " if before.endswith("my ") and (whole or claim.object.endswith(": {object}")) else ""
    return "our " if before.endswith("our ") or _WE.match(match[0]) else ""


def which_of(pattern: RulePattern, match: re2._Match, episode: StoredEpisode) -> str:
    """Return the words after an object that identify it: ` in Bow Street` in `gave up the garage in Bow Street`."""
    number = pattern.groups.get("object")
    if number is None or pattern.rule.part.claim.effect not in ENDING:
        return ""
    found = _WHICH.search(match.string[match.end(number) :])
    return found[0] if found and not (found[1] and period(found[1], episode.local, "past")) else ""


def is_deed_of_another(pattern: RulePattern, match: re2._Match, before: str) -> bool:
    """Return whether words without a subject report another person's action. *before* is the text before these words.

    The words `sold the boat` alone report an action of the speaker. The words `Ben plays chess and sold the boat`
    report an action of Ben.
    """
    claim = pattern.rule.part.claim
    if not before.strip() or claim.mode != "end" or claim.subject not in ("user", "{user}"):
        return False
    named = match.start(pattern.groups["object"]) if pattern.groups.get("object") else match.end()
    if _FIRST_PERSON.search(match.string[match.start() : named]) or _I_DID.search(before):
        return False
    found = _ANOTHER_DOES.match(before)
    return found is not None and not (found["name"] and _NO_NAME.fullmatch(found["name"]))
