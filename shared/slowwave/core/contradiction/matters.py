"""The test whether news (a claim that reports a change) changes a belief.

News names the thing that changed, its matter. News of `the Spanish course` is about beliefs with the stems of both
words.
"""

import re
import uuid
from collections.abc import Collection, Iterable, Sequence

from slowwave.core.beliefs.identity import normal, text_of
from slowwave.core.beliefs.versions import Version
from slowwave.core.contradiction import belief_state as state
from slowwave.core.contradiction import fulfilment, kinds, nouns, people
from slowwave.core.contradiction.belief_state import BeliefMatter
from slowwave.core.contradiction.habits import is_once, is_taste, outlasts, verb_of
from slowwave.core.contradiction.namesakes import are_apart, is_elsewhere, places_in
from slowwave.core.contradiction.reported_changes import ENDING, GOING, MOVING, head, matter_of
from slowwave.core.contradiction.words import AMOUNTS, PARTS, is_of_looks, is_trouble, over_in, stem, words_of
from slowwave.core.predicates import Predicate, Predicates
from slowwave.core.predicates.english import PAST_VERB
from slowwave.domain.claim import Claim

RARE_ENOUGH = 1.0
"""The least total weight of shared words. One word that only one belief contains is enough."""
SHARED = 0.3
"""The least share of a belief's words that a sentence of change must contain in order to change it."""

_NAMED = ("person", "animal", "place", "language")
"""Kinds of objects that are known by a name, written with a capital letter."""
_FOR_ONESELF = ("partner", "friend", "best_friend")
"""Predicates for people whose relation to somebody does not end when they leave a post."""
_DEED = re.compile(rf"(?:we )?(?:{PAST_VERB})\b", re.IGNORECASE)


