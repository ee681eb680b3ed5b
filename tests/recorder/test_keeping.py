from __future__ import annotations

from dataclasses import replace

from k3mock.cassette.interaction import End
from k3mock.cassette.library import Manner
from k3mock.protocol.request import RawRequest
from k3mock.recorder.deck import Mode
from k3mock.recorder.exchange import Exchange
from k3mock.recorder.keeping import Keeping
from k3mock.settings import Settings

KEEPING = Keeping(Settings(), Mode.ONCE, Manner())
BODY = b'{"model":"kimi-k3","messages":[{"role":"user","content":"on 2026-11-30, weather-bot"}]}'


def exchange(uri: str = "http://h/v1/chat/completions", **more: object) -> Exchange:
    pairs = (
        ("authorization", "Bearer sk-Own4711own4711"), ("content-type", "application/json"),
        ("x-application", "weather-bot"), ("x-k3mock", "session=weather-bot"),
    )  # fmt: skip
    raw = RawRequest(method="POST", path="/v1/x", headers=dict(pairs), body=BODY, pairs=pairs)
    made = Exchange(
        seq=7, at=1_790_000_000.0, raw=raw, uri=uri, status=200, reason="OK",
        headers=(("content-type", "text/plain"), ("msh-org-id", "org-4711-4711"),
                 ("x-request-id", "theirs")),
        body=b"hello sk-Own4711own4711, said org-4711-4711", chunks=((10, 6), (5, 37)), head_us=9,
        end=End.UPSTREAM_ERROR, error="ReadError", encoding="gzip",
    )  # fmt: skip
    return replace(made, **more)  # type: ignore[arg-type]


def test_what_is_kept_has_the_shape_of_what_passed_and_none_of_its_secrets() -> None:
    kept = KEEPING.interaction(exchange())
    assert kept.request.headers == (("content-type", "application/json"),)
    assert kept.response.body == b"hello [redacted], said [redacted]"
    assert dict(kept.response.headers) == {
        "content-type": "text/plain", "x-request-id": "k3mock-000007",
    }  # fmt: skip
    timing = kept.timing
    assert timing is not None
    assert (timing.seq, timing.at, timing.head_us) == (7, "2026-09-21T14:13:20Z", 9)
    assert (timing.end, timing.error, timing.enc) == (End.UPSTREAM_ERROR, "ReadError", "gzip")
    assert sum(size for _, size in timing.chunks) == len(kept.response.body)
    assert "known" in timing.redacted


def test_only_keys_cookies_and_accounts_are_looked_for_everywhere() -> None:
    found = KEEPING.secrets(
        exchange("http://u:pass-4711@h/v1?api-version=2026-11-30&key=query-471")
    )
    assert found == {"sk-Own4711own4711", "org-4711-4711", "pass-4711", "query-471"}


def test_a_recording_that_holds_a_secret_is_named_by_place_and_rule() -> None:
    kept = KEEPING.interaction(exchange())
    leaked = replace(kept, response=replace(kept.response, body=b"it is org-4711-4711"))
    assert KEEPING.leaks([kept], KEEPING.secrets(exchange())) == []
    [leak] = KEEPING.leaks([leaked], KEEPING.secrets(exchange()))
    assert "known" in leak
    assert "4711" not in leak


def test_the_texts_of_private_sessions_are_not_kept() -> None:
    private = Keeping(Settings(redact_content=True), Mode.ONCE, Manner())
    kept = private.interaction(exchange(body=b"{}", chunks=((1, 2),)))
    assert b"2026-11-30" not in kept.request.body
    assert b"[text:" in kept.request.body
