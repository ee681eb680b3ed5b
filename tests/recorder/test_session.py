from __future__ import annotations

import concurrent.futures
import http.client
import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from k3mock.cassette.format import load
from k3mock.cassette.interaction import End
from k3mock.cassette.library import Manner as Playing
from k3mock.cassette.problem import CassetteError
from k3mock.cassette.store import journal_file, lock_file, recover
from k3mock.errors import K3MockError, SettingsError
from k3mock.recorder.deck import Deck, Mode, open_deck
from k3mock.serving import MockServer
from k3mock.settings import Settings
from tests.recorder.test_relay import SECRET, eventually, stream
from tests.recorder.upstream import (
    Close,
    FakeUpstream,
    Hold,
    Say,
    event,
    head,
    kimi,
    streamed,
    whole,
)
from tests.support import CHAT, call, chat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.recorder.conftest import Studio
    from tests.recorder.upstream import Seen

    Start = Callable[..., Studio]

RESET = "/__k3mock__/reset"


def numbered() -> Callable[[Seen], Any]:
    """Answer with what was asked and how many requests came before."""
    count = iter(range(1000))

    def script(seen: Seen) -> Any:
        asked = seen.json["messages"][0]["content"] if seen.body else seen.target
        return whole(json.dumps({"asked": asked, "nth": next(count)}).encode())

    return script


def asked(running: Studio | FakeUpstream) -> list[str]:
    return [seen.json["messages"][0]["content"] for seen in running.seen]


def contents(path: Path) -> list[tuple[str, int]]:
    """Return what a cassette holds: what was asked, and the number of the answer."""
    found = []
    for interaction in load(path).interactions:
        answer = json.loads(interaction.response.body)
        found.append((answer["asked"], answer["nth"]))
    return found


@pytest.fixture
def taped(studio: Start) -> Path:
    """A cassette with the requests A and B in it, answered 0 and 1."""
    running = studio(numbered())
    chat(running.server, "A")
    chat(running.server, "B")
    running.stop()
    assert contents(running.path) == [("A", 0), ("B", 1)]
    return running.path


@pytest.mark.parametrize("mode", ["once", "new_episodes", "all", "rewrite"])
def test_without_a_file_every_mode_but_none_records_everything(studio: Start, mode: str) -> None:
    running = studio(numbered(), record=mode)
    answers = [chat(running.server, text).json["nth"] for text in ("A", "A", "B")]
    assert answers == [0, 1, 2]
    running.stop()
    assert contents(running.path) == [("A", 0), ("A", 1), ("B", 2)]
    assert running.problems == []


@pytest.mark.parametrize("mode", ["none", "once"])
def test_a_file_that_is_there_is_played_and_never_written(
    studio: Start, taped: Path, mode: str
) -> None:
    before = taped.read_bytes()
    running = studio(numbered(), record=mode)
    assert chat(running.server, "B").json == {"asked": "B", "nth": 1}
    assert chat(running.server, "A").headers["x-k3mock-source"] == "cassette:tape.yaml#1"
    again = chat(running.server, "A")
    assert (again.status, again.error["code"]) == (422, "exhausted")
    missed = chat(running.server, "C")
    assert (missed.status, missed.error["type"]) == (422, "k3mock_error")
    assert missed.headers["x-should-retry"] == "false"
    assert f"mode {mode}" in missed.error["message"]
    running.stop()
    assert running.seen == []
    assert taped.read_bytes() == before
    assert not journal_file(taped).exists()


def test_new_episodes_are_forwarded_and_added(studio: Start, taped: Path) -> None:
    running = studio(numbered(), record="new_episodes")
    assert chat(running.server, "A").json["nth"] == 0
    assert chat(running.server, "C").json == {"asked": "C", "nth": 0}
    assert chat(running.server, "A").json["nth"] == 1
    running.stop()
    assert asked(running) == ["C", "A"]
    assert contents(taped) == [("A", 0), ("B", 1), ("C", 0), ("A", 1)]
    numbers = [each.timing.seq for each in load(taped).interactions if each.timing is not None]
    assert numbers == [1, 2, 3, 4]


