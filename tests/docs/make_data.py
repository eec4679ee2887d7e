# SPDX-License-Identifier: MIT
"""Files that the pages speak of and that are not in the tree: make_data.py KIND... writes them to the current folder.

    signals     epochs.npy (12 epochs of 32 channels and 256 samples) and recording.csv (4 channels, 1024 samples)
    ring        Z.csv and X.npy, 60 latent points of a circle and rows of 8 numbers
    digits NPY  ring.csv, rot.npy and half.csv: the rotated digits and their latent points, if the file is there
    decoder     decoder.safetensors, a network from 2 to 6 to 4 numbers
"""

import json
import math
import pathlib
import random
import struct
import sys


def write_npy(name, shape, numbers):
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    body = struct.pack(f"<{len(numbers)}d", *numbers)
    pathlib.Path(name).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + body)


def write_rows(name, rows, header=""):
    pathlib.Path(name).write_text(header + "".join(",".join(map(repr, row)) + "\n" for row in rows))


def circle(n, step):
    return [[math.cos(step * i), math.sin(step * i)] for i in range(n)]


def signals():
    draw = random.Random(1).gauss
    write_npy("epochs.npy", (12, 32, 256), [draw(0, 1e-6) for _ in range(12 * 32 * 256)])
    write_rows("recording.csv", [[draw(0, 1e-6) for _ in range(4)] for _ in range(1024)], "Fz,Cz,Pz,Oz\n")


def ring():
    rows = 60
    write_rows("Z.csv", circle(rows, 2 * math.pi / rows))
    angles = [2 * math.pi * i / rows for i in range(rows)]
    write_npy("X.npy", (rows, 8), [f(k * a) / k + 0.03 * math.sin(1e4 * a * k) for a in angles for k in range(1, 5)
                                  for f in (math.cos, math.sin)])


def digits(source):
    """200 images, each turned by 2π/199 more than the one before."""
    source = pathlib.Path(source)
    if not source.exists():
        return
    latent = circle(200, 2 * math.pi / 199)
    write_rows("ring.csv", latent)
    write_rows("half.csv", latent[:100])
    pathlib.Path("rot.npy").symlink_to(source)


def decoder():
    draw = random.Random(2).gauss
    tensors, data = {}, b""
    for name, shape in (("mean.0.weight", [6, 2]), ("mean.0.bias", [6]), ("mean.2.weight", [4, 6]), ("mean.2.bias", [4])):
        size = math.prod(shape)
        tensors[name] = {"dtype": "F64", "shape": shape, "data_offsets": [len(data), len(data) + 8 * size]}
        data += struct.pack(f"<{size}d", *(draw(0, 1) for _ in range(size)))
    head = json.dumps({"__metadata__": {"activation": "tanh"}, **tensors}).encode()
    head += b" " * (-len(head) % 8)
    pathlib.Path("decoder.safetensors").write_bytes(struct.pack("<Q", len(head)) + head + data)


def main():
    kind, *rest = sys.argv[1:]
    {"signals": signals, "ring": ring, "digits": digits, "decoder": decoder}[kind](*rest)


main()
