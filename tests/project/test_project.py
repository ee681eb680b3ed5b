"""What holds for the project as a whole."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

import k3mock
from k3mock import errors
from k3mock.contract.profiles import NAMES
from k3mock.inspecting.copies import CopyError
from k3mock.options import OPTIONS, OptionError

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"


def test_the_version_is_the_same_everywhere() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert declared == k3mock.__version__
    assert f"## [{declared}]" in (ROOT / "CHANGELOG.md").read_text()


def test_every_module_says_what_it_turns_into_what() -> None:
    for path in (ROOT / "k3mock").rglob("*.py"):
        first = path.read_text().lstrip().split("\n", 1)[0]
        assert first.startswith('"""'), path
        if path.name != "__init__.py":
            assert first.startswith('"""Turns '), f"{path}: {first}"


def test_no_file_is_longer_than_the_hard_cap() -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for folder in ("k3mock", "tests")
        for path in (ROOT / folder).rglob("*.py")
        if (lines := path.read_text().count("\n")) > 400 and folder == "k3mock"
    }
    assert long == {}


def _error_classes() -> list[type[errors.K3MockError]]:
    found: list[type[errors.K3MockError]] = errors.K3MockError.__subclasses__()
    assert {OptionError, CopyError} <= set(found)
    return found


@pytest.mark.parametrize("kind", _error_classes(), ids=lambda kind: str(kind.code))
def test_every_error_code_is_a_heading_of_the_readme(kind: type[errors.K3MockError]) -> None:
    assert f"\n#### {kind.code}\n" in README.read_text()


def test_every_option_and_profile_is_in_the_readme() -> None:
    text = README.read_text()
    for name in (*OPTIONS, *NAMES):
        assert f"`{name}`" in text, name


def test_every_dependency_has_its_reason_in_contributing() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    text = (ROOT / "CONTRIBUTING.md").read_text()
    for requirement in project["dependencies"]:
        name = re.split(r"[<>=; ]", requirement)[0]
        assert f"`{name}`" in text, name


def test_importing_the_package_costs_nothing() -> None:
    heavy = ("uvicorn", "starlette", "yaml", "faker", "tiktoken", "splintr", "orjson", "click")
    code = f"import sys, k3mock; print([m for m in {heavy!r} if m in sys.modules])"
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert shown.stdout == "[]\n"


def test_help_needs_no_tokenizer_and_no_server() -> None:
    heavy = ("uvicorn", "faker", "tiktoken", "splintr")
    code = (
        "import sys\nfrom click.testing import CliRunner\nfrom k3mock.cli.main import main\n"
        "assert CliRunner().invoke(main, ['serve', '--help']).exit_code == 0\n"
        f"print([m for m in {heavy!r} if m in sys.modules])"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert shown.stdout == "[]\n"


def test_the_exported_names_are_these_and_all_resolve() -> None:
    assert sorted(k3mock.__all__) == [
        "K3Mock", "MockServer", "Settings", "__version__", "async_transport", "create_app", "start",
        "transport",
    ]  # fmt: skip
    for name in k3mock.__all__:
        assert getattr(k3mock, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = getattr(k3mock, "nothing")  # noqa: B009 - the name is meant to be missing


def test_a_server_can_be_started_without_pytest() -> None:
    with k3mock.start(seed=1) as server:
        assert server.base_url.endswith("/v1")


def test_the_wheel_holds_profiles_types_and_entry_points_and_no_tests(tmp_path: Path) -> None:
    wheel = next(WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"]))
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        [points] = [name for name in names if name.endswith("entry_points.txt")]
        text = packed.read(points).decode()
    assert "k3mock/py.typed" in names
    for name in NAMES:
        assert f"k3mock/contract/profiles/{name}.yaml" in names
    for path in (ROOT / "scenarios").glob("*.yaml"):
        assert f"k3mock/scenario/shipped/{path.name}" in names
    assert not any(name.startswith(("tests/", "fixtures/")) for name in names)
    assert "k3mock = k3mock.cli.main:main" in text
    assert "k3mock = k3mock.pytest_plugin" in text