def test_all_replaces_what_was_recorded_again_and_keeps_the_rest(
    studio: Start, taped: Path
) -> None:
    running = studio(numbered(), record="all")
    assert [chat(running.server, text).json["nth"] for text in ("A", "A", "C")] == [0, 1, 2]
    running.stop()
    assert contents(taped) == [("B", 1), ("A", 0), ("A", 1), ("C", 2)]


def test_rewrite_keeps_only_this_session(studio: Start, taped: Path) -> None:
    running = studio(numbered(), record="rewrite")
    chat(running.server, "C")
    running.stop()
    assert contents(taped) == [("C", 0)]


@pytest.mark.parametrize("mode", ["new_episodes", "all", "rewrite"])
def test_a_session_without_requests_leaves_the_file_as_it_was(
    studio: Start, taped: Path, mode: str
) -> None:
    before = taped.read_bytes()
    running = studio(numbered(), record=mode)
    running.stop()
    assert taped.read_bytes() == before
    assert not journal_file(taped).exists()


def test_an_empty_session_writes_no_file_and_says_so(studio: Start) -> None:
    running = studio(numbered())
    told: list[str] = []
    recorder = running.server.app.recorder
    assert recorder is not None
    recorder.listen(told.append)
    running.stop()
    assert not running.path.exists()
    assert told == [f"{running.path}: nothing was recorded, so nothing is written"]


def test_mode_none_has_no_client_that_could_reach_anybody(taped: Path) -> None:
    code = (
        "import sys\nfrom k3mock.asgi.app import create_app\nfrom k3mock.settings import Settings\n"
        f"app = create_app(Settings(record='none', cassettes=({str(taped)!r},), "
        "tokenizer={'counter': 'splintr'}))\n"
        "assert app.recorder._upstream is None\n"
        "assert 'k3mock.recorder.upstream' not in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_reset_publishes_a_sessions_recording_and_the_next_one_plays_it(studio: Start) -> None:
    running = studio(numbered())
    chat(running.server, "A")
    assert not running.path.exists()
    assert call(running.server, RESET, method="POST").json == {"status": "ok"}
    assert contents(running.path) == [("A", 0)]
    assert chat(running.server, "A").headers["x-k3mock-source"] == "cassette:tape.yaml#1"
    assert len(running.seen) == 1


def test_a_file_that_two_sessions_record_is_published_with_the_second(studio: Start) -> None:
    running = studio(numbered())
    chat(running.server, "A", options="session=a")
    chat(running.server, "B", options="session=b")
    call(running.server, f"{RESET}?session=a", method="POST")
    assert not running.path.exists()
    call(running.server, f"{RESET}?session=other", method="POST")
    assert not running.path.exists()
    call(running.server, f"{RESET}?session=b", method="POST")
    assert contents(running.path) == [("A", 0), ("B", 1)]


def test_a_reset_does_not_wait_for_ever_for_a_stream_that_runs(
    studio: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("k3mock.recorder.session.SETTLE_S", 0.05)
    running = studio(
        lambda seen: streamed([event("[DONE]")]) if b"done" in seen.body
        else [*streamed(kimi()[:2], end=False), Hold()]
    )  # fmt: skip
    chat(running.server, "done")
    with stream(running, "hangs") as response:
        response.read1()
        call(running.server, RESET, method="POST")
        assert len(load(running.path).interactions) == 1
    eventually(lambda: bool(running.problems))
    assert "published before this answer had ended" in running.problems[0]
    running.stop()
    assert len(load(running.path).interactions) == 1


def test_a_folder_gets_a_file_for_each_session_or_name(studio: Start) -> None:
    running = studio(numbered(), "tapes")
    chat(running.server, "A")
    chat(running.server, "B", options="session=t1")
    chat(running.server, "C", options="session=t1;cassette=login%20flow")
    chat(running.server, "D", options="cassette=own.json")
    running.stop()
    found = {path.name: contents(path) for path in running.path.iterdir()
             if path.suffix in {".yaml", ".json"}}  # fmt: skip
    assert found == {
        "default.yaml": [("A", 0)], "t1.yaml": [("B", 1)], "login flow.yaml": [("C", 2)],
        "own.json": [("D", 3)],
    }  # fmt: skip
    assert running.path.joinpath("own.json").read_text(encoding="utf-8").startswith("{")


def test_requests_that_come_together_open_a_cassette_once(
    studio: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Path] = []

    def slow(path: Path, mode: Mode, playing: Playing) -> Deck:
        opened.append(path)
        time.sleep(0.1)
        return open_deck(path, mode, playing)

    monkeypatch.setattr("k3mock.recorder.session.open_deck", slow)
    running = studio(numbered(), "tapes")
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: chat(running.server, f"call {n}"), range(8)))
    assert {answer.status for answer in answers} == {200}
    running.stop()
    assert opened == [running.path / "default.yaml"]
    assert len(contents(opened[0])) == 8


