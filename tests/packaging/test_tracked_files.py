"""The project stands alone: no package registry's host and no path of somebody's machine is in its files."""

from __future__ import annotations

import re

from support.checkout import ROOT, tracked_files

# Written so that this file does not hold what it looks for.
HOSTS = [".".join(parts) for parts in [("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("debian", "org")]]
MACHINE_PATH = re.compile(r"(?<![\w.~}$/-])/(?!home/you\b)(?:home|root|Users|work|tmp|opt)/[A-Za-z0-9._-]+")
"""`/home/you` is anybody's home, in pictures and examples."""
LOCK = re.compile(r"^\.dev/lock.*\.txt$")


def texts():
    for path in tracked_files():
        try:
            yield str(path), (ROOT / path).read_text("utf-8")
        except UnicodeDecodeError:
            continue


def test_no_registry_host():
    assert [(path, host) for path, text in texts() for host in HOSTS if host in text] == []


def test_no_path_of_a_machine():
    found = [(path, match) for path, text in texts() if not LOCK.match(path) for match in MACHINE_PATH.findall(text)]
    assert found == []


def test_the_checkout_is_not_named():
    assert [path for path, text in texts() if str(ROOT) in text] == []
