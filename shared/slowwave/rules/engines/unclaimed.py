"""Says why no rule made the claim that a failed case misses, for the author of the case."""

from collections.abc import Iterator, Sequence
from itertools import islice

from slowwave.domain.episode import StoredEpisode
from slowwave.formatting import counted
from slowwave.rules import sentence_splitting
from slowwave.rules.compiling import RulePattern
from slowwave.rules.matching import MOST_CLAUSES, Matcher, listens, sense_of
from slowwave.rules.sentence_splitting import Sentence
from slowwave.validation_messages import nearest

MOST_NAMED = 3
"""The maximum number of rules that are named together."""


def unclaimed(matcher: Matcher, episodes: Sequence[StoredEpisode], belief: str) -> list[str]:
    """Return what stopped the rules that could make the *belief* of a case, or that there is no such rule."""
    claimed = {rule.part.claim.predicate for rule in matcher.rules}
    named = {predicate for predicate in claimed if f" {predicate} " in belief or "{" in predicate}
    if not named:
        meant = (f"{word!r}{near}" for word in belief.split()[1:-1] if (near := nearest(word, claimed)))
        return [f"no rule claims {next(meant, 'a predicate of this belief')}"]
    if reasons := list(dict.fromkeys(_reasons(matcher, episodes, belief))):
        return reasons
    texts = [sentence_splitting.plain(episode.content) for episode in episodes]
    matching = {p.rule.name for text in texts for found, *_ in matcher.matching_clauses(text) for p in found}
    able = dict.fromkeys(rule.name for rule in matcher.rules if rule.part.when and rule.part.claim.predicate in named)
    if not able or not matching.isdisjoint(able):
        return []
    listed = ", ".join([*able][:MOST_NAMED])
    more = f" and {counted(len(able) - MOST_NAMED, 'other rules')}" if len(able) > MOST_NAMED else ""
    return [f"the `when` of {listed}{more} matches no clause of the episodes"]


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
