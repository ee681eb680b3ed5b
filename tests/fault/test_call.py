from __future__ import annotations

import pytest

from k3mock.fault.call import parse_call, read_value
from k3mock.fault.entry import FaultError


@pytest.mark.parametrize(
    ("text", "name", "parameters"),
    [
        ("stall", "stall", {}),
        (" stall() ", "stall", {}),
        ("cut_mid_stream(after:12,how:reset)", "cut_mid_stream", {"after": 12, "how": "reset"}),
        ("f(after:{events:3}, how : clean)", "f", {"after": {"events": 3}, "how": "clean"}),
        ("f(a:{b:{c:1},d:x})", "f", {"a": {"b": {"c": 1}, "d": "x"}}),
        ('f(message:"one, two)",n:1)', "f", {"message": "one, two)", "n": 1}),
        ('f(text:{"a":)', "f", {"text": '{"a":'}),
        ("f(url:http://h/x)", "f", {"url": "http://h/x"}),
        ("f(choices:[],b:null,c:true,d:-1.5)", "f",
         {"choices": "[]", "b": None, "c": True, "d": -1.5}),
        ("f(a:(1,2),b:3)", "f", {"a": "(1,2)", "b": 3}),
        ("f(,a:1,,)", "f", {"a": 1}),
        ('f(a:")', "f", {"a": '"'}),
    ],
)  # fmt: skip
def test_a_call_is_read(text: str, name: str, parameters: dict[str, object]) -> None:
    call = parse_call(text)
    assert (call.name, dict(call.parameters)) == (name, parameters)


@pytest.mark.parametrize("text", ["", "f(", "f)", "a b", "f(after)", "f(:1)", "f(a:{b})",
                                  "f(a:" + "b" * 8000 + ")"])  # fmt: skip
def test_other_texts_are_told_the_form(text: str) -> None:
    with pytest.raises(FaultError) as raised:
        parse_call(text)
    assert raised.value.accepted == "NAME or NAME(key:value,key:value)"


def test_a_quoted_text_that_is_no_json_is_taken_as_it_stands() -> None:
    assert read_value('"C:\\users"') == "C:\\users"


def test_brackets_may_nest_only_so_deep() -> None:
    text = "f(" + "a:{" * 100 + "b:1" + "}" * 100 + ")"
    assert str(parse_call(text).parameters).count("{'a'") == 9
