# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors

# Data that say nothing: the test of uniformity, and means that admit it.

# 2000 points on S^50 at time 0.3 are uniform for all that they show.
run sample --manifold sphere:50 --time 0.3 -n 2000 --seed 3
cp "$out" nothing.csv
run mean --manifold sphere:50 nothing.csv
check "nothing: status 0" test "$status" -eq 0
check "nothing: a warning says so" grep -q "cannot be told from the uniform law" "$err"
check "nothing: no standard error" grep -q "standard error  none" "$out"
run mean --manifold sphere:50 --json nothing.csv
check "nothing: in JSON" as_json "$out" "r['uniformity']['p_value'] > 0.05 and r['uniformity']['statistic'] > 0 and 'maybe-uniform' in r['warnings'] and r['mean_standard_error'] is None and r['mean_covariance'] is None and 0 < r['time'] < 0.2"
check "nothing: the region is everything, the interval endless" as_json "$out" "r['region_kind'] == 'whole' and r['region_share'] == 1 and r['time_interval'][0] < 0.3 and r['time_interval'][1] is None and 'hardly-determined' in r['warnings']"
run mean --manifold sphere:50 --kind frechet --json nothing.csv
check "nothing: Frechet too" as_json "$out" "'maybe-uniform' in r['warnings'] and r['mean_standard_error'] is None"

run test --uniform --manifold sphere:50 --json nothing.csv
check "test --uniform" as_json "$out" "r['hypothesis'] == 'uniform' and r['n'] == 2000 and r['p_value'] > 0.05 and r['degrees_of_freedom'] == 51 and r['axial']['degrees_of_freedom'] == 1325"
check "test --uniform: status 0 and silence" test "$status" -eq 0 -a ! -s "$err"
printf '0.1\n0.2\n0.3\n0.5\n' >few.csv
run test --uniform --manifold circle few.csv
check "few points: simulated" grep -q "against simulated uniform samples" "$out"
check "few points: rejected" grep -Eq "p-value +0\.0" "$out"
run test --uniform --manifold circle <(seq 0.001 0.001 0.008)
check "a floor of the simulation is said to be one" grep -Eq '^p-value +<= 0.0005$' "$out"
run mean --manifold circle <(seq 0.001 0.001 0.008)
check "a floor of the simulation in a mean" grep -Eq 'uniform law +p-value <= 0.0005$' "$out"
run mean --manifold circle --json <(seq 0.001 0.001 0.008)
check "a floor of the simulation in a mean, in JSON" as_json "$out" "r['uniformity']['p_value_is_floor'] is True"
run test --uniform --manifold circle <(seq 0.001 0.001 2)
check "no p-value is 0" grep -Eq '^p-value +<= 1e-300$' "$out"
printf '0.1\n0.2\n0.3\n3.3\n3.4\n3.2\n0\n3.1\n0.15\n3.35\n0.05\n3.15\n' >axes.csv
run test --uniform --manifold circle axes.csv
check "axes: told" grep -q "not uniform, but they have no mean" "$out"
run mean --manifold circle --kind frechet --json axes.csv
check "axes: no mean, and not uniform" as_json "$out" "'maybe-uniform' in r['warnings'] and r['uniformity']['axial_p_value'] < 0.01"
check "axes: said so" bash -c "grep -q 'about opposite points are alike' '$err' && ! grep -q 'cannot be told' '$err'"
# A factor that says nothing among others that do.
run sample --manifold sphere:2 --time 50 -n 100 --seed 6
cp "$out" all.csv
run sample --manifold euclidean:1 --time 0.1 -n 100 --seed 4
paste -d, all.csv "$out" >partly.csv
run mean --manifold 'product(sphere:2,euclidean:1)' partly.csv
check "a uniform factor: named" grep -q "coordinates 1 to 3 of the points cannot be told from the uniform law" "$err"
check "a uniform factor: in the table" grep -Eq "uniform law +p-value 0\.[0-9]+ in coordinates 1 to 3: not rejected" "$out"
run mean --manifold 'product(sphere:2,euclidean:1)' --kind frechet --json partly.csv
check "a uniform factor: in JSON" as_json "$out" "r['uniform_part']['first'] == 1 and r['uniform_part']['coordinates'] == 3 and r['uniform_part']['p_value'] > 0.05 and 'uniform-part' in r['warnings'] and r['unique'] is None"
# Errors of the model where the points do not follow it.
{ seq -f '0.0%g' 1 40; seq -f '-0.0%g' 1 40; printf '9\n-9\n8\n-8\n'; } >tails.csv
run mean --manifold euclidean:1 tails.csv
check "heavy tails: the errors of the model are doubted" grep -q "not spread like Brownian motion" "$err"
run mean --manifold euclidean:1 --covariance sandwich tails.csv
check "heavy tails: of the sandwich the time is" bash -c "! grep -v 'rows lie farther out.*they carry the time' '$err'"
run mixture --manifold sphere:2 -k 1-2 --restarts 2 -o labels.csv all.csv
check "no components: the uniform law in the table" grep -Eq "^0 +-253.102.* uniform law, the least of all" "$out"
check "no components: said so" grep -q "the uniform law has a lower BIC" "$err"
# Weights are counts, or relative; rows of a cluster are one.
run sample --manifold circle --time 3 -n 20 --seed 5
cp "$out" rows.csv
cat rows.csv rows.csv rows.csv >thrice.csv
run test --uniform --manifold circle --json thrice.csv
cp "$out" thrice.json
yes 3 | head -20 >threes.txt
run test --uniform --manifold circle --json --weights threes.txt rows.csv
check "weights are counts" as_json "$out" "math.isclose(r['p_value'], json.load(open('thrice.json'))['p_value']) and r['effective_n'] == 60 and r['n'] == 20"
run test --uniform --manifold circle --json rows.csv
cp "$out" once.json
run test --uniform --manifold circle --json --weights threes.txt --weights-are relative rows.csv
check "relative ones are not" as_json "$out" "math.isclose(r['p_value'], json.load(open('once.json'))['p_value']) and math.isclose(r['effective_n'], 20)"
run test --uniform --manifold circle --cluster <(seq 20; seq 20; seq 20) thrice.csv
check "copies are no evidence" bash -c "grep -Eq '^worth +20 independent rows' '$out'"
refuses "a method of samples" 2 'leave out --method' test --uniform --manifold circle --method lr few.csv
refuses "groups" 2 'leave out --by' test --uniform --manifold circle --by threes.txt rows.csv
refuses "weights of samples" 2 'leave out --weights' test --manifold circle --weights threes.txt few.csv axes.csv
refuses "no uniform law" 3 "no uniform law" test --uniform --manifold euclidean:1 few.csv
refuses "two files" 2 "one sample" test --uniform --manifold circle few.csv axes.csv
run mean --manifold euclidean:1 --json few.csv
check "flat space has no uniformity" as_json "$out" "'uniformity' not in r and r['warnings'] == []"
