# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors

# mean, test, kmeans, mixture: closed forms of flat space, reference values, corner cases, and what is refused.

# near: |a - b| is at most the tolerance, relative to b where b is large.
expects() {
    local name=$1 expression=$2
    shift 2
    run "$@" --json
    python3 -c 'import json, math, sys
r = json.load(open(sys.argv[1]))
def near(a, b, tolerance=1e-9):
    if isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(near(x, y, tolerance) for x, y in zip(a, b))
    return abs(a - b) <= tolerance * max(1, abs(b))
sys.exit(0 if eval(sys.argv[2]) else 1)' "$out" "$expression"
    verdict "$name" $?
}

# ---- Flat space: the mean is the mean, t = mean |x - mean|^2 / d. Then Cov(mean) = t/n I, Var(t) = 2 t^2/(n d). ----
printf '1,2\n3,4\n5,9\n' >flat.csv
flat=(mean --manifold euclidean:2)
t=17/3 # squared distances 13, 1, 20 over n d = 6
expects "flat mean and time" "near(r['mean'], [3, 5]) and near(r['time'], $t)" "${flat[@]}" flat.csv
check "flat mean: status 0 and silence" test "$status" -eq 0 -a ! -s "$err"
check "flat mean: covariance" as_json "$out" "abs(r['mean_covariance'][0][0] - $t / 3) < 1e-9 and abs(r['mean_covariance'][0][1]) < 1e-9"
check "flat mean: its standard error" as_json "$out" "abs(r['mean_standard_error'] - math.sqrt(2 * $t / 3)) < 1e-9"
check "flat mean: that of the time" as_json "$out" "abs(r['time_standard_error'] - $t * math.sqrt(2 / 6)) < 1e-6"
check "flat mean: the corrected time is that of n - 1" as_json "$out" "abs(r['time_corrected'] - 1.5 * $t) < 1e-2 and r['time_interval'][0] < $t < r['time_interval'][1]"
expects "robust intervals reach up to what few rows may hide" "near(r['time_interval'][1], r['time'] * (1 - 24 * math.log(0.05) / 3), 1e-8) and r['time_interval'][0] < r['time']" "${flat[@]}" --covariance sandwich flat.csv
expects "flat mean again" "near(r['time'], $t)" "${flat[@]}" flat.csv
check "flat mean: likelihood, AIC and BIC" as_json "$out" "abs(r['log_likelihood'] + 3 + 3 * math.log(2 * math.pi * $t)) < 1e-9 and r['parameters'] == 3 and abs(r['aic'] - 6 + 2 * r['log_likelihood']) < 1e-9 and abs(r['bic'] - 3 * math.log(3) + 2 * r['log_likelihood']) < 1e-9"
check "flat mean: variance" as_json "$out" "abs(r['variance'] - 34 / 3) < 1e-9"
check "flat mean: the rest" as_json "$out" "r['command'] == 'mean' and r['manifold'] == 'euclidean:2' and r['kind'] == 'diffusion' and r['score'] == 'exact' and r['n'] == 3 and r['converged'] and r['unique'] and r['gradient_norm'] < 1e-10 and r['seed'] == 2712 and r['confidence'] == 0.95 and r['method'] == 'newton' and r['covariance'] == 'observed' and len(r['mean_set']) == 1 and r['mean_set'][0]['mean'] == r['mean'] and len(r['basis']) == 2 and r['region_volume'] > 0 and 'version' in r and 'seconds' in r and 'iterations' in r and 'newton_decrement' in r"
expects "fixed time" "near(r['mean'], [3, 5]) and r['time'] == 2 and r['time_standard_error'] is None and r['time_interval'] is None and near(r['mean_covariance'][0][0], 2 / 3)" "${flat[@]}" --time 2 flat.csv
expects "Frechet mean" "near(r['mean'], [3, 5]) and r['time'] is None and r['log_likelihood'] is None and near(r['variance'], 34 / 3) and r['kind'] == 'frechet'" "${flat[@]}" --kind frechet flat.csv
check "Frechet mean: status" test "$status" -eq 0
for method in gradient adam; do
    expects "method $method" "near(r['mean'], [3, 5], 1e-6) and near(r['time'], $t, 1e-5) and r['method'] == '$method'" "${flat[@]}" --method "$method" flat.csv
done
expects "a start of one's own" "near(r['mean'], [3, 5])" "${flat[@]}" --start -20,30 flat.csv
echo -20,30 >start.csv
expects "a start from a file" "near(r['mean'], [3, 5])" "${flat[@]}" --start start.csv flat.csv
# Fisher's law with 2 and 4 degrees of freedom, P(F > x) = (1 + x/2)^-2, times 2 n/(n - 1).
expects "confidence" "r['confidence'] == 0.5 and near(r['region_radius2'], 6 * (math.sqrt(2) - 1))" "${flat[@]}" --confidence 0.5 flat.csv

# A row of weight 2 is the row twice, one of weight 0 is not there.
printf '2\n0\n1\n' >weights.csv
printf '1,2\n1,2\n5,9\n' >repeated.csv
manistat "${flat[@]}" --json repeated.csv >repeated.json
expects "relative weights" "near(r['effective_n'], 9 / 5) and near(r['mean'], json.load(open('repeated.json'))['mean']) and r['warnings'] == []" "${flat[@]}" --weights weights.csv --weights-are relative flat.csv
expects "shares as counts" "r['warnings'] == ['weights-sum-to-one'] and near(r['effective_n'], 1)" "${flat[@]}" --weights <(printf '0.5\n0.3\n0.2\n') flat.csv
expects "weights" "[near(r[k], json.load(open('repeated.json'))[k]) for k in ('mean', 'time', 'log_likelihood', 'variance')] == [True] * 4" "${flat[@]}" --weights weights.csv flat.csv

