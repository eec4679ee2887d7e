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
refuses "a family without its number" 2 "'shpere'; did you mean sphere:m, as in sphere:2[?]$" manifolds shpere
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
warns "radians read as degrees" 'radians.csv .* read as degrees; leave out --degrees' "${mean[@]}" circle --degrees radians.csv
warns "degrees read as radians" 'degrees.csv .* read as radians; did you mean --degrees' "${mean[@]}" circle degrees.csv
succeeds "radians as radians" "${mean[@]}" circle radians.csv
succeeds "degrees as degrees" "${mean[@]}" circle --degrees degrees.csv
succeeds "doubts are quiet" "${mean[@]}" circle --quiet degrees.csv
printf 'lat,lon\n10,20\n12,24\n' >latlon.csv
printf 'lon,lat\n20,10\n24,12\n' >lonlat.csv
run "${mean[@]}" sphere:2 --latlon latlon.csv
cp "$out" first
run "${mean[@]}" sphere:2 --latlon lonlat.csv
check "lon,lat in the header" cmp first "$out"
printf '120,10\n' >swapped.csv
refuses "longitude first without a header" 2 'latitude 120 .* say so in a header: lon,lat' "${mean[@]}" sphere:2 --latlon swapped.csv
printf '4,-1,3,0.1,0.2,2\n' >lower.csv
refuses "a lower triangle" 2 'as a lower triangle it is: pass --triangle lower$' "${mean[@]}" spd:3 lower.csv
says "read as one" '4' "${mean[@]}" spd:3 --triangle lower lower.csv

# ---- --project says what it did ----
printf '1,0\n0,1.02\n0.97,0\n' >off.csv
warns "rows moved" 'off.csv: 2 of 3 rows were moved onto sphere:1, by 2\.[0-9]+ % of their size in the median and 3\.09 % at most \(row 3\)$' "${mean[@]}" sphere:1 --project off.csv
check "a small move is no warning" test "$(grep -c warning "$err")" -eq 0
printf '1,0\n0,1.2\n' >far.csv
warns "a large move is one" 'warning: far.csv: 1 of 2 rows was moved onto sphere:1, by 16.7 % of its size \(row 2\)$' "${mean[@]}" sphere:1 --project far.csv
succeeds "nothing moved" "${mean[@]}" sphere:2 --project pair.csv
printf '2,0,1\n1,0,-0.5\n' >indefinite.csv
refuses "a large negative eigenvalue" 2 'indefinite.csv, row 2 .line 2.: the eigenvalues go from -0.5 to 1, .* or pass --force$' "${mean[@]}" spd:2 --project indefinite.csv
warns "which --force accepts" 'warning: indefinite.csv: 1 of 2' "${mean[@]}" spd:2 --project --force indefinite.csv
warns "pairs tell it, too" 'warning: standard input: 1 of 1 row was moved' dist --manifold sphere:1 --project <<<1,0,0,2

# ---- One column of labels ----
printf 'rat,age\n1,7\n2,7\n' >rats.csv
refuses "labels of two columns" 2 'rats.csv has 2 columns: rat, age; labels need one' "${mean[@]}" sphere:2 --by rats.csv pair.csv
printf 'x,y,z,a,b\n0,0,1,u,v\n' >wide.csv
refuses "two columns by name" 2 'one column is needed, not "a,b"; wide.csv has x, y, z, a, b' "${mean[@]}" sphere:2 --by a,b wide.csv
