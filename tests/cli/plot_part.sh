# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors

# plot and --plot: what is in the pictures, and what is refused.

look=$here/../plot/svg.py
blue=0072b2
vermilion=d55e00
pictured() { # NAME FILE EXPRESSION
    check "$1" python3 -B "$look" "$2" "$3"
}

manistat sample --manifold sphere:2 --time 0.2 -n 60 --seed 5 -o points.csv
succeeds "mean --plot" mean --manifold sphere:2 points.csv --plot mean.svg -o mean.txt
pictured "mean: points, mean, region" mean.svg "points('$blue') + rings('$blue') >= 50 and points('$vermilion') >= 2 and letters > 100 and 'n = 60' in caption and 'Diffusion mean on sphere:2' == texts and 238 <= width <= 239"
run mean --manifold sphere:2 --json points.csv -o mean.json
succeeds "plot" plot mean.json -o again.svg
check "plot and --plot draw the same" cmp mean.svg again.svg
succeeds "plot to PDF" plot mean.json -o mean.pdf
succeeds "plot to PNG" plot mean.json -o mean.png
check "a PDF" grep -aq '^%PDF' mean.pdf
check "fonts are embedded" grep -aq 'FontFile' mean.pdf
check "no dates" bash -c '! grep -aq CreationDate mean.pdf'
succeeds "the same PDF again" plot mean.json -o twice.pdf
check "the same bytes" cmp mean.pdf twice.pdf
succeeds "without data" plot --no-data mean.json -o bare.svg
pictured "without data: the mean alone" bare.svg "points('$blue') == 0 and points('$vermilion') >= 2"

# On the map every point is in front.
for kind in stereonet map sphere; do
    succeeds "kind $kind" plot mean.json --kind $kind -o $kind.svg
    pictured "kind $kind: sound" $kind.svg "letters > 100"
done
pictured "map: every point" map.svg "points('$blue') == 61" # and one in the legend
succeeds "wider" plot mean.json --width 174 --kind map -o wide.svg
pictured "wider: 174 mm" wide.svg "493 <= width <= 494"

# Data that have moved.
mv points.csv moved.csv
refuses "data gone" 2 'points.csv.*--data FILE' plot mean.json -o gone.svg
check "no file is left" test ! -e gone.svg
succeeds "data named" plot mean.json --data moved.csv -o again2.svg
check "data named: the same" cmp mean.svg again2.svg
mv moved.csv points.csv

# Groups, clusters, mixtures.
(echo 'x,y,z,g'; awk '{ print $0 "," (NR % 3) }' points.csv) >groups.csv
succeeds "groups" mean --manifold sphere:2 --by g groups.csv --plot groups.svg --plot-kind map -o groups.txt
pictured "groups: a colour each" groups.svg "points('$blue') >= 20 and points('$vermilion') >= 20 and points('009e73') >= 20 and '3 groups' in caption"
run mean --manifold sphere:2 --by g --json groups.csv -o groups.json
succeeds "groups again" plot groups.json --kind map -o groups2.svg
check "groups: the same" cmp <(sort groups.svg) <(sort groups2.svg)
succeeds "kmeans --plot" kmeans --manifold sphere:2 -k 2 points.csv --plot km.svg --plot-kind map -o km.csv
pictured "kmeans: all points" km.svg "points('$blue') + points('$vermilion') == 60 + 2 + 2 and 'no error bars' in caption"
succeeds "mixture --plot" mixture --manifold sphere:2 -k 2 points.csv --plot mix.svg -o mix.csv
pictured "mixture: contours" mix.svg "rings('007354') + rings('338f76') + rings('66ab98') >= 1"

# The other spaces.
for space in circle torus:2 euclidean:2 hyperbolic:2; do
    manistat sample --manifold $space --time 0.3 -n 50 -o "$space.csv"
    succeeds "mean on $space" mean --manifold $space "$space.csv" --plot "$space.svg" -o "$space.txt"
    pictured "mean on $space: points and mean" "$space.svg" "points('$blue') >= 50 and points('$vermilion') >= 1 and 'n = 50' in caption"
done
manistat sample --manifold circle --time 0.05 -n 30 --degrees -o degrees.csv
succeeds "degrees" mean --manifold circle --degrees degrees.csv --plot degrees.svg -o degrees.txt
pictured "degrees: sound" degrees.svg "letters > 80"

# Shapes, matrices, rotations, and what has no picture of its own.
for space in spd:2 spd:3 spd:5 so3 sphere:4 kendall:6x2; do
    manistat sample --manifold $space --time 0.01 -n 40 --seed 3 -o "$space.csv"
    succeeds "mean on $space" mean --manifold $space --json "$space.csv" -o "$space.json"
    succeeds "picture of $space" plot "$space.json" -o "$space.svg"
    pictured "picture of $space: sound" "$space.svg" "'n = 40' in caption and letters > 80"
    succeeds "tangent map of $space" plot "$space.json" --kind tangent -o tangent.svg --force
    pictured "tangent map of $space" tangent.svg "points('$blue') == 41 and points('$vermilion') >= 1 and 'most variance' in caption"
