# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors

# Geodesics and paths that leave the domain of a manifold from formulas.

cat >disc.manifold <<'END'
coordinates x y
domain x^2 + y^2 < 1
metric = 1
start = 0, 0
END
cat >ball.manifold <<'END'
coordinates x y z
constraint = x^2 + y^2 + z^2 - 1
domain z > 0
start = 0, 0, 1
END
printf '0,0,0,0\n0,0,2,0\n0.5,0.25,0,0\n' >rows.csv

run exp --manifold disc.manifold rows.csv
printf '0,0\nnan,nan\n0.5,0.25\n' >expected
check "rows that leave are nan" cmp -s expected "$out"
check "the exit status is 1" test "$status" -eq 1
check "one line tells how many" grep -q '^manistat exp: 1 of 3 rows have no answer and are nan (the first is 2: left the domain)$' "$err"
run exp --manifold disc.manifold rows.csv --status
printf '0,0,arrived\nnan,nan,left the domain\n0.5,0.25,arrived\n' >expected
check "--status says why" cmp -s expected "$out"
run exp --manifold disc.manifold rows.csv --json
check "JSON says why" as_json "$out" 'r["status"] == ["arrived", "left the domain", "arrived"] and r["y_1"] == [0, None, 0.5]'
refuses "no words in NPY" 3 "NPY files hold numbers and no words" exp --manifold disc.manifold rows.csv --status -o ends.npy
echo 0,0,1,1,0,0 >pole.csv
run exp --manifold sphere:2 pole.csv --json
check "where every row has an answer JSON has no status" as_json "$out" '"status" not in r'
run exp --manifold sphere:2 pole.csv --status
check "unless it is asked for" grep -q ',arrived$' "$out"

# Up to a thousandth of the paths may be lost.
run sample --manifold disc.manifold --time 0.05 -n 20000 --steps 10 --status
lost=$(grep -c '^nan,nan,left the domain$' "$out")
check "few lost paths are a warning" test "$status" -eq 1 -a "$lost" -gt 0 -a "$lost" -le 20
check "that tells their number" grep -q "^manistat sample: $lost of 20000 paths left the domain" "$err"
check "and all other rows arrived" test "$(grep -c ',arrived$' "$out")" -eq $((20000 - lost))
run sample --manifold disc.manifold --time 0.05 -n 20000 --steps 10 --threads 1 --json
check "JSON has the status of each" as_json "$out" "r['status'].count('left the domain') == $lost == r['x_1'].count(None)"
for method in tangent chart; do
    refuses "too many with $method" 3 'of 500 paths left the domain of disc.manifold, more than 0.1 %; take .*--time' sample --manifold disc.manifold --time 0.5 -n 500 --method $method
done
refuses "too many on a constraint" 3 'left the domain of ball.manifold' sample --manifold ball.manifold --time 1 -n 200 --steps 4
refuses "a constraint has no coordinates to step in" 3 'ball.manifold has no coordinates to step in.*take --method tangent' sample --manifold ball.manifold --time 1 --method chart
run sample --manifold disc.manifold --time 0.05 -n 20000 --steps 4 --paths --status
check "paths keep what came before" test "$status" -eq 1 -a "$(grep -c ',0,0,0,arrived$' "$out")" -eq 20000

# A training leaves out what it cannot use, and fails where that is too much.
small=(train --manifold disc.manifold --t-min 0.005 --steps 2 --batch 1024 --width 16 --depth 2)
run "${small[@]}" --t-max 0.035 -o model.safetensors
check "few lost samples are told" test "$status" -eq 0 -a "$(grep -c 'left out  [1-9][0-9]* samples, whose paths left the domain' "$out")" -eq 1
run info model.safetensors --json
check "the model says so, too" as_json "$out" '0 < r["left"] <= 131'
refuses "too many lost samples" 3 'samples are of paths that left the domain of disc.manifold, more than 0.1 %; take a smaller --t-max' "${small[@]}" --quiet --t-max 0.1 -o other.safetensors
