/* Options of ncu that Warplens knows but cannot give, each with its reason: none passes silently.
 */
#include "cmd/groups.h"

#define REFUSED(spelled, why)                                       \
    {                                                               \
        .name = (spelled), .kind = WL_OPTION_REFUSED, .help = (why) \
    }
#define ONLY(spelled, values, why)                                                     \
    {                                                                                  \
        .name = (spelled), .kind = WL_OPTION_ONLY, .argument = (values), .help = (why) \
    }

#define ACCEPTED(spelled, values, why)                                                     \
    {                                                                                      \
        .name = (spelled), .kind = WL_OPTION_ACCEPTED, .argument = (values), .help = (why) \
    }

#define ATTACH "the program is always started by warplens"
#define HARDWARE "clocks and boost are left as they are; their frequency is in the report"
#define SAMPLING \
    "counters are read for each launch, not over time; --warp-sampling samples warps on a real GPU"
#define ONE_PASS "warps are sampled in one pass"
#define EMPTIED "buffers of samples are emptied as they fill"
#define RANKS "each process is measured or simulated by itself, in a report of its own"
#define CONFIG "options come from the command line only, so that a run can be repeated"
#define RENAME "kernels keep the names that the program gives them"
#define PYTHON_LINES \
    "`warplens trace --python-backtrace cuda` records which lines of Python launched"
#define STACKS \
    "-k, --kernel-id and --nvtx-include choose launches; --call-stack shows where they come from"
#define GREEN "green contexts are not distinguished"

const struct wl_option wl_refused_rows[] = {
    /* launch and attach */
    ONLY("mode", "launch-and-attach", ATTACH),
    {.name = "port", .letter = 'p', .kind = WL_OPTION_REFUSED, .help = ATTACH},
    REFUSED("max-connections", ATTACH),
    REFUSED("hostname", ATTACH),
    REFUSED("target-processes-filter", "use -k, --kernel-id or NVTX ranges"),
    ONLY("check-exit-code", "yes|on|true|1", "a program that fails is always reported"),
    REFUSED("null-stdin", "redirect it: warplens profile ./app < /dev/null"),
    REFUSED("injection-path-32", "CUDA programs are 64-bit"),
    REFUSED("injection-path-64", "the libraries lie beside warplens"),
    REFUSED("preload-library", "set LD_PRELOAD; warplens keeps what is there"),
    ONLY("support-32bit", "no|off|false|0", "CUDA programs are 64-bit"),
    ONLY("call-stack-type", "native", "--python-backtrace cuda records lines of Python"),
    ONLY("nvtx-push-pop-scope", "thread", "push/pop ranges are those of the launching thread"),
    ONLY("communicator", "none", RANKS),
    REFUSED("communicator-tcp-num-peers", RANKS),
    REFUSED("communicator-tcp-hostname", RANKS),
    REFUSED("communicator-tcp-port", RANKS),
    REFUSED("communicator-shmem-num-peers", RANKS),
    REFUSED("lockstep-kernel-launch", RANKS),
    REFUSED("lockstep-nvtx-include", RANKS),
    REFUSED("lockstep-nvtx-exclude", RANKS),
    ONLY("mps", "none", RANKS),
    REFUSED("mps-num-clients", RANKS),
    REFUSED("mps-timeout", RANKS),
    ONLY("config-file", "no|off|false|0", CONFIG),
    REFUSED("config-file-path", CONFIG),
    /* what to profile */
    ONLY("devices", "0|all",
         "all GPUs of the program are profiled; choose with CUDA_VISIBLE_DEVICES"),
    REFUSED("native-include", STACKS),
    REFUSED("native-exclude", STACKS),
    REFUSED("python-include", PYTHON_LINES),
    REFUSED("python-exclude", PYTHON_LINES),
    REFUSED("range-filter", "use --nvtx-include or cudaProfilerStart"),
    REFUSED("disable-profiler-start-stop",
            "cudaProfilerStart and cudaProfilerStop are always observed"),
    ONLY("rename-kernels", "no|off|false|0", RENAME),
    ONLY("rename-kernels-export", "no|off|false|0", RENAME),
    REFUSED("rename-kernels-path", RENAME),
    /* what to collect */
    REFUSED("section-folder-recursive", "use --section-folder; its subfolders are not read"),
    REFUSED("section-folder-restore", "the sections are part of warplens and cannot be lost"),
    REFUSED("list-chips", "use `warplens gpus`"),
    REFUSED("chips", "use --gpu NAME; `warplens gpus` lists them"),
    REFUSED("query-metrics-mode", "--query-metrics lists whole names"),
    REFUSED("query-metrics-collection", "--query-metrics lists whole names"),
    REFUSED("disable-extra-suffixes", "metrics have the suffixes that --query-metrics lists"),
    ONLY("metric-distribution-groups", "1", "every process counts all its metrics itself"),
    ACCEPTED("import-sass", "yes|no", "machine code is in reports of a real GPU; PTX is always"),
    REFUSED("resolve-source-file", "use --source-folders"),
    ACCEPTED("clock-control", "base|boost|none", HARDWARE),
    REFUSED("pipeline-boost-state", HARDWARE),
    REFUSED("pm-sampling-interval", SAMPLING),
    REFUSED("pm-sampling-buffer-size", SAMPLING),
    REFUSED("pm-sampling-max-passes", SAMPLING),
    REFUSED("warp-samples-per-interval", SAMPLING),
    REFUSED("disable-pm-warp-sampling", SAMPLING),
    ACCEPTED("warp-sampling-max-passes", "N", ONE_PASS),
    ACCEPTED("sampling-max-passes", "N", ONE_PASS), /* as ncu before 2024 has them */
    ACCEPTED("warp-sampling-buffer-size", "BYTES", EMPTIED),
    ACCEPTED("sampling-buffer-size", "BYTES", EMPTIED),
    /* replay */
    ONLY("app-replay-match", "grid|all", "launches are matched by number, kernel, grid and block"),
    ONLY("app-replay-mode", "balanced", "launches that differ from run to run have no counters"),
    ACCEPTED("app-replay-buffer", "file|memory",
             "what is kept between runs lies beside the report"),
    REFUSED("range-replay-options",
            "a range is replayed where that is safe, see docs/using/hardware.md"),
    /* output */
    REFUSED("open-in-ui", "use `warplens show REPORT`"),
    ONLY("print-metric-instances", "none", "the source page shows the values of each instruction"),
    REFUSED("print-metric-attribution", GREEN),
    REFUSED("print-fp", "--print-units base and --json give plain numbers"),
    ONLY("print-kernel-base", "demangled", RENAME),
    ONLY("print-nvtx-rename", "none", RENAME),
    {.name = NULL},
};
