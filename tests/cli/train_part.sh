# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors

# train, check, info and --score FILE: tiny models, the files around them, interruption, and what is refused.

tiny=(--steps 30 --width 16 --depth 2)
sphere=(train --manifold sphere:2 --quiet) # there is a closed form, which is said otherwise

# ---- Training: the model and what is said about it ----
succeeds "a model" "${sphere[@]}" "${tiny[@]}" -o model.safetensors
check "the summary says what to do next" grep -q 'manistat check model.safetensors' "$out"
check "the summary says how to use it" grep -q 'manistat mean --score model.safetensors' "$out"
check "the summary counts steps" grep -q 'bel, 30 steps, 1.229e+05 samples in ' "$out"
check "no checkpoint and nothing else is left" test "$(ls -A)" = model.safetensors
run "${sphere[@]}" "${tiny[@]}" --json -o json.safetensors
check "train --json" as_json "$out" '(r["command"], r["manifold"], r["loss"], r["steps"], r["samples"], r["finished"], r["t_min"], r["t_max"], r["width"], r["depth"], r["seed"], r["file"]) == ("train", "sphere:2", "bel", 30, 122880, True, 0.005, 1, 16, 2, 2712, "json.safetensors") and r["parameters"] == 531 and r["samples_per_second"] > 0 and "excess" in r and "seconds" in r and "version" in r'

# same_model A B: weights and metadata agree, but for the time it took.
same_model() {
    python3 - "$1" "$2" <<'END'
import json, sys
def load(path):
    data = open(path, "rb").read()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    header["__metadata__"].pop("seconds")
    return header, data[8 + length :]
sys.exit(0 if load(sys.argv[1]) == load(sys.argv[2]) else 1)
END
}
check "the same seed, the same model" same_model model.safetensors json.safetensors
manistat "${sphere[@]}" "${tiny[@]}" --threads 1 -o one.safetensors >"$out"
check "whatever the threads" same_model model.safetensors one.safetensors
manistat "${sphere[@]}" "${tiny[@]}" --seed 3 -o seed.safetensors >"$out"
check "another seed, another model" eval '! same_model model.safetensors seed.safetensors'

# trains NAME EXPRESSION OPTIONS: --json fits the expression.
trains() {
    local name=$1 expression=$2
    shift 2
    rm -f tried.safetensors
    run train "$@" --json -o tried.safetensors
    [ "$status" -eq 0 ] && as_json <(manistat info --json tried.safetensors) "$expression"
    verdict "$name" $?
}
for loss in bel dsm dsmvr ism ssm; do
    trains "--loss $loss" "r['loss'] == '$loss'" --manifold circle "${tiny[@]}" --loss $loss
done
trains "exact divergence" "r['loss'] == 'ism'" --manifold circle "${tiny[@]}" --loss ism --divergence exact
trains "a range of times" "(r['t_min'], r['t_max']) == (0.01, 0.5)" --manifold circle "${tiny[@]}" --t-min 0.01 --t-max 0.5
trains "a fixed time" "(r['t_min'], r['t_max']) == (0.01, 0.01)" --manifold circle "${tiny[@]}" --t 0.01
trains "an energy" "r['energy'] and r['time_head']" --manifold circle "${tiny[@]}" --energy
printf '0,0.299,0.5\n0,0.3,0.5\n0,0.301,0.5\n' >rows.csv
run heat --score tried.safetensors --energy --json rows.csv
check "the score is the slope of the energy" as_json "$out" 'abs((r["energy"][2] - r["energy"][0]) / 0.002 - r["score_1"][1]) < 1e-3 * abs(r["score_1"][1]) and r["logp"][1] is None'
check "a column of energies" eval 'manistat heat --score tried.safetensors --energy rows.csv | head -1 | grep -qx "logp,dt_logp,energy,score_1"'
refuses "energies of another model" 2 "and this is none: model.safetensors" heat --score model.safetensors --energy --time 0.5 rows.csv
refuses "energies of a kernel" 2 "pass one with --score" heat --manifold circle --energy rows.csv
trains "a time head" "r['time_head'] and not r['energy']" --manifold circle "${tiny[@]}" --time-head
trains "more samples of a path" "r['steps'] > 0" --manifold circle "${tiny[@]}" --path-steps 12 --path-samples 12
cp tried.safetensors many.safetensors
trains "fewer samples of a path" "r['steps'] > 0" --manifold circle "${tiny[@]}" --path-steps 12 --path-samples 2
check "other samples, another model" eval '! same_model tried.safetensors many.safetensors'
refuses "no samples of a path" 2 "path-samples" "${sphere[@]}" --path-samples 0 -o x.safetensors
trains "tanh" "r['activation'] == 'tanh'" --manifold circle "${tiny[@]}" --activation tanh
trains "batch" "r['samples'] == 30 * 64" --manifold circle "${tiny[@]}" --batch 64 --rate 0.001 --clip 1
trains "the preset of the paper, and options over it" "r['plain'] and r['loss'] == 'dsm' and r['activation'] == 'tanh' and r['depth'] == 5 and r['width'] == 8 and r['t_min'] == 0.01 and r['samples'] == 2 * 256" --manifold circle --preset paper --steps 2 --width 8 --batch 256
trains "the published network of R^n" "(r['width'], r['depth'], r['plain']) == (128, 3, True)" --manifold euclidean:2 --preset paper --steps 1 --batch 256 --path-samples 4
trains "that of what the paper has not" "(r['width'], r['depth']) == (512, 3)" --manifold torus:2 --preset paper --steps 1 --batch 64 --path-samples 4
check "the preset chains starts" as_json <(manistat info --json tried.safetensors) "r['chained_starts']"
check "and info says so" bash -c "manistat info tried.safetensors | grep -q 'paths  *those of a batch began where those of the batch before ended'"
trains "but not with fresh ones" "not r['chained_starts'] and r['plain']" --manifold circle --preset paper --starts fresh --steps 1 --batch 64 --width 8
trains "chained starts without the preset" "r['chained_starts'] and not r['plain'] and r['samples'] == 30 * 4096" --manifold circle "${tiny[@]}" --starts chained
cp tried.safetensors chained.safetensors
trains "fresh ones are the default" "not r['chained_starts']" --manifold circle "${tiny[@]}" --starts fresh
check "other starts, another model" eval '! same_model tried.safetensors chained.safetensors'
refuses "starts of another kind" 2 "--starts cannot be 'old'; choose one of fresh, chained" "${sphere[@]}" --starts old -o x.safetensors
trains "a start" "r['manifold'] == 'spd:2'" --manifold spd:2 "${tiny[@]}" --start 2,0,1
printf '10\n20\n' >angles.csv
trains "around points" "r['manifold'] == 'circle'" --manifold circle "${tiny[@]}" --around angles.csv --degrees
trains "by the clock" "r['finished'] and r['steps'] > 0" --manifold circle --minutes 0.002 --width 8 --depth 1

