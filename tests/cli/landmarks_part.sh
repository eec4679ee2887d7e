# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors

# Landmark manifolds: from specs to diffusion means that are examined, and kernels chosen by the data.

crowd='landmarks:3x2?sigma=1'
printf '0,0,1,0,0.5,1\n' >triangle.csv
run sample --manifold "$crowd" --start 0,0,1,0,0.5,1 --time 0.05 -n 40 --seed 5 -o crowd.csv
check "Brownian motion of landmarks" test "$status" -eq 0
run mean --json --manifold "$crowd" --kind diffusion crowd.csv
check "a diffusion mean, examined" as_json "$out" \
    'r["examination"]["verdict"] == "go" and abs(r["time_corrected"] / (r["time"] * 40 / 39) - 1) < 1e-12 and abs(r["time"] / 0.05 - 1) < 0.3 and r["covariance"] == "sandwich"'
run mean --manifold 'landmarks:3x2?sigma=0.01' --kind diffusion crowd.csv
check "a flat metric is called so" grep -q 'the metric is flat.*this is the arithmetic mean' "$err"
run mean --json --manifold 'landmarks:3x2?nugget=0.01' --sigma auto --kind diffusion crowd.csv
check "the kernel by the data" as_json "$out" \
    'len(r["kernels"]) == 6 and sum(k["chosen"] for k in r["kernels"]) == 1 and "sigma=" in r["manifold"]'
run mean --json --manifold landmarks:3x2 --sigma 0.7 --nugget 0.1 --kind diffusion crowd.csv
check "numbers go into the spec" as_json "$out" \
    'r["manifold"] == "landmarks:3x2?sigma=0.7&nugget=0.1"'
printf '0,0,1,0,0.5,1\n0,0,0,0,1,1\n' >twins.csv
run mean --manifold "$crowd" twins.csv
check "coincident landmarks are named by row" grep -q 'row 2.*landmarks 1 and 2 coincide.*nugget' "$err"
check "and are bad input" test "$status" -eq 2
succeeds "but not with a nugget" dist --manifold "$crowd&nugget=0.01" triangle.csv twins.csv
for bad in 'sigma=0' 'nugget=-1' 'kernel=cubic' 'width=2'; do
    run dist --manifold "landmarks:3x2?$bad" triangle.csv triangle.csv
    check "$bad is refused" test "$status" -eq 2
done
run mean --manifold landmarks:4x2 crowd.csv
check "too few columns" test "$status" -eq 2
run mean --manifold sphere:2 --sigma auto crowd.csv
check "--sigma is for landmarks" grep -q 'are for landmarks, not for sphere:2' "$err"
for _ in 1 2 3; do echo 0.1,0.2,0.3,0.4,0.5,0.7; done >same.csv
run mean --manifold landmarks:3x2 --sigma auto same.csv
check "--sigma auto of identical rows" grep -q 'all rows are one point, which has no spread to choose a kernel by' "$err"
run mean --manifold landmarks:3x2 --sigma auto <crowd.csv
check "--sigma auto reads a file twice" grep -q 'give a file' "$err"

# One row has no scatter, and says nothing of it.
run mean --manifold 'landmarks:3x2?sigma=0.5' --time 1e-12 <<<-5.13,0.08,-0.03,-0.03,5.04,-0.04
check "a mean of one row" test "$status" -eq 0
# shellcheck disable=SC2016 # for the inner shell
check "without a number that is none" bash -c '! grep -qi nan "$1"' - "$out"

# A kernel that nobody has chosen has to have the scale of the data.
printf '100,200,140,260,180,203\n101,203,143,262,182,201\n104,202,142,263,181,202\n' >pixels.csv
said='pixels.csv, row 1 .line 1.: neighbouring landmarks are 71.* give a width, as in landmarks:3x2.sigma=110$'
for command in mean 'kmeans -k 1' 'dist --all' 'sample --time 1 --start' 'regress --x pixels.csv --y'; do
    read -ra words <<<"$command"
    refuses "pixels with the default kernel: $command" 2 "$said" "${words[0]}" --manifold landmarks:3x2 "${words[@]:1}" pixels.csv
done
refuses "in a test" 2 "$said" test --manifold landmarks:3x2 pixels.csv pixels.csv
refuses "beside a nugget" 2 "$said" mean --manifold 'landmarks:3x2?nugget=0.1' pixels.csv
run mean --manifold 'landmarks:3x2?sigma=0.5' pixels.csv
check "a width that was given is a warning" grep -q 'warning: pixels.csv: neighbouring landmarks are 143 widths' "$err"
check "with a result" test "$status" -eq 0
succeeds "a width of the scale of the data" dist --all --manifold 'landmarks:3x2?sigma=70' pixels.csv
check "is not warned of" test ! -s "$err"
run mean --manifold landmarks:3x2 --sigma auto pixels.csv
check "nor is one that the data choose" grep -qv 'neighbouring landmarks' "$err"
succeeds "data of unit scale keep the default" dist --all --manifold landmarks:3x2 crowd.csv
check "without a word" test ! -s "$err"
printf '1e-3,2e-3,1.4e-3,2.6e-3,1.8e-3,2e-3\n1e-3,2.1e-3,1.4e-3,2.6e-3,1.8e-3,2e-3\n' >metres.csv
refuses "a kernel that is far too wide" 2 'lost in rounding; give a width' mean --manifold landmarks:3x2 metres.csv
