# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors

# The paper's tables, the published baselines and the metric that its P(n) were drawn with.
cd "$(mktemp -d -p "$scratch")" || exit 2

# One row, with a network too short to be good for anything but its course.
quick=(--rows S2 --steps 40 --paths 2 --threads 1 --models models)
run reproduce table1 "${quick[@]}" --json
check "a row of table 1" as_json "$out" "r['table'] == 'table1' and len(r['rows']) == 1"
check "it says what it is" as_json "$out" "[r['rows'][0][k] for k in ('row', 'manifold', 'data', 'reference')] == ['S2', 'sphere:2', 'simulated', 'exact']"
check "what the paper says" as_json "$out" "r['rows'][0]['paper_mean'] == 0.0022 and r['rows'][0]['paper_time'] == 0.0096"
check "the exact estimate is near the truth" as_json "$out" "r['rows'][0]['exact_from_start'] < 4 * r['rows'][0]['standard_error'] and r['rows'][0]['exact_time_from_start'] < 4 * r['rows'][0]['time_standard_error']"
check "bridges are near the exact estimate" as_json "$out" "0 < r['rows'][0]['bridge_mean'] < r['rows'][0]['standard_error'] and r['rows'][0]['bridge_time'] < r['rows'][0]['time_standard_error']"
check "converged baselines are not those as published" as_json "$out" "r['rows'][0]['frechet_converged'] < 0.15 and r['rows'][0]['frechet_published'] > 2 * r['rows'][0]['frechet_converged']"
check "the network is kept" test -s models/S2.safetensors
cp "$out" first.json
touch -r models/S2.safetensors before
run reproduce table1 "${quick[@]}" --format csv
check "and used again" test ! models/S2.safetensors -nt before
check "CSV has a header and a row" bash -c "test \$(wc -l <'$out') -eq 2 && head -1 '$out' | grep -q '^row,manifold,data,reference,dim,n,paper_mean,'"
check "CSV is the same as JSON" python3 -c "
import csv, json
row = next(csv.DictReader(open('$out')))
want = json.load(open('first.json'))['rows'][0]
assert all(float(row[k]) == want[k] for k in ('network_mean', 'network_time', 'bridge_mean', 'time'))
assert row['data'] == 'simulated'"
run reproduce table1 "${quick[@]}" --paths 0 --format latex -o table.tex
check "LaTeX marks what is simulated" grep -q '^S2\$^\*\$ & 2 & 1000 & 0.0022 & ' table.tex
check "without bridges" grep -q ' & -- & ' table.tex
run reproduce table2 --rows DTI --quiet
check "measured data are not simulated" grep -q "DTI: --data has no" "$out"
refuses "an unknown table" 2 "table1, table2, timing or figures" reproduce table7
refuses "an unknown row" 2 "has no row S4; it has R2, R3" reproduce table1 --rows S2,S4
refuses "a lone bridge" 2 "two bridges" reproduce table1 --paths 1
refuses "no such data" 2 "is no directory" reproduce table1 --data nowhere
refuses "two forms" 2 "exclude each other" reproduce table1 --json --format csv

# Figures: of simulated data, those that lack data left out, and what is there not made again.
run reproduce figures --only regression,dti --out figures --threads 1 --pictures svg --json
check "a figure" as_json "$out" "[f['figure'] for f in r['figures']] == ['dti', 'regression'] and r['figures'][1]['file'] == 'figures/regression.svg' and r['figures'][1]['steps_done'] == 3"
check "one without its data" as_json "$out" "r['figures'][0]['file'] is None and 'pass --data DIR' in r['figures'][0]['note'] and r['figures'][0]['steps_done'] == 0"
check "the picture" grep -q "<title>Geodesic regression on the sphere</title>" figures/regression.svg
check "points, curve and band" python3 -B "$here/../plot/svg.py" figures/regression.svg "points('0072b2') == 121 and 'Simulated data. n = 120' in caption"
rm figures/regression.svg figures/results/regression.json
run reproduce figures --only regression --out figures --threads 1 --pictures svg --json
check "it goes on where it was" as_json "$out" "r['figures'][0]['steps_done'] == 1"
mkdir -p data/synthetic && printf 'no numbers\n' >data/synthetic/LM2.csv
run reproduce figures --only landmarks,regression --data data --out figures --pictures svg --quiet
check "one that fails" test "$status" -eq 2
check "says why, and the others are made" bash -c "grep -q '^landmarks .*failed: landmarks, landmarks.json:' '$out' && grep -q 'figures/regression.svg' '$out'"
check "and leaves nothing half done" test ! -e figures/results/landmarks.json -a ! -e figures/results/landmarks.json.part
refuses "figures chosen of a table" 2 "--rows chooses rows of a table" reproduce table1 --only S2
refuses "rows chosen of figures" 2 "--only chooses figures" reproduce figures --rows S2
refuses "an unknown figure" 2 "there is no figure nose; there are method, butterflies" reproduce figures --only nose

