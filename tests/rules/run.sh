#!/bin/sh
# run.sh nvcc|cc: looks in what rules/profile.sh has profiled, fixtures.cu, whether every rule of --list-rules finds something in its kernel
# fires_RULE (or the one that fixtures.cu names) and nothing in silent_RULE. What only a real GPU tells is tested by
# src/analyse/advise/hardware_rules_test.c with what one told. Environment: WARPLENS, SOURCE, NVCC, REPORTS.
set -eu
compiler=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
status=0

fail() {
    echo "$*" >&2
    status=1
}

cp "$REPORTS/fixtures.h200" fixtures
cp "$REPORTS/h200.wlr" all.wlr
cp "$REPORTS/k40.wlr" k40.wlr

profile() { # NAME PROFILE-OPTIONS -- ARGUMENTS
    name=$1
    shift
    "$WARPLENS" profile -q --source-folders "$SOURCE/tests/rules" -o "$name" "$@" >"$name.log" 2>&1 || { cat "$name.log"; exit 1; }
}

advise() { # NAME: "rule kernel" lines of NAME.wlr into NAME.found
    name=$1
    "$WARPLENS" show "$name.wlr" --page advice --csv |
        awk -F'","' 'NR > 1 { sub(/[(<].*/, "", $5); sub(/^void /, "", $5); print $2, $5 }' >"$name.found"
    "$WARPLENS" show "$name.wlr" --page advice | sed -n '/^Not looked at/,$p' >"$name.skipped"
}
profile many ./fixtures 30
profile few ./fixtures 10
profile slow --gpu h200,launch_overhead_ns=3000 ./fixtures 30
for name in all k40 many few; do
    advise $name
done
if grep 'the rule failed' ./*.skipped; then fail "a rule failed"; fi

# what the rules found, and in which kernel: one awk, as there are some seventy rules
kernels=$(sed -n 's/.*__global__.* \([a-z_0-9]*_[a-z_0-9]*\)(arrays x).*/\1/p; s/^COPY(\(.*\))$/\1/p' "$SOURCE/tests/rules/fixtures.cu")
"$WARPLENS" metrics --list-rules | sed 1d >rules
KERNELS=$kernels awk -v compiler="$compiler" '
    function look(kind, list, kernel) {
        if (kernel != "" && !(kernel in is_kernel)) {
            print "rule " rule " has no kernel " kernel " in fixtures.cu"
            return
        }
        is_found = ((list, rule, kernel) in found)
        if (kind == "fires" && !is_found) print "rule " rule " does not fire in " (kernel == "" ? list : kernel)
        if (kind == "silent" && is_found) print "rule " rule " fires in " (kernel == "" ? list : kernel)
    }
    FNR == 1 { count = split(ENVIRON["KERNELS"], words, "\n"); for (i = 1; i <= count; i++) is_kernel[words[i]] }
    FILENAME ~ /\.found$/ { found[FILENAME, $1, $2]; found[FILENAME, $1, ""]; next }
    FILENAME ~ /fixtures\.cu$/ { if ($1 == "//" && NF == 4) { fires[$2] = $3; silent[$2] = $4 } next }
    FILENAME ~ /hardware\.csv$/ { sub(/,.*/, ""); if (sub(/^fires_/, "")) elsewhere[$0]; next }
    FILENAME ~ /trace\.lua$/ { if (match($0, /id = "[^"]*"/)) { split(substr($0, RSTART), words, "\""); traced[words[2]] } next }
    {
        rule = $1
        name = rule
        gsub(/-/, "_", name)
        # of hardware; that of stall-no-instruction serves it, too; of a trace: src/analyse/advise/trace_rules_test.c
        if ((name in elsewhere) || rule == "instruction-cache" || (rule in traced)) next
        # what clang makes of that kernel needs no spills; it has no textures here
        if (compiler == "cc" && (rule == "register-spills" || rule == "stall-tex-throttle")) next
        # nor has the code of sinf, which is called there
        if (compiler == "cc" && rule == "accurate-functions") next
        if (rule == "launch-bound") { # of a program, not of a kernel
            look("fires", "many.found", "")
            look("silent", "few.found", "")
            next
        }
        list = rule == "read-only-cache" ? "k40.found" : "all.found"
        look("fires", list, (rule in fires) ? fires[rule] : "fires_" name)
        look("silent", list, (rule in silent) ? silent[rule] : "silent_" name)
    }' all.found k40.found many.found few.found "$SOURCE/tests/rules/fixtures.cu" "$SOURCE/tests/rules/hardware.csv" \
    "$SOURCE/data/rules/trace.lua" rules >wrong