def test_a_long_request_is_played_too(studio: Start) -> None:
    text = "long " * 20_000
    running = studio(numbered())
    chat(running.server, text)
    call(running.server, RESET, method="POST")
    assert chat(running.server, text).headers["x-k3mock-source"] == "cassette:tape.yaml#1"


def test_what_is_still_read_for_nobody_ends_with_the_server(studio: Start) -> None:
    running = studio([*streamed(kimi()[:2], end=False), Hold()], drain=True)
    with stream(running) as response:
        response.read1()
    eventually(lambda: running.server.app.driver.open_answers == 0)
    [interaction] = running.recorded()
    assert running.seen[0].left.wait(10)
    assert interaction.response.body == b"".join(kimi()[:2])
    assert interaction.timing is not None
    assert interaction.timing.end is End.CLIENT_DISCONNECT


@pytest.mark.parametrize(
    "options",
    ["session=..", "cassette=..%2Fup", "cassette=a%5Cb", "cassette=.hidden", "cassette=nul",
     "session=a%00b", "cassette=x."],
)  # fmt: skip
def test_a_name_that_is_no_file_name_is_refused(studio: Start, options: str) -> None:
    running = studio(numbered(), "tapes")
    answer = chat(running.server, "A", options=options)
    assert answer.error["type"] == "k3mock_error"
    assert "cannot be the name of a cassette" in answer.error["message"]
    running.stop()
    assert running.seen == []
    assert list(running.path.iterdir()) == []


def test_one_file_answers_to_its_own_name_only(studio: Start) -> None:
    running = studio(numbered())
    assert chat(running.server, "A", options="cassette=tape").status == 200
    answer = chat(running.server, "B", options="cassette=other")
    assert "this server records one file" in answer.error["message"]
    assert asked(running) == ["A"]


@pytest.mark.parametrize("options", ["fault=stall", "scenario=hello", "wire.role=every"])
def test_what_changes_answers_is_refused_while_recording(studio: Start, options: str) -> None:
    running = studio(numbered())
    answer = chat(running.server, "A", options=options)
    assert answer.error["type"] == "k3mock_error"
    assert "do not apply to what is being recorded" in answer.error["message"]
    assert running.seen == []


@pytest.fixture
def upstream() -> Iterator[FakeUpstream]:
    with FakeUpstream(numbered()) as running:
        yield running


def refused(server: FakeUpstream, cassette: Path | str, **settings: Any) -> str:
    """Return the message of a server that cannot start."""
    given = {"record": "once", "upstream": server.url, "port": 0,
             "tokenizer": {"counter": "splintr"}, **settings}  # fmt: skip
    with pytest.raises(K3MockError) as caught:
        MockServer(Settings(cassettes=(str(cassette),), **given)).start()
    assert server.seen == []
    return str(caught.value)


def test_a_locked_cassette_is_one_clear_message(
    studio: Start, upstream: FakeUpstream, tmp_path: Path
) -> None:
    studio(numbered())
    text = refused(upstream, tmp_path / "tape.yaml")
    assert "the cassette is being recorded or replayed by somebody else" in text


def test_a_recording_that_was_not_finished_is_told_at_the_start(
    upstream: FakeUpstream, tmp_path: Path
) -> None:
    path = tmp_path / "tape.yaml"
    journal_file(path).write_text("# torn\n", encoding="utf-8")
    text = refused(upstream, path)
    assert "a recording of this cassette was not finished" in text
    assert "k3mock cassette recover" in text