# The published steps: a hundred of 0.01, from 10 toward 0. Normalised, each is as long; plain, it shrinks by a hundredth.
printf -- '-1\n1\n' >pair.csv
steps=(mean --manifold euclidean:1 --kind frechet --method gradient --rate 0.01 --iterations 100 --starts 1 --start 10 --json pair.csv)
run "${steps[@]}" --normalise
check "normalised steps" as_json "$out" "abs(r['mean'][0] - 9) < 1e-12 and not r['converged'] and r['iterations'] == 100"
run "${steps[@]}"
check "plain steps" as_json "$out" "abs(r['mean'][0] - 10 * 0.99**100) < 1e-12"
run mean --manifold euclidean:1 --method gradient --rate 0.01 --iterations 1 --starts 1 --start 0 --start-time 0.5 --json pair.csv
# d/dt of the mean log-likelihood is (1/t - 1) / 2t = 1 at t = 0.5.
check "the first time" as_json "$out" "abs(r['time'] - 0.5 * math.exp(0.01 / 0.5)) < 1e-12"
refuses "steps that newton has not" 2 "for --method gradient" mean --manifold euclidean:1 --normalise pair.csv
refuses "a rate that newton has not" 2 "for --method gradient or adam" mean --manifold euclidean:1 --rate 0.5 pair.csv

# The flat metric of positive definite matrices.
printf '10,0,10\n11,1,9\n9,-1,11\n10,1,10\n10,-1,10\n' >far.csv
run mean --manifold 'spd:2?metric=frobenius' --json far.csv
check "flat matrices" as_json "$out" "r['mean'] == [10, 0, 0, 10] and abs(r['time'] - (4 + 4 * 2) / 15) < 1e-12 and 'near-border' not in r['warnings']"
printf '1,0,1\n2,1,1.5\n0.5,-0.2,1\n1,0.5,1\n1,-0.5,1\n' >near.csv
run mean --manifold 'spd:2?metric=frobenius' --json near.csv
check "near the border" as_json "$out" "'near-border' in r['warnings']"
check "and why" grep -q "ends outside the positive definite matrices" "$err"
# The metric of Bures and Wasserstein: numbers have the mean of their roots, squared; it ends at the singular matrices.
printf '1\n4\n9\n' >numbers.csv
run mean --kind frechet --manifold 'spd:1?metric=bures' --json numbers.csv
check "mean of roots" as_json "$out" "abs(r['mean'][0] - 4) < 1e-12 and r['manifold'] == 'spd:1?metric=bures-wasserstein'"
run exp --manifold 'spd:2?metric=bures' <<<1,0,0,1,-3,0,0,0
check "a geodesic of Bures that leaves" bash -c "test $status -eq 1 && grep -q nan '$out' && grep -q 'left the domain' '$err'"
printf '1,0,1e-14\n2,0,4e-14\n1.5,0,2e-14\n3,0,1e-14\n' >thin.csv
refuses "a mean at the border" 2 "come to the border of spd:2" mean --kind frechet --manifold 'spd:2?metric=bures' thin.csv
printf '1,0,1e-6\n2,0,4e-6\n1.5,0,2e-6\n3,0,1e-6\n' >thin.csv
run mean --kind frechet --manifold 'spd:2?metric=bures' --json thin.csv
check "a region over the border" as_json "$out" "'region-over-border' in r['warnings']"
refuses "no kernel" 3 "no closed-form heat kernel" heat --manifold 'spd:2?metric=bures' --time 1 <<<1,0,0,1,1,0,0,1
refuses "a metric that is none" 2 "log-cholesky, bures-wasserstein and frobenius, not" dist --manifold 'spd:2?metric=bure' <<<1
run exp --manifold 'spd:1?metric=frobenius' <<<1,-2
check "a geodesic that leaves" bash -c "test $status -eq 1 && grep -qx nan '$out' && grep -q 'left the domain' '$err'"
