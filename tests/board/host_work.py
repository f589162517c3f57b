# SPDX-License-Identifier: Apache-2.0
"""host_work.py FILE.onnx: a product of bytes for the accelerator between operators of floats for the host, which takes
a good part of the accelerator's time for them."""
import random
import struct
import sys

FLOAT, UINT8, INT8 = 1, 2, 3
CHANNELS, SIZE = 16, 48


def varint(value):
    out = b""
    while value >= 128:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    """A field of a protobuf message: a number, or what has a length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def tensor(name, kind, shape, raw):
    return field(5, b"".join(field(1, n) for n in shape) + field(2, kind) + field(8, name) + field(9, raw))


def node(op, inputs, output, attributes=b""):
    return field(1, b"".join(field(1, i) for i in inputs) + field(2, output) + field(3, output) + field(4, op) + attributes)


def value(number, name, kind, shape):
    dimensions = b"".join(field(1, field(1, n)) for n in shape)
    return field(number, field(1, name) + field(2, field(1, field(1, kind) + field(2, dimensions))))


def scale(name, number):
    return tensor(name, FLOAT, [], struct.pack("<f", number))


def main():
    rng = random.Random(1)
    weights = bytes(rng.randrange(256) for _ in range(CHANNELS * CHANNELS))
    shape = [1, CHANNELS, SIZE, SIZE]
    axis = field(5, field(1, "axis") + field(3, 1) + field(20, 2))
    graph = b"".join([
        node("Tanh", ["x"], "soft"),
        node("QuantizeLinear", ["soft", "in_scale", "zero"], "bytes"),
        node("QLinearConv", ["bytes", "in_scale", "zero", "weights", "weight_scale", "zero", "out_scale", "zero"], "sums"),
        node("DequantizeLinear", ["sums", "out_scale", "zero"], "scores"),
        node("Softmax", ["scores"], "shares", axis),
        node("QuantizeLinear", ["shares", "share_scale", "least"], "y"),
        field(2, "host_work"),
        scale("in_scale", 1 / 127), scale("weight_scale", 0.0213), scale("out_scale", 0.0417), scale("share_scale", 1 / 255),
        tensor("zero", INT8, [], bytes(1)), tensor("least", UINT8, [], bytes(1)),
        tensor("weights", INT8, [CHANNELS, CHANNELS, 1, 1], weights),
        value(11, "x", FLOAT, shape), value(12, "y", UINT8, shape),
    ])
    with open(sys.argv[1], "wb") as file:
        file.write(field(1, 8) + field(8, field(1, "") + field(2, 13)) + field(7, graph))


main()
