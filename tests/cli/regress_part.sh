# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors

# regress: linear regression in flat space, the reference on the sphere, factors, terms and clusters, and what is
# refused.
data=$(dirname "${BASH_SOURCE[0]}")/../data/reference

# ---- Flat space: y = 1 + 2 (x - mean) with residuals +-0.1 that are orthogonal to x. ----
printf 'x\n0\n1\n2\n3\n' >x.csv
printf '%s\n' -1.9 -0.1 1.9 4.1 >y.csv # 1 + 2 (x - 1.5) + (0.1, -0.1, -0.1, 0.1)
flat=(regress --manifold euclidean:1 --y y.csv --x x.csv)
succeeds "flat" "${flat[@]}" --json
check "flat: curve and noise" as_json "$out" "abs(r['intercept'][0] - 1) < 1e-9 and abs(r['velocities'][0][0] - 2) < 1e-9 and r['origin'] == [1.5] and abs(r['noise'] - 0.01) < 1e-9 and abs(r['noise_unbiased'] - 0.02) < 1e-9"
check "flat: errors" as_json "$out" "abs(r['standard_errors'][1] - math.sqrt(0.02 / 5)) < 1e-7 and len(r['covariance']) == 3 and len(r['basis']) == 1 and r['covariance_kind'] == 'observed'"
# Student's t with 2 degrees of freedom: 4.302653 standard errors.
check "flat: intervals" as_json "$out" "abs(r['intervals'][1][1] - 2 - 4.302653 * math.sqrt(0.02 / 5)) < 1e-5 and abs(sum(r['intervals'][0])) < 1e-12 and len(r['intervals']) == 3"
check "flat: R^2, likelihood, AIC" as_json "$out" "abs(r['r_squared'] - (1 - 0.04 / 20.04)) < 1e-9 and abs(r['log_likelihood'] + 2 * math.log(2 * math.pi * 0.01) + 2) < 1e-8 and abs(r['aic'] - 6 + 2 * r['log_likelihood']) < 1e-9"
# F = 20/(0.04/2) with 1 and 2 degrees of freedom: p = 1 - sqrt(F/(F + 2)).
check "flat: Fisher's test" as_json "$out" "abs(r['p_values'][0] - (1 - math.sqrt(1000 / 1002))) < 1e-8 and r['tests'][0]['method'] == 'likelihood ratio' and r['whole_model']['p_value'] == r['p_values'][0]"
check "flat: leverage and residuals" as_json "$out" "abs(sum(r['leverage']) - 2) < 1e-9 and abs(r['residuals'][1][0] + 0.1) < 1e-9 and abs(r['residual_lengths'][0] - 0.1) < 1e-9"
check "flat: the rest" as_json "$out" "r['command'] == 'regress' and r['terms'] == ['x'] and r['kind'] == 'diffusion' and r['score'] == 'exact' and r['curve'] == 'geodesic' and r['converged'] and r['n'] == 4 and r['dropped'] == 0 and r['seed'] == 2712 and 'version' in r"
succeeds "origin zero" "${flat[@]}" --origin zero --json
check "origin zero: the intercept" as_json "$out" "abs(r['intercept'][0] + 2) < 1e-8 and r['origin'] == [0]"
succeeds "origin as numbers" "${flat[@]}" --origin 2.5 --json
check "origin as numbers: the intercept" as_json "$out" "abs(r['intercept'][0] - 3) < 1e-8"
succeeds "a page" "${flat[@]}"
check "a page: noise" grep -Eq '^noise +sigma\^2 = 0\.01 ' "$out"
check "a page: the term" grep -Eq '^x +1\.5 +2 ' "$out"
succeeds "least squares" "${flat[@]}" --kind frechet --json
check "least squares: no likelihood" as_json "$out" "r['log_likelihood'] is None and r['aic'] is None and r['bic'] is None and r['tests'][0]['method'] == 'permutation' and abs(r['velocities'][0][0] - 2) < 1e-9 and r['covariance_kind'] == 'sandwich' and r['noise_standard_error'] is None"

