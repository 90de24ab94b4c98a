"""Asking an ONNX model for one more of its results, without a library for that.

A Piper model knows how long it says each phoneme, but tells it only if the tensor is listed among the outputs of its
graph. Protocol buffers merge a message that appears twice, so the model's bytes with a second, nearly empty graph
behind them are the same model with one more output. Format: onnx.proto3 (ModelProto.graph 7, GraphProto.node 1 and
.output 12, NodeProto.output 2 and .op_type 4, ValueInfoProto.name 1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_GRAPH, _NODE, _GRAPH_OUTPUT, _NODE_OUTPUT, _OP_TYPE, _NAME = 7, 1, 12, 2, 4, 1
_BYTES = 2


def with_output_of(model: bytes, operator: str) -> bytes | None:
    """Return a model whose only node of a kind (`Ceil`) also gives its result; None where it has none or several."""
    found = [
        bytes(output)
        for graph in _fields(memoryview(model), _GRAPH)
        for node in _fields(graph, _NODE)
        if operator.encode() in map(bytes, _fields(node, _OP_TYPE))
        for output in _fields(node, _NODE_OUTPUT)
    ]
    if len(found) != 1:
        return None
    value = _field(_NAME, found[0])
    return b"".join((model, _field(_GRAPH, _field(_GRAPH_OUTPUT, value))))


def _fields(message: memoryview, wanted: int) -> Iterator[memoryview]:
    """Yield the content of each field of that number; others are skipped unread."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        match tag & 7:
            case 0:
                _, at = _varint(message, at)
            case 1:
                at += 8
            case 5:
                at += 4
            case 2:
                length, at = _varint(message, at)
                if tag >> 3 == wanted:
                    yield message[at : at + length]
                at += length
            case kind:
                raise ValueError(f"field of an unknown kind {kind}")


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def _field(number: int, content: bytes) -> bytes:
    """Return a field; tag and length are below 128 here."""
    assert len(content) < 0x80
    return bytes((number << 3 | _BYTES, len(content))) + content
