"""Matches of rules in one episode. This code is pure: the same episode always gives the same findings."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import re2

from slowwave.core.contradiction.people import is_mine
from slowwave.core.contradiction.reported_changes import MOVING
from slowwave.domain.claim import CONFIDENCE, Certainty, Source, StatedMode
from slowwave.domain.episode import StoredEpisode
from slowwave.rules import sentence_splitting
from slowwave.rules.claim_cleanup import (
    ObjectCleanup,
    TemplateValues,
    filled_claim,
    is_deed_of_another,
    listed,
    possessive,
    trimmed,
    which_of,
)
from slowwave.rules.compiling import Cuts, Effect, Level, Rule, RulePattern, RulePatterns, rules_of
from slowwave.rules.dates import Direction, Period, begun, direction, ended, period
from slowwave.rules.pack_schema import PackPart, TurnPart
from slowwave.rules.regexes import PatternSet
from slowwave.rules.sentence_splitting import Sentence

MOST_CLAUSES = 3_000
"""The maximum number of clauses that are read of one episode, as many as a book has. Later clauses are skipped."""
MOST_CUTS = 50
"""The maximum number of cuts of one sentence. The text after these cuts is not cut."""
MOST_DATES = 100
"""The maximum number of dates that are resolved in one episode, because this step is the slowest."""


Sense = tuple[TurnPart | None, Certainty, float]
"""The turn, the certainty and the confidence of a rule."""


class Finding(NamedTuple):
    """A statement found by one rule, with the span of its words, the span of the object (*core*), and its sentence.

    *rank* is the number of the rule in the pack. *wrong* is the object that the sentence denies. *asked* cites the
    question that the statement answers. *since* is the time when the statement became true or ended, with True if no
    second claim begins at the turn; None if the words name no such time or the rule itself reads the date. *owner* is
    the speaker if a thing called `my` changed.
    """

    rule: Rule
    rank: int
    statement: tuple[str, str, str]
    turn: TurnPart | None
    certainty: Certainty
    confidence: float
    time: Period | None
    start: int
    end: int
    core: tuple[int, int]
    sentence: int
    wrong: str = ""
    asked: Source | None = None
    since: tuple[Period, bool] | None = None
    owner: str = ""

    def mode(self, *, single_valued: bool) -> StatedMode:
        """Return the mode of the statement, for a predicate with a single value or with many values.

        With many values, "Actually, I like tea" asserts. "Actually no, I like tea" and "I like tea, not coffee" are
        corrections.
        """
        part, turn = self.rule.part, self.turn
        if part.claim.mode != "assert":
            return part.claim.mode
        if turn is None:
            return "correct" if self.wrong and "correct" in part.turns else "assert"
        certain = single_valued or turn.many or bool(self.wrong)
        return "assert" if turn.mode == "correct" and not certain else turn.mode


class Matcher:
    """Applies a pack's rules to episodes."""

    def __init__(self, pack: PackPart) -> None:
        self.rules = rules = rules_of(pack)
        self.patterns = RulePatterns(rules)
        self._wordless = [rule for rule in rules if not rule.part.when and not rule.part.asked]
        self._sentence, self._clause = Level(pack, "sentence"), Level(pack, "clause")
        self._breaks, self._splits = Cuts(pack.breaks), Cuts(pack.splits)
        self._cuts = PatternSet([*pack.breaks, *pack.splits])
        self._instead = PatternSet(pack.instead)
        self.tidy = ObjectCleanup(pack.tidy)
        self.not_names = frozenset(name.casefold() for name in pack.not_names)
        self._heard = {(role, kind) for rule in rules for role in rule.part.roles for kind in rule.part.kinds}

    def findings(self, episode: StoredEpisode) -> Iterator[Finding]:
        """Return the findings of the rules in *episode*. Several rules may find the same statement."""
        if (episode.role, episode.kind) in self._heard:
            yield from self._stated(episode)
            yield from self._spoken(episode)

    def effects(self, sentence: str, clause: str | None = None) -> list[Effect]:
        """Return the effects of all guards and turns (`TurnPart`) that match *sentence* or its *clause*.

        Without *clause*, the whole sentence counts.
        """
        return [*self._sentence.effects(sentence), *self._clause.effects(sentence if clause is None else clause)]

    def _stated(self, episode: StoredEpisode) -> Iterator[Finding]:
        """Give the findings from metadata alone. Such a finding cites the whole content."""
        for rank, rule in enumerate(self._wordless):
            if not listens(rule, episode):
                continue
            values = TemplateValues(speaker_of(episode, None), {}, None, None, episode.metadata)
            made = filled_claim(rule, values, self.not_names)
            start, end = trimmed(episode.content, 0, len(episode.content))
            if made:
                sense = (None, rule.part.certainty, rule.confidence)
                yield Finding(rule, rank, made, *sense, None, start, end, (start, end), 0)

    def _spoken(self, episode: StoredEpisode) -> Iterator[Finding]:
        """Give the findings from the words. A quick test skips most texts, and most sentences of the other texts."""
        text = sentence_splitting.plain(episode.content)
        if not self.patterns.may_match(text):
            return
        quoted = sentence_splitting.Quotations(text)
        dates: dict[tuple[str, Direction | None], Period | None] = {}
        for patterns, clause, sentence in islice(self.matching_clauses(text), MOST_CLAUSES):
            if len(dates) > MOST_DATES:
                return
            yield from self._read(patterns, clause, sentence, quoted, dates, episode)

    def matching_clauses(self, text: str) -> Iterator[tuple[list[RulePattern], Sentence, Sentence]]:
        """Give each clause that rules match, with the matching expressions and the sentence of the clause."""
        for whole in sentence_splitting.sentences(text, self.not_names):
            if not self.patterns.may_match(whole.text):
                continue
            for clause, sentence in self._clauses(whole) if self._cuts.hits(whole.text) else ((whole, whole),):
                if patterns := self.patterns.at(clause.text):
                    yield patterns, clause, sentence

    def _clauses(self, whole: Sentence) -> Iterator[tuple[Sentence, Sentence]]:
        for sentence in _pieces(whole, self._breaks):
            for clause in _pieces(sentence, self._splits):
                yield clause, sentence

    def _read(
        self,
        patterns: Iterable[RulePattern],
        clause: Sentence,
        sentence: Sentence,
        quoted: sentence_splitting.Quotations,
        dates: dict[tuple[str, Direction | None], Period | None],
        episode: StoredEpisode,
    ) -> Iterator[Finding]:
        around: list[Effect] | None = None
        wrong: str | None = None
        for pattern in patterns:
            rule = pattern.rule
            if not listens(rule, episode):
                continue
            if rule.is_excluded(sentence.text):
                continue
            if around is None:
                around = self.effects(sentence.text, clause.text)
            sense = sense_of(rule, around)
            if sense is None:
                continue
            for match in pattern.expression.finditer(clause.text):
                start = trimmed(clause.text, *match.span())[0] + clause.start
                before = sentence.text[: clause.start - sentence.start + match.start()]
                if quoted.hold(start) or is_deed_of_another(pattern, match, before):
                    continue
                time = _time(pattern, match, dates, episode)
                if time is None and rule.part.when_time and rule.part.when_time.required:
                    continue
                since = _since(pattern, match, episode) if time is None else None
                if time and time.implied:
                    sense = (sense[0], min(sense[1], "implied", key=CONFIDENCE.__getitem__), sense[2])
                mine, which = possessive(pattern, match), which_of(pattern, match, episode)
                for core, end, made in self._made(pattern, match, clause, time, episode):
                    wrong = self._wrong(sentence.text) if wrong is None else wrong
                    done, colon, thing = made[2].rpartition(": ")
                    object_ = f"{done}{colon}{mine}{thing}{which}"
                    own = made[0] == "*" and is_mine(object_)
                    yield Finding(
                        rule, pattern.rank, (*made[:2], object_), *sense, time,
                        start, max(end, core[1] + len(which)) + clause.start,
                        (core[0] + clause.start, core[1] + clause.start), sentence.start, wrong, since=since,
                        owner=speaker_of(episode, clause.speaker) if own else "",
                    )  # fmt: skip

    def _wrong(self, text: str) -> str:
        """Return the object that a sentence denies, or an empty text: "coffee" in "I like tea, not coffee"."""
        for number in self._instead.candidates(text):
            if found := self._instead.expressions[number].search(text):
                return str(found["wrong"])
        return ""

    def _made(
        self, pattern: RulePattern, match: re2._Match, clause: Sentence, time: Period | None, episode: StoredEpisode
    ) -> Iterator[tuple[tuple[int, int], int, tuple[str, str, str]]]:
        """Give each statement in *match*, as the span of its object, the end of its cited words, and its three parts.

        For a list of objects, each member has its own statement.
        """
        rule, groups = pattern.rule, {name: match[number] for name, number in pattern.groups.items()}
        speaker, when = speaker_of(episode, clause.speaker), time.text if time else None
        whole = trimmed(clause.text, *match.span())
        if groups.get("object") is None:
            made = filled_claim(rule, TemplateValues(speaker, groups, None, when, episode.metadata), self.not_names)
            if made:
                yield whole, whole[1], made
            return
        span = match.span(pattern.groups["object"])
        for begin, stop in listed(clause.text, *span) if rule.part.each else [span]:
            found = self.tidy.object(clause, begin, stop, rule)
            if found is None:
                continue
            core, words = found
            values = TemplateValues(speaker, groups, words, when, episode.metadata)
            made = filled_claim(rule, values, self.not_names)
            if made:
                yield core, core[1] if span[1] == match.end() else whole[1], made


