# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors

# What people read: suggestions, units, matrices, summaries.

# says NAME PATTERN ARGUMENTS: status 0, and standard output has a line that fits.
says() {
    local name=$1 pattern=$2
    shift 2
    run "$@"
    [ "$status" -eq 0 ] && grep -Eq -- "$pattern" "$out"
    verdict "$name" $?
}

# warns NAME PATTERN ARGUMENTS: status 0, and standard error is one line that fits.
warns() {
    local name=$1 pattern=$2
    shift 2
    run "$@"
    [ "$status" -eq 0 ] && [ "$(wc -l <"$err")" -eq 1 ] && grep -Eq -- "$pattern" "$err"
    verdict "$name" $?
}

# ---- Spaces as textbooks write them ----
while read -r written meant; do
    refuses "did you mean $meant, not $written" 2 "'${written//[()^+?]/.}'; did you mean ${meant//[()?]/.}[?]$" manifolds "$written"
done <<'LIST'
S2 sphere:2
S^2 sphere:2
S1 circle
T2 torus:2
R3 euclidean:3
R euclidean:1
H2 hyperbolic:2
SO(3) so3
SO3 so3
so(3) so3
SPD(3) spd:3
P(3) spd:3
Sym+(2) spd:2
Sym(3) sym:3
sphere2 sphere:2
sphere(2) sphere:2
Sphere:2 sphere:2
SPD:3?metric=log-euclidean spd:3?metric=log-euclidean
product(S2,R) product(sphere:2,euclidean:1)
product(SO(3),sphre:2) product(so3,sphere:2)
LIST
refuses "a family without its number" 2 "'sphrre'; did you mean sphere:m, as in sphere:2[?]$" manifolds sphrre
for spec in RP2 'SO(4)' S200000000 'S2)' 'S2,' foo; do
    refuses "no guess for $spec" 2 "'manistat manifolds' lists them$" manifolds "$spec"
done
says "blanks in a product" '^manifold +product\(sphere:2,euclidean:1\)$' manifolds ' product ( sphere : 2 , euclidean:1 ) '
says "zeros have no sign" '^start +1,0,0,0,1,0,0,0,1$' manifolds so3
printf '0,0,1\n0.6,0,0.8\n' >pair.csv
says "blanks between numbers" '^  mean' mean --manifold sphere:2 --start ' 0, 0 ,1 ' pair.csv

# ---- Units and orders of columns ----
printf '0.12\n1.57\n3.141\n-2.5\n-0.34\n' >radians.csv
printf '10\n350\n20\n3\n170\n' >degrees.csv
mean=(mean --kind frechet --manifold)
label=(kmeans -k 1 --manifold)
warns "radians read as degrees" 'radians.csv .* read as degrees; leave out --degrees' "${label[@]}" circle --degrees radians.csv
warns "degrees read as radians" 'degrees.csv .* read as radians; did you mean --degrees' "${label[@]}" circle degrees.csv
succeeds "radians as radians" "${label[@]}" circle radians.csv
succeeds "degrees as degrees" "${label[@]}" circle --degrees degrees.csv
succeeds "doubts are quiet" "${label[@]}" circle --quiet degrees.csv
printf 'lat,lon\n10,20\n12,24\n' >latlon.csv
printf 'lon,lat\n20,10\n24,12\n' >lonlat.csv
run "${mean[@]}" sphere:2 --latlon latlon.csv
cp "$out" first
run "${mean[@]}" sphere:2 --latlon lonlat.csv
check "lon,lat in the header" cmp first "$out"
printf 'dec,inc\n20,10\n24,12\n' >decinc.csv
run "${mean[@]}" sphere:2 --latlon decinc.csv
check "dec,inc in the header" cmp first "$out"
warns "dec,inc are said to be a direction" 'decinc.csv: the angles are read, and written, as latitude' "${mean[@]}" sphere:2 --latlon decinc.csv
printf 'strike,dip\n20,10\n' >strike.csv
refuses "planes are no directions" 2 'strike.csv: the columns are named strike, dip; .* trend = strike - 90' "${mean[@]}" sphere:2 --latlon strike.csv
printf 'qx,qy,qz,qw\n0.6,0,0,0.8\n' >scalar_last.csv
says "a quaternion whose real part is the last" '^  mean +0.8, 0.6, 0, 0 \(w, x, y, z\)$' "${mean[@]}" so3 --quaternion scalar_last.csv
printf 'qx,qy,qz,foo\n0.6,0,0,0.8\n' >half_named.csv
refuses "names that contradict" 2 'half_named.csv: the columns are named qx, qy, qz, foo; quaternions are' "${mean[@]}" so3 half_named.csv
printf '120,10\n' >swapped.csv
refuses "longitude first without a header" 2 'latitude 120 .* say so in a header: lon,lat' "${mean[@]}" sphere:2 --latlon swapped.csv
printf '4,-1,3,0.1,0.2,2\n' >lower.csv
refuses "a lower triangle" 2 'as a lower triangle it is: pass --triangle lower$' "${mean[@]}" spd:3 lower.csv
says "read as one" '4' "${mean[@]}" spd:3 --triangle lower lower.csv

