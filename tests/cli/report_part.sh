# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors

# Reports: their structure, hostile names, points that are gone, files that are no results.

manistat sample --manifold sphere:2 --time 0.1 -n 30 -o p.csv
manistat sample --manifold sphere:2 --time 0.1 -n 20 --start 1,0,0 --seed 3 -o q.csv
cat p.csv q.csv >both.csv
awk 'BEGIN { print "x"; for (i = 0; i < 30; i++) print i / 30 }' >x.csv
awk 'BEGIN { for (i = 0; i < 30; i++) print i % 2 ? "<b>odd</b>" : "</script><script>alert(1)</script>" }' >names.txt
sphere=(--manifold sphere:2)
manistat mean "${sphere[@]}" p.csv --json >mean.json
manistat mean "${sphere[@]}" p.csv --by names.txt --json >groups.json
manistat test "${sphere[@]}" p.csv q.csv --json >test.json
manistat kmeans "${sphere[@]}" -k 2 both.csv --json >clusters.json
manistat mixture "${sphere[@]}" -k 1-2 both.csv --json >mixture.json
manistat regress "${sphere[@]}" --y p.csv --x x.csv --json >curve.json

# page NAME RESULTS: a report of them has the structure of one; it is in page.html.
page() {
    local name=$1
    shift
    run report "$@" -o page.html --force
    [ "$status" -eq 0 ] && [ ! -s "$err" ] && python3 -B "$here/report_page.py" page.html "$@" >"$err"
    verdict "report: $name" $?
}

# scene EXPRESSION: holds of v, what the page's script draws of the first result.
scene() {
    python3 -c 'import json, re, sys
text = open("page.html").read()
v = json.loads(re.search(r"id=\"result-1-scene\">(.*?)</script>", text, re.S).group(1))
sys.exit(0 if eval(sys.argv[1]) else 1)' "$1"
}

page "a mean" mean.json
check "its points are drawn" scene "len(v['points']) == 90 and v['frame'] == 'ball' and v['row'] == list(range(30))"
check "its mean and its region" scene "len(v['marks']) == 1 and len(v['lines']) == 1 and len(v['lines'][0]['at']) == 96 * 3"
check "a still picture has as many" test "$(grep -c 'class="dot' page.html)" -eq 30
check "no coordinate is missing" bash -c '! grep -Eqi "(nan|inf)[\" ,]" <(grep "<circle\|<path" page.html)'
page "groups with hostile names" groups.json
check "no element of theirs" bash -c '! grep -q "<b>odd\|<script>alert" page.html'
page "a test" test.json
check "the files are groups" scene "sorted(set(v['group'])) == [0, 1] and v['names'] == ['p.csv', 'q.csv']"
page "clusters" clusters.json
check "labels are groups" scene "v['group'] == __import__('json').load(open('clusters.json'))['labels']"
page "a mixture" mixture.json
page "a regression" curve.json
check "its curve" scene "len(v['lines']) == 1 and len(v['lines'][0]['at']) == 121 * 3"
page "all on one page" mean.json groups.json test.json clusters.json mixture.json curve.json
manistat report mean.json -o again.html
run report mean.json
check "to standard output, the same page each time" cmp -s again.html "$out"
refuses "a file that is there" 3 "again.html exists" report mean.json -o again.html

# Other spaces: the frame that suits, and the tangent space elsewhere.
while read -r spec frame more; do
    manistat sample --manifold "$spec" --time 0.02 -n 12 -o points.csv --force
    # shellcheck disable=SC2086
    manistat mean --manifold "$spec" points.csv $more --json --quiet >space.json
    page "$spec" space.json
    check "$spec: $frame" scene "v['frame'] == '$frame' and len(v['row']) == 12 and len(v['marks']) >= 1 and None not in v['points']"
done <<'SPACES'
circle circle
torus:2 square
euclidean:2 plane
euclidean:3 space
hyperbolic:2 disc
so3 ball
spd:3 plane --kind frechet
sphere:4 plane
euclidean:5 plane
landmarks:4x2?sigma=4 plane
product(sphere:2,euclidean:1) plane
SPACES