printf 'x\n1.5\n' >one.csv
succeeds "predictions" "${flat[@]}" --predict one.csv --json
# F(0.95; 1, 2) is 18.5128.
check "predictions: band and region" as_json "$out" "abs(r['predictions'][0][0] - 1) < 1e-9 and abs(r['prediction_band'][0] - math.sqrt(18.5128 * 0.02 / 4)) < 1e-4 and abs(r['prediction_region'][0] - math.sqrt(18.5128 * 0.025)) < 1e-4 and r['prediction_beyond'] == [False]"

# ---- The sphere, against another program ----
cut -d, -f1 "$data/regress_S2.csv" >s2x.csv
cut -d, -f2-4 "$data/regress_S2.csv" >s2y.csv
sphere=(regress --manifold sphere:2 --y s2y.csv --x s2x.csv)
succeeds "sphere" "${sphere[@]}" --json
cp "$data/regress_S2.json" expected.json
check "sphere: as another program has it" as_json "$out" "(e := json.load(open('expected.json'))) and all(abs(a - b) < 1e-6 for a, b in zip(r['intercept'] + r['velocities'][0] + [r['noise'], r['log_likelihood']], e['intercept'] + e['velocity'] + [e['noise'], e['log_likelihood']]))"
succeeds "sphere: noise that depends on x" "${sphere[@]}" --noise loglinear --json
check "sphere: its slope" as_json "$out" "len(r['noise_slopes']) == 1 and r['constant_noise']['degrees_of_freedom'] == 1 and len(r['standard_errors']) == 6"
succeeds "sphere: bootstrap" "${sphere[@]}" --covariance bootstrap --resamples 50 --json
check "sphere: bootstrap: the kind" as_json "$out" "r['covariance_kind'] == 'bootstrap' and r['standard_errors'][0] > 0"

# ---- Other sources: bridges are near the exact kernel, distances are the limit of little noise. ----
run "${sphere[@]}" --score 'bridge?paths=30' --json
check "sphere: by bridges" as_json "$out" "(e := json.load(open('expected.json'))) and abs(r['noise'] - e['noise']) < 0.05 * e['noise'] and all(abs(a - b) < 0.002 for a, b in zip(r['velocities'][0], e['velocity']))"
run "${sphere[@]}" --score expansion --json
check "sphere: by the expansion" as_json "$out" "(e := json.load(open('expected.json'))) and abs(r['noise'] - e['noise']) < 0.01 * e['noise'] and all(abs(a - b) < 1e-4 for a, b in zip(r['velocities'][0], e['velocity']))"
# A small network, which is off by some per cent: no likelihood, so Wald's tests and no AIC.
run regress --score "$data/../models/sphere2_format1.safetensors" --y s2y.csv --x s2x.csv --json
check "sphere: by a network" as_json "$out" "(e := json.load(open('expected.json'))) and abs(r['noise'] - e['noise']) < 0.1 * e['noise'] and all(abs(a - b) < 0.02 for a, b in zip(r['intercept'], e['intercept'])) and all(abs(a - b) < 0.001 for a, b in zip(r['velocities'][0], e['velocity']))"
check "sphere: by a network: tests" as_json "$out" "r['tests'][0]['method'] == 'wald' and r['covariance_kind'] == 'sandwich' and r['aic'] is None and r['bic'] is None and r['log_likelihood'] is None"

