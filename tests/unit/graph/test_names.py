"""Names: entities, agreement of spellings, and classes that do not depend on order."""

import uuid
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.core.graph.edges import Ends, ends, roots, spelled
from slowwave.core.graph.relations import named_in
from slowwave.core.policy import Merging
from slowwave.core.predicates import Predicate, Predicates
from slowwave.domain.claim import Form

NAMES = st.integers(0, 12).map(lambda number: uuid.UUID(int=number))
PAIRS = st.lists(st.tuples(NAMES, NAMES), max_size=20)
REGISTRY = Predicates(
    [
        Predicate("lives_in", object="place"),
        Predicate("age", object="value"),
        Predicate("name", object="alias"),
        Predicate("likes"),
    ]
)


class Said:
    """The fields of a fact that make an edge."""

    def __init__(self, subject: str, predicate: str, object: str, form: Form = "typed") -> None:
        self.subject, self.predicate, self.object, self.form = subject, predicate, object, form
        self.text = ""


@given(PAIRS, st.randoms())
def test_the_order_in_which_names_were_learned_does_not_matter(
    pairs: list[tuple[uuid.UUID, uuid.UUID]], random: Random
) -> None:
    shuffled = list(pairs)
    random.shuffle(shuffled)

    assert roots(shuffled) == roots(pairs)


@given(PAIRS)
def test_connected_names_share_one_root(pairs: list[tuple[uuid.UUID, uuid.UUID]]) -> None:
    found = roots(pairs)

    assert all(found[one] == found[two] for one, two in pairs)
    assert all(found[root] == root for root in found.values())


@given(PAIRS, NAMES)
def test_the_user_is_the_root_of_its_names(pairs: list[tuple[uuid.UUID, uuid.UUID]], user: uuid.UUID) -> None:
    found = roots(pairs, first=user)

    assert found.get(user, user) == user


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        (Said("user", "lives_in", "Oslo"), Ends("user", "Oslo", "place")),
        (Said("user", "name", "Nora"), Ends("user", "Nora", "alias")),
        (Said("user", "age", "32"), Ends("user", None, "value")),
        (Said("user", "likes", "figs"), Ends("user", "figs")),
        (Said("user", "likes", "to sit by the water and think of nothing at all"), Ends("user", None, "value")),
        (Said("user", "likes", "User"), Ends("user", None, "value")),
        (Said("user", "went", "Oslo", form="statement"), Ends("user")),
        (Said("session/1", "summary", "Oslo"), None),
    ],
)
def test_the_registry_or_the_wording_decides_whether_an_object_is_an_entity(said: Said, wanted: Ends | None) -> None:
    assert ends(said, REGISTRY) == wanted


def test_spelling_ignores_article_case_and_number_of_a_name() -> None:
    assert spelled("the Oslo offices") == spelled("Oslo-office") == spelled("our Oslo office")
    assert spelled("Anna Berg") != spelled("Anna Bergen")


def test_names_need_a_higher_similarity_than_concepts() -> None:
    assert (Merging().near_enough("rowing"), Merging().near_enough("Anna")) == (0.85, 0.90)


def test_candidate_names_are_runs_of_words_without_a_comma() -> None:
    found = named_in("Does my sister, Anna Berg, know Dr. Who?")

    assert {"Anna Berg", "Dr. Who", "user", "my sister"} <= set(found)
    assert "sister, Anna" not in found
