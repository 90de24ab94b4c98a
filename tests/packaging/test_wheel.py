"""The package as users get it: sdist, wheel from that sdist, installed into a fresh environment, and run.

Nothing is fetched: the build runs with the setuptools that is here, and the environment is given what a plain
`pip install voicetui` brings (no extra) by links to the copies that are here.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from email.parser import Parser
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from support.checkout import ROOT, pyproject, tracked_files

pytestmark = pytest.mark.wheel

BASE_INSTALL_MB = 120
VERSION = pyproject()["project"]["version"]


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, **options)


def must(*command, **options):
    done = run(*command, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@dataclass
class Built:
    sdist: Path
    wheel: Path

    @property
    def names(self):
        return set(zipfile.ZipFile(self.wheel).namelist())

    @property
    def metadata(self):
        with zipfile.ZipFile(self.wheel) as wheel:
            return Parser().parsestr(wheel.read(f"voicetui-{VERSION}.dist-info/METADATA").decode())


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Build the sdist from a copy of the tracked files, and the wheel from that sdist alone."""
    place = tmp_path_factory.mktemp("build")
    for path in tracked_files():
        (place / "checkout" / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, place / "checkout" / path)
    build = "import sys; from setuptools import build_meta; getattr(build_meta, sys.argv[1])(sys.argv[2])"
    must(sys.executable, "-c", build, "build_sdist", place, cwd=place / "checkout")
    sdist = place / f"voicetui-{VERSION}.tar.gz"
    must(sys.executable, "-m", "tarfile", "--extract", sdist, place)
    must(sys.executable, "-c", build, "build_wheel", place, cwd=place / f"voicetui-{VERSION}")
    return Built(sdist, place / f"voicetui-{VERSION}-py3-none-any.whl")


def base_distributions():
    """Return the distributions that a plain `pip install voicetui` brings, itself left out."""
    found, asked = {}, [Requirement("voicetui")]
    while asked:
        wanted = asked.pop()
        for line in distribution(wanted.name).requires or []:
            needed = Requirement(line)
            extras = [{"extra": extra} for extra in (*wanted.extras, "")]
            if needed.name not in found and (not needed.marker or any(map(needed.marker.evaluate, extras))):
                found[needed.name] = distribution(needed.name)
                asked.append(needed)
    return list(found.values())


def own_files(dist):
    return [path for path in dist.files if ".." not in path.parts and "__pycache__" not in path.parts]


@pytest.fixture(scope="module")
def bin_folder(built, tmp_path_factory):
    """Install the wheel into a fresh environment with its base dependencies."""
    venv = tmp_path_factory.mktemp("a fresh") / "venv"
    must(sys.executable, "-m", "venv", "--without-pip", venv)
    scripts = venv / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / "python"
    packages = Path(must(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").stdout.strip())
    for dist in base_distributions():
        for name in {path.parts[0] for path in own_files(dist)}:
            (packages / name).symlink_to(dist.locate_file(name))
    offline = ("--no-index", "--no-deps", "--no-cache-dir", "--disable-pip-version-check")
    must(sys.executable, "-m", "pip", "--python", python, "install", *offline, built.wheel)
    return scripts


@pytest.fixture
def voicetui(bin_folder, tmp_path):
    """Run the installed `voicetui` in an empty folder."""

    def call(*arguments):
        return run(bin_folder / "voicetui", *arguments, cwd=tmp_path)

    return call


def test_the_wheel_holds_each_file_of_the_package(built):
    own = [path for path in tracked_files() if path.parts[0] in ("engine", "themes", "tui")]
    own += [Path("__init__.py"), Path("py.typed")]
    assert {f"voicetui/{path.as_posix()}" for path in own} == {n for n in built.names if n.startswith("voicetui/")}


def test_the_wheel_has_data_a_licence_and_a_command(built):
    assert {"voicetui/engine/models/catalogue.toml", "voicetui/py.typed"} <= built.names
    assert any(name.startswith("voicetui/engine/audio/") and name.endswith(".wav") for name in built.names)
    about = f"voicetui-{VERSION}.dist-info"
    assert {f"{about}/licenses/LICENSE", f"{about}/entry_points.txt"} <= built.names
    assert built.metadata["License-Expression"] == "BSD-3-Clause"
    assert built.metadata["Requires-Python"] == "<3.14,>=3.11"
    assert set(built.metadata.get_all("Provides-Extra")) == set(pyproject()["project"]["optional-dependencies"])


def test_the_base_install_is_light(built):
    size = built.wheel.stat().st_size + sum(info.file_size for info in zipfile.ZipFile(built.wheel).infolist())
    size += sum(dist.locate_file(path).stat().st_size for dist in base_distributions() for path in own_files(dist))
    assert size <= BASE_INSTALL_MB * 1e6


def test_it_tells_its_version(voicetui):
    done = voicetui("--version")
    assert (done.returncode, done.stdout.split()[-1], done.stderr) == (0, VERSION, "")


def test_it_helps(voicetui):
    done = voicetui("--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "rehearse" in done.stdout


def test_it_rehearses_with_nothing_but_the_base_install(voicetui):
    done = voicetui("rehearse", "bonjour")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("you: bonjour\n it: ")


def test_a_missing_part_is_one_line_with_its_install_command(voicetui):
    done = voicetui("talk", "--speaker", "reply.wav", "--json")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "pip install 'voicetui[" in done.stderr


def test_the_engine_is_a_library_there(bin_folder, tmp_path):
    code = "import voicetui, pathlib; print(voicetui.Discussion.__module__, pathlib.Path(voicetui.__file__).parent)"
    done = must(bin_folder / "python", "-c", code, cwd=tmp_path)
    assert done.stdout.startswith("voicetui.engine")
    assert str(ROOT) not in done.stdout