# ---- What is refused, before anything is trained (the steps would take years) ----
endless=(--steps 1000000000 --width 16 --depth 2)
refuses "no -o" 2 "-o FILE is missing" "${sphere[@]}" "${endless[@]}"
refuses "standard output" 2 "name a file" "${sphere[@]}" "${endless[@]}" -o -
refuses "no manifold" 2 "--manifold SPEC is missing" train -o x.safetensors
refuses "a model in the way" 3 "model.safetensors exists; pass --force" "${sphere[@]}" "${endless[@]}" -o model.safetensors
refuses "a missing directory" 3 "nowhere/x.safetensors" "${sphere[@]}" "${endless[@]}" -o nowhere/x.safetensors
touch stopped.safetensors.checkpoint
refuses "a checkpoint in the way" 2 "stopped.safetensors.checkpoint is there.*--resume.*--force" "${sphere[@]}" "${endless[@]}" -o stopped.safetensors
refuses "a checkpoint that is none" 2 "stopped.safetensors.checkpoint: not a safetensors file" "${sphere[@]}" "${endless[@]}" -o stopped.safetensors --resume
succeeds "--force begins again" "${sphere[@]}" "${tiny[@]}" -o stopped.safetensors --force
check "and clears up" test ! -e stopped.safetensors.checkpoint -a -s stopped.safetensors
refuses "nothing to resume" 2 "no fresh.safetensors.checkpoint to go on from; leave out --resume" "${sphere[@]}" "${endless[@]}" -o fresh.safetensors --resume
refuses "minutes and steps" 2 "--minutes and --steps exclude" "${sphere[@]}" --minutes 1 --steps 5 -o x.safetensors
refuses "a time and a range" 2 "--t and --t-max exclude" "${sphere[@]}" --t 1 --t-max 2 -o x.safetensors
refuses "two kinds of starts" 2 "--start and --around exclude" "${sphere[@]}" --start 0,0,1 --around a.csv -o x.safetensors
refuses "times the wrong way round" 2 "1e3, --t-min below --t-max; not 1, 0.5$" "${sphere[@]}" "${tiny[@]}" --t-min 1 --t-max 0.5 -o x.safetensors
refuses "divergence of another loss" 2 "--divergence is for --loss ism" "${sphere[@]}" --divergence exact -o x.safetensors
refuses "unknown loss" 2 "--loss cannot be 'mse'; choose one of bel, dsm, dsmvr, ism, ssm" "${sphere[@]}" --loss mse -o x.safetensors
refuses "a start off the manifold" 2 "--start.*norm" "${sphere[@]}" "${endless[@]}" --start 0,0,2 -o x.safetensors
refuses "an absent file of points" 2 "nowhere.csv" "${sphere[@]}" "${endless[@]}" --around nowhere.csv -o x.safetensors
refuses "too few steps a path" 2 "take 10 steps a path or more \(--path-steps\)$" "${sphere[@]}" "${endless[@]}" --t-max 100 --path-steps 2 -o x.safetensors
refuses "paths that go too far" 2 "distances are left; take a smaller --t-max$" train --manifold hyperbolic:3 --quiet "${endless[@]}" --t-max 20 -o x.safetensors
refuses "a time head without targets" 2 "take the --loss bel, or neither --time-head nor --energy$" "${sphere[@]}" "${endless[@]}" --loss dsm --time-head -o x.safetensors
refuses "a training that diverges" 3 "diverged at step.*\(--rate\) than 1e\+15, or --clip$" train --manifold circle --quiet --steps 2000 --width 16 --depth 2 --rate 1e15 -o x.safetensors
check "none of them wrote anything" test "$(find . -name 'x.safe*' | wc -l)" -eq 0