run "${flat[@]}" flat.csv
check "text: mean and time" grep -Eq '^  mean +3, 5$' "$out"
check "text: the time with its error" grep -Eq '^  time +5\.66666+7 \+- 3\.27' "$out"
run "${flat[@]}" flat.csv -o report.txt
check "text in a file" grep -q 'diffusion mean on euclidean:2, 3 points' report.txt
refuses "an existing file" 3 "report.txt exists; pass --force" "${flat[@]}" flat.csv -o report.txt
refuses "text is not NPY" 2 "not NPY" test --manifold euclidean:2 flat.csv flat.csv -o test.npy
refuses "text is no table" 2 "not a table: -o test.csv" test --manifold euclidean:2 flat.csv flat.csv -o test.csv
for ending in csv tsv npy; do
    succeeds "the mean as data: $ending" "${flat[@]}" flat.csv -o "mean.$ending"
    check "and the text on standard output: $ending" grep -q '^  mean  ' "$out"
    succeeds "which is a file of points: $ending" "${flat[@]}" --kind frechet --json "mean.$ending"
    cp "$out" from_table.json
    run "${flat[@]}" --json flat.csv
    check "with all digits: $ending" as_json "$out" 'r["mean"] == json.load(open("from_table.json"))["mean"]'
done
refuses "rows that are no landmarks" 3 "TPS files hold landmarks" "${flat[@]}" flat.csv -o mean.tps
refuses "a table is not overwritten" 3 "mean.csv exists" "${flat[@]}" flat.csv -o mean.csv
printf 'lat,lon,site\n10,20,a\n11,22,a\n-30,40,b\n-33,42,b\n' >sites.csv
succeeds "means of groups as a table" mean --manifold sphere:2 --kind frechet --latlon --by site sites.csv -o sites_means.csv
check "has a header and the groups" grep -qx 'lat,lon,group' sites_means.csv
succeeds "which can be read again" mean --manifold sphere:2 --kind frechet --latlon --by group sites_means.csv --quiet
check "as two groups" grep -q '2 points in 2 groups' "$out"
printf '0,0,4,0,4,3\n0,0,4,0.5,4,3\n' >two_shapes.csv
succeeds "a mean shape as TPS" mean --quiet --manifold size-and-shape:3x2 two_shapes.csv -o shape.tps
check "is one specimen" test "$(grep -c '^LM=3' shape.tps)" -eq 1
check "without prose" test "$(wc -l <shape.tps)" -eq 5
printf 'x\n0\n1\n2\n' >table_x.csv
succeeds "fitted points as a table" regress --manifold euclidean:2 --y flat.csv --x table_x.csv -o fitted.csv
run regress --manifold euclidean:2 --y flat.csv --x table_x.csv --json
check "a row for each" as_json "$out" 'r["fitted"] == [[float(v) for v in l.split(",")] for l in open("fitted.csv")]'
succeeds "predictions as a table" regress --manifold euclidean:2 --y flat.csv --x table_x.csv --predict table_x.csv -o predicted.csv
check "are points" test "$(wc -l <predicted.csv)" -eq 3
check "nothing was written" test ! -e test.npy -a ! -e test.csv

# ---- Curved space ----
manistat sample --manifold sphere:2 --start 0,0,1 --time 0.05 -n 30 >north.csv
manistat sample --manifold sphere:2 --start 1,0,0 --time 0.05 -n 20 >east.csv
cat east.csv north.csv >both.csv
sphere=(mean --manifold sphere:2)
manistat "${sphere[@]}" --json north.csv >north.json
for covariance in sandwich bootstrap; do # the model holds, and so they agree with the observed information
    expects "covariance $covariance" "r['covariance'] == '$covariance' and all(0.6 < r[k] / json.load(open('north.json'))[k] < 1.6 for k in ('mean_standard_error', 'time_standard_error')) and len(r['mean_covariance']) == 2" "${sphere[@]}" --covariance "$covariance" --resamples 200 north.csv
done
printf '0,0,1\n0.6,0,0.8\n' >pair.csv
expects "the mean of two is in the middle" "near(r['mean'], [math.sqrt(0.1), 0, math.sqrt(0.9)], 1e-8)" "${sphere[@]}" pair.csv
printf '90,0\n53.13010235415598,0\n' >pair-latlon.csv
expects "latitude and longitude" "near(r['mean'], [71.56505117707799, 0], 1e-6) and r['latlon'] is True" "${sphere[@]}" --latlon pair-latlon.csv
printf '170\n-170\n' >angles.csv
expects "degrees on the circle" "near(abs(r['mean'][0]), 180, 1e-6)" mean --manifold circle --degrees angles.csv
printf '1.1\n1.9\n1.0\n-0.5\n1.5\n-2.3\n-1.8\n' >round.csv # climbs from some rows end at 1.92
expects "the global mean of angles" "near(r['mean'], [0.9 / 7], 1e-12) and near(r['variance'], 2.390612244897959, 1e-12)" mean --manifold circle --kind frechet round.csv
expects "the climb alone, and what it knows" "r['variance'] > 2.6 and r['unique'] is None and r['uniqueness'] == 'not established'" mean --manifold circle --kind frechet --starts 1 round.csv
expects "proven by a theorem" "r['unique'] is True and r['uniqueness'] == 'proven'" "${sphere[@]}" --kind frechet north.csv
expects "found by a search" "r['unique'] is True and r['uniqueness'] == 'searched'" "${sphere[@]}" north.csv
awk -F, '{ s = NR % 2 ? 1 : -1; print s * $1 "," s * $2 "," s * $3 }' north.csv >axes.csv
expects "axes: the data do not tell" "r['unique'] is not True and len(r['mean_set']) > 1" "${sphere[@]}" --kind frechet axes.csv
printf '0,0,1\n0,0,-1\n' >antipodes.csv
expects "antipodes: the Frechet mean is not unique" "not r['unique'] and abs(r['mean'][2]) < 1e-6 and near(r['variance'], math.pi ** 2 / 4)" "${sphere[@]}" --kind frechet antipodes.csv
check "antipodes: a warning and status 0" grep -q 'warning: the mean is not unique' "$err"
check "antipodes: status 0" test "$status" -eq 0
expects "antipodes: quiet" "not r['unique']" "${sphere[@]}" --kind frechet --quiet antipodes.csv
check "antipodes: quiet means no warning" test "$status" -eq 0 -a ! -s "$err"
expects "antipodes at a fixed time: the circle between" "not r['unique'] and abs(r['mean'][2]) < 1e-6 and r['time'] == 0.5" "${sphere[@]}" --time 0.5 antipodes.csv
expects "antipodes: the time runs to infinity" "r['time'] is None and r['time_limit'] == 'infinity'" "${sphere[@]}" antipodes.csv
check "antipodes: status 1" test "$status" -eq 1
printf '0,0,1\n0,0,1\n' >same.csv
head -1 same.csv >one.csv
for file in one.csv same.csv; do
    expects "$file: the time runs to zero" "r['time'] is None and r['time_limit'] == 'zero' and near(r['mean'], [0, 0, 1]) and r['variance'] == 0" "${sphere[@]}" "$file"
    check "$file: status 1 and one line" test "$status" -eq 1 -a "$(wc -l <"$err")" -eq 1
    expects "$file: with a fixed time all is well" "near(r['mean'], [0, 0, 1]) and r['time'] == 0.5 and r['unique']" "${sphere[@]}" --time 0.5 "$file"
    check "$file: status 0" test "$status" -eq 0
    expects "$file: the Frechet mean too" "near(r['mean'], [0, 0, 1]) and r['variance'] == 0" "${sphere[@]}" --kind frechet "$file"