# Surfaces in space are drawn with their lines.
cat >tube.manifold <<'FORMULAS'
coordinates u v
period    u 2*pi
embedding = cos(u), sin(u), v
start     = 0, 0
FORMULAS
manistat sample --manifold tube.manifold --time 0.1 -n 20 -o tube.csv
manistat mean --manifold tube.manifold tube.csv --json --quiet >tube.json
page "a surface" tube.json
check "on the surface" scene "v['frame'] == 'space' and v['dim'] == 3 and all(abs(a * a + b * b - 1) < 1e-4 for a, b in zip(v['points'][0::3], v['points'][1::3]))"
check "with its lines and its region" scene "len([l for l in v['lines'] if l['thin']]) == 38 and len([l for l in v['lines'] if not l['thin']]) == 1"
mkdir -p elsewhere
cp tube.manifold tube.csv tube.json elsewhere
mv tube.manifold hidden
succeeds "the file of a manifold beside the result" report elsewhere/tube.json -o page.html --force
check "is found" scene "len(v['row']) == 20"
mv hidden tube.manifold

# Principal geodesic coordinates of flat space are principal components.
awk 'BEGIN { srand(4); for (i = 0; i < 40; i++) print 3 * (rand() - 0.5) "," (rand() - 0.5) "," 0.1 * rand() "," 0.2 * rand() }' >flat.csv
manistat mean --manifold euclidean:4 flat.csv --json >flat.json
page "flat space" flat.json
check "shares of the variance" python3 -c '
import re, sys
rows = [[float(c) for c in l.split(",")] for l in open("flat.csv")]
n, d = len(rows), 4
mean = [sum(r[k] for r in rows) / n for k in range(d)]
total = sum((r[k] - mean[k]) ** 2 for r in rows for k in range(d))
u = [1.0] * d
for _ in range(500):
    w = [sum(sum((r[j] - mean[j]) * u[j] for j in range(d)) * (r[k] - mean[k]) for r in rows) for k in range(d)]
    size = sum(x * x for x in w) ** 0.5
    u = [x / size for x in w]
text = open("page.html").read()
share = float(re.search(r"with ([0-9.]+) % and", text).group(1))
sys.exit(abs(share - 100 * size / total) > 0.05 * share / 10)'

# Many rows are thinned, and the page says so.
manistat sample "${sphere[@]}" --time 0.1 -n 9000 --steps 1 -o many.csv
manistat mean "${sphere[@]}" many.csv --kind frechet --starts 1 --json --quiet >many.json
page "many rows" many.json
check "they are thinned" scene "len(v['row']) == 4000 and v['total'] == 9000 and len(set(v['row'])) == 4000"
check "which is said" grep -q "4000 of the 9000 rows are drawn" page.html

# Networks: their certificates, if they are those of then.
manistat train --manifold circle --steps 60 --width 8 --depth 1 -o net.safetensors >/dev/null 2>&1
manistat check net.safetensors --samples 500 --json >check.json 2>/dev/null
manistat sample --manifold circle --time 0.2 -n 15 -o turns.csv
manistat mean --score net.safetensors turns.csv --json --quiet --force >net.json
page "a check" check.json
page "a mean by a network" net.json
check "its certificate" grep -q "Certificate of the score network" page.html
check "six bands of it" test "$(grep -c 'data-key="usable"' page.html)" -eq 6
cp net.safetensors other.safetensors
manistat train --manifold circle --steps 70 --width 8 --depth 1 -o net.safetensors --force >/dev/null 2>&1
run report net.json -o page.html --force
check "another network by now" grep -q "The certificate of the model is not shown: net.safetensors has changed since" page.html
succeeds "--model" report net.json --model other.safetensors -o page.html --force
check "the same under another name" bash -c 'grep -q "Certificate of the score network" page.html && ! grep -q "is not known to be" page.html'
succeeds "--model with another" report net.json --model net.safetensors -o page.html --force
check "another is called so" grep -q "is not known to be the one" page.html

