# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors

# sample: determinism, starts, paths and a few laws.

sphere=(sample --manifold sphere:2 --time 0.5)

# The bytes do not depend on threads nor on how the run is cut into pieces.
manistat "${sphere[@]}" -n 70000 --steps 3 --threads 1 >one.csv
manistat "${sphere[@]}" -n 70000 --steps 3 --threads 2 >two.csv
manistat "${sphere[@]}" -n 70000 --steps 3 >all.csv
check "70000 rows" test "$(wc -l <one.csv)" -eq 70000
check "threads do not matter" cmp -s one.csv two.csv
check "default threads do not matter" cmp -s one.csv all.csv
check "no two rows are the same" test "$(sort -u one.csv | wc -l)" -eq 70000
manistat "${sphere[@]}" -n 70000 --steps 3 --paths | awk -F, '$2 == 0.5' | cut -d, -f3- >ends.csv
check "they are the ends of 70000 paths" cmp -s one.csv ends.csv
run "${sphere[@]}" -n 66000 --steps 3
head -n 66000 one.csv >begin.csv
check "a shorter run is the beginning of a longer one" cmp -s "$out" begin.csv
manistat sample --manifold spd:3 --time 0.5 -n 3000 --steps 3 --threads 1 >one.csv
run sample --manifold spd:3 --time 0.5 -n 3000 --steps 3 --threads 2
check "threads do not matter for matrices" cmp -s one.csv "$out"
for method in tangent chart exact; do
    manistat sample --manifold circle --time 0.5 -n 5000 --steps 3 --method $method --threads 1 >one.csv
    run sample --manifold circle --time 0.5 -n 5000 --steps 3 --method $method --threads 2
    check "threads do not matter for $method" cmp -s one.csv "$out"
    succeeds "$method on the sphere or a refusal" sample --manifold euclidean:2 --time 0.5 -n 2 --method $method
done
refuses "no exact law" 3 "spd:4 has no exact sampler; leave out --method" sample --manifold spd:4 --time 1 --method exact
refuses "steps beyond the range of numbers" 3 "paths on so3 ran so far that doubles no longer resolve them" sample --manifold so3 --time 1e150 --steps 4

# Starts.
run "${sphere[@]}" --start 0,0,1 -n 3
cp "$out" pole
run "${sphere[@]}" -n 3
check "the north pole is the default start" cmp -s "$out" pole
succeeds "a start with a minus in front" "${sphere[@]}" --start -1,0,0 -n 2
run sample --manifold sphere:2 --time 1e-12 --start=-1,0,0
printf -- '-1,0,0\n' >expected
check "it is the start" close_to expected "$out" 1e-4
succeeds "scientific notation" "${sphere[@]}" --start 1e0,0,-0.0
printf '0,0,1\n1,0,0\n0,1,0\n' >starts.csv
run sample --manifold sphere:2 --time 1e-12 --start starts.csv -n 2
printf '0,0,1\n0,0,1\n1,0,0\n1,0,0\n0,1,0\n0,1,0\n' >expected
check "several starts, n rows each in their order" close_to expected "$out" 1e-4
run sample --manifold sphere:2 --time 1e-12 --start - -n 2 <starts.csv
check "starts from standard input" close_to expected "$out" 1e-4
manistat sample --manifold sphere:2 --time 1e-12 --steps 1 --start starts.csv -n 40000 >many.csv
sed -n '40000p;40001p;80000p;80001p;$p' many.csv >picked
printf '0,0,1\n1,0,0\n1,0,0\n0,1,0\n0,1,0\n' >picked.expected
check "many rows from several starts" close_to picked.expected picked 1e-4
run sample --manifold sphere:2 --time 1e-12 --latlon --start 0,90
printf '0,90\n' >expected
check "start and end in latitude and longitude" close_to expected "$out" 1e-2
run sample --manifold circle --time 1e-12 --degrees --start 270
printf -- '-90\n' >expected
check "start and end in degrees" close_to expected "$out" 1e-3
run sample --manifold so3 --time 1e-12 --quaternion --start 1,0,0,0
printf '1,0,0,0\n' >expected
check "start and end as quaternions" close_to expected "$out" 1e-4
run sample --manifold spd:2 --time 1e-12 --start 2,0.5,1
printf '2,0.5,0.5,1\n' >expected
check "start as upper triangle" close_to expected "$out" 1e-4
refuses "start off the sphere" 2 "--start: " "${sphere[@]}" --start 1,1,1
succeeds "start off the sphere, projected" "${sphere[@]}" --start 1,1,1 --project
refuses "start with too few numbers" 2 "--start: " "${sphere[@]}" --start 1,0
refuses "start not a number" 2 "--start: " "${sphere[@]}" --start nan,0,1
refuses "start neither numbers nor file" 2 "--start '1,0,x' is neither numbers joined by commas nor a file" "${sphere[@]}" --start 1,0,x
refuses "start a missing file" 2 "'nowhere.csv' is neither" "${sphere[@]}" --start nowhere.csv
refuses "start a directory" 2 "directory" "${sphere[@]}" --start .

