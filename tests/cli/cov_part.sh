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

# From signals to covariances. npy FILE SHAPE EXPRESSION: the numbers of a Python expression as an array.
npy() {
    python3 - "$@" <<'END'
import random
import struct
import sys

random.seed(3)
numbers = eval(sys.argv[3])
head = "{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }" % sys.argv[2]
head += " " * (117 - len(head)) + "\n"
with open(sys.argv[1], "wb") as f:
    f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack("<%dd" % len(numbers), *numbers))
END
}

# Two channels 2,-2,0,0 and 0,0,1,-1, twice: sums of squares 16 and 4 over seven.
printf '%s\n' Fz,Cz 2,0 -2,0 0,1 0,-1 2,0 -2,0 0,1 0,-1 >signals.csv
npy signals.npy "1, 2, 8" "[2, -2, 0, 0, 2, -2, 0, 0, 0, 0, 1, -1, 0, 0, 1, -1]"
npy turned.npy "1, 8, 2" "[2, 0, -2, 0, 0, 1, 0, -1] * 2"
npy recording.npy "2, 8" "[2, -2, 0, 0, 2, -2, 0, 0, 0, 0, 1, -1, 0, 0, 1, -1]"
echo 2.2857142857142856,0,0.5714285714285714 >expected
for how in signals.csv signals.npy "turned.npy --transpose" recording.npy; do
    # shellcheck disable=SC2086
    succeeds "covariance of $how" cov --quiet $how
    check "the covariance of $how" close_to expected "$out" 1e-15
done
echo 2,0,0.5 >expected
run cov --quiet --divisor samples signals.csv
check "divided by the number of samples" close_to expected "$out" 0
run cov --quiet --centre none signals.csv
check "about zero" close_to expected "$out" 0
prints "standard input" "2,0,0.5" 0 cov --quiet --centre none - <signals.csv
run cov --window 4 --step 2 signals.csv
check "three windows" test "$(wc -l <"$out")" -eq 3
check "what was done" grep -q "3 covariances of 2 channels from 4 samples each (mean subtracted, divided by 3)" "$err"
run cov --window 3 signals.csv
check "what is left over" grep -q "2 samples at the end of the recording are in no window" "$err"
# By hand: with the divisor 8, Ledoit and Wolf (8.5 - 4.25)/8/1.125, OAS 6.25/(8 1.125).
for case in "ledoit-wolf 0.4722222222222222" "oas 0.6944444444444444" "0.5 0.5"; do
    kind=${case% *}
    run cov --shrink "$kind" --centre none --json signals.csv
    check "the intensity of $kind" as_json "$out" "abs(r['intensities'][0] - ${case#* }) < 1e-15 and r['shrink']['rows'] == 1"
    check "the trace stays with $kind" as_json "$out" "abs(r['covariances'][0][0] + r['covariances'][0][2] - 2.5) < 1e-15"
    check "the larger one with $kind" as_json "$out" "abs(r['covariances'][0][0] - 1.25 - 0.75 * (1 - ${case#* })) < 1e-15"
done
run cov --json --window 4 signals.csv
check "JSON" as_json "$out" "r['n'] == 2 and r['channels'] == 2 and r['samples'] == 4 and r['divisor'] == 3 and r['centre'] == 'mean' and r['ranks'] == [2, 2] and r['epochs'] == [1, 2] and 'shrink' not in r"

