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
printf '0.1\n0.2\n0.3\n3.3\n3.4\n3.2\n0\n3.1\n0.15\n3.35\n0.05\n3.15\n' >axes.csv
run test --uniform --manifold circle axes.csv
check "axes: told" grep -q "not uniform, but they have no mean" "$out"
refuses "no uniform law" 3 "no uniform law" test --uniform --manifold euclidean:1 few.csv
refuses "two files" 2 "one sample" test --uniform --manifold circle few.csv axes.csv
run mean --manifold euclidean:1 --json few.csv
check "flat space has no uniformity" as_json "$out" "'uniformity' not in r and r['warnings'] == []"
