"""Walks along the relations of a question, and shortest paths."""

import uuid
from collections.abc import Sequence

from slowwave.core.graph.path_search import BEAM, DEEPEST, Found, Key, Link, Start, connecting, follow
from slowwave.core.graph.relations import relations_of, stems
from slowwave.core.predicates import Predicate, Predicates
from slowwave.domain.graph import RelationshipEdge

SCOPE = uuid.UUID(int=0)
REGISTRY = Predicates(
    [
        Predicate("author", aliases=("written_by",), object="person", says="The author of {subject} is {object}"),
        Predicate("partner", aliases=("spouse", "husband", "wife"), object="person"),
        Predicate("lives_in", aliases=("home",), object="place", says="{subject} lives in {object}"),
        Predicate("chief_executive_officer", aliases=("ceo",), object="person"),
        Predicate("capital", object="city", says="The capital of {subject} is {object}"),
        Predicate("citizenship", object="country", says="{subject} is a citizen of {object}"),
        Predicate("plays"),
        Predicate("sport", object="sport"),
        Predicate("favourite_*"),
    ]
)


def one(name: str) -> uuid.UUID:
    return uuid.uuid5(SCOPE, name)


def key(name: str) -> Key:
    return SCOPE, one(name)


class World:
    """Facts as triples, with counts of the lookups and of the entities in them."""

    def __init__(self, *told: tuple[str, str, str]) -> None:
        self.facts = {one(" ".join(triple)): triple for triple in told}
        self.looks: list[int] = []

    def onward(self, keys: Sequence[Key], relations: Sequence[str]) -> list[Link]:
        self.looks.append(len(keys))
        links = []
        for fact, (subject, relation, other) in self.facts.items():
            links.append(Link(fact, relation, key(subject), key(other)))
            if relation in relations:
                links.append(Link(fact, relation, key(other), key(subject), back=True))
        return sorted((link for link in links if link.here in keys), key=lambda link: link.back)

    def walk(self, start: str, asked: str) -> list[Found]:
        begins = Start(key(start), start, tuple(stems(asked)))
        return follow([begins], relations_of(REGISTRY), self.onward, most=5)

    def answer(self, start: str, asked: str) -> str:
        (best, *_) = self.walk(start, asked)
        subject, _, other = self.facts[best.way.links[-1].fact]
        return subject if best.way.links[-1].back else other


TIDE = World(
    ("The Tide", "author", "Ada"),
    ("Ada", "partner", "Per"),
    ("Ada", "lives_in", "Oslo"),
    ("Per", "lives_in", "Lima"),
    ("Per", "citizenship", "Peru"),
    ("Peru", "capital", "Lima"),
    ("Ada", "plays", "goalkeeper"),
    ("goalkeeper", "sport", "football"),
    ("Per", "favourite_tea", "mate"),
)


def test_aliases_and_inflections_name_the_same_relation() -> None:
    assert TIDE.answer("The Tide", "Who was it written by?") == "Ada"
    assert TIDE.answer("Per", "What is the citizenship of?") == "Peru"
    assert TIDE.answer("Per", "Which tea is the favourite of?") == "mate"


def test_a_path_may_contain_one_unnamed_hop() -> None:
    assert TIDE.answer("Ada", "Which sport is of?") == "football"
    assert TIDE.walk("The Tide", "Which sport is of?") == []


def test_a_relation_is_walked_from_object_to_subject() -> None:
    assert TIDE.answer("Oslo", "Who lives in?") == "Ada"


def test_part_of_a_relation_name_matches_no_relation() -> None:
    told = World(("Acme", "chief_executive_officer", "Ada"))

    assert told.walk("Acme", "Who is the chief?") == []
    assert told.answer("Acme", "Who is the chief executive?") == "Ada"


def test_a_path_is_scored_by_its_share_of_the_question_words() -> None:
    (whole, *rest) = TIDE.walk("The Tide", "Where does the husband of the author of live?")

    assert whole.score == 1.0
    assert all(0 < found.score < 1 for found in rest)
    assert [len(found.way.links) for found in (whole, *rest)] == [3, 2, 2, 1]


def test_a_walk_through_a_cycle_or_a_hub_is_bounded() -> None:
    circle = World(("Ada", "partner", "Per"), ("Per", "partner", "Ada"))
    assert [len(found.way.links) for found in circle.walk("Ada", "partner partner partner")] == [1, 1]

    crowd = World(*(("Ada", "partner", f"P{one}") for one in range(200)),
                  *((f"P{one}", "lives_in", f"L{one}") for one in range(200)))  # fmt: skip
    found = crowd.walk("Ada", "Where does the partner of live?")

    assert len(found) == 5
    assert len(crowd.looks) <= DEEPEST
    assert max(crowd.looks) <= BEAM


def edge(source: str, target: str) -> RelationshipEdge:
    return RelationshipEdge(
        fact=one(source + target), source=one(source), target=one(target), type="knows", weight=1, text="",
        confidence=1.0, valid_from=None, valid_to=None,
    )  # fmt: skip


EDGES = [edge("Ada", "Bob"), edge("Cid", "Bob"), edge("Cid", "Dot"), edge("Ada", "Eve"), edge("Fay", "Guy")]


def test_shortest_paths_ignore_the_direction_of_facts() -> None:
    assert connecting(EDGES, [one("Ada"), one("Cid")]) == {one("AdaBob"): 0.5, one("CidBob"): 0.5}
    assert connecting([edge("Cid", "Ada"), *EDGES], [one("Ada"), one("Cid")]) == {one("CidAda"): 1.0}


def test_unconnected_and_identical_entities_have_no_path() -> None:
    assert connecting(EDGES, [one("Ada"), one("Guy")]) == {}
    assert connecting(EDGES, [one("Ada"), one("Ada")]) == {}
    assert connecting(EDGES, [one("Ada")]) == {}


def test_a_fact_is_scored_by_its_shortest_path() -> None:
    found = connecting(EDGES, [one("Ada"), one("Bob"), one("Dot")])

    assert found == {one("AdaBob"): 1.0, one("CidBob"): 0.5, one("CidDot"): 0.5}
