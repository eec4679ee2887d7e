#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Do two builds of manistat print the same bytes?

    same_bytes.py OLD NEW [--only PATTERN] [--list] [--verbose] [--jobs N]

runs every documented command with both programs, on data and models that OLD makes (d/ below), and compares
standard output, standard error, the exit status and the files that were written. Durations, rates and versions
are masked. The exit status is 0 if all are the same, 1 if not. It takes three minutes of one core.

The commands are lines of shell in COMMANDS, by groups; `manistat` is the program under test. In a group with
manifolds each line runs once for each of them: {m} is the spec, {f} its name in files.
"""

import argparse
import concurrent.futures
import difflib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MANIFOLDS = {
    "e3": "euclidean:3",
    "circle": "circle",
    "t2": "torus:2",
    "s2": "sphere:2",
    "s3": "sphere:3",
    "s20": "sphere:20",
    "h2": "hyperbolic:2",
    "h3": "hyperbolic:3",
    "spd2": "spd:2",
    "spd3": "spd:3",
    "spd5": "spd:5",
    "le3": "spd:3?metric=log-euclidean",
    "sym3": "sym:3",
    "so3": "so3",
    "pse": "product(sphere:2,euclidean:1)",
    "pst": "product(so3,torus:2)",
    "pnest": "product(so3,product(sphere:3,torus:2))",
    "psh": "product(spd:2,hyperbolic:2)",
}
EXACT = ["e3", "circle", "t2", "s2", "s3", "h2", "h3", "le3", "sym3", "so3"]  # laws with sample --method exact
HEAT = EXACT + ["s20", "spd2", "pse", "pst", "pnest"]  # closed heat kernels
TRAINED = ["e3", "circle", "t2", "s2", "h2", "spd2", "spd3", "le3", "sym3", "so3", "pse", "pnest", "psh"]
SMALL = "--steps 8 --width 16 --depth 2 --batch 512"

# Made once, with OLD, in d/: {f}.csv and {f}_b.csv points, {f}_near.csv points nearby, {f}_xy.csv pairs,
# {f}_xv.csv points with tangent vectors, {f}_xyt.csv pairs with times. d/tests is tests/data.
DATA_OF_EACH = """
manistat sample --manifold '{m}' --time 0.4 -n 60 --steps 20 -o {f}.csv
manistat sample --manifold '{m}' --time 0.2 -n 45 --steps 20 --seed 5 -o {f}_b.csv
manistat sample --manifold '{m}' --time 0.02 -n 60 --steps 20 --seed 6 -o {f}_near.csv
paste -d, {f}.csv {f}_near.csv > {f}_xy.csv
manistat log --manifold '{m}' --quiet {f}_xy.csv -o {f}_v.csv
paste -d, {f}.csv {f}_v.csv > {f}_xv.csv
awk '{{ print 0.01 * NR * NR }}' {f}.csv > times
paste -d, {f}_xy.csv times > {f}_xyt.csv
"""
DATA = """
awk 'BEGIN { for (i = 0; i < 60; i++) print (i % 3) + 0.5 }' > weights.csv
awk 'BEGIN { for (i = 0; i < 60; i++) print (i % 3 ? "left" : "right") }' > labels.csv
{ echo x,y,z,group; awk '{ print $0 "," NR % 3 }' s2.csv; } > labelled.csv
manistat sample --manifold sphere:2 --time 0.1 -n 40 --start 1,0,0 --seed 3 -o a.csv
manistat sample --manifold sphere:2 --time 0.1 -n 30 --start -1,0,0 --seed 4 -o b.csv
manistat sample --manifold sphere:2 --time 0.1 -n 20 --start 0,1,0 --seed 5 -o c.csv
cat a.csv b.csv c.csv > three.csv
printf '0,0,1\\n0,0,-1\\n' > antipodes.csv
printf '0,0,1\\n0,0,1\\n0,0,1\\n' > repeated.csv
printf '0,0,1\\n0,0.5,0.8\\n' > off.csv
printf '10\\n20\\n350\\n' > degrees.csv
printf '55.7,12.6\\n-33.9,151.2\\n51,0\\n' > latlon.csv
printf '1,2,3\\n4,5\\n' > ragged.csv
printf '1,2,x\\n' > words.csv
: > empty.csv
manistat sample --manifold sphere:2 --time 0.5 -n 50 -o table.npy
manistat sample --manifold sphere:2 --time 0.5 -n 50 -o table.tsv
manistat kmeans --manifold sphere:2 -k 3 --json three.csv -o clusters.json
manistat train --manifold sphere:2 --t 0.01 --steps 60 --width 16 --depth 2 -o fixed.safetensors
manistat train --manifold circle --energy --steps 60 --width 16 --depth 2 -o energy.safetensors
manistat train --manifold sphere:2 --time-head --steps 60 --width 16 --depth 2 -o head.safetensors
manistat train --manifold sphere:2 --preset paper --steps 3 --width 16 --batch 256 -o paper.safetensors
for m in circle sphere:2 so3 hyperbolic:2 'product(sphere:2,euclidean:1)'; do
manistat train --manifold "$m" --steps 60 --width 16 --depth 2 -o "model_$(echo "$m" | tr -d ':(),').safetensors"
done
manistat train --manifold spd:2 --around spd2.csv --steps 60 --width 16 --depth 2 -o model_spd2.safetensors
cp model_circle.safetensors checked.safetensors
manistat check checked.safetensors --samples 2000
"""

# (group, manifolds or None, lines)
COMMANDS = [
    ("manifolds", None, """
