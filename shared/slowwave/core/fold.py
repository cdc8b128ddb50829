"""The fold: applies claims in order to the current beliefs. Each claim sees the result of the earlier claims.

Beliefs are ordered by valid time; if the valid time is equal, by the arrival of their claims. A claim about the past
changes history, and does not overwrite the present. The result depends only on the sequence of claims, and not on the
windows into which the sequence was split.
"""

import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from itertools import chain

from slowwave.core.beliefs.identity import (
    BeliefKey,
    belief_key,
    compared_words,
    fact_fields,
    identity,
    key_of,
    normal,
    text_of,
)
from slowwave.core.beliefs.spelling import match_versions, names_same_object, respelled
from slowwave.core.beliefs.versions import (
    ASKED,
    CONTRARY,
    FORGOTTEN,
    KNOWN,
    LESS_SURE,
    NAMESAKE,
    NOTHING,
    RETAINED,
    SAME_TURN,
    UNSURE,
    Decision,
    Version,
    asserted,
    called,
    in_words,
    remove_version,
    replacing,
)
from slowwave.core.contradiction import namesakes, reported_changes, rule, sure
from slowwave.core.contradiction.kinds import kinds_in
from slowwave.core.contradiction.matters import Matters
from slowwave.core.contradiction.nouns import names_all
from slowwave.core.contradiction.people import EVERY, of_household, relative_in
from slowwave.core.contradiction.references import (
    RECENT_POSITIONS,
    TurnOrder,
    corrected,
    is_kind,
    named,
    others_of_the_name,
    statement_order,
    targets,
    turns_ago,
)
from slowwave.core.contradiction.reported_changes import Moved
from slowwave.core.contradiction.values import in_place_of, says_which
from slowwave.core.contradiction.words import words_of
from slowwave.core.predicates import PLAIN, Predicate, Predicates
from slowwave.core.time_spans import ALWAYS, BEGINNING, END, Span
from slowwave.domain.claim import Claim

__all__ = ["FORGOTTEN", "Decision", "Derive", "Fingerprint", "Fold", "Version", "plain_fingerprint", "plain_id"]

Fingerprint = Callable[[str, str, str], bytes]
"""A function of subject, predicate and object that gives irreversible bytes. The bytes are equal for equal normalised
texts."""
Derive = Callable[[Claim, int], uuid.UUID]
"""A function of a claim and the number of a decision about the claim. It gives the id of the decision."""
_PASSING = ("change", "fulfil", "drop")
"""The effects of news that leaves no row if no belief changes: most deeds fulfil or drop no plan. A late plan is also
compared with such news (see `slowwave.core.late_arrivals.late_claims`)."""
_REASONS: Mapping[str, str] = {
    "end": "no longer true",
    "finish": "it has ended",
    "pass": "it has ended",
    "mend": "the problem is solved",
    "change": "it has changed",
    "leave": "no longer in this role",
    "replace": "something else is true now",
    "switch": "somebody switched to another of its kind",
    "instead": "something else is planned instead",
    "move": "it has a new date",
    "delay": "it has a later date",
    "relocate": "it is somewhere else now",
    "fulfil": "the plan was carried out",
    "drop": "the plan was given up",
}
"""The reason for the end of a belief, by the effect of the news."""


def plain_fingerprint(subject: str, predicate: str, object: str) -> bytes:
    """Return a fingerprint without a key, for tests and cases. The store uses fingerprints with a key of the tenant."""
    return "\x1f".join((normal(subject), predicate, normal(object))).encode()


def plain_id(claim: Claim, number: int) -> uuid.UUID:
    """Return a decision's id for tests and cases. The store derives ids that are unique across scopes and packs."""
    return uuid.uuid5(claim.source.episode, f"{claim.ordinal}/{number}")


