from __future__ import annotations

import pytest

from k3mock.protocol.usage import Usage


def test_the_total_is_the_sum() -> None:
    assert Usage(prompt=93, completion=54, reasoning=38, cached=93).total == 147


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param({"prompt": -1, "completion": 0}, id="prompt"),
        pytest.param({"prompt": 0, "completion": -1}, id="completion"),
        pytest.param({"prompt": 0, "completion": 0, "reasoning": -1}, id="reasoning"),
        pytest.param({"prompt": 0, "completion": 0, "cached": -1}, id="cached"),
    ],
)
def test_counts_cannot_be_negative(parts: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="negative"):
        Usage(**parts)


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param({"prompt": 5, "completion": 5, "reasoning": 6}, id="reasoning"),
        pytest.param({"prompt": 5, "completion": 5, "cached": 6}, id="cached"),
    ],
)
def test_parts_fit_into_their_sums(parts: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="exceed"):
        Usage(**parts)


def test_a_part_may_be_all_of_its_sum() -> None:
    assert Usage(prompt=5, completion=5, reasoning=5, cached=5).total == 10
