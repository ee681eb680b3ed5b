from __future__ import annotations

import itertools
import re
import uuid
from typing import TYPE_CHECKING, Any

import pytest

from k3mock.seed import AnswerIds, Chance, Seed

if TYPE_CHECKING:
    from collections.abc import Callable

NOW = 1_788_306_762.25
REQUEST = b"the digest of a request"


def drawn(seed: Seed, request: bytes = REQUEST, occurrence: int = 0) -> AnswerIds:
    return seed.answer_ids(request, occurrence, NOW)


@pytest.mark.parametrize("value", [pytest.param(None, id="real"), pytest.param(7, id="seeded")])
def test_ids_have_the_form_of_the_raw_captures(value: int | None) -> None:
    """Raw captures of 2026-09: 4 bytes unix second, 5 of the process, 3 counted; UUID version 1."""
    ids = drawn(Seed(value))
    assert re.fullmatch(r"chatcmpl-[0-9a-f]{24}", ids.completion)
    assert int(ids.completion.removeprefix("chatcmpl-")[:8], 16) == ids.created
    assert ids.created == int(ids.now)
    assert re.fullmatch(r"[0-9a-f]{32}", ids.trace)
    request = uuid.UUID(ids.request)
    assert (request.version, str(request)) == (1, ids.request)
    assert request.variant == uuid.RFC_4122
    since_1970 = request.time / 1e7 - 12_219_292_800
    assert since_1970 == pytest.approx(ids.now, abs=0.01)


def test_the_node_is_marked_as_no_real_network_card() -> None:
    assert uuid.UUID(drawn(Seed()).request).node >> 40 & 1 == 1


@pytest.mark.parametrize("value", [pytest.param(None, id="real"), pytest.param(7, id="seeded")])
def test_the_process_part_is_constant_and_so_are_clock_group_and_node(value: int | None) -> None:
    seed = Seed(value)
    one, two = drawn(seed), drawn(seed, b"another")
    assert one.completion[17:27] == two.completion[17:27]
    assert one.request[19:] == two.request[19:]
    assert one.completion != two.completion
    assert one.request != two.request


def test_without_a_seed_the_time_is_the_clocks_and_the_counter_counts() -> None:
    seed = Seed()
    numbers = [int(drawn(seed).completion[-6:], 16) for _ in range(3)]
    assert [b - a for a, b in itertools.pairwise(numbers)] == [1, 1]
    assert drawn(seed).now == NOW


def test_the_counter_starts_again_behind_its_last_number() -> None:
    seed = Seed()
    seed._counter = 0xFFFFFF
    assert drawn(seed).completion[-6:] == "000000"


def test_two_servers_without_a_seed_share_nothing() -> None:
    one, two = Seed(), Seed()
    assert one.fingerprint != two.fingerprint
    assert drawn(one).completion != drawn(two).completion
    assert drawn(one).trace != drawn(two).trace


def test_the_same_seed_draws_the_same_ids_in_any_order() -> None:
    one, two = Seed(7), Seed(7)
    drawn(two, b"something else first")
    assert drawn(one) == drawn(two)
    assert one.fingerprint == two.fingerprint


def test_with_a_seed_the_clock_does_not_matter() -> None:
    assert Seed(7).answer_ids(REQUEST, 0, 1.0) == Seed(7).answer_ids(REQUEST, 0, 2.0)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(drawn(Seed(7), occurrence=1), id="second-sight"),
        pytest.param(drawn(Seed(7), b"another"), id="another-request"),
        pytest.param(drawn(Seed(8)), id="another-seed"),
        pytest.param(drawn(Seed(-7)), id="negative-seed"),
    ],
)
def test_ids_differ_by_seed_request_and_occurrence(other: AnswerIds) -> None:
    ids = drawn(Seed(7))
    assert other.completion != ids.completion
    assert other.request != ids.request
    assert other.trace != ids.trace


def test_seeded_times_lie_in_one_day_of_september_2026() -> None:
    for number in range(200):
        ids = drawn(Seed(number))
        assert 1_788_300_000 <= ids.now < 1_788_300_000 + 86_400


def test_the_fingerprint_has_the_form_of_the_raw_captures() -> None:
    """Raw capture of 2026-07-17: `fpv0_` and 8 hex digits."""
    assert re.fullmatch(r"fpv0_[0-9a-f]{8}", Seed().fingerprint)
    assert re.fullmatch(r"fpv0_[0-9a-f]{8}", Seed(3).fingerprint)
    assert Seed(3).fingerprint != Seed(4).fingerprint


def test_chance_depends_on_the_seed_and_the_parts_alone() -> None:
    draws = Seed(7).chance(b"text", b"x").random()
    assert Seed(7).chance(b"text", b"x").random() == draws
    assert Seed(8).chance(b"text", b"x").random() != draws
    assert Seed(7).chance(b"text", b"y").random() != draws


def test_parts_do_not_run_into_each_other() -> None:
    assert Seed(7).chance(b"ab", b"c").random() != Seed(7).chance(b"a", b"bc").random()


def test_without_a_seed_the_same_request_still_gets_the_same_words() -> None:
    draws = [seed.chance(b"text", REQUEST).random() for seed in (Seed(), Seed(), Seed(0))]
    assert len(set(draws)) == 1


DRAWS: dict[str, Callable[[Chance], Any]] = {
    "random": lambda chance: chance.random(),
    "bits": lambda chance: chance.getrandbits(70),
    "range": lambda chance: [chance.randrange(5) for _ in range(40)],
    "choices": lambda chance: chance.choices("abcdef", k=30),
    "sample": lambda chance: chance.sample(range(100), 20),
    "gauss": lambda chance: [chance.gauss(0, 1), chance.lognormvariate(0, 1), chance.gauss(0, 1)],
    "bytes": lambda chance: chance.randbytes(9),
    "state": lambda chance: chance.getstate(),
    "uniform": lambda chance: chance.uniform(1, 9),
}


@pytest.mark.parametrize("how", DRAWS)
def test_chance_that_is_seeded_late_draws_as_if_it_had_been_seeded_at_once(
    how: str,
) -> None:
    seed, draw = Seed(3), DRAWS[how]
    late, early = seed.chance(b"x", b"y"), Chance(seed.derived(b"x", b"y"))
    assert draw(late) == draw(early)
    assert [late.random() for _ in range(3)] == [early.random() for _ in range(3)]
    assert type(late) is Chance
