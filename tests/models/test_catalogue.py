"""The catalogue: what it says is complete and sound, and a user's own entries come first."""

from __future__ import annotations

import json
import re

import pytest
from voicetui.engine.errors import UsageError
from voicetui.engine.models import catalogue, fetch, find, models_folder
from voicetui.engine.models.catalogue import ArchiveSource, UrlSource, WheelSource, base_language, is_inside

# From the publishers, as written down in the project's list of parts.
PUBLISHED = {
    (
        "smollm2-135m-instruct",
        "SmolLM2-135M-Instruct.Q4_1.gguf",
    ): "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    ("smart-turn-v3.2", "smart-turn-v3.2-cpu.onnx"): "2bb026316b14a660486a75b1733cd3fbab8c2fd0314dc9af7be49f8cca967e4f",
    ("moonshine-tiny-en", "encoder_model.ort"): "94e90a4654fc45cdfedb77c4c08e1739f48862998e58fada384b25118134f221",
    (
        "moonshine-tiny-en",
        "decoder_model_merged.ort",
    ): "cf524c4862d36e9e5ab032eddc73637efd822d70e868ac575cf1a46e1e4708a0",
    ("en_US-joe-medium", "en_US-joe-medium.onnx"): "58afce0321b8d9c46d7cdf9c16500cc55a793b4220212dba6b70fb788b3baf06",
}


@pytest.mark.parametrize(("model_id", "name"), PUBLISHED)
def test_the_checksums_are_the_published_ones(model_id, name):
    (file,) = [f for f in catalogue().find(model_id).files if f.name == name]
    assert file.sha256 == PUBLISHED[model_id, name]


def test_every_entry_can_be_fetched_and_says_what_it_is():
    for model in catalogue():
        assert model.title, model.id
        assert model.licence, model.id
        assert model.size > 1_000_000, model.id
        assert any(isinstance(s, UrlSource | ArchiveSource | WheelSource) for s in model.sources), model.id
        assert all(re.fullmatch(r"[0-9a-f]{64}", f.sha256) for f in model.files if f.sha256), model.id
        assert not model.entry or model.entry in {f.name for f in model.files}, model.id
        if model.verified:
            assert model.size == sum(f.size for f in model.files), model.id


def test_each_id_stands_once():
    ids = [m.id.lower() for m in catalogue()]
    assert len(ids) == len(set(ids))


def test_a_model_is_found_whatever_its_case_and_the_near_ones_are_named():
    assert catalogue().find("EN_us-JOE-medium").id == "en_US-joe-medium"
    with pytest.raises(UsageError, match="did you mean smollm2-135m-instruct"):
        catalogue().find("smollm-135m-instruct")


def test_models_are_chosen_by_purpose_language_and_runtime():
    assert [m.id for m in catalogue().choose("hear", "fr-FR")] == ["vosk-model-small-fr-0.22"]
    assert [m.runtime for m in catalogue().choose("hear", "en")] == ["moonshine", "vosk"]
    assert [m.id for m in catalogue().choose("speak", "fr")] == ["fr_FR-siwis-medium"]
    assert catalogue().choose("hear", "en", runtime="vosk")[0].id == "vosk-model-small-en-us-0.15"


@pytest.mark.parametrize("tag", ["fr", "fr-FR", "fr_CA", "FR", " fr "])
def test_a_language_tag_is_reduced_to_its_language(tag):
    assert base_language(tag) == "fr"


def test_a_users_own_entry_wins_over_the_one_of_the_same_id(tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "joe.onnx").write_bytes(b"joe")
    write_own(
        tmp_path,
        f"""
        [[model]]
        id = "en_US-joe-medium"
        purpose = "speak"
        runtime = "piper"
        entry = "joe.onnx"
        files = [{{ name = "joe.onnx" }}]
        sources = [{{ path = {json.dumps(str(tmp_path / "own"))} }}]
        """,
    )
    (joe,) = [m for m in catalogue() if m.id == "en_US-joe-medium"]
    assert joe.locate() == tmp_path / "own" / "joe.onnx"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('purpose = "sing"', "purpose is 'sing', it must be one of hear, think, speak, detect"),
        ('purpose = "speak"\nfiles = [{ name = "../x" }]', "file '../x' lies outside"),
        ('purpose = "speak"\nsources = [{ url = "http://models.example/" }]', "must be an https address"),
        ("", "'purpose' is missing"),
        ('purpose = "speak"\nsources = [{ teleport = 1 }]', "teleport"),
        ('purpose = "speak', "cannot read the model catalogue"),
    ],
)
def test_a_wrong_entry_of_the_users_is_named(tmp_path, line, said):
    sources = "" if "sources" in line else "sources = []"
    write_own(tmp_path, f'[[model]]\nid = "mine"\nruntime = "piper"\n{sources}\n{line}')
    with pytest.raises(UsageError, match=re.escape(said)) as caught:
        catalogue()
    assert "models.toml" in caught.value.message


def test_an_id_cannot_lead_out_of_the_models_folder(tmp_path):
    write_own(tmp_path, '[[model]]\nid = "../x"\npurpose = "speak"\nruntime = "piper"\nsources = []')
    with pytest.raises(UsageError, match="the id must be a plain name"):
        catalogue()


@pytest.mark.parametrize("name", ["", "/x", "../x", "a/../../x", "a\\b", "C:x"])
def test_names_that_leave_their_folder_are_not_inside(name):
    assert not is_inside(name)


def test_a_damaged_stamp_is_no_model():
    model = catalogue().find("smart-turn-v3.2")
    folder = models_folder() / model.id
    folder.mkdir(parents=True)
    for text in ("", "{}", "[]", '{"source": "x", "checked": true, "files": [1]}'):
        (folder / "voicetui-model.json").write_text(text)
        assert find(model) is None or find(model).package == "pipecat-ai"


@pytest.mark.real
@pytest.mark.parametrize("model_id", ["moonshine-tiny-en", "en_US-joe-medium", "silero-vad"])
def test_the_installed_packages_hold_what_the_catalogue_says(model_id):
    model = catalogue().find(model_id)
    if model.locate() is None:
        pytest.skip("needs the packages with models: pip install 'voicetui[listen,embedded]'")
    assert fetch(model) == model.locate()


def write_own(tmp_path, text):
    (tmp_path / "config" / "voicetui").mkdir(parents=True)
    (tmp_path / "config" / "voicetui" / "models.toml").write_text(text)
    catalogue.cache_clear()
