"""Turns what a use of a client left behind into the words of its cell in the table."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.clients.witness import Witness

WORKS = "works"
WHOLE = "Ankara is the capital of Türkiye 🇹🇷, and has been since 1923."
THOUGHT = "The user asks for a capital: Ankara, not İstanbul."
WEATHER = "It is sunny in İzmir ☀️, with 18 degrees."
FIXED = "The sign was wrong; now the tests pass ☕."
AGENT_STEPS = 10


def _failed(seen: Witness) -> str:
    """Say what kept the client from an answer at all, or nothing."""
    if seen.outcome == "unsupported":
        return "not offered"
    if seen.raised:
        return f"raises {seen.raised}{_tries(seen)}"
    if seen.outcome != "works":
        return "breaks"
    return ""


def _tries(seen: Witness) -> str:
    return f" after {len(seen.calls)} requests" if len(seen.calls) > 1 else ""


def _differs(seen: Witness, wanted: str) -> str:
    if seen.text == wanted:
        return ""
    if not seen.text:
        return "empty answer"
    return "half the text" if wanted.startswith(seen.text) else "another text"


def plain(seen: Witness) -> str:
    """A whole answer: its text arrived as it was sent."""
    return _failed(seen) or _differs(seen, WHOLE) or WORKS


def stream(seen: Witness) -> str:
    """A stream: asked for as one, the text as it was sent, in more than one piece."""
    failed = _failed(seen) or _differs(seen, WHOLE)
    if failed:
        return failed
    if not seen.calls[-1].body.get("stream"):
        return "asks for no stream"
    return WORKS if int(seen.saw.get("pieces") or 0) > 1 else "text in one piece"


def reasoning(seen: Witness) -> str:
    """The thinking: shown for a whole answer and for a stream, where a client has both."""
    failed = _failed(seen)
    if failed:
        return failed
    shown = {
        where: str(seen.saw[key] or "").strip() == THOUGHT
        for key, where in (("reasoning", "whole answers"), ("stream_reasoning", "streams"))
        if key in seen.saw
    }
    if not any(shown.values()):
        return "no reasoning shown"
    return WORKS if all(shown.values()) else f"only in {next(w for w in shown if shown[w])}"


def _replay(seen: Witness) -> str:
    """Say how much of the thinking went back with the history."""
    sent = [each for each in seen.calls[-1].messages if each.get("role") == "assistant"]
    with_it = [each for each in sent if each.get("reasoning_content") or each.get("reasoning")]
    if len(with_it) == len(sent) or not seen.thinks:
        return WORKS
    return f"{WORKS}, {'reasoning' if not with_it else 'some reasoning'} not sent back"


def _arguments(seen: Witness) -> list[list[Any]]:
    found: list[list[Any]] = seen.saw.get("calls") or []
    return found


def tools(seen: Witness) -> str:
    """One call and its result: run once with the right arguments, sent back under its id."""
    failed = _failed(seen) or _unlike_weather(seen) or _differs(seen, WEATHER)
    return failed or _replay(seen)


def _unlike_weather(seen: Witness) -> str:
    unlike = _unlike_calls(seen, [["get_weather", {"city": "İzmir"}]])
    if unlike:
        return unlike
    results = [each for each in seen.calls[-1].messages if each.get("role") == "tool"]
    if len(results) != 1 or "18 degrees" not in str(results[0].get("content")):
        return "result not sent back"
    return ""


def _unlike_calls(seen: Witness, wanted: list[Any]) -> str:
    found = _arguments(seen)
    if not found:
        return "runs no tool"
    if len(found) < len(wanted) and all(each in wanted for each in found):
        return f"runs {len(found)} of {len(wanted)} calls"
    if sorted(found, key=str) != sorted(wanted, key=str):
        shown = ", ".join(
            f"{name}({json.dumps(given, ensure_ascii=False)})" for name, given in found
        )
        return f"runs {shown[:60]}"
    return ""


def pair(seen: Witness) -> str:
    """Two calls at once, each with its own arguments."""
    wanted = [["get_weather", {"city": "İzmir"}], ["get_weather", {"city": "Ankara"}]]
    return _failed(seen) or _unlike_calls(seen, wanted) or _differs(seen, WEATHER) or WORKS


def ping(seen: Witness) -> str:
    """A tool without parameters is run with none."""
    return _failed(seen) or _unlike_calls(seen, [["ping", {}]]) or _differs(seen, WHOLE) or WORKS


def image(seen: Witness) -> str:
    """A picture of the question is in the request that arrived."""
    failed = _failed(seen)
    if failed:
        return failed
    parts = seen.calls[-1].messages[-1].get("content")
    types = [part.get("type") for part in parts] if isinstance(parts, list) else []
    return "copes" if "image_url" in types else "the picture is not sent"


def once(seen: Witness) -> str:
    """An error that no second try mends: told to the user, and not asked again."""
    failed = _failed(seen)
    if failed:
        return failed if len(seen.calls) > 1 else f"{failed}, asks once"
    return f"no error: {seen.text[:40]!r}" if seen.text else "an empty answer, no error"


def structured(seen: Witness) -> str:
    """An answer under a schema, and how the client asked for it."""
    failed = _failed(seen)
    if failed:
        return failed
    parsed = seen.saw.get("parsed")
    if not isinstance(parsed, dict) or not isinstance(parsed.get("city"), str):
        return "nothing parsed"
    if not isinstance(parsed.get("degrees"), int):
        return "not as the schema says"
    body = seen.calls[-1].body
    asked = (body.get("response_format") or {}).get("type")
    if asked == "json_schema":
        return WORKS
    return f"{WORKS} (asks by {'a tool' if body.get('tools') else asked or 'prompt'})"


def usage(seen: Witness) -> str:
    """The token numbers: of a whole answer and of a stream, where a client has both."""
    failed = _failed(seen)
    if failed:
        return failed
    shown: list[str] = []
    for name, call in zip(("usage", "stream_usage"), _costed(seen), strict=False):
        where = "" if name == "usage" else " in streams"
        if name in seen.saw:
            shown += _unlike(seen.saw[name], call, where)
    return ", ".join(shown) or WORKS


def _costed(seen: Witness) -> list[dict[str, int]]:
    """What the whole answers and the streams cost, the first of each, whole ones first."""
    calls = sorted(
        (call for call in seen.calls if call.usage), key=lambda call: bool(call.body.get("stream"))
    )
    whole = [call.usage for call in calls if not call.body.get("stream") and call.usage]
    streams = [call.usage for call in calls if call.body.get("stream") and call.usage]
    nothing = {"prompt": 0, "completion": 0}
    return [(whole or streams or [nothing])[0], (streams or whole or [nothing])[0]]


def _unlike(found: dict[str, Any] | None, wanted: dict[str, int], where: str) -> list[str]:
    if not found or not found.get("prompt"):
        return [f"none{where or ' in whole answers'}"]
    for name in ("prompt", "completion"):
        if found.get(name) != wanted[name]:
            return [f"{name} {found.get(name)} for {wanted[name]}{where}"]
    lost = [name for name in ("reasoning", "cached") if wanted[name] and not found.get(name)]
    return [f"no {name} tokens{where}" for name in lost]


def retry(seen: Witness) -> str:
    """A refusal that passes: asked again, and the answer arrived."""
    failed = _failed(seen)
    if failed:
        return failed if len(seen.calls) > 1 else f"{failed}, no second try"
    return _differs(seen, WHOLE) or WORKS


def broken(seen: Witness) -> str:
    """An answer that ended before its time: what the client's user is told of it."""
    failed = _failed(seen)
    if failed:
        return failed
    if not seen.text:
        return f"an empty answer, no error{_tries(seen)}"
    return f"takes the cut text for whole{_tries(seen)}"


