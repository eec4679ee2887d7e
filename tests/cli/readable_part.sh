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