# ---- Terms, factors, clusters ----
python3 - <<'END'
import math
out = open("people.csv", "w")
points = open("points.csv", "w")
out.write("subject,age,sex,arm\n")
for i in range(48):
    age, sex, arm = 20 + i % 12 * 3, "mf"[i % 2], "abc"[i % 3]
    out.write("s%d,%d,%s,%s\n" % (i // 4, age, sex, arm))
    a, b = 0.02 * (age - 36) + 0.05 * math.sin(7 * i), (0.3 if sex == "m" else 0) + 0.05 * math.cos(11 * i * i)
    points.write("%.17g,%.17g,%.17g\n" % (math.sin(a) * math.cos(b), math.sin(b), math.cos(a) * math.cos(b)))
END
people=(regress --manifold sphere:2 --y points.csv --x people.csv)
succeeds "factors" "${people[@]}" --columns age,sex,arm --json
check "factors: their levels" as_json "$out" "r['terms'] == ['age', 'sex[m]', 'arm[b]', 'arm[c]'] and r['references'] == {'sex': 'f', 'arm': 'a'} and [t['degrees_of_freedom'] for t in r['tests']] == [2, 2, 4] and len(r['p_values']) == 4 and r['p_values'][0] < 1e-6 and r['tests'][2]['p_value'] > 0.01"
succeeds "terms" "${people[@]}" --terms 'age + age^2 + sin(age/10)' --json
check "terms: their names" as_json "$out" "r['terms'] == ['age', 'age^2', 'sin(age/10)'] and len(r['velocities']) == 3"
succeeds "clusters by a column" "${people[@]}" --terms 'age + sex' --cluster subject --json
check "clusters: robust" as_json "$out" "r['clusters'] == 12 and r['covariance_kind'] == 'sandwich' and r['tests'][0]['method'] == 'wald' and r['aic'] is None"
cut -d, -f1 people.csv | tail -n +2 >subjects.txt
run "${people[@]}" --terms 'age + sex' --cluster subjects.txt --json
check "clusters by a file" as_json "$out" "r['clusters'] == 12"
succeeds "all columns but that of the clusters" "${people[@]}" --cluster subject --json
check "all columns: their names" as_json "$out" "r['terms'] == ['age', 'sex[m]', 'arm[b]', 'arm[c]']"

# ---- Few clusters in which a factor does not vary: 5 of 8 subjects have one level, 3 the other, in 56 ways; of
# 4 subjects there are 4 ways. A new point lies farther out than the curve. ----
(echo subject,dose && for i in $(seq 48); do echo "s$((i % 8)),$((i % 8 < 3))"; done) >dose.csv
printf 'dose\n1\n' >one_dose.csv
succeeds "few clusters" regress --manifold sphere:2 --y points.csv --x dose.csv --cluster subject --predict one_dose.csv --json
check "few clusters: whole ones are permuted" as_json "$out" "r['tests'][0]['method'] == 'permutation' and r['p_values'][0] >= 1/60 and r['prediction_region'][0] > 1.1 * r['prediction_band'][0]"
head -25 points.csv | tail -24 >four_y.csv
(echo subject,dose && for i in $(seq 24); do echo "s$((i % 4)),$((i % 4 < 1))"; done) >four_x.csv
run regress --manifold sphere:2 --y four_y.csv --x four_x.csv --cluster subject
check "too few clusters: no test" grep -Eq '^dose .* -$' "$out"
check "too few clusters: told" grep -q '4 clusters are too few for a test of terms that do not vary within them: there are 4 ways to permute them, and p at most 0.05 needs 20' "$err"
people_few=(regress --manifold sphere:2 --y points.csv --x people.csv --kind frechet --columns age --resamples 99)
succeeds "a p value that permutations cannot make less" "${people_few[@]}"
check "a p value that permutations cannot make less: written as one" grep -Eq '^age .* <= 0.01$' "$out"
succeeds "the same in JSON" "${people_few[@]}" --json
check "the same in JSON: said" as_json "$out" "r['tests'][0]['p_value_is_floor'] and r['whole_model']['p_value_is_floor']"

# ---- What is missing ----
sed '3s/^[^,]*,[^,]*/s0,NA/; 5s/,[a-z]*$/,/' people.csv >holes.csv
holes=(regress --manifold sphere:2 --y points.csv --x holes.csv)
refuses "missing values" 2 'holes.csv, row 2: the value of "age" is missing; --drop-missing' "${holes[@]}"
run "${holes[@]}" --drop-missing --json
check "dropped rows" as_json "$out" "r['dropped'] == 2 and r['n'] == 46 and len(r['fitted']) == 46"
check "dropped rows are told" grep -q 'left out 2 of 48 rows' "$err"
sed '4s/^[^,]*/NA/' points.csv >lost.csv
run regress --manifold sphere:2 --y lost.csv --x people.csv --columns age --drop-missing --json
check "dropped points" as_json "$out" "r['dropped'] == 1"
refuses "missing points" 2 'lost.csv, row 4' regress --manifold sphere:2 --y lost.csv --x people.csv --columns age

# ---- What is refused ----
head -20 people.csv >short.csv
refuses "different lengths" 2 'short.csv has 19 rows and points.csv has 48' regress --manifold sphere:2 --y points.csv --x short.csv
sed 's/,[a-z]*$/,a/; 1s/.*/subject,age,sex,arm/' people.csv >same.csv
refuses "a factor with one level" 2 '"arm" of same.csv has one level only, a' regress --manifold sphere:2 --y points.csv --x same.csv --columns arm
sed 's/,[0-9]*,/,7,/' people.csv >constant.csv
refuses "a constant covariate" 2 '"age" is 7 in every row' regress --manifold sphere:2 --y points.csv --x constant.csv --columns age
refuses "a term without a column" 2 'the term age-age has no column in it' "${people[@]}" --terms age-age
refuses "collinear columns" 2 '"2\*age" is a combination of age' "${people[@]}" --terms 'age + 2*age'
head -3 people.csv >few.csv
head -2 points.csv >two.csv
refuses "fewer rows than parameters" 2 '2 rows cannot determine' regress --manifold sphere:2 --y two.csv --x few.csv --columns age
printf 'age,sex\n30,x\n' >unseen.csv
refuses "a level that was not seen" 2 'unseen.csv, row 1: the fit has seen no "x" of sex' "${people[@]}" --columns age,sex --predict unseen.csv
refuses "a column that is not there" 2 'people.csv has no column "weight"; it has subject, age, sex, arm' "${people[@]}" --columns weight
refuses "terms and columns" 2 'give one of them' "${people[@]}" --columns age --terms age
refuses "no points" 2 '--y is missing' regress --manifold sphere:2 --x people.csv
refuses "no covariates" 2 '--x is missing' regress --manifold sphere:2 --y points.csv
refuses "an origin of the wrong length" 2 '--origin must be mean, zero or 1 number' "${people[@]}" --columns age --origin 1,2
refuses "noise without a likelihood" 2 'needs a likelihood' "${people[@]}" --columns age --kind frechet --noise loglinear
run "${people[@]}" --terms 'age + age^' --json
check "a term that is no formula" test "$status" -eq 2

# ---- The cut locus, and points without noise ----
python3 - <<'END'
import math
with open("turn.csv", "w") as out:
    out.write("x\n")
    with open("angles.csv", "w") as points:
        for i in range(60):
            out.write("%g\n" % (i / 15))
            points.write("%.17g\n" % (math.remainder(2 * i / 15 + 0.05 * math.sin(9 * i), 2 * math.pi)))
END
run regress --manifold circle --y angles.csv --x turn.csv --json
check "a curve past the cut locus" as_json "$out" "r['beyond_cut_locus'] > 0 and abs(r['velocities'][0][0] - 2) < 0.02"
check "a curve past the cut locus is told" grep -q 'passes the cut locus' "$err"
# A slope of 6.5 and integers: 6.5 - 2 pi fits as well. Between them nothing does, and the search goes not so far.
python3 - <<'END'
import math, random
random.seed(4)
def write(name, x):
    open(name + "_x.csv", "w").write("hour\n" + "".join("%.17g\n" % a for a in x))
    open(name + "_y.csv", "w").write("".join("%.17g\n" % math.remainder(6.5 * a + random.gauss(0, 0.2), 2 * math.pi) for a in x))
write("steps", [float(i % 12) for i in range(60)])
write("anywhere", [random.uniform(0, 10) for _ in range(60)])
END
run regress --manifold circle --y steps_y.csv --x steps_x.csv
check "a grid: slopes that fit as well" grep -q '^hour lies on a grid of step 1: velocities that are 6.28319 more or less' "$out"
run regress --manifold circle --degrees --y <(awk '{print $1*57.29577951308232}' steps_y.csv) --x steps_x.csv
check "a grid: in degrees" grep -q '^hour lies on a grid of step 1: velocities that are 360 more or less' "$out"
run regress --manifold circle --y steps_y.csv --x steps_x.csv --json
check "a grid: in JSON" as_json "$out" "abs(r['aliases']['hour'] - 2 * math.pi) < 1e-12 and abs(r['velocities'][0][0] - 6.5 + 2 * math.pi) < 0.03 and 'steeper-curves' not in r['warnings']"
run regress --manifold circle --y anywhere_y.csv --x anywhere_x.csv --json
check "no grid: steeper curves may fit" grep -q 'steeper curves may fit the points where this one does not' "$err"
check "no grid: in JSON" as_json "$out" "r['aliases'] == {} and 'steeper-curves' in r['warnings'] and r['noise'] > 1 and r['standard_errors'] is None"
printf 'x\n0.1\n9\n' >far.csv
run regress --manifold sphere:2 --y s2y.csv --x s2x.csv --predict <(printf 'x\n30\n400\n') --json
check "extrapolation" as_json "$out" "r['prediction_beyond'] == [False, True]"
check "extrapolation is told" grep -q 'farther from the intercept' "$err"
printf '%s\n' -2 0 2 4 >line.csv
run regress --manifold euclidean:1 --y line.csv --x x.csv --json
check "no noise: status 1" test "$status" -eq 1
check "no noise: told" as_json "$out" "r['noise'] is None and r['noise_limit'] == 'zero' and not r['converged']"

# ---- Data that hold no answer, or that one row decides ----
python3 - <<'END'
import math, random
random.seed(5)
def unit(v):
    return [a / math.sqrt(sum(b * b for b in v)) for a in v]
def write(name, rows, head=None):
    with open(name, "w") as out:
        out.write((head + "\n" if head else "") + "".join(",".join("%.17g" % a for a in r) + "\n" for r in rows))
x = [[random.gauss(0, 1)] for _ in range(60)]
near = [unit([random.gauss(0, 0.1), random.gauss(0, 0.1), 1]) for _ in x]
write("doubt_x.csv", x, "x")
write("uniform.csv", [unit([random.gauss(0, 1) for _ in range(3)]) for _ in x])
write("antipodes.csv", [unit([random.gauss(0, 0.1), random.gauss(0, 0.1), 1 if i % 2 else -1]) for i in range(60)])
write("same_point.csv", [[0, 0, 1] for _ in x])
write("five_points.csv", [near[i % 5] for i in range(60)])
write("near.csv", near)
write("outlier.csv", near[:17] + [[0, 1, 0]] + near[18:])
write("far_x.csv", x[:17] + [[40]] + x[18:], "x")
write("three.csv", near[:3])
write("three_x.csv", x[:3], "x")
END
doubt=(regress --manifold sphere:2 --x doubt_x.csv --resamples 199)
run "${doubt[@]}" --y uniform.csv --json
check "uniform points: status" test "$status" -eq 0
check "uniform points: no curve, no errors" as_json "$out" "r['curve_found'] is False and r['standard_errors'] is None and r['uniformity']['p_value'] > 0.05 and r['p_values'][0] > 0.05 and r['tests'][0]['method'] == 'permutation'"
check "uniform points are told" grep -q 'cannot be told from uniform ones (p = .*: no curve is found' "$err"
run "${doubt[@]}" --y uniform.csv --kind frechet --json
check "uniform points, least squares" as_json "$out" "r['standard_errors'] is None and r['p_values'] == [None]"
check "uniform points, least squares: told" grep -q 'cannot be told from uniform ones' "$err"
run "${doubt[@]}" --y antipodes.csv --json
check "two opposite clusters: no mean" grep -q 'cannot be told from uniform ones' "$err"
run "${doubt[@]}" --y same_point.csv
check "one point many times: status 1" test "$status" -eq 1
check "one point many times: no noise" grep -q 'there is no noise to estimate' "$err"
check "one point many times: the page" grep -q '^noise  *none but rounding' "$out"
succeeds "five points many times" "${doubt[@]}" --y five_points.csv --json
run "${doubt[@]}" --y near.csv --json
check "no trend: no word" test ! -s "$err"
check "no trend: no word in JSON" as_json "$out" "r['warnings'] == [] and 'messages' not in r"
check "no trend: a curve with errors" as_json "$out" "r['curve_found'] and r['standard_errors'][0] > 0 and r['tests'][0]['method'] == 'likelihood ratio' and 'influential' not in r"
run "${doubt[@]}" --y near.csv --covariance sandwich --json
check "the sandwich: no likelihood ratio" as_json "$out" "r['tests'][0]['method'] == 'permutation' and r['covariance_kind'] == 'sandwich' and r['equal_spread_p_value'] is None"
python3 -c "
import random
random.seed(1)
print('\n'.join('%g,%g' % (random.gauss(0, s), random.gauss(0, s)) for s in [3] * 4 + [1] * 26))" >unlike.csv
(echo level; for i in $(seq 30); do test "$i" -le 4 && echo a || echo b; done) >unlike_x.csv
run regress --manifold euclidean:2 --y unlike.csv --x unlike_x.csv --json
check "rows that are not spread alike are told" grep -q 'not spread alike where the terms differ, .* by the test of Breusch and Pagan' "$err"
check "rows that are not spread alike: the sandwich" as_json "$out" "r['covariance_kind'] == 'sandwich' and r['tests'][0]['method'] != 'likelihood ratio' and r['equal_spread_p_value'] <= 0.01"
run "${doubt[@]}" --y outlier.csv --json
check "an outlier is told" grep -q 'heavier tails than Brownian motion' "$err"
check "an outlier is told in JSON" as_json "$out" "'heavy-tails' in r['warnings'] and sum('heavier tails than Brownian motion' in m for m in r['messages']) == 1 and len(r['messages']) == $(wc -l <"$err")"
run regress --manifold sphere:2 --y near.csv --x far_x.csv --json
check "a covariate far away is told" grep -q 'depends on row 18 more than on all others' "$err"
check "a covariate far away: its row" as_json "$out" "r['influential']['row'] == 18 and r['influential']['leverage'] > 0.9"
succeeds "one row more than the curve needs" regress --manifold sphere:2 --y three.csv --x three_x.csv --json
check "one row more: wide" as_json "$out" "r['noise_interval'][1] > 5 * r['noise_interval'][0] and r['degrees_of_freedom'] == 2"

# ---- Landmarks and learned manifolds: rows about a geodesic that is known. ----
# rows_about NAME SPEC START VELOCITY NOISE: NAME_x.csv, 30 ages from -1 to 1, and NAME_y.csv.
rows_about() {
    python3 - "$1" "$3" "$4" <<'END'
import random, sys
name, start, velocity = sys.argv[1:4]
random.seed(8)
x = [random.uniform(-1, 1) for _ in range(30)]
open(name + "_x.csv", "w").write("age\n" + "".join("%.17g\n" % a for a in x))
rows = (start + "".join(",%.17g" % (a * float(b)) for b in velocity.split(",")) for a in x)
open(name + "_v.csv", "w").write("\n".join(rows) + "\n")
END
    succeeds "$1: a geodesic" exp --manifold "$2" "$1_v.csv"
    python3 - "$out" "$5" >"$1_y.csv" <<'END'
import random, sys
random.seed(9)
for line in open(sys.argv[1]):
    print(",".join("%.17g" % (float(a) + random.gauss(0, float(sys.argv[2]))) for a in line.split(",")))
END
}
marks='landmarks:3x2?sigma=1'
rows_about marks "$marks" 0,0,1,0.2,0.4,1 0.3,0.1,-0.2,0.3,0.1,-0.3 0.02
# The noise is that of coordinates, which is not alike where the metric is not.
for kind in frechet diffusion; do
    run regress --manifold "$marks" --y marks_y.csv --x marks_x.csv --origin zero --kind $kind --json
    check "landmarks, $kind: spread" test "$(grep -c 'by the test of Breusch and Pagan' "$err")" -eq "$(test $kind = frechet; echo $?)"
    # 30 rows with 0.02 of noise: standard errors of 0.004 and 0.007.
    check "landmarks, $kind: the curve" as_json "$out" "r['converged'] and all(abs(a - b) < 0.03 for a, b in zip(r['intercept'] + r['velocities'][0], [0, 0, 1, 0.2, 0.4, 1, 0.3, 0.1, -0.2, 0.3, 0.1, -0.3])) and r['p_values'][0] < 0.01 and r['r_squared'] > 0.9"
done
python3 - <<'END'
import math, random
random.seed(3)
latent = [[random.uniform(-1, 1), random.uniform(-1, 1)] for _ in range(60)]
rows = [[u, v, 0.7 * math.sin(2 * u), 0.5 * u * v, 0.6 * math.cos(1.5 * v)] for u, v in latent]
for name, table in (("latent.csv", latent), ("seen.csv", rows)):
    with open(name, "w") as out:
        out.write("".join(",".join("%.12g" % (a + (random.gauss(0, 0.01) if name == "seen.csv" else 0)) for a in r) + "\n" for r in table))
END
succeeds "a learned manifold" learn gp --latent latent.csv --data seen.csv -o seen.gp --quiet
rows_about gp seen.gp 0,0.2 0.5,0.3 0.03
printf 'age\n0.5\n20\n' >gp_far.csv
run regress --manifold seen.gp --y gp_y.csv --x gp_x.csv --origin zero --predict gp_far.csv --json
check "a learned manifold: the curve" as_json "$out" "r['kind'] == 'frechet' and r['converged'] and all(abs(a - b) < 0.04 for a, b in zip(r['intercept'] + r['velocities'][0], [0, 0.2, 0.5, 0.3])) and r['p_values'][0] < 0.01"
check "a new point is never nearer than the curve" as_json "$out" "all(a >= b for a, b in zip(r['prediction_region'], r['prediction_band']))"
check "a learned manifold: where nothing was learned" grep -q '1 prediction, the first in row 2, lies away from the data that the manifold was learned from' "$err"

# ---- Networks ----
network=(regress --manifold sphere:2 --y s2y.csv --x s2x.csv --curve network --width 16 --epochs 20 --restarts 2)
succeeds "network" "${network[@]}" --model curve.safetensors --predict one.csv --json
check "network: what it says" as_json "$out" "r['curve'] == 'network' and r['noise'] > 0 and r['validation_rows'] == 23 and len(r['predictions'][0]) == 3 and r['prediction_region'][0] > 0 and r['epochs'] <= 20 and r['terms'] == ['x']"
cp "$out" trained.json
check "network: no checkpoint is left" test ! -e curve.safetensors.checkpoint
succeeds "network: again from its file" regress --model curve.safetensors --predict one.csv --json
check "network: the same predictions" as_json "$out" "r['predictions'] == json.load(open('trained.json'))['predictions'] and r['manifold'] == 'sphere:2'"
succeeds "network: a page" regress --model curve.safetensors --predict one.csv
refuses "network: a file in the way" 2 'curve.safetensors is there already; --force' "${network[@]}" --model curve.safetensors
refuses "network: nothing to resume" 2 'there is no other.safetensors.checkpoint' "${network[@]}" --model other.safetensors --resume
refuses "network: log-linear noise" 2 '--noise loglinear is for geodesics' "${network[@]}" --noise loglinear
refuses "a geodesic with the noise of a network" 2 'goes with --curve network' "${sphere[@]}" --noise network
refuses "a model without rows to predict" 2 '--predict is missing' regress --model curve.safetensors
refuses "a model that is none" 2 's2y.csv' regress --model s2y.csv --predict one.csv
succeeds "network: noise by a network" "${network[@]}" --noise network --json
succeeds "network: calibration" "${network[@]}" --calibration --json
check "network: calibration of the rows held out" as_json "$out" "0 < r['calibration']['p_value'] <= 1 and 0.2 < r['calibration']['mean'] < 0.8"
refuses "network: calibration without noise" 2 'least squares has none' "${network[@]}" --kind frechet --calibration
succeeds "network: least squares" "${network[@]}" --kind frechet --json
check "network: least squares: no noise" as_json "$out" "r['noise'] is None and r['log_likelihood'] is None"

# ---- Densities and calibration ----
succeeds "calibration" "${sphere[@]}" --calibration --json
check "calibration: its test" as_json "$out" "0 < r['calibration']['p_value'] <= 1 and 0.3 < r['calibration']['mean'] < 0.7"
printf 'x\n30\n' >thirty.csv
succeeds "density" "${sphere[@]}" --predict thirty.csv --density density.csv --json
# Cells of 2 by 2 degrees: the density adds up to one, to the error of the midpoint rule.
check "density: a density" python3 -c 'import math
rows = [list(map(float, line.split(","))) for line in open("density.csv").read().split("\n")[1:] if line]
total = sum(math.exp(r[4]) * (math.pi / 90) ** 2 * math.sqrt(1 - r[3] ** 2) for r in rows)
assert len(rows) == 16200 and abs(total - 1) < 1e-3'
refuses "density without predictions" 2 'give --predict FILE as well' "${sphere[@]}" --density none.csv
printf '1,0,1\n2,0,1\n1,0,3\n1,.5,2\n' >spd.csv
refuses "density of matrices" 3 'draws on circle, sphere:2 and euclidean:2' regress --manifold spd:2 --y spd.csv --x x.csv --predict one.csv --density none.csv