# ---- --project says what it did ----
printf '1,0\n0,1.02\n0.97,0\n' >off.csv
warns "rows moved" 'off.csv: 2 of 3 rows were moved onto sphere:1, by 2\.[0-9]+ % of their size in the median and 3\.09 % at most \(row 3\)$' "${label[@]}" sphere:1 --project off.csv
check "a small move is no warning" test "$(grep -c warning "$err")" -eq 0
printf '1,0\n0,1.2\n' >far.csv
warns "a large move is one" 'warning: far.csv: 1 of 2 rows was moved onto sphere:1, by 16.7 % of its size \(row 2\)$' "${label[@]}" sphere:1 --project far.csv
succeeds "nothing moved" "${label[@]}" sphere:2 --project pair.csv
printf '2,0,1\n1,0,-0.5\n' >indefinite.csv
refuses "a large negative eigenvalue" 2 'indefinite.csv, row 2 .line 2.: the eigenvalues go from -0.5 to 1, .* or pass --force$' "${mean[@]}" spd:2 --project indefinite.csv
warns "which --force accepts" 'warning: indefinite.csv: 1 of 2' "${label[@]}" spd:2 --project --force indefinite.csv
printf '1,0,1\n1.1,0.1,1\n1,0,-0.025\n' >lifted.csv
warns "a small negative eigenvalue" 'warning: lifted.csv: 1 of 3 rows was moved .*; it was not positive definite, has an eigenvalue near 0' "${label[@]}" spd:2 --project lifted.csv
printf '1,0,1\n1,0,0\n1,0,-0.025\n' >lifted.csv
warns "several of them" 'warning: lifted.csv: 2 of 3 rows were moved .*; 2 of them, the last row 3, were not positive definite' "${label[@]}" spd:2 --project lifted.csv
warns "pairs tell it, too" 'warning: standard input: 1 of 1 row was moved' dist --manifold sphere:1 --project <<<1,0,0,2

# ---- One column of labels ----
printf 'rat,age\n1,7\n2,7\n' >rats.csv
refuses "labels of two columns" 2 'rats.csv has 2 columns: rat, age; labels need one' "${mean[@]}" sphere:2 --by rats.csv pair.csv
printf 'x,y,z,a,b\n0,0,1,u,v\n' >wide.csv
refuses "two columns by name" 2 'one column is needed, not "a,b"; wide.csv has x, y, z, a, b' "${mean[@]}" sphere:2 --by a,b wide.csv

# ---- Errors in the unit of the points ----
printf '10,20\n12,24\n14,20\n9,25\n13,27\n' >places.csv
printf 'a\nb\na\nb\na\n' >labels.csv
run mean --manifold sphere:2 --json --latlon places.csv
cp "$out" degrees.json
check "JSON says degrees" as_json degrees.json "r['units'] == 'degrees' and len(r['region_semi_axes']) == 2"
check "the covariance is in degrees squared" as_json degrees.json "abs(r['mean_standard_error'] - math.sqrt(r['mean_covariance'][0][0] + r['mean_covariance'][1][1])) < 1e-12 * r['mean_standard_error']"
check "and the semi-axes span the volume" as_json degrees.json "abs(r['region_volume'] / (math.pi * math.prod(r['region_semi_axes'])) - 1) < 1e-12"
awk -F, 'BEGIN { p = atan2(0, -1) / 180 }
    { printf "%.17g,%.17g,%.17g\n", cos(p * $1) * cos(p * $2), cos(p * $1) * sin(p * $2), sin(p * $1) }' places.csv >vectors.csv
