# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors

# exp, log, dist, geodesic and manifolds: known values and identities.

pi=3.141592653589793
half_pi=1.5707963267948966

# Known values.
prints "quarter of a great circle" $half_pi 4e-16 dist --manifold sphere:2 <<<0,0,1,1,0,0
prints "antipodes" $pi 4e-16 dist --manifold sphere:2 <<<0,0,1,0,0,-1
prints "distance across the seam of the circle" 0.2 1e-15 dist --manifold circle <<<3.0415926535897931,-3.0415926535897931
prints "flat torus" 5 1e-14 dist --manifold euclidean:2 <<<0,0,3,4
prints "hyperbolic line" 2 1e-14 dist --manifold hyperbolic:1 <<<1,0,3.7621956910836314,3.626860407847019
prints "matrices e I and I" 1.4142135623730951 4e-15 dist --manifold spd:2 <<<1,0,0,1,2.718281828459045,0,0,2.718281828459045
prints "upper triangles" 1.4142135623730951 4e-15 dist --manifold spd:2 <<<1,0,1,2.718281828459045,0,2.718281828459045
prints "rotation by a right angle" $half_pi 1e-15 dist --manifold so3 <<<1,0,0,0,1,0,0,0,1,0,-1,0,1,0,0,0,0,1
prints "rotations as quaternions" $half_pi 1e-15 dist --manifold so3 <<<1,0,0,0,0.7071067811865476,0,0,0.7071067811865476
prints "product of sphere and line" 1.8620958891185866 4e-15 dist --manifold 'product(sphere:2,euclidean:1)' <<<0,0,1,0,1,0,0,1
prints "exp on the sphere" 1,0,0 2e-16 exp --manifold sphere:2 <<<0,0,1,$half_pi,0,0
prints "log on the sphere" $half_pi,0,0 4e-16 log --manifold sphere:2 <<<0,0,1,1,0,0
prints "log of the point itself" 0,0,0 0 log --manifold sphere:2 <<<0,0,1,0,0,1
prints "the part of v that is not tangent" 1,0,0 2e-16 exp --manifold sphere:2 --project <<<0,0,1,$half_pi,0,7
refuses "a vector that is not tangent" 2 "not tangent.*--project" exp --manifold sphere:2 <<<0,0,1,$half_pi,0,7
printf '0,0,1\n0,0,1\n' >bases.csv
printf '1,0,0\n1,0,0.1\n' >slanted.csv
refuses "a vector that is not tangent, in a file of its own" 2 "slanted.csv, row 2: .*not tangent.*--project" exp --manifold sphere:2 bases.csv slanted.csv
succeeds "it can be projected" exp --manifold sphere:2 bases.csv slanted.csv --project
prints "angles come out in (-pi, pi]" -3.0831853071795862 2e-15 exp --manifold circle <<<3,0.2

# Far away: as far as doubles carry, and one line beyond.
prints "a hyperbolic point at the limit" 35.231923575470635 1e-13 dist --manifold hyperbolic:2 --project <<<1e15,1e15,0,1,0,0
for command in dist log "geodesic --steps 2" "heat --time 1"; do
    # shellcheck disable=SC2086 # a command and its options
    refuses "$command beyond the limit" 2 "row 1 .*x_0 is 1e.16; beyond 1e.15" $command --manifold hyperbolic:2 --project <<<1e16,1e16,0,1,0,0
done
for command in mean "mean --kind frechet" "kmeans -k 2" "mixture -k 2" "test --uniform"; do
    # shellcheck disable=SC2086
    refuses "$command beyond the limit" 2 "row 2 .*x_0 is 1e.20; beyond 1e.15" $command --manifold hyperbolic:2 --project <<<$'1,0,0\n1e20,1e20,0'