manistat manifolds
manistat manifolds --json
"""),
    ("manifolds", list(MANIFOLDS), """
manistat manifolds '{m}'
manistat manifolds '{m}' --json
"""),
    ("sample", list(MANIFOLDS), """
manistat sample --manifold '{m}' --time 0.5 -n 20
manistat sample --manifold '{m}' --time 0.5 -n 20 --threads 1 --seed 7 --steps 10
manistat sample --manifold '{m}' --time 0.5 -n 300 --method chart --steps 20
manistat sample --manifold '{m}' --time 1 -n 3 --steps 9 --paths
manistat sample --manifold '{m}' --time 0.1 -n 3 --start d/{f}_b.csv --json
manistat sample --manifold '{m}' --time 0.1 -n 4 --steps 5 --method chart --paths --json
"""),
    ("sample exact", EXACT, """
manistat sample --manifold '{m}' --time 0.5 -n 300 --method exact
manistat sample --manifold '{m}' --time 20 -n 20 --method exact --json
manistat sample --manifold '{m}' --time 0.001 -n 20 --method exact --start d/{f}.csv
"""),
    ("sample forms", None, """
manistat sample --manifold torus:2 --time 1 -n 3 --steps 9 --paths --degrees
manistat sample --manifold circle --start -1.5 --time 2 -n 5 --method exact
manistat sample --manifold sphere:2 --time 1 -n 5 --latlon
manistat sample --manifold so3 --time 1 -n 5 --quaternion
manistat sample --manifold sphere:2 --time 1 --steps 3000 -n 4 --paths
manistat sample --manifold sphere:2 --time 0.5 -n 1000 -o points.csv
manistat sample --manifold sphere:2 --time 0.5 -n 100 -o points.npy
manistat sample --manifold sphere:2 --time 0.5 -n 100 -o points.tsv
manistat sample --manifold sphere:2 --time 0.5 -n 9 --start d/off.csv --project
manistat sample --manifold spd:3 --time 0.3 -n 500 -o matrices.csv
"""),
    ("exp, log, dist", list(MANIFOLDS), """
manistat exp --manifold '{m}' d/{f}_xv.csv
manistat exp --manifold '{m}' --json d/{f}.csv d/{f}_v.csv
manistat exp --manifold '{m}' --project d/{f}_xy.csv
manistat log --manifold '{m}' d/{f}_xy.csv
manistat log --manifold '{m}' --json d/{f}_xy.csv
manistat dist --manifold '{m}' d/{f}_xy.csv
manistat dist --manifold '{m}' --json d/{f}_xy.csv
head -1 d/{f}_b.csv | manistat dist --manifold '{m}' - d/{f}.csv
manistat dist --manifold '{m}' --all d/{f}.csv
head -5 d/{f}_b.csv | manistat dist --manifold '{m}' --all --json - d/{f}.csv
head -4 d/{f}_xy.csv | manistat geodesic --manifold '{m}'
head -4 d/{f}_xy.csv | manistat geodesic --manifold '{m}' --steps 3 --json
"""),
    ("geometry forms", None, """
echo 0,0,1,1,0,0 | manistat dist --manifold sphere:2
echo 0,0,1,1,0,0 | manistat log --manifold sphere:2
echo 1,0,0,0,1,0 | manistat geodesic --manifold sphere:2 --steps 2
echo 0,0,1,1.5707963267948966,0,0 | manistat exp --manifold sphere:2
echo 55.7,12.6,-33.9,151.2 | manistat geodesic --manifold sphere:2 --latlon --steps 4
manistat log --manifold sphere:2 d/antipodes.csv d/antipodes.csv
echo 0,0,1,0,0,-1 | manistat log --manifold sphere:2 --json
echo 0,0,1,0,0,-1 | manistat geodesic --manifold sphere:2 --steps 2
echo 0,180 | manistat log --manifold circle --degrees
echo 1,0,0,0,0,1,0,0 | manistat log --manifold so3 --quaternion
echo 1,0,0,0,0,1,0,0 | manistat log --manifold so3 --rotation-vectors
manistat dist --manifold sphere:2 d/table.npy d/table.tsv
"""),
    ("heat", HEAT, """
