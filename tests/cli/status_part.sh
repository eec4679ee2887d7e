# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors

# What is said of geodesics that are searched for.

cat >hole.manifold <<'EOF'
coordinates x y
metric = 1
domain x^2 + y^2 > 1
start = 2, 0
EOF
printf -- '-2,0,2,0\n-2,0,-2,1\n' >through.csv

run dist --manifold hole.manifold through.csv
printf 'nan\n1\n' >expected
check "a row without an answer is nan" cmp -s expected "$out"
check "and the exit status is 1" test "$status" -eq 1
check "one line tells how many" grep -q '^manistat dist: 1 of 2 rows have no answer and are nan (the first is 1: left the domain)$' "$err"
run dist --manifold hole.manifold through.csv --status
printf 'nan,left the domain\n1,locally minimal\n' >expected
check "--status adds words" cmp -s expected "$out"
run dist --manifold hole.manifold through.csv --json
check "JSON has them always" as_json "$out" 'r["status"] == ["left the domain", "locally minimal"] and r["dist"] == [None, 1]'
run dist --manifold hole.manifold through.csv --force
check "--force lets it pass" test "$status" -eq 0
check "with a warning" grep -q '^manistat dist: warning: 1 of 2 rows have no answer (the first is 1: left the domain)' "$err"
run log --manifold hole.manifold through.csv --status
check "log has the same words" grep -q '^nan,nan,left the domain$' "$out"
check "with an answer, too" grep -Eq '^-?0,1,locally minimal$' "$out"
run geodesic --manifold hole.manifold through.csv --status --steps 1
printf 'pair,s,x_1,x_2,status\n0,0,nan,nan,left the domain\n0,1,nan,nan,left the domain\n1,0,-2,0,locally minimal\n1,1,-2,1,locally minimal\n' >expected
check "geodesic says it in every row" cmp -s expected "$out"
printf 'coordinates x y z\nconstraint = z^2 - x^2 - y^2 - 1\nstart = 0, 0, 1\n' >sheets.manifold
echo 0,0,1,0,0,-1 >sheets.csv
run dist --manifold sheets.manifold sheets.csv --status
check "different components are told" grep -q '^nan,no path$' "$out"
echo 0,0,1,1,0,0 >pole.csv
run dist --manifold sphere:2 pole.csv --json
check "closed forms need no status" as_json "$out" '"status" not in r'
run dist --manifold sphere:2 pole.csv --status
check "unless it is asked for" grep -q '^1.57[0-9]*,minimal$' "$out"

# Matrices of distances.
printf -- '-2,0\n2,0\n-2,1\n' >points.csv
run dist --manifold hole.manifold --all points.csv
printf '0,nan,1\nnan,0,nan\n1,nan,0\n' >expected
check "pairs without an answer are nan" cmp -s expected "$out"
check "with the exit status 1" test "$status" -eq 1
check "and are counted once" grep -q '^manistat dist: 2 of 3 pairs have no answer and are nan (the first is 1 and 2: left the domain)$' "$err"
run dist --manifold hole.manifold --all points.csv --json
check "JSON has a status of every pair" as_json "$out" 'r["distances"][0] == [0, None, 1] and r["status"][0] == ["minimal", "left the domain", "locally minimal"] and r["status"][1][0] == "left the domain" and len(r["status"]) == 3'
run dist --manifold hole.manifold --all points.csv --force
check "--force lets a matrix pass" test "$status" -eq 0
echo 2,0 >other.csv
run dist --manifold hole.manifold --all other.csv points.csv
printf 'nan,0,nan\n' >expected
check "from one point to some" cmp -s expected "$out"
check "of which two cannot be reached" grep -q '2 of 3 pairs have no answer and are nan (the first is 1 and 1: left the domain)' "$err"