def test_an_unfinished_recording_beside_a_played_one_is_noted(studio: Start, taped: Path) -> None:
    journal_file(taped).write_text("# torn\n", encoding="utf-8")
    running = studio(numbered())
    told: list[str] = []
    recorder = running.server.app.recorder
    assert recorder is not None
    recorder.listen(told.append)
    assert [text for text in told if "was not finished and is not played" in text]


def test_a_missing_cassette_cannot_be_played(upstream: FakeUpstream, tmp_path: Path) -> None:
    text = refused(upstream, tmp_path / "none.yaml", record="none", upstream=None)
    assert "there is no such cassette, and nothing is recorded in mode none" in text


def test_a_damaged_cassette_is_never_treated_as_empty(
    upstream: FakeUpstream, tmp_path: Path
) -> None:
    path = tmp_path / "tape.yaml"
    path.write_text("interactions:\n- request: {}\n", encoding="utf-8")
    for mode in ("none", "once", "new_episodes", "all"):
        assert str(path) in refused(upstream, path, record=mode)
    assert path.read_text(encoding="utf-8") == "interactions:\n- request: {}\n"


def test_a_folder_that_cannot_be_written_is_one_clear_message(
    upstream: FakeUpstream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert "the folder cannot be used" in refused(upstream, tmp_path / "file" / "tape.yaml")
    # The tests may run as a user who may write everywhere.
    monkeypatch.setattr("os.access", lambda *_: False)
    assert "no right to write there" in refused(upstream, tmp_path / "tapes")


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        pytest.param({"upstream": None}, "a recording needs an upstream", id="no-upstream"),
        pytest.param({"record": None}, "--upstream is for recording", id="no-mode"),
        pytest.param({"record": "onse"}, "did you mean 'once'?", id="mode"),
        pytest.param({"upstream_timeout": 0}, "--upstream-timeout", id="timeout"),
        pytest.param({"max_body": 0}, "--max-body", id="max-body"),
        pytest.param({"upstream": "api.moonshot.ai/v1"}, "not a base URL", id="no-scheme"),
        pytest.param({"upstream": "ftp://host/v1"}, "not a base URL", id="scheme"),
        pytest.param({"upstream": "http://h:99999/v1"}, "not a base URL", id="port"),
        pytest.param({"upstream": "http://host/v1?a=b"}, "not a base URL", id="query"),
        pytest.param({"upstream": "http://ho st/v1"}, "not a base URL", id="space"),
        pytest.param({"upstream_ca": "none.pem"}, "--upstream-ca", id="ca"),
        pytest.param({"upstream_proxy": "gopher://x"}, "--upstream-proxy", id="proxy"),
        pytest.param({"upstream_proxy": "socks5://x"}, "--upstream-proxy", id="socks"),
    ],
)
def test_settings_that_cannot_record_are_refused(
    upstream: FakeUpstream, tmp_path: Path, settings: dict[str, Any], says: str
) -> None:
    assert says in refused(upstream, tmp_path / "tape.yaml", **settings)


@pytest.mark.parametrize("cassettes", [(), ("a.yaml", "b.yaml")])
def test_a_recording_goes_to_one_place(cassettes: tuple[str, ...]) -> None:
    with pytest.raises(SettingsError, match="a recording needs one place to go to"):
        Settings(record="once", upstream="http://localhost/v1", cassettes=cassettes)


def test_credentials_in_an_address_are_not_shown(upstream: FakeUpstream, tmp_path: Path) -> None:
    text = refused(upstream, tmp_path / "a.yaml", upstream="http://user:pass-4711@host/v1?x=1")
    assert "4711" not in text
    assert "http://host/v1?x=1" in text


def test_a_recording_with_a_secret_that_cannot_be_taken_out_is_not_kept(studio: Start) -> None:
    """The model repeats the key in pieces, so that no event holds it."""
    pieces = [event({"choices": [{"index": 0, "delta": {"content": part}}]})
              for part in (SECRET[:9], SECRET[9:15], SECRET[15:])]  # fmt: skip
    running = studio(
        lambda seen: streamed([*pieces, event("[DONE]")] if b"spread" in seen.body else kimi())
    )
    headers = {"authorization": f"Bearer {SECRET}"}
    for text in ("spread", "good"):
        call(running.server, CHAT, {"messages": [{"content": text}]}, headers=headers)
    [interaction] = running.recorded()
    assert b"good" in interaction.request.body
    [problem] = running.problems
    assert "request 1 is not in the recording" in problem
    assert SECRET not in problem