done
printf '1e308,1e308,-1e308,1\n0,0,3,4\n' >far.csv
run dist --manifold euclidean:2 far.csv --status
printf 'nan,beyond the range of numbers\n5,minimal\n' >expected
check "a distance that overflows is no answer" cmp -s expected "$out"
check "and says so" test "$status" -eq 1
for command in dist log "geodesic --steps 2"; do
    # shellcheck disable=SC2086
    run $command --manifold euclidean:2 far.csv
    check "$command has no answer beyond the range of numbers" grep -q "1 of 2 rows have no answer .*beyond the range of numbers" "$err"
    # shellcheck disable=SC2016 # for the inner shell
    check "$command prints no infinity" bash -c '! grep -q inf "$1"' - "$out"
done
run exp --manifold euclidean:2 <<<1e308,0,1e308,0
check "exp has no answer beyond the range of numbers" test "$status" -eq 1 -a "$(cat "$out")" = nan,nan
run dist --all --manifold euclidean:2 <<<$'1e308,0\n-1e308,0\n-1e308,1'
printf '0,nan,nan\nnan,0,1\nnan,1,0\n' >expected
check "nor have pairs" cmp -s expected "$out"
check "which are counted" grep -q "2 of 3 pairs have no answer .*1 and 2: beyond the range of numbers" "$err"

# Units.
prints "degrees in and out" -170 1e-12 exp --manifold circle --degrees <<<170,20
prints "vectors in degrees" 20 1e-12 log --manifold circle --degrees <<<170,-170
prints "vectors of the torus in degrees" 20,-30 1e-12 log --manifold torus:2 --degrees <<<170,10,-170,-20
prints "latitude and longitude" $half_pi 1e-15 dist --manifold sphere:2 --latlon <<<90,0,0,120
# Rotation vectors: three numbers in the axes of the base point, which exp takes back.
prints "a quarter turn as a rotation vector" 0,0,$half_pi 1e-15 log --manifold so3 --rotation-vectors <<<1,0,0,0,0.7071067811865476,0,0,0.7071067811865476
prints "from a point that is turned" 0,0,$half_pi 1e-15 log --manifold so3 --rotation-vectors <<<0.6,0.8,0,0,0.42426406871192857,0.5656854249492381,-0.5656854249492381,0.42426406871192857
prints "and back" 0.7071067811865476,0,0,0.7071067811865476 1e-15 exp --manifold so3 --rotation-vectors --quaternion <<<1,0,0,0,0,0,$half_pi
manistat sample --manifold so3 --time 0.5 -n 5 --quaternion >turned.csv
manistat sample --manifold so3 --time 1.5 -n 5 --quaternion --seed 3 >ends.csv
manistat log --manifold so3 --rotation-vectors turned.csv ends.csv >vectors.csv
check "three numbers" test "$(head -1 vectors.csv | tr -cd , | wc -c)" -eq 2
run exp --manifold so3 --rotation-vectors --quaternion turned.csv vectors.csv
check "log and exp are inverse" close_to ends.csv "$out" 1e-14
paste -d, turned.csv vectors.csv >both_parts.csv
run exp --manifold so3 --rotation-vectors --quaternion both_parts.csv
check "in one file as well" close_to ends.csv "$out" 1e-14
{ echo wz,wx,wy && awk -F, '{ print $3 "," $1 "," $2 }' vectors.csv; } >named.csv
run exp --manifold so3 --rotation-vectors --quaternion turned.csv named.csv
check "by their names" close_to ends.csv "$out" 1e-14
manistat log --manifold so3 turned.csv ends.csv >matrices.csv
check "the length is the angle" python3 -c 'import math
w = [[float(v) for v in l.split(",")] for l in open("vectors.csv")]
m = [[float(v) for v in l.split(",")] for l in open("matrices.csv")]
assert all(abs(math.hypot(*a) - math.hypot(*b) / math.sqrt(2)) < 1e-14 for a, b in zip(w, m))'
refuses "three numbers without the option" 2 "vectors.csv has 3 columns.*; vectors of three numbers need --rotation-vectors$" exp --manifold so3 turned.csv vectors.csv
refuses "rotation vectors elsewhere" 2 "rotation-vectors needs so3, not sphere:2" log --manifold sphere:2 --rotation-vectors <<<0,0,1,1,0,0
refuses "nine numbers where three are meant" 2 "so3 needs 12 .x_1…x_9, w_1…w_3., or 7 with quaternions" exp --manifold so3 --rotation-vectors <<<1,0,0,0,0,0,0,0,0,0,0,0,0
run geodesic --manifold sphere:2 --latlon --steps 2 <<<0,10,0,50
tail -n +2 "$out" | cut -d, -f3- >rows
printf '0,10\n0,30\n0,50\n' >expected
check "geodesic in latitude and longitude" close_to expected rows 1e-12
run geodesic --manifold so3 --quaternion --steps 1 <<<1,0,0,0,0.7071067811865476,0,0,0.7071067811865476
tail -n +2 "$out" | cut -d, -f3- >rows
printf '1,0,0,0\n0.7071067811865476,0,0,0.7071067811865476\n' >expected
check "rotations written as quaternions" close_to expected rows 1e-15

