#!/bin/sh
# SPDX-License-Identifier: MIT
# Draws the pictures of docs/gallery.md: sh docs/images/gallery.sh [DATA], from the root of the tree, after ./run build.
# DATA is a folder with the data sets that docs/regression.md and docs/shapes.md name. All kinds of pictures, each as wide
# as a column, are on one sheet, too: docs/images/contact.png. A kind that is on none of them is an error.
# The paper's figures, which take minutes, are drawn by: sh docs/images/gallery.sh --figures DIR [DATA], with what is in DIR already.
set -eu
root=$PWD
program=$root/build/release/manistat

if [ "${1-}" = --figures ]; then
    "$program" reproduce figures --data "${3:-../shared/data}" --out "$2" --pictures png --resolution 95
    mkdir -p docs/images/figures
    cp "$2"/*.png docs/images/figures
    exit
fi

data=$(cd "${1:-../shared/data}" && pwd)
out=$root/docs/images/gallery
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
cd "$work"
kinds=
results=

# estimate NAME COMMAND...: the result goes to NAME.json.
estimate() {
    name=$1
    shift
    "$program" "$@" --json --quiet >"$name.json" || [ $? -eq 1 ]
}

# sheet NAME KIND: the result is shown on the sheet of all kinds.
sheet() {
    results="$results $1.json"
    kinds="$kinds${kinds:+,}$2"
}

# draw NAME KIND COMMAND...: a picture of the gallery.
draw() {
    name=$1
    kind=$2
    shift 2
    estimate "$name" "$@"
    "$program" plot "$name.json" --kind "$kind" --resolution 160 -o "$out/$name.png" --force --quiet
}

poles=$root/tests/data/sphere/newcaledonia_poles_s2.csv
tensors=$root/tests/data/dti/small64_tensors.csv
gorillas=$data/landmarks/gorilla_8x2
draw sphere sphere mean --manifold sphere:2 "$poles"
sheet sphere sphere
draw stereonet stereonet mean --manifold sphere:2 "$poles"
sheet stereonet stereonet
draw map map kmeans --manifold sphere:2 -k 4 "$data/earth/volcano_s2.csv"
sheet map map
draw rose rose mean --manifold circle "$data/circle/wind_coldelaroa_rad.csv"
sheet rose rose
draw ramachandran ramachandran mixture --manifold torus:2 -k 3 "$data/torus/sars_cov2_phi_psi_rad.csv"
sheet ramachandran ramachandran
"$program" sample --manifold hyperbolic:2 --time 0.5 -n 300 -o h.csv
draw disc disc mean --manifold hyperbolic:2 h.csv
sheet disc disc
cut -d, -f1 "$root/tests/data/reference/regress_S2.csv" >x.csv
cut -d, -f2-4 "$root/tests/data/reference/regress_S2.csv" >y.csv
draw regression sphere regress --manifold sphere:2 --y y.csv --x x.csv
cp "$root/examples/manifolds/torus.manifold" .
"$program" sample --manifold torus.manifold --start 0,1 --time 0.3 -n 200 -o ring.csv
draw surface surface mean --manifold torus.manifold ring.csv
sheet surface surface
draw paths sphere sample --manifold sphere:2 --time 0.5 -n 5 --steps 400 --paths
draw ellipsoids ellipsoids mean --manifold spd:3 --kind frechet "$tensors"
sheet ellipsoids ellipsoids
draw matrix matrix mean --manifold spd:28 "$data/spd/connectomes_corr28_triu.csv"
sheet matrix matrix
draw tangent tangent mean --manifold spd:28 "$data/spd/connectomes_corr28_triu.csv"
sheet tangent tangent
draw landmarks landmarks mean --manifold kendall:8x2 --by "${gorillas}_labels.csv" "$gorillas.csv"
sheet landmarks landmarks
draw grid grid mean --manifold kendall:8x2 --by "${gorillas}_labels.csv" "$gorillas.csv"
sheet grid grid
draw rotations rotations mean --manifold so3 "$data/so3/pix3d_bed_rotations.csv"
sheet rotations rotations
draw loss loss train --manifold sphere:2 --steps 1500 --width 64 --depth 3 -o model.safetensors
sheet loss loss
estimate errors check model.safetensors --dry-run
sheet errors over-time
"$program" sample --manifold euclidean:2 --time 1 -n 200 -o flat.csv
estimate plane mean --manifold euclidean:2 flat.csv
sheet plane plane
awk 'BEGIN { srand(1); print "hour"; for (i = 0; i < 80; i++) print i / 8 }' >hours.csv
awk 'BEGIN { srand(1); for (i = 0; i < 80; i++) print 0.5 * i / 8 + 0.8 * (rand() + rand() - 1) }' >angles.csv
estimate curve regress --manifold circle --y angles.csv --x hours.csv
sheet curve curve
awk 'BEGIN { for (i = 0; i < 200; i++) printf "%.17g,%.17g\n", cos(2 * 3.141592653589793 * i / 199), sin(2 * 3.141592653589793 * i / 199) }' >circle.csv
head -12 circle.csv >arc.csv
"$program" learn gp --latent circle.csv --data "$data/mnist/rot_mnist_200x784_f32.npy" --scale 255 --length-scale 0.2 --noise 1e-4 --shape 28x28 -o digit.gp >learn.txt
estimate latent mean --manifold digit.gp --kind frechet arc.csv
sheet latent latent

for kind in $("$program" plot --kinds | cut -d' ' -f1); do
    case ,$kinds, in
    *,$kind,*) ;;
    *)
        echo "gallery.sh: $kind is not on the sheet" >&2
        exit 1
        ;;
    esac
done
# Four columns of 84 mm.
# shellcheck disable=SC2086  # a list of words
"$program" plot $results --kind "$kinds" --columns 4 --width 345 --resolution 90 --title "Every kind of picture, as wide as a column" -o "$root/docs/images/contact.png" --force --quiet
ls -l "$out" "$root/docs/images/contact.png"