done
pictured "landmarks: every one" kendall:6x2.svg "points('$blue') == 6 * 40 + 1 and points('$vermilion') >= 6"
pictured "ellipses: every one" spd:2.svg "rings('$blue') >= 40 and rings('$vermilion') >= 1"
pictured "ellipsoids: an image each for mean and data" spd:3.svg "images == 2 and points('$blue') == 3 * 40 + 1"
pictured "matrix: the entries and the bar" spd:5.svg "images == 2"
succeeds "grid" plot kendall:6x2.json --kind grid --specimen 5 -o grid.svg
pictured "grid: two configurations" grid.svg "points('$blue') == 7 and points('$vermilion') == 7 and 'specimen 5' in caption"
refuses "no such specimen" 2 'no specimen 41 of 40' plot kendall:6x2.json --kind grid --specimen 41 -o none.svg
refuses "no such outline" 2 '--outline is none, open or closed' plot kendall:6x2.json --outline round -o none.svg
torus=$here/../../examples/manifolds/torus.manifold
manistat sample --manifold "$torus" --time 0.05 -n 40 -o on-torus.csv
run mean --manifold "$torus" --kind frechet on-torus.csv --plot torus.svg -o torus.txt
pictured "surface: shaded, with points" torus.svg "images == 1 and points('$blue') + rings('$blue') >= 30 and 'surface in space' in caption"

# Curves.
awk 'BEGIN { print "hour"; for (i = 0; i < 40; i++) print i / 4 }' >x.csv
awk 'BEGIN { for (i = 0; i < 40; i++) print i / 8 + 0.3 * sin(7 * i) }' >angles.csv
awk 'BEGIN { for (i = 0; i < 40; i++) print i / 8 + 0.3 * sin(7 * i) "," 0.3 * cos(5 * i) }' >plane.csv
succeeds "regress on the circle" regress --manifold circle --y angles.csv --x x.csv --plot circle-curve.svg --json -o curve.json
pictured "regress on the circle: points, curve" circle-curve.svg "points('$blue') == 41 and rings('$vermilion') >= 1 and '95 % confidence for the curve' in caption"
check "the line in JSON" as_json curve.json "len(r['line']['x']) == 101 and len(r['line']['rows']) == 40 and r['line']['x'][-1] == 9.75"
succeeds "regress on the plane" regress --manifold euclidean:2 --y plane.csv --x x.csv --plot plane-curve.svg -o plane.txt
pictured "regress on the plane" plane-curve.svg "points('$blue') == 41 and 'curve over hour' in caption"
succeeds "plot of a regression" plot curve.json -o curve.svg
check "plot of a regression: the same" cmp circle-curve.svg curve.svg
(cut -d, -f1-3 groups.csv | tail -n +2 | head -30) >a.csv
(cut -d, -f1-3 groups.csv | tail -n +2 | tail -30) >b.csv
run test --manifold sphere:2 --json a.csv b.csv -o test.json
succeeds "plot of a test" plot test.json --kind map -o test.svg
pictured "plot of a test: both samples" test.svg "points('$blue') >= 30 and points('$vermilion') >= 30 and 'p =' in caption"
succeeds "test --plot" test --manifold sphere:2 a.csv b.csv --plot test2.svg --plot-kind map -o test.txt
check "test --plot: the same" cmp test.svg test2.svg
refuses "uniformity has no picture" 2 "leave out --plot" test --manifold sphere:2 --uniform a.csv --plot uniform.svg

# Of several covariates there is no curve, but there are predictions.
paste -d, x.csv <(awk 'BEGIN { print "other"; for (i = 0; i < 40; i++) print (i * 7) % 5 }') >two.csv
run regress --manifold circle --y angles.csv --x two.csv --json -o two.json
refuses "several terms" 3 "2 terms and no curve over one of them" plot two.json -o two.svg
(head -4 two.csv) >ask.csv
run regress --manifold circle --y angles.csv --x two.csv --predict ask.csv --json -o asked.json --quiet
succeeds "predictions" plot asked.json -o asked.svg
pictured "predictions: all" asked.svg "'predictions for 3 rows' in caption and 'is not drawn' in caption and texts.startswith('Predictions')"

# Several results are panels of one picture.
succeeds "a sheet" plot test.json curve.json --kind map,- --title "Both" --note "A note." -o sheet.svg
pictured "a sheet: both panels" sheet.svg "points('$blue') >= 30 + 41 and texts == 'Both' and caption.startswith('A note. (a) n = 60') and '(b) n = 40' in caption and width > 480"
refuses "kinds of a sheet" 2 "3 kinds for 2 pictures" plot test.json curve.json --kind map,-,- -o none.svg
refuses "data of a sheet" 2 "draw them one by one" plot test.json curve.json --data a.csv -o none.svg

# A million points are an image.
manistat sample --manifold sphere:2 --time 0.3 -n 100000 -o many.csv
run mean --manifold sphere:2 --starts 1 many.csv --plot many.svg -o many.txt
pictured "many points: an image" many.svg "images == 1 and points('$blue') < 10"
check "many points: a small file" test "$(wc -c <many.svg)" -lt 5000000