# exp and log undo each other, |log| = dist, dist is symmetric: on random points of every manifold.
for spec in euclidean:3 circle torus:3 sphere:1 sphere:2 sphere:5 hyperbolic:2 hyperbolic:4 spd:2 spd:3 \
    spd:3?metric=log-euclidean spd:3?metric=log-cholesky spd:3?metric=bures sym:3 so3 kendall:6x2 size-and-shape:5x3 'product(sphere:2,euclidean:1)' 'product(so3,torus:2,hyperbolic:2)'; do
    manistat sample --manifold "$spec" --time 0.3 -n 40 --seed 1 --steps 3 >x.csv
    manistat sample --manifold "$spec" --time 0.3 -n 40 --seed 2 --steps 3 >y.csv
    paste -d, x.csv y.csv >xy.csv
    paste -d, y.csv x.csv >yx.csv
    succeeds "$spec: log of whole rows" log --manifold "$spec" xy.csv -o v.csv --force
    run log --manifold "$spec" x.csv y.csv
    check "$spec: log of two files is the same" cmp -s "$out" v.csv
    paste -d, x.csv v.csv >xv.csv
    run exp --manifold "$spec" xv.csv
    check "$spec: exp of log" close_to y.csv "$out" 1e-11
    run exp --manifold "$spec" x.csv v.csv
    check "$spec: exp of two files" close_to y.csv "$out" 1e-11
    manistat dist --manifold "$spec" xy.csv >d.csv
    run dist --manifold "$spec" yx.csv
    check "$spec: dist is symmetric" close_to d.csv "$out" 1e-12
    run geodesic --manifold "$spec" xy.csv --steps 4
    check "$spec: five rows per pair and a header" test "$(wc -l <"$out")" -eq 201
    awk -F, 'NR > 1 && $2 == 1' "$out" | cut -d, -f3- >ends.csv
    check "$spec: geodesics end at y exactly" cmp -s ends.csv y.csv
    awk -F, 'NR > 1 && $2 == 0' "$out" | cut -d, -f3- >starts.csv
    check "$spec: geodesics start at x exactly" cmp -s starts.csv x.csv
    awk -F, 'NR > 1 && $2 == 0.25' "$out" | cut -d, -f3- >quarter.csv
    run dist --manifold "$spec" x.csv quarter.csv
    awk '{ print 4 * $1 }' CONVFMT=%.17g OFMT=%.17g "$out" >four
    check "$spec: a quarter of the way" close_to d.csv four 1e-7
done

run geodesic --manifold sphere:2 --steps 2 <<<1,0,0,0,1,0
check "header of geodesic" test "$(head -n 1 "$out")" = pair,s,x_1,x_2,x_3
printf '0,0,1,0,0\n0,0.5,0.7071067811865476,0.7071067811865476,0\n0,1,0,1,0\n' >expected
tail -n +2 "$out" >rows
check "half-way between two axes" close_to expected rows 2e-16
run geodesic --manifold circle <<<0,1
check "ten steps by default" test "$(wc -l <"$out")" -eq 12
printf '0,0\n1,1\n2,2\n' >three.csv
run geodesic --manifold euclidean:1 --steps 1 three.csv
check "pairs are counted from 0" test "$(tail -n +2 "$out" | cut -d, -f1 | tr -d '\n')" = 001122