def listens(rule: Rule, episode: StoredEpisode) -> bool:
    """Return whether *rule* reads episodes with the role, kind and metadata of *episode*."""
    part = rule.part
    if episode.role not in part.roles or episode.kind not in part.kinds:
        return False
    return not part.where or all(
        key in episode.metadata and episode.metadata[key] == wanted for key, wanted in part.where.items()
    )


def speaker_of(episode: StoredEpisode, named: str | None) -> str:
    """Return the person who says "I" in *episode*: the *named* speaker, else the episode's speaker, else the user."""
    return " ".join((named or episode.speaker or "user").split())


def sense_of(rule: Rule, effects: Iterable[Effect]) -> Sense | None:
    """Return the turn (`TurnPart`), certainty and confidence of a rule's claim; None if an effect blocks the claim."""
    turn = next((effect.turn for effect in effects if effect.turn and effect.turn.mode in rule.part.turns), None)
    lifted = {*rule.part.despite, *(turn.lifts if turn else ())}
    active = [effect for effect in effects if effect.id not in lifted]
    if any(effect.blocks for effect in active):
        return None
    doubts = [effect.certainty for effect in active if effect.certainty]
    certainty = min([rule.part.certainty, *doubts], key=CONFIDENCE.__getitem__)
    return turn, certainty, min([rule.confidence, *(CONFIDENCE[doubt] for doubt in doubts)])