@dataclass(slots=True)
class Fold:
    """The beliefs of a scope to which claims are applied, with what later claims need to know.

    *active* are the open versions. *ends* has the times when beliefs ended, by fingerprint. *confirmed* has the times
    when held beliefs were confirmed, by fact. *news* are the claims that reported a change. A claim about an earlier
    time is valid at most until its belief next starts, ends, is confirmed or changes. *forgotten* are the fingerprints
    of forgotten beliefs. *heard* is the claim that is being decided. *called* is the user's name in sentences if no
    belief gives a name. *moved* is the latest news of a new date. *asked* are the questions for a person; each question
    is asked once per episode. *turn_order* is the order in which turns were told, if late turns changed the order.
    *words* has the versions by the stems by which news finds them, from the first news on; call `hold` to add versions.
    """

    active: dict[BeliefKey, list[Version]] = field(default_factory=dict)
    ends: dict[bytes, list[datetime]] = field(default_factory=dict)
    confirmed: dict[uuid.UUID, list[datetime]] = field(default_factory=dict)
    news: list[Claim] = field(default_factory=list)
    forgotten: set[bytes] = field(default_factory=set)
    fingerprint: Fingerprint = plain_fingerprint
    derive: Derive = plain_id
    predicates: Predicates = PLAIN
    heard: Claim | None = None
    called: str | None = None
    moved: Moved | None = None
    asked: set[tuple[object, ...]] = field(default_factory=set)
    turn_order: TurnOrder = field(default_factory=TurnOrder)
    words: dict[str, list[Version]] | None = field(default=None, init=False, repr=False)

    def hold(self, versions: Iterable[Version]) -> None:
        """Add open versions."""
        for version in versions:
            self.active.setdefault(version.key, []).append(version)
            if self.words is not None:
                self._index(version, self.words)

    def decide(self, claim: Claim) -> list[Decision]:
        """Return the decisions about *claim*, and record the decisions for later claims.

        A claim that ends or forgets beliefs has one decision per belief. Any other claim has one; some news has none.
        """
        decisions = self.weigh(claim)
        for decision in decisions:
            self.take(decision)
        return decisions

    def take(self, decision: Decision) -> None:
        """Record a decision for later claims."""
        for version in decision.closes:
            remove_version(version, self.active[version.key])
        self.hold(decision.opens)
        mode, span = decision.claim.mode, decision.valid
        if decision.kind == "review":
            self.asked.add(_question(decision.claim, decision.among))
        if decision.original_claim is not None and reported_changes.is_news(decision.original_claim):
            if decision.kind != "review" and span:
                self.record_news(decision.original_claim)
            if (
                decision.kind == "delete"
                and decision.original_claim.effect in reported_changes.REPLACING
                and decision.closes
            ):
                self.moved = Moved(decision.original_claim, decision.closes[0])
            elif decision.original_claim.effect in reported_changes.MOVING and (
                decision.kind == "review" or decision.reason == ASKED
            ):
                self.moved = Moved(decision.original_claim, None)
        elif mode == "forget":
            self.forgotten.add(decision.fingerprint)
        elif mode == "end" and span and span.start != BEGINNING:
            self.ends.setdefault(decision.fingerprint, []).append(span.start)
        if decision.kind == "noop" and decision.about and span:
            self.confirmed.setdefault(decision.about, []).append(span.start)

    def record_news(self, news: Claim) -> None:
        """Record *news*. A later claim about the time before the reported change is valid at most until the change."""
        if news not in self.news[-1:]:
            self.news.append(news)

    def weigh(self, claim: Claim) -> list[Decision]:
        """Return the decisions that `decide` would make, without recording them."""
        self.heard = claim
        if claim.effect:
            named = reported_changes.is_news(claim)
            decisions = self._change(claim) if named else [self._noop(claim, key_of(claim), NOTHING)]
            return [self._in_words(decision) for decision in decisions]
        if claim.mode == "assert":
            claim = reported_changes.as_moved(claim, self.moved) if self.moved else claim
            if claim.subject == EVERY or reported_changes.is_asked(claim, self.moved):
                return [self._noop(claim, key_of(claim), NOTHING if claim.subject == EVERY else ASKED)]
            claim = asserted(claim, self.predicates, called(self.active) or self.called)
        decisions = _MODES[claim.mode](self, claim)
        accepted = decisions[0].kind in ("add", "update") or decisions[0].about is not None
        if claim.mode == "assert" and accepted:
            decisions += self._ended_by(claim, len(decisions))
        return [self._in_words(decision) for decision in decisions]

    def believed(self, at: datetime) -> list[Version]:
        """Return the open versions that hold at *at*."""
        return [version for version in chain.from_iterable(self.active.values()) if version.valid.covers(at)]

    # asserting

    def _assert(self, claim: Claim) -> list[Decision]:
        key, known = key_of(claim), self._known(claim)
        if self._print(claim) in self.forgotten:
            return [self._noop(claim, key, FORGOTTEN)]
        same, others = self._rivals(claim, key, known)
        ruling = rule(
            known.policy if claim.single_valued or known.opposites else "prefer_new",
            begins=claim.valid_from,
            confidence=claim.confidence,
            same=same,
            others=others,
            bounds=self._bounds(claim),
            last_of=lambda version: self._last_of(version, claim.valid_from),
        )
        if ruling.verdict == "hold":
            closes = sorted(ruling.closes, key=statement_order)
            if self._of_namesake(claim, closes):
                return [self.ask(claim, NAMESAKE, closes)]
            reason = replacing(claim, closes)
            return [self._open(claim, key, Span(claim.valid_from, ruling.until), closes, reason)]
        if ruling.verdict == "confirm" and ruling.against:
            confirmed = self._confirm(claim, key, ruling.against)
            return [confirmed if ruling.firm else replace(confirmed, valid=None)]
        if ruling.verdict == "review":
            return [self.ask(claim, CONTRARY, ruling.closes)]
        return [self._noop(claim, key, LESS_SURE if known.policy == "prefer_surer" else RETAINED)]

    def _known(self, claim: Claim) -> Predicate:
        return self.predicates.of(claim.predicate) if claim.form == "typed" else Predicate(claim.predicate)

    def _rivals(self, claim: Claim, key: BeliefKey, known: Predicate) -> tuple[list[Version], list[Version]]:
        """Return the versions that say the same as *claim*, and the versions that conflict with *claim*.

        Versions that ended before *claim* begins are left out.
        """
        begins = claim.valid_from
        same = [version for version in self.active.get(key, ()) if begins < version.valid.end]
        others: list[Version] = []
        if same and key[2] is None:
            alike = match_versions(claim, same)
            others = [version for version, is_same in zip(same, alike, strict=True) if not is_same]
            same = [version for version, is_same in zip(same, alike, strict=True) if is_same]
        for spelled in respelled(claim):
            same += [version for version in self.active.get(spelled, ()) if names_same_object(version, claim)]
        for opposite in known.opposites:
            others += self.active.get(belief_key(claim.subject, opposite, claim.object, single_valued=False), ())
        return same, others

    def _bounds(self, claim: Claim) -> list[datetime]:
        """Return the times by which the belief of *claim* is known to have ended."""
        about = (self._print(claim), self.fingerprint(*identity(claim)[:2], ""))
        known = [end for print_ in about for end in self.ends.get(print_, ())]
        if self.news:
            known += [
                news.valid_from
                for news in self.news
                if news.valid_from > claim.valid_from and self._is_changed(claim, claim.source.episode, news)
            ]
        return [*known, claim.valid_to] if claim.valid_to else known

    def _is_changed(self, belief: Version | Claim, episode: uuid.UUID | None, news: Claim) -> bool:
        """Return whether *news* changes *belief*, which was said in *episode*.

        News in the same episode changes no belief.
        """
        return episode != news.source.episode and _matters(self.predicates).changes(news, belief)

    def _last_of(self, version: Version, since: datetime) -> datetime:
        """Return when *version* is next confirmed or ends. A claim about *since* may change *version* until then."""
        begin = max(since, version.valid.start)
        again = (at for at in self.confirmed.get(version.fact, ()) if begin < at < version.valid.end)
        return min(again, default=version.valid.end)

    # correcting

    def _correct(self, claim: Claim) -> list[Decision]:
        wrong, key = (
            [one for one in corrected(self.active, claim, self.turn_order) if self._reaches(claim, one)],
            key_of(claim),
        )
        if len(wrong) > 1:
            return [self.ask(claim, f"a correction that could mean any of {len(wrong)} beliefs", wrong)]
        if not wrong:
            return [self._noop(claim, key, "nothing to correct")] if claim.predicate == "*" else self._assert(claim)
        (old,) = wrong
        if claim.predicate == "*" and old.session != claim.session and not says_which(claim):
            return [self.ask(claim, "a correction that could mean what was said last, in another session", wrong)]
        single = old.single_valued
        claim = replace(in_place_of(old, claim), subject=old.subject, predicate=old.predicate, single_valued=single)
        key = key_of(claim)
        if compared_words(old) == compared_words(claim):
            return [self._confirm(claim, key, old)]
        if self._print(claim) in self.forgotten:
            return [self._noop(claim, key, FORGOTTEN)]
        if self._yields(claim, old):
            return [self._noop(claim, key, LESS_SURE)]
        if self._known(claim).policy == "flag_review":
            return [self.ask(claim, CONTRARY, [old])]
        passes = claim.valid_to if old.valid.end != END else None
        wrong_span = Span(old.valid.start, passes or self._last_of(old, claim.valid_from))
        if not single and any(v.valid.overlaps(wrong_span) for v in self.active.get(key, ())):
            return [self._delete(claim, 0, old, wrong_span, "corrected: the right value is already known")]
        _, others = self._rivals(claim, key, self._known(claim))
        contrary = [v for v in others if v is not old and v.valid.overlaps(wrong_span)]
        return [self._open(claim, key, wrong_span, [old, *contrary], "corrected: it was never true")]

    def _reaches(self, claim: Claim, version: Version) -> bool:
        """Return whether a correction may refer to a belief.

        If the correction identifies what it corrects, an older belief must share a word with it.
        """
        near = turns_ago(claim.source.position, version.position, self.turn_order) <= RECENT_POSITIONS
        shares_word = not _matters(self.predicates).words(version).isdisjoint(words_of(claim.object))
        return near or not says_which(claim) or shares_word

    def _yields(self, claim: Claim, version: Version) -> bool:
        """Return whether *claim* is a guess that would change an explicit belief."""
        surer = sure(version.confidence) and not sure(claim.confidence)
        return surer and self._known(claim).policy == "prefer_surer"

    # ending and forgetting

    def _end(self, claim: Claim, first: int = 0) -> list[Decision]:
        """End the beliefs to which the claim refers. The decisions are numbered from *first*."""
        exact = targets(self.active, claim, self.turn_order)
        alike = [version for version in named(self.active, claim) if version not in exact]
        kinds = [version for version in alike if is_kind(version, claim.object)]
        meant = [v for v in (exact + kinds or alike) if v.valid.covers(claim.valid_from)]
        several = namesakes.with_other_statements(meant, claim.object, self.active, self.predicates) or (
            () if exact or len(kinds) == 1 else meant
        )
        if exact and claim.object and (others := others_of_the_name(self.active, claim)):
            several = [*meant, *others]
        if len({version.fact for version in several}) < 2:
            several = ()
        return self._close(claim, meant, several, first) or [self._unheld(claim, "no current fact to end", first)]

    def _change(self, news: Claim) -> list[Decision]:
        """End the beliefs that a change affects. If *news* may mean any of several beliefs, ask a person instead."""
        changed_at, position = news.valid_from, news.source.position
        words = frozenset() if namesakes.ends_role(news) else _matters(self.predicates).needed(news)
        known = [
            version
            for version in (self._with(words) if words else chain.from_iterable(self.active.values()))
            if changed_at < version.valid.end
            and version.position != position
            and (version.valid.start <= changed_at or version.tense == "future")  # it holds, or will hold
        ]
        lasting = {version.fact: version for version in sorted(known, key=statement_order)}  # of a split plan, the last
        if news.effect == "change":
            meant = sorted(_matters(self.predicates).nearest(news, list(lasting.values())), key=statement_order)
            if len(meant) > 1:
                meant = []
        else:
            meant = [version for version in lasting.values() if self._is_changed(version, None, news)]
        if reported_changes.is_ours(news):
            meant = of_household(news, meant)
        borne = namesakes.of_bearers(news, lasting.values(), self.predicates)
        meant = namesakes.of_kind(
            news, [*meant, *(version for version in borne if version not in meant)], self.predicates
        )
        whole = [version for version in meant if not namesakes.is_of_part(news, version)]
        if meant and not whole:
            return [self._of_matter(news, self.ask(news, "news about only a part of the belief", meant))]
        whole = namesakes.with_other_statements(whole, news.object, self.active, self.predicates) or whole
        one_of = len({version.predicate for version in whole}) < len(whole) or namesakes.are_several(whole)
        one_of = one_of or len({version.subject for version in borne}) > 1 or any(one not in meant for one in whole)
        stated = [version.text for version in whole if version.form == "statement"]
        one_of = one_of or len({relative_in(text, self.predicates) for text in stated}) > 1
        one_of = one_of or (len(whole) > 1 and any(one in whole for one in others_of_the_name(self.active, news)))
        one_of = one_of or (len(whole) > 1 and "version" in kinds_in(words_of(news.object)))
        if reported_changes.is_ours(news):
            one_of = len({(version.predicate, normal(version.object)) for version in whole}) > 1
        several = one_of and not names_all(news.object, map(text_of, whole))
        ended = self._close(news, whole, whole if several else ())
        if not ended and news.effect in _PASSING:
            return []
        return [
            self._of_matter(news, one) for one in ended or [self._unheld(news, "no current fact matches this news")]
        ]

    def _index(self, version: Version, by_word: dict[str, list[Version]]) -> None:
        for word in _matters(self.predicates).all_words(version):
            by_word.setdefault(word, []).append(version)

    def _with(self, words: Iterable[str]) -> list[Version]:
        """Return the open versions with one of these stems."""
        if self.words is None:
            self.words = {}
            for version in chain.from_iterable(self.active.values()):
                self._index(version, self.words)
        found = {id(version): version for word in words for version in self.words.get(word, ())}
        return [
            version for version in found.values() if any(version is one for one in self.active.get(version.key, ()))
        ]

    def _close(
        self, claim: Claim, meant: Sequence[Version], among: Collection[Version], first: int = 0
    ) -> list[Decision]:
        """End the beliefs *meant* by *claim* (an end or news), except beliefs that are more certain.

        Decisions are numbered from *first*. If *claim* may mean any of several beliefs (*among*), or if the beliefs may
        be about another person of the same name, ask a person instead.
        """
        firm = [version for version in meant if not self._yields(_as_end_of(version, claim), version)]
        if meant and not firm and claim.effect and claim.effect not in _PASSING:
            return [self.ask(claim, UNSURE, meant, first)]
        if meant and not firm:
            return [self._noop(claim, key_of(claim), LESS_SURE, first)]
        if among:
            kind = "news" if claim.effect else "an ending"
            return [self.ask(claim, f"{kind} that could mean any of {len(among)} beliefs", [*among], first)]
        apart = (namesakes.owned_by_another, namesakes.pet_and_person) if claim.effect else ()
        both = next(filter(None, (one(claim, firm, self.active, self.predicates) for one in apart)), [])
        mine = [] if both else [version for version in firm if not self._of_namesake(claim, [version])]
        if firm and not mine:
            return [self.ask(claim, NAMESAKE, both or firm, first)]
        return [
            self._delete(
                _as_end_of(version, claim), number, version,
                Span(claim.valid_from, self._last_of(version, claim.valid_from)), _REASONS[claim.effect or "end"],
            )
            for number, version in enumerate(mine, first)
        ]  # fmt: skip

    def _of_matter(self, news: Claim, decision: Decision) -> Decision:
        """Return *decision* with the fingerprint of the changed thing, by which late claims find the decision."""
        return replace(decision, fingerprint=self.matter(reported_changes.head(news)))

    def matter(self, word: str) -> bytes:
        """Return the fingerprint of news, given the stem under which the news is stored (see `head`)."""
        return self.fingerprint("*", "*", word)

    def _ended_by(self, claim: Claim, first: int) -> list[Decision]:
        """End the beliefs that *claim* excludes. For example, a former employee of a firm no longer works there."""
        ended: list[Decision] = []
        for name in self._known(claim).ends:
            single = self.predicates.of(name).single_valued
            ending = replace(claim, predicate=name, mode="end", single_valued=single, text="")
            ended += self._end(ending, first + len(ended))
        return ended

    def _of_namesake(self, claim: Claim, versions: Iterable[Version]) -> bool:
        """Return whether one of *versions* may be about another person with the same name as the person of *claim*."""
        return any(
            namesakes.may_be_another(version, name, claim, self.active, self.predicates)
            for version in versions
            for name in namesakes.names_in(claim, version, self.predicates)
        )

    def _forget(self, claim: Claim) -> list[Decision]:
        meant = {(version.key, compared_words(version)) for version in targets(self.active, claim, self.turn_order)}
        whole = [v for key in {key for key, _ in meant} for v in self.active[key] if (key, compared_words(v)) in meant]
        facts = {version.fact: version for version in sorted(whole, key=statement_order)}
        return [
            self._delete(claim, number, version, ALWAYS, "forgotten on request")
            for number, version in enumerate(facts.values())
        ] or [self._unheld(claim, "no current fact to forget")]

    def _unheld(self, claim: Claim, reason: str, number: int = 0) -> Decision:
        return replace(self._noop(claim, key_of(claim), reason, number), valid=Span(claim.valid_from))

    # making decisions

    def _print(self, claim: Claim) -> bytes:
        return self.fingerprint(*identity(claim))

    def _noop(self, claim: Claim, key: BeliefKey, reason: str, number: int = 0) -> Decision:
        return Decision(
            self.derive(claim, number), "noop", claim, key, self._print(claim), reason, original_claim=self.heard
        )

    def ask(self, claim: Claim, reason: str, among: Sequence[Version] = (), number: int = 0) -> Decision:
        """Return the decision to ask a person about *claim*, which may refer to any of *among*."""
        facts = tuple(dict.fromkeys(version.fact for version in sorted(among, key=statement_order)))
        if among and _question(claim, facts) in self.asked:
            return self._noop(claim, key_of(claim), ASKED, number)
        id_ = self.derive(claim, number)
        print_ = self._print(claim)
        asked = Decision(id_, "review", claim, key_of(claim), print_, reason, among=facts, original_claim=self.heard)
        return self._in_words(asked)

    def _in_words(self, decision: Decision) -> Decision:
        return in_words(decision, self.predicates, called(self.active) or self.called)

    def _confirm(self, claim: Claim, key: BeliefKey, version: Version) -> Decision:
        own = 0 < version.position == claim.source.own_position
        confirmed = self._noop(claim, key, SAME_TURN if own else KNOWN)
        return replace(confirmed, about=version.fact, valid=Span(claim.valid_from))

    def _open(self, claim: Claim, key: BeliefKey, span: Span, old: Sequence[Version], reason: str) -> Decision:
        id_ = self.derive(claim, 0)
        new = Version(
            id_, key, claim.subject, claim.predicate, claim.object, span, claim.confidence,
            claim.source.own_position, claim.session, claim.rule,
            form=claim.form, text=claim.text, tense=claim.tense,
        )  # fmt: skip
        if not old:
            return Decision(
                id_, "add", claim, key, self._print(claim), reason, valid=span, opens=(new,), original_claim=self.heard
            )
        rests = (rest for v in old for rest in v.without(span, id_))
        return Decision(
            id_, "update", claim, key, self._print(claim), reason,
            replaces=tuple(dict.fromkeys(v.fact for v in old)), valid=span, closes=tuple(old), opens=(new, *rests),
            original_claim=self.heard,
        )  # fmt: skip

    def _delete(self, claim: Claim, number: int, old: Version, span: Span, reason: str) -> Decision:
        every = claim.mode == "end" and claim.predicate != "*" and not claim.object
        about = replace(old, object="") if every else old
        closes = tuple(v for v in self.active[old.key] if v.fact == old.fact and v.valid.overlaps(span))
        id_ = self.derive(claim, number)
        return Decision(
            id_, "delete", claim, old.key,
            self.fingerprint(*identity(about)), reason,
            about=old.fact, replaces=(old.fact,), valid=span, closes=closes,
            opens=tuple(rest for v in closes for rest in v.without(span, id_)),
            original_claim=self.heard,
        )  # fmt: skip


def _question(claim: Claim, among: Sequence[uuid.UUID]) -> tuple[object, ...]:
    """Return the key of a question for a person: which of *among* has ended, or which value is right."""
    return claim.source.episode, claim.mode, "" if claim.mode == "end" else claim.object, *among


def _as_end_of(version: Version, news: Claim) -> Claim:
    """Return *news* as a claim that ends *version*, which the news changes. An ending is returned unchanged."""
    if not news.effect:
        return news
    return replace(news, **fact_fields(version))


@lru_cache(maxsize=8)
def _matters(predicates: Predicates) -> Matters:
    return Matters(predicates)


_MODES: Mapping[str, Callable[[Fold, Claim], list[Decision]]] = {
    "assert": Fold._assert,
    "correct": Fold._correct,
    "end": Fold._end,
    "forget": Fold._forget,
}
