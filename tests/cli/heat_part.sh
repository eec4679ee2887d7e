# shellcheck shell=bash disable=SC2016,SC2154
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors

# heat: known values, identities, forms of input, and what is refused.

# rows NAME EXPECTED TOLERANCE ARGUMENTS: as prints, for the rows below the header.
rows() {
    local name=$1 expected=$2 tolerance=$3
    shift 3
    run "$@"
    tr ' ' '\n' <<<"$expected" >"$scratch/expected"
    tail -n +2 "$out" >"$scratch/rows"
    [ "$status" -eq 0 ] && [ ! -s "$err" ] && close_to "$scratch/expected" "$scratch/rows" "$tolerance"
    verdict "$name" $?
}

# Known values. The normal density, its derivatives by hand:
rows "standard normal" -0.9189385332046727,-0.5,0 1e-15 heat --manifold euclidean:1 <<<0,0,1
rows "the plane" -14.337877066409345,11.5,-3,-4 2e-14 heat --manifold euclidean:2 <<<0,0,3,4,1
rows "log-Euclidean matrices of order one" -1.4189385332046727,0,-2.718281828459045 2e-15 heat --manifold 'spd:1?metric=log-euclidean' <<<1,2.718281828459045,1
# On the hyperbolic space of dimension three, log p = -3/2 log(2 pi t) - t/2 - r^2/2t + log(r/sinh r), here r = 0:
rows "hyperbolic, the point itself" -3.2568155996140185,-2,0,0,0,0 1e-14 heat --manifold hyperbolic:3 <<<1,0,0,0,1,0,0,0,1
# After a long time everything is uniform: volumes 2 pi, 4 pi, 8 pi^2.
rows "circle, long time" -1.8378770664093454,0,0 1e-14 heat --manifold circle <<<0,1,80
rows "sphere, long time" -2.5310242469692907,0,0,0,0 1e-14 heat --manifold sphere:2 <<<0,0,1,1,0,0,80
rows "rotations, long time" -4.36890131337864,0,0,0,0,0,0,0,0,0,0 1e-12 heat --manifold so3 <<<1,0,0,0,1,0,0,0,1,0,-1,0,1,0,0,0,0,1,80
# Values of p that are far below the range of doubles.
rows "antipodes after a short time" -49333.98069103618,493465220.17946786,0,0,0 1e-6 heat --manifold sphere:2 <<<0,0,1,0,0,-1,0.0001

run heat --manifold sphere:2 <<<0,0,1,1,0,0,0.5
check "header of heat" test "$(head -n 1 "$out")" = logp,dt_logp,score_1,score_2,score_3
check "the score is tangent at y and points towards x" awk -F, 'NR == 2 { exit !($3 == 0 && $4 == 0 && $5 > 2.8 && $5 < 2.83) }' "$out"

# For short times t·score is Log_y(x) (exactly in flat space): on random points of every family.
for spec in euclidean:3 circle torus:3 sphere:2 sphere:5 hyperbolic:2 hyperbolic:4 spd:1 spd:2 \
    spd:3?metric=log-euclidean spd:3?metric=log-cholesky sym:3 so3 'product(sphere:2,euclidean:1)' 'product(so3,torus:2,hyperbolic:2)'; do
    manistat sample --manifold "$spec" --time 0.1 -n 20 --seed 1 --steps 3 >x.csv
    manistat sample --manifold "$spec" --time 0.1 -n 20 --seed 2 --steps 3 >y.csv
    paste -d, x.csv y.csv >xy.csv
    sed 's/$/,0.0000001/' xy.csv >xyt.csv
    succeeds "$spec: a time per row" heat --manifold "$spec" xyt.csv
    cp "$out" heat.csv
    succeeds "$spec: one time" heat --manifold "$spec" --time 1e-7 xy.csv
    check "$spec: one time is the same" cmp -s "$out" heat.csv
    succeeds "$spec: two files" heat --manifold "$spec" --time 1e-7 x.csv y.csv
    check "$spec: two files are the same" cmp -s "$out" heat.csv
    manistat log --manifold "$spec" --quiet y.csv x.csv >log.csv
    tail -n +2 heat.csv | cut -d, -f3- |
        awk -F, -v OFS=, -v CONVFMT=%.12g '{ for (i = 1; i <= NF; i++) $i = 1e-7 * $i; print }' >short.csv
    check "$spec: t times the score is Log_y(x)" close_to log.csv short.csv 1e-5
    paste -d, y.csv x.csv >yx.csv
    tail -n +2 heat.csv | cut -d, -f2 >there
    run heat --manifold "$spec" --time 1e-7 yx.csv
    tail -n +2 "$out" | cut -d, -f2 >back
    paste -d, there back >both
    check "$spec: symmetric" awk -F, '{ d = $1 - $2; if (d * d > 1e-20 * $1 * $1) exit 1 }' both
done

