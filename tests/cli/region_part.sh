# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors

# Regions where scores balance: semi-axes, edge and picture; and --holds for regions of every kind.

run sample --manifold sphere:2 --time 0.3 -n 20 --seed 3
cp "$out" twenty.csv
run mean --manifold sphere:2 twenty.csv
check "what holds the region" grep -Eq '^ +within 0\.[0-9]+ by 0\.[0-9]+ radians, [0-9.]+ by [0-9.]+ degrees \(semi-axes\)$' "$out"
run mean --manifold sphere:2 --json -o twenty.json twenty.csv
check "JSON: axes with directions" as_json twenty.json "r['region_kind'] == 'score' and r['region_semi_axes'][0] >= r['region_semi_axes'][1] > 0.1 and all(abs(sum(a * b for a, b in zip(u, v)) - (u is v)) < 1e-9 for u in r['region_directions'] for v in r['region_directions']) and 'missing_axes' not in r"
check "JSON: a closed curve" as_json twenty.json "len(r['region_boundary']) == 1 and len(r['region_boundary'][0]['points']) > 16 and r['region_boundary'][0]['points'][0] == r['region_boundary'][0]['points'][-1]"
check "the curve is within" as_json twenty.json "all(sum((math.acos(min(1, sum(a * b for a, b in zip(p, r['mean'])))) * sum(a * b for a, b in zip(p, d)) / math.sqrt(1 - sum(a * b for a, b in zip(p, r['mean'])) ** 2) / s) ** 2 for d, s in zip(r['region_directions'], r['region_semi_axes'])) <= 1.0 for p in r['region_boundary'][0]['points'])"
run plot twenty.json --no-data -o twenty.svg
check "a picture without the data has the edge" bash -c "grep -c '<path' twenty.svg && ! grep -q 'No confidence region' twenty.svg"
run report twenty.json -o region.html
check "a report has the semi-axes, and draws the edge" bash -c "grep -q 'data-key=\"region_semi_axes\"' region.html && grep -q 'Closed lines are regions' region.html"

# The region of the same twenty rows, asked for points.
run mean --manifold sphere:2 --holds 0,0,1 --holds=1,0,0 --holds twenty.csv twenty.csv
check "--holds in words" bash -c "grep -Eq '^  region holds    yes, 0, 0, 1$' '$out' && grep -Eq '^ +no, 1, 0, 0$' '$out' && grep -Eq '^ +[0-9]+ of 22 points$' '$out'"
run mean --manifold sphere:2 --json --holds 0,0,1 --holds 1,0,0 twenty.csv
check "--holds in JSON" as_json "$out" "[h['held'] for h in r['holds']] == [True, False] and r['holds'][1]['point'] == [1, 0, 0] and 'holds_unknown' not in r"
run mean --manifold sphere:2 --json --holds twenty.csv --holds 0,0,1 twenty.csv
check "its files are inputs" as_json "$out" "[i['option'] for i in r['made_by']['inputs']] == [None, '--holds']"
run mean --manifold sphere:2 --json --by <(printf 'a\nb\n%.0s' $(seq 10)) --holds 0,0,1 twenty.csv
check "--holds of groups" as_json "$out" "all(len(g['holds']) == 1 and g['holds'][0]['held'] in (True, False) for g in r['groups'])"
refuses "--holds needs points" 2 "neither numbers joined by commas nor a file" mean --manifold sphere:2 --holds nothing.here twenty.csv
refuses "--holds needs points of the manifold" 2 "^manistat mean: --holds: 2 columns" mean --manifold sphere:2 --holds 1,0 twenty.csv

# The mean itself is held and one far away is not: ellipsoids of matrices, landmarks, products.
while read -r spec time far; do
    run sample --manifold "$spec" --time "$time" -n 40 --seed 2
    cp "$out" rows.csv
    run mean --manifold "$spec" --kind frechet --json rows.csv
    mean=$(python3 -c 'import json, sys; print(",".join(repr(v) for v in json.load(open(sys.argv[1]))["mean"]))' "$out")
    run mean --manifold "$spec" --kind frechet --json --holds "$mean" --holds "$far" rows.csv
    check "--holds on $spec" as_json "$out" "r['region_kind'] == 'ellipsoid' and [h['held'] for h in r['holds']] == [True, False]"
done <<'LIST'
spd:2 0.05 3,0,0,3
product(sphere:2,euclidean:1) 0.05 1,0,0,2
landmarks:2x2?sigma=1 0.01 0,0,3,3
LIST
# Everything is held by the whole space, and nothing is known without a region.
run sample --manifold sphere:50 --time 0.3 -n 300 --seed 3
cp "$out" nothing.csv
run mean --manifold sphere:50 --json --holds nothing.csv nothing.csv
check "--holds of the whole space" as_json "$out" "r['region_kind'] == 'whole' and all(h['held'] for h in r['holds'])"
run mean --manifold euclidean:2 --json --holds 0,0 <(printf '1,2\n')
check "--holds without a region" as_json "$out" "r['holds'][0]['held'] is None and 'no confidence region' in r['holds_unknown']"