done
run "${sphere[@]:0:3}" one.csv
check "no gradient where there was no climb" test "$(grep -c nan "$out")" -eq 0 -a "$(grep -c "converged *no, 0 iterations$" "$out")" -eq 1
expects "not converged, and printed" "not r['converged'] and r['iterations'] == 1 and len(r['mean']) == 3" "${sphere[@]}" --method gradient --iterations 1 both.csv
check "not converged: status 1 and one line" test "$status" -eq 1 -a "$(wc -l <"$err")" -eq 1
printf '1,0,0,1,0,1\n2,0,0,2,0,2\n' >triangles.csv
expects "matrices without a closed form have a Frechet mean" "r['kind'] == 'frechet' and near(r['mean'][0], math.sqrt(2)) and r['time'] is None" mean --manifold spd:3 triangles.csv
refuses "but no diffusion mean" 3 "spd:3 has no closed-form.*--kind frechet" mean --manifold spd:3 --kind diffusion triangles.csv
# A line beside a sphere: the sphere must not hold back the steps along the line.
awk 'BEGIN { for (i = 0; i < 40; i++) printf "%.9f,0,%.9f,%.3f\n", sin(i / 80), cos(i / 80), 1000 * sin(7 * i) - 57 }' >beside.csv
expects "a start far away on one factor" "r['converged'] and r['iterations'] <= 10 and near(r['mean'][3], sum(float(l.split(',')[3]) for l in open('beside.csv')) / 40)" mean --manifold 'product(sphere:2,euclidean:1)' --kind frechet --start 0,0,1,3000 --starts 1 beside.csv

# ---- Groups ----
(
    echo x,y,z,direction
    sed 's/$/,north/' north.csv
    sed 's/$/,"far, east"/' east.csv
) >labelled.csv
sed -n 's/.*,\(north\|"far, east"\)$/\1/p' labelled.csv >labels.txt
sed 1d labelled.csv | cut -d, -f1-3 >points.csv
for by in direction 4; do
    expects "groups by column $by" "[(g['group'], g['n']) for g in r['groups']] == [('far, east', 20), ('north', 30)] and r['n'] == 50 and all(r['groups'][1][k] == v for k, v in json.load(open('north.json')).items() if k in r['groups'][1])" "${sphere[@]}" --by "$by" labelled.csv
done
cp "$out" by-column.json
expects "groups by file" "r['groups'] == json.load(open('by-column.json'))['groups']" "${sphere[@]}" --by labels.txt points.csv
sed 1i\\group labels.txt >headed.txt
expects "groups by file with a header" "r['groups'] == json.load(open('by-column.json'))['groups']" "${sphere[@]}" --by headed.txt points.csv
run "${sphere[@]}" --by - points.csv <labels.txt
check "groups from standard input" grep -Eq '^north +30 ' "$out"
check "a line per group" test "$(grep -Ec ' yes$' "$out")" -eq 2
seq 10 | sed 's/.*/0,0,1/' | sed '1s/.*/0,1,0/' >eleven.csv
seq 10 >many.txt
expects "groups that are numbers stand in order; the status tells of groups of one" "[g['group'] for g in r['groups']] == [str(k) for k in range(1, 11)]" "${sphere[@]}" --by many.txt eleven.csv
check "groups of one: status 1 and one line" test "$status" -eq 1 -a "$(wc -l <"$err")" -eq 1
expects "weights in groups" "[g['n'] for g in r['groups']] == [20, 30]" "${sphere[@]}" --by direction --weights <(seq 50) labelled.csv
refuses "no such column" 2 '"size" is neither a file nor a column of labelled.csv, which has x, y, z, direction' "${sphere[@]}" --by size labelled.csv
refuses "too few labels" 2 "many.txt has 10 labels for 50 rows" "${sphere[@]}" --by many.txt points.csv
refuses "a group without weight" 2 "group 'far, east': .*weights" "${sphere[@]}" --by direction --weights <(seq 50 | sed '31,$s/.*/0/') labelled.csv

# ---- What is refused ----
refuses "a negative weight" 2 "row 2: the weight is -1" "${flat[@]}" --weights <(printf '1\n-1\n1\n') flat.csv
refuses "a weight that is no number" 2 "row 3: the weight is nan" "${flat[@]}" --weights <(printf '1\n1\nnan\n') flat.csv
refuses "an infinite weight" 2 "row 1: the weight is inf" "${flat[@]}" --weights <(printf 'inf\n1\n1\n') flat.csv
refuses "too few weights" 2 "2 weights for 3 points" "${flat[@]}" --weights <(printf '1\n1\n') flat.csv
refuses "too many weights" 2 "more weights than the 3 points" "${flat[@]}" --weights <(printf '1\n1\n1\n1\n') flat.csv
refuses "two columns of weights" 2 "weights need one" "${flat[@]}" --weights flat.csv flat.csv
refuses "no weight at all" 2 "weights" "${flat[@]}" --weights <(printf '0\n0\n0\n') flat.csv
refuses "an unknown kind" 2 "--kind cannot be 'median'; choose one of diffusion, frechet" "${flat[@]}" --kind median flat.csv
refuses "an unknown method" 2 "choose one of newton, gradient, adam" "${flat[@]}" --method bfgs flat.csv
refuses "an unknown covariance" 2 "choose one of observed, sandwich, bootstrap" "${flat[@]}" --covariance robust flat.csv
refuses "a score that is not there" 2 "--score 'bridgework' is neither a score source .exact, log, expansion, bridge, pde, spectral. nor a file" "${flat[@]}" --score bridgework flat.csv
refuses "a time that is neither" 2 "--time must be fit or a number, not 'soon'" "${flat[@]}" --time soon flat.csv
refuses "time zero" 2 "--time must be positive" "${flat[@]}" --time 0 flat.csv
refuses "a time for a Frechet mean" 2 "has no time; leave out --time" "${flat[@]}" --kind frechet --time 1 flat.csv
refuses "confidence 1" 2 "--confidence must lie between 0 and 1" "${flat[@]}" --confidence 1 flat.csv
refuses "no starts" 2 "--starts must be a whole number from 1" "${flat[@]}" --starts 0 flat.csv
refuses "a start off the manifold" 2 "--start: .*norm" "${sphere[@]}" --start 1,1,1 north.csv
refuses "several starts in a file" 2 "--start: flat.csv holds 3 points; one is needed" "${flat[@]}" --start flat.csv flat.csv
refuses "standard input twice" 2 "standard input cannot be several files" "${flat[@]}" --weights - -