# ---- Kills and interruptions ----
# waits_for FILE: until it exists or $process has ended, for half a minute.
waits_for() {
    for _ in $(seq 1500); do
        [ -e "$1" ] && return 0
        [ -d /proc/$process ] || return 1
        sleep 0.02
    done
    return 1
}
# A quick machine ends a short training before the kill comes: then the next one is longer.
steps=2500
while [ $steps -le 640000 ]; do
    long=(--manifold sphere:2 --steps "$steps" --width 16 --depth 2 --batch 1024 --checkpoint 0.1)
    manistat train "${long[@]}" -o killed.safetensors >"$out" 2>"$err" &
    process=$!
    waits_for killed.safetensors.checkpoint
    kill -KILL $process 2>/dev/null
    wait $process 2>/dev/null
    [ -e killed.safetensors ] || break
    rm -f killed.safetensors killed.safetensors.checkpoint
    steps=$((steps * 4))
done
check "a kill leaves a checkpoint only" test -e killed.safetensors.checkpoint -a ! -e killed.safetensors
check "a checkpoint is a model" as_json <(manistat info --json killed.safetensors.checkpoint) 'not r["finished"] and 0 < r["steps"] < '$steps
refuses "other options do not resume" 2 "begun with other options" train "${long[@]}" --batch 512 -o killed.safetensors --resume
succeeds "it is resumed" train "${long[@]}" -o killed.safetensors --resume
check "the checkpoint is gone" test ! -e killed.safetensors.checkpoint
manistat train "${long[@]}" -o whole.safetensors >"$out"
check "the weights are those of a training without a kill" same_model killed.safetensors whole.safetensors

for signal in INT TERM; do
    file=$signal.safetensors
    manistat "${sphere[@]}" "${endless[@]}" --checkpoint 0.1 --json -o "$file" >"$out" 2>"$err" &
    process=$!
    waits_for "$file.checkpoint"
    [ $signal = TERM ] || refuses "two trainings do not share a file" 3 "another process is writing $file" "${sphere[@]}" --steps 1 -o "$file" --force
    kill -$signal $process
    wait $process
    status=$?
    [ "$status" -eq 130 ] && [ "$(wc -l <"$err")" -eq 1 ] && grep -q "interrupted after [0-9]* steps; $file .*--resume" "$err"
    verdict "SIG$signal ends with 130 and says how to go on" $?
    check "SIG$signal: the JSON tells" as_json "$out" 'not r["finished"] and r["steps"] > 0'
    check "SIG$signal keeps the checkpoint" test -s "$file.checkpoint"
    check "SIG$signal leaves a model" as_json <(manistat info --json "$file") 'not r["finished"]'
done
echo 0,0,1,0,0.28,0.96 >pair.csv
run log --score INT.safetensors pair.csv
check "an interrupted model is usable" test "$status" -eq 0
steps=$(manistat info --json INT.safetensors | python3 -c 'import json, sys; print(json.load(sys.stdin)["steps"])')
succeeds "an interrupted training goes on" "${sphere[@]}" --width 16 --depth 2 --steps $((steps + 5)) -o INT.safetensors --resume
check "to its end" as_json <(manistat info --json INT.safetensors) "r['finished'] and r['steps'] == $steps + 5"
check "and drops the checkpoint" test ! -e INT.safetensors.checkpoint
check "and the lock" test ! -e INT.safetensors.lock
cp model.safetensors TERM.safetensors
refuses "--resume spares a finished model" 3 "TERM.safetensors exists" "${sphere[@]}" "${endless[@]}" -o TERM.safetensors --resume
if has_terminals; then
    script -qec "manistat train --manifold circle --minutes 0.02 --width 8 --depth 1 -o screen.safetensors" /dev/null </dev/null >screen 2>&1
    check "a progress line on a terminal" grep -Eq "train: [0-9]+%, [0-9.e+]+ k samples/s, loss [^ ]+, excess -?[0-9.]+, 0:0[0-9] left" screen
    script -qec "manistat train --manifold circle --minutes 0.02 --width 8 --depth 1 -o quiet.safetensors --quiet" /dev/null </dev/null >screen 2>&1
    check "none with --quiet" eval '! grep -q "left" screen'
fi

# ---- info ----
succeeds "info" info model.safetensors
check "info: manifold" grep -q 'a score network for sphere:2' "$out"
check "info: times" grep -Eq '^  times +0.005 to 1$' "$out"
check "info: no certificate" grep -q "none; 'manistat check' makes one" "$out"
run info --json model.safetensors
check "info --json" as_json "$out" 'r["kind"] == "model" and r["manifold"] == "sphere:2" and r["parameters"] == 531 and r["inputs"] > 0 and r["outputs"] == 3 and r["finished"] and not r["energy"] and not r["plain"] and r["certificate"] is None and r["training_seconds"] > 0'
cp model.safetensors renamed
check "a model by its content" as_json <(manistat info --json renamed) 'r["kind"] == "model"'
# is_a NAME EXPRESSION: what info says about the table on standard input.
is_a() {
    run info --json -
    as_json "$out" "$2"
    verdict "info: $1" $?
}
is_a "unit vectors" 'r["kind"] == "table" and r["rows"] == 2 and r["columns"] == 3 and r["header"] is None and r["manifold"][0] == "sphere:2"' <<<$'0,0,1\n0,0.6,0.8'
is_a "one that is none" '"sphere:2" not in r["manifold"] and r["manifold"][-1] == "euclidean:3"' <<<$'0,0,1\n0,0.6,0.9'
is_a "matrices" '"spd:2" in r["manifold"] and "sym:2" in r["manifold"]' <<<2,0.5,0.5,1
is_a "not positive" '"spd:2" not in r["manifold"] and "sym:2" in r["manifold"]' <<<1,2,2,1
is_a "not symmetric" '"sym:2" not in r["manifold"]' <<<1,2,3,1
is_a "rotations" '"so3" in r["manifold"]' <<<1,0,0,0,1,0,0,0,1
is_a "quaternions" '"so3" in r["manifold"] and "sphere:3" in r["manifold"]' <<<1,0,0,0
is_a "angles" 'r["manifold"] == ["circle", "euclidean:1"]' <<<$'3\n-2'
is_a "no angles" 'r["manifold"] == ["euclidean:1"]' <<<$'3\n200'
is_a "a hyperboloid" '"hyperbolic:2" in r["manifold"]' <<<1,0,0
is_a "a header and missing numbers" 'r["header"] == ["a", "b"] and r["missing"] == 1 and r["rows"] == 2' <<<$'a,b\n1,nan\n1,2'
manistat sample --manifold sphere:2 --time 0.1 -n 4 -o four.npy
check "info: NPY" as_json <(manistat info --json four.npy) 'r["rows"] == 4 and "sphere:2" in r["manifold"]'
run info four.npy
check "info: text" grep -Eq '^  points of +sphere:2, ' "$out"
refuses "info without a file" 2 "no FILE given" info
refuses "info of nothing" 2 "nowhere" info nowhere.csv