def agent(seen: Witness) -> str:
    """Ten tools run one after the other, every result sent back under its id, then the answer."""
    # Some agents show the words between the steps, too.
    failed = _failed(seen) or ("" if seen.text.endswith(FIXED) else _differs(seen, FIXED))
    if failed:
        return (
            f"{failed} ({len(_arguments(seen))} of {AGENT_STEPS} steps)" if seen.calls else failed
        )
    if len(_arguments(seen)) != AGENT_STEPS:
        return f"runs {len(_arguments(seen))} tools for {AGENT_STEPS}"
    history = seen.calls[-1].messages
    given = [each for each in history if each.get("role") == "tool"]
    if len(given) != AGENT_STEPS or not _fits(history):
        return "results do not fit the calls"
    return _replay(seen)


def copes(judge: Callable[[Witness], str]) -> Callable[[Witness], str]:
    """Judge a case by the column that it bends: `copes` where the client is not disturbed."""

    def judged(seen: Witness) -> str:
        said = judge(seen)
        return "copes" if said.startswith(WORKS) else said

    return judged


def looped(
    steps: Sequence[tuple[str, dict[str, Any]]], seen_results: Sequence[str], text: str
) -> Callable[[Witness], str]:
    """Judge a loop over tools that the client brings: these calls, results with these words."""

    def judged(seen: Witness) -> str:
        failed = _failed(seen) or _differs(seen, text)
        if failed:
            return f"{failed} ({len(_arguments(seen))} of {len(steps)} steps)"
        if _arguments(seen) != [list(step) for step in steps]:
            return f"runs {json.dumps(_arguments(seen), ensure_ascii=False)[:60]}"
        history = seen.calls[-1].messages
        results = [str(each.get("content")) for each in history if each.get("role") == "tool"]
        if len(results) != len(steps) or not _fits(history):
            return "results do not fit the calls"
        if not all(any(words in result for result in results) for words in seen_results):
            return "a tool did not do what it was called for"
        return _replay(seen)

    return judged


def _fits(history: list[dict[str, Any]]) -> bool:
    asked = [each["id"] for turn in history for each in turn.get("tool_calls") or ()]
    return asked == [each.get("tool_call_id") for each in history if each.get("role") == "tool"]