manistat heat --manifold '{m}' d/{f}_xyt.csv
manistat heat --manifold '{m}' --json --time 0.2 d/{f}_xy.csv
head -1 d/{f}_b.csv | manistat heat --manifold '{m}' --time 0.05 - d/{f}.csv
manistat heat --manifold '{m}' --score 'bridge?paths=20&steps=8' --errors --time 0.2 d/{f}_xy.csv
manistat sample --manifold '{m}' --time 0.2 -n 2 --steps 8 --bridge "$(head -1 d/{f}_b.csv)"
"""),
    ("heat forms", None, """
echo 0,0,1,1,0,0,0.5 | manistat heat --manifold sphere:2
echo 0,0,1 | manistat heat --manifold sphere:2 --time 0.5 - d/antipodes.csv
echo 0,0,1,0,0,-1,0.01 | manistat heat --manifold sphere:2
echo 2,0,1,1,0.5,3,1 | manistat heat --manifold spd:2
echo 10,30,0.1 | manistat heat --manifold circle --degrees
manistat heat --manifold sphere:2 --latlon --time 0.1 d/latlon.csv d/latlon.csv
"""),
    ("mean", list(MANIFOLDS), """
manistat mean --manifold '{m}' d/{f}.csv
manistat mean --manifold '{m}' --json d/{f}.csv
manistat mean --manifold '{m}' --kind frechet d/{f}.csv
manistat mean --manifold '{m}' --kind frechet --json --weights d/weights.csv d/{f}.csv
manistat mean --manifold '{m}' --kind frechet --method gradient --json d/{f}.csv
manistat mean --manifold '{m}' --kind frechet --covariance sandwich --json d/{f}.csv
manistat mean --manifold '{m}' --kind frechet --retract --json d/{f}.csv
manistat mean --manifold '{m}' --kind frechet --by d/labels.csv --json d/{f}.csv
"""),
    ("real data", None, """
manistat info d/tests/sphere/cities_s2.csv
manistat mean --manifold sphere:2 d/tests/sphere/cities_s2.csv
manistat mean --manifold sphere:2 --kind frechet --json d/tests/sphere/newcaledonia_poles_s2.csv
manistat mean --manifold spd:3 d/tests/dti/small64_tensors.csv
manistat mean --manifold spd:28 --json d/tests/spd/connectomes_corr28_triu.csv
manistat mean --manifold so3 --json d/tests/reference/sim_SO3.csv
manistat mean --manifold sphere:20 --json d/tests/reference/sim_S20.csv
manistat mean --manifold hyperbolic:3 --json d/tests/reference/sim_H3.csv
manistat kmeans --manifold spd:3 -k 3 --restarts 2 d/tests/dti/small64_tensors.csv
manistat mixture --manifold sphere:2 -k 1-3 --json d/tests/sphere/newcaledonia_poles_s2.csv
"""),
    ("mean diffusion", HEAT, """
manistat mean --manifold '{m}' --time 0.1 --json d/{f}.csv
manistat mean --manifold '{m}' --kind diffusion --weights d/weights.csv --json d/{f}.csv
manistat mean --manifold '{m}' --kind diffusion --covariance sandwich --json d/{f}.csv
manistat mean --manifold '{m}' --kind diffusion --by d/labels.csv --json d/{f}.csv
manistat mean --manifold '{m}' --kind diffusion --starts 1 d/{f}_near.csv
"""),
    ("mean optimisers", ["e3", "t2", "s2", "h2", "so3", "pse"], """
manistat mean --manifold '{m}' --kind diffusion --method gradient --json d/{f}.csv
manistat mean --manifold '{m}' --kind diffusion --method adam --iterations 300 --json d/{f}.csv
manistat mean --manifold '{m}' --kind diffusion --covariance bootstrap --resamples 20 --json d/{f}.csv
"""),
    ("mean forms", None, """