# One row for all.
printf '0,0\n' >one.csv
printf '3,4\n0,1\n6,8\n' >many.csv
prints "one x for all y" "5 1 10" 1e-14 dist --manifold euclidean:2 one.csv many.csv
prints "one y for all x" "5 1 10" 1e-14 dist --manifold euclidean:2 many.csv one.csv
prints "one and one" 0 0 dist --manifold euclidean:2 one.csv one.csv
run dist --manifold euclidean:2 - many.csv <one.csv
check "standard input as one of two files" test "$(head -n 1 "$out")" = 5
printf '3,4\n0,1\n' >two.csv
refuses "two rows and three" 2 "two.csv has fewer rows than many.csv" dist --manifold euclidean:2 two.csv many.csv
refuses "three rows and two" 2 "two.csv has fewer rows than many.csv" dist --manifold euclidean:2 many.csv two.csv
refuses "standard input twice" 2 "standard input cannot be both" dist --manifold euclidean:2 - -

# All pairs.
prints "all pairs of a file" "0,5,10 5,0,5 10,5,0" 1e-14 dist --manifold euclidean:2 --all <<<$'0,0\n3,4\n6,8'
prints "from each point of one file to each of another" "5,1,10" 1e-14 dist --manifold euclidean:2 --all one.csv many.csv
prints "and the other way round" "5 1 10" 1e-14 dist --manifold euclidean:2 --all many.csv one.csv
for spec in euclidean:3 circle torus:3 sphere:2 hyperbolic:2 spd:2 spd:6 spd:5?metric=log-euclidean spd:3?metric=frobenius sym:3 \
    so3 kendall:6x2 'product(so3,torus:2,hyperbolic:2)'; do
    manistat sample --manifold "$spec" --time 0.3 -n 70 --seed 3 --steps 3 >x.csv
    succeeds "$spec: distance matrix" dist --manifold "$spec" --all x.csv --threads 1
    cp "$out" matrix.csv
    run dist --manifold "$spec" --all x.csv --threads 3
    check "$spec: threads do not matter" cmp -s "$out" matrix.csv
    : >rows.csv
    for row in 1 2 68; do
        sed -n "${row}p" x.csv >one_of_them.csv
        manistat dist --manifold "$spec" one_of_them.csv x.csv | paste -sd, >>rows.csv
    done
    sed -n '1p;2p;68p' matrix.csv >some.csv
    check "$spec: its rows are distances" close_to rows.csv some.csv 1e-13
    awk -F, '{ if (NF != 70 || $NR != "0") bad = 1; for (i = 1; i <= NF; i++) { if (i > NR) up[i, NR] = $i; if (i < NR && up[NR, i] != $i) bad = 1 } } END { exit bad || NR != 70 }' matrix.csv
    verdict "$spec: symmetric, zeros on the diagonal" $?
    run dist --manifold "$spec" --all one_of_them.csv x.csv
    sed -n 68p matrix.csv >expected
    check "$spec: one row of it" close_to expected "$out" 1e-13
