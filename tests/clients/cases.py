"""Turns cases from the field into uses of the clients in which they were reported.

`docs/cases.md` says what each id stands for. A letter after an id is another form of its case.
"""

from __future__ import annotations

from tests.clients import judge
from tests.clients.cells import ANSWER, Cell, answer, weather
from tests.clients.more_cases import MORE

PAIR = f"""
name: pair
turns:
  - when: {{last: {{role: tool}}}}
    reply: {{reasoning: The tool has told me., content: "{judge.WEATHER}"}}
  - reply:
      reasoning: Both cities.
      tool_calls:
        - {{name: get_weather, arguments: {{city: "İzmir"}}}}
        - {{name: get_weather, arguments: {{city: Ankara}}}}
      %s
"""

PING = f"""
name: ping
turns:
  - when: {{last: {{role: tool}}}}
    reply: {{content: "{judge.WHOLE}"}}
  - reply: {{reasoning: Is it there?, tool_calls: [{{name: ping, arguments: "%s"}}]}}
"""

FAILING = """
name: failing
turns:
  - reply: {error: %s}
"""

CASES: dict[str, Cell] = {
    **MORE,
    "B02": Cell(
        title="B02", use="reasoning", judge=judge.copes(judge.reasoning), scenario=ANSWER,
        about="the thinking comes as deltas of `reasoning_content`, which the OpenAI types lack",
        reported="langchain-ai/langchain#34152",
    ),
    "B03": Cell(
        title="B03", use="plain", judge=judge.copes(judge.plain),
        scenario=answer("faults: [length_in_reasoning]"),
        about="the budget goes into thinking: `content` is empty, `finish_reason` is `length`",
        reported="BerriAI/litellm-docs#559",
    ),
    "B09": Cell(
        title="B09", use="plain", judge=judge.copes(judge.plain),
        scenario=answer("faults: [reasoning_only]"),
        about="thinking alone: neither text nor a call, and again on every retry",
        reported="MoonshotAI/kimi-cli#1172, MoonshotAI/kimi-cli#384",
    ),
    "C01": Cell(
        title="C01", use="stream_tools", judge=judge.copes(judge.tools),
        scenario=weather("wire: {tool_index: omit}"),
        about="deltas of a tool call carry no `index`",
        reported="openai/openai-python#3246, openai/openai-python#3410, vercel/ai#15879",
    ),
    "C02": Cell(
        title="C02", use="stream_tools", judge=judge.copes(judge.pair),
        scenario=PAIR % "faults: [colliding_index]",
        about="the second call begins at index 0 and goes on at index 1",
        reported="agno-agi/agno#8880, vercel/ai#18333",
    ),
    "C04": Cell(
        title="C04", use="stream_tools", judge=judge.copes(judge.tools),
        scenario=weather("wire: {tool_continuation: empty}"),
        about="later deltas of a tool call carry `id` and `name` as empty texts",
        reported="langchain-ai/langchain#39335, langchain-ai/langchain#39357",
    ),
    "C08": Cell(
        title="C08", use="ping", judge=judge.copes(judge.ping), scenario=PING % "",
        about="a tool without parameters is called with empty text as arguments",
        reported="openai/openai-python#3502, langchain-ai/langchainjs#11383",
    ),
    "C11": Cell(
        title="C11", use="tools", judge=judge.copes(judge.tools),
        scenario=weather("faults: [wrong_finish]"),
        about="tool calls, but `finish_reason` says `stop`",
        reported="strands-agents/harness-sdk#3206",
    ),
    "C13": Cell(
        title="C13", use="stream_tools", judge=judge.copes(judge.pair),
        scenario=PAIR % "wire: {parallel_order: round_robin}",
        about="the arguments of two calls come in turns, told apart by index only",
        reported="QwenLM/Qwen-Agent#943",
    ),
    "F02": Cell(
        title="F02", use="stream_usage", judge=judge.copes(judge.stream), scenario=ANSWER,
        about="the last chunk has usage and an empty list of choices",
        reported="awslabs/llmeter#34",
    ),
    "F05": Cell(
        title="F05", use="usage", judge=judge.copes(judge.usage),
        scenario=answer("wire: {usage: every_chunk}"),
        about="every chunk carries usage that grows",
        reported="cline/cline#11304 and others",
    ),
    "G07": Cell(
        title="G07", use="stream", judge=judge.copes(judge.stream),
        scenario=answer("faults: [wrong_content_type]"),
        about="a stream comes with another Content-Type",
        reported="florimondmanca/httpx-sse#11, florimondmanca/httpx-sse#22",
    ),
    "G07b": Cell(
        title="G07b", use="stream", judge=judge.copes(judge.stream),
        scenario=answer("faults: [json_instead_of_stream]"),
        about="a stream was asked for and a whole JSON body comes",
        reported="xiaoliu10/claude-code-router-next#45",
    ),
    "H01": Cell(
        title="H01", use="stream", judge=judge.broken,
        scenario=answer("faults: [{name: clean_close, after: {content_tokens: 4}}]"),
        about="a stream ends properly in its midst: no finish, no [DONE]",
        reported="2389-research/tracker#544 and others",
    ),
    "H05": Cell(
        title="H05", use="stream", judge=judge.broken,
        scenario=answer("faults: [{name: error_event, after: {content_tokens: 4}}]"),
        about="an error object as an event of a stream that began with 200",
        reported="mozilla-ai/any-llm#847",
    ),
    "H12": Cell(
        title="H12", use="stream", judge=judge.broken,
        scenario=answer("faults: [{name: unterminated_chunk, after: {content_tokens: 4}}]"),
        about="the connection is closed without the chunk that ends the body",
        reported="chatchat-space/Langchain-Chatchat#3780 (openai-python, httpx)",
    ),
    "H16": Cell(
        title="H16", use="stream", judge=judge.copes(judge.stream),
        scenario=answer("wire: {finish_delta: null, first_content: null, role: null_later}"),
        about="`delta` is null in the finish chunk, `content` in the first, `role` in later ones",
        reported="pydantic/pydantic-ai#797",
    ),
    "I03": Cell(
        title="I03", use="plain", judge=judge.once,
        scenario=FAILING % "insufficient_balance",
        about="429 because the balance is used up: asking again is pointless",
        reported="Alishahryar1/free-claude-code#1223, anomalyco/opencode#24462",
    ),
    "I06": Cell(
        title="I06", use="plain", judge=judge.once, scenario=FAILING % "wrong_region",
        about="401 for a key of the other region",
        reported="VectifyAI/OpenKB#196 (litellm)",
    ),
    "I12": Cell(
        title="I12", use="plain", judge=judge.once,
        scenario=FAILING % "{name: error_200, choices: null}",
        about="status 200, `choices` is null and beside it stands an error",
        reported="openai/openai-agents-python#2850, langchain-ai/langchain#34515",
    ),
    "I13": Cell(
        title="I13", use="plain", judge=judge.once, scenario=FAILING % "error_string",
        about="`error` is a text",
        reported="openai/openai-python#610",
    ),
    "I15": Cell(
        title="I15", use="plain", judge=judge.once,
        scenario=FAILING % "request_too_large_html",
        about="413 as the HTML page of an nginx",
        reported="MoonshotAI/kimi-cli#1222",
    ),
    "K05": Cell(
        title="K05", use="no_thinking", judge=judge.once, scenario=ANSWER,
        about="the client is told to switch thinking off",
        reported="NousResearch/hermes-agent#55488 and others",
    ),
    "K08": Cell(
        title="K08", use="structured", judge=judge.copes(judge.structured),
        scenario="name: k08\nturns:\n  - reply: {faults: [fenced_json]}\n",
        about="JSON in a Markdown fence, whatever `response_format` says",
        reported="567-labs/instructor#1931, vercel/ai#19558",
    ),
    "K08b": Cell(
        title="K08b", use="structured", judge=judge.copes(judge.structured),
        scenario="name: k08b\nturns:\n  - reply: {faults: [schema_violation]}\n",
        about="JSON that misses a key of the schema and has an unknown one",
        reported="BerriAI/litellm#29683",
    ),
    "M07": Cell(
        title="M07", use="image", judge=judge.image, scenario=ANSWER,
        about="a picture beside the text: it must be in the request that arrives",
        reported="BerriAI/litellm#20862",
    ),
}  # fmt: skip