# ---- check ----
cp model.safetensors certified.safetensors
succeeds "check --dry-run" check certified.safetensors --samples 256 --dry-run
check "it changes nothing" cmp -s model.safetensors certified.safetensors
check "a table by bands" grep -Eq '^0.[0-9]+ to 0.[0-9]+ +-?[0-9]' "$out"
succeeds "check" check certified.safetensors --samples 256
check "the certificate is in the model" as_json <(manistat info --json certified.safetensors) 'len(r["certificate"]["bands"]) >= 2 and all(b["t_low"] < b["t_high"] and "usable" in b for b in r["certificate"]["bands"]) and r["certificate"]["against"] == "exact"'
run check certified.safetensors --samples 256 --json
check "check --json" as_json "$out" 'r["command"] == "check" and r["manifold"] == "sphere:2" and r["file"] == "certified.safetensors" and r["written"] and r["seed"] == 4711 and r["samples"] == 256 and r["certificate"]["all"]["score_error"] > 0'
run info certified.safetensors
check "info shows it" grep -q 'residual' "$out"
manistat check certified.safetensors --dry-run --samples 256 --against certified.safetensors --json >against.json
check "a model against itself" as_json against.json 'r["certificate"]["against"] == "network" and all(b["score_error"] == 0 and b["time_error"] == 0 for b in r["certificate"]["bands"])'
manistat check certified.safetensors --dry-run --samples 256 --against none --json >against.json
check "a model against nothing" as_json against.json 'r["certificate"]["against"] == "none" and r["certificate"]["all"]["score_error"] is None'
refuses "against nothing known" 2 "--against 'bridgework' is neither a score source .exact, log, expansion, bridge, pde, spectral. nor a file" check certified.safetensors --against bridgework
manistat check certified.safetensors --dry-run --samples 256 --against 'bridge?paths=4&steps=8' --json >against.json
check "against bridges, with standard errors" as_json against.json 'r["certificate"]["against"] == "bridge" and all(b["score_error_se"] > 0 and b["score_bound"] >= b["score_error"] for b in r["certificate"]["bands"])'
manistat check certified.safetensors --dry-run --samples 256 --json >exact.json
check "as the closed form says" python3 -c 'import json; a, b = (json.load(open(f))["certificate"]["all"] for f in ("against.json", "exact.json")); assert abs(a["score_error"] - b["score_error"]) < 5 * a["score_error_se"] + 0.02, (a, b)'
cat >ball.manifold <<'TEXT'
coordinates x y z
constraint  = x^2 + y^2 + z^2 - 1
compact     = yes
start       = 0, 0, 1
TEXT
manistat train --manifold ball.manifold --steps 3 --width 8 --quiet -o ball.safetensors >/dev/null
cp ball.safetensors before.safetensors
manistat check ball.safetensors --samples 256 --against spectral --dry-run --json >both.json
manistat check ball.safetensors --samples 256 --against spectral --alone --json >alone.json
check "with what stands beside it a model of three steps is good" as_json both.json 'not r["alone"] and r["certificate"]["all"]["score_error"] < 0.02'
check "of a part of the pairs at short times, of all at long ones" as_json alone.json 'r["certificate"]["bands"][0]["compared"] < 0.9 and r["certificate"]["bands"][-1]["compared"] == 1'
check "alone it is not" as_json alone.json 'r["alone"] and r["certificate"]["all"]["score_error"] > 0.05 and not r["written"]'
check "--alone changes nothing" cmp -s before.safetensors ball.safetensors
manistat check 'ball.safetensors?alone' --samples 256 --against spectral --json >other.json
check "FILE?alone is the same check" as_json other.json 'r["alone"] and r["file"] == "ball.safetensors" and r["certificate"] == json.load(open("alone.json"))["certificate"]'
refuses "a check of another option" 2 "a check is of FILE or FILE.alone; it has no option 't=0.1'" check 'ball.safetensors?t=0.1'

