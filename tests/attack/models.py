# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors
"""Damaged models and checkpoints: every one is used or refused, and nothing is lost."""
import json

TEXTS = ["", "-1", "0", "1e999", "nan", "999999999999999999999", "\x1b[31m", "x" * 5000, "sphere:20000", "sphere:2", "{",
         "true", "null", "é", "1\n2", "silu", "product(so3,so3)", "/etc/passwd", "FILE.manifold"]
USES = [["info", "MODEL"], ["info", "MODEL", "--json"], ["heat", "--score", "MODEL", "--time", "0.1", "pair.csv"],
        ["mean", "--score", "MODEL", "points.csv"], ["dist", "--score", "MODEL", "pair.csv"]]


def split(data):
    length = int.from_bytes(data[:8], "little")
    return json.loads(data[8:8 + length]), data[8 + length:]


def join(header, rest):
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + rest


def damage(random, good):
    """One or two changes: of bits, of length, of a text or a shape of the header."""
    data = bytearray(good)
    for _ in range(random.choice([1, 1, 2])):
        kind = random.randrange(5)
        if kind == 0 and data:
            data[random.randrange(len(data))] ^= 1 << random.randrange(8)
        elif kind == 1:
            del data[random.randrange(len(data) + 1):]
        elif kind == 2:
            at = random.randrange(len(data) + 1)
            data[at:at] = bytes(random.randrange(256) for _ in range(random.choice([1, 8, 100])))
        else:
            try:
                header, rest = split(bytes(data))
                if kind == 3:
                    texts = header["__metadata__"]
                    key = random.choice(list(texts))
                    if random.random() < 0.2:
                        del texts[key]
                    else:
                        texts[key] = random.choice(TEXTS)
                else:
                    name = random.choice([k for k in header if k != "__metadata__"])
                    field = random.choice(["shape", "data_offsets", "dtype"])
                    header[name][field] = random.choice([[], [0], [1, 1 << 40], [-1, 2], "F64", "X", [1 << 63, 2], None])
                data = bytearray(join(header, rest))
            except (ValueError, KeyError, TypeError, IndexError):
                data[:8] = bytes(8)
    return bytes(data)


def attack(ground):
    train = ["train", "--manifold", "sphere:2", "--steps", "20", "--width", "8", "--depth", "1", "--batch", "64", "--quiet"]
    status, _, err = ground.run([*train, "-o", "good.safetensors"])
    if status != 0:
        ground.find(f"no model to begin with: {err}", "manistat " + " ".join(train))
        return
    ground.write("pair.csv", "0,0,1,0,0.6,0.8\n")
    ground.write("points.csv", "0,0,1\n0,0.6,0.8\n0.6,0,0.8\n")
    with open(ground.path("good.safetensors"), "rb") as f:
        good = f.read()
    while ground.goes_on():
        bad = damage(ground.random, good)
        ground.write("bad.safetensors", bad)
        use = [a.replace("MODEL", "bad.safetensors") for a in ground.random.choice(USES)]
        ground.count("damaged models")
        if not ground.judge(use, ground.run(use)):
            name = f"found-{len(ground.findings)}.safetensors"
            ground.write(name, bad)
            ground.findings[-1] += f"\n    with {ground.path(name)}"
