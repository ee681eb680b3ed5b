"""Cases about the bytes of a stream: framing, content type (G), and mocks that get it wrong (N)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.cases.case import case
from tests.support import request

if TYPE_CHECKING:
    from tests.cases.case import World

POEM = """
    name: {name}
    turns:
      - reply: {{content: "Grün ist die Wiese, 你好世界, und 🌷🌷 blühen."}}
    """
TEXT = "Grün ist die Wiese, 你好世界, und 🌷🌷 blühen."


@case(
    "G02",
    "Comment lines stand before the first event and between events.",
    scenario="""
    name: g02
    turns:
      - reply:
          events:
            - comment: " OPENROUTER PROCESSING"
            - content: {text: "Hel", whole: true}
            - comment: ""
            - content: {text: "lo", whole: true}
    """,
    options="wire.keepalive_ms=50;pace=ttft_ms=300",
)
def _(world: World) -> None:
    streamed = world.stream()
    lines = streamed.text.splitlines()
    assert lines.count(": keep-alive") >= 3
    assert ": OPENROUTER PROCESSING" in lines
    assert ":" in lines
    assert streamed.joined("content") == "Hello"


@case(
    "G04",
    "No blank behind `data:`, or one JSON object over several `data:` lines.",
    scenario=POEM.format(name="g04"),
    options="wire.space_after_colon=false",
)
def _(world: World) -> None:
    tight = world.stream()
    assert b'data:{"id"' in tight.body
    assert b"data: " not in tight.body
    assert tight.joined("content") == TEXT
    spread = world.send(request(stream=True), options="wire.split_data_lines=true")
    blocks = spread.text.removesuffix("\n\n").split("\n\n")
    assert max(block.count("\n") for block in blocks) >= 3
    parts = [
        "\n".join(line.removeprefix("data:") for line in block.split("\n")) for block in blocks
    ]
    texts = [json.loads(data)["choices"][0]["delta"].get("content", "") for data in parts[:-1]]
    assert "".join(texts) == TEXT


@case(
    "G05",
    "A character of several bytes is cut in two by the borders of network reads.",
    scenario=POEM.format(name="g05"),
    options="wire.writes=split_utf8",
)
def _(world: World) -> None:
    def broken_reads(options: str = "") -> int:
        streamed = world.send(request(stream=True), options=options)
        assert streamed.joined("content") == TEXT
        broken = 0
        for piece in streamed.pieces:
            try:
                piece.decode()
            except UnicodeDecodeError:
                broken += 1
        if "gap" not in options and "event" not in options:
            assert len(streamed.reads) >= len(streamed.pieces) // 2
        return broken

    assert broken_reads() >= 8
    assert broken_reads("wire.writes=one_byte;wire.write_gap_ms=0") >= 8
    assert broken_reads("wire.writes=bytes:7") >= 2
    assert broken_reads("wire.writes=event") == 0


@case(
    "G06",
    "Keep-alive comments for as long as the queue lasts, before the first chunk.",
    scenario=POEM.format(name="g06"),
    options="wire.keepalive_ms=40;wire.keepalive_text= keep-alive;pace=ttft_ms=260",
)
def _(world: World) -> None:
    body = world.stream().text
    before, _, _ = body.partition("data:")
    assert before.count(": keep-alive\n\n") >= 4
    assert before.replace(": keep-alive\n\n", "") == ""


@case(
    "G07",
    """A stream was asked for and JSON comes, or the other way round; or the stream's Content-Type
    is wrong or missing.""",
    scenario=POEM.format(name="g07"),
    options="fault=json_instead_of_stream",
)
def _(world: World) -> None:
    whole = world.stream()
    assert whole.headers["content-type"].startswith("application/json")
    assert whole.message["content"] == TEXT
    streamed = world.send(request(), options="fault=stream_instead_of_json")
    assert streamed.headers["content-type"].startswith("text/event-stream")
    assert streamed.joined("content") == TEXT
    mislabelled = world.send(
        request(stream=True), options="fault=wrong_content_type;wire.streaming=follow"
    )
    assert not mislabelled.headers["content-type"].startswith("text/event-stream")
    assert mislabelled.joined("content") == TEXT
    chosen = "wire.content_type=application%2Fjson, text%2Fevent-stream%3B charset=utf-8"
    named = world.send(request(stream=True), options=f"fault=crlf;{chosen}")
    assert named.headers["content-type"] == "application/json, text/event-stream; charset=utf-8"
    missing = world.send(request(stream=True), options="fault=no_content_type")
    assert "content-type" not in missing.headers


@case(
    "G09",
    "The stream ends right behind its last `data:` line, without the blank line.",
    scenario=POEM.format(name="g09"),
    options="wire.final_blank_line=false",
)
def _(world: World) -> None:
    assert world.stream().body.endswith(b"\n\ndata: [DONE]\n")
    unfinished = world.send(request(stream=True), options="wire.done=false")
    assert unfinished.body.endswith(b"}\n")
    assert unfinished.finishes == ["stop"]
    assert unfinished.end == "whole"


@case(
    "N01",
    "A replay that reads a stream to its end first: here the first event arrives before the last is due.",
    scenario=POEM.format(name="n01"),
    options="pace=ttft_ms=20,content_tps=60",
)
def _(world: World) -> None:
    streamed = world.stream()
    assert len(streamed.reads) > 5
    assert streamed.times[-1] - streamed.times[0] > 0.1
    assert b'"role":"assistant"' in streamed.reads[0] + streamed.reads[1]
    assert not b"".join(streamed.reads[:2]).endswith(b"0\r\n\r\n")


@case(
    "N02",
    """A mock that answers in one piece never shows its client a border: here every event is a write
    of its own, bytes can be cut anywhere, and a client that leaves is noticed.""",
    scenario="""
    name: n02
    turns:
      - reply: {content: {tokens: 60}, pace: {content_tps: 100}}
    """,
)
def _(world: World) -> None:
    streamed = world.send(request(stream=True), options="wire.writes=event;pace=instant")
    assert streamed.chunked
    assert len(streamed.pieces) == len(streamed.events)
    assert streamed.done
    left = world.send(request("again", stream=True), stop_after=b'"content":"')
    assert left.end == "left"
    entry = world.entries()[-1]
    for _attempt in range(100):
        if entry.outcome.end is not None:
            break
        world.models()
    assert entry.outcome.end == "client_disconnect"
    assert 0 < entry.outcome.tokens < 60


@case(
    "N05",
    """A refusal that is reported for one host cannot be reproduced on another: every rule can be
    switched, and says where it was seen and when.""",
    profile="""
    extends: moonshot
    as_of: 2026-04
    about: the platform as reported in spring
    switches: {anyof_rule: refuse}
    """,
)
def _(world: World) -> None:
    schema = {
        "type": "object",
        "properties": {"skill": {"type": "string", "anyOf": [{"type": "string"}]}},
    }
    offered = {"type": "function", "function": {"name": "f", "parameters": schema}}
    assert world.ask(tools=[offered]).status == 400
    elsewhere = world.send(request(tools=[offered]), options="profile=moonshot")
    assert elsewhere.status == 200