manistat mean --manifold sphere:2 --by group d/labelled.csv
manistat mean --manifold sphere:2 --by 4 d/labelled.csv
manistat mean --manifold circle --degrees --covariance sandwich d/degrees.csv
manistat mean --manifold sphere:2 --latlon d/latlon.csv
manistat mean --manifold sphere:2 --latlon --json d/latlon.csv
manistat mean --manifold so3 --quaternion --json d/so3.csv
manistat mean --manifold so3 --covariance bootstrap --resamples 30 --starts 20 d/so3.csv
manistat mean --manifold sphere:2 --kind frechet d/antipodes.csv
manistat mean --manifold sphere:2 --kind frechet --json d/antipodes.csv
manistat mean --manifold sphere:2 --time 0.1 --json d/antipodes.csv
manistat mean --manifold sphere:2 d/repeated.csv
manistat mean --manifold sphere:2 --json d/repeated.csv
manistat mean --manifold sphere:2 --json d/antipodes.csv
manistat mean --manifold sphere:2 --iterations 1 --json d/s2.csv
manistat mean --manifold sphere:2 --start 0,1,0 --starts 1 --confidence 0.9 d/s2.csv
manistat mean --manifold sphere:2 d/three.csv
manistat mean --manifold sphere:2 d/table.npy
manistat mean --manifold sphere:2 --project d/off.csv
printf '1,2\\n3,4\\n5,9\\n' | manistat mean --manifold euclidean:2
manistat mean --manifold 'product(sphere:2,euclidean:1)' --kind frechet --start 0,0,1,3000 --starts 1 d/pse.csv
"""),
    ("test", ["e3", "circle", "t2", "s2", "s3", "h2", "so3", "le3", "spd2", "pse", "pnest"], """
manistat test --manifold '{m}' d/{f}.csv d/{f}_b.csv
manistat test --manifold '{m}' --json d/{f}.csv d/{f}_b.csv
manistat test --manifold '{m}' --hypothesis time --json d/{f}.csv d/{f}_b.csv
manistat test --manifold '{m}' --hypothesis both --json d/{f}.csv d/{f}_b.csv
manistat test --manifold '{m}' --time 0.3 --json d/{f}.csv d/{f}_b.csv
"""),
    ("test forms", None, """
manistat test --manifold sphere:2 --method permutation --permutations 30 d/a.csv d/c.csv
manistat test --manifold circle --method permutation --permutations 50 --json d/circle.csv d/circle_b.csv
printf '0,0\\n0,0\\n' > a; printf '3,4\\n3,4\\n' > b; manistat test --manifold euclidean:2 --time 2 a b
"""),
    ("kmeans", list(MANIFOLDS), """
manistat kmeans --manifold '{m}' -k 3 d/{f}.csv
manistat kmeans --manifold '{m}' -k 2 --restarts 2 --weights d/weights.csv --json d/{f}.csv
"""),
    ("kmeans diffusion", ["e3", "t2", "s2", "h2", "so3", "pse"], """
manistat kmeans --manifold '{m}' -k 2 --kind diffusion --restarts 2 --json d/{f}.csv
"""),
    ("plot", None, """
manistat mean --manifold sphere:2 d/s2.csv --plot sphere.svg
manistat mean --manifold sphere:2 d/s2.csv --plot net.pdf --plot-kind stereonet
manistat kmeans --manifold sphere:2 -k 3 d/three.csv --plot map.png --plot-kind map
manistat sample --manifold torus:2 --time 1 -n 50 --plot square.svg
manistat plot --kinds
manistat test --manifold sphere:2 d/s2.csv d/three.csv --plot samples.svg
manistat mean --manifold sphere:2 d/s2.csv --json -o one.json
manistat plot one.json one.json --kind sphere,map --note Both. -o sheet.svg
"""),
    ("kmeans forms", None, """
manistat kmeans --manifold sphere:2 -k 3 d/three.csv
manistat kmeans --manifold sphere:2 -k 3 --json d/three.csv -o clusters.json
manistat kmeans --manifold sphere:2 --assign d/clusters.json d/s2.csv
manistat kmeans --manifold sphere:2 --assign d/clusters.json --json d/s2.csv
printf '0\\n0.1\\n0.2\\n3\\n3.1\\n' | manistat kmeans --manifold circle -k 2
"""),
    ("mixture", ["e3", "circle", "t2", "s2", "h2", "so3", "le3", "pse", "pst"], """
manistat mixture --manifold '{m}' -k 2 --restarts 2 d/{f}.csv
manistat mixture --manifold '{m}' -k 2 --restarts 2 --json d/{f}.csv
"""),
    ("cov", None, """
manistat cov d/s20.csv --window 25 --step 10
manistat cov d/s20.csv --shrink oas --centre none --json
manistat cov d/s20.csv --shrink ledoit-wolf --divisor samples -o covs.npy
manistat mean --manifold spd:3 --kind frechet --shrink 0.1 d/spd3.csv
manistat dist --manifold spd:3 --shrink oas --samples 50 d/spd3_xy.csv --json
"""),
    ("regress", None, """
cut -d, -f1 d/tests/reference/regress_S2.csv > x.csv; cut -d, -f2-4 d/tests/reference/regress_S2.csv > y.csv; manistat regress --manifold sphere:2 --y y.csv --x x.csv
cut -d, -f1 d/tests/reference/regress_S2.csv > x.csv; cut -d, -f2-4 d/tests/reference/regress_S2.csv > y.csv; manistat regress --manifold sphere:2 --y y.csv --x x.csv --kind frechet --json
cut -d, -f1 d/tests/reference/regress_S2.csv > x.csv; cut -d, -f2-4 d/tests/reference/regress_S2.csv > y.csv; manistat regress --manifold sphere:2 --y y.csv --x x.csv --noise loglinear --predict x.csv --json
"""),
    ("mixture forms", None, """
