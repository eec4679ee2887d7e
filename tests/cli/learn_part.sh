# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors

# Manifolds learned from data: learn, and what works on the result.

python3 - <<'END'
import math

with open("Z.csv", "w") as z, open("X.csv", "w") as x:
    for i in range(48):
        a = 2 * math.pi * i / 48
        z.write(f"{math.cos(a)!r},{math.sin(a)!r}\n")
        row = [f(k * a) / k for k in range(1, 7) for f in (math.cos, math.sin)]
        x.write(",".join(map(repr, row)) + "\n")
END
head -47 Z.csv >short.csv
head -9 Z.csv >arc.csv
sed 's/^.*,/nan,/;q' Z.csv >broken.csv
tail -47 Z.csv >>broken.csv
awk 'NR==6 {print first; next} NR==3 {first=$0} {print}' Z.csv >twice.csv

run learn gp --latent Z.csv --data X.csv --variance 1 --length-scale 0.25 --noise 1e-4 --shape 3x4 -o ring.gp
check "learn gp" test "$status" -eq 0 -a -s ring.gp
check "tells the hyper-parameters" grep -q 'length scale *0.25$' "$out"
check "and the images" grep -q '12 numbers, images of 3x4' "$out"
run info ring.gp --json
check "info tells the same" as_json "$out" 'r["kind"] == "gp" and r["variance"] == 1 and r["n"] == 48 and abs(r["far"] - 12 / 0.0625) < 1e-9 and r["ratio"] > 2.5 and r["warnings"] == []'
refuses "an existing file is kept" 3 'ring.gp' learn gp --latent Z.csv --data X.csv -o ring.gp
run learn gp --latent Z.csv --data X.csv --noise 1e-4 --json -o best.gp
check "by likelihood" as_json "$out" 'r["command"] == "learn" and r["noise"] == 1e-4 and r["log_likelihood"] > 0'

# It is a manifold like others.
echo 1,0,-1,0.001 >pair.csv
run geodesic --manifold ring.gp pair.csv --steps 4
# shellcheck disable=SC2016 # a program for awk
check "geodesics keep to the data" awk -F, 'NR > 1 && $3^2 + $4^2 < 0.8 {bad = 1} END {exit bad}' "$out"
run mean --manifold ring.gp --kind frechet arc.csv --json --starts 1
check "a mean on the ring" as_json "$out" 'abs(__import__("math").atan2(r["mean"][1], r["mean"][0]) - 4 * 2 * 3.141592653589793 / 48) < 1e-3 and r["warnings"] == []'
run sample --manifold ring.gp --time 0.1 -n 20 --steps 4
check "Brownian motion" test "$(wc -l <"$out")" -eq 20
run kmeans --manifold ring.gp -k 2 --restarts 1 arc.csv
check "clusters" test "$(wc -l <"$out")" -eq 9
printf '0.02,0\n-0.02,0.01\n0,0.03\n' >hole.csv
run mean --manifold ring.gp --kind frechet hole.csv --starts 1
check "a mean that is not in the data is told" grep -q 'warning: the mean has left the data: decoded it has .* %' "$err"
run mean --manifold 'ring.gp?uncertainty=16' --kind frechet hole.csv --starts 1 --json
check "the option is part of the manifold" as_json "$out" 'r["manifold"] == "ring.gp?uncertainty=16" and "left-the-data" in r["warnings"]'

# Latent points of its own.
run learn gp --data X.csv --latent laplacian --neighbours 4 --noise 1e-4 --save-latent found.csv -o own.gp
check "latent points by the graph" test "$status" -eq 0 -a "$(wc -l <found.csv)" -eq 48
run learn gp --data X.csv --dim 3 --noise 1e-3 --json -o pca.gp
check "or by principal components" as_json "$out" 'r["dim"] == 3 and r["curvature"] is None'

# What is wrong is said.
refuses "latent points and data differ" 2 'short.csv has 47 latent points, but X.csv has 48 rows' learn gp --latent short.csv --data X.csv -o a.gp
refuses "numbers that are none" 2 'broken.csv, row 1, column 1: not a finite number' learn gp --latent broken.csv --data X.csv -o a.gp
refuses "coincident points without noise" 2 'latent points 3 and 6 coincide' learn gp --latent twice.csv --data X.csv --noise none -o a.gp
refuses "a singular matrix" 2 'singular to rounding' learn gp --latent Z.csv --data X.csv --noise none --length-scale 2 -o a.gp
sed 's/.*/3,4,5/' Z.csv >constant.csv
awk '{printf "3.%09d,4,5\n", NR * NR % 7}' Z.csv >nearly.csv
for latent in Z.csv pca laplacian; do
    refuses "constant data, latent points: $latent" 2 'the rows of the data are all equal; there is nothing to learn' learn gp --latent "$latent" --data constant.csv -o constant.gp
