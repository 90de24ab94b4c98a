"""The rules of every test: the same result in every run and any order, nothing left behind, no network, no real HOME.

`--shuffle SEED` runs the tests in another order. On CI (`CI=true`) a skipped test is a failure, unless its reason is
among `MAY_BE_SKIPPED`.
"""

from __future__ import annotations

import os
import random
import signal
import tempfile
from pathlib import Path

import hypothesis
import pytest
from platformdirs import user_data_path
from support import leftovers, offline

ON_CI = os.environ.get("CI", "").lower() not in ("", "0", "false")

MAY_BE_SKIPPED: dict[str, str] = {}
"""On CI too: the reason that a test is skipped with (its beginning), and why that is right."""

hypothesis.settings.register_profile("here", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, database=None, print_blob=True)
hypothesis.settings.load_profile("ci" if ON_CI else "here")


def pytest_addoption(parser):
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run the tests in another order")
    parser.addoption("--update-snapshots", action="store_true", help="write the pictures of the screen anew")


def pytest_configure(config):
    home = tempfile.TemporaryDirectory(prefix="voicetui-tests-")
    config.add_cleanup(home.cleanup)
    _move_home(Path(home.name))
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background of a script: Ctrl-C is tested too
        signal.signal(signal.SIGINT, signal.default_int_handler)
    leftovers.watch_tasks()
    offline.guard()


def _move_home(home):
    """Give the tests and their child processes an empty home; only the models stay where they are."""
    os.environ.setdefault("VOICETUI_MODELS", str(user_data_path("voicetui", appauthor=False) / "models"))
    for name in [name for name in os.environ if name.startswith("XDG_")]:
        del os.environ[name]
    os.environ["HOME"] = os.environ["USERPROFILE"] = str(home)
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        os.environ[f"XDG_{name}_HOME"] = str(home / name.lower())


def pytest_collection_modifyitems(config, items):
    seed = config.getoption("--shuffle")
    if seed is not None:
        random.Random(seed).shuffle(items)


@pytest.fixture(autouse=True)
def nothing_left_behind():
    """Fail the test that leaves a thread, a child process or a task, or that reached for the network."""
    before = leftovers.Before()
    yield
    left = before.left() + offline.take_attempts()
    assert not left, f"left behind: {'; '.join(left)}"


@pytest.fixture(scope="session", autouse=True)
def nothing_left_at_the_end():
    """Fail the run whose shared fixtures leave something."""
    before = leftovers.Before()
    yield
    left = before.left()
    assert not left, f"left behind at the end: {'; '.join(left)}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    return _skip_is_failure((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    return _skip_is_failure((yield))


def _skip_is_failure(report):
    if ON_CI and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if not any(reason.removeprefix("Skipped: ").startswith(allowed) for allowed in MAY_BE_SKIPPED):
            report.outcome = "failed"
            report.longrepr = f"skipped on CI, where nothing may be: {reason}"
    return report