# Forms of rows.
rows "upper triangles" -1.8378770664093454,0,0,0,0,0 9 heat --manifold spd:2 <<<1,0,1,2,0,2,1
cp "$out" triangle
run heat --manifold spd:2 <<<1,0,0,1,2,0,0,2,1
check "upper triangles are the same as whole matrices" cmp -s "$out" triangle
run heat --manifold so3 <<<1,0,0,0,0.6,0.8,0,0,0.3
check "quaternions" test "$(wc -l <"$out")" -eq 2
run heat --manifold sphere:2 --latlon <<<90,0,0,120,0.5
cp "$out" globe
run heat --manifold sphere:2 <<<0,0,1,-0.5,0.8660254037844386,0,0.5
sed 1d globe >expected
sed 1d "$out" >computed
check "latitude and longitude" close_to expected computed 1e-14
# Exp_y(t·score) is near x, so in degrees the score is a vector in degrees, while t is not an angle.
rows "degrees" 3.1862316527834187,0,-5729.577951308232 1e-9 heat --manifold circle --degrees --time 1e-4 <<<0,0.57295779513082322
rows "a header line is not a row" -0.9189385332046727,-0.5,0 1e-15 heat --manifold euclidean:1 <<<$'x,y,t\n0,0,1'
rows "angles beyond a turn" -1.8378770664093454,0,0 1e-14 heat --manifold circle --time 80 <<<0,400

# Many rows go through in pieces, whatever the number of threads.
awk 'BEGIN { for (i = 0; i < 150001; i++) print i % 7 "," i % 5 "," 1 + i % 3 }' >long.csv
run heat --manifold torus:1 --threads 1 long.csv
check "150001 rows and a header" test "$(wc -l <"$out")" -eq 150002
cp "$out" one
run heat --manifold torus:1 --threads 2 long.csv
check "threads change nothing" cmp -s "$out" one
check "equal rows in different pieces" test "$(sed -n '2p;107p;149942p' one | uniq | wc -l)" -eq 1
refuses "no rows" 2 "empty" heat --manifold circle </dev/null

# Output.
run heat --manifold euclidean:2 --json <<<0,0,3,4,1
check "JSON" as_json "$out" 'r["command"] == "heat" and r["manifold"] == "euclidean:2" and r["n"] == 1 and r["score"] == "exact" and abs(r["logp"][0] + 12.5 + math.log(2 * math.pi)) < 1e-13 and r["dt_logp"] == [11.5] and r["score_1"] == [-3] and r["score_2"] == [-4] and "time" not in r'
run heat --manifold euclidean:1 --json --time 2 <<<0,0
check "JSON with one time" as_json "$out" 'r["time"] == 2 and r["dt_logp"] == [-0.25]'
succeeds "-o" heat --manifold circle --time 1 -o result.csv <<<0,1
check "-o writes the table" test "$(head -n 1 result.csv)" = logp,dt_logp,score_1
refuses "-o of a file that is there" 3 "result.csv.*--force" heat --manifold circle --time 1 -o result.csv <<<0,1
succeeds "--score exact" heat --manifold circle --score exact <<<0,1,1

# Bad input.
printf '0,1,1\n0,2,0.5\n0,3,0\n' >zero.csv
refuses "time zero" 2 "zero.csv, row 3: the time is 0;.*positive" heat --manifold circle zero.csv
refuses "negative time" 2 "standard input, row 1: the time is -1;.*positive" heat --manifold circle <<<0,1,-1
refuses "time NaN" 2 "row 1.*column 3.*nan" heat --manifold circle <<<0,1,nan
refuses "infinite time" 2 "row 1.*column 3" heat --manifold circle <<<0,1,inf
awk 'BEGIN { for (i = 0; i < 100000; i++) print "0,1,1"; print "0,1,-2" }' >late.csv
run heat --manifold circle late.csv
check "a bad time far down" grep -q 'late.csv, row 100001: the time is -2' "$err"
check "a bad time far down: status" test "$status" -eq 2
refuses "x off the manifold" 2 "row 1.*norm is 2" heat --manifold sphere:2 <<<0,0,2,1,0,0,1
refuses "y off the manifold" 2 "row 1.*norm is 2" heat --manifold sphere:2 <<<0,0,1,2,0,0,1
succeeds "but it can be projected" heat --manifold sphere:2 --project --quiet <<<0,0,1,2,0,0,1
refuses "y not positive definite" 2 "row 1.*positive definite" heat --manifold spd:2 <<<1,0,0,1,1,2,2,1,1
refuses "a NaN among the coordinates" 2 "row 1.*column 2" heat --manifold circle <<<0,nan,1
refuses "the t column is missing" 2 "6 columns; sphere:2 needs 7" heat --manifold sphere:2 <<<0,0,1,1,0,0
refuses "a t column too many" 2 "7 columns; sphere:2 needs 6" heat --manifold sphere:2 --time 1 <<<0,0,1,1,0,0,1
refuses "two files without --time" 2 "two files.*--time" heat --manifold circle zero.csv zero.csv
refuses "--time 0" 2 "--time.*0" heat --manifold circle --time 0 <<<0,1
refuses "--time nan" 2 "--time.*nan" heat --manifold circle --time nan <<<0,1
refuses "another score" 2 "--score 'bridgework' is neither a score source .exact, log, expansion, bridge, pde, spectral. nor a file" heat --manifold circle --score bridgework <<<0,1,1
refuses "no closed form" 3 "spd:3 has no closed-form heat kernel;.*sphere.*spd:2.*log-euclidean.*products" heat --manifold spd:3 --time 1 <<<1
refuses "a factor without closed form" 3 "product\(circle,spd:3\) has no closed-form" heat --manifold 'product(circle,spd:3)' --time 1 <<<1

