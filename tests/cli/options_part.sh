# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors

# The parser: forms of options, what is refused and what is suggested.

base=(sample --manifold euclidean:2 --time 1)

refuses "no command" 2 "no command given; 'manistat --help'"
refuses "mistyped command" 2 "unknown command 'sampl'; did you mean 'sample'" sampl
refuses "unknown command" 2 "unknown command 'frobnicate'; 'manistat --help'" frobnicate
refuses "option before the command" 2 "before the command" --json sample
refuses "mistyped option" 2 "unknown option '--tiem'; did you mean '--time'" sample --tiem 1
refuses "mistyped option with a value" 2 "unknown option '--tiem'; did you" sample --tiem=1
refuses "prefixes are not accepted" 2 "unknown option '--manif'; did you mean '--manifold'" sample --manif sphere:2
refuses "an option of later versions" 2 "unknown option '--film'; 'manistat sample --help'" "${base[@]}" --film x.mp4
refuses "dashes too many" 2 "unknown option '--n'; did you mean '-n'" "${base[@]}" --n 3
refuses "unknown letter" 2 "unknown option '-x'" "${base[@]}" -x
refuses "an option that is not for this command" 2 "unknown option '--paths'" dist --manifold circle --paths
refuses "missing value at the end" 2 "needs a value; for example --time 0.5" sample --manifold circle --time
refuses "missing value before an option" 2 "needs a value; for example --manifold sphere:2" sample --manifold --json
refuses "empty value" 2 "--manifold is empty" sample --manifold= --time 1
refuses "flag with a value" 2 "--json takes no value" "${base[@]}" --json=yes
refuses "manifold missing" 2 "--manifold SPEC is missing; for example --manifold sphere:2" sample --time 1
refuses "time missing" 2 "--time T is missing; for example --time 0.5" sample --manifold circle
refuses "sample takes no file" 2 "unexpected argument 'x.csv'; usage: manistat sample" "${base[@]}" x.csv
refuses "three files" 2 "unexpected argument 'c'" dist --manifold circle a b c
for time in -1 0 -0 nan inf; do
    refuses "time $time" 2 "time must be positive" sample --manifold circle --time "$time"
done
refuses "time that is no number" 2 "--time must be a number, not 'soon'" sample --manifold circle --time soon
refuses "hexadecimal time" 2 "--time must be a number" sample --manifold circle --time 0x1p3
for n in 0 -1 1.5 x 1e30 99999999999999999999 ''; do
    refuses "n '$n'" 2 "-n must be a whole number from 1" "${base[@]}" -n "$n"
done
refuses "steps 0" 2 "--steps must be a whole number from 1" "${base[@]}" --steps 0
refuses "negative seed" 2 "--seed must be a whole number, 0 or more" "${base[@]}" --seed -1
refuses "seed too large" 2 "--seed must be a whole number" "${base[@]}" --seed 18446744073709551616
refuses "threads 0" 2 "--threads must be a whole number from 1" "${base[@]}" --threads 0
refuses "unknown method" 2 "--method cannot be 'euler'; choose one of tangent, chart, exact" "${base[@]}" --method euler
refuses "line feed in an argument" 2 "unknown manifold" sample --time 1 --manifold $'sph\nere'

same() {
    local name=$1
    shift
    run "${base[@]}" "$@"
    [ "$status" -eq 0 ] && cmp -s "$out" reference
    verdict "$name" $?
}
run "${base[@]}" -n 5 --seed 3 --steps 2
cp "$out" reference
check "five rows" test "$(wc -l <reference)" -eq 5
same "-n5" -n5 --seed 3 --steps 2
same "--seed=3" -n 5 --seed=3 --steps=2
same "order does not matter" --steps 2 --seed 3 -n 5
same "the last one counts" -n 7 --seed 9 -n 5 --seed 3 --steps 2
same "1e0 style counts" -n 0.5e1 --seed 3 --steps 2
same "-- ends the options" -n 5 --seed 3 --steps 2 --
same "-o - is standard output" -n 5 --seed 3 --steps 2 -o -
same "largest seed is another one" -n 5 --seed 3 --steps 2 --quiet
run "${base[@]}" -n 5 --seed 18446744073709551615 --steps 2
check "the largest seed works" test "$status" -eq 0
check "another seed gives other rows" test "$(cmp -s "$out" reference; echo $?)" -eq 1
run "${base[@]}" -n 5 --steps 2
cp "$out" reference
same "the default seed is 2712" -n 5 --steps 2 --seed 2712
run "${base[@]}"
check "the default n is 1" test "$(wc -l <"$out")" -eq 1
cp "$out" reference
same "the default is 100 tangent steps" --steps 100 --method tangent

echo 1,2 >-odd.csv
prints "a file behind --" 1 1e-15 dist --manifold euclidean:1 -- -odd.csv
prints "common options without effect" 1 1e-15 dist --manifold euclidean:1 --seed 4 --threads 2 ./-odd.csv
run dist --manifold euclidean:1 - <-odd.csv
check "- is standard input" test "$(cat "$out")" = 1
run dist --manifold euclidean:1 <-odd.csv
check "standard input without a file" test "$(cat "$out")" = 1
if has_terminals; then
    script -qec "manistat dist --manifold euclidean:1; echo status \$?" /dev/null </dev/null >screen 2>&1
    check "a terminal is not waited for" grep -q "no FILE given; for example" screen
    check "a terminal is not waited for: status" grep -q "status 2" screen
fi
