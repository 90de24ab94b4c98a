"""A machine of the test's own making: which libraries work, which models are here, what Ollama and the sound say."""

from __future__ import annotations

import pytest
from voicetui.engine.models.catalogue import Model, catalogue
from voicetui.engine.parts import needed, probing, selection
from voicetui.engine.parts.sound import Answer, Sound

FOUND = Answer({"name": "USB", "rate_hz": 48_000})


class Machine:
    """A fake machine: `libraries` by runtime (a reason says that it is installed and does not work)."""

    def __init__(self) -> None:
        self.libraries: dict[str, str] = dict.fromkeys(selection.RUNTIMES, "")
        self.models: set[str] = {"moonshine-tiny-en", "silero-vad", "en_US-joe-medium", "smollm2-135m-instruct"}
        self.ollama: list[str] | None = None
        self.sound = Sound(Answer([]), FOUND, FOUND)
        self.tried: list[str] = []

    def try_import(self, *modules: str) -> str:
        (runtime,) = [name for name, r in selection.RUNTIMES.items() if r.modules == modules]
        self.tried.append(runtime)
        return self.libraries[runtime]


@pytest.fixture
def machine(monkeypatch, tmp_path):
    monkeypatch.setenv("VOICETUI_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("OLLAMA_HOST", raising=False)
    catalogue.cache_clear()
    fake = Machine()

    def locate(model):
        return tmp_path / model.id if model.id in fake.models else None

    def is_here(runtime):
        (name,) = [name for name, r in selection.RUNTIMES.items() if r is runtime]
        return name in fake.libraries

    monkeypatch.setattr(Model, "locate", locate)
    monkeypatch.setattr(selection.Runtime, "is_here", is_here)
    for module in (probing, needed):
        monkeypatch.setattr(module, "ollama_models", lambda host: fake.ollama)
    monkeypatch.setattr(probing, "try_import", fake.try_import)
    monkeypatch.setattr(probing, "ask_sound", lambda *names: fake.sound)
    yield fake
    catalogue.cache_clear()
