#!/bin/sh
# try-additions.sh FOLDER: adds one of each thing that docs/architecture.md lists under "what else is added" to a copy of
# the committed tree in FOLDER (which must not exist), counts the product files that each takes, builds the copy and
# tries them. By hand; a build's time. Environment: JOBS, CMAKE_OPTIONS.
set -eu
folder=${1:?which folder?}
cd "$(dirname "$0")/.."
[ ! -e "$folder" ] || { echo "$folder is there already" >&2; exit 2; }
mkdir -p "$folder"
git archive HEAD | tar -x -C "$folder"
cd "$folder"
git init -q .
commit() { git add -A -f . && git -c user.name=try -c user.email=try@localhost commit -qm "$1"; }
commit base
status=0

count() { # WHAT MOST: what has been added since the last call
    git add -A -f .
    files=$(git diff --cached --name-only -- src data include)
    number=$(echo "$files" | wc -l)
    echo "$1: $number (at most $2):" $files
    [ "$number" -le "$2" ] || status=1
    commit "$1"
}

insert() { # FILE BEFORE-PATTERN LINES
    printf '%s\n' "$3" >inserted
    line=$(grep -n -m1 -- "$2" "$1" | cut -d: -f1)
    sed -i "$((line - 1))r inserted" "$1"
    rm inserted
}

# the absolute value once more, under a name that PTX does not have
insert src/ptx/lower/instructions.def '^X("abs.s32"' 'X("trial.s32", ABS_S32, ALU, INTEGER)'
count "instruction that an operation does" 3

insert src/ptx/lower/instructions.def '^X("abs.s32"' 'X("attempt.s32", ATTEMPT_S32, ALU, INTEGER)'
insert src/warp/ops.def '^U(ABS_S32' 'U(ATTEMPT_S32, s32, s32, a ^ 1)'
count "instruction with an operation of its own" 3

cat >data/metrics/trial.lua <<'END'
return {
    { name = "trial__double", description = "twice the instructions",
        formula = function(m) return 2 * m["ptx__inst_executed.sum"] end },
}
END
count "metric" 3

cat >data/rules/trial.lua <<'END'
return {
    {
        id = "trial-rule", name = "A trial", section = "SourceCounters", stage = "compute", order = 900, group = "trial",
        description = "Fires always.", advice = "Nothing.",
        apply = function(launch)
            return { title = "this is a trial", evidence = { { metric = "ptx__inst_executed.sum" } },
                saved = 0.5, how = "half", confidence = "low" }
        end,
    },
}
END
count "rule" 2

insert src/record/settings.def '^WL_SETTING(BOOL, strict_arch' 'WL_SETTING(BOOL, trial_arch, "no", "no", AS_TEXT,
           OPTION(GPU, FLAG, "trial-arch", 0, NULL, "as --strict-arch"))'
insert src/device/core/options.def '(bool, strict_arch)' 'WL_DEVICE_OPTION(bool, trial_arch)'
sed -i 's/bool accepts_newer = !wl_device.options.strict_arch ||/bool accepts_newer = !(wl_device.options.strict_arch || wl_device.options.trial_arch) ||/
        s/if (!wl_device.options.strict_arch)/if (!wl_device.options.strict_arch \&\& !wl_device.options.trial_arch)/' \
    src/device/kernel/image.c
count "option that the simulator reads" 3

sed 's/wl_verb_gpus/wl_verb_trial/; s/\.name = "gpus"/.name = "trial"/; s/\.usage = "gpus/.usage = "trial/' \
    src/cmd/gpus.c >src/cmd/trial.c
insert src/cmd/verbs.def '^WL_VERB(version)' 'WL_VERB(trial)'
count "verb" 3

sed 's/wl_replay_none/wl_replay_trial/; s/"none"/"trial"/' src/collect/cupti/replay/none.c >src/collect/cupti/replay/trial.c
insert src/collect/cupti/replay/modes.def '^WL_REPLAY_MODE(kernel)' 'WL_REPLAY_MODE(trial)'
insert src/collect/cupti/replay/modes.def '^WL_REPLAY_POLICY(NONE' \
    'WL_REPLAY_POLICY(TRIAL, .mode = &wl_replay_trial, .graph = &wl_replay_graph)'
sed -i 's/"auto|kernel|application|none|spread|range|app-range"/"auto|kernel|application|none|spread|range|app-range|trial"/
        s/WL_REPLAY_APP_RANGE)/WL_REPLAY_APP_RANGE, WL_REPLAY_TRIAL)/' src/record/settings.def
count "replay mode" 3

cat >src/show/page/page_trial.c <<'END'
#include "show/page/context.h"

static enum wl_code walk(struct wl_view_context *context, struct wl_page_sink *sink,
                         struct wl_error *error)
{
    (void)context, (void)error;
    wl_print(sink, "a trial\n");
    return WL_OK;
}

const struct wl_page wl_page_trial = {.name = "trial", .walk = walk};
END
echo 'WL_PAGE_ROW(TRIAL, trial)' >>src/show/page/pages.def
count "page" 2

# shellcheck disable=SC2086
cmake -S . -B build -G Ninja --log-level=WARNING ${CMAKE_OPTIONS:-} >/dev/null
ninja -C build --quiet -j"${JOBS:-$(nproc)}" product

try() { # WHAT COMMAND...
    what=$1
    shift
    "$@" >log 2>&1 && echo "works: $what" || { echo "FAILS: $what"; cat log; status=1; }
}
w=$folder/build/warplens
cat >app.cu <<'END'
#include <cstdio>
__global__ void kernel(int *out)
{
    int negative = -3 - (int)threadIdx.x, own, other;
    asm("trial.s32 %0, %1;" : "=r"(own) : "r"(negative));
    asm("attempt.s32 %0, %1;" : "=r"(other) : "r"(8));
    out[threadIdx.x] = own + other;
}
int main()
{
    int *device, host[32];
    cudaMalloc(&device, sizeof host);
    kernel<<<1, 32>>>(device);
    cudaError_t error = cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    printf("%s %d %d\n", cudaGetErrorName(error), host[0], host[31]);
}
END
"$w" cc app.cu -o app
try "instructions" sh -c "'$w' profile -q -f -o run ./app | grep -qx 'cudaSuccess 12 43'"
try "metric" sh -c "'$w' show run.wlr --metrics trial__double | grep -q trial__double"
try "rule" sh -c "'$w' show run.wlr --page advice | grep -q 'this is a trial'"
try "page" sh -c "'$w' show run.wlr --page trial | grep -q 'a trial'"
try "option" sh -c "'$w' profile -q -f -o old --gpu k40 --trial-arch ./app 2>&1 | grep -q 'error 209' &&
    ! '$w' profile -q -f -o old --gpu k40 ./app 2>&1 | grep 'error 209' && '$w' help profile | grep -q trial-arch"
try "verb" sh -c "'$w' trial | grep -q h200"
try "replay mode" sh -c "'$w' help profile | grep -q 'app-range|trial'"
exit $status
