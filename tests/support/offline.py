"""No test reaches the network: connecting, sending or asking for a name beyond the loopback raises and is noted."""

from __future__ import annotations

import ipaddress
import socket
import sys

_attempts: list[str] = []


class NetworkError(Exception):
    """A test that reaches out. No `OSError`: code under test that copes with a bad network must not hide it."""


def guard():
    """Watch this process from now on, whatever opens the socket (an audit hook cannot be taken away again)."""
    sys.addaudithook(_watch)


def take_attempts() -> list[str]:
    taken = _attempts[:]
    _attempts.clear()
    return taken


def _watch(event, args):
    if event in ("socket.connect", "socket.sendto"):
        sock, address = args
        if sock.family not in (socket.AF_INET, socket.AF_INET6) or not address:
            return
        host = address[0]
    elif event == "socket.getaddrinfo":
        host = args[0]
    else:
        return
    if not _is_loopback(host):
        _attempts.append(f"{event} {host}")
        raise NetworkError(f"a test reaches the network: {event} {host}")


def _is_loopback(host) -> bool:
    name = host.decode() if isinstance(host, bytes) else host
    if not name or name == "localhost":
        return True
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified
