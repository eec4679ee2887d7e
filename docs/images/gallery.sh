#!/bin/sh
# SPDX-License-Identifier: MIT
# Draws the pictures of docs/gallery.md: sh docs/images/gallery.sh [DATA], from the root of the tree, after ./run build.
# DATA is a folder with the data sets that docs/regression.md and docs/shapes.md name.
set -eu
data=$(cd "${1:-../shared/data}" && pwd)
root=$PWD
program=$root/build/release/manistat
out=$root/docs/images/gallery
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
cd "$work"

# draw NAME "OPTIONS OF PLOT" COMMAND...
draw() {
    name=$1
    how=$2
    shift 2
    "$program" "$@" --json --quiet >"$name.json" || [ $? -eq 1 ]
    # shellcheck disable=SC2086  # a list of words
    "$program" plot "$name.json" $how --resolution 160 -o "$out/$name.png" --force --quiet
}

poles=$root/tests/data/sphere/newcaledonia_poles_s2.csv
tensors=$root/tests/data/dti/small64_tensors.csv
draw sphere "--kind sphere" mean --manifold sphere:2 "$poles"
draw stereonet "--kind stereonet" mean --manifold sphere:2 "$poles"
draw map "--kind map" kmeans --manifold sphere:2 -k 4 "$data/earth/volcano_s2.csv"
draw rose "" mean --manifold circle "$data/circle/wind_coldelaroa_rad.csv"
draw ramachandran "" mixture --manifold torus:2 -k 3 "$data/torus/sars_cov2_phi_psi_rad.csv"
"$program" sample --manifold hyperbolic:2 --time 0.5 -n 300 -o h.csv
draw disc "" mean --manifold hyperbolic:2 h.csv
cut -d, -f1 "$root/tests/data/reference/regress_S2.csv" >x.csv
cut -d, -f2-4 "$root/tests/data/reference/regress_S2.csv" >y.csv
draw regression "" regress --manifold sphere:2 --y y.csv --x x.csv
cp "$root/examples/manifolds/torus.manifold" .
"$program" sample --manifold torus.manifold --start 0,1 --time 0.3 -n 200 -o ring.csv
draw surface "" mean --manifold torus.manifold ring.csv
draw paths "" sample --manifold sphere:2 --time 0.5 -n 5 --steps 400 --paths
draw ellipsoids "" mean --manifold spd:3 --kind frechet "$tensors"
draw matrix "--kind matrix" mean --manifold spd:28 "$data/spd/connectomes_corr28_triu.csv"
draw tangent "--kind tangent" mean --manifold spd:28 "$data/spd/connectomes_corr28_triu.csv"
draw landmarks "" mean --manifold kendall:8x2 --by "$data/landmarks/gorilla_8x2_labels.csv" "$data/landmarks/gorilla_8x2.csv"
draw grid "--kind grid" mean --manifold kendall:8x2 --by "$data/landmarks/gorilla_8x2_labels.csv" "$data/landmarks/gorilla_8x2.csv"
draw rotations "" mean --manifold so3 "$data/so3/pix3d_bed_rotations.csv"
draw loss "" train --manifold sphere:2 --steps 1500 --width 64 --depth 3 -o model.safetensors
ls -l "$out"
