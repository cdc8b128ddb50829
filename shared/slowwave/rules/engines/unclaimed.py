"""Says why a rule whose words match made no claim, for the author of a failed case."""

from collections.abc import Iterator, Sequence
from itertools import islice

from slowwave.domain.episode import StoredEpisode
from slowwave.rules import sentence_splitting
from slowwave.rules.compiling import RulePattern
from slowwave.rules.matching import MOST_CLAUSES, Matcher, listens, sense_of
from slowwave.rules.sentence_splitting import Sentence


def unclaimed(matcher: Matcher, episodes: Sequence[StoredEpisode], belief: str) -> list[str]:
    """Return, for each matching rule that could make the *belief* of a case, what stopped the rule."""
    return list(dict.fromkeys(_reasons(matcher, episodes, belief)))


def _reasons(matcher: Matcher, episodes: Sequence[StoredEpisode], belief: str) -> Iterator[str]:
    for episode in episodes:
        clauses = matcher.matching_clauses(sentence_splitting.plain(episode.content))
        for patterns, clause, sentence in islice(clauses, MOST_CLAUSES):
            for pattern in patterns:
                about = f" {pattern.rule.part.claim.predicate} " in belief
                if about and (reason := _reason(matcher, episode, pattern, clause, sentence)):
                    yield f"{pattern.rule.name} matches {clause.text!r}, but {reason}"


def _reason(
    matcher: Matcher, episode: StoredEpisode, pattern: RulePattern, clause: Sentence, sentence: Sentence
) -> str | None:
    rule = pattern.rule
    if not listens(rule, episode):
        return "the rule does not read this role, kind or metadata"
    if rule.is_excluded(sentence.text):
        return "its `unless` matches, too"
    effects = matcher.effects(sentence.text, clause.text)
    if sense_of(rule, effects) is None:
        guards = dict.fromkeys(effect.id for effect in effects if effect.blocks and effect.id not in rule.part.despite)
        return f"a guard stops the rule: {', '.join(guards)}"
    if "object" not in pattern.groups:
        return None
    for match in pattern.expression.finditer(clause.text):
        start, end = match.span(pattern.groups["object"])
        if start >= 0 and matcher.tidy.object(clause, start, end, rule) is None:
            return f"the cleaning rejects the object {clause.text[start:end]!r} (`tidy`, `refuse`, `vague`)"
    return None
