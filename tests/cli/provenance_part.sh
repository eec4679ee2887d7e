# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors

# "made_by" in JSON: the command line, the seed, and the files with their hashes.

manistat sample --manifold sphere:2 --time 0.1 -n 30 -o p.csv
manistat sample --manifold sphere:2 --time 0.1 -n 20 --seed 3 -o q.csv
awk 'BEGIN { for (i = 0; i < 30; i++) print i % 2 ? "odd" : "even" }' >names.txt
awk 'BEGIN { print "x"; for (i = 0; i < 30; i++) print i / 30 }' >x.csv

# the_hash FILE: as an input should have it.
the_hash() {
    echo "sha256:$(sha256sum "$1" | cut -d ' ' -f 1)"
}

# tells NAME EXPRESSION ARGUMENTS: --json makes an object; the expression is about m, its "made_by".
tells() {
    local name=$1 expression=$2
    shift 2
    run "$@" --json
    [ "$status" -le 1 ] && as_json "$out" "(lambda m, i: $expression)(r['made_by'], r['made_by']['inputs'])"
    verdict "$name" $?
}

sphere=(--manifold sphere:2)
tells "program and version" "m['program'] == 'manistat' and m['version'] == r['version']" mean "${sphere[@]}" p.csv
tells "the words typed" "m['command'] == ['manistat', 'mean', '--manifold', 'sphere:2', 'p.csv', '--json']" mean "${sphere[@]}" p.csv
tells "without the threads" "m['command'] == ['manistat', 'mean', '--manifold', 'sphere:2', 'p.csv', '--json']" mean --threads 2 "${sphere[@]}" --threads=1 p.csv
tells "in their order" "m['command'][2:4] == ['p.csv', '--manifold=sphere:2']" mean p.csv --manifold=sphere:2
run mean "${sphere[@]}" --json -- p.csv
check "behind two dashes" as_json "$out" "r['made_by']['command'][-2:] == ['--', 'p.csv'] and r['made_by']['inputs'][0]['rows'] == 30"
tells "the seed" "m['seed'] == 2712 == r['seed']" mean "${sphere[@]}" p.csv
tells "another seed" "m['seed'] == 11" mean "${sphere[@]}" p.csv --seed 11
tells "no seed where nothing is drawn" "m['seed'] is None" exp --manifold euclidean:1 <<<"1,2"
tells "the file" "i == [{'file': 'p.csv', 'option': None, 'rows': 30, 'bytes': $(wc -c <p.csv), 'hash': '$(the_hash p.csv)'}]" mean "${sphere[@]}" p.csv
bytes=$(wc -c <p.csv)
hash=$(the_hash p.csv)
tells "standard input from a file" "i == [{'file': '-', 'option': None, 'rows': 30, 'bytes': $bytes, 'hash': '$hash'}]" mean "${sphere[@]}" <p.csv
tells "the same by its name" "i[0]['file'] == '-' and i[0]['rows'] == 30" mean "${sphere[@]}" - <p.csv
tells "standard input from a pipe" "i == [{'file': '-', 'option': None, 'rows': 30, 'bytes': None, 'hash': None}]" mean "${sphere[@]}" < <(cat p.csv)
tells "two files" "[(f['file'], f['rows'], f['hash']) for f in i] == [('p.csv', 30, '$(the_hash p.csv)'), ('q.csv', 20, '$(the_hash q.csv)')]" test "${sphere[@]}" p.csv q.csv
tells "a file of labels" "[(f['file'], f['option']) for f in i] == [('p.csv', None), ('names.txt', '--by')] and i[1]['hash'] == '$(the_hash names.txt)'" mean "${sphere[@]}" p.csv --by names.txt
tells "kmeans" "i[0]['hash'] == '$(the_hash p.csv)'" kmeans "${sphere[@]}" -k 2 p.csv
tells "mixture" "i[0]['hash'] == '$(the_hash p.csv)'" mixture "${sphere[@]}" -k 1 p.csv
tells "regress" "{f['option']: f['hash'] for f in i} == {'--y': '$(the_hash p.csv)', '--x': '$(the_hash x.csv)'} and i[0]['rows'] == 30" regress "${sphere[@]}" --y p.csv --x x.csv
tells "numbers are no file" "len(i) == 1" mean "${sphere[@]}" p.csv --start 0,0,1
run sample "${sphere[@]}" --time 0.1 -n 2 --json -o written.json
check "what is written is no input" as_json written.json "r['made_by']['command'][-2:] == ['-o', 'written.json'] and r['made_by']['inputs'] == []"
tells "the instruction set" "m['instruction_set'] in ('generic', 'v3', 'v4')" mean "${sphere[@]}" p.csv
MANISTAT_ISA=generic run mean "${sphere[@]}" p.csv --json
check "the instruction set that was asked for" as_json "$out" "r['made_by']['instruction_set'] == 'generic'"
run manifolds --json
check "manifolds are not made" as_json "$out" "'made_by' not in r"
run info p.csv --json
check "nor is what info says" as_json "$out" "'made_by' not in r"
cp p.csv $'odd\n"name".csv'
tells "any name of a file" "i[0]['file'] == 'odd\n\"name\".csv' and i[0]['hash'] == '$(the_hash p.csv)'" mean "${sphere[@]}" $'odd\n"name".csv'
