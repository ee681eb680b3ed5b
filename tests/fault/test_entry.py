from __future__ import annotations

import pytest

from k3mock.contract.load import load_profile
from k3mock.fault.catalogue import CATALOGUE, bend, catalogue_rows, find_fault
from k3mock.fault.entry import FaultError, Parameter, UnfitError, place_words
from k3mock.fault.place import UNITS
from k3mock.protocol.style import FaultCall

GOOD: dict[str, list[object]] = {
    "text": ["a text", 3, 1.5, True],
    "number": [0, 2, 2.5],
    "flag": [True, False, "true", "OFF"],
    "time": [0, 12.5, "forever", None],
    "code": ["c", 7],
    "mapping": [{}, {"a": 1}],
    "header": ["text/plain", 30],
    "headers": [{}, {"X-A": "b"}],
}
BAD: dict[str, list[object]] = {
    "text": [[], {}],
    "number": [-1, "12", True, float("nan"), 1e12],
    "whole": [-1, 1.5, "1", True, []],
    "flag": ["maybe", 1, {}],
    "choice": ["nothing of it", 1, {}],
    "place": ["nowhere", {"even": 1}, True],
    "time": [-1, "soon", True],
    "code": [True, 1.5, []],
    "mapping": [[], "a", 1],
    "header": ["a\r\nb: c", "日", []],
    "headers": [{"A": "x\n"}, {"A B": "x"}, {"Content-Length": "1"}, {"transfer-encoding": "x"},
                [], "A: b"],
}  # fmt: skip


def good(parameter: Parameter) -> list[object]:
    match parameter.kind:
        case "whole":
            return [max(1, int(parameter.least)), float(max(7, int(parameter.least)))]
        case "choice":
            return [*parameter.choices]
        case "place":
            return [{unit: 3} if UNITS[unit].counted else unit
                    for unit in parameter.units]  # fmt: skip
        case _:
            return [*GOOD[parameter.kind]]


MOONSHOT = load_profile("moonshot")
NAMES = [str(row["name"]) for row in catalogue_rows(MOONSHOT)]


@pytest.mark.parametrize("name", NAMES)
def test_each_parameter_takes_what_it_says(name: str) -> None:
    for parameter in find_fault(name, MOONSHOT).parameters:
        named = parameter.name == "error" and name not in MOONSHOT.errors
        for value in ["rate_limited"] if named else good(parameter):
            call = FaultCall(name=name, parameters={parameter.name: value})  # type: ignore[dict-item]
            assert bend([call], MOONSHOT).names == (name,)


@pytest.mark.parametrize("name", NAMES)
def test_each_parameter_refuses_other_values(name: str) -> None:
    for parameter in find_fault(name, MOONSHOT).parameters:
        for value in BAD[parameter.kind]:
            call = FaultCall(name=name, parameters={parameter.name: value})  # type: ignore[dict-item]
            with pytest.raises(FaultError) as raised:
                bend([call], MOONSHOT)
            assert raised.value.what == (
                f"the parameter {parameter.name!r} of the fault {name!r} does not take this"
            )
            assert raised.value.accepted


def refusal(name: str, **parameters: object) -> FaultError:
    with pytest.raises(FaultError) as raised:
        bend([FaultCall(name=name, parameters=parameters)], MOONSHOT)  # type: ignore[arg-type]
    return raised.value


def test_an_unknown_parameter_is_told_the_nearest() -> None:
    error = refusal("cut_mid_stream", hw="reset")
    assert str(error) == (
        "the fault 'cut_mid_stream' has no parameter 'hw'\n"
        "  accepted: did you mean 'how'? known: after, how"
    )


def test_a_fault_without_parameters_says_so() -> None:
    assert refusal("crlf", on=True).accepted == "no parameters"


def test_a_wrong_word_is_told_the_nearest() -> None:
    accepted = refusal("cut_mid_stream", how="unterminate").accepted
    assert accepted == "did you mean 'unterminated'? known: clean, reset, unterminated"


@pytest.mark.parametrize("place", ["reasonin", {"reasonin_tokens": 3}])
def test_a_wrong_place_is_told_the_nearest(place: object) -> None:
    accepted = refusal("stall", after=place).accepted or ""
    assert accepted.startswith("did you mean 'reasoning")
    assert "{UNIT: N} of content_tokens" in accepted


def test_a_place_of_another_unit_is_refused_where_it_cannot_be() -> None:
    error = refusal("error_event", after={"ms": 3})
    assert "bytes" not in (error.accepted or "")
    assert error.found == "{'ms': 3}"


def test_the_flat_form_of_a_place_is_the_same_place() -> None:
    flat = CATALOGUE["stall"].given({"after_events": 3}).place()
    nested = CATALOGUE["stall"].given({"after": {"events": 3}}).place()
    assert flat == nested
    assert refusal("stall", after_words=3).what.endswith("no parameter 'after_words'")


def test_null_is_the_default_of_most_parameters() -> None:
    assert CATALOGUE["cut_mid_stream"].given({"after": None}).place().unit == "first"
    with pytest.raises(FaultError):
        CATALOGUE["cut_mid_stream"].given({"how": None})


def test_whole_numbers_may_be_written_as_floats() -> None:
    parameter = Parameter(name="n", kind="whole", about="")
    assert parameter.read(3.0) == 3
    with pytest.raises(UnfitError):
        parameter.read(3.5)


def test_bounds_show_in_what_a_number_takes() -> None:
    whole = Parameter(name="n", kind="whole", about="", least=1, most=9)
    assert whole.takes() == "a whole number from 1 to 9"
    assert Parameter(name="n", kind="number", about="").takes() == "a number from 0"
    assert place_words(["events", "start"]).endswith("{UNIT: N} of events, or a word of start")


def test_values_of_another_type_are_read_as_nothing() -> None:
    given = CATALOGUE["error"].given({})
    assert (given.text("status"), given.whole("message"), given.code("code")) == ("", 0, None)
    assert (given.mapping("message"), given.flag("message")) == ({}, False)