# What exists is what 'manifolds' says.
manistat manifolds --json >manifolds.json
check "manifolds knows" as_json manifolds.json 'dict(zip(r["manifold"], r["heat"])) == {m: m != "spd:3" and "bures" not in m and not m.startswith(("kendall", "size-and-shape", "landmarks")) for m in r["manifold"]} and "spd:3" in r["manifold"]'
run manifolds spd:3
check "manifolds spd:3" grep -qx 'heat *none' "$out"
run manifolds spd:2
check "manifolds spd:2" grep -qx 'heat *closed form' "$out"

# Bridges: in flat space they are exact; elsewhere within their standard errors; the same numbers for the same row.
rows "bridges in the plane are exact" -14.337877066409345,11.5,-3,-4 1e-11 heat --manifold euclidean:2 --score bridge <<<0,0,3,4,1
run heat --manifold sphere:2 --score 'bridge?paths=400' --errors <<<0,0,1,1,0,0,0.5
check "header with errors" test "$(head -n 1 "$out")" = logp,dt_logp,logp_se,dt_logp_se,score_se,ess,score_1,score_2,score_3
manistat heat --manifold sphere:2 <<<0,0,1,1,0,0,0.5 >exact.csv
paste -d, "$out" exact.csv >both
check "bridges within four standard errors" awk -F, 'NR == 2 { a = $1 - $10; b = $2 - $11; c = $9 - $14; exit !(a * a < 16 * $3 * $3 && b * b < 16 * $4 * $4 && c * c < 16 * $5 * $5 && $6 > 300 && $6 <= 400) }' both
cp "$out" errors.csv
printf '0,0,1,0,1,0,0.5\n0,0,1,1,0,0,0.5\n' >two.csv
run heat --manifold sphere:2 --score 'bridge?paths=400' --errors two.csv
check "rows have numbers of their own" test "$(tail -n 1 "$out")" != "$(tail -n 1 errors.csv)"
run heat --manifold sphere:2 --score 'bridge?paths=100&steps=16' --json <<<0,0,1,1,0,0,0.5
check "JSON has the errors of bridges" grep -q '"ess":\[' "$out"
run heat --manifold sphere:2 --score 'bridge?paths=20' --seed 5 <<<0,0,1,1,0,0,0.5
cp "$out" seeded
run heat --manifold sphere:2 --score 'bridge?paths=20&seed=5' <<<0,0,1,1,0,0,0.5
check "--seed is that of bridges" cmp -s seeded "$out"
run heat --manifold sphere:2 --score 'bridge?paths=20' --seed 6 <<<0,0,1,1,0,0,0.5
check "another seed, other bridges" test "$(cat seeded)" != "$(cat "$out")"
run heat --manifold sphere:2 --score 'bridge?paths=100' --status <<<0,0,1,0,0,-1,1e-3
check "a path that carries all is no answer" test "$status" -eq 1
check "which is said" grep -q 'nan.*one or two of the bridges carry all the weight' "$out"
run heat --manifold sphere:2 --score 'bridge?paths=100' --force <<<0,0,1,0,0,-1,1e-3
check "--force prints it" test "$(grep -c nan "$out")" -eq 0
refuses "errors of a closed form" 2 "--errors is for --score bridge" heat --manifold sphere:2 --errors <<<0,0,1,1,0,0,0.5
refuses "an option that bridges do not have" 2 "it has paths, steps, seed, guide" heat --manifold sphere:2 --score 'bridge?path=3' <<<0,0,1,1,0,0,0.5
refuses "paths that are no number" 2 "a whole number" heat --manifold sphere:2 --score 'bridge?paths=few' <<<0,0,1,1,0,0,0.5

# ---- Beyond the range of numbers ----
for case in 'euclidean:3|0,0,0,1e300,0,0,1' 'euclidean:1|0,1,1e-320'; do
    run heat --manifold "${case%%|*}" <<<"${case#*|}"
    [ "$status" -eq 1 ] && grep -q 'beyond the range of numbers' "$err" && ! grep -qi inf "$out" && grep -q nan "$out"
    verdict "no infinite log p: $case" $?
done