class Matters:
    """Compares news with beliefs. *predicates* define which beliefs are permanent and which words name one role."""

    def __init__(self, predicates: Predicates) -> None:
        self.predicates = predicates
        self._names = {stem(name): frozenset(map(stem, names)) for name, names in predicates.roles.items()}
        self._serving = frozenset(map(stem, people.SERVING)) | self._names.keys()

    def names(self, word: str) -> frozenset[str]:
        """Return the stems of all synonyms of a stem, including the stem itself."""
        return self._names.get(word) or frozenset((word,))

    def named(self, words: Iterable[str]) -> frozenset[str]:
        """Return the stems of all synonyms of several stems, including these stems."""
        return frozenset(name for word in words for name in self.names(word))

    def words(self, belief: BeliefMatter) -> frozenset[str]:
        """Return the stems by which to find a belief that news may change; empty if no news can change the belief."""
        known = self.known(belief)
        if not (state.holds(belief, known) or state.is_due(belief, known) or known.object == "person"):
            return frozenset()
        belief_stems = state.belief_words(belief, known)
        belief_stems |= kinds.kinds_in(belief_stems) | kinds.names_used(belief.predicate, belief_stems)
        return belief_stems | (kinds.plan_words(text_of(belief)) if state.is_planned(belief, known) else frozenset())

    def sought(self, news: Claim) -> frozenset[str]:
        """Return the stems by which to find the beliefs that *news* may change."""
        if news.effect != "change":
            return self.names(head(news))
        return self.named(
            word for word in words_of(news.object) if word not in nouns.LIGHT and not state.DATED.match(word)
        )

    def all_words(self, belief: BeliefMatter) -> frozenset[str]:
        """Return all stems that a belief may need for `changes` or `nearest`: one of the stems of `needed`."""
        known = self.known(belief)
        whole, main = state.belief_words(belief, known), state.belief_words(belief, known, main=True)
        used = (kinds.names_used(belief.predicate, stems) for stems in (whole, main))
        return whole.union(main, *used, kinds.plan_words(text_of(belief)), fulfilment.DUE, (fulfilment.AMOUNT,))

    def needed(self, news: Claim) -> frozenset[str]:
        """Return stems of which each belief that *news* may change has one; empty if the belief may have any stems."""
        if news.effect in ("switch", "instead"):
            return frozenset()
        return self.named(words_of(news.object)) if news.effect == "change" else self.names(head(news))

    def roles(self, word: str) -> frozenset[str]:
        """Return all names of the role for which a stem stands; empty if the stem stands for no role."""
        return frozenset(name for name in self.predicates.roles if stem(name) in self._names.get(word, ()))

    def is_due(self, belief: BeliefMatter) -> bool:
        """Return whether a belief is about the future, or about a single day."""
        return state.is_due(belief, self.known(belief))

    def known(self, belief: BeliefMatter) -> Predicate:
        """Return the registered predicate of a belief, or a plain default for a statement."""
        return self.predicates.of(belief.predicate) if belief.form == "typed" else Predicate(belief.predicate)

    def names_all(self, words: Iterable[str], belief: BeliefMatter) -> bool:
        """Return whether a belief contains every stem in *words* or a synonym, except for dates and common words."""
        belief_stems = self.words(belief)
        specific = (
            word
            for word in words
            if word not in nouns.LIGHT and word not in nouns.SIDES and not state.DATED.match(word)
        )
        return all(self.names(word) & belief_stems for word in specific)

    def nearest(self, news: Claim, beliefs: Sequence[Version]) -> list[Version]:
        """Return those of *beliefs* that share the rarest words with *news*; empty if all shared words are too common.

        The more beliefs contain a word, the less it counts. Common words and relative dates do not count.
        """
        holding = {v.fact: v for v in beliefs if state.holds(v, self.known(v)) or state.is_due(v, self.known(v))}
        shared = self.shared(words_of(news.object), list(holding.values()))
        scores = {
            fact: sum(words.values()) for fact, words in shared.items() if self._is_about(news, holding[fact], words)
        }
        best = max(scores.values(), default=0.0)
        return [holding[fact] for fact, score in scores.items() if score == best] if best >= RARE_ENOUGH else []

    def _is_about(self, news: Claim, belief: BeliefMatter, shared: Collection[str]) -> bool:
        """Return whether *news* and *belief* name the same thing and share enough words."""
        known = self.known(belief)
        belief_stems = state.belief_words(belief, known)
        beside = nouns.described(belief) | people.companions(text_of(belief)) | verb_of(belief)
        named = belief.form == "typed" and known.object in ("person", "animal") and words_of(belief.object)
        if named and set(named).issuperset(shared) and not PARTS.search(news.object):
            return False
        if not nouns.PORTIONS.intersection(words_of(news.object)) <= belief_stems:
            return False
        if len(shared) < SHARED * len(self._specific_stems(belief)) or self.named(shared) & belief_stems <= beside:
            return False
        over = over_in(news.object)
        if nouns.introduced(over).issuperset(words_of(over)):
            return False
        if self.named(words_of(over)).isdisjoint(belief_stems - set(words_of(belief.subject))):
            return False
        if is_trouble(text_of(belief)) and is_of_looks(news.object):
            return False
        if self._are_other_roles(news.object, text_of(belief), shared) or is_taste(belief, words_of(news.object)):
            return False
        plan = fulfilment.plan_of(belief)
        of_state = belief.predicate == "be" or ":" in belief.predicate
        if AMOUNTS.search(news.object) and not fulfilment.has_amount(belief) and (plan or not of_state):
            return plan is not None and not plan.verbs.isdisjoint(words_of(news.object))
        again = plan and state.lasts_longer(belief) and not plan.verbs.isdisjoint(words_of(news.object))
        if plan and (again or fulfilment.is_of_another(plan, news.object)):
            return False
        descriptive = nouns.describing(news.object) | nouns.introduced(news.object)
        return not descriptive.issuperset(shared) and self.is_about_people_of(news, belief, belief_stems)

    def is_about_people_of(self, news: Claim, belief: BeliefMatter, belief_stems: frozenset[str]) -> bool:
        """Return whether *news* and *belief* are about the same people, and about things with the same owner."""
        owning = frozenset(words_of(belief.subject)) if belief.form == "typed" else belief_stems
        for owner, owned in nouns.possessions(news.object):
            if owning.isdisjoint(self.named(owner)) or (owned and belief_stems.isdisjoint(self.names(owned))):
                return False
        whole = news.effect == "change"
        deeds = news.effect in ("fulfil", "drop") or (whole and _DEED.match(news.object))
        teams = normal(belief.subject) == "the team" and deeds
        anybodys = teams or (news.effect == "fulfil" and belief.form == "typed")
        if anybodys and people.is_unowned(belief.subject, news.object):
            return True
        return people.about_same_people(news.subject, news.object, belief, belief_stems, self.predicates, whole=whole)

    def _are_other_roles(self, report: str, believed: str, words: Iterable[str]) -> bool:
        """Return whether *words* name different roles in two texts, such as a PhD supervisor and another boss."""
        roles = frozenset(name for word in words for name in self._names.get(word, ()))
        if not roles:
            return False
        mine, its = nouns.qualifying(report, roles), nouns.qualifying(believed, roles)
        return not (mine <= set(words_of(believed)) and its <= set(words_of(report)))

    def _specific_stems(self, belief: BeliefMatter) -> frozenset[str]:
        """Return the specific stems of a belief: those that are neither in its subject, nor dates, nor common words."""
        belief_stems = state.belief_words(belief, self.known(belief)).difference(words_of(belief.subject))
        return frozenset(word for word in belief_stems if word not in nouns.LIGHT and not state.DATED.match(word))

    def shared(self, words: Iterable[str], beliefs: Sequence[Version]) -> dict[uuid.UUID, dict[str, float]]:
        """Return, by fact id, the stems in *words* that the belief contains, each with a weight. Other beliefs are left
        out.

        A word in more beliefs has less weight; synonyms count as one word. Common words and relative dates are left
        out.
        """
        stems_by_fact = {version.fact: state.belief_words(version, self.known(version)) for version in beliefs}
        words = list(words)
        named, having = self.named(words), dict[str, list[uuid.UUID]]()
        for fact, stems in stems_by_fact.items():
            for word in named & stems:
                having.setdefault(word, []).append(fact)
        shared: dict[uuid.UUID, dict[str, float]] = {}
        for word in dict.fromkeys(words):
            if word in nouns.LIGHT or state.DATED.match(word):
                continue
            facts = dict.fromkeys(fact for name in self.names(word) for fact in having.get(name, ()))
            for fact in facts:
                shared.setdefault(fact, {})[word] = 1 / len(facts)
        return shared

    def changes(self, news: Claim, belief: BeliefMatter) -> bool:
        """Return whether *news* changes *belief*.

        The belief must contain all words of the matter (the thing that changed), or synonyms of these words, and must
        be about the same people. The kind of news must fit the kind of belief: a date can move only a dated belief,
        only a plan can be fulfilled, and a permanent belief never ends.
        """
        known = self.known(belief)
        belief_stems = state.belief_words(belief, known, main=news.effect in ENDING)
        if news.effect == "switch":
            left = kinds.is_left(belief.form, belief.predicate, belief_stems, words_of(news.object))
            left = left and not is_elsewhere(news.object, text_of(belief))
            return left and state.holds(belief, known) and self.is_about_people_of(news, belief, belief_stems)
        if news.effect == "instead":
            planned = state.is_planned(belief, known) or kinds.is_under_way(text_of(belief), news.object)
            displaced = planned and state.holds(belief, known) and kinds.is_displaced(text_of(belief), news.object)
            displaced = displaced and not (
                news.subject == people.EVERY and people.relative_in(text_of(belief), self.predicates)
            )
            return displaced and self.is_about_people_of(news, belief, belief_stems)
        *rest, head_ = matter_of(news)
        if news.effect in ("replace", "finish", "pass"):
            belief_stems |= kinds.names_used(belief.predicate, belief_stems)
        if news.effect == "replace" and fulfilment.has_amount(belief):
            belief_stems |= {fulfilment.AMOUNT}
        if news.effect in MOVING and not belief_stems.isdisjoint(fulfilment.DUE):
            belief_stems |= fulfilment.DUE
        named = rest or head_ not in kinds.TRIPS or news.effect == "drop"
        if named and news.effect in (*ENDING, "drop") and state.is_planned(belief, known):
            belief_stems |= kinds.plan_words(text_of(belief))
        text, is_named = text_of(belief), belief.form == "typed" and known.object in _NAMED
        others = (
            nouns.unnamed(news.object, f"called {belief.object}" if is_named else text) if news.effect in ENDING else ()
        )
        naming = self.names(head_) & belief_stems.difference(others)
        if not naming or not nouns.PORTIONS & {*rest, head_} <= belief_stems:
            return False
        beside = people.companions(text) | places_in(text) if news.effect in GOING else frozenset[str]()
        if naming <= beside | nouns.described(belief):
            return False
        of_others = not self.is_about_people_of(news, belief, belief_stems) or self._are_other_roles(
            news.object, text, (head_,)
        )
        if of_others or are_apart(news.object, text):
            return False
        if news.effect == "change" or (news.effect == "mend" and not is_trouble(text)):
            return False
        namesake = news.effect == "end" and not people.is_anybodys(news) and nouns.is_namesake(text, head_, news.object)
        lost = news.effect == "end" and "'s " in news.subject and fulfilment.is_sought(text)
        if namesake or lost or outlasts(belief, news, (*rest, head_)):
            return False
        if news.effect == "fulfil":
            due = state.is_due(belief, known) and not state.lasts_longer(belief)
            return due and fulfilment.is_done(fulfilment.deed(news.object), belief, belief_stems, self.names)
        if not all(self.names(word) & belief_stems for word in rest):
            return False
        if news.effect == "drop":
            return state.is_due(belief, known)
        if news.effect == "relocate":
            placed = state.is_placed(
                belief, words_of(news.object), person=bool(people.relative_in(news.object, self.predicates))
            )
            return placed and state.holds(belief, known)
        if news.effect == "leave":
            if known.lasts or (known.name in _FOR_ONESELF and head_ in words_of(news.subject)):
                return False
            return (
                people.has_post(text, head_) or known.object == "person" or not self._serving.isdisjoint(belief_stems)
            )
        if news.effect in MOVING:
            own = news.object if not people.is_anybodys(news) and state.DATED.search(news.object) else ""
            more = any(map(str.isalpha, self._specific_stems(belief) - {head_, *rest}))
            is_verb = head_ in verb_of(belief).difference(words_of(belief.object))
            of_else = (is_verb and more) or is_once(news.object, text)
            return state.is_dated(belief, known, own) and not of_else
        return state.holds(belief, known)
