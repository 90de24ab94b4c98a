"""Bad values: exit code 2 and one line that names the value (with the loop untouched: nothing heavy is loaded)."""

from __future__ import annotations

import struct

import pytest

WAV = (
    b"RIFF"
    + struct.pack("<I", 36)
    + b"WAVEfmt "
    + struct.pack("<IHHIIHH", 16, 1, 1, 16000, 32000, 2, 16)
    + b"data\0\0\0\0"
)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["talk", "--grace", "-1"], "--grace is '-1', it must be seconds, 0 or more"),
        (["talk", "--grace", "nan"], "--grace is 'nan', it must be seconds, 0 or more"),
        (["talk", "--grace", "inf"], "--grace is 'inf', it must be seconds, 0 or more"),
        (["talk", "--grace", "soon"], "--grace is 'soon', it must be seconds, 0 or more"),
        (["talk", "--silence-timeout", "-0.1"], "--silence-timeout is '-0.1', it must be seconds, 0 or more"),
        (["talk", "--max-sentences", "1.5"], "--max-sentences is '1.5', it must be a whole number, 0 or more"),
        (["rehearse", "--sentences", "0"], "--sentences is '0', it must be a whole number, 1 or more"),
        (["rehearse", "--interrupt-after", "x"], "--interrupt-after is 'x', it must be seconds, 0 or more"),
        (["rehearse", "--scenario", "gone.toml"], "--scenario gone.toml: No such file or directory"),
        (["serve", "--port", "70000"], "--port is '70000', it must be a whole number, 0 to 65535"),
        (["talk", "--wav", "gone.wav"], "--wav gone.wav: No such file or directory"),
        (["talk", "--wav", "."], "--wav .: Is a directory"),
        (["talk", "--wav", "not.wav"], "--wav not.wav: this is not a WAV file"),
        (["talk", "--wav", "empty.wav"], "--wav empty.wav: this is not a WAV file"),
        (["talk", "--wav", "good.wav", "--wav", "not.wav"], "--wav not.wav: this is not a WAV file"),
        (["talk", "--speaker", "gone/reply.wav"], "--speaker gone/reply.wav: there is no folder gone"),
        (["talk", "--speaker", "folder.wav"], "--speaker folder.wav: this file cannot be written"),
        (["models", "get"], "models get takes ids, or --all-needed"),
        (["models", "get", "x", "--all-needed"], "models get takes ids, or --all-needed"),
        (["models", "get", "x"], "there is no model 'x' in the catalogue (voicetui models list)"),
    ],
)
def test_a_bad_value_is_one_line(voicetui, folders, arguments, line):
    (folders / "not.wav").write_bytes(b"ID3 this is something else")
    (folders / "empty.wav").write_bytes(b"")
    (folders / "good.wav").write_bytes(WAV)
    (folders / "folder.wav").mkdir()
    said = voicetui(*arguments)
    assert (said.code, said.out, said.err) == (2, "", f"voicetui: {line}\n")