# ---- test ----
pair=(test --manifold sphere:2)
expects "two samples with different means" "r['p_value'] < 1e-6 and r['degrees_of_freedom'] == 2 and r['n'] == [30, 20] and near(r['statistic'], 2 * (r['log_likelihood_alternative'] - r['log_likelihood_null'])) and r['first']['mean'][2] > 0.9 and r['second']['mean'][0] > 0.9 and r['common_time'] is None and len(r['common_mean']) == 3 and r['hypothesis'] == 'mean' and r['method'] == 'lr' and r['converged']" "${pair[@]}" north.csv east.csv
check "test: status 0 and silence" test "$status" -eq 0 -a ! -s "$err"
expects "a sample and itself" "r['p_value'] > 0.999 and abs(r['statistic']) < 1e-8" "${pair[@]}" north.csv north.csv
expects "equal times" "r['degrees_of_freedom'] == 1 and r['common_mean'] is None and r['p_value'] > 0.001 and r['common_time'] > 0" "${pair[@]}" --hypothesis time north.csv east.csv
expects "both" "r['degrees_of_freedom'] == 3 and r['common_time'] > 0" "${pair[@]}" --hypothesis both north.csv east.csv
expects "permutations" "near(r['p_value'], 1 / 100) and r['permutations'] == 99" "${pair[@]}" --method permutation --permutations 99 north.csv east.csv
# In flat space with a fixed time t: statistic = |m1 - m2|^2 / (t/n1 + t/n2) = 25 / 2.
printf '0,0\n0,0\n' >zeros.csv
printf '3,4\n3,4\n' >others.csv
expects "closed form in flat space" "near(r['statistic'], 12.5) and near(r['p_value'], math.exp(-6.25)) and near(r['common_mean'], [1.5, 2])" test --manifold euclidean:2 --time 2 zeros.csv others.csv
run "${pair[@]}" north.csv east.csv
check "test: text" grep -Eq '^p-value +[0-9.e-]+$' "$out"
check "test: two samples are the first and the second" grep -Eq '^ +first +second +common$' "$out"
refuses "one file" 2 "two files or more are compared, but 1 is given" "${pair[@]}" north.csv
refuses "a fixed time and a question about it" 2 "no time to test" "${pair[@]}" --time 1 --hypothesis time north.csv east.csv
refuses "test without a likelihood" 3 "spd:3 has no closed-form" test --manifold spd:3 --kind diffusion triangles.csv triangles.csv
refuses "a sample of one" 2 "all the points are one" "${pair[@]}" north.csv one.csv

# ---- Several samples, and groups of one file ----
expects "three samples" "r['n'] == [30, 30, 20] and r['degrees_of_freedom'] == 4 and [g['group'] for g in r['groups']] == ['north.csv', 'north.csv', 'east.csv'] and r['p_value'] < 1e-6 and 'first' not in r and r['groups'][2]['mean'][0] > 0.9 and r['least_p_value'] is None" "${pair[@]}" north.csv north.csv east.csv
run "${pair[@]}" north.csv north.csv east.csv
check "three samples: a line each" grep -Eq '^east.csv +20 ' "$out"
expects "two samples of old" "r['n'] == [20, 30]" "${pair[@]}" east.csv north.csv
cp "$out" east-north.json
for by in direction labels.txt; do
    file=labelled.csv
    if [ "$by" = labels.txt ]; then file=points.csv; fi
    expects "test by $by" "[g['group'] for g in r['groups']] == ['far, east', 'north'] and all(r[k] == v for k, v in json.load(open('east-north.json')).items() if k not in ('groups', 'seconds', 'made_by'))" "${pair[@]}" --by "$by" "$file"
done
run "${pair[@]}" --by direction labelled.csv
check "test: groups have their names" grep -Eq '^ +far, east +north +common$' "$out"
refuses "--by and two files" 2 "--by tells the groups of one file, but 2 are given" "${pair[@]}" --by 4 labelled.csv labelled.csv
refuses "one group" 2 "there is one group only, '7'" "${pair[@]}" --by <(yes 7 | head -n 30) north.csv

