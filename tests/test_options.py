"""Options in the base URL and in the header."""

from __future__ import annotations

import pytest

from k3mock.options import (
    CONTRACT_MODES,
    DEFAULT_SESSION,
    OPTIONS,
    OptionError,
    RequestOptions,
    named_session,
    parse_options,
    split_path,
)


@pytest.mark.parametrize(
    ("path", "split"),
    [
        pytest.param("/v1/models", ("", "/v1/models"), id="none"),
        pytest.param("/", ("", "/"), id="root"),
        pytest.param("/v1/a%20b", ("", "/v1/a b"), id="decoded"),
        pytest.param("/with", ("", "/with"), id="word-alone"),
        pytest.param("/without/v1", ("", "/without/v1"), id="other-word"),
        pytest.param("/with/", ("", "/"), id="nothing-behind"),
        pytest.param("/with//v1/a", ("", "/v1/a"), id="no-options"),
        pytest.param("/with/seed=1", ("seed=1", "/"), id="no-rest"),
        pytest.param("/with/seed=1;pace=x/v1/a", ("seed=1;pace=x", "/v1/a"), id="two"),
        pytest.param("/with/session=a%2Fb/v1/a%2Fb", ("session=a%2Fb", "/v1/a/b"), id="encoded"),
        pytest.param("/v1/with/seed=1/a", ("", "/v1/with/seed=1/a"), id="later"),
    ],
)
def test_options_stand_in_front_of_the_path(path: str, split: tuple[str, str]) -> None:
    assert split_path(path) == split


@pytest.mark.parametrize(
    ("in_path", "in_header", "options"),
    [
        pytest.param("", "", RequestOptions(), id="none"),
        pytest.param("profile=a", "", RequestOptions(profile="a"), id="in-the-path"),
        pytest.param("", "profile=a", RequestOptions(profile="a"), id="in-the-header"),
        pytest.param(
            "profile=a;pace=b", "profile=c", RequestOptions(profile="c", pace="b"), id="header-wins"
        ),
        pytest.param("seed=1;seed=2", "", RequestOptions(seed=2), id="last-wins"),
        pytest.param(" ;; seed = 7 ; ", "", RequestOptions(seed=7), id="spaces-and-empty-ones"),
        pytest.param("session=a%3Bb%2Fc%25", "", RequestOptions(session="a;b/c%"), id="encoded"),
        pytest.param("session=%C3%BC", "", RequestOptions(session="ü"), id="utf8"),
        pytest.param("session=a=b", "", RequestOptions(session="a=b"), id="second-equals-sign"),
        pytest.param("pace=speed=2,ttft_ms=0", "", RequestOptions(pace="speed=2,ttft_ms=0"),
                     id="pairs"),
        pytest.param("fault=a(after:2);fault=b", "", RequestOptions(faults=("a(after:2)", "b")),
                     id="faults"),
        pytest.param("fault=a;fault=b", "fault=c", RequestOptions(faults=("c",)), id="one-place"),
        pytest.param("wire.bom=true; wire.writes=bytes:7", "wire.bom=no",
                     RequestOptions(wire={"bom": "no", "writes": "bytes:7"}), id="knobs"),
        pytest.param("scenario=hello;limits=tier0", "",
                     RequestOptions(scenario="hello", limits="tier0"), id="scenario"),
        pytest.param("seed=-5", "", RequestOptions(seed=-5), id="below-zero"),
        pytest.param("seed=+5", "", RequestOptions(seed=5), id="with-a-sign"),
        pytest.param(f"session={'s' * 200}", "", RequestOptions(session="s" * 200), id="long"),
        pytest.param('fault=error(message:"a;b");seed=1',
                     'fault=e(m:"a);\\";b",x:{y:[1;2]}); seed=2',
                     RequestOptions(faults=('e(m:"a);\\";b",x:{y:[1;2]})',), seed=2), id="quoted"),
        pytest.param("fault=error(message:%22a;b%22);seed=1", "",
                     RequestOptions(faults=('error(message:"a;b")',), seed=1), id="encoded-quotes"),
        pytest.param("fault=error%28message:a;b%29;seed=1", "",
                     RequestOptions(faults=("error(message:a;b)",), seed=1), id="encoded-brackets"),
        pytest.param("session=a(b;seed=1", "", RequestOptions(session="a(b", seed=1),
                     id="a-bracket-that-nothing-closes"),
        pytest.param("session=a)b;seed=1", "", RequestOptions(session="a)b", seed=1),
                     id="a-bracket-that-closes-nothing"),
        pytest.param('session=a"b;seed=1', "", RequestOptions(session='a"b', seed=1),
                     id="a-quote-that-nothing-closes"),
    ],
)  # fmt: skip
def test_options_are_read(in_path: str, in_header: str, options: RequestOptions) -> None:
    assert parse_options(in_path, in_header) == options


