# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors

# Landmarks in TPS files, and align.

cat >wings.tps <<'END'
LM=4
0 0
4 0
4 3
0 3
ID=left
LM=4
10 10
10 14
7 14
7 10
ID=turned
LM=4
0 0
8 0
8 6
0 6
ID=double
END
printf '%s\n' 0,0,4,0,4,3,0,3 10,10,10,14,7,14,7,10 0,0,8,0,8,6,0,6 >wings.csv

# Every command reads them.
prints "a TPS file is a table" "0 0 0" 0 dist --manifold euclidean:8 wings.tps wings.csv
run mean --manifold euclidean:8 --kind frechet --json wings.tps
cp "$out" tps.json
run mean --manifold euclidean:8 --kind frechet --json wings.csv
check "the mean of a TPS file is that of a CSV file" as_json tps.json "r['mean'] == json.load(open('$out'))['mean']"
succeeds "groups are the IDs" mean --manifold euclidean:8 --kind frechet --by id wings.tps
check "each by its name" grep -q turned "$out"
refuses "missing points" 2 "wings.tps, specimen .*--missing-negative|point 1 is missing" mean --manifold euclidean:8 --missing-negative <(sed 's/^0 0/-1 0/' wings.tps)
refuses "only TPS files say so" 2 "\-\-missing-negative is for TPS files" mean --manifold euclidean:8 --missing-negative wings.csv
refuses "no TPS file of points that are no landmarks" 3 "TPS files hold landmarks" sample --manifold sphere:2 --time 1 -o x.tps

# One shape.
run align --scale wings.tps
check "a report on standard error" grep -q "3 specimens of 4 landmarks in 2-D; centroid sizes 5 to 10, taken away" "$err"
sed -n 1p "$out" >first
sed -n 2p "$out" >second
sed -n 3p "$out" >third
check "turned copies are the same" close_to first second 1e-15
check "scaled copies are the same" close_to first third 1e-15
printf -- '-0.4,-0.3,0.4,-0.3,0.4,0.3,-0.4,0.3\n' >expected
check "of size 1" close_to expected first 1e-15
run align --quiet wings.tps
sed -n 3p "$out" >third
printf -- '-4,-3,4,-3,4,3,-4,3\n' >expected
check "sizes are kept without --scale" close_to expected third 1e-14
succeeds "silent when told so" align --quiet --scale wings.csv
succeeds "files" align --quiet --scale wings.tps -o aligned.tps --mean mean.tps --report report.csv
check "IDs are kept" test "$(grep ID aligned.tps | tr '\n' ' ')" = "ID=left ID=turned ID=double "
check "the mean" grep -qx ID=mean mean.tps
check "sizes and residuals" test "$(cut -d, -f1,3 report.csv | tr '\n' ' ')" = "centroid_size,specimen 5,left 5,turned 10,double "
succeeds "JSON" align --quiet --scale --json wings.tps
check "what it says" as_json "$out" "r['n'] == 3 and r['centroid_sizes'][2] == 10 and r['ids'][1] == 'turned' and r['converged'] and max(r['residuals']) < 1e-15 and len(r['x_1']) == 3 and abs(sum(m * m for m in r['mean']) - 1) < 1e-15"
printf '%s\n' 0,0,4,0,4,3,0,4 0,0,-4,0,-4,3,0,4 >mirrored.csv
run align --scale --reflect mirrored.csv
check "mirrored" grep -q "1 specimens were mirrored" "$err"
sed -n 1p "$out" >first
sed -n 2p "$out" >second
check "onto itself" close_to first second 1e-15

# Missing and coincident points.
sed 's/^10 14/NA NA/' wings.tps >missing.tps
refuses "a missing point" 2 "missing.tps, specimen 2 \(ID=turned\): point 2 is missing; --drop-missing" align missing.tps
run align --drop-missing --scale missing.tps
check "left out" test "$(wc -l <"$out")" -eq 2
check "and said" grep -q "1 of 3 specimens have missing points and are left out" "$err"
sed 's/^4 0/0 0/' wings.tps >same.tps
run align same.tps
check "coincident landmarks are named" grep -q "same.tps, specimen 1 (ID=left): landmarks 1 and 2 coincide" "$err"