done
succeeds "a matrix in NPY" dist --manifold "$spec" --all x.csv -o matrix.npy
check "its shape" grep -aq "'shape': (70, 70)" matrix.npy
run dist --manifold euclidean:2 --all --json many.csv
check "JSON of a distance matrix" as_json "$out" 'r["n"] == 3 and r["columns"] == 3 and r["distances"][0][2] == 5 and r["distances"][2][0] == 5 and all(r["distances"][i][i] == 0 for i in range(3)) and "status" not in r'
run dist --manifold euclidean:2 --all --json one.csv many.csv
check "JSON of two files" as_json "$out" 'r["n"] == 1 and r["columns"] == 3 and r["distances"] == [[5, 1, 10]]'
refuses "a single row" 2 "one.csv has a single row, which makes no pair" dist --manifold euclidean:2 --all one.csv
refuses "rows of another width" 2 "many.csv has 2 columns; euclidean:3 needs 3" dist --manifold euclidean:3 --all many.csv
refuses "a second file of another width" 2 "matrix.csv has 70 columns; euclidean:2 needs 2" dist --manifold euclidean:2 --all many.csv matrix.csv
refuses "standard input twice with --all" 2 "standard input cannot be both" dist --manifold euclidean:2 --all - -
refuses "--status with --all" 2 "--status is a column of words.*--json" dist --manifold euclidean:2 --all --status many.csv
model="$(dirname "${BASH_SOURCE[0]}")/../data/models/sphere2_format1.safetensors"
refuses "a model with --all" 2 "not by a model; leave out --score" dist --all --score "$model" many.csv
refuses "a matrix in the way" 3 "matrix.npy exists; pass --force" dist --manifold euclidean:2 --all many.csv -o matrix.npy
refuses "--all where it means nothing" 2 "unknown option '--all'" log --manifold euclidean:2 --all many.csv
awk 'BEGIN { for (i = 0; i < 3000000; i++) print i }' >endless.csv
refuses "more than the memory holds" 3 "the distances of 3000000 by 3000000 points take 7.2e.04 GB, and there are .* GB of memory; .*dist --all PART FILE" dist --manifold euclidean:1 --all endless.csv

# Many rows go through in pieces.
awk 'BEGIN { for (i = 0; i < 150001; i++) print i % 7 "," i }' >long.csv
awk 'BEGIN { for (i = 0; i < 150001; i++) { d = i - i % 7; print d } }' >expected
run dist --manifold euclidean:1 long.csv
check "150001 rows" cmp -s "$out" expected
cut -d, -f1 long.csv >left.csv
cut -d, -f2 long.csv >right.csv
run dist --manifold euclidean:1 left.csv right.csv
check "150001 rows of two files" cmp -s "$out" expected
run geodesic --manifold euclidean:1 --steps 100000 <<<0,1
check "100001 rows of one pair" test "$(wc -l <"$out")" -eq 100002
check "the last of them is y" test "$(tail -n 1 "$out")" = 0,1,1

# The cut locus.
printf '0,0,1,1,0,0\n0,0,1,0,0,-1\n0,1,0,0,-1,0\n' >cut.csv
run log --manifold sphere:2 cut.csv
check "cut locus: one line, the count and the first row" grep -Eqx 'manistat log: warning: 2 rows at the cut locus \(the first is row 2\).*' "$err"
check "cut locus: status 0" test "$status" -eq 0
awk -F, 'NR > 1 { d = sqrt($1 * $1 + $2 * $2 + $3 * $3) - 3.141592653589793; if (d > 1e-14 || d < -1e-14) bad = 1 } END { exit bad }' "$out"
verdict "cut locus: still a shortest geodesic" $?
succeeds "cut locus: --quiet" log --manifold sphere:2 --quiet cut.csv
run geodesic --manifold sphere:2 --steps 2 cut.csv
check "cut locus of geodesic" grep -q 'warning: 2 rows' "$err"

# JSON.
run log --manifold sphere:2 --quiet --json cut.csv
check "JSON of log" as_json "$out" 'r["command"] == "log" and r["manifold"] == "sphere:2" and r["n"] == 3 and r["cut"] == [0, 1, 1] and abs(r["v_1"][0] - math.pi / 2) < 1e-15 and r["v_2"][0] == 0 and r["v_3"][0] == 0 and r["seconds"] >= 0 and r["version"].count(".") == 2'
run dist --manifold sphere:2 --json cut.csv
check "JSON of dist" as_json "$out" 'r["command"] == "dist" and len(r["dist"]) == 3 and abs(r["dist"][1] - math.pi) < 1e-15'
run exp --manifold euclidean:2 --json <<<1,2,3,4
check "JSON of exp" as_json "$out" 'r["y_1"] == [4] and r["y_2"] == [6] and r["n"] == 1'
run geodesic --manifold euclidean:1 --json --steps 2 <<<0,1
check "JSON of geodesic" as_json "$out" 'r["pair"] == [0, 0, 0] and r["s"] == [0, 0.5, 1] and r["x_1"] == [0, 0.5, 1] and r["steps"] == 2 and r["n"] == 1'

