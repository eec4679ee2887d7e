# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors

# Numbers at the end of what doubles hold: right or refused, and no nan or inf with status 0.

# ---- Weights ----
manistat sample --manifold sphere:2 --time 0.1 -n 6 >points.csv
for size in 5e-324 1e-310 1e-32 1e31; do
    yes "$size" | head -6 >weights.csv
    for meaning in counts relative; do
        for command in mean "mean --kind frechet" "kmeans -k 2" "mixture -k 2"; do
            # shellcheck disable=SC2086
            refuses "weights of $size, $meaning: $command" 2 "the weights sum to .*, which must be from 1e-30 to 1e\+30" \
                $command --manifold sphere:2 --weights weights.csv --weights-are $meaning points.csv
        done
    done
done
for kind in diffusion frechet; do
    for factor in 1 1e-8 1e-29; do
        for k in 1 2 3 1 2 3; do echo "$k" | awk -v f=$factor '{ printf "%.17g\n", $1 * f }'; done >weights.csv
        manistat mean --manifold sphere:2 --kind $kind --weights weights.csv --json points.csv >"weighted.$factor" 2>/dev/null
    done
    for factor in 1e-8 1e-29; do
        python3 - weighted.1 "weighted.$factor" <<'END'
import json
import sys

a, b = (json.load(open(f))["mean"] for f in sys.argv[1:])
assert len(a) == 3 and all(abs(p - q) < 1e-8 for p, q in zip(a, b)), (a, b)
END
        verdict "a common factor of $factor leaves the $kind mean" $?
    done
done

# ---- Far points of hyperbolic space: on a line, the mean is that of signed distances ----
python3 - >far.csv <<'END'
import math

for r in (10, -20, 18):
    print(f"{math.cosh(r)!r},{math.sinh(r)!r},0")
END
run mean --manifold hyperbolic:2 --kind frechet --json far.csv
as_json "$out" "abs(math.asinh(r['mean'][1]) - 8 / 3) < 1e-6 and abs(r['mean'][2]) < 1e-6"
verdict "a Frechet mean of far points" $?
refuses "points that doubles do not tell apart" 2 "beyond 1e\+15 doubles do not tell neighbours" mean --manifold hyperbolic:2 --kind frechet \
    <(python3 -c 'import math; print(f"{math.cosh(40)!r},{math.sinh(40)!r},0\n1,0,0")')

# ---- Nearly singular matrices are not one point, and a zero has no sign ----
run mean --manifold spd:2 --kind frechet --json <(printf '1,0,0,1e-15\n2,0,0,1e-15\n1,0,0,3e-15\n')
as_json "$out" "abs(r['mean'][0] / 2 ** (1 / 3) - 1) < 1e-9 and abs(r['mean'][3] / (3 ** (1 / 3) * 1e-15) - 1) < 1e-9 and r['variance'] > 0.3"
verdict "matrices of condition 1e15" $?
run mean --manifold euclidean:2 --kind frechet <(printf -- '0,1\n-0,2\n-0,3\n')
check "-0 is 0" grep -Eq '^  mean +0, 2$' "$out"

# ---- Times and sums ----
refuses "a time of 1e300 on so3" 3 "ran so far that doubles no longer resolve them" sample --manifold so3 --time 1e300 -n 2 --steps 4
run exp --manifold so3 --project <<<1,0,0,0,1,0,0,0,1,0,1e300,0,0,0,0,0,0,0
check "a vector whose square is lost has no end, which is said" test "$status" -eq 1
check "with a reason" grep -q "beyond the range of numbers" "$err"
for time in 1e300 1e-300; do
    refuses "heat at $time" 2 "the time 1e.*300 is out of range; it must be from 1e-50 to 1e\+50" heat --manifold sphere:2 --time $time <(echo 0,0,1,0,1,0)
done
refuses "sums beyond doubles" 2 "row 1: 1e\+308 is too large to compute with, at most 1e\+150; use another unit" mean --manifold euclidean:1 \
    <(printf '1e308\n1e308\n1e308\n')