run mean --manifold sphere:2 --json vectors.csv
cp "$out" radians.json
check "without --latlon nothing is in degrees" as_json radians.json "'units' not in r"
check "degrees are degrees" as_json radians.json "abs(json.load(open('degrees.json'))['mean_standard_error'] * math.pi / 180 / r['mean_standard_error'] - 1) < 1e-9"
check "times stay in radians squared" as_json radians.json "abs(json.load(open('degrees.json'))['time'] / r['time'] - 1) < 1e-9"
says "text: degrees" '^  standard error  [0-9.]+ degrees$' mean --manifold sphere:2 --latlon places.csv
check "text: the region" grep -Eq '^  region          [0-9.]+ by [0-9.]+ degrees \(semi-axes, confidence 0.95\)$' "$out"
check "text: the time" grep -Eq '^  time            [0-9.]+ [+]- [0-9.]+ radians squared$' "$out"
check "text: the mean" grep -Eq '^  mean .* \(latitude, longitude\)$' "$out"
says "text: both without" '^  region          [0-9.]+ by [0-9.]+ radians, [0-9.]+ by [0-9.]+ degrees \(semi-axes' mean --manifold sphere:2 vectors.csv
says "table: degrees" '^group +n +lat +lon +error \(deg\) +time \(rad\^2\) +error +converged$' mean --manifold sphere:2 --latlon --by labels.csv places.csv
error=$(awk '$1 == "a" { print $5 }' "$out")
run mean --manifold sphere:2 --latlon --json --by labels.csv places.csv
check "table: its error is that of the JSON" as_json "$out" "abs(r['groups'][0]['mean_standard_error'] - $error) < 1e-3 * $error"
printf '10\n12.5\n20\n3\n17\n' >near.csv
says "circle: plus or minus" '^  region          [+]- [0-9.]+ degrees \(confidence 0.95\)$' mean --manifold circle --degrees near.csv

# Factors of different units: no sum of them is a length.
printf '10,1\n30,3\n20,2\n50,1\n15,5\n' >mixed.csv
product=(mean --manifold 'product(circle,euclidean:1)' --degrees --time-per-factor)
says "product: an error per factor" '^  standard error  [0-9.]+ degrees, circle$' "${product[@]}" mixed.csv
check "product: the other" grep -Eq '^                  [0-9.]+, euclidean:1$' "$out"
run "${product[@]}" --json mixed.csv
check "product: JSON" as_json "$out" "'units' not in r and [f.get('units') for f in r['factors']] == ['degrees', None] and abs(math.hypot(r['factors'][0]['mean_standard_error'] * math.pi / 180, r['factors'][1]['mean_standard_error']) / r['mean_standard_error'] - 1) < 1e-9"
says "product: table" 'error_1 \(deg\) +error_2' "${product[@]}" --by labels.csv mixed.csv

# ---- Matrices ----
printf '2,0.5,1\n3,0.25,2\n' >triangles.csv
printf '2,0.5,0.5,1\n3,0.25,0.25,2\n' >matrices.csv
le=(mean --manifold 'spd:2?metric=log-euclidean' --time 1)
run "${le[@]}" triangles.csv
check "a triangle: two lines" test "$(sed -n '3,4p' "$out" | awk '{ print NF }' | tr '\n' ' ')" = '3 1 '
run "${le[@]}" matrices.csv
check "a matrix: two lines" test "$(sed -n '3,4p' "$out" | awk '{ print NF }' | tr '\n' ' ')" = '3 2 '
run mean --manifold 'spd:3?metric=log-euclidean' --time 1 --triangle lower lower.csv
check "a lower triangle" test "$(sed -n '3,5p' "$out" | awk '{ print NF }' | tr '\n' ' ')" = '2 2 3 '
says "table: the triangle" '^group +n +x_11 +x_12 +x_22 +error' "${le[@]}" --by 4 <<<'2,0.5,1,u'
run mean --manifold so3 <<<$'1,0,0,0\n0.8,0.6,0,0'
check "rotations: three lines" test "$(sed -n '3,5p' "$out" | awk '{ print NF }' | tr '\n' ' ')" = '4 3 3 '
awk 'BEGIN { for (i = 0; i < 3; i++) { s = ""; for (j = 0; j < 12; j++) for (k = j; k < 12; k++) s = s (s == "" ? "" : ",") (j == k ? 1 + i : 0); print s } }' >large.csv
says "large ones are cut" '^ +\.\.\. \(12 by 12; --json has all of it\)$' mean --manifold 'spd:12?metric=log-euclidean' --time 1 large.csv
check "large ones: largest and smallest" grep -Eq 'largest and smallest of 78 semi-axes' "$out"