# ---- Frechet means: permutations, everywhere ----
expects "Frechet means of two samples" "r['kind'] == 'frechet' and r['method'] == 'permutation' and near(r['p_value'], 0.01) and r['p_value_is_floor'] and r['statistic'] > 100 and r['degrees_of_freedom'] is None and r['common_time'] is None and r['exhaustive'] is False and r['least_p_value'] == 0.01" "${pair[@]}" --kind frechet --permutations 99 north.csv east.csv
run "${pair[@]}" --kind frechet --permutations 99 north.csv east.csv
check "a floor is said to be one" grep -Eq '^p-value +<= 0.01$' "$out"
expects "times: by permutation" "r['method'] == 'permutation' and r['degrees_of_freedom'] == 1 and r['p_value'] > 0.001 and not r['p_value_is_floor'] and r['log_likelihood_null'] is not None" "${pair[@]}" --hypothesis time north.csv east.csv
expects "times: by the likelihood ratio" "r['method'] == 'lr' and r['permutations'] == 0" "${pair[@]}" --hypothesis time --method lr north.csv east.csv
awk 'BEGIN { srand(4); for (i = 0; i < 12; i++) { for (a = 0; a < 9; a++) printf "%s%.6f", a ? "," : "", rand(); print "" } }' >nine.csv
expects "more degrees of freedom than rows" "r['method'] == 'permutation'" test --manifold euclidean:9 --by <(seq 12 | awk '{ print $1 % 3 }') nine.csv
refuses "their likelihood ratio" 3 "12 rows are too few for the likelihood ratio of 3 samples in 9 dimensions" test --manifold euclidean:9 --method lr --by <(seq 12 | awk '{ print $1 % 3 }') nine.csv
printf '0\n1\n2\n' >low.csv
printf '4\n5\n7\n' >high.csv
# (m1 - m2)^2 / (s1^2/3 + s2^2/3) = (13/3)^2 / (1/3 + 7/9), the largest of all 20 and its mirror image.
expects "all labellings" "near(r['statistic'], 16.9) and r['exhaustive'] and r['permutations'] == 19 and near(r['p_value'], 0.1) and near(r['least_p_value'], 0.1)" test --manifold euclidean:1 --kind frechet low.csv high.csv
check "too few points: a warning" grep -q 'so few points cannot have a p-value below 0.1' "$err"
expects "where there is no likelihood, Frechet means" "r['kind'] == 'frechet' and r['p_value'] == 1" test --manifold spd:3 --permutations 9 triangles.csv triangles.csv
run "${pair[@]}" --kind frechet --permutations 9 north.csv east.csv
check "too few permutations: a warning" grep -q '9 permutations cannot have a p-value below 0.1' "$err"
run "${pair[@]}" --kind frechet one.csv north.csv
check "a sample of one row, by Frechet means" test "$status" -eq 0
refuses "a likelihood ratio of Frechet means" 2 "no likelihood; leave out --method lr" "${pair[@]}" --kind frechet --method lr north.csv east.csv
refuses "a time of Frechet means" 2 "has no time; leave out --time" "${pair[@]}" --kind frechet --time 1 north.csv east.csv
refuses "times of Frechet means" 2 "no time to test; leave out --hypothesis both" "${pair[@]}" --kind frechet --hypothesis both north.csv east.csv

# ---- What a p-value should not be relied on for ----
awk 'BEGIN { for (i = 0; i < 60; i++) printf "%.6f,%.6f,%.6f\n", 50 * sin(3 * i), sin(5 * i), sin(7 * i) }' >wide.csv
expects "points that are no Brownian motion" "r['warnings'] == ['not-brownian']" test --manifold euclidean:3 --by <(seq 60 | awk '{ print $1 % 2 }') wide.csv
check "they are a warning" grep -q 'not spread like Brownian motion.*--method permutation' "$err"
expects "small samples" "r['warnings'] == ['small-samples']" "${pair[@]}" <(head -n 5 north.csv) <(tail -n 5 north.csv)
check "they are a warning" grep -q 'too small for the chi-squared law.*--method permutation' "$err"
awk 'BEGIN { for (i = 0; i < 40; i++) print i * 0.17 }' >around.csv
expects "a sample that is uniform" "r['groups'][0]['n'] == 40" test --manifold circle --kind frechet around.csv around.csv
check "it is a warning" grep -q 'around.csv: the points cannot be told from the uniform law' "$err"