# Samples bring their points; nothing is estimated, and nothing is said to be.
succeeds "sample --plot" sample --manifold sphere:2 --time 0.5 -n 40 --plot sample.svg --plot-kind map --json -o sample.json
pictured "sample: points" sample.svg "points('$blue') == 41 and points('$vermilion') == 0 and 'nothing is estimated' in caption"
succeeds "plot of a sample" plot sample.json --kind map -o sample2.svg
check "plot of a sample: the same" cmp sample.svg sample2.svg
succeeds "paths" sample --manifold torus:2 --time 1 -n 3 --steps 50 --paths --plot paths.svg -o paths.csv
pictured "paths: three" paths.svg "'3 paths' in caption and rings('$blue') >= 1"

# Training and its certificate.
run train --manifold circle --steps 300 --width 16 --depth 1 -o net.safetensors --plot loss.svg
check "train --plot: status 0" test "$status" -eq 0
pictured "train: the loss" loss.svg "rings('$blue') >= 1 and texts == 'Training on circle, loss bel' and '300 steps' in caption"
run check net.safetensors --dry-run --plot errors.svg
pictured "check: errors over t" errors.svg "points('$blue') >= 4 and 'Reference: exact' in caption"

# What is refused.
refuses "no output" 2 'pass -o FILE' plot mean.json
refuses "another ending" 2 'end in .svg, .pdf or .png' plot mean.json -o mean.jpg
refuses "a file in the way" 3 'mean.svg exists; pass --force' plot mean.json -o mean.svg
refuses "--plot: a file in the way" 3 'mean.svg exists; pass --force' mean --manifold sphere:2 points.csv --plot mean.svg
refuses "no such kind" 2 "no kind of picture 'pie'; there are sphere, stereonet" plot mean.json --kind pie -o pie.svg
refuses "--plot-kind: no such kind" 2 "no kind of picture 'pie'" mean --manifold sphere:2 points.csv --plot a.svg --plot-kind pie
refuses "--plot-kind alone" 2 'give both' mean --manifold sphere:2 points.csv --plot-kind map
refuses "a kind for another space" 3 "'rose' is for circle; for sphere:2 there is sphere, stereonet, map" plot mean.json --kind rose -o rose.svg
manistat sample --manifold euclidean:1 --time 0.1 -n 30 -o line1.csv
run mean --manifold euclidean:1 --json line1.csv -o line1.json
refuses "a space without a picture" 3 "no picture of euclidean:1 yet; the kinds that there are: sphere, .*, over-time" plot line1.json -o line1.svg
sed 's/"mean":/"maen":/; s/"version":"[^"]*"/"version":"0.0.7"/' mean.json >old.json
refuses "a missing key" 2 'no "mean" \(it is of version 0.0.7' plot old.json -o old.svg
echo '{"command":"dist"}' >dist.json
refuses "a result without a picture" 2 "result of 'dist', of which there is no picture; there are of mean" plot dist.json -o dist.svg
echo '[]' >list.json
refuses "not a result" 2 'list.json' plot list.json -o list.svg
succeeds "the kinds" plot --kinds
check "the kinds: listed" grep -q '^stereonet  *sphere:2 ' "$out"
check "nothing is left behind" bash -c '! ls -A | grep -q "^\.[a-z].*svg"'

# The result comes first, and a picture that is missing afterwards.
printf '0,0,4,0,4,3,1,5\n0,0,4,0.5,4,3,1,5.5\n0,0.2,4,1,4,3,1,6\n0,0.3,4,1.4,4,3,1,6.4\n0,0.3,4,2,4,3.1,1,7\n' >shapes5.csv
printf 'x\n0\n1\n2\n3\n4\n' >shapes5_x.csv
run regress --manifold kendall:4x2 --y shapes5.csv --x shapes5_x.csv --plot shapes5.svg
check "a missing picture has its exit status" test "$status" -eq 3
check "and one line" grep -q '^manistat regress: no picture: there is no picture of kendall:4x2' "$err"
check "behind the result" grep -q '^intercept' "$out"
check "which is whole" cmp -s "$out" <(manistat regress --manifold kendall:4x2 --y shapes5.csv --x shapes5_x.csv 2>/dev/null)
check "and leaves no file" test ! -e shapes5.svg
run kmeans --manifold sphere:4 -k 1 --plot four.svg -o four.csv <<<1,0,0,0,0
check "kmeans: the same" test "$status" -eq 3
check "kmeans: labels" test "$(cat four.csv)" = 0
run mean --manifold sphere:2 --kind frechet --plot-kind rose --plot rose.svg <<<0,0,1
check "mean: a kind that does not suit" test "$status" -eq 3
check "mean: has its result" grep -q '^  mean  ' "$out"
run sample --manifold sphere:5 --time 1 --plot five.svg
check "sample: its rows" test "$(wc -l <"$out")" -eq 1
check "sample: its status" test "$status" -eq 3
