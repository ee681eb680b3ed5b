from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from k3mock.errors import SettingsError
from k3mock.settings import Settings, from_sources, parse_pairs


def test_the_defaults_suit_a_test_run() -> None:
    settings = Settings()
    assert (settings.profile, settings.host, settings.port) == ("moonshot", "127.0.0.1", 8000)
    assert (settings.pace, settings.seed, settings.on_miss) == ("instant", None, None)
    assert (settings.contract, settings.api_keys) == ("enforce", ())
    assert settings.loopback


def test_settings_do_not_change_behind_a_servers_back() -> None:
    with pytest.raises(FrozenInstanceError):
        Settings().port = 1  # type: ignore[misc]  # the very thing that must not work


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        pytest.param({"on_miss": "generator"}, "did you mean 'generate'", id="on-miss"),
        pytest.param({"exhausted": "repeat"}, "did you mean 'repeat-last'", id="exhausted"),
        pytest.param({"contract": "strict"}, "known: enforce, off, warn", id="contract"),
        pytest.param({"warnings": "loud"}, "known: error, note", id="warnings"),
        pytest.param({"log_format": "xml"}, "known: json, off, text", id="log-format"),
        pytest.param({"tokenizer": {"vocab": "chars"}}, "'vocabulary'", id="tokenizer"),
        pytest.param({"port": -1}, "0 to 65535", id="port-below"),
        pytest.param({"port": 65_536}, "0 to 65535", id="port-above"),
        pytest.param({"ssl_certfile": "a.pem"}, "--ssl-keyfile", id="certificate-without-key"),
        pytest.param({"ssl_keyfile": "a.pem"}, "--ssl-certfile", id="key-without-certificate"),
    ],
)
def test_values_that_cannot_be_used_are_refused_with_what_can(
    fields: dict[str, Any], says: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings(**fields)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"port": 0}, id="free-port"),
        pytest.param({"port": 65_535}, id="last-port"),
        pytest.param({"log_format": "json"}, id="log"),
        pytest.param({"ssl_certfile": "a.pem", "ssl_keyfile": "b.pem"}, id="tls"),
        pytest.param({"tokenizer": {"counter": "splintr", "path": "x"}}, id="tokenizer"),
    ],
)
def test_good_values_are_taken(fields: dict[str, Any]) -> None:
    settings = Settings(**fields)
    assert all(getattr(settings, name) == value for name, value in fields.items())


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False)],  # noqa: S104
)
def test_only_this_machine_reaches_a_loopback_address(host: str, *, loopback: bool) -> None:
    assert Settings(host=host).loopback is loopback


def test_the_call_wins_over_the_environment_and_that_over_the_defaults() -> None:
    environ = {"K3MOCK_PACE": "20", "K3MOCK_PROFILE": "from-environment"}
    settings = from_sources(
        {"profile": "from-call"},
        environ=environ,
        defaults={"pace": "realistic", "profile": "from-default", "log_format": "text"},
    )
    assert (settings.profile, settings.pace, settings.log_format) == ("from-call", "20", "text")


def test_none_and_the_empty_list_count_as_not_given() -> None:
    environ = {"K3MOCK_SEED": "7", "K3MOCK_API_KEYS": "a,b"}
    settings = from_sources({"seed": None, "api_keys": (), "port": 0}, environ=environ)
    assert (settings.seed, settings.api_keys, settings.port) == (7, ("a", "b"), 0)


def test_zero_and_false_like_values_count_as_given() -> None:
    settings = from_sources({"seed": 0}, environ={"K3MOCK_SEED": "7"})
    assert settings.seed == 0


@pytest.mark.parametrize(
    ("variable", "text", "field", "value"),
    [
        pytest.param("K3MOCK_PORT", "9000", "port", 9000, id="port"),
        pytest.param("K3MOCK_SEED", "-3", "seed", -3, id="seed"),
        pytest.param("K3MOCK_API_KEYS", " a , ,b", "api_keys", ("a", "b"), id="keys"),
        pytest.param(
            "K3MOCK_SCENARIOS", "a.yaml, hello", "scenarios", ("a.yaml", "hello"), id="scenarios"
        ),
        pytest.param("K3MOCK_RELOAD", "Yes", "reload", True, id="reload"),
        pytest.param("K3MOCK_RELOAD", "0", "reload", False, id="no-reload"),
        pytest.param("K3MOCK_CORS", "http://x", "cors", ("http://x",), id="cors"),
        pytest.param(
            "K3MOCK_TOKENIZER",
            "counter=splintr, accounting = visible",
            "tokenizer",
            {"counter": "splintr", "accounting": "visible"},
            id="tokenizer",
        ),
        pytest.param("K3MOCK_HOST", "::1", "host", "::1", id="text"),
        pytest.param("K3MOCK_CONTROL_KEY", "secret", "control_key", "secret", id="control-key"),
    ],
)
def test_every_kind_of_variable_is_read(
    variable: str, text: str, field: str, value: object
) -> None:
    assert getattr(from_sources({}, environ={variable: text}), field) == value


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        pytest.param("K3MOCK_PORT", "eighty", id="port"),
        pytest.param("K3MOCK_SEED", "1.5", id="seed"),
        pytest.param("K3MOCK_RELOAD", "perhaps", id="reload"),
        pytest.param("K3MOCK_TOKENIZER", "splintr", id="pair"),
    ],
)
def test_a_bad_variable_is_named_with_its_text(variable: str, text: str) -> None:
    with pytest.raises(SettingsError) as caught:
        from_sources({}, environ={variable: text})
    assert variable in str(caught.value)
    assert text in str(caught.value)


def test_the_programs_own_environment_is_read_when_none_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("K3MOCK_PROFILE", "from-environment")
    assert from_sources({}).profile == "from-environment"


def test_pairs_are_read_and_the_last_of_a_key_wins() -> None:
    assert parse_pairs("--x", ["a=1", " b = 2=3 ", "a=4"]) == {"a": "4", "b": "2=3"}
    assert parse_pairs("--x", ()) == {}
    with pytest.raises(SettingsError, match="--x takes key=value"):
        parse_pairs("--x", ["a"])


@pytest.mark.parametrize(
    ("fields", "generates"),
    [
        ({}, True),
        ({"cassettes": ("a.yaml",)}, False),
        ({"cassettes": ("a.yaml",), "scenarios": ("b.yaml",)}, True),
        ({"cassettes": ("a.yaml",), "on_miss": "generate"}, True),
        ({"on_miss": "error"}, False),
    ],
)
def test_the_generator_is_off_where_only_cassettes_are_loaded(
    fields: dict[str, Any], generates: Any
) -> None:
    assert Settings(**fields).generates is generates


def test_what_is_replayed_can_be_said_in_the_environment() -> None:
    environ = {
        "K3MOCK_CASSETTES": "a.yaml, b",
        "K3MOCK_EXHAUSTED": "cycle",
        "K3MOCK_STRICT_MATCH": "yes",
        "K3MOCK_IGNORE": "messages[*].name,run",
        "K3MOCK_CHECK_CONTRACT": "0",
    }
    settings = from_sources({}, environ=environ)
    assert settings.cassettes == ("a.yaml", "b")
    assert (settings.exhausted, settings.strict_match) == ("cycle", True)
    assert settings.ignore == ("messages[*].name", "run")
    assert not settings.check_contract