def _time(
    pattern: RulePattern,
    match: re2._Match,
    dates: dict[tuple[str, Direction | None], Period | None],
    episode: StoredEpisode,
) -> Period | None:
    part = pattern.rule.part.when_time
    number = pattern.groups.get(part.group) if part else None
    if part is None or number is None or match[number] is None:
        return None
    toward = direction(match.string, *match.span(number)) if part.prefer == "tense" else part.prefer
    key = match[number], toward
    if key not in dates:
        dates[key] = period(match[number], episode.local, toward)
    found = dates[key]
    if found is None or (toward == "past" and found.start > episode.occurred):
        return None
    if toward == "future" and found.end <= episode.occurred:
        return None
    return found


def _since(pattern: RulePattern, match: re2._Match, episode: StoredEpisode) -> tuple[Period, bool] | None:
    """Return when a claim became true or a thing ended, and True if no second claim begins at the turn; or None."""
    number, claim = pattern.groups.get("object"), pattern.rule.part.claim
    if claim.mode == "end" and claim.effect not in MOVING:
        begin, end = match.span(number or 0)
        over = ended(match.string, begin, end, episode.local)
        planned = claim.effect == "drop" and over is not None and over[0].start > episode.occurred
        return None if planned else over
    if number is None or (claim.mode, claim.effect) != ("assert", ""):
        return None
    time = begun(match.string[match.end(number) :], episode.local)
    return (time, True) if time else None


def _pieces(sentence: Sentence, cuts: Cuts) -> Iterator[Sentence]:
    text, start = sentence.text, 0
    for begin, end in sorted(cuts.spans(text, MOST_CUTS)):
        if begin >= start:
            yield Sentence(text[start:begin], sentence.start + start, sentence.speaker)
            start = end
    yield Sentence(text[start:], sentence.start + start, sentence.speaker, sentence.after)
