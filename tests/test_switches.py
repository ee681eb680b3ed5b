from __future__ import annotations

from k3mock.options import RequestOptions
from k3mock.switches import Switches


def test_nothing_is_changed_where_nothing_is_on() -> None:
    options = RequestOptions(session="s")
    assert Switches().applied(options) is options


def test_a_request_keeps_its_own_faults_in_front() -> None:
    switches = Switches()
    switches.add(fault="stall", limits="tier0", session=None, times=None)
    found = switches.applied(RequestOptions(faults=("no_done",), limits="off"))
    assert found.faults == ("no_done", "stall")
    assert found.limits == "off"
    assert switches.applied(RequestOptions()).limits == "tier0"
    assert switches.all()[0].hits == 2