# Which source answers.
run train --manifold ball.manifold --steps 3 --width 8 -o again.safetensors
check "before training it is said that others answer" grep -q 'warning: .* of pairs at times from 0.005 to 1 to 1 % or better .*a network can improve on the rest only' "$err"
check "and after it which do" grep -q 'at time 1 network 0 %, expansion 0 %, spectral 100 %' "$out"
run info again.safetensors --json
check "info has the shares" as_json "$out" 'len(r["source_shares"]) == 5 and r["source_shares"][0]["time"] == 0.005 and r["source_shares"][-1]["spectral"] == 1 and all(abs(s["network"] + s["expansion"] + s["spectral"] - 1) < 1e-12 for s in r["source_shares"])'
manistat sample --manifold ball.manifold --time 0.3 -n 40 >ball.csv
run mean --score again.safetensors ball.csv
check "the result says who answers" grep -q 'answered by  *network .* %, expansion .* %, spectral .* % of the rows' "$out"
for score in again.safetensors 'again.safetensors?alone' 'again.safetensors?expansion=no'; do
    manistat mean --score "$score" ball.csv --json >"mean-${score#*\?}.json" 2>/dev/null
done
check "in JSON" as_json mean-again.safetensors.json 'abs(sum(r["source_shares"].values()) - 1) < 1e-12 and r["source_shares"]["spectral"] > 0.9'
check "alone it is the network" as_json mean-alone.json 'r["source_shares"] == {"network": 1} and abs(r["time"] / json.load(open("mean-again.safetensors.json"))["time"] - 1) > 1e-3'
check "the older word is the same" as_json mean-expansion=no.json 'r["mean"] == json.load(open("mean-alone.json"))["mean"]'
run report mean-again.safetensors.json -o shares.html
check "the report page says it" grep -q 'of the rows the source network answers .* %, spectral .* %' shares.html
head -1 ball.csv >one.csv
sed -n 2p ball.csv >two.csv
for score in again.safetensors 'again.safetensors?alone'; do
    manistat log --score "$score" one.csv two.csv --json >"log-${score#*\?}.json" 2>/dev/null
    manistat mean --kind frechet --score "$score" ball.csv --json >"frechet-${score#*\?}.json" 2>/dev/null
done
check "small-time limits are alone, too" test "$(cmp -s log-alone.json log-again.safetensors.json; echo $?)" -eq 1
check "and Frechet means" as_json frechet-alone.json 'r["source_shares"] == {"network": 1} and r["mean"] != json.load(open("frechet-again.safetensors.json"))["mean"]'
run train --manifold sphere:2 --steps 1 --batch 64 --width 8 -o known.safetensors
check "a closed form is named" grep -q 'warning: the heat kernel of sphere:2 has a closed form, which --score exact has' "$err"
check "and no shares where a network is alone" test "$(grep -c sources "$out")" -eq 0
refuses "check without a file" 2 "no FILE given" check
for command in "check certified.safetensors" "info certified.safetensors" "heat --score certified.safetensors --time 0.5 pair.csv"; do
    # shellcheck disable=SC2086 # words
    refuses "a result in the place of the model: $command" 2 "is the model itself" $command -o ./certified.safetensors --force
done
succeeds "which is still there" info certified.safetensors

# One small time is for logarithms.
run "${sphere[@]}" --width 16 --depth 2 --steps 20 --t 0.01 -o fixed.safetensors
check "the hint says so" grep -q "mean --kind frechet --score fixed.safetensors" "$out"
manistat sample --manifold sphere:2 --time 0.05 -n 20 -o near.csv
manistat mean --score fixed.safetensors --json near.csv >mean.json 2>"$err"
check "a Frechet mean without being told" as_json mean.json 'r["kind"] == "frechet" and r["time"] is None'
manistat mean --score fixed.safetensors --kind diffusion --json near.csv >mean.json 2>"$err"
check "unless told otherwise" as_json mean.json 'r["kind"] == "diffusion" and r["time"] == 0.01'
run dist --score fixed.safetensors <(printf '0,0,1,0,0.1,0.99498743710662\n0,0,1,1,0,0\n')
[ "$status" -eq 1 ] && [ "$(wc -l <"$out")" -eq 2 ] && [ "$(wc -l <"$err")" -eq 2 ] &&
    grep -q "1 of 2 rows .* row 2 is 1.57 away from its other point.* up to 0.64 apart; --force" "$err"
