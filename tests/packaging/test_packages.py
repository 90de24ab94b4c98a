"""Every module and data file is in the package, as `pyproject.toml` lists it by hand."""

from __future__ import annotations

from fnmatch import fnmatch

from support.checkout import pyproject, tracked_files

FOLDERS = {"engine", "themes", "tui"}


def package_of(path):
    return ".".join(("voicetui", *path.parent.parts))


def in_package():
    return [path for path in tracked_files() if path.parts[0] in FOLDERS or len(path.parts) == 1]


def test_each_folder_with_python_is_a_listed_package():
    folders = {package_of(path) for path in in_package() if path.suffix == ".py"}
    assert sorted(folders) == pyproject()["tool"]["setuptools"]["packages"]


def test_each_folder_with_python_has_an_init():
    files = set(in_package())
    assert {path.parent / "__init__.py" for path in files if path.suffix == ".py"} <= files


def test_each_data_file_is_listed():
    data = pyproject()["tool"]["setuptools"]["package-data"]
    files = [path for path in in_package() if len(path.parts) > 1 and path.suffix != ".py"]
    left_out = [str(f) for f in files if not any(fnmatch(f.name, glob) for glob in data.get(package_of(f), []))]
    assert left_out == []
