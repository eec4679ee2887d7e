# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors

# Help, manual pages and completion: they come from one table and must agree, and the examples must work.

fits_in_80_columns() {
    awk 'length($0) > 80 { bad = 1 } END { exit bad || NR == 0 }' "$1"
}

succeeds "general help" --help
check "general help fits in 80 columns" fits_in_80_columns "$out"
cp "$out" general
names=$(manistat help --list)
for name in manifolds sample heat exp log dist geodesic train check mean test kmeans mixture regress align cov info help; do
    check "general help names $name" grep -q "^  $name " general
    check "the list names $name" grep -qx "$name" <<<"$names"
done
run help
check "help without a command is the general help" cmp -s "$out" general
succeeds "version" --version
check "version is a number" grep -Eqx 'manistat [0-9]+\.[0-9]+\.[0-9]+' "$out"

# visible_options FILE: the words at the left of the option lists.
visible_options() {
    sed -n 's/^  \(-h, \)\{0,1\}\(--\{0,1\}[a-z-]*\)\( [A-Za-z|]*\)\{0,1\}\(  .*\)\{0,1\}$/\2/p' "$1"
}

manistat help --completion bash >completion.bash
for name in $names; do
    succeeds "$name --help" "$name" --help
    cp "$out" "help.$name"
    check "$name --help fits in 80 columns" fits_in_80_columns "help.$name"
    check "$name --help has each heading once" test -z "$(grep -E '^[A-Z][A-Za-z ]*:$' "help.$name" | sort | uniq -d)"
    run help "$name"
    check "help $name is the same" cmp -s "$out" "help.$name"
    succeeds "$name -h" "$name" -h
    run "$name" --version
    check "$name --version" grep -q '^manistat [0-9]' "$out"
    succeeds "manual page of $name" help --man "$name"
    cp "$out" "manistat-$name.1"
    check "manual page of $name has a title" grep -qi "^.TH MANISTAT-$name 1" "manistat-$name.1"
    check "manual page of $name has examples" test "$(grep -c '^\.EX' "manistat-$name.1")" -ge 1
    check "manual page of $name leads on" grep -q '^\.BR manistat.-files (5)' "manistat-$name.1"
    for word in $(visible_options "help.$name"); do
        check "$name $word is in the manual" grep -qe "${word//-/\\\\-}" "manistat-$name.1"
        check "$name $word is in the completion" grep -qwe "$word" completion.bash
    done
done
# The longest text of all; it once ended in the middle of a word.
check "no text is cut" grep -q 'allows times and data that the model does not know' <(tr -s ' \n' ' ' <help.mean)
check "sample has the options of its page" test "$(visible_options help.sample | wc -l)" -ge 17
check "train has the options of its page" test "$(visible_options help.train | wc -l)" -ge 33
check "options with a dash are among them" grep -qx -e --t-min <(visible_options help.train)
succeeds "main manual page" help --man
cp "$out" manistat.1
for name in $names; do
    check "main manual page lists $name" test "$(grep -c "^\.BR manistat.-$name (1)" manistat.1)" -eq 2
done
if command -v mandoc >/dev/null; then
    for page in manistat*.1; do
        check "$page is sound roff" mandoc -Tlint -Werror "$page"
    done
fi

for shell in bash zsh fish; do
    succeeds "completion for $shell" help --completion "$shell"
    if command -v "$shell" >/dev/null; then
        cp "$out" "completion.$shell"
        check "completion for $shell parses" "$shell" -n "completion.$shell"
    fi
done
refuses "completion for another shell" 2 "choose one of bash, zsh, fish" help --completion ksh
refuses "help on nothing known" 2 "did you mean 'sample'" help sapmle

# complete LINE: what bash would offer at the end of the line.
complete_line() {
    bash -c '. ./completion.bash
        COMP_LINE=$1 COMP_POINT=${#1}
        read -ra COMP_WORDS <<<"$1"
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        case $1 in *" ") COMP_CWORD=$((COMP_CWORD + 1)) ;; esac
        _manistat
        echo "${COMPREPLY[*]}"' complete "$1"
}
check "completes a command" test "$(complete_line 'manistat sa')" = sample
check "completes an option" test "$(complete_line 'manistat sample --meth')" = --method
check "completes a choice" test "$(complete_line 'manistat sample --method ex')" = exact
check "completes a manifold" test "$(complete_line 'manistat dist --manifold sph')" = sphere:2
check "completes behind a colon" test "$(complete_line 'manistat dist --manifold sphere:')" = 2
check "completes a file" test "$(complete_line 'manistat dist --manifold sphere:2 completion.b')" = completion.bash

