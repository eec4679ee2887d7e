# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors

# Output: files that appear whole or not at all, formats, exit statuses of writing, signals.

base=(sample --manifold sphere:2 --time 0.5)
endless=(sample --manifold spd:3 --time 1 -n 1000000000)

succeeds "a new file" "${base[@]}" -n 5 -o new.csv
check "standard output stays empty" test ! -s "$out"
run "${base[@]}" -n 5
check "the file holds what standard output would" cmp -s "$out" new.csv
refuses "an existing file" 3 "new.csv exists; pass --force to overwrite it$" "${base[@]}" -n 2 -o new.csv
check "it is as before" cmp -s "$scratch/output/new.csv" <(manistat "${base[@]}" -n 5)
succeeds "--force" "${base[@]}" -n 2 -o new.csv --force
check "it is replaced" test "$(wc -l <new.csv)" -eq 2
refuses "an existing file with --json" 3 "exists" "${base[@]}" --json -o new.csv
succeeds "manifolds into a file" manifolds -o manifolds.txt
refuses "an existing file with manifolds" 3 "exists" manifolds -o manifolds.txt
check "manifolds: the file holds what standard output would" cmp -s manifolds.txt <(manistat manifolds)
succeeds "JSON into a file" "${base[@]}" -n 4 --json -o new.json
check "it is JSON" as_json new.json 'len(r["x_1"]) == 4'
succeeds "tabs" "${base[@]}" -n 2 -o new.tsv
check "they are tabs" test "$(tr -cd '\t' <new.tsv | wc -c)" -eq 4
succeeds "NPY" "${base[@]}" -n 7 -o new.npy
manistat "${base[@]}" -n 7 -o seven.csv
succeeds "NPY comes back" dist --manifold sphere:2 new.npy seven.csv
check "NPY holds the same points" test "$(sort -u "$out")" = 0

refuses "a missing directory" 3 "nowhere/x.csv" "${base[@]}" -o nowhere/x.csv
refuses "a directory as file" 3 "directory" "${base[@]}" -o .
refuses "a bad input leaves no file" 2 "good" dist --manifold circle -o unborn.csv <<<"0,good"
refuses "a bad row in the second piece leaves no file" 2 "150002" dist --manifold euclidean:1 -o unborn.csv \
    < <(awk 'BEGIN { for (i = 0; i < 150001; i++) print i ",0"; print "0,x" }')
refuses "a bad row leaves no JSON" 2 "good" dist --manifold circle --json <<<$'0,1\n0,good'
check "nothing was left" test "$(find . -name '*unborn*' | wc -l)" -eq 0
if [ -e /dev/full ]; then
    for arguments in "sample --manifold circle --time 1 -n 100000" "manifolds" "manifolds --json" "--help" "help --man"; do
        # shellcheck disable=SC2086
        manistat $arguments >/dev/full 2>"$err"
        status=$?
        [ "$status" -eq 3 ] && [ "$(wc -l <"$err")" -eq 1 ]
        verdict "full disk: $arguments" $?
    done
fi
succeeds "a device is written directly" "${base[@]}" -n 3 -o /dev/null

# The reader of a pipe leaves: no complaint.
manistat "${endless[@]}" --steps 1 2>"$err" | head -n 1 >"$out"
status=${PIPESTATUS[0]}
[ "$status" -eq 3 ] && [ ! -s "$err" ] && [ "$(wc -l <"$out")" -eq 1 ]
verdict "head closes the pipe" $?
(sleep 0.2; manistat --help 2>"$err"; echo $? >pipe_status) | true
check "help into a closed pipe" test ! -s "$err"

# started ARGUMENTS: runs manistat in the background and waits until it works, its number is in $process.
started() {
    mkdir -p running
    manistat "$@" >"$out" 2>"$err" &
    process=$!
    sleep 0.7
}

for signal in INT TERM; do
    started "${endless[@]}" -o running/never.csv
    kill -$signal $process
    wait $process
    status=$?
    [ "$status" -eq 130 ] && [ "$(wc -l <"$err")" -eq 1 ] && grep -q interrupted "$err"
    verdict "SIG$signal ends with 130 and one line" $?
    check "SIG$signal leaves nothing" test -z "$(ls -A running)"
done
started "${base[@]}" --steps 1000000000 -o running/never.csv
kill -INT $process
wait $process
status=$?
[ "$status" -eq 130 ] && [ "$(wc -l <"$err")" -eq 1 ] && [ -z "$(ls -A running)" ]
verdict "SIGINT within one long path" $?
started "${endless[@]}" --json -o running/never.json
kill -INT $process
wait $process
status=$?
check "SIGINT with --json" test "$status" -eq 130 -a -z "$(ls -A running)"
mkfifo silent
exec 9<>silent
started dist --manifold circle silent -o running/never.csv
kill -INT $process
wait $process
status=$?
exec 9>&-
check "SIGINT while waiting for input" test "$status" -eq 130 -a -z "$(ls -A running)"
echo precious >running/old.csv
started "${endless[@]}" -o running/old.csv --force
kill -INT $process
wait $process
check "SIGINT with --force keeps the old file" test "$(cat running/old.csv)" = precious -a "$(ls -A running)" = old.csv
started "${endless[@]}" -o running/old.csv --force
kill -KILL $process
wait $process 2>/dev/null
check "a kill keeps the old file" test "$(cat running/old.csv)" = precious
rm running/old.csv
started "${endless[@]}" -o running/never.csv
kill -KILL $process
wait $process 2>/dev/null
check "a kill leaves nothing" test -z "$(ls -A running)"

# Progress is for terminals only.
succeeds "no progress line in a file" sample --manifold spd:3 --time 1 -n 20000
if has_terminals; then
    script -qec "manistat sample --manifold spd:3 --time 1 -n 60000 -o terminal.csv" /dev/null </dev/null >screen 2>&1
    check "a progress line on a terminal" grep -q "sample: [0-9]*%, .* paths/s, .* left" screen
    check "it is wiped at the end" grep -q $'\033\[K$' <(tr -d '\r' <screen)
    script -qec "manistat sample --manifold spd:3 --time 1 -n 60000 -o quiet.csv --quiet" /dev/null </dev/null >screen 2>&1
    check "no progress line with --quiet" test ! -s screen
fi

# A file that ends in .json holds JSON.
succeeds "JSON by the ending" "${base[@]}" -n 4 -o ending.json
check "is what --json writes" as_json ending.json 'len(r["x_1"]) == 4 and r["command"] == "sample"'
succeeds "of a text as well" manifolds -o manifolds.json
check "is an object" as_json manifolds.json 'r["command"] == "manifolds"'
