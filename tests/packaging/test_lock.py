"""The locks install what `pyproject.toml` asks for, by hash, on every Python and system, and name no address."""

from __future__ import annotations

import re

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from support.checkout import ROOT, pyproject

LOCKS = {name: (ROOT / ".dev" / name).read_text("utf-8") for name in ("lock-build.txt", "lock.txt", "lock-dev.txt")}
PYTHONS = ("3.11", "3.12", "3.13")
SYSTEMS = {"linux": "x86_64", "darwin": "arm64", "win32": "AMD64"}


def environment(python, system):
    return default_environment() | {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "sys_platform": system,
        "platform_machine": SYSTEMS[system],
    }


def pins(lock, where):
    """Return the version of each package that a lock installs there."""
    lines = re.findall(r"^([a-z0-9][^\\\n]*?) *\\?$", LOCKS[lock], re.MULTILINE)
    found = [Requirement(line) for line in lines]
    found = [pin for pin in found if pin.marker is None or pin.marker.evaluate(where)]
    assert len({pin.name for pin in found}) == len(found)
    return {pin.name: str(pin.specifier).removeprefix("==") for pin in found}


def wanted(group):
    project = pyproject()["project"]
    if group == "all":
        extras = [line for extra in project["optional-dependencies"].values() for line in extra]
        lines = project["dependencies"] + [line for line in extras if not line.startswith("voicetui[")]
    else:
        lines = [line for line in pyproject()["dependency-groups"][group] if isinstance(line, str)]
    return [Requirement(line) for line in lines]


@pytest.mark.parametrize(("lock", "group"), [("lock-build.txt", "build"), ("lock.txt", "all"), ("lock-dev.txt", "dev")])
@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_lock_has_what_pyproject_asks_for(lock, group, python, system):
    where = environment(python, system)
    locked = pins(lock, where)
    asked = [r for r in wanted(group) if r.marker is None or r.marker.evaluate(where)]
    assert asked
    missing = [str(r) for r in asked if r.name not in locked or not r.specifier.contains(locked[r.name])]
    assert missing == [], "renew the locks: sh .dev/lock"


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_the_locks_agree(python, system):
    where = environment(python, system)
    run, dev, build = (pins(lock, where) for lock in ("lock.txt", "lock-dev.txt", "lock-build.txt"))
    assert {n: (v, run[n]) for n, v in (dev | build).items() if run.get(n, v) != v} == {}
    assert build.items() <= dev.items()


@pytest.mark.parametrize("lock", LOCKS)
def test_each_pin_has_hashes_and_no_address(lock):
    entries = re.split(r"\n(?=[a-z0-9])", LOCKS[lock].strip())
    assert all("--hash=sha256:" in entry for entry in entries)
    assert "://" not in LOCKS[lock]
    assert "--index-url" not in LOCKS[lock]
    assert "--find-links" not in LOCKS[lock]


def test_the_gpl_is_in_one_optional_package():
    """Only `speak` brings a copyleft package, which runs in a process of its own."""
    project = pyproject()["project"]
    assert "piper-tts" not in " ".join(project["dependencies"])
    bringing = {name for name, lines in project["optional-dependencies"].items() if "piper-tts" in " ".join(lines)}
    assert bringing == {"speak"}
