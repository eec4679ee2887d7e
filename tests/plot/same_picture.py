# SPDX-License-Identifier: MIT
"""same_picture.py WANTED GOT: two PNG files without alpha have one size and differ by less than 1 % of the range of
colours on the average, which is what other versions of the drawing library change at the edges of lines.
"""

import struct
import sys
import zlib

LIMIT = 0.01


def predict(kind, left, up, corner):
    if kind == 0:
        return 0
    if kind == 1:
        return left
    if kind == 2:
        return up
    if kind == 3:
        return (left + up) // 2
    guess = left + up - corner
    near = [abs(guess - left), abs(guess - up), abs(guess - corner)]
    return [left, up, corner][near.index(min(near))]


def pixels(path):
    data = open(path, "rb").read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", path
    at, packed, size = 8, b"", None
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        if name == b"IHDR":
            width, height, depth, colours = struct.unpack(">IIBB", body[:10])
            assert (depth, colours) == (8, 2), path
            size = (width, height)
        elif name == b"IDAT":
            packed += body
        at += length + 12
    raw, rows, stride = zlib.decompress(packed), [], 3 * size[0]
    before = bytearray(stride)
    for y in range(size[1]):
        kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1 : (y + 1) * (stride + 1)])
        for i in range(stride):
            left = line[i - 3] if i >= 3 else 0
            corner = before[i - 3] if i >= 3 else 0
            line[i] = (line[i] + predict(kind, left, before[i], corner)) & 255
        rows.append(bytes(line))
        before = line
    return size, b"".join(rows)


def main():
    (size, wanted), (other, got) = pixels(sys.argv[1]), pixels(sys.argv[2])
    if size != other:
        sys.exit(f"{sys.argv[2]}: {other[0]} x {other[1]} pixels instead of {size[0]} x {size[1]}")
    difference = sum(abs(a - b) for a, b in zip(wanted, got)) / (255 * len(got))
    print(f"{difference:.5f}")
    if difference > LIMIT:
        sys.exit(f"{sys.argv[2]} differs by {difference:.4f} from {sys.argv[1]}")


main()