# Every example of every page, as typed.
manistat sample --manifold sphere:2 --start 0,0,1 --time 0.05 -n 30 >data.csv
manistat sample --manifold sphere:2 --start 1,0,0 --time 0.05 -n 20 >>data.csv
manistat sample --manifold sphere:2 --start 1,0,0 --time 0.1 -n 20 >new.csv
(
    echo x,y,z,group
    sed 's/$/,a/' data.csv
    sed 's/$/,b/' new.csv
) >labelled.csv
manistat sample --manifold spd:3 --time 0.1 -n 10 >matrices.csv
manistat sample --manifold circle --time 0.5 -n 10 --degrees >angles.csv
cp "$(dirname "${BASH_SOURCE[0]}")/../../examples/manifolds/torus.manifold" .
manistat sample --manifold sphere:2 --start 0,0,1 --time 0.05 -n 50 >y.csv
(
    echo age,sex,subject
    for i in $(seq 1 50); do echo "$((i * 7 % 31)),$([ $((i % 3)) = 0 ] && echo m || echo f),s$((i / 4))"; done
) >x.csv
manistat kmeans --manifold sphere:2 -k 2 --json data.csv >clusters.json
manistat mixture --manifold sphere:2 -k 2 --json data.csv >mixture.json
manistat mean --manifold sphere:2 --json data.csv >mean.json
printf 'LM=3\n0 0\n4 0\n0 3\nID=a\nLM=3\n1 1\n1 5\n-2 1.5\nID=b\n' >skulls.tps
manistat train --manifold sphere:2 --steps 20 --width 8 --depth 1 -o model.safetensors >/dev/null
python3 - <<'END'
import math
import struct

rows = []
with open("Z.csv", "w") as z:
    for i in range(40):
        a = 2 * math.pi * i / 40
        z.write(f"{math.cos(a)!r},{math.sin(a)!r}\n")
        rows += [f(k * a) / k + 0.03 * math.sin(1e4 * a * k) for k in range(1, 5) for f in (math.cos, math.sin)]
head = "{'descr': '<f8', 'fortran_order': False, 'shape': (40, 8), }"
head += " " * (117 - len(head)) + "\n"
with open("X.npy", "wb") as x:
    x.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack("<320d", *rows))
END
manistat learn gp --latent Z.csv --data X.npy --noise 1e-4 -o rot.gp >/dev/null 2>&1
head -4 Z.csv >latent.csv
python3 - <<'END'
import random
import struct

random.seed(1)
rows = [[random.gauss(0, 1e-6) for _ in range(4)] for _ in range(200)]
with open("recording.csv", "w") as f:
    f.write("Fz,Cz,Pz,Oz\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows))
head = "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 4, 50), }"
head += " " * (117 - len(head)) + "\n"
with open("epochs.npy", "wb") as f:
    f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack("<800d", *(x for r in rows for x in r)))
END
count=0
for page in general help.*; do
    while IFS= read -r line; do
        count=$((count + 1))
        mkdir "example.$count"
        (
            cd "example.$count" || exit 1
            printf '0,0,1\n0.6,0,0.8\n' >points.csv
            printf '0.5,0,0\n0,0.25,0\n' >vectors.csv
            cp ../torus.manifold ../skulls.tps ../data.csv ../new.csv ../labelled.csv ../matrices.csv ../angles.csv ../clusters.json ../mixture.json ../mean.json ../model.safetensors ../x.csv ../y.csv .
            cp ../X.npy ../Z.csv ../rot.gp ../latent.csv ../epochs.npy ../recording.csv .
            target=$(sed -n 's/.* -o \([a-z.]*\).*/\1/p' <<<"$line")
            [ -z "$target" ] || rm -f "$target"
            # Nobody waits for minutes of training here.
            short=$(sed -e 's/--minutes [0-9]*/--steps 20 --width 8 --depth 1/' \
                -e 's/\(train .* --around [a-z.]*\)/\1 --steps 20 --width 8 --depth 1/' <<<"$line")
            # A model of twenty steps is not certified either, a ring of few points has short cuts, two points have no mean,
            # and a source that exists may know what a network would learn.
            bash -c "$short" >out 2>err && ! grep -Eqv 'has no certificate|ways cost only|uniform law|a network can' err && { [ -s out ] || [ -s "$target" ]; }
        )
        verdict "example: $line" $?
    done < <(sed -n 's/^    \(\(echo .*| \)\{0,1\}manistat .*\)/\1/p' "$page")
done
check "there are examples" test "$count" -ge 15