# ---- Clusters ----
# Six subjects with two rows each, three in group a and three in b; and pairs: each subject before and after.
awk 'BEGIN { for (i = 0; i < 12; i++) printf "%s,%g,s%d,%s\n", i % 2 ? "second" : "first", int(i / 2) + i % 2 / 100, i / 2, i < 6 ? "a" : "b" }' >subjects.csv
sed -i 1i\\time,x,subject,group subjects.csv
line=(test --manifold euclidean:1)
cut -d, -f2 subjects.csv | sed 1d >subjects-x.csv
cut -d, -f3 subjects.csv >subjects.txt
cut -d, -f1 subjects.csv >times.txt
cut -d, -f4 subjects.csv >groups.txt
expects "clusters within groups" "r['clusters'] == 6 and not r['paired'] and r['method'] == 'permutation' and r['exhaustive'] and near(r['p_value'], 0.1) and near(r['least_p_value'], 0.1) and r['n'] == [6, 6]" "${line[@]}" --by groups.txt --cluster subjects.txt subjects-x.csv
check "clusters: too few of them" grep -q 'so few clusters cannot have a p-value below 0.1' "$err"
# 0.01 in each of six pairs: of 64 signs two are as far apart.
expects "pairs" "r['paired'] and r['clusters'] == 6 and r['permutations'] == 63 and near(r['p_value'], 2 / 64)" "${line[@]}" --kind frechet --by times.txt --cluster subjects.txt subjects-x.csv
run "${line[@]}" --kind frechet --by times.txt --cluster subjects.txt subjects-x.csv
check "pairs: text" grep -q 'against all 64 labellings within 6 clusters$' "$out"
cut -d, -f2-4 subjects.csv >three.csv
expects "clusters and groups in columns" "r['clusters'] == 6 and near(r['p_value'], 0.1)" "${line[@]}" --by group --cluster subject three.csv
expects "clusters in a column, groups in a file" "r['paired'] and near(r['p_value'], 2 / 64)" "${line[@]}" --kind frechet --by times.txt --cluster 2 <(cut -d, -f2,3 subjects.csv)
grep first subjects.csv | cut -d, -f2,3 >before.csv
grep second subjects.csv | cut -d, -f2,3 >after.csv
expects "the same cluster in two files" "r['paired'] and r['clusters'] == 6 and near(r['p_value'], 2 / 64)" "${line[@]}" --kind frechet --cluster 2 before.csv after.csv
expects "clusters of two files in one" "r['paired'] and r['clusters'] == 6 and near(r['p_value'], 2 / 64)" "${line[@]}" --kind frechet --cluster <(cut -d, -f2 before.csv after.csv) <(cut -d, -f1 before.csv) <(cut -d, -f1 after.csv)
expects "mean of clusters" "r['clusters'] == 6 and near(r['mean'], [2.505]) and near(r['mean_standard_error'], math.sqrt(35 / 12 / 6 * 6 / 5)) and r['covariance'] == 'sandwich'" mean --manifold euclidean:1 --cluster subjects.txt subjects-x.csv
expects "means of groups of clusters" "[(g['group'], g['clusters'], g['n']) for g in r['groups']] == [('a', 3, 6), ('b', 3, 6)] and near(r['groups'][0]['mean_standard_error'], math.sqrt(1 / 3))" mean --manifold euclidean:1 --by group --cluster subject three.csv
run mean --manifold euclidean:1 --cluster subjects.txt subjects-x.csv
check "mean of clusters: text" grep -Eq '^  clusters +6, worth [0-9.]+ independent rows$' "$out"
run mean --manifold euclidean:1 --cluster <(yes a | head -12) subjects-x.csv
check "one cluster: text" grep -Eq '^  clusters +1$' "$out"
check "one cluster has no interval" bash -c "! grep -q 'time interval' '$out'"
expects "one cluster" "r['effective_n'] is None and r['time_interval'] is None and r['mean_standard_error'] is None" mean --manifold euclidean:1 --cluster <(yes a | head -12) subjects-x.csv
run mean --manifold euclidean:3 --kind frechet <(printf '1,2,3\n2,1,3\n')
check "no region of two rows" grep -Eq '^  region +none: no more rows than dimensions .2 for 3.; give more$' "$out"
expects "JSON: no region" "r['region_kind'] == 'none' and r['missing_region'].startswith('no more rows than dimensions')" mean --manifold euclidean:3 --kind frechet <(printf '1,2,3\n2,1,3\n')
printf '1,2\n2,3\n4,1\n1,0\n' >four.csv
expects "no region of two clusters" "r['missing_region'] == 'no more clusters than dimensions (2 for 2); give more'" mean --manifold euclidean:2 --cluster <(printf 'a\na\nb\nb\n') four.csv
expects "no region of one weight" "'degrees of freedom, too few for 2 dimensions' in r['missing_region']" mean --manifold euclidean:2 --kind frechet --weights <(printf '100\n.001\n.001\n.001\n') --weights-are relative four.csv
expects "no region of shares" "'the weights sum to 0.8 observations' in r['missing_region'] and '--weights-are' in r['missing_region']" mean --manifold euclidean:2 --weights <(printf '.2\n.2\n.2\n.2\n') four.csv
expects "a region needs no reason" "r['region_kind'] == 'ellipsoid' and 'missing_region' not in r" mean --manifold euclidean:2 four.csv
run mean --manifold sphere:2 --kind frechet <(yes 0,0,1 | head -9)
check "one point nine times" grep -q 'none: all rows are one point' "$out"
refuses "clusters of both kinds" 2 "clusters lie in one group" "${line[@]}" --by <(seq 12 | sed 's/.*/x/;1s/x/y/;3,4s/x/y/') --cluster subjects.txt subjects-x.csv
refuses "a likelihood ratio of clusters" 2 "takes rows for independent" "${line[@]}" --method lr --by groups.txt --cluster subjects.txt subjects-x.csv
refuses "one column for both" 2 "cannot be two kinds of labels" "${line[@]}" --by 2 --cluster subject three.csv
printf 'a,b\n1,2\n2,3\n' >ab.csv
refuses "too few columns beside a cluster" 2 'without the labels, ab.csv has 1 column .b.; euclidean:2 needs 2' mean --manifold euclidean:2 --cluster a ab.csv
refuses "a missing column of clusters" 2 '"rat" is neither a file nor a column of ab.csv, which has a, b$' mean --manifold euclidean:2 --cluster rat ab.csv
printf 'a,rat\n1,x\n2,NA\n3,y\n4,NA\n' >unknown.csv
refuses "rows of unknown clusters" 2 '--cluster: unknown.csv, row 2: "NA" is no cluster .2 rows.' mean --manifold euclidean:1 --cluster rat unknown.csv
refuses "the same in a file of labels" 2 'row 3: "nan" is no cluster .1 row.' mean --manifold euclidean:1 --cluster <(printf 'x\nx\nnan\ny\n') <(cut -d, -f1 unknown.csv)
refuses "no such cluster column" 2 '"rat" is neither a file nor a column' "${line[@]}" --by group --cluster rat three.csv

# ---- kmeans ----
clusters=(kmeans --manifold sphere:2)
run "${clusters[@]}" -k 2 both.csv
cp "$out" found.txt
check "kmeans finds what is there" cmp -s found.txt <(yes 1 | head -20; yes 0 | head -30)
check "kmeans: status 0 and silence" test "$status" -eq 0 -a ! -s "$err"
run "${clusters[@]}" -k 2 both.csv --json -o clusters.json
check "kmeans: JSON" as_json clusters.json "r['labels'] == [int(l) for l in open('found.txt')] and r['sizes'] == [30, 20] and r['k'] == 2 and r['n'] == 50 and r['converged'] and r['inertia'] > 0 and r['command'] == 'kmeans' and r['manifold'] == 'sphere:2' and r['kind'] == 'frechet' and r['centres'][0][2] > 0.9 and 'iterations' in r"
manistat "${sphere[@]}" --kind frechet --json north.csv >north-frechet.json
check "kmeans: centres are means" as_json clusters.json "all(abs(a - b) < 1e-7 for a, b in zip(r['centres'][0], json.load(open('north-frechet.json'))['mean']))"
expects "kmeans: one cluster" "near(r['inertia'], 34) and r['centres'] == [[3, 5]]" kmeans --manifold euclidean:2 -k 1 flat.csv
expects "kmeans: as many clusters as points" "r['inertia'] == 0 and sorted(r['labels']) == [0, 1, 2]" kmeans --manifold euclidean:2 -k 3 flat.csv
expects "kmeans: diffusion centres have times" "all(t > 0 for t in r['times']) and r['kind'] == 'diffusion' and r['sizes'] == [30, 20]" "${clusters[@]}" -k 2 --kind diffusion both.csv
run "${clusters[@]}" --assign clusters.json both.csv
check "kmeans: --assign gives the labels again" cmp -s "$out" found.txt
expects "kmeans: --assign with --json" "r['labels'] == [0] * 30 and r['sizes'] == [30, 0] and r['k'] == 2" "${clusters[@]}" --assign clusters.json north.csv
printf '80,0\n85,90\n0,3\n2,-2\n' >places.csv
run "${clusters[@]}" -k 2 --latlon places.csv --json -o places.json
run "${clusters[@]}" --assign places.json both.csv
check "kmeans: centres in degrees are understood" test "$(sort -u "$out" | wc -l)" -eq 2
run "${clusters[@]}" -k 2 both.csv -o labels.npy
check "kmeans: labels as NPY" test "$status" -eq 0 -a -s labels.npy
expects "labels of kmeans are groups of mean" "[g['n'] for g in r['groups']] == [30, 20]" "${sphere[@]}" --by labels.npy both.csv
refuses "no k" 2 "-k K is missing; for example -k 3" "${clusters[@]}" both.csv
refuses "k = 0" 2 "-k must be a whole number from 1" "${clusters[@]}" -k 0 both.csv
refuses "k above n" 2 "-k 51 is more than the 50 points of both.csv" "${clusters[@]}" -k 51 both.csv
refuses "k and centres" 2 "leave out -k" "${clusters[@]}" -k 2 --assign clusters.json both.csv
refuses "centres of another manifold" 2 "clusters.json is about sphere:2, not euclidean:3; pass --manifold" kmeans --manifold euclidean:3 --assign clusters.json both.csv
refuses "centres of another command" 2 "north.json is not a result of kmeans" "${clusters[@]}" --assign north.json both.csv
refuses "centres that are no JSON" 2 "both.csv, line 1: .*not JSON" "${clusters[@]}" --assign both.csv both.csv
echo '{"command":"kmeans","manifold":"sphere:2","centres":[[1,0]]}' >short.json
refuses "centres that are too short" 2 "short.json, a centre: 2 columns" "${clusters[@]}" --assign short.json both.csv
echo '{"command":"kmeans","manifold":"sphere:2","centres":[]}' >none.json
refuses "no centres" 2 "none.json has no centres" "${clusters[@]}" --assign none.json both.csv
refuses "diffusion centres without a closed form" 3 "spd:3 has no closed-form" kmeans --manifold spd:3 --kind diffusion -k 1 triangles.csv