@pytest.mark.parametrize("mode", CONTRACT_MODES)
def test_every_mode_of_the_contract_is_taken(mode: str) -> None:
    assert parse_options(f"contract={mode}", "").contract == mode


def test_without_a_session_there_is_the_usual_one() -> None:
    assert parse_options("", "").session == DEFAULT_SESSION


@pytest.mark.parametrize(
    ("in_path", "in_header", "says"),
    [
        pytest.param("sessions=a", "", "unknown option 'sessions' in the base URL", id="unknown"),
        pytest.param("", "sessions=a", "unknown option 'sessions' in the header x-k3mock",
                     id="unknown-in-the-header"),
        pytest.param("sessions=a", "", "did you mean 'session'?", id="nearest"),
        pytest.param("a=1", "", f"known: {', '.join(sorted(OPTIONS))}", id="known"),
        pytest.param("=a", "", "unknown option ''", id="no-name"),
        pytest.param("session", "", "'session' in the base URL has no value", id="no-sign"),
        pytest.param("session=", "", "a name that isolates counters", id="no-value"),
        pytest.param("seed=five", "", "'seed' is a whole number", id="word-for-a-number"),
        pytest.param("seed=1.5", "", "found: 1.5", id="fraction"),
        pytest.param("seed=\u0663", "", "'seed' is a whole number", id="other-digits"),
        pytest.param("seed=1_000", "", "'seed' is a whole number", id="underscore"),
        pytest.param(f"session={'s' * 201}", "", f"has 201 characters\n  found: {'s' * 60}…",
                     id="long-session"),
        pytest.param(f"seed={'9' * 5000}", "", f"found: {'9' * 60}", id="endless-number"),
        pytest.param("contract=strict", "", "unknown contract mode 'strict'", id="mode"),
        pytest.param("contract=enforced", "", "did you mean 'enforce'?", id="nearest-mode"),
        pytest.param(f"{'x' * 100}=1", "", f"'{'x' * 60}'", id="long-names-are-cut"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_what_would_do(in_path: str, in_header: str, says: str) -> None:
    with pytest.raises(OptionError) as caught:
        parse_options(in_path, in_header)
    assert says in str(caught.value)
    assert "x" * 61 not in str(caught.value)


def test_every_option_has_a_sentence_and_a_field() -> None:
    fields = {name.removesuffix("s") if name == "faults" else name for name in
              RequestOptions.__dataclass_fields__}  # fmt: skip
    assert {*OPTIONS, "wire"} == fields
    assert all(OPTIONS.values())


@pytest.mark.parametrize(
    ("in_path", "in_header", "session"),
    [
        pytest.param("", "", DEFAULT_SESSION, id="none"),
        pytest.param("nonsense;session=a%20b", "", "a b", id="beside-a-mistake"),
        pytest.param("session=a", "session=b;x", "b", id="header-wins"),
        pytest.param('fault=e(m:"session=x;session=y");session=a', "", "a", id="not-in-quotes"),
        pytest.param(f"session={'s' * 201}", "", DEFAULT_SESSION, id="too-long"),
    ],
)
def test_the_session_is_known_even_where_other_options_are_wrong(
    in_path: str, in_header: str, session: str
) -> None:
    assert named_session(in_path, in_header) == session
