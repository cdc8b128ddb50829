"""A test over many rows fails with each row that fails."""

import pytest

from tests.unit.tables import over


def _is_odd(number: int) -> None:
    assert number % 2, "it is even"


def test_a_test_over_rows_names_each_row_that_fails() -> None:
    test = over([1, 2, 3, 4])(_is_odd)

    with pytest.raises(AssertionError, match=r"(?s)2: it is even.*4: it is even"):
        test([1, 2, 3, 4])
    test([1, 3])


def test_another_error_names_its_row() -> None:
    with pytest.raises(TypeError) as raised:
        over(["a"])(_is_odd)(["a"])

    assert raised.value.__notes__ == ["row: 'a'"]