# ---- mixture ----
mix=(mixture --manifold sphere:2)
run "${mix[@]}" -k 2 both.csv
check "mixture finds what is there" cmp -s "$out" found.txt
expects "mixture: JSON" "near(sum(r['weights']), 1) and near(r['weights'], [0.6, 0.4], 0.02) and len(r['responsibilities']) == 50 and all(near(sum(row), 1) for row in r['responsibilities']) and r['labels'] == [max(range(2), key=row.__getitem__) for row in r['responsibilities']] and len(r['times']) == 2 and len(r['centres']) == 2 and r['parameters'] == 7 and near(r['bic'], 7 * math.log(50) - 2 * r['log_likelihood']) and r['converged'] and not r['degenerate']" "${mix[@]}" -k 2 both.csv
run "${mix[@]}" -k 1-4 both.csv
check "mixture: the least BIC wins" cmp -s "$out" found.txt
check "mixture: and the table says so" grep -Eq '^2 .* least$' "$err"
check "mixture: a line per candidate, and one for the uniform law" test "$(wc -l <"$err")" -eq 6
run "${mix[@]}" -k 1-4 --quiet both.csv
check "mixture: --quiet has no table" test "$status" -eq 0 -a ! -s "$err"
expects "mixture: candidates" "[c['k'] for c in r['candidates']] == [1, 2, 3] and r['k'] == 2 and r['bic'] == min(c['bic'] for c in r['candidates']) and near(r['candidates'][1]['log_likelihood'], r['log_likelihood'])" "${mix[@]}" -k 1-3 both.csv
check "mixture: silent with --json" test ! -s "$err"
expects "one component is the mean" "near(r['centres'], [[3, 5]], 1e-7) and near(r['times'][0], $t, 1e-6) and r['weights'] == [1]" mixture --manifold euclidean:2 -k 1 flat.csv
for k in 0 x 3-2 1-x 1.5 -2 1- ''; do
    refuses "mixture: -k '$k'" 2 "-k" "${mix[@]}" -k "$k" both.csv
done
refuses "mixture: k above n" 2 "-k 60 is more than the 50 points" "${mix[@]}" -k 2-60 both.csv
refuses "mixture without a closed form" 3 "spd:3 has no closed-form" mixture --manifold spd:3 -k 2 triangles.csv

# ---- The number of threads changes nothing but the seconds ----
without_seconds() {
    sed 's/"seconds":[^,]*,//' "$1"
}
while read -r -a command; do
    manistat "${command[@]}" --json --threads 1 >one.json
    manistat "${command[@]}" --json --threads 3 >three.json
    check "threads: ${command[*]}" cmp -s <(without_seconds one.json) <(without_seconds three.json)
done <<'COMMANDS'
mean --manifold sphere:2 both.csv
mean --manifold sphere:2 --covariance bootstrap --resamples 50 both.csv
mean --manifold sphere:2 --kind frechet --by direction labelled.csv
test --manifold sphere:2 --method permutation --permutations 20 north.csv east.csv
kmeans --manifold sphere:2 -k 3 both.csv
mixture --manifold sphere:2 -k 1-3 both.csv
COMMANDS

# ---- Reference values, where they are at hand ----
shared=${MST_SHARED-$here/../../../shared}/reference
matches() { # NAME SECTION ARGUMENTS: the result is that section of the reference file
    local name=$1 section=$2
    shift 2
    run "$@" --json
    python3 -c 'import json, math, sys
r = json.load(open(sys.argv[1]))
want = json.load(open(sys.argv[2]))["data"][sys.argv[3]]
def near(a, b, tolerance):
    return abs(a - b) <= tolerance * max(1, abs(b))
frechet = r["kind"] == "frechet"
mean = want["frechet_mean" if frechet else "mu"]
sign = -1 if r.get("quaternion") and r["mean"][0] * mean[0] < 0 else 1
ok = all(near(sign * a, b, 1e-8) for a, b in zip(r["mean"], mean)) and len(r["mean"]) == len(mean)
if frechet:
    ok = ok and near(r["variance"], want["frechet_variance"], 1e-9)
else:
    trace = sum(row[i] for i, row in enumerate(want["cov_mu"]))
    ok = ok and near(r["time"] / want["t"], 1, 1e-8) and near(r["log_likelihood"], want["loglik"], 1e-10)
    ok = ok and near(r["time_standard_error"] / want["se_t"], 1, 1e-5)
    ok = ok and near(r["mean_standard_error"] / math.sqrt(trace), 1, 1e-5)
sys.exit(0 if ok and r["converged"] else 1)' "$out" "$shared/sim_means.json" "$section"
    verdict "$name" $?
}
if [ -e "$shared/sim_means.json" ]; then
    while read -r section manifold option; do
        for kind in diffusion frechet; do
            [ "$section $kind" != "T3 frechet" ] || continue # the file has none
            # shellcheck disable=SC2086
            matches "reference: $kind mean of $section" "$section" mean --manifold "$manifold" $option \
                --kind "$kind" --project "$shared/sim_$section.csv"
        done
    done <<'SETS'