# Where the points are.
mkdir -p away/deep
cp p.csv mean.json away
(cd away/deep && run report ../mean.json -o page.html && cp page.html ../../page.html)
check "beside the result" scene "len(v['row']) == 30"
cp mean.json lonely.json
mkdir -p empty
cp mean.json empty
cd empty || exit 2
run report mean.json -o ../page.html --force
check "points that are gone are a warning" grep -q 'was made from p.csv, which is neither here nor beside it; give the points with --data FILE$' "$err"
[ "$status" -eq 0 ]
verdict "and the page is there" $?
cd .. || exit 2
check "without points, with the mean" scene "v['row'] == [] and len(v['marks']) == 1 and len(v['lines']) == 1"
check "and it says so" grep -q "The data points are not shown" page.html
succeeds "--data" report empty/mean.json --data p.csv -o page.html --force
check "brings them back" scene "len(v['row']) == 30"
refuses "--data with another file" 2 "q.csv is not the file that .*mean.json was made from" report mean.json --data q.csv
refuses "--data with no file" 2 "cannot read" report mean.json --data nowhere.csv
refuses "--data --force with another number of rows" 2 "a result of 30 points, and there are 20" report mean.json --data q.csv --force -o other.html
manistat mean "${sphere[@]}" --json <p.csv >piped.json
run report piped.json -o page.html --force
check "standard input" grep -q 'was made from standard input; give the points with --data FILE$' "$err"
succeeds "standard input, named" report piped.json --data p.csv -o page.html --force
cp p.csv changed.csv
manistat mean "${sphere[@]}" changed.csv --json >changed.json
echo 0,0,1 >>changed.csv
run report changed.json -o page.html --force
check "a file that has changed" grep -q 'changed.csv has changed since changed.json was made from it; give the points with --data FILE$' "$err"

# What is no result, or an older one.
echo 'no json' >bad.json
echo '[1, 2]' >list.json
echo '{"command": "dance"}' >dance.json
refuses "no JSON" 2 "bad.json, line 1" report bad.json
refuses "no object" 2 "list.json is not a result" report list.json
refuses "no command of ours" 2 "dance.json is not a result" report dance.json
refuses "no file" 2 "nowhere.json" report nowhere.json
refuses "no operand" 2 "no RESULT given" report
refuses "nothing is written if one is bad" 2 "list.json is not a result" report mean.json list.json -o unborn.html
check "it was not" test ! -e unborn.html
python3 -c 'import json; r = json.load(open("mean.json")); del r["made_by"]; json.dump(r, open("old.json", "w"))'
run report old.json -o page.html --force
check "an older result says what is missing" grep -q 'old.json does not say what it was made from ("made_by"); give the points with --data FILE$' "$err"
check "in the page, too" grep -q 'has no &quot;made_by&quot;\|has no "made_by"' page.html
succeeds "an older result with its points" report old.json --data p.csv -o page.html --force
check "it has a picture" scene "len(v['row']) == 30"
for key in manifold mean basis time n uniqueness region_radius2; do
    python3 -c 'import json, sys; r = json.load(open("mean.json")); del r[sys.argv[1]]; json.dump(r, open("short.json", "w"))' "$key"
    run report short.json -o page.html --force
    [ "$status" -eq 0 ]
    verdict "a result without $key" $?
done
python3 -c 'import json; r = json.load(open("mean.json")); r["mean"] = ["x", None, 1]; json.dump(r, open("odd.json", "w"))'
refuses "a mean that is no point" 2 "odd.json" report odd.json -o unborn.html

# Names that try to get out.
name=$'</script><img src=x onerror="alert(1)"> & \'quoted\' $(id).csv'
ln -s "$PWD/p.csv" 'less<than.csv'
cp p.csv "${name//\//_}"
manistat mean "${sphere[@]}" "${name//\//_}" --json >'<!--hostile.json'
page "a hostile name" '<!--hostile.json'
check "no image" bash -c '! grep -q "<img" page.html'
check "the command line is what a shell takes" python3 - <<'PYTHON'
import html, json, re, shlex, sys
text = open("page.html").read()
line = html.unescape(re.search(r"<code>(.*?)</code>", text, re.S).group(1))
sys.exit(shlex.split(line) != json.load(open("<!--hostile.json"))["made_by"]["command"])
PYTHON