KEY_OF_B = "own-4711-own-4711"


def ask(running: Studio, text: str, key: str = KEY_OF_B) -> None:
    call(running.server, CHAT, {"messages": [{"content": text}]},
         headers={"authorization": f"Bearer {key}"})  # fmt: skip


def test_a_secret_of_the_session_never_reaches_the_journal(studio: Start) -> None:
    """A prompt with another request's key is refused alone; an answer is kept without it."""
    running = studio(lambda seen: whole(b'{"says":"%s"}' % KEY_OF_B.encode()))
    ask(running, "A")
    ask(running, f"my key is {KEY_OF_B}", key="another-4711-key")
    eventually(lambda: bool(running.problems))
    ask(running, "C", key="another-4711-key")
    eventually(lambda: b'"C"' in journal_file(running.path).read_bytes())
    assert KEY_OF_B.encode() not in journal_file(running.path).read_bytes()
    found = running.recorded()
    assert [each.request.body for each in found] == [
        b'{"messages": [{"content": "A"}]}', b'{"messages": [{"content": "C"}]}',
    ]  # fmt: skip
    assert {each.response.body for each in found} == {b'{"says":"[redacted]"}'}
    [problem] = running.problems
    assert "request 2 is not in the recording: it holds a secret that another" in problem
    assert "#2.request.body: known" in problem
    assert "keep keys out of prompts" in problem
    assert KEY_OF_B not in problem


def test_a_secret_that_is_learnt_later_costs_only_what_holds_it(studio: Start, taped: Path) -> None:
    """In mode all the old recording of what was refused stays."""
    running = studio(lambda seen: whole(b'{"asked":"A","nth":7}'), record="all")
    ask(running, f"my key is {KEY_OF_B}", key="another-4711-key")
    chat(running.server, "A")
    ask(running, "C")
    running.stop()
    assert KEY_OF_B not in taped.read_text(encoding="utf-8")
    assert contents(taped) == [("B", 1), ("A", 7), ("A", 7)]
    [problem] = running.problems
    assert "request 3 is not in the recording: it holds a secret that a later request" in problem
    assert KEY_OF_B not in problem
    assert not journal_file(taped).exists()


def test_a_replay_frames_its_answers_as_they_were(studio: Start) -> None:
    def script(seen: Seen) -> Any:
        if b"cut" in seen.body:
            return [Say(head("200 OK", "Content-Type: application/json", "Content-Length: 100")
                        + b'{"id":'), Close()]  # fmt: skip
        return streamed(kimi()) if b"stream" in seen.body else whole(b'{"id":1}')

    running = studio(script)
    for text in ("plain", "stream"):
        ask(running, text)
    with pytest.raises(http.client.IncompleteRead):
        ask(running, "cut")
    call(running.server, RESET, method="POST")
    answers = [call(running.server, CHAT, {"messages": [{"content": text}]})
               for text in ("plain", "stream")]  # fmt: skip
    assert [each.headers.get("content-length") for each in answers] == ["8", None]
    with pytest.raises(http.client.IncompleteRead) as caught:
        ask(running, "cut")
    assert (caught.value.partial, caught.value.expected) == (b'{"id":', 94)
    running.stop()
    assert len(running.seen) == 3