done
refuses "nearly constant data" 2 'differ by only .*e-.* at numbers of 4.0.*, and the map has learned nothing of how they differ; --centre them' learn gp --latent Z.csv --data nearly.csv -o constant.gp
check "no manifold is made of them" test ! -e constant.gp
refuses "pieces" 2 'take fewer' learn gp --data X.csv --latent laplacian --neighbours 48 -o a.gp
refuses "a wrong shape" 2 '--shape 5x5 has 25 pixels, but rows have 12 numbers' learn gp --latent Z.csv --data X.csv --shape 5x5 -o a.gp
refuses "no data" 2 'no data given' learn gp -o a.gp
refuses "nothing to learn" 2 'what is to be learned' learn
refuses "no file" 2 'no file for the manifold' learn gp --data X.csv
refuses "a file that --manifold would not know" 2 'ends in .gp or .decoder' learn gp --data X.csv -o a.txt
refuses "an option that there is not" 2 'it has uncertainty' dist --manifold 'ring.gp?lambda=2' pair.csv
cp X.csv no.gp
refuses "a file of another kind" 2 'no.gp' dist --manifold no.gp pair.csv

# Back to the data.
head -3 Z.csv >three.csv
run decode --manifold ring.gp three.csv
check "decode gives the data back" test "$status" -eq 0 -a "$(wc -l <"$out")" -eq 3
check "in every number" python3 - "$out" X.csv <<'END'
import sys
rows = [[list(map(float, line.split(","))) for line in open(f)] for f in sys.argv[1:]]
sys.exit(max(abs(a - b) for r, s in zip(*rows) for a, b in zip(r, s)) > 2e-3)
END
run decode --manifold ring.gp three.csv --json
check "as JSON" as_json "$out" 'abs(r["y_1"][0] - 1) < 2e-3 and len(r["y_12"]) == 3 and r["manifold"] == "ring.gp"'
printf '0,0\n30,30\n' >away.csv
run decode --manifold ring.gp away.csv --sd sd.csv -o values.npy
check "a table and its errors" test "$status" -eq 0 -a -s values.npy -a "$(tail -1 sd.csv | cut -d, -f12)" = 1
run decode --manifold ring.gp three.csv --columns 2 -o three.pgm
check "a PGM of the training's shape" test "$(head -c 11 three.pgm | tr '\n' ' ')" = "P5 8 6 255 "
run decode --manifold ring.gp three.csv --shape 2x6 --range -1,1 -o three.png
check "a PNG of another" test "$status" -eq 0
check "that is one" python3 - three.png <<'END'
import struct, sys, zlib
data, at, pixels = open(sys.argv[1], "rb").read(), 8, b""
assert data[:8] == b"\x89PNG\r\n\x1a\n"
while at < len(data):
    n = struct.unpack(">I", data[at : at + 4])[0]
    name, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + n]
    assert zlib.crc32(name + body) == struct.unpack(">I", data[at + 8 + n : at + 12 + n])[0]
    if name == b"IHDR":
        assert struct.unpack(">IIBBBBB", body) == (12, 4, 8, 0, 0, 0, 0)
    pixels += zlib.decompress(body) if name == b"IDAT" else b""
    at += 12 + n
row = list(map(float, open("X.csv").readline().split(",")))
assert len(pixels) == 4 * 13 and pixels[0] == 0
assert all(abs(pixels[1 + k] - (row[k] + 1) / 2 * 255) < 1 for k in range(6))
END
refuses "images of no shape" 2 'how many rows and columns' decode --manifold best.gp three.csv -o a.png
refuses "a range that is none" 2 "--range must be two numbers" decode --manifold ring.gp three.csv --range 1 -o a.png
refuses "an image is no JSON" 2 'give one of them' decode --manifold ring.gp three.csv --json -o a.png
refuses "nothing was learned" 2 'sphere:2 is not learned from data' decode --manifold sphere:2 three.csv

# Decoders.
python3 - <<'END'
import json, math, struct

def write(name, tensors, metadata):
    header, body = {"__metadata__": metadata}, b""
    for key, (shape, numbers) in tensors.items():
        header[key] = {"dtype": "F32", "shape": shape, "data_offsets": [len(body), len(body) + 4 * len(numbers)]}
        body += struct.pack(f"<{len(numbers)}f", *numbers)
    text = json.dumps(header).encode()
    open(name, "wb").write(struct.pack("<Q", len(text)) + text + body)