# ---- Missing errors have a reason and a remedy ----
says "one row" '^  standard error  none: one row has no spread; give more rows' mean --manifold sphere:2 --kind frechet <<<0,0,1
run mean --manifold sphere:2 --json --kind frechet <<<0,0,1
check "JSON: the reason" as_json "$out" "r['mean_standard_error'] is None and 'one row' in r['missing_errors'] and r['end'] in ('settled', 'rounding')"
run mean --manifold sphere:2 --latlon --by labels.csv --kind frechet places.csv
check "no reason without a need" test "$(grep -c 'no error for' "$out")" -eq 0
printf 'a\nb\nb\nb\nb\n' >single.csv
says "in tables" "^no error for 'a': one row has no spread" mean --manifold sphere:2 --latlon --by single.csv --kind frechet places.csv
printf '1\n1\n2\n' >rows.csv
says "wide points are left out of tables" '^the means have 78 numbers each; --json has them$' mean --manifold 'spd:12?metric=log-euclidean' --time 1 --by rows.csv large.csv

# ---- kmeans and mixture: labels for programs, a summary for people ----
printf '0\n0.1\n0.2\n3\n3.1\n' >angles.csv
printf '0\n0\n0\n1\n1\n' >expected
for command in kmeans mixture; do
    fit=("$command" --manifold circle -k 2)
    run "${fit[@]}" angles.csv
    check "$command: a pipe gets labels" cmp expected "$out"
    run "${fit[@]}" angles.csv -o $command.labels
    check "$command: -o FILE has them" cmp expected $command.labels
    check "$command: and standard output the summary" grep -Eq "^0 +3 " "$out"
    check "$command: the second" grep -Eq "^1 +2 .* 3.05" "$out"
    run "${fit[@]}" angles.csv -o $command.again --labels
    check "$command: --labels leaves it out" test -s $command.again -a ! -s "$out"
    run "${fit[@]}" --json angles.csv -o $command.json
    check "$command: JSON in a file and nothing else" test -s $command.json -a ! -s "$out"
    check "$command: spreads" as_json $command.json "abs(r['spreads'][0] - math.sqrt(0.02 / 3)) < 1e-6 and abs(r['spreads'][1] - 0.05) < 1e-6 and r['sizes'] == [3, 2] and r['end'] in ('settled', 'rounding') and 'units' not in r"
    refuses "$command: --json and --labels" 2 'leave out --labels' "${fit[@]}" --json --labels angles.csv
    run "${fit[@]}" --json --degrees angles.csv
    check "$command: spreads in degrees" as_json "$out" "r['units'] == 'degrees' and abs(r['spreads'][1] - 0.05) < 1e-6"
    says "$command: and in the summary" 'spread \(deg\)' "${fit[@]}" --degrees angles.csv -o $command.degrees
    if has_terminals; then
        script -qec "manistat ${fit[*]} angles.csv" /dev/null </dev/null >screen 2>&1
        check "$command: a terminal gets the summary" grep -Eq '^[a-z]+ +size .*spread' screen
        check "$command: and no labels" test "$(grep -Ec '^[01].?$' screen)" -eq 0
        script -qec "manistat ${fit[*]} --labels angles.csv" /dev/null </dev/null >screen 2>&1
        check "$command: unless it asks for them" test "$(tr -d '\r' <screen | tr '\n' ' ')" = '0 0 0 1 1 '
    fi
done
run kmeans --manifold circle -k 2 --json --weights /dev/stdin angles.csv <<<$'1\n0\n1\n1\n1'
check "spreads are weighted" as_json "$out" "abs(r['spreads'][0] - 0.1) < 1e-6 or abs(r['spreads'][1] - 0.1) < 1e-6"

