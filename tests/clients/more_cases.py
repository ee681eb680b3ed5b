"""Turns cases from the field that agents and clients for Node reported into uses of them."""

from __future__ import annotations

from pathlib import Path

from tests.clients import judge
from tests.clients.cells import ANSWER, Cell, answer, weather

WANTED = str(Path(__file__).parent / "profiles" / "reasoning_wanted.yaml")


def first(bent: str) -> str:
    """Return the scenario of the plain answer behind one that fails."""
    head = ANSWER.partition("  - reply")[0]
    whole = f'{{reasoning: "{judge.THOUGHT}", content: "{judge.WHOLE}"}}'
    return f"{head}  - times: 1\n    reply: {bent}\n  - reply: {whole}\n"


MORE: dict[str, Cell] = {
    "A03": Cell(
        title="A03", use="stream_tools", judge=judge.copes(judge.tools),
        scenario=weather(), settings={"profile": WANTED},
        about="the host refuses a history whose calls lack their `reasoning_content`",
        reported="anomalyco/opencode#10996 (AI SDK)",
    ),
    "B04": Cell(
        title="B04", use="stream", judge=judge.copes(judge.stream),
        scenario=answer("faults: [answer_in_reasoning]"),
        about="the whole answer comes as reasoning, `content` stays empty",
        reported="OpenRouterTeam/ai-sdk-provider#426",
    ),
    "B09": Cell(
        title="B09", use="stream", judge=judge.copes(judge.stream),
        scenario=first("{reasoning: Hm., faults: [reasoning_only]}"),
        about="an answer of thinking alone, `finish_reason` is `stop`; the next one is whole",
        reported="MoonshotAI/kimi-code#3149, MoonshotAI/kimi-code#520",
    ),
    "C03": Cell(
        title="C03", use="stream_tools", judge=judge.copes(judge.tools),
        scenario=weather("wire: {tool_index_base: 1}"),
        about="the first index of a tool call is 1",
        reported="vercel/ai#18333",
    ),
    "D03": Cell(
        title="D03", use="stream_tools", judge=judge.copes(judge.tools),
        scenario=weather("wire: {tool_ids: kimi_functions}"),
        about="ids of calls look like `functions.name:0`",
        reported="MoonshotAI/kimi-cli#1977",
    ),
    "I07": Cell(
        title="I07", use="plain", judge=judge.copes(judge.retry),
        scenario=first("{error: context_overflow}"),
        about="the prompt does not fit the window, in the platform's words; the next one does",
        reported="MoonshotAI/kimi-code#207, MoonshotAI/kimi-cli#2011",
    ),
    "J01": Cell(
        title="J01", use="stream", judge=judge.broken,
        scenario=answer("faults: [{name: stall_forever, after: {content_tokens: 4}}]"),
        about="a stream goes silent in its midst and stays open",
        reported="MoonshotAI/kimi-code#1050, MoonshotAI/kimi-code#1798, clients on openai-node",
    ),
}  # fmt: skip