manistat mixture --manifold sphere:2 -k 3 d/three.csv
manistat mixture --manifold sphere:2 -k 1-3 d/three.csv
manistat mixture --manifold sphere:2 -k 1-3 --json d/three.csv -o result.json
manistat mixture --manifold sphere:2 -k 2 --weights d/weights.csv --json d/s2.csv
manistat mixture --manifold sphere:2 -k 2 --iterations 2 --json d/s2.csv
manistat mixture --manifold sphere:2 -k 2 d/repeated.csv
"""),
    ("train", TRAINED, f"""
manistat train --manifold '{{m}}' {SMALL} -o m.safetensors
manistat train --manifold '{{m}}' {SMALL} --json -o m.safetensors --loss dsm
manistat train --manifold '{{m}}' {SMALL} --json -o m.safetensors --around d/{{f}}.csv --seed 9
"""),
    ("train losses", ["circle", "s2", "h2", "spd2", "so3", "pse", "pnest"], f"""
manistat train --manifold '{{m}}' {SMALL} --json -o m.safetensors --loss dsmvr
manistat train --manifold '{{m}}' {SMALL} --json -o m.safetensors --loss ism
manistat train --manifold '{{m}}' {SMALL} --json -o m.safetensors --loss ism --divergence exact
manistat train --manifold '{{m}}' {SMALL} --json -o m.safetensors --loss ssm
manistat train --manifold '{{m}}' {SMALL} --json -o m.safetensors --energy
manistat train --manifold '{{m}}' {SMALL} --json -o m.safetensors --time-head
manistat train --manifold '{{m}}' {SMALL} --json -o m.safetensors --t 0.01
"""),
    ("train forms", None, f"""
manistat train --manifold circle --steps 5 --width 16 -o tiny.safetensors
manistat train --manifold sphere:2 --t 0.01 --steps 30 -o small.safetensors
manistat train --manifold circle {SMALL} --json -o m.safetensors --t-min 0.01 --t-max 0.5 --activation tanh
manistat train --manifold circle {SMALL} --json -o m.safetensors --path-steps 12 --path-samples 2 --rate 0.001 --clip 1
manistat train --manifold circle --preset paper --steps 2 --width 8 --batch 256 --json -o m.safetensors
manistat train --manifold sphere:2 {SMALL} --starts chained --json -o m.safetensors
manistat train --manifold circle {SMALL} --degrees --around d/degrees.csv -o m.safetensors
manistat train --manifold spd:2 {SMALL} --start 2,0,1 -o m.safetensors
manistat train --manifold sphere:2 {SMALL} --threads 1 -o m.safetensors
manistat train --manifold sphere:2 {SMALL} --energy --loss dsm -o m.safetensors
manistat train --manifold sphere:2 {SMALL} --energy --activation tanh -o m.safetensors
manistat train --manifold circle --steps 500 --width 16 --depth 2 --rate 1e15 -o x.safetensors
"""),
    ("check", None, """
cp d/model_circle.safetensors m; manistat check m --samples 2000
manistat check d/model_circle.safetensors --dry-run --json --samples 2000
manistat check d/model_sphere2.safetensors --dry-run --json --samples 2000
manistat check d/model_so3.safetensors --dry-run --json --samples 1000
manistat check d/model_hyperbolic2.safetensors --dry-run --json --samples 1000
manistat check d/model_spd2.safetensors --dry-run --json --samples 1000 --around d/spd2.csv
manistat check d/model_spd2.safetensors --dry-run --samples 1000
manistat check d/model_productsphere2euclidean1.safetensors --dry-run --json --samples 1000
manistat check d/fixed.safetensors --dry-run --samples 1000
manistat check d/energy.safetensors --dry-run --json --samples 1000
manistat check d/head.safetensors --dry-run --json --samples 1000
manistat check d/paper.safetensors --dry-run --samples 500 --against exact
"""),
    ("report", None, """
manistat mean --manifold sphere:2 d/s2.csv --json -o r.json; manistat report r.json
manistat kmeans --manifold sphere:2 -k 2 d/s2.csv --json -o r.json; manistat report r.json -o r.html
manistat report d/s2.csv
"""),
    ("info", None, """
