# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors

# Bad input: each is one line that names the place, and nothing else happens.

dist=(dist --manifold sphere:2)
printf '0,0,1,1,0,0\n' >good.csv

# file NAME CONTENTS: a file from a printf format.
file() {
    # shellcheck disable=SC2059
    printf "$2" >"$1"
}

refuses "missing file" 2 "nowhere.csv" "${dist[@]}" nowhere.csv
refuses "directory" 2 "directory" "${dist[@]}" .
file empty.csv ''
refuses "empty file" 2 "empty.csv" "${dist[@]}" empty.csv
file comments.csv '# nothing but this\n\n'
refuses "only comments" 2 "comments.csv" "${dist[@]}" comments.csv
file header.csv 'a,b,c,d,e,f\n'
refuses "only a header" 2 "header.csv is empty" "${dist[@]}" header.csv
file narrow.csv '0,0,1,1,0\n'
refuses "too few columns" 2 "narrow.csv" "${dist[@]}" narrow.csv
file wide.csv '0,0,1,1,0,0,9\n'
refuses "too many columns" 2 "wide.csv" "${dist[@]}" wide.csv
file ragged.csv '0,0,1,1,0,0\n0,0,1,1,0\n'
refuses "a short row" 2 "ragged.csv.*(row|line) 2" "${dist[@]}" ragged.csv
file word.csv '0,0,1,1,0,0\n0,0,1,one,0,0\n'
refuses "a word among numbers" 2 "word.csv.*(row|line) 2.*column 4.*one" "${dist[@]}" word.csv
file nan.csv '0,0,1,1,0,0\n0,0,1,nan,0,0\n'
refuses "nan" 2 "nan.csv.*(row|line) 2" "${dist[@]}" nan.csv
refuses "nan, even with --project" 2 "nan.csv.*(row|line) 2" "${dist[@]}" --project nan.csv
file inf.csv '0,0,1,1,0,inf\n'
refuses "inf" 2 "inf.csv.*(row|line) 1" "${dist[@]}" inf.csv
file gap.csv '0,0,1,1,,0\n'
refuses "an empty cell" 2 "gap.csv.*(row|line) 1" "${dist[@]}" gap.csv
file long.csv '0,0,1,1,0,0\n0,0,1,1,1,0\n'
refuses "norm off" 2 "long.csv.*(row|line) 2.*; correct it or pass --project$" "${dist[@]}" long.csv
prints "norm off, projected" "1.5707963267948966 1.5707963267948966" 4e-16 "${dist[@]}" --project long.csv
file zero.csv '0,0,1,0,0,0\n'
refuses "zero cannot be projected" 2 "zero.csv.*(row|line) 1" "${dist[@]}" --project zero.csv
file near.csv '0,0,1.0000000001,1,0,0\n'
prints "norm off by rounding" 1.5707963267948966 4e-16 "${dist[@]}" near.csv
file indefinite.csv '1,2,2,1,1,0,0,1\n'
refuses "not positive definite" 2 "indefinite.csv.*(row|line) 1" dist --manifold spd:2 indefinite.csv
file asymmetric.csv '1,0.5,0.4,1,1,0,0,1\n'
refuses "asymmetric" 2 "asymmetric.csv.*(row|line) 1" dist --manifold spd:2 asymmetric.csv
file mirror.csv '1,0,0,0,1,0,0,0,1,1,0,0,0,1,0,0,0,-1\n'
refuses "a reflection is no rotation" 2 "mirror.csv.*(row|line) 1" dist --manifold so3 mirror.csv
file below.csv '1,0,-1,0\n'
refuses "the lower sheet of the hyperboloid" 2 "below.csv.*(row|line) 1" dist --manifold hyperbolic:1 below.csv
refuses "latlon on another manifold" 2 ": --latlon needs sphere:2, not sphere:3$" dist --manifold sphere:3 --latlon good.csv
file beyond.csv '91,0,0,0\n'
refuses "latitude above 90" 2 "beyond.csv.*(row|line) 1" "${dist[@]}" --latlon beyond.csv
refuses "the second file is bad" 2 "word.csv" log --manifold euclidean:6 good.csv word.csv
[ -e /dev/zero ] && refuses "a file without an end" 2 "/dev/zero: a line of more than 268435456 bytes; this is not a text file" info /dev/zero

# What is not bad.
quarter=1.5707963267948966
file crlf.csv '0,0,1,1,0,0\r\n0,0,1,0,1,0\r\n'
prints "line ends of another system" "$quarter $quarter" 4e-16 "${dist[@]}" crlf.csv
file bom.csv '\357\273\2770,0,1,1,0,0\n'
prints "byte order mark" $quarter 4e-16 "${dist[@]}" bom.csv
file remarks.csv '# made by hand\na,b,c,d,e,f\n\n0,0,1,1,0,0\n# the end\n'
prints "header, comments and blank lines" $quarter 4e-16 "${dist[@]}" remarks.csv
file unfinished.csv '0,0,1,1,0,0'
prints "one row without a line end" $quarter 4e-16 "${dist[@]}" unfinished.csv
file tabs.tsv '0\t0\t1\t1\t0\t0\n'
prints "tabs" $quarter 4e-16 "${dist[@]}" tabs.tsv

# Manifolds.
refuses "unknown manifold" 2 "unknown manifold 'klein:2'; 'manistat manifolds' lists them" sample --manifold klein:2 --time 1
refuses "mistyped manifold" 2 "unknown manifold 'sphre:2'; did you mean sphere:2" sample --manifold sphre:2 --time 1
refuses "file of no known kind" 2 "no kind of manifold file ends in .xyz .my/torus.xyz." sample --manifold my/torus.xyz --time 1
refuses "option of no use" 2 'sphere has no option "metric"; it has none' sample --manifold 'sphere:2?metric=x' --time 1
refuses "mistyped factor" 2 "sphre" sample --manifold 'product(sphre:2,circle)' --time 1
for spec in sphere:0 sphere:1000000000 sphere:99999999999999999999 spd:0 spd:1000000000 sphere sphere: sphere:x \
    circle:2 so3:3 'product(' 'product()' 'product(sphere:2' 'sphere:2)' 'spd:3?metric=flat' sphere:-1 'sphere:2 x'; do
    refuses "manifold '$spec'" 2 ":" sample --manifold "$spec" --time 1
done

# Names of files that would spoil the line.
file $'new\nline.csv' 'x,y\n1,z\n'
refuses "a line feed in a file name" 2 "line.csv" dist --manifold circle $'new\nline.csv'
deep=$(printf 'd%.0s' {1..250}).csv
refuses "a long file name" 2 "manistat dist: " dist --manifold circle "$deep"