def test_what_was_refused_cannot_be_recovered(
    studio: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = studio(numbered())
    ask(running, f"my key is {KEY_OF_B}", key="another-4711-key")
    ask(running, "C")

    def full(*_: object) -> None:
        raise CassetteError("the cassette cannot be written", found="No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("k3mock.cassette.publish.replace_file", full)
        running.stop()
    assert [text[:20] for text in running.problems] == [
        "the cassette cannot ", "tape.yaml: request 1",
    ]  # fmt: skip
    assert KEY_OF_B.encode() not in journal_file(running.path).read_bytes()
    found = recover(running.path)
    assert (found.added, found.torn, found.damaged) == (1, 0, 0)
    assert contents(running.path) == [("C", 1)]


@pytest.mark.parametrize(
    ("mode", "left", "replaced"),
    [
        ("rewrite", [("A", 7)], 2),
        ("all", [("B", 1), ("A", 7)], 1),
    ],
)
def test_what_a_crash_left_is_recovered_in_the_mode_of_the_session(
    studio: Start, taped: Path, mode: str, left: list[tuple[str, int]], replaced: int
) -> None:
    running = studio(lambda seen: whole(b'{"asked":"A","nth":7}'), record=mode)
    chat(running.server, "A")
    eventually(lambda: journal_file(taped).stat().st_size > 0)
    crashed = journal_file(taped).read_bytes()
    before = taped.read_bytes()
    running.stop()
    taped.write_bytes(before)
    journal_file(taped).write_bytes(crashed)
    found = recover(taped)
    assert (found.added, found.replaced, found.torn, found.damaged) == (1, replaced, 0, 0)
    assert contents(taped) == left
    seqs = [each.timing.seq for each in load(taped).interactions if each.timing is not None]
    assert len(set(seqs)) == len(left)
    playing = studio(numbered())
    assert chat(playing.server, "A").json["nth"] == 7
    playing.stop()
    # A recorder may die between publishing and tidying up.
    journal_file(taped).write_bytes(crashed)
    recover(taped)
    assert contents(taped) == left


def test_an_old_recording_with_a_secret_of_the_session_says_what_helps(
    studio: Start, taped: Path
) -> None:
    taped.write_text(
        taped.read_text(encoding="utf-8").replace("asked", KEY_OF_B, 1), encoding="utf-8"
    )
    before = taped.read_bytes()
    running = studio(numbered(), record="new_episodes")
    ask(running, "C")
    answer = call(running.server, RESET, method="POST")
    assert answer.status == 422
    assert "it holds what must not be kept" in answer.error["message"]
    assert f"k3mock cassette scrub {taped}" in answer.error["message"]
    assert KEY_OF_B not in answer.error["message"]
    assert taped.read_bytes() == before
    assert journal_file(taped).stat().st_size > 0


def test_a_full_disk_is_told_and_serving_goes_on(
    studio: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = studio(numbered())
    chat(running.server, "A")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        eventually(lambda: journal_file(running.path).stat().st_size > 0)
        patch.setattr("k3mock.cassette.store.write_all", full)
        assert chat(running.server, "B").status == 200
        eventually(lambda: bool(running.problems))
    assert chat(running.server, "C").status == 200
    running.stop()
    assert "request 2 is not in the recording" in running.problems[0]
    assert "No space left on device" in running.problems[0]
    assert contents(running.path) == [("A", 0), ("C", 2)]


def test_a_disk_that_is_full_at_the_end_keeps_the_journal(
    studio: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = studio(numbered())
    chat(running.server, "A")

    def full(*_: object) -> None:
        raise CassetteError("the cassette cannot be written", found="No space left on device")

    monkeypatch.setattr("k3mock.cassette.publish.replace_file", full)
    running.stop()
    assert "No space left on device" in running.problems[0]
    assert not running.path.exists()
    assert journal_file(running.path).stat().st_size > 0


def test_a_defect_while_writing_is_told_and_serving_goes_on(
    studio: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = studio(numbered())

    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Deck, "write", broken)
    assert chat(running.server, "A").status == 200
    eventually(lambda: bool(running.problems))
    assert "ZeroDivisionError" in running.problems[0]


def test_files_are_for_their_owner_only(studio: Start) -> None:
    running = studio(numbered())
    chat(running.server, "A")
    eventually(lambda: journal_file(running.path).stat().st_size > 0)
    modes = {path.stat().st_mode & 0o777
             for path in (journal_file(running.path), lock_file(running.path))}  # fmt: skip
    running.stop()
    assert modes | {running.path.stat().st_mode & 0o777} == {0o600}


def test_a_file_that_appears_before_the_lock_is_played_not_overwritten(
    taped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = iter([False])
    exists = type(taped).exists
    monkeypatch.setattr(
        type(taped),
        "exists",
        lambda path, **more: next(there, None) is None and exists(path, **more),
    )
    deck = open_deck(taped, Mode.ONCE, Playing())
    deck.close()
    assert (deck.tape, deck.library is None) == (None, False)
    assert not journal_file(taped).exists()