# Paths.
run "${sphere[@]}" -n 3 --steps 4 --paths
cp "$out" paths.csv
check "header of paths" test "$(head -n 1 paths.csv)" = path,time,x_1,x_2,x_3
check "rows of paths" test "$(wc -l <paths.csv)" -eq 16
check "paths are counted from 0" test "$(tail -n +2 paths.csv | cut -d, -f1 | uniq | tr -d '\n')" = 012
check "times" test "$(sed -n 2,6p paths.csv | cut -d, -f2 | tr '\n' ' ')" = "0 0.125 0.25 0.375 0.5 "
check "they begin at the start" test "$(awk -F, '$2 == 0 { print $3 $4 $5 }' paths.csv | uniq)" = 001
awk -F, '$2 == 0.5' paths.csv | cut -d, -f3- >ends.csv
run "${sphere[@]}" -n 3 --steps 4
check "they end at the end points" cmp -s "$out" ends.csv
manistat sample --manifold euclidean:1 --time 1 -n 700 --steps 999 --paths --threads 1 >one.csv
run sample --manifold euclidean:1 --time 1 -n 700 --steps 999 --paths --threads 2
check "700 paths of 1000 rows" test "$(wc -l <"$out")" -eq 700001
check "threads do not matter for paths" cmp -s one.csv "$out"

# JSON.
run "${sphere[@]}" -n 3 --steps 4 --json --seed 8
check "JSON of sample" as_json "$out" 'r["command"] == "sample" and r["manifold"] == "sphere:2" and r["n"] == 3 and r["time"] == 0.5 and r["method"] == "tangent" and r["steps"] == 4 and r["start"] == [0, 0, 1] and all(len(r["x_%d" % k]) == 3 for k in (1, 2, 3)) and r["seed"] == 8 and r["seconds"] >= 0 and "version" in r'
run "${sphere[@]}" --start starts.csv --json
check "JSON of several starts" as_json "$out" 'r["start"] == [[0, 0, 1], [1, 0, 0], [0, 1, 0]] and len(r["x_1"]) == 3'
run "${sphere[@]}" -n 2 --steps 4 --paths --json
check "JSON of paths" as_json "$out" 'r["path"] == [0] * 5 + [1] * 5 and r["time"] == [0, 0.125, 0.25, 0.375, 0.5] * 2 and len(r["x_3"]) == 10'
manistat "${sphere[@]}" -n 9 >rows.csv
run "${sphere[@]}" -n 9 --json
check "JSON and CSV hold the same numbers" as_json "$out" '[[float(c) for c in l.split(",")] for l in open("rows.csv")] == [list(t) for t in zip(r["x_1"], r["x_2"], r["x_3"])]'

# Laws. E x_3 = exp(-t) on the sphere, where the coordinate is an eigenfunction; its variance there is below
# 1/3 and so the mean of 20000 is off by 5·sqrt(1/3/20000) = 0.0204 once in a million seeds. In flat space the
# variance of a coordinate is t with standard error t·sqrt(2/n), in 20000 five of them are 0.05 t.
manistat "${sphere[@]}" -n 20000 --steps 50 |
    awk -F, '{ s += $3 } END { d = s / NR - exp(-0.5); exit d > 0.0204 || d < -0.0204 }'
verdict "mean height on the sphere" $?
manistat sample --manifold euclidean:2 --time 2 -n 20000 --steps 1 |
    awk -F, '{ s += $1 * $1; c += $1 * $2 } END { v = s / NR - 2; c /= NR; exit v > 0.1 || v < -0.1 || c > 0.08 || c < -0.08 }'
verdict "variance in the plane" $?
manistat sample --manifold circle --time 1 -n 20000 --method exact |
    awk '{ s += cos($1) } END { d = s / NR - exp(-0.5); exit d > 0.025 || d < -0.025 }'
verdict "mean cosine on the circle" $?

# Bridges.
run sample --manifold sphere:2 --time 0.5 -n 3 --steps 10 --bridge 1,0,0
# shellcheck disable=SC2016 # a program for awk
check "bridges: header and rows" awk 'NR == 1 { if ($0 != "path,time,x_1,x_2,x_3") exit 1 } END { exit NR != 34 }' "$out"
# shellcheck disable=SC2016 # a program for awk
check "bridges end where they should" awk -F, 'NR > 1 && $2 == 0.5 { n++; if ($3 != 1 || $4 != 0 || $5 != 0) exit 1 } END { exit n != 3 }' "$out"
cp "$out" bridges.csv
run sample --manifold sphere:2 --time 0.5 -n 2 --steps 10 --bridge 1,0,0 --threads 1
check "the first bridges of more are the same" test "$(head -n 23 bridges.csv | md5sum)" = "$(md5sum <"$out")"
refuses "bridges by another method" 2 "leave out --method" sample --manifold sphere:2 --time 0.5 --bridge 1,0,0 --method exact
refuses "bridges with an odd number of steps" 2 "an even number of --steps" sample --manifold sphere:2 --time 0.5 --bridge 1,0,0 --steps 7