manistat info d/model_circle.safetensors
manistat info --json d/model_circle.safetensors
manistat info d/checked.safetensors
manistat info --json d/checked.safetensors
manistat info d/model_spd2.safetensors
manistat info --json d/model_spd2.safetensors
manistat info d/energy.safetensors
manistat info --json d/paper.safetensors
manistat info d/s2.csv
manistat info --json d/spd3.csv
manistat info --json d/so3.csv
manistat info --json d/labelled.csv
manistat info d/table.npy
manistat info d/empty.csv
"""),
    ("models", None, """
manistat heat --score d/model_sphere2.safetensors d/s2_xy.csv --time 0.2
manistat heat --score d/model_sphere2.safetensors d/s2_xyt.csv
manistat heat --score d/model_sphere2.safetensors --force d/s2_xyt.csv
manistat heat --score d/model_so3.safetensors --json d/so3_xy.csv --time 0.2
manistat heat --score d/model_hyperbolic2.safetensors --json d/h2_xy.csv --time 0.2
manistat heat --score d/model_spd2.safetensors --json d/spd2_xy.csv --time 0.2
manistat heat --score d/model_productsphere2euclidean1.safetensors --json d/pse_xy.csv --time 0.2
manistat heat --score d/head.safetensors --json d/s2_xy.csv --time 0.2
manistat heat --score d/energy.safetensors --energy --json d/circle_xy.csv --time 0.2
manistat heat --score d/checked.safetensors d/circle_xy.csv --time 0.2
manistat heat --score d/model_sphere2.safetensors --energy --time 0.2 d/s2_xy.csv
manistat mean --score d/model_sphere2.safetensors d/s2.csv
manistat mean --score d/model_sphere2.safetensors --json d/s2.csv
manistat mean --score d/model_sphere2.safetensors --json --time 0.3 d/s2.csv
manistat mean --score d/model_sphere2.safetensors --kind frechet --json d/s2_near.csv
manistat mean --score d/model_circle.safetensors --json d/circle.csv
manistat mean --score d/checked.safetensors --json d/circle.csv
manistat mean --score d/model_so3.safetensors --json d/so3.csv
manistat mean --score d/model_spd2.safetensors d/spd2.csv
manistat mean --score d/model_spd2.safetensors --kind frechet d/spd2_near.csv
manistat mean --score d/model_hyperbolic2.safetensors --json d/h2.csv
manistat mean --score d/model_productsphere2euclidean1.safetensors --json d/pse.csv
manistat mean --score d/model_productsphere2euclidean1.safetensors --covariance sandwich --json d/pse.csv
manistat mean --score d/fixed.safetensors --json d/s2_near.csv
manistat mean --score d/energy.safetensors --json d/circle.csv
manistat mean --score d/head.safetensors --json d/s2.csv
manistat mean --score d/model_sphere2.safetensors --by d/labels.csv d/s2.csv
manistat test --score d/model_sphere2.safetensors --json d/s2.csv d/s2_b.csv
manistat kmeans --score d/fixed.safetensors -k 2 d/s2_near.csv
manistat kmeans --score d/model_sphere2.safetensors --kind diffusion -k 2 --restarts 2 --json d/s2.csv
manistat mixture --score d/model_sphere2.safetensors -k 2 d/s2.csv
manistat log --score d/fixed.safetensors d/s2_near.csv d/s2_near.csv
manistat log --score d/fixed.safetensors --json d/s2_xy.csv
manistat dist --score d/fixed.safetensors d/s2_xy.csv
manistat geodesic --score d/fixed.safetensors --steps 4 d/s2_near.csv d/s2_near.csv
manistat exp --score d/fixed.safetensors d/s2_xv.csv
manistat log --score d/model_spd2.safetensors d/spd2_xy.csv
manistat dist --score d/model_productsphere2euclidean1.safetensors d/pse_xy.csv
manistat mean --score d/model_sphere2.safetensors --manifold circle d/circle.csv
"""),
    ("messages", None, """