# ---- mixture: one long heap ----
awk 'BEGIN { srand(3); for (i = 0; i < 100; i++) { r = sqrt(-2 * log(rand())); a = 6.2831853 * rand(); printf "%.6f,%.6f\n", 3 * r * cos(a), r * sin(a) } }' >long.csv
run mixture --manifold euclidean:2 -k 1-5 --json long.csv
check "mixture: a long heap" as_json "$out" "r['k'] > 1 and r['warnings'] == ['elongated'] and r['elongated'] == 1 and r['elongated_bic'] < r['bic'] - 6"
check "mixture: a warning" grep -q '1 heap that may be longer in some directions than in others has a lower BIC' "$err"

# ---- mixture --assign ----
assign=(mixture --manifold circle --assign mixture.json)
run "${assign[@]}" <<<$'2.9\n0.05\n-0.1'
check "mixture --assign: labels" test "$(tr '\n' ' ' <"$out")" = '1 0 0 '
run "${assign[@]}" --json angles.csv
check "mixture --assign: the same rows" as_json "$out" "r['labels'] == [0, 0, 0, 1, 1] and abs(r['log_likelihood'] - json.load(open('mixture.json'))['log_likelihood']) < 1e-9 and r['k'] == 2 and len(r['responsibilities']) == 5 and 'bic' not in r"
says "mixture --assign: summary" 'by a saved result' "${assign[@]}" angles.csv -o assigned.csv
refuses "mixture --assign: no -k" 2 'has its components already; leave out -k' "${assign[@]}" -k 2 angles.csv
refuses "mixture --assign: a result of kmeans" 2 'kmeans.json is not a result of mixture; give a file that mixture --json has written' mixture --manifold circle --assign kmeans.json angles.csv
refuses "mixture --assign: another manifold" 2 'is about circle, not torus:1' mixture --manifold torus:1 --assign mixture.json angles.csv
sed 's/"times":\[[^]]*\]/"times":[1]/' mixture.json >short.json
refuses "mixture --assign: a time is missing" 2 'has not as many weights and times as centres' mixture --manifold circle --assign short.json angles.csv
sed 's/"times":\[[^]]*\]/"times":[1,0]/' mixture.json >zero.json
refuses "mixture --assign: a time of zero" 2 'not positive' mixture --manifold circle --assign zero.json angles.csv
refuses "mixture without -k" 2 '-k K is missing' mixture --manifold circle angles.csv

# ---- The best K at an end of the range ----
{
    for centre in 0 1.5 3 -1.5; do
        manistat sample --manifold circle --time 0.002 -n 25 --start "$centre"
    done
} >four.csv
mixture=(mixture --manifold circle --labels)
run "${mixture[@]}" -k 1-3 four.csv
check "at the upper end" grep -q 'warning: the least BIC is that of the last k, 3, .* go on with -k 3-6$' "$err"
run "${mixture[@]}" -k 4-5 four.csv
check "at the lower end" grep -q 'warning: the least BIC is that of the first k, 4, .* go on with -k 1-4$' "$err"
run "${mixture[@]}" -k 3-5 four.csv
check "inside" test "$(grep -c warning "$err")" -eq 0
run "${mixture[@]}" -k 4 four.csv
check "without a range" test ! -s "$err"

# ---- The tables of test have units, too ----
printf '40,20\n42,24\n44,20\n39,25\n43,27\n' >north.csv
says "test: two samples" '^standard error \(deg\) +[0-9.]+ +[0-9.]+ +-$' test --manifold sphere:2 --latlon places.csv north.csv --quiet
check "test: coordinates by name" grep -Eq '^lat +[0-9.]+ +[0-9.]+ +[0-9.]+$' "$out"
cp "$out" two
says "test: three samples" '^sample +points +lat +lon +error \(deg\) +time \(rad\^2\)$' test --manifold sphere:2 --latlon places.csv north.csv north.csv --quiet
run mean --manifold sphere:2 --latlon --json north.csv
check "test: the error is that of the mean" as_json "$out" "abs(r['mean_standard_error'] - $(awk '/^standard error/ { print $5 }' two)) < 1e-3 * r['mean_standard_error']"
printf 'lat,lon,city\n1,2,A\n' >cities.csv
refuses "columns are named where there are too many" 2 'cities.csv has 3 columns .lat, lon, city.; sphere:2 needs 2' "${mean[@]}" sphere:2 --latlon cities.csv