# The way of a user without Python, and that of one who has average references.
npy epochs.npy "30, 4, 60" "[random.gauss(0, 1e-13) for _ in range(30 * 4 * 60)]"
succeeds "epochs to a file" cov --quiet epochs.npy -o covs.npy --report report.csv
succeeds "and to a mean" mean --manifold spd:4 --kind frechet covs.npy
check "a report" test "$(head -2 report.csv | tr '\n' ' ')" = "epoch,rank,intensity 1,4,0 "
run cov --quiet epochs.npy
mv "$out" covs.csv
run mean --manifold spd:4 --kind frechet --json covs.csv
cp "$out" text.json
run mean --manifold spd:4 --kind frechet --json covs.npy
check "triangles are the same matrices" as_json text.json "r['mean'] == json.load(open('$out'))['mean'] and r['converged']"
npy referenced.npy "5, 3, 40" "[x for _ in range(5) for a, b in [[[random.gauss(0, 1) for _ in range(40)] for _ in range(2)]] for c in (a, b, [-u - v for u, v in zip(a, b)]) for x in c]"
run cov referenced.npy -o singular.npy
check "singular covariances" grep -q "warning: 5 of 5 covariances are singular (the first is that of epoch 1, of rank 2 instead of 3; the channels sum to zero, as with an average reference).*--shrink" "$err"
check "are written all the same" test "$status" -eq 0 -a -s singular.npy
succeeds "shrunk ones are not" cov --quiet --shrink ledoit-wolf referenced.npy -o shrunk.npy
succeeds "and have a mean" mean --manifold spd:3 --kind frechet shrunk.npy
npy bad.npy "2, 4, 6" "[1, 2, 3, 5, 4, 0, 7, 7, 7, 7, 7, 7, -2, -4, -6, -10, -8, 0, 1, 0, 0, 2, 0, 1] + [random.gauss(0, 1) for _ in range(24)]"
run cov bad.npy
check "constant channels" grep -q "warning: constant channels: 2 in 1 of 2 epochs" "$err"
check "copies" grep -q "warning: channels that are copies, up to a factor: 3 of 1 in 1 of 2 epochs" "$err"
check "one is singular" grep -q "warning: 1 of 2 covariances are singular (the first is that of epoch 1, of rank 2 instead of 4)" "$err"
run cov --json bad.npy
check "faults in JSON" as_json "$out" "r['singular'] == 1 and r['constant_channels'] == [2] and r['copied_channels'] == [3] and r['ranks'] == [2, 4]"
run cov --window 2 signals.csv
check "few samples" grep -q "warning: 2 samples for 2 channels: the rank is 1 at most" "$err"
run cov <(sed 's/Fz/time/' signals.csv)
check "a column of times" grep -q "warning: the first column is called time" "$err"
printf '%s\n' a,b 1,2 3,nan 5,7 6,1 >missing.csv
refuses "a missing number" 2 'missing.csv, channel 2 "b", sample 2 \(line 3\): nan is not a finite number; --drop-missing' cov missing.csv
run cov --drop-missing --window 2 missing.csv
check "windows with one are left out" grep -q "1 of 2 have numbers that are not finite and are left out" "$err"
refuses "nothing is left" 2 "every epoch has numbers that are not finite" cov --drop-missing missing.csv
npy nans.npy "1, 2, 3" "[1, 2, 3, 4, float('nan'), 6]"
refuses "in an epoch" 2 "nans.npy, epoch 1, channel 2, sample 2: nan" cov nans.npy
refuses "windows of epochs" 2 "\-\-window cuts one recording; epochs.npy holds 30 epochs already" cov --window 10 epochs.npy
refuses "windows too long" 2 "\-\-window 9 is longer than the recording: signals.csv has 2 channels of 8 samples" cov --window 9 signals.csv
refuses "steps without windows" 2 "\-\-step .* needs --window" cov --step 9 signals.csv
npy four.npy "1, 2, 2, 1" "[1, 2, 3, 4]"
refuses "too many axes" 2 "four.npy has 4 axes, of shape \(1, 2, 2, 1\)" cov four.npy
refuses "no file" 2 "cannot read none.npy" cov none.npy
refuses "a file in the way" 3 "covs.npy exists" cov epochs.npy -o covs.npy
refuses "what is no share" 2 "\-\-shrink must be" cov --shrink lots signals.csv
refuses "one sample" 2 "one sample does not vary" cov <(head -2 signals.csv)
refuses "squares beyond double" 3 "window 1: channel 1 is too large" cov <(printf '1e200,1\n-1e200,2\n')
npy tiny.npy "1, 2, 4" "[1e-160, 2e-160, 0, 1e-161, 1, 2, 3, 5]"
refuses "squares below double" 3 "epoch 1: channel 1 is too small" cov tiny.npy
