"""The rules of `tests/conftest.py` bite: a run of tests that break them, each in its own way."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

import pytest
from support.checkout import ROOT

BREAKING = """
import asyncio
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from support import leftovers

leftovers.GRACE_S = 0.0
kept = []


def test_good():
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        assert socket.getaddrinfo("localhost", 80)
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
    subprocess.run([sys.executable, "-c", ""], check=True)
    asyncio.run(asyncio.sleep(0))
    assert list(Path.home().iterdir()) == []


def test_thread():
    threading.Thread(target=threading.Event().wait, name="forgotten", daemon=True).start()


def test_process():
    kept.append(subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE))


def test_task():
    async def main():
        kept.append(asyncio.create_task(asyncio.sleep(60), name="forgotten"))

    asyncio.run(main())


def test_network():
    with socket.socket() as sock:
        sock.settimeout(0.01)
        sock.connect(("192.0.2.1", 9))  # an address of nobody, kept for documentation


def test_network_although_the_error_is_caught():
    with pytest.raises(Exception):
        socket.getaddrinfo("name.invalid", 80)


def test_skip():
    pytest.skip("no particular reason")


def test_last():
    pass
"""


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """Return the outcomes of each test: `PASSED`, `FAILED`, and `ERROR` where the rules found something afterwards."""
    place = tmp_path_factory.mktemp("rules")
    shutil.copy(ROOT / "tests" / "conftest.py", place)
    shutil.copytree(ROOT / "tests" / "support", place / "support")
    (place / "test_breaking.py").write_text(BREAKING)
    (place / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", "--color=no"]
    env = os.environ | {"CI": "true", "COLUMNS": "300"}
    done = subprocess.run(command, cwd=place, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    found = {}
    for outcome, name, why in re.findall(r"^(PASSED|FAILED|ERROR) \S+::(\w+)(?: - (.*))?$", done.stdout, re.MULTILINE):
        found.setdefault(name, {})[outcome] = why
    return found


def test_a_test_that_leaves_nothing_passes(outcomes):
    assert set(outcomes["test_good"]) == {"PASSED"}


@pytest.mark.parametrize("what", ["thread", "process", "task"])
def test_what_is_left_behind_is_an_error(outcomes, what):
    assert f"left behind: {what}" in outcomes[f"test_{what}"]["ERROR"]


def test_what_the_whole_run_leaves_behind_is_an_error(outcomes):
    assert "left behind at the end: thread forgotten" in outcomes["test_last"]["ERROR"]


def test_the_network_is_out_of_reach(outcomes):
    assert "NetworkError" in outcomes["test_network"]["FAILED"]
    assert "name.invalid" in outcomes["test_network_although_the_error_is_caught"]["ERROR"]


def test_a_skip_on_ci_is_a_failure(outcomes):
    assert set(outcomes["test_skip"]) == {"FAILED"}