# Refusals.
sed '7s/4/5/' wings.tps >bad.tps
refuses "LM= that is wrong, in align" 2 "bad.tps, specimen 2 \(line 7\): LM=5, but 4 points stand before" align bad.tps
sed '7s/4/3/;11d' wings.tps >bad.tps
refuses "unequal numbers of points" 2 "bad.tps, specimen 2 \(line 7\): 3 points, but the specimens before have 4" align bad.tps
refuses "plane or space?" 2 "12 columns may be 6 landmarks in the plane or 4 in space; say --dim" align - <<<1,2,3,4,5,6,7,8,9,10,11,13
refuses "columns that do not fit" 2 "8 columns are no landmarks of 3 coordinates" align --dim 3 wings.csv
refuses "TPS says it itself" 2 "have 2 coordinates" align --dim 3 wings.tps
printf '1\n1\n' >two
refuses "weights of other landmarks" 2 "two has 2 weights for 4 landmarks" align --weights two wings.tps
printf 'before,slide,after\n1,2,9\n' >sliders
refuses "sliders of other landmarks" 2 "sliders, row 1, column 3: 9 is no landmark, 1 to 4" align --slide sliders wings.tps
refuses "files are not overwritten" 3 "mean.tps exists" align --quiet wings.tps --mean mean.tps -o other.csv

# Shape spaces: any configuration is a point.
prints "shapes do not turn" "0 0 0" 1e-15 dist --manifold kendall:4x2 wings.tps - <<<"$(sed -n 1p wings.csv)
$(sed -n 1p wings.csv)
$(sed -n 1p wings.csv)"
prints "sizes count" 5 1e-14 dist --manifold size-and-shape:4x2 - <<<"0,0,4,0,4,3,0,3,9,9,9,17,3,17,3,9"
prints "opposite triangles" 1.5707963267948966 1e-8 dist --manifold kendall:3x2 - <<<"0,0,1,0,0.5,0.8660254037844386,0,0,1,0,0.5,-0.8660254037844386"
succeeds "shapes to a TPS file" sample --manifold kendall:5x2 --time 0.01 -n 3 -o shapes.tps
check "three specimens" test "$(grep -c LM=5 shapes.tps)" -eq 3
succeeds "and back" mean --manifold kendall:5x2 --kind frechet shapes.tps
run log --manifold kendall:3x2 - <<<"0,0,1,0,0.5,0.8660254037844386,0,0,1,0,0.5,-0.8660254037844386"
check "a warning at the cut locus" grep -q "cut locus" "$err"
refuses "shapes on a line in space" 2 "row 2 \(line 2\): the landmarks lie on a line" mean --manifold kendall:4x3 --kind frechet - <<<"0,0,0,1,0,0,0,1,0,0,0,1
0,0,0,1,1,1,2,2,2,5,5,5"
refuses "landmarks that all coincide" 2 "row 1 \(line 1\): all landmarks coincide" mean --manifold kendall:3x2 --kind frechet - <<<1,1,1,1,1,1
refuses "a cut point in space" 2 "row 1: a cut point" log --manifold kendall:4x3 - <<<"1,1,1,1,-1,-1,-1,1,-1,-1,-1,1,-1,-1,-1,-1,1,1,1,-1,1,1,1,-1"
refuses "a vector at a shape that is not as it is written" 2 "is not|off" exp --manifold kendall:3x2 - <<<0,0,4,0,4,3,0,0,0,0,0,0
refuses "nor can it be projected" 2 "may turn points of kendall:3x2, but not the vectors" exp --project --manifold kendall:3x2 - <<<0,0,4,0,4,3,0,0,0,0,0,0
refuses "too few landmarks" 2 "kendall:3x3 is out of range" mean --manifold kendall:3x3 - <<<0,0,4,0,4,3,0,0,1

# What a file of landmarks is.
printf 'LM=3\n0 0\n40 0\n40 30\nID=a\nLM=3\n0 0\n40 0\nNA NA\nID=b\n' >described.tps
run info described.tps
check "info knows landmarks" grep -q 'described.tps, landmarks .TPS.' "$out"
check "and how many" grep -q '^  landmarks  *3, of 2 coordinates each: rows of 6 numbers' "$out"
check "and their labels" grep -q '^  labels  *a, b$' "$out"
check "and what is missing" grep -q '^  missing  *1 specimen with missing points' "$out"
check "and what they may be" grep -q '^  points of  *kendall:3x2 .shapes., size-and-shape:3x2, or landmarks:3x2.sigma=' "$out"
run info --json described.tps
check "in JSON" as_json "$out" 'r["kind"] == "landmarks" and (r["rows"], r["landmarks"], r["dimension"], r["missing"]) == (2, 3, 2, 1) and r["labels"] == ["a", "b"] and abs(r["neighbours"] - 36) < 1e-12'
refuses "an image" 3 "an image, which manistat does not read yet; write its tensors as a table" info brain.nii.gz
