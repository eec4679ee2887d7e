# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors

# Covariance matrices: singular ones, missing channels, shrinkage.

printf '%s\n' 2,-1,-1,2,-1,2 3,0,0,2,0,1 4,1,0,2,0,1 >cov.csv
printf '%s\n' 3,0,0,2,0,1 4,nan,0,nan,nan,1 >gap.csv
printf '%s\n' 3,0,0,2,0,1 4,0,0,-1,0,1 >indefinite.csv
printf '%s\n' 3,0,0,2,0,1 4,1,0,2,0,1 3,1,1,2,0,2 >good.csv
frechet=(mean --manifold spd:3 --kind frechet)
refuses "a singular matrix" 2 "cov.csv, row 1 \(line 1\): matrix is singular, of rank 2 instead of 3; .*average reference; pass --shrink .*oas.*ledoit-wolf.*--project" "${frechet[@]}" cov.csv
refuses "missing channels" 2 "gap.csv, row 2 \(line 2\): channel 2 is missing" "${frechet[@]}" gap.csv
refuses "an indefinite matrix is another matter" 2 "row 2 \(line 2\): matrix is not positive definite \(smallest eigenvalue -1\)" "${frechet[@]}" indefinite.csv
refuses "and is not shrunk" 2 "row 2.*no covariance matrix" "${frechet[@]}" --shrink 0.9 indefinite.csv
refuses "shrinkage is for spd" 2 "\-\-shrink needs matrices of spd:n, not sym:3" mean --manifold sym:3 --shrink 0.1 good.csv
refuses "not more than all" 2 "\-\-shrink must be none, oas, ledoit-wolf, or a number from 0 to 1, not '1.1'" "${frechet[@]}" --shrink 1.1 good.csv
refuses "the number of samples" 2 "\-\-shrink oas needs --samples" "${frechet[@]}" --shrink oas good.csv
refuses "Ledoit and Wolf need signals" 2 "from signals.*manistat cov" "${frechet[@]}" --shrink ledoit-wolf good.csv

# The same as shrinking by hand: 0.75 S + 0.25 tr(S)/3 I.
printf '%s\n' 2,-0.75,-0.75,2,-0.75,2 2.75,0,0,2,0,1.25 3.5833333333333335,0.75,0,2.0833333333333335,0,1.3333333333333335 >hand.csv
for command in "mean --kind frechet" "kmeans -k 2" "test --kind frechet --by groups.csv --method permutation"; do
    printf '%s\n' a b a >groups.csv
    # shellcheck disable=SC2086
    run $command --manifold spd:3 --shrink 0.25 --json cov.csv
    check "$command tells how it has shrunk" as_json "$out" "r['shrink'] == {'estimator': 'value', 'intensity': [0.25, 0.25], 'rows': 3}"
    cp "$out" shrunk.json
    # shellcheck disable=SC2086
    run $command --manifold spd:3 --json hand.csv
    check "$command says nothing otherwise" as_json "$out" "'shrink' not in r"
    check "$command sees the shrunk matrices" as_json shrunk.json "all(abs(a - b) < 1e-12 for k in ('mean', 'inertia', 'variance', 'p_value') if k in r for a, b in zip(*[x[k] if isinstance(x[k], list) else [x[k]] for x in (r, json.load(open('$out')))]))"
done
run dist --manifold spd:3 --shrink 0.25 cov.csv good.csv
check "tables tell it on standard error" grep -q "6 matrices shrunk, intensity 0.25" "$err"
run "${frechet[@]}" --shrink oas --samples 40 good.csv
check "texts tell it" grep -Eq "^3 matrices shrunk \(oas, 40 samples\), intensities 0\.[0-9]+ to 0\.[0-9]+$" "$out"
run "${frechet[@]}" --shrink oas --samples 40 --json good.csv
check "JSON has the number of samples" as_json "$out" "r['shrink']['estimator'] == 'oas' and r['shrink']['samples'] == 40 and r['shrink']['rows'] == 3"
# The first of good.csv: tr 6, tr S² 14, n = 40: (14/3 + 36)/((41 - 2/3)(14 - 12)).
run "${frechet[@]}" --shrink oas --samples 40 --json <(head -1 good.csv)
check "OAS by hand" as_json "$out" "abs(r['shrink']['intensity'][0] - (14 / 3 + 36) / ((41 - 2 / 3) * 2)) < 1e-15"
run mean --manifold spd:2 --kind frechet <(printf '%s\n' 2,1,2 1,1,1.0000000000000004)
check "singular up to rounding" grep -q "warning: .*, row 2: the matrix is singular up to rounding, of rank 1 instead of 2.*--shrink" "$err"