def numbers(n, k):
    return [math.sin(12.9898 * (i + 1) * (k + 1)) for i in range(n)]

layers = {
    "0.weight": ([6, 2], numbers(12, 0)), "0.bias": ([6], numbers(6, 1)),
    "2.weight": ([4, 6], numbers(24, 2)), "2.bias": ([4], numbers(4, 3)),
}
write("decoder.safetensors", layers, {"format": "pt"})
write("wrong.safetensors", {**layers, "2.weight": ([4, 5], numbers(20, 2))}, {"activation": "tanh"})
# A plane: lengths are those of the matrix.
write("plane.safetensors", {"mean.0.weight": ([3, 2], [1, 0, 0, 2, 0, 0]), "mean.0.bias": ([3], [5, 6, 7])}, {"activation": "tanh"})
END
run learn decoder --weights plane.safetensors -o plane.decoder
check "learn decoder" grep -q 'network *2-3, tanh' "$out"
echo 0,0,3,2 >pair.csv
prints "a linear decoder is a plane" 5 1e-12 dist --manifold plane.decoder pair.csv
echo 1,1 >one.csv
prints "decoded" "6,8,7" 1e-12 decode --manifold plane.decoder one.csv
run learn decoder --weights decoder.safetensors --activation silu --latent Z.csv --shape 2x2 -o net.decoder
check "layers of a sequence, with latent points" test "$status" -eq 0
run info net.decoder --json
check "info knows it" as_json "$out" 'r["kind"] == "decoder" and r["network"] == "2-6-4, silu" and r["n"] == 48 and r["variance"] is None'
run mean --manifold net.decoder --kind frechet arc.csv --starts 1 --json
check "a mean" as_json "$out" 'r["converged"]'

# Networks: times are in the units of the data.
run info ring.gp --json
cp "$out" ring.json
run train --manifold ring.gp --around arc.csv --steps 2 --batch 64 --width 8 -o ring.safetensors --json
check "times up to the tube's square" as_json "$out" 'abs(r["t_max"] / json.load(open("ring.json"))["tube"] ** 2 - 1) < 1e-9 and abs(r["t_min"] / r["t_max"] - 0.005) < 1e-9 and r["targets"] == "frames"'
check "before training the heat equation is named" grep -q 'warning: ring.gp has two dimensions: --score pde' "$err"
check "long times are said to be too short" as_json "$out" 'r["warnings"] == ["network-long-times"]'
check "with figures and what to take instead" grep -q 'warning: from a time of about 0.6 on, networks .* 1.21 instead of 2.21, .*--score pde solves the heat equation here' "$err"
run mean --score ring.safetensors arc.csv --time 2 --starts 1 --json
check "a mean at such a time says so" as_json "$out" '"network-long-times" in r["warnings"]'
check "in words, too" grep -q 'warning: from a time of about 0.6 on, .*--score pde' "$err"
run mean --score ring.safetensors arc.csv --time 0.3 --starts 1 --json
check "a shorter time is silent" as_json "$out" '"network-long-times" not in r["warnings"]'
run mean --manifold ring.gp --score log --kind frechet arc.csv --starts 1 --json
check "and so is a mean without a network" as_json "$out" '"network-long-times" not in r["warnings"]'
run train --manifold net.decoder --steps 2 --batch 64 --width 8 --t-max 0.2 -o short.safetensors --json
check "and those that are given" as_json "$out" 'abs(r["t_max"] - 0.2) < 1e-12 and abs(r["t_min"] - 1e-3) < 1e-12 and r["warnings"] == []'
run train --manifold ring.gp --around arc.csv --steps 2 --batch 64 --width 8 --t-min 0.01 --t-max 0.05 -o short.safetensors --force
run mean --score short.safetensors arc.csv --json
check "a mean at the edge says so" test "$status" -eq 1
check "which edge" as_json "$out" 'r["time_limit"] == "t-max"'
refuses "times of other units" 2 'times must lie in' train --manifold ring.gp --quiet --steps 2 --t-max 1e7 -o short.safetensors --force
refuses "an activation must be known" 2 'which activation have the layers. tell it in the metadata or by --activation' learn decoder --weights decoder.safetensors -o a.decoder
refuses "layers that do not chain" 2 'the layers do not chain: "2.weight" has 5 columns, but "0.weight" before it has 6 rows' learn decoder --weights wrong.safetensors -o a.decoder
refuses "no weights" 2 'no weights given' learn decoder -o a.decoder
refuses "an option of the other kind" 2 '--noise does not belong to learn decoder' learn decoder --weights plane.safetensors --noise 1 -o a.decoder