if [ -s wrong ]; then fail "$(cat wrong)"; fi

# what a launch takes itself is no work
"$WARPLENS" show slow.wlr --page advice --rule launch-bound >slow
if ! grep -q '30 of 30 launches have less than 2.5 us of work' slow || ! grep -q 'work of a launch = [0-9.]\{1,6\} ns' slow; then
    fail "launches that take long themselves are taken for work"
    cat slow
fi

# code that warps go through once fits any cache
"$WARPLENS" show all.wlr -k silent_global_atomics --page advice --rule instruction-cache >cold
if ! grep -q 'note: instruction-cache: .* to be fetched the first time' cold || grep -q 'Unroll less' cold; then
    fail "the first pass of a launch through its code is said not to fit the instruction cache"
    cat cold
fi

# one memory access is as long on all SMs
if grep -q '^small-grid short_small_grid$' all.found; then fail "a grid whose threads do one thing each is said to be too small"; fi
if grep -q '^small-grid turnless_small_grid$' all.found; then fail "a loop of one turn is said to be work for more SMs"; fi
"$WARPLENS" show all.wlr -k twice_small_grid --page advice --rule small-grid >twice
if ! grep -q 'do: Launch 8 blocks, one for each turn of the loop' twice || ! grep -q 'the work of a block on 2 SMs' twice; then
    fail "a loop of two turns is said to be work for more than two blocks"
    cat twice
fi
"$WARPLENS" show all.wlr -k large_small_grid --page advice --rule small-grid >large
if ! grep -q 'note: small-grid' large; then
    fail "threads that do one thing each are said to be done sooner in more blocks"
    cat large
fi
if grep -q '^shared-reduction shuffles_shared_reduction$' all.found; then fail "a reduction by shuffles is said to go step by step"; fi
if grep -q '^few-threads turnless_small_grid$' all.found; then fail "a loop of one turn is said to be work for more threads"; fi
if grep -q '^few-threads short_few_threads$' all.found; then fail "threads that do one thing each are said to be too few"; fi
if grep -q '^global-accumulator walks_global_accumulator$' all.found; then fail "a pointer that moves on is said to stay"; fi

# one thread is no thread that reads beside others
"$WARPLENS" show all.wlr -k lone_small_grid --page advice --rule small-grid >lone
if ! grep -q 'small-grid: one thread does all the work, turn by turn: 131 of 132 SMs and 31 of 32 lanes .*; saves more than 99% (' lone ||
    ! grep -q 'do: Let each turn of the loop be a thread of its own' lone; then
    fail "one thread that does all the work is not told apart from a small grid"
    cat lone
fi

# rounding up blocks of one thread would leave it alone
"$WARPLENS" show all.wlr -k lone_partial_warp --page advice --rule partial-warp >alone
if ! grep -q 'partial-warp: blocks of 1 thread leave 31 of 32 lanes of their warp idle' alone ||
    ! grep -q 'do: Let a block have 128 or 256 threads' alone; then
    fail "blocks of one thread are to be rounded up"
    cat alone
fi

# wider blocks are fewer, too
"$WARPLENS" show all.wlr -k narrow_global_uncoalesced --page advice --rule global-uncoalesced | tr -s "\n " "  " >narrow
if ! grep -q 'do: Let a row of the block be 32 threads wide or more, and not fewer threads: 32 x 4 instead of 1 x 32' narrow ||
    ! grep -q 'gain: by formula: .* of 32.8k blocks that start one after another in .* 25% remain; of the time' narrow; then
    fail "of narrow blocks the gain forgets that wider ones are fewer"
    cat narrow
fi

# the cause of conversions is what is told, and no shared memory where there is none
if grep -q '^special-functions converts_double$' all.found; then fail "conversions of constants without f are said to be special functions"; fi
"$WARPLENS" show all.wlr -k converts_double --page advice >converts
if ! grep -q 'double: .* in double precision on data in single' converts || ! grep -q 'timed again without special-functions' converts ||
    ! grep -q 'warps wait, most for special functions' converts || grep -q 'bank conflicts\|shared memory' converts; then
    fail "conversions are taken for shared memory"
    cat converts
fi

# the line that fills a queue is another one than that at which warps wait
"$WARPLENS" show all.wlr -k fires_shared_bank --page advice --rule stall-mio-throttle >queue
if ! grep -q 'what fills the queue most: .*sum += tile\[column\]\[row + k\]' queue; then
    fail "what fills a queue is not told"
    cat queue