verdict "a pair too far apart" $?
check "one warning that nothing is certified" test "$(grep -c "warning: fixed.safetensors has no certificate" "$err")" -eq 1
run dist --score fixed.safetensors --force <(printf '0,0,1,0,0.1,0.99498743710662\n0,0,1,1,0,0\n')
[ "$status" -eq 0 ] && grep -q "warning: 1 of 2 rows" "$err"
verdict "which --force accepts" $?
run dist --score fixed.safetensors --json <(printf '0,0,1,0,0.1,0.99498743710662\n')
check "a pair of the training" as_json "$out" 'r["outside"]["rows"] == 0 and abs(r["outside"]["farthest"] - 0.1) < 0.01 and abs(r["outside"]["reach"] - 0.641) < 0.001'
check "is no failure" test "$status" -eq 0
refuses "no likelihood ratio with one time" 2 "knows one small time only" test --kind diffusion --score fixed.safetensors near.csv near.csv
run "${sphere[@]}" --width 16 --depth 2 --steps 2 --around near.csv -o near.safetensors
check "the hint repeats --around" grep -q "check near.safetensors --around near.csv" "$out"
# Points where no path went.
manistat train --manifold spd:2 --steps 2 --width 16 --depth 2 -o spd2.safetensors >"$out"
check "a reach" as_json <(manistat info --json spd2.safetensors) '1 < r["reach"] < 20 and r["centre"] == [1, 0, 0, 1]'
echo 1e-3,0,1e-3,1e-3,1e-5,1e-3 >far.csv
run heat --score spd2.safetensors --time 0.5 far.csv
[ "$status" -eq 0 ] && [ "$(wc -l <"$err")" -eq 1 ] && grep -q "warning: far.csv, row 1: 9.77 from the centre" "$err"
verdict "a warning of points beyond" $?
printf '1,0,1\n1e-3,0,1e-3\n2e-3,0,1e-3\n' >far.csv
run mean --score spd2.safetensors --time 0.5 far.csv
[ "$status" -eq 1 ] && grep -q "3 of 3 rows .* row 2 is 9.77 from the centre of its training" "$err"
verdict "and of how many" $?
check "the page tells it too" grep -q "^  outside  *3 of 3 rows, the farthest 9.7" "$out"
run mean --score spd2.safetensors --time 0.5 --force far.csv
check "--force: a mean beyond" test "$status" -eq 0
succeeds "none inside" heat --score spd2.safetensors --time 0.5 <(echo 1,0,1,2,0,1)
manistat train --manifold spd:2 --steps 2 --width 16 --depth 2 --around <(echo 1e-3,0,1e-3) -o there.safetensors >"$out"
check "around them" as_json <(manistat info --json there.safetensors) '1 < r["reach"] < 20 and 1e-4 < r["centre"][0] < 1e-2'
succeeds "none there" heat --score there.safetensors --time 0.5 <(echo 1e-3,0,1e-3,1e-3,1e-5,1e-3)
check "none on compact manifolds" as_json <(manistat info --json model.safetensors) 'r["reach"] is None and r["centre"] is None'
refuses "paths that go too far" 3 "a simulated path went astray .*smaller --t-max" train --manifold spd:3 --t-max 50 --steps 5 -o x.safetensors
manistat train --manifold spd:3 "${tiny[@]}" -o spd.safetensors >"$out"
refuses "no exact kernel to check against" 3 "spd:3 has no closed-form" check spd.safetensors --against exact
succeeds "check without one" check spd.safetensors --samples 256

# Diffusion tensors: their distances from the mean are far beyond what a path of the least time sees.
tensors=$here/../data/dti/small64_tensors.csv
manistat train --manifold spd:3 --steps 30 --width 16 --depth 2 --around "$tensors" -o dti.safetensors >"$out"
run mean --score dti.safetensors --kind frechet --json "$tensors"
check "a Frechet mean of wide data" as_json "$out" '500 < r["outside"]["rows"] <= 935 and r["outside"]["farthest"] > 2 and abs(r["outside"]["reach"] - 0.527) < 0.001 and r["outside"]["from"] == "mean" and len(r["mean"]) == 9'
[ "$status" -eq 1 ] && grep -Eq "[0-9]+ of 935 rows are beyond what dti.safetensors knows: row [0-9]+ is .* up to 0.53 apart" "$err"
verdict "is no quiet answer" $?
run mean --score dti.safetensors --kind frechet --force "$tensors"
[ "$status" -eq 0 ] && grep -q "warning: [0-9]* of 935 rows are beyond" "$err"
verdict "unless forced" $?
awk -F, '{ for (i = 1; i <= 6; i++) printf "%.9g%s", $i * 1e6, i < 6 ? "," : "\n" }' "$tensors" >far.csv
run mean --score dti.safetensors --time 0.3 --json far.csv
check "data far away" as_json "$out" 'r["outside"]["rows"] == 935 and r["outside"]["farthest"] > 20 and r["outside"]["from"] == "centre"'
check "have status 1" test "$status" -eq 1
run test --score dti.safetensors --json --time 0.3 far.csv "$tensors"
check "test" as_json "$out" 'r["outside"]["rows"] >= 935'
check "test: status 1" test "$status" -eq 1
run kmeans --score dti.safetensors -k 2 --restarts 1 --json "$tensors"
check "kmeans" as_json "$out" 'r["outside"]["rows"] > 300 and len(r["labels"]) == 935'
check "kmeans: status 1" test "$status" -eq 1

