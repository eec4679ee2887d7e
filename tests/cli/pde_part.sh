# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors

# The heat equation as a score source.

cat >ring.manifold <<'END'
coordinates u v
period    u 2*pi
period    v 2*pi
embedding = (1 + 0.5*cos(v))*cos(u), (1 + 0.5*cos(v))*sin(u), 0.5*sin(v)
compact   = yes
start     = 0, 0
END
printf '0,0,0.3,0.2,2\n0,0,3.1,3.1,2\n0,0,3.1,3.1,0.0001\n' >pairs.csv

run heat --manifold ring.manifold --score 'pde?grid=0.7' --json pairs.csv
check "the expansion's corner is answered, far pairs at tiny times are not" test "$status" -eq 1
check "JSON has validity and status" as_json "$out" \
    'r["score"].startswith("pde") and r["validity"][0] < 0.01 and r["validity"][1] < 0.01 and r["logp"][2] is None and r["status"][2].startswith("beyond the grid")'
check "long after it is almost uniform" as_json "$out" \
    'abs(r["logp"][0] - r["logp"][1]) < 3 and abs(r["logp"][1] + 3.5) < 1.5'
run heat --manifold ring.manifold --score 'pde?grid=0.7' --force pairs.csv
check "--force prints the best values" test "$status" -eq 0 -a "$(grep -c nan "$out")" -eq 0

printf '0.1,0.2\n0.6,-0.4\n-0.5,0.9\n0.3,-0.8\n-0.7,0.1\n0.2,0.5\n' >points.csv
run mean --manifold ring.manifold --score 'pde?grid=0.6' --kind diffusion --json points.csv
check "a mean by the heat equation" as_json "$out" \
    'r["score"].startswith("pde") and r["converged"] and 0.03 < r["time"] < 0.5 and r["beyond_validity"]["rows"] == 0'

refuses "a manifold without a chart" 3 "no chart" heat --manifold sphere:2 --score pde <<<0,0,1,1,0,0,0.1
refuses "an option that does not exist" 2 "it has grid, unknowns, memory" heat --manifold ring.manifold --score 'pde?step=2' pairs.csv
refuses "a grid out of range" 2 "0.25 to 8" heat --manifold ring.manifold --score 'pde?grid=100' pairs.csv

manistat train --manifold ring.manifold --steps 1 --width 4 --depth 1 --batch 64 --t-min 0.1 --quiet -o ring.safetensors >/dev/null
refuses "no solution for every point of a check" 2 "--against pde would solve.*use --against bridge" \
    check ring.safetensors --against 'pde?grid=0.7'

# Eigenfunctions of the same surface; rows that say where their mean is, and uniform ones, which say nothing.
run mean --manifold ring.manifold --score spectral --kind diffusion points.csv
check "no word of the uniform law" test "$(grep -c 'from the uniform law' "$err")" -eq 0
run sample --manifold ring.manifold --time 60 -n 60 -o even.csv
run mean --manifold ring.manifold --score spectral --kind diffusion even.csv
check "uniform rows are told" grep -q 'cannot be told from the uniform law\|runs to infinity' "$err"
printf '%s\n' 'coordinates x y z' 'constraint = x^2 + y^2 + (z/0.6)^2 - 1' 'compact = yes' 'start = 1, 0, 0' >egg.manifold
run sample --manifold egg.manifold --time 60 -n 60 -o egg.csv
run mean --manifold egg.manifold --score spectral --kind diffusion --json egg.csv
check "uniform rows have no errors" as_json "$out" \
    '"maybe-uniform" in r["warnings"] and r["mean_standard_error"] is None and r["time_standard_error"] is None and r["time_interval"] is None and "uniform law" in r["missing_errors"]'
run sample --manifold egg.manifold --time 0.5 -n 60 -o near.csv
run mean --manifold egg.manifold --score spectral --kind diffusion --json near.csv
check "others have" as_json "$out" \
    '"maybe-uniform" not in r["warnings"] and 0 < r["mean_standard_error"] < 0.3 and r["time_interval"][1] < 1'
