"""The inspector page in a browser, as people use it."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from k3mock.journal import JournalEntry, Outcome
from k3mock.protocol.usage import Usage
from tests.support import Answer, call, chat, serving, tool

if TYPE_CHECKING:
    from k3mock.serving import MockServer

pytestmark = pytest.mark.ui

IMAGES = Path(__file__).parents[2] / "docs" / "images"
HOSTILE = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>\u202e</pre>"\'`&amp;'


def opened(page: Any, server: MockServer, at: str = "") -> None:
    page.goto(f"{server.address}/__k3mock__/{at}")


def shown(page: Any, selector: str, text: str) -> None:
    """Wait until an element shows a text."""
    page.locator(selector, has_text=text).first.wait_for(state="attached")


def looked_at(page: Any, server: MockServer, answer: Answer, tab: str = "talk") -> str:
    name = answer.headers["x-k3mock-request"]
    opened(page, server, f"#/requests/{name}/{tab}")
    page.wait_for_selector("[role=tabpanel]")
    return name


def test_a_stream_appears_while_it_runs(page: Any, mock: MockServer) -> None:
    opened(page, mock)
    page.wait_for_selector(".live.on")
    pace = "ttft_ms=0,reasoning_tps=60,content_tps=60"
    asking = threading.Thread(
        target=chat, args=(mock, "tell me"),
        kwargs={"stream": True, "max_tokens": 150, "options": f"pace={pace};session=live"},
    )  # fmt: skip
    asking.start()
    page.wait_for_selector(".row[data-id] .pill.running")
    assert "live" in page.inner_text(".row[data-id] .session")
    page.click(".row[data-id]")
    page.wait_for_selector(".mark")
    page.locator(".mark").nth(page.locator(".mark").count() + 5).wait_for(state="attached")
    assert "running" in page.inner_text(".stats")
    asking.join(20)
    shown(page, ".stats", "complete")


@pytest.mark.parametrize("options", ["pace=500", "pace=500;wire.writes=bytes:100", "fault=stall"])
def test_the_timeline_has_as_many_marks_as_writes(
    page: Any, mock: MockServer, options: str
) -> None:
    if options.startswith("fault"):
        options = "fault=stall(ms:40);pace=800"
    answer = chat(mock, "count", stream=True, max_tokens=60, options=options)
    name = looked_at(page, mock, answer)
    entry = mock.app.journal.find(name)
    assert entry is not None
    assert len(entry.writes.sent) > 30
    assert page.locator(".mark").count() == len(entry.writes.sent)
    assert page.locator(".mark.reasoning").count() > 10
    assert page.locator("g.silence").count() == (1 if "stall" in options else 0)
    page.locator(".scroll").focus()
    page.keyboard.press("End")
    assert f"#{len(entry.writes.sent) - 1} " in page.inner_text(".tip")
    assert "[DONE]" in page.inner_text(".tip pre") or "bytes" in options


def test_a_fault_that_is_switched_on_hits_the_next_request(page: Any, mock: MockServer) -> None:
    opened(page, mock, "#/controls")
    page.fill("#fault", "engine_overloaded")
    page.click("text=Switch on")
    page.wait_for_selector(".plain li b:has-text('engine_overloaded')")
    assert [chat(mock, "hit", max_tokens=1).status for _ in range(2)] == [429, 200]
    page.fill("#fault", "engine_overlode")
    page.click("text=Switch on")
    page.wait_for_selector("output.bad")
    assert "engine_overloaded" in page.inner_text("output.bad")
    page.fill("#fault", "")
    page.fill("#limits", "rpm=1")
    page.fill("#whose", "t1")
    page.check("#until")
    page.click("text=Switch on")
    page.wait_for_selector(".plain li b:has-text('limits rpm=1')")
    asked = [chat(mock, f"{at}", max_tokens=1, options="session=t1").status for at in range(2)]
    assert asked == [200, 429]
    page.click("[aria-label='Switch off switch-2']")
    page.wait_for_selector(".plain li b:has-text('limits rpm=1')", state="detached")


def test_what_a_client_writes_stays_text(page: Any, mock: MockServer) -> None:
    run = {"name": "run", "arguments": {"html": HOSTILE}, "force": True}
    reply = {"reasoning": HOSTILE, "tool_calls": [run], "content": HOSTILE}
    call(mock, "/__k3mock__/scenarios", {"name": "echo", "turns": [{"reply": reply}]})
    answer = chat(mock, HOSTILE, stream=True, user=HOSTILE, options="session=%3Cb%3Ebold")
    name = answer.headers["x-k3mock-request"]
    opened(page, mock)
    page.wait_for_selector(f".row[data-id='{name}']")
    assert "<b>bold" in page.inner_text(".row[data-id] .session")
    for tab in ("talk", "request", "warnings", "why", "frames"):
        looked_at(page, mock, answer, tab)
        for fold in page.locator("[role=tabpanel] details").all():
            fold.evaluate("each => { each.open = true }")
        if tab in {"talk", "request"}:
            assert "<script>window.hit=1</script>" in page.inner_text("[role=tabpanel]")
        assert page.locator("main script, main img").count() == 0
        assert page.evaluate("window.hit") is None


def test_the_keyboard_alone_leads_through_list_and_request(page: Any, mock: MockServer) -> None:
    answers = [chat(mock, f"number {at}", max_tokens=3, stream=True) for at in range(4)]
    names = [answer.headers["x-k3mock-request"] for answer in answers][::-1]
    opened(page, mock)
    page.wait_for_selector(f".row[data-id='{names[-1]}']")
    press = page.keyboard.press
    assert page.evaluate("document.activeElement.id") == "list"
    press("ArrowDown")
    press("ArrowDown")
    assert page.get_attribute(".row.on", "data-id") == names[2]
    press("Enter")
    page.wait_for_selector("[role=tab]")
    assert names[2] in page.inner_text("h1")
    for _ in range(30):
        press("Tab")
        if page.evaluate("document.activeElement.getAttribute('role')") == "tab":
            break
    press("ArrowRight")
    assert page.inner_text("[aria-selected=true]") == "Received, forwarded, effective"
    assert "messages[0].content" in page.inner_text("[role=tabpanel]")
    press("j")
    shown(page, "h1", names[3])
    assert page.inner_text("[aria-selected=true]") == "Received, forwarded, effective"
    press("Escape")
    page.wait_for_selector(".rows")
    assert page.get_attribute(".row.on", "data-id") == names[3]
    press("/")
    page.wait_for_selector("#search:focus")
    page.keyboard.type("number 1")
    page.wait_for_selector(".shown:text-is('1 request')")
    press("Escape")
    assert page.evaluate("document.activeElement.id") == "list"


def test_filters_keep_what_fits(page: Any, mock: MockServer) -> None:
    chat(mock, "good", max_completion_tokens=2, options="session=a")
    chat(mock, "cold", temperature=0, options="session=b")
    chat(mock, "old", max_tokens=2, options="session=b;profile=devotel")
    opened(page, mock)
    page.wait_for_selector("option:has-text('devotel')", state="attached")
    counts = {"session": ("b", "2"), "status": ("4xx", "1"), "profile": ("devotel", "1"),
              "warning": ("any", "1")}  # fmt: skip
    for name, (value, count) in counts.items():
        page.select_option(f"select[name={name}]", value)
        shown(page, ".shown", f"{count} request")
        page.select_option(f"select[name={name}]", "")
    shown(page, ".shown", "3 requests")


def test_differences_between_received_and_forwarded_are_marked(page: Any, mock: MockServer) -> None:
    answer = chat(mock, "warm", temperature=0.3, options="profile=evolink")
    looked_at(page, mock, answer, "request")
    assert page.inner_text("tr.removed th").startswith("temperature")
    page.check("#only")
    assert page.locator("tr.same:visible").count() == 0
    page.click("[role=tab]:has-text('Warnings')")
    assert "Evidence: " in page.inner_text(".warnings")


def test_near_misses_show_the_fields_that_differ(page: Any) -> None:
    address = ""
    with serving(on_miss="error") as server:
        address = server.address
        page.context.unroute("**/*")
        call(server, "/__k3mock__/scenarios",
             b"name: p\nturns: [{when: {last: hello, stream: true}, reply: x}]")  # fmt: skip
        answer = chat(server, "hello")
        page.goto(f"{address}/__k3mock__/#/requests/{answer.headers['x-k3mock-request']}/why")
        page.wait_for_selector(".near")
        assert "1 of 2 parts hold" in page.inner_text(".near")
        assert [each.inner_text() for each in page.locator(".near tbody tr > *").all()] == [
            "stream", "true", "false",
        ]  # fmt: skip


def test_copies_are_those_of_the_server(page: Any, mock: MockServer) -> None:
    answer = chat(mock, "copy me", max_tokens=3)
    name = looked_at(page, mock, answer)
    for form in ("curl", "scenario", "pytest"):
        page.click(f"[data-copy={form}]")
        page.wait_for_selector("output:has-text('copied')")
        copied = page.evaluate("navigator.clipboard.readText()")
        path = f"/__k3mock__/requests/{name}/copy?as={form}"
        assert copied == call(mock, path).body.decode()
        page.evaluate("document.querySelector('.copies output').textContent = ''")


def test_scenarios_cassettes_sessions_and_verdict_are_shown(page: Any, mock: MockServer) -> None:
    call(mock, "/__k3mock__/scenarios", b"name: p\nturns: [{when: {last: hi}, reply: x, times: 3}]")
    chat(mock, "hi")
    chat(mock, "old", max_tokens=2, seed=1)
    opened(page, mock, "#/controls")
    page.wait_for_selector("summary:has-text('1 hit')")
    page.click("summary:has-text('1 hit')")
    assert "1 of 3" in page.inner_text(".item")
    page.click("nav >> text=Verdict")
    page.wait_for_selector(".findings li")
    page.click(".evidence a >> nth=0")
    page.wait_for_selector("[role=tab]")
    page.click("nav >> text=Controls")
    page.click("li:has-text('default') >> text=Reset")
    page.click("li:has-text('default') >> text=Sure?")
    page.wait_for_selector("text=No session has sent anything.")
    assert mock.app.journal.entries() == []


def test_the_page_asks_for_the_control_key_and_keeps_it_in_its_tab(page: Any) -> None:
    with serving(control_key="open-sesame") as server:
        page.context.unroute("**/*")
        chat(server, "hi", max_tokens=1)
        page.goto(f"{server.address}/__k3mock__/")
        page.fill("#key", "wrong")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=That is not the key.")
        page.fill("#key", "open-sesame")
        page.keyboard.press("Enter")
        page.wait_for_selector(".row[data-id]")
        page.wait_for_selector(".live.on")
        page.reload()
        page.wait_for_selector(".row[data-id]")
        assert page.evaluate("Object.keys(localStorage).length") == 0
        assert page.evaluate("document.cookie") == ""


def many(server: MockServer, count: int) -> None:
    for number in range(count):
        server.app.journal.add(JournalEntry(
            id=f"req_{number:06d}", session=f"s{number % 7}", profile="moonshot", method="POST",
            path="/v1/chat/completions", headers={}, status=200,
            source="generator", usage=Usage(prompt=90, completion=50, reasoning=30),
            arrived=1_790_000_000.0 + number / 10,
            outcome=Outcome(end="complete", tokens=50, ttft_ms=20.0, duration_ms=90.0),
        ))  # fmt: skip


def test_ten_thousand_requests_are_painted_at_once_and_paged_through(
    page: Any, mock: MockServer
) -> None:
    many(mock, 10_000)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))

    before = busy()
    opened(page, mock)
    page.wait_for_selector(".row[data-id='req_009999']")
    assert busy() - before < 1.0
    shown(page, ".shown", "10,000 requests")
    assert page.locator(".row").count() < 80
    page.keyboard.press("End")
    page.wait_for_selector(".row[data-id='req_000000']")
    assert page.get_attribute(".row.on", "data-id") == "req_000000"
    assert page.locator(".row").count() < 80
    before = busy()
    for _ in range(40):
        page.keyboard.press("PageUp")
    assert busy() - before < 40 * 0.08
    loaded = page.evaluate(
        "performance.getEntriesByType('resource').map(each => [each.name, each.decodedBodySize])"
    )
    assert 20_000 < sum(size for name, size in loaded if "/inspector/" in name) < 200_000


def test_pictures_for_the_readme(browser: Any, tmp_path: Path) -> None:
    """Writes docs/images on request; they are small."""
    folder = IMAGES if "K3MOCK_PICTURES" in os.environ else tmp_path
    folder.mkdir(exist_ok=True)
    with serving(pace="ttft_ms=40,reasoning_tps=900,content_tps=500", seed=11) as server:
        for number in range(22):
            fields: dict[str, Any] = {"stream": number % 2 == 0, "max_completion_tokens": 90}
            options = f"session={('checkout', 'nightly', 'support')[number % 3]}"
            if number % 8 == 5:
                fields["temperature"] = 0.2
            if number % 8 == 6:
                options += ";profile=devotel;fault=engine_overloaded"
            chat(server, f"What is number {number}?", options=options, **fields)
        answer = chat(
            server, "Weather in Rome?", stream=True, tools=[tool()], tool_choice="required",
            options="session=checkout;fault=stall(ms:150)",
        )  # fmt: skip
        name = answer.headers["x-k3mock-request"]
        for scheme, at, picture in (
            ("light", "", "requests"), ("dark", f"#/requests/{name}", "request"),
        ):  # fmt: skip
            context = browser.new_context(
                viewport={"width": 1100, "height": 540}, color_scheme=scheme,
                reduced_motion="reduce",
            )  # fmt: skip
            tab = context.new_page()
            tab.goto(f"{server.address}/__k3mock__/{at}")
            tab.wait_for_selector(".mark" if at else ".picture")
            tab.wait_for_selector(".live.on")
            tab.screenshot(path=folder / f"{picture}.png")
            context.close()
            assert (folder / f"{picture}.png").stat().st_size < 100_000