fi

# barriers of steps that come twice, and what a thread for a row is not
"$WARPLENS" show all.wlr -k twice_needless_barriers --page advice --rule needless-barriers >twice
grep -q 'needless-barriers: 67.6k of 144k barriers order nothing' twice || { fail "a second barrier is not found"; cat twice; }
if grep -q '^needless-barriers shared_needless_barriers$' all.found; then fail "a barrier of readers with a writer is said to order nothing"; fi
if grep -q '^short-threads fires_idle_blocks$' all.found; then fail "threads that do nothing are said to move an element each"; fi
if grep -q '^idle-blocks leaders_idle_blocks$' all.found; then fail "warps that compute are said to have nothing to do"; fi
if grep -q '^thread-per-row swapped_thread_per_row$' all.found; then fail "indices that are exchanged are said to be rows for warps"; fi
"$WARPLENS" show all.wlr -k stored_thread_per_row --page advice --rule thread-per-row >stored
if ! grep -q 'do: Let neighbouring threads take neighbouring elements: thread t' stored || grep -q 'shuffles' stored; then
    fail "elements that are stored one by one are said to be summed up"
    cat stored
fi

# blocks that are long on one SM alone leave the others without
"$WARPLENS" show all.wlr -k apart_long_blocks --page advice >apart
if ! grep -q 'long-blocks: for [89][0-9]% of the time of the SMs they have no block' apart; then
    fail "the long blocks of one SM are said to be on all"
    cat apart
fi

# nor are more blocks promised what their atomics would take again: it says how many are best
"$WARPLENS" show all.wlr -k atomic_small_grid --page advice --rule small-grid >small
if ! grep -q 'no more: each brings its own atomics' small || grep -q 'saves 9[0-9]%' small; then
    fail "atomics in one place are forgotten where more blocks are advised"
    cat small
fi

# a distance that changes from turn to turn is not said to be that of the first
"$WARPLENS" show all.wlr -k turns_shared_bank --page advice --rule shared-bank >turns
grep -q 'do: Pad rows of shared arrays' turns || fail "conflicts at changing distances have another remedy"

# of words that a compiler loads together, the distance is to what a thread takes at once
"$WARPLENS" show all.wlr -k words_shared_bank --page advice --rule shared-bank >words
for text in '2-way bank conflict' 'Neighbouring threads are 32 bytes apart and take 16' 'memory_l1_wavefronts_shared = [0-9,]* wavefront ~'; do
    grep -q "$text" words || { fail "conflicts of joined loads are not '$text'"; cat words; }
done

# what lanes have at one word is one atomic in machine code
if grep -E '^shared-(atomics|bank) merged_shared_atomics$' all.found; then fail "atomics that are merged are advised against"; fi

# what a comparison says of two kernels: the stalls that went and came, and lines
profile before ./fixtures fires_shared_bank
profile after ./fixtures fires_shared_pressure
"$WARPLENS" diff before.wlr after.wlr >differences
for text in 'slower: ' 'came: waiting, mio throttle' 'sum += tile\[column\]\[row + k\];.*memory_l1_wavefronts_shared.*gone' \
    'sum += tile\[k\].*memory_l1_wavefronts_shared.*new' 'vanished: shared-bank' 'appeared: shared-pressure'; do
    grep -q "$text" differences || fail "the comparison does not say '$text'"
done

# one that was renamed, and takes the same
profile renamed ./fixtures lone_small_grid
"$WARPLENS" diff before.wlr renamed.wlr >differences || fail "a kernel that was renamed has no partner"
grep -q 'fires_shared_bank(arrays), 1 launch -> lone_small_grid(arrays), 1' differences || fail "a kernel that was renamed is not compared"

# a finding whose gain nothing tells
profile chased ./fixtures fires_chased_loads
"$WARPLENS" guide chased.wlr >guide
if ! grep -q 'chased-loads: each of 64 loads of a thread waits for the one before' guide || ! grep -q 'gain: not known' guide; then
    fail "the guide does not say that a gain is not known"
    cat guide
fi

# the same text each time, and for any number of threads that simulate (program.right_nvcc: counts and times)
profile again --threads 1 ./fixtures fires_shared_pressure
for name in after again; do
    "$WARPLENS" show "$name.wlr" --page advice >"$name.txt"
    grep -q 'shared-pressure' "$name.txt" || fail "$name: no finding"
done
cmp after.txt again.txt || fail "the advice differs from run to run"
exit $status