# ---- --score FILE in every command ----
model=(--score model.safetensors)
manistat sample --manifold sphere:2 --time 0.1 -n 60 -o data.csv
manistat sample --manifold sphere:2 --time 0.01 -n 60 -o tight.csv
manistat sample --manifold sphere:2 --time 0.1 -n 40 --start 0.6,0,0.8 -o other.csv
# likens NAME EXPRESSION ARGUMENTS: with the model, m, and with the exact kernel, e.
likens() {
    local name=$1 expression=$2
    shift 2
    manistat "$@" --manifold sphere:2 --json >exact.json
    run "$@" "${model[@]}" --json
    [ "$status" -eq 0 ] && python3 -c 'import json, math, sys
m, e = json.load(open(sys.argv[1])), json.load(open("exact.json"))
far = lambda a, b: math.dist(a, b)
sys.exit(0 if m["score"] == "model.safetensors" and m["manifold"] == "sphere:2" and eval(sys.argv[2]) else 1)' "$out" "$expression"
    verdict "$name" $?
}
manistat train --manifold sphere:2 --steps 300 --width 32 --depth 2 -o better.safetensors >"$out"
cp better.safetensors model.safetensors
likens "mean" "far(m['mean'], e['mean']) < 0.02 and abs(m['time'] - e['time']) < 0.01 and m['log_likelihood'] is None and m['aic'] is None and m['kind'] == 'diffusion'" mean data.csv
likens "mean at a time" "m['time'] == 0.1 and far(m['mean'], e['mean']) < 0.02" mean --time 0.1 data.csv
likens "Frechet mean" "m['kind'] == 'frechet' and m['time'] is None and far(m['mean'], e['mean']) < 0.05 and m['outside']['rows'] == 0" mean --kind frechet tight.csv
likens "test" "abs(m['statistic'] / e['statistic'] - 1) < 0.2 and m['p_value'] < 0.01" test data.csv other.csv
likens "kmeans" "m['kind'] == 'frechet' and far(m['centres'][0], e['centres'][0]) < 0.3" kmeans -k 2 tight.csv
likens "kmeans by diffusion means" "m['kind'] == 'diffusion' and 0 < m['times'][0] < 0.2" kmeans -k 2 --kind diffusion data.csv
likens "heat" "m['logp'] == [None] and abs(m['score_3'][0] - e['score_3'][0]) < 0.3 and abs(m['dt_logp'][0] - e['dt_logp'][0]) < 2" heat --time 0.2 pair.csv
likens "log" "math.hypot(m['v_1'][0], m['v_2'][0] - e['v_2'][0], m['v_3'][0]) < 0.1" log pair.csv
likens "dist" "abs(m['dist'][0] - e['dist'][0]) < 0.1" dist pair.csv
likens "geodesic" "m['s'] == e['s'] and max(abs(m[k][i] - e[k][i]) for k in ('x_1', 'x_2', 'x_3') for i in range(5)) < 0.05 and [m[k][4] for k in ('x_1', 'x_2', 'x_3')] == [0, 0.28, 0.96]" geodesic --steps 4 pair.csv
check "geodesic stays on the sphere" as_json "$out" "max(abs(math.hypot(r['x_1'][i], r['x_2'][i], r['x_3'][i]) - 1) for i in range(5)) < 1e-12"
run heat "${model[@]}" --time 0.2 pair.csv
check "heat writes nan" grep -q '^nan,' "$out"
refuses "exp" 3 "no geodesic from its velocity; leave out --score" exp "${model[@]}" pair.csv
refuses "mixture" 3 "needs log p.*kmeans" mixture "${model[@]}" -k 2 data.csv
run mean "${model[@]}" --manifold sphere:2 data.csv
check "the manifold may be said again" test "$status" -eq 0
check "one warning of no certificate" test "$(grep -c "warning: model.safetensors has no certificate" "$err")" -eq 1 -a "$(wc -l <"$err")" -eq 1
check "the text names the model" grep -q 'by model.safetensors' "$out"
succeeds "exact is a word" mean --manifold sphere:2 --score exact data.csv

# A network on the real geodesic: many pairs, more steps than fit together, and any number of rows.
manistat geodesic "${model[@]}" --steps 3 data.csv other.csv >"$out" 2>"$err"
status=$?
check "geodesic: unequal files" test "$status" -eq 2
head -n 40 data.csv >forty.csv
run geodesic "${model[@]}" --steps 3 forty.csv other.csv
check "geodesic of many pairs" test "$status" -eq 1 # which are far apart
check "geodesic: all rows" test "$(wc -l <"$out")" -eq 161
run geodesic "${model[@]}" --steps 3 <(tail -n 1 forty.csv) <(tail -n 1 other.csv)
tail -n 4 "$out" | cut -d, -f2- >last.csv
manistat geodesic "${model[@]}" --steps 3 forty.csv other.csv 2>"$err" | tail -n 4 | cut -d, -f2- >all.csv
check "geodesic: a row does not depend on its neighbours" close_to last.csv all.csv 1e-6

# ---- Times outside the model's range ----
refuses "--time too large" 2 "--time 3 lies outside 0.005 to 1, .*model.safetensors.*--force" mean "${model[@]}" --time 3 data.csv
refuses "--time of heat" 2 "--time 3 lies outside 0.005 to 1" heat "${model[@]}" --time 3 pair.csv
sed 's/$/,0.1/' pair.csv >timed.csv
sed 's/$/,7/' pair.csv >>timed.csv
refuses "a time in a row" 2 "timed.csv, row 2: the time 7 lies outside 0.005 to 1" heat "${model[@]}" timed.csv
for arguments in "mean --time 3 data.csv" "heat --time 3 pair.csv" "heat timed.csv"; do
    # shellcheck disable=SC2086
    run $arguments "${model[@]}" --force
    [ "$status" -eq 0 ] && grep -v 'no certificate' "$err" >told && [ "$(wc -l <told)" -eq 1 ] &&
        grep -q 'warning: .*the time [37] lies outside 0.005 to 1' told
    verdict "--force: $arguments" $?
