"""The https code, against a server on the loopback that cuts, refuses, redirects and forgets."""

from __future__ import annotations

import json

import pytest
from voicetui.engine.models.download import TRIES, DownloadError, _Redirects, _UnsafeRedirectError, download

CONTENT = bytes(range(256)) * 2000  # 512,000 bytes


@pytest.fixture
def target(tmp_path):
    return tmp_path / "file.bin"


@pytest.fixture
def get(target):
    """Download without waiting between tries; returns the pauses that were asked for."""

    def run(url, **options):
        pauses = []
        download(url, target, pause=pauses.append, **options)
        return pauses

    return run


def test_a_file_comes_whole_and_progress_tells_how_far_it_is(web, target, get):
    web.files["/f"] = CONTENT
    seen = []
    assert get(web.url("/f"), progress=lambda done, total: seen.append((done, total))) == []
    assert target.read_bytes() == CONTENT
    assert seen[-1] == (512_000, 512_000)
    assert sorted(seen) == seen
    assert [p.name for p in target.parent.iterdir() if p.name.startswith("file")] == ["file.bin"]


def test_a_cut_connection_is_taken_up_where_it_broke(web, target, get):
    web.files["/f"] = CONTENT
    web.cut["/f"] = [200_000, 100_000]
    assert get(web.url("/f")) == [0.5, 0.5]
    assert target.read_bytes() == CONTENT
    assert web.asked == [("/f", None), ("/f", "bytes=200000-"), ("/f", "bytes=300000-")]


def test_a_later_call_goes_on_where_a_stopped_one_was(web, target, get):
    web.files["/f"] = CONTENT

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        get(web.url("/f"), progress=stop)
    kept = target.with_name("file.bin.part").stat().st_size
    assert 0 < kept < len(CONTENT)
    get(web.url("/f"))
    assert target.read_bytes() == CONTENT
    assert web.asked[1] == ("/f", f"bytes={kept}-")


def test_a_file_that_changed_meanwhile_is_fetched_afresh(web, target, get):
    web.files["/f"] = CONTENT
    part = target.with_name("file.bin.part")
    part.write_bytes(b"x" * 1000)
    part.with_name("file.bin.part.json").write_text(json.dumps({"url": web.url("/f"), "same": '"v0"'}))
    get(web.url("/f"))
    assert target.read_bytes() == CONTENT


def test_a_server_without_ranges_sends_all_of_it_again(web, target, get):
    web.files["/f"] = CONTENT
    web.ranges = False
    web.cut["/f"] = [200_000]
    get(web.url("/f"))
    assert target.read_bytes() == CONTENT


def test_what_nothing_identifies_is_not_gone_on_with(web, target, get):
    web.files["/f"] = CONTENT
    web.etag = ""
    web.cut["/f"] = [200_000]
    get(web.url("/f"))
    assert target.read_bytes() == CONTENT
    assert web.asked == [("/f", None), ("/f", None)]


def test_an_unfinished_file_that_is_whole_is_taken(web, target, get):
    web.files["/f"] = CONTENT
    part = target.with_name("file.bin.part")
    part.write_bytes(CONTENT)
    part.with_name("file.bin.part.json").write_text(json.dumps({"url": web.url("/f"), "same": '"v1"'}))
    get(web.url("/f"))
    assert target.read_bytes() == CONTENT


def test_an_unfinished_file_longer_than_the_real_one_is_thrown_away(web, target, get):
    web.files["/f"] = CONTENT
    part = target.with_name("file.bin.part")
    part.write_bytes(CONTENT + b"x")
    part.with_name("file.bin.part.json").write_text(json.dumps({"url": web.url("/f"), "same": '"v1"'}))
    get(web.url("/f"))
    assert target.read_bytes() == CONTENT


def test_redirections_are_followed(web, target, get):
    web.files["/real"] = CONTENT
    web.goto["/f"] = "/other"
    web.goto["/other"] = web.url("/real")
    get(web.url("/f"))
    assert target.read_bytes() == CONTENT


def test_a_redirection_away_from_https_is_refused():
    import urllib.request

    request = urllib.request.Request("https://models.example/f")
    with pytest.raises(_UnsafeRedirectError, match=r"not https: http://models\.example/g"):
        _Redirects().redirect_request(request, None, 302, "Found", {}, "http://models.example/g")


def test_a_missing_file_is_one_line_at_once(web, get):
    with pytest.raises(DownloadError, match=r"/f answers 404 Not Found$"):
        get(web.url("/f"))
    assert len(web.asked) == 1


def test_a_busy_server_is_asked_again(web, target, get):
    web.files["/f"] = CONTENT
    web.status["/f"] = [503, 429]
    assert get(web.url("/f")) == [0.5, 1.0]
    assert target.read_bytes() == CONTENT


def test_a_server_that_stays_busy_is_given_up(web, get):
    web.status["/f"] = [503] * 10
    with pytest.raises(DownloadError, match=r"127.0.0.1: answers 503 .*, 5 times in a row"):
        get(web.url("/f"))
    assert len(web.asked) == TRIES


def test_nobody_there_is_one_line_that_names_the_host(get):
    with pytest.raises(DownloadError, match=r"127.0.0.1: cannot be reached \(Connection refused\)"):
        get("http://127.0.0.1:9/f")


def test_another_size_than_the_catalogue_says_is_refused_before_it_is_fetched(web, target, get):
    web.files["/f"] = CONTENT
    with pytest.raises(DownloadError, match="holds 512000 bytes, the catalogue says 5"):
        get(web.url("/f"), size=5)
    assert not target.exists()
