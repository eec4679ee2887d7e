# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors

# The expansion as a score source: rows beyond its validity, and estimates that keep them.

cat >ring.manifold <<'END'
coordinates u v
period    u 2*pi
period    v 2*pi
embedding = (1 + 0.5*cos(v))*cos(u), (1 + 0.5*cos(v))*sin(u), 0.5*sin(v)
compact   = yes
start     = 0, 0
END
printf '0,0,0.3,0.2,0.1\n0,0,3.1,3.1,2\n0,0,0,0,0.1\n' >pairs.csv

# Rows without an answer.
run heat --manifold ring.manifold pairs.csv
check "rows beyond validity: status" test "$status" -eq 1
check "rows beyond validity: message" grep -q "1 of 3 rows have no answer and are nan (the first is 2: beyond the expansion's validity)" "$err"
check "rows beyond validity: nan" grep -qx 'nan,nan,nan,nan' "$out"
check "rows beyond validity: the others" test "$(grep -c '^-\{0,1\}[0-9]' "$out")" -eq 2
run heat --manifold ring.manifold --force pairs.csv
check "--force prints the best values" test "$status" -eq 0 -a "$(grep -c nan "$out")" -eq 0
run heat --manifold ring.manifold --status pairs.csv
check "--status says why" grep -qx "nan,nan,nan,nan,beyond the expansion's validity" "$out"
run heat --manifold ring.manifold --json pairs.csv
check "JSON has validity and status" as_json "$out" \
    'r["score"] == "expansion" and r["validity"][0] < 0.01 <= r["validity"][1] and r["logp"][1] is None and r["status"] == ["valid", "beyond the expansion'"'"'s validity", "valid"]'
succeeds "and where the kernel is known, too" heat --manifold sphere:2 --score expansion <<<0,0,1,1,0,0,0.1

# Estimates keep such rows and count them.
manistat sample --manifold ring.manifold --start 0.5,1 --time 0.05 -n 30 --seed 3 >near.csv
run mean --manifold ring.manifold --json near.csv
check "without asking the mean is Frechet" as_json "$out" 'r["kind"] == "frechet"'
run mean --manifold ring.manifold --kind diffusion --json near.csv
check "a diffusion mean is by the expansion" as_json "$out" \
    'r["score"] == "expansion" and r["converged"] and 0.03 < r["time"] < 0.08 and r["beyond_validity"] == {"rows": 0, "share": 0}'
check "and its status is 0" test "$status" -eq 0
run mean --manifold ring.manifold --time 0.05 --json near.csv
check "a time asks for it, too" as_json "$out" 'r["kind"] == "diffusion" and r["time"] == 0.05'
run mean --manifold ring.manifold --time 0.5 --json near.csv
check "most rows beyond: status" test "$status" -eq 1
check "most rows beyond: message" grep -q "30 rows are beyond the validity of the expansion; their best values were kept" "$err"
check "most rows beyond: share" as_json "$out" 'r["beyond_validity"]["share"] > 0.25'
run mean --manifold ring.manifold --time 0.5 --force near.csv
check "most rows beyond: --force" test "$status" -eq 0
run mixture --manifold ring.manifold -k 1 --json near.csv
check "a mixture by the expansion" as_json "$out" 'r["score"] == "expansion" and r["beyond_validity"]["rows"] == 0'
run kmeans --manifold ring.manifold -k 1 --kind diffusion --restarts 1 --json near.csv
check "centres by the expansion" as_json "$out" 'r["score"] == "expansion" and "beyond_validity" in r'

# Nearly uniform rows have no time that the expansion knows.
cat >ellipsoid.manifold <<'END'
coordinates x y z
constraint = x^2 + y^2 + (z/0.6)^2 - 1
compact    = yes
start      = 1, 0, 0
END
manistat sample --manifold ellipsoid.manifold --time 5 -n 60 --seed 3 >far.csv
run mean --manifold ellipsoid.manifold --score expansion --json far.csv
check "a time beyond the expansion: status" test "$status" -eq 1
check "a time beyond the expansion: none" as_json "$out" \
    'r["time"] is None and r["time_limit"] == "long" and r["log_likelihood"] is None and r["mean_standard_error"] is None'
check "a time beyond the expansion: message" grep -q "longer ones than those for which the expansion holds; --score pde or spectral" "$err"
manistat sample --manifold ellipsoid.manifold --time 0.3 -n 60 --seed 3 >heap.csv
run mean --manifold ellipsoid.manifold --score expansion --force --json heap.csv
check "a time within it" as_json "$out" 'r["converged"] and 0.2 < r["time"] < 0.45 and r["mean_standard_error"] > 0'

# More dimensions: the three-sphere by its equation.
cat >ball.manifold <<'END'
coordinates x y z w
constraint = x^2 + y^2 + z^2 + w^2 - 1
compact   = yes
start     = 1, 0, 0, 0
END
run heat --manifold ball.manifold --json <<<1,0,0,0,0,1,0,0,0.1
check "three dimensions by the engine" as_json "$out" \
    'r["score"] == "expansion" and r["validity"][0] < 0.01 and abs(r["score_1"][0] - 15.0713) < 1e-3'
cat >wide.manifold <<'END'
coordinates x[13]
metric = 1 + x[1]^2
start  = 0
END
run heat --manifold wide.manifold --score expansion <<<0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.1
check "none beyond twelve: status" test "$status" -eq 3
check "none beyond twelve: message" grep -q "of up to 12 dimensions" "$err"

# Steps by a retraction end in the same place.
run mean --manifold ring.manifold --retract --json near.csv
check "steps by a retraction" test "$status" -eq 0
cp "$out" retracted.json
run mean --manifold ring.manifold --json near.csv
check "end in the same place" as_json "$out" \
    'all(abs(a - b) < 1e-8 for a, b in zip(r["mean"], json.load(open("retracted.json"))["mean"]))'

# Positive definite matrices, where it must be asked for.
run heat --manifold spd:3 --score expansion --json <<<1,0,0,0,1,0,0,0,1,2,0,0,0,2,0,0,0,2,0.1
check "matrices: along the line of multiples it is a Gaussian" as_json "$out" \
    'r["validity"][0] < 0.01 and abs(r["score_1"][0] + 2 * math.log(2) / 0.1) < 1e-9'
run heat --manifold spd:3 <<<1,0,0,0,1,0,0,0,1,2,0,0,0,2,0,0,0,2,0.1
check "matrices: only if asked" test "$status" -eq 3
