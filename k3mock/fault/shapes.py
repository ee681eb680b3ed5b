"""Turns names of odd shapes into presets of the knobs of the wire; faults layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.fault.bend import Bend
from k3mock.fault.entry import Fault, Given, Parameter

if TYPE_CHECKING:
    from k3mock.contract.profile import Profile
    from k3mock.jsonvalue import JSONValue


def _preset(name: str, about: str, seen: str, /, **wire: JSONValue) -> Fault:
    return Fault(
        name=name, about=about, kind="shape", seen=seen,
        make=lambda _given, _profile: Bend(wire=wire),
    )  # fmt: skip


_GAP = Parameter(
    name="gap_ms", kind="whole", default=2, most=10_000, about="silence between two writes"
)


def _cut_writes(name: str, about: str, seen: str, writes: str) -> Fault:
    """Return the preset of a way to cut bytes into writes."""
    return Fault(
        name=name, about=about, kind="shape", seen=seen, parameters=(_GAP,), example="gap_ms:0",
        make=lambda given, _: Bend(
            wire={"writes": writes, "write_gap_ms": given.whole("gap_ms")}
        ),
    )  # fmt: skip


def _seven(given: Given, _: Profile) -> Bend:
    writes = f"bytes:{given.whole('bytes')}"
    return Bend(wire={"writes": writes, "write_gap_ms": given.whole("gap_ms")})


def _typed(given: Given, _: Profile) -> Bend:
    return Bend(wire={"content_type": given.text("type")})


FAULTS = (
    # Bytes of a stream.
    _cut_writes(
        "split_utf8", "Writes end inside characters.",
        "librefang/librefang#3448, danielmiessler/Fabric#2203 (G05)", "split_utf8",
    ),
    _cut_writes(
        "split_line", "Writes end inside lines.", "anomalyco/opencode#39694 (G05)", "split_line",
    ),
    _cut_writes(
        "one_byte_writes", "Each byte is a write of its own.",
        "agentclientprotocol/python-sdk#135 (G05)", "one_byte",
    ),
    Fault(
        name="seven_byte_writes", kind="shape", make=_seven, example="bytes:64",
        about="Each write has seven bytes.", seen="musistudio/claude-code-router#1672 (G05)",
        parameters=(
            Parameter(name="bytes", kind="whole", default=7, least=1, most=1_000_000,
                      about="bytes of a write"),
            _GAP,
        ),
    ),
    _preset(
        "coalesced_writes", "Many events come in one write.", "vidaiUK/VidaiMock#1 (N02)",
        writes="coalesced",
    ),
    _preset("crlf", "Lines end with CR LF.", "lathe-cli/lathe#131 (G09)", newline="crlf"),
    _preset("cr_lines", "Lines end with CR alone.", "lathe-cli/lathe#131 (G09)", newline="cr"),
    _preset(
        "no_space_after_colon", "`data:{…}` without the space.",
        "kubernetes-sigs/inference-perf#781 (G04)", space_after_colon=False,
    ),
    _preset(
        "split_data_lines", "Each chunk spreads over several `data:` lines.",
        "Routstr/routstr-core#543 (G04)", split_data_lines=True,
    ),
    _preset(
        "no_final_blank_line", "The last event is not ended by a blank line.",
        "lathe-cli/lathe#131, kubernetes-sigs/inference-perf#781 (G09)", final_blank_line=False,
    ),
    _preset("bom", "A byte order mark starts the body.", "elizaOS/eliza#19260", bom=True),
    _preset(
        "named_events", "Each chunk has an `event:` line.", "farzaa/clicky#132 (H07)",
        event_name="message",
    ),
    _preset(
        "ascii_only", "Characters beyond ASCII are written as escapes.", "api7/aisix#111 (G05)",
        ascii=True,
    ),
    # Content type and form.
    Fault(
        name="wrong_content_type", kind="shape", make=_typed, example="type:application/json",
        about="The Content-Type does not fit the body.",
        seen="florimondmanca/httpx-sse#11, ktorio/ktor#5836 (G07)",
        parameters=(
            Parameter(name="type", kind="header", default="text/plain", about="the Content-Type"),
        ),
    ),
    _preset(
        "no_content_type", "No Content-Type at all.", "florimondmanca/httpx-sse#22 (G07)",
        content_type="none",
    ),
    _preset(
        "json_instead_of_stream", "A stream was asked for, a whole body comes.",
        "xiaoliu10/claude-code-router-next#45 (G07)", streaming="never",
    ),
    _preset(
        "stream_instead_of_json", "A whole body was asked for, a stream comes.",
        "langchain-ai/langgraphjs#2718 (G07)", streaming="always",
    ),
    # Ends of a stream.
    _preset("no_done", "No `[DONE]`.", "earendil-works/pi#8460 (H01)", done=False),
    _preset("no_finish", "No finish chunk.", "can1357/oh-my-pi#9609 (H03)", finish_chunks=0),
    _preset(
        "neither", "Neither finish chunk nor `[DONE]`.", "can1357/oh-my-pi#9609 (H01)",
        finish_chunks=0, done=False,
    ),
    _preset(
        "duplicate_finish", "Two finish chunks.", "QwenLM/qwen-code#2402 (H08)", finish_chunks=2,
    ),
    _preset(
        "null_finish_delta", "The finish chunk has `delta: null`.",
        "microsoft/agent-framework#5734, microsoft/graphrag#509 (H16)", finish_delta="null",
    ),
    _preset(
        "no_finish_delta", "The finish chunk has no `delta`.", "bagofwords1/bagofwords#742 (H16)",
        finish_delta="omit",
    ),
    _preset(
        "empty_finish", "`finish_reason` of all other chunks is an empty text.",
        "sgl-project/sglang#3912 (F08)", pending_finish="empty",
    ),
    _preset(
        "text_null_finish", "`finish_reason` of all other chunks is the word `null`.",
        "PowerShell/AIShell#350 (F08)", pending_finish="text",
    ),
    # Roles and channels.
    _preset(
        "role_everywhere", "Each delta carries `role`.", "mistralai/mistral-vibe#795 (H16)",
        role="every",
    ),
    _preset(
        "null_role_later", "Later deltas carry `role: null`.", "pydantic/pydantic-ai#797 (H16)",
        role="null_later",
    ),
    _preset(
        "null_first_content", "The first delta has `content: null`.",
        "awslabs/llmeter#17 (H16)", first_content="null",
    ),
    _preset(
        "null_channels", "Content and reasoning are null where they say nothing.",
        "can1357/oh-my-pi#2996, earendil-works/pi#2782 (B07)", absent_channel="null",
        delta_reasoning="null", delta_content="null", absent_content="null",
    ),
    _preset(
        "null_keys", "Deltas show every key, null where it has no value.",
        "openai/openai-dotnet#389 (F08)", null_keys=True,
    ),
    _preset(
        "reasoning_field_reasoning", "Reasoning comes as `reasoning`.",
        "anomalyco/opencode#37553, dirac-run/dirac#227 (B01)", reasoning_field="reasoning",
    ),
    _preset(
        "reasoning_twice", "Reasoning comes under both names.", "leookun/cursor-byok#363 (B01)",
        reasoning_field="both",
    ),
    _preset(
        "reasoning_details", "Reasoning comes with a list of typed details.",
        "azrtydxb/Fastllm-proxy#23 (B01)", reasoning_field="details",
    ),
    _preset(
        "hidden_reasoning", "No reasoning is shown; usage counts it.",
        "anomalyco/opencode#37553 (B01)", reasoning_field="hidden",
    ),
    _preset(
        "typed_blocks", "Text comes as a list of typed blocks.",
        "earendil-works/pi#7216, symfony/ai#2422 (B10)", content_encoding="typed_blocks",
    ),
    _preset(
        "repeated_prefix", "An answer to `partial` says the prefix again.",
        "tashfeenahmed/freellmapi#1040 (K09)", partial_result="repeat_prefix",
    ),
    _preset(
        "empty_partial", "An answer to `partial` has no content.",
        "platberlitz/SillyBunny#801 (K09)", partial_result="empty",
    ),
    # Usage.
    _preset(
        "usage_in_choice", "Usage stands in the finish chunk's choice alone.",
        "earendil-works/pi#2017, AstrBotDevs/AstrBot#6618 (F01)", usage_in_choice=True,
        usage_chunk="off", usage_elsewhere="omit",
    ),
    _preset(
        "usage_forced", "A chunk with usage and empty choices ends each stream.",
        "XSpoonAi/spoon-core#179, Portkey-AI/gateway#1629 (F02)", usage_in_choice=False,
        usage_chunk="forced", usage_elsewhere="omit",
    ),
    _preset(
        "usage_everywhere", "Each chunk carries growing usage.",
        "open-webui/open-webui#29064, cline/cline#11304 (F05)", usage_in_choice=False,
        usage_chunk="forced", usage_elsewhere="cumulative",
    ),
    _preset(
        "usage_null_elsewhere", "All other chunks carry `usage: null`.",
        "spring-projects/spring-ai#1358, router-for-me/CLIProxyAPI#3173 (F08)",
        usage_in_choice=False, usage_chunk="forced", usage_elsewhere="null",
    ),
    _preset(
        "cached_top", "Cached tokens at the top of usage alone.", "earendil-works/pi#8119 (F06)",
        cached_tokens="top",
    ),
    _preset(
        "cached_nested", "Cached tokens in the details of usage alone.", "cline/cline#9016 (F06)",
        cached_tokens="nested",
    ),
    _preset(
        "cached_deepseek", "Cached tokens as hit and miss tokens.",
        "QuantumNous/new-api#2493 (F06)", cached_tokens="deepseek",
    ),
    _preset(
        "cached_devotel", "Cached tokens under three keys at once.",
        "mnfst/llm-gateway#2403 (F06)", cached_tokens="devotel",
    ),
    _preset(
        "cached_off", "Usage never shows cached tokens.", "aallan/vera-bench#97 (F06)",
        cached_tokens="off",
    ),
)  # fmt: skip