# manifolds.
succeeds "manifolds" manifolds
for family in euclidean circle torus sphere hyperbolic spd sym so3 product; do
    check "manifolds lists $family" grep -q "^  $family" "$out"
done
succeeds "manifolds --json" manifolds --json
cp "$out" manifolds.json
check "JSON of manifolds" as_json manifolds.json 'r["command"] == "manifolds" and len({len(v) for v in r.values() if isinstance(v, list)}) == 1 and r["dimension"][r["manifold"].index("sphere:2")] == 2 and r["columns"][r["manifold"].index("spd:3")] == 9 and r["injectivity"][r["manifold"].index("euclidean:3")] == "infinity" and abs(r["injectivity"][r["manifold"].index("circle")] - math.pi) < 1e-12 and all(e for m, e in zip(r["manifold"], r["exp"]) if not m.startswith("landmarks")) and r["exact"][r["manifold"].index("circle")] is True'
for spec in $(python3 -c 'import json; print(*json.load(open("manifolds.json"))["manifold"])'); do
    succeeds "manifolds $spec" manifolds "$spec"
    start=$(sed -n 's/^start *//p' "$out")
    succeeds "$spec: the default start is on it" sample --manifold "$spec" --time 0.1 --steps 2 --start "$start"
    cp "$out" explicit
    run sample --manifold "$spec" --time 0.1 --steps 2
    check "$spec: and it is the default" cmp -s "$out" explicit
done
refuses "manifolds of nothing known" 2 "unknown manifold 'spere:2'; did you mean sphere:2" manifolds spere:2

# Squares of these numbers are not doubles.
for size in 1e-170 1e+160; do
    run dist --manifold euclidean:1 <<<"0,$size"
    check "distance $size" grep -qx "$size" "$out"
done

# Rows are counted from 1, through all pieces that a file is worked on in.
awk 'BEGIN { for (i = 1; i <= 70000; i++) print "1,0,1," (i == 2 || i == 70000 ? "9999,0,0" : "1,0,0") }' >steep.csv
refuses "a result beyond doubles" 3 ": row 2: the result is beyond the range of double$" exp --manifold spd:2 steep.csv
sed -i 2d steep.csv
run exp --manifold spd:2 steep.csv
check "far down" test "$status" -eq 3 -a "$(cat "$err")" = "manistat exp: row 69999: the result is beyond the range of double"

# Formula files are examined.
manifolds="$(dirname "${BASH_SOURCE[0]}")/../../examples/manifolds"
cp "$manifolds/torus.manifold" .
succeeds "a good file" manifolds torus.manifold --check
check "what it says" grep -q '^ok *curvature *Gauss curvature from' "$out"
succeeds "a good file with other parameters" manifolds 'torus.manifold?R=3&r=1' --check -n 64 --seed 5 --json
check "as JSON" grep -q '"worst":"ok","findings":\[{"level":"ok","topic":"metric"' "$out"
sed 's/^period    v 2\*pi/period    v 6/' torus.manifold >wrong.manifold
run manifolds wrong.manifold --check
check "a wrong period" test "$status" -eq 1
check "is counted" grep -q 'wrong.manifold: 1 thing is wrong with it' "$err"
check "what is wrong" grep -q '^warning *periods *coordinate 2 does not have the period 6' "$out"
refuses "a file that is none" 2 "no.manifold" manifolds no.manifold --check
refuses "nothing to examine" 2 "needs a SPEC" manifolds --check
refuses "a built-in manifold is not examined" 3 "not given by a metric" manifolds sphere:2 --check