manistat
manistat nonsense
manistat sampl
manistat --nonsense
manistat --version
manistat sample
manistat sample --manifold sphere:2
manistat sample --manifold sphere:2 --time -1
manistat sample --manifold sphere:2 --time x
manistat sample --manif sphere:2
manistat sample --manifold sphere --time 1
manistat sample --manifold sphere:0 --time 1
manistat sample --manifold sfere:2 --time 1
manistat sample --manifold 'product(sphere:2' --time 1
manistat sample --manifold 'spd:3?metric=x' --time 1
manistat sample --manifold spd:3 --time 1 --method exact
manistat sample --manifold sphere:2 --time 1 --method euler
manistat sample --manifold sphere:2 --time 1 --start 0,0,2
manistat sample --manifold sphere:2 --time 1 --start 0,0
manistat sample --manifold sphere:2 --time 1 --degrees
manistat sample --manifold sphere:2 --time 1 -o nowhere/x.csv
touch x.csv; manistat sample --manifold sphere:2 --time 1 -o x.csv
echo 0,1,-1 | manistat heat --manifold circle
manistat heat --manifold spd:3 d/spd3_xyt.csv
manistat heat --manifold circle --energy d/circle_xyt.csv
manistat dist --manifold sphere:2 d/off.csv d/off.csv
manistat dist --manifold sphere:2 d/ragged.csv
manistat dist --manifold sphere:2 d/words.csv
manistat dist --manifold sphere:2 d/missing.csv
manistat dist --manifold sphere:2 d/s2.csv d/s2_b.csv
manistat exp --manifold sphere:2 d/s2_xy.csv
manistat mean --manifold spd:3 --kind diffusion d/spd3.csv
manistat mean --manifold sphere:2 d/empty.csv
manistat mean --manifold sphere:2 --weights d/labels.csv d/s2.csv
manistat mean --manifold sphere:2 --weights d/weights.csv d/s2_b.csv
manistat mean --manifold sphere:2 --by nothing d/labelled.csv
manistat mean --manifold sphere:2 d/circle.csv
manistat mean --score d/s2.csv d/s2.csv
manistat mean --score d/model_sphere2.safetensors --time 3 d/s2.csv
manistat mean --score d/model_sphere2.safetensors --time 3 --force d/s2.csv
manistat test --manifold sphere:2 d/a.csv
manistat test --manifold spd:3 d/spd3.csv d/spd3_b.csv
manistat kmeans --manifold sphere:2 d/s2.csv
manistat kmeans --manifold sphere:2 -k 100 d/s2.csv
manistat kmeans --manifold circle --assign d/clusters.json d/circle.csv
manistat kmeans --manifold sphere:2 --assign d/s2.csv d/s2.csv
manistat mixture --manifold spd:3 -k 2 d/spd3.csv
manistat mixture --manifold sphere:2 -k 5-2 d/s2.csv
manistat train --manifold sphere:2
manistat train --manifold sphere:2 --minutes 1 --steps 5 -o x.safetensors
manistat train --manifold sphere:2 --t-min 1 --t-max 0.5 -o x.safetensors
manistat train --manifold sphere:2 --divergence exact -o x.safetensors
manistat train --manifold sphere:2 --loss mse -o x.safetensors
manistat train --manifold sphere:2 --start 0,0,2 -o x.safetensors
manistat train --manifold sphere:2 --resume -o x.safetensors
touch x.safetensors.checkpoint; manistat train --manifold sphere:2 -o x.safetensors
manistat check d/s2.csv
manistat check d/model_spd2.safetensors --against exact --dry-run --samples 100
manistat check d/model_circle.safetensors --against bridge
manistat info d/missing.csv
manistat info
"""),
    ("help", None, """