S2_small sphere:2
S2_large sphere:2
S20 sphere:20
H2 hyperbolic:2
H3 hyperbolic:3
SO3 so3 --quaternion
T3 torus:3
SETS
fi

# The unit of the data does not matter, down to where numbers differ by rounding only.
awk 'BEGIN { for (i = 0; i < 20; i++) printf "%.17g,%.17g\n", 1e-20 * (i % 5), 1e-20 * (i % 3) }' >tiny.csv
succeeds "mean of tiny numbers" mean --manifold euclidean:2 tiny.csv --json
check "it is their mean" python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
assert abs(r["mean"][0] / 2e-20 - 1) < 1e-9 and abs(r["mean"][1] / 0.95e-20 - 1) < 1e-9, r["mean"]' "$out"

# Components that sit on single points have the least BIC of all; they do not win.
printf '0,1\n1,2\n3,4\n5,5\n' >few.csv
run mixture --manifold euclidean:2 -k 1-4 --json few.csv
check "degenerate mixtures do not win" python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
assert not r["degenerate"] and any(c["degenerate"] for c in r["candidates"]), r' "$out"

check "that is no warning, for any four points have them" test ! -s "$err"
# One point far away takes a component for itself, and the others are narrow beside that.
{ awk 'BEGIN { for (i = 0; i < 40; i++) printf "%.6f,%.6f\n", sin(3 * i), sin(5 * i) }'; echo 1e6,0; } >remote.csv
run mixture --manifold euclidean:2 -k 1-2 --json remote.csv
check "a point far away: a warning" grep -q 'warning: -k 2 has a lower BIC, .*as where few points lie far from all others' "$err"

# Copies of rows tell no more than one of each; weights and clusters say what rows are worth.
seq 24 | awk '{ printf "%.6f\n", sin(3 * ($1 % 12)) }' >twice.csv
expects "rows that occur twice" "'copies' in r['warnings'] and r['different_rows'] == 12 and 'clusters' not in r" mean --manifold euclidean:1 twice.csv
check "they are a warning" grep -q 'warning: only 12 of 24 rows are different, .*--weights' "$err"
run mean --manifold euclidean:1 twice.csv
check "the text says how many" grep -Eq '^ +different rows +12, worth 11 independent rows' "$out"
expects "not with clusters" "'copies' not in r['warnings'] and r['clusters'] == 12" mean --manifold euclidean:1 --cluster <(seq 24 | awk '{ print $1 % 12 }') twice.csv
expects "a test of copies" "'copies' in r['warnings']" test --manifold euclidean:1 twice.csv <(head -n 12 twice.csv)
check "it is a warning" grep -q 'written down several times, and copies of a row are taken for one' "$err"
run test --manifold euclidean:1 --method lr twice.csv <(head -n 12 twice.csv)
check "the likelihood ratio takes them for independent" grep -q 'written down several times.*too small.*--method permutation' "$err"
refuses "coordinates whose squares are nothing" 2 'all coordinates are below 1e-150.*another unit' mean --manifold euclidean:1 - <<<$'1e-160\n2e-160'

# Factors on unlike scales: t is 41.5 / 8 in the plane and 96875 / 4 on the line.
printf '1,2,100\n3,4,-100\n5,9,300\n2,2,250\n' >scales.csv
scales=(mean --manifold 'product(euclidean:2,euclidean:1)')
expects "a time per factor" "r['time'] is None and near(r['times'][1], 24218.75) and near(r['times'][0], 5.1875) and len(r['times_interval']) == 2 and near(r['times_standard_error'][1], 24218.75 * math.sqrt(2 / 4), 1e-6) and r['parameters'] == 5 and r['warnings'] == []" "${scales[@]}" --time-per-factor scales.csv
expects "one time for unlike factors" "r['time'] > 5 and near(r['times'][0], 5.1875) and r['equal_times']['p_value'] < 1e-4 and r['warnings'] == ['unequal-times'] and r['covariance'] == 'sandwich'" "${scales[@]}" scales.csv
check "unlike factors: a warning names the remedy" grep -q -- '--time-per-factor' "$err"
printf 'a\na\nb\nb\n' >halves.csv
paste -d, <(manistat sample --manifold circle --time 0.05 -n 60 --seed 1) <(manistat sample --manifold circle --time 0.5 -n 60 --seed 2) >torus.csv
expects "a time for each circle of a torus" "r['manifold'] == 'product(circle,circle)' and 0.03 < r['times'][0] < 0.08 and 0.3 < r['times'][1] < 0.8 and len(r['times_interval']) == 2" mean --manifold torus:2 --time-per-factor torus.csv
for k in 1 2; do
    cut -d, -f$k torus.csv >one_circle.csv
    run mean --manifold circle --json one_circle.csv
    cp "$out" "circle$k.json"
done
run mean --manifold torus:2 --time-per-factor --json torus.csv
check "is that of the circles" as_json "$out" 'all(abs(r["times"][k] / json.load(open(f"circle{k+1}.json"))["time"] - 1) < 1e-9 for k in (0, 1))'
refuses "a circle has one time" 2 "not a product" mean --manifold circle --time-per-factor one_circle.csv
succeeds "a time per factor and group" "${scales[@]}" --time-per-factor --by halves.csv scales.csv
check "a time per factor and group: columns" grep -q 'time_1 .*time_2' "$out"
for bad in "--manifold euclidean:3" "--manifold product(euclidean:2,euclidean:1) --time 2" "--manifold product(euclidean:2,euclidean:1) --kind frechet"; do
    # shellcheck disable=SC2086
    refuses "a time per factor: not with $bad" 2 "time-per-factor" mean $bad --time-per-factor scales.csv
done

# Matrices of some thousands in every step would take minutes.
run sample --manifold sphere:3000 --time 1e-4 -n 3 --steps 4
cp "$out" wide.csv
for command in mean "mean --kind frechet" "kmeans -k 2" "mixture -k 2"; do
    # shellcheck disable=SC2086
    refuses "$command in 3000 dimensions" 3 "sphere:3000: an estimate of 300[01] parameters .* at most 1001" $command --manifold sphere:3000 wide.csv
done