done
manistat sample --manifold sphere:2 --time 0.0005 -n 50 -o close.csv
run mean "${model[@]}" --json close.csv
check "the time at the lower edge" as_json "$out" "r['time_limit'] == 't-min' and r['time'] == 0.005 and r['converged']"
[ "$status" -eq 1 ] && grep -q 'best time lies below 0.005, the t-min of model.safetensors' "$err"
verdict "the lower edge: status 1 and why" $?
manistat train --manifold sphere:2 "${tiny[@]}" --t-max 0.05 -o early.safetensors >"$out"
run mean --score early.safetensors --json data.csv
check "the time at the upper edge" as_json "$out" "r['time_limit'] == 't-max' and r['time'] == 0.05"
check "the upper edge: status 1" test "$status" -eq 1
# Certified for less than it was trained for; the text is as long as the old one, so that the file stays sound.
python3 - certified.safetensors narrow.safetensors <<'END'
import json, re, sys
data = open(sys.argv[1], "rb").read()
length = int.from_bytes(data[:8], "little")
header = json.loads(data[8 : 8 + length])
certificate = json.loads(header["__metadata__"]["certificate"])
certificate["t_low"], certificate["t_high"] = 0.3, 0.5
header["__metadata__"]["certificate"] = json.dumps(certificate)
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
open(sys.argv[2], "wb").write(len(text).to_bytes(8, "little") + text + data[8 + length :])
END
run mean --score narrow.safetensors data.csv
[ "$status" -eq 1 ] && grep -q '60 of 60 rows .*the time .* lies outside 0.3 to 0.5, .*is certified; --force' "$err"
verdict "a time that is not certified: status 1" $?
run mean --score narrow.safetensors --force --json data.csv
check "--force: a time that is not certified" as_json "$out" 'r["outside"]["rows"] == 60 and r["outside"]["times"] == [0.3, 0.5]'
[ "$status" -eq 0 ] && grep -q 'warning: 60 of 60 rows' "$err"
verdict "--force: a warning" $?
run mean --score narrow.safetensors --time 0.4 data.csv
check "a certified time: silence" test "$status" -eq 0 -a ! -s "$err"
# A certificate is of its weights: here it is damaged, of another model, of no model, and with codes for terminals.
python3 - certified.safetensors early.safetensors <<'END'
import json, sys

def read(path):
    data = open(path, "rb").read()
    length = int.from_bytes(data[:8], "little")
    return json.loads(data[8 : 8 + length]), data[8 + length :]

def write(path, header, rest, certificate):
    header["__metadata__"]["certificate"] = certificate
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    open(path, "wb").write(len(text).to_bytes(8, "little") + text + rest)

(good, weights), (other, others) = read(sys.argv[1]), read(sys.argv[2])
certificate = json.loads(good["__metadata__"]["certificate"])
write("damaged.safetensors", good, weights, json.dumps(certificate)[:40])
write("foreign.safetensors", other, others, json.dumps(certificate))
write("coloured.safetensors", good, weights, json.dumps(certificate | {"against": "\x1b[31mred"}))
write("turned.safetensors", good, bytes([weights[0] ^ 1]) + weights[1:], json.dumps(certificate))
write("unbound.safetensors", good, weights, json.dumps({k: v for k, v in certificate.items() if k != "network"}))
END
for fault in damaged foreign turned unbound; do
    run mean --score $fault.safetensors --time 0.04 --force data.csv
    what='a certificate that is not of these weights'
    [ $fault = damaged ] && what='a certificate that cannot be read'
    check "a $fault certificate: one warning" test "$(grep -c "warning: $fault.safetensors has $what, so nobody knows" "$err")" -eq 1
    check "a $fault certificate is none" as_json <(manistat info --json $fault.safetensors) 'r["certificate"] is None'
done
run info coloured.safetensors
[ "$status" -eq 0 ] && grep -q "the source '?\[31mred'" "$out" && ! grep -q $'\x1b' "$out"
verdict "texts of a certificate are clean" $?

# ---- Hostile models ----
head -c 1000 model.safetensors >short.safetensors
head -c 100 model.safetensors >shorter.safetensors
: >empty.safetensors
head -c 4000 /dev/urandom >noise.safetensors
printf '\010\000\000\000\000\000\000\000{}      ' >bare.safetensors
for file in short shorter empty noise bare; do
    for arguments in "mean --score $file.safetensors data.csv" "log --score $file.safetensors pair.csv" "info $file.safetensors" "check $file.safetensors"; do
        # shellcheck disable=SC2086
        refuses "hostile: $arguments" 2 "$file.safetensors" $arguments
    done
done
refuses "another manifold" 2 "model for sphere:2, not for torus:2" mean "${model[@]}" --manifold torus:2 data.csv
refuses "a table as a model" 2 "data.csv: not a safetensors file" mean --score data.csv data.csv
refuses "a model as a table" 2 "model.safetensors" mean --manifold sphere:2 model.safetensors
refuses "no such model" 2 "--score 'nowhere' is neither a score source .exact, log, expansion, bridge, pde, spectral. nor a file" mean --score nowhere data.csv
refuses "an unknown option of a model" 2 "'paths' is no option of the score source 'model.safetensors'; it has beyond, t" mean --score 'model.safetensors?paths=3' data.csv
refuses "a limit has no likelihood" 2 "has no time" mean --score 'model.safetensors?t=least' --kind diffusion data.csv
refuses "a limit has no heat" 2 "has no time" heat --score 'model.safetensors?t=least' --time 0.5 pair.csv
manistat mean --score 'model.safetensors?t=least' --json data.csv >limit.json 2>"$err"
check "a limit by option is that of frechet" as_json limit.json 'r["kind"] == "frechet" and r["score"] == "model.safetensors?t=least"'
manistat mean "${model[@]}" --kind frechet --json data.csv >frechet.json
check "and its mean" as_json limit.json 'r["mean"] == json.load(open("frechet.json"))["mean"]'
refuses "neither manifold nor model" 2 "--manifold SPEC is missing" mean data.csv
refuses "a model from standard input" 2 "not read from standard input" log --score - pair.csv