manistat --help
manistat help
manistat help --list
manistat help --man
manistat help --completion bash
manistat help --completion zsh
manistat help --completion fish
for c in $(manistat help --list); do echo "== $c"; manistat help $c; manistat help --man $c; done
for c in $(manistat help --list); do manistat $c --help; done
"""),
]

# What changes from run to run, in JSON, in tables and in the metadata of models.
MASKS = [
    (re.compile(r'("(?:training_)?seconds"|"samples_per_second")(\s*:\s*)"?[-+0-9.e]+"?'), r"\1\2~"),
    (re.compile(r'(\\?"(?:version|made_by)\\?"\s*:\s*)\\?"[^"\\]*\\?"'), r"\1~"),
    (re.compile(r"\bmanistat [0-9]+\.[0-9]+\.[0-9]+\b"), "manistat ~"),
    (re.compile(r"samples in [0-9.e+-]+ s( \([^)]*samples/s\))?"), "samples in ~"),
]
SECONDS_PER_COMMAND = 300


def masked(text):
    for pattern, replacement in MASKS:
        text = pattern.sub(replacement, text)
    return text


def all_commands():
    for group, names, lines in COMMANDS:
        for line in lines.strip().splitlines():
            for name in names or [None]:
                yield group, line if name is None else line.format(m=MANIFOLDS[name], f=name)


def shell(program_dir, line, cwd):
    environment = dict(os.environ, PATH=f"{program_dir}:{os.environ['PATH']}", LC_ALL="C", COLUMNS="80")
    return subprocess.run(["bash", "-c", line], cwd=cwd, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=SECONDS_PER_COMMAND, check=False)


def program(scratch, name, path):
    """A directory in which the binary is called manistat, as messages say."""
    directory = scratch / "bin" / name
    directory.mkdir(parents=True)
    (directory / "manistat").symlink_to(path.resolve())
    return directory


def make_data(directory, program_dir):
    directory.mkdir()
    lines = [line.format(m=spec, f=name) for name, spec in MANIFOLDS.items()
             for line in DATA_OF_EACH.strip().splitlines()]
    script = "\n".join(["set -e"] + lines + DATA.strip().splitlines())
    done = shell(program_dir, script, directory)
    if done.returncode != 0:
        sys.exit("same_bytes.py: OLD cannot make the data: " + done.stderr.decode(errors="replace"))
    for path in directory.iterdir():
        path.chmod(0o444)
    (directory / "tests").symlink_to(pathlib.Path(__file__).resolve().parent.parent / "data")


def file_text(path):
    """A written file as text that can be compared; of a model the masked header, and the numbers in hex."""
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    if 2 <= length < len(data) and data[8:9] == b"{":
        header = json.loads(data[8:8 + length])
        return masked(json.dumps(header, indent=0)) + "\n" + "\n".join(
            data[i:i + 32].hex() for i in range(8 + length, len(data), 32))
    if data[:6] == b"\x93NUMPY":
        return "\n".join(data[i:i + 32].hex() for i in range(0, len(data), 32))
    return masked(data.decode("latin-1"))


def run(program_dir, line, data):
    with tempfile.TemporaryDirectory(prefix="same_bytes.") as cwd:
        cwd = pathlib.Path(cwd)
        (cwd / "d").symlink_to(data)
        try:
            done = shell(program_dir, line, cwd)
        except subprocess.TimeoutExpired:
            return {"exit status": f"still running after {SECONDS_PER_COMMAND} s"}
        result = {
            "exit status": str(done.returncode),
            "stdout": masked(done.stdout.decode("latin-1")),
            "stderr": masked(done.stderr.decode("latin-1")),
        }
        for path in sorted(cwd.rglob("*")):
            if path.is_file() and path.parent != cwd / "d":
                result[f"file {path.relative_to(cwd)}"] = file_text(path)
        return result


NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def largest_change(old, new):
    """The largest relative difference of numbers, if the texts are the same but for these."""
    if NUMBER.sub("#", old) != NUMBER.sub("#", new) or len(NUMBER.findall(old)) != len(NUMBER.findall(new)):
        return None
    largest = 0.0
    for a, b in zip(map(float, NUMBER.findall(old)), map(float, NUMBER.findall(new))):
        if a != b:
            largest = max(largest, abs(a - b) / max(abs(a), abs(b)))
    return largest


def changed_lines(old, new):
    if len(old) == len(new):
        return [text for a, b in zip(old, new) if a != b for text in ("-" + a, "+" + b)]
    diff = list(difflib.unified_diff(old, new, lineterm="", n=0))[2:]
    return [text for text in diff if not text.startswith("@@")]


def differences(old, new, most):
    """What differs between two results, as lines for a reader; most: lines of each difference."""
    lines = []
    for name in sorted(set(old) | set(new)):
        a, b = old.get(name), new.get(name)
        if a == b:
            continue
        if a is None or b is None:
            lines.append(f"  {name}: only {'NEW' if a is None else 'OLD'} has it")
            continue
        if name == "exit status":
            lines.append(f"  {name}: {a} was, {b} is")
            continue
        change = largest_change(a, b)
        note = f"numbers differ, by at most {change:.2g} relative" if change is not None else "other words"
        lines.append(f"  {name}: {note}")
        shown = changed_lines(a.splitlines(), b.splitlines())
        lines += ["    " + text[:300] for text in shown[:most]]
        if len(shown) > most:
            lines.append(f"    ... {len(shown) - most} more lines")
    return lines


def main():
    parser = argparse.ArgumentParser(description="Compares what two builds of manistat print.")
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--only", metavar="PATTERN", default="", help="only 'group: command' with this pattern")
    parser.add_argument("--list", action="store_true", help="print the commands and stop")
    parser.add_argument("--verbose", action="store_true", help="print every command and whole differences")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    chosen = [(group, line) for group, line in all_commands() if re.search(args.only, f"{group}: {line}")]
    if args.list:
        for group, line in chosen:
            print(f"{group}: {line}")
        return 0
    if not chosen:
        sys.exit("same_bytes.py: no command fits the pattern")

    scratch = pathlib.Path(tempfile.mkdtemp(prefix="same_bytes."))
    try:
        old, new = program(scratch, "old", args.old), program(scratch, "new", args.new)
        data = scratch / "data"
        make_data(data, old)
        changed = 0
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            def both(entry):
                return entry, run(old, entry[1], data), run(new, entry[1], data)
            for (group, line), before, after in pool.map(both, chosen):
                if before != after:
                    changed += 1
                    print(f"DIFFERS {group}: {line}")
                    print("\n".join(differences(before, after, 10000 if args.verbose else 6)), flush=True)
                elif args.verbose:
                    print(f"same, status {before['exit status']}: {group}: {line}")
        print(f"{len(chosen)} commands, {changed} differ")
        return 1 if changed else 0
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


sys.exit(main())
