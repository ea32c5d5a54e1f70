/* Options of `nsys profile` beside those that `trace` does: accepted where they change nothing that
 * is recorded, or refused with the reason. */
#include "cmd/groups.h"

#define TOOL "nsys"
#define REFUSED(spelled, why)                                                     \
    {                                                                             \
        .name = (spelled), .kind = WL_OPTION_REFUSED, .help = (why), .tool = TOOL \
    }
/* These values change nothing, others are refused. */
#define ONLY(spelled, short, values, why)                                                   \
    {                                                                                       \
        .name = (spelled), .letter = (short), .kind = WL_OPTION_ONLY, .argument = (values), \
        .help = (why), .tool = TOOL                                                         \
    }
#define ACCEPTED(spelled, short, values, why)                                                   \
    {                                                                                           \
        .name = (spelled), .letter = (short), .kind = WL_OPTION_ACCEPTED, .argument = (values), \
        .help = (why), .tool = TOOL                                                             \
    }

#define OFF "false|no|off|0|none"
#define GRAPHICS "calls of graphics libraries are not recorded, only CUDA's"
#define WINDOWS "Warplens runs on Linux"
#define BY_TIME "samples of --sample are taken by time: --sampling-frequency"
#define CPU_COUNTERS "the processor's counters are not read; perf stat reads them"
#define KERNEL_EVENTS "events of the operating system's kernel are not recorded; perf trace does"
#define GPU_COUNTERS "counters over time are not read; `warplens profile` counts for each launch"
#define NETWORK "counters of network cards and switches are not read"
#define SESSIONS "there are no sessions: one command runs the program and makes the report"
#define PYTHON "Python is not sampled; --python-backtrace cuda records which of its lines launched"
#define FRAMES "frames of graphics are not seen"
#define SYSTEM_STACKS "calls of the system are recorded without call stacks"
#define STORAGE "storage devices are not watched"
#define COMMANDS \
    "no commands are run: put them behind warplens, `warplens nsys profile ... && COMMAND`"
#define EMBEDDED "it exists on NVIDIA's embedded systems only"

const struct wl_option wl_nsys_rows[] = {
    /* the run */
    ACCEPTED("auto-report-name", 0, "true|false", "without -o the report has a free name"),
    REFUSED("command-file",
            "options come from the command line only, so that a run can be repeated"),
    ONLY("kill", 0, "none|0", "the program always runs to its end"),
    REFUSED("run-as", "use sudo -u USER warplens ..."),
    ACCEPTED("session-new", 0, "NAME", SESSIONS),
    REFUSED("session", SESSIONS),
    ONLY("start-later", 'Y', OFF, SESSIONS),
    ACCEPTED("stop-on-exit", 'x', "true|false",
             "recording ends with the program and all that it started"),
    ACCEPTED("stop-on-range-end", 0, "true|false",
             "--capture-range-end says what happens at the end of a range"),
    ACCEPTED("trace-fork-before-exec", 0, "true|false",
             "processes that the program starts are always recorded"),
    ACCEPTED("process-scope", 0, "main|process-tree|system-wide",
             "the program and all processes it starts are recorded"),
    ONLY("wait", 0, "all", "processes that the program leaves running are always waited for"),
    ACCEPTED("resolve-symbols", 0, "true|false", "symbols are resolved on this machine"),
    ACCEPTED("debug-symbols", 0, "FOLDERS", "symbols are those of the programs themselves"),
    REFUSED("enable", "there are no plug-ins"),
    REFUSED("after-collection-start", COMMANDS),
    REFUSED("after-report-ready", COMMANDS),
    ACCEPTED("discard-environment", 0, "true|false", "the report has no environment variables"),
    ACCEPTED("show-source-info", 0, "true|false", "lines are shown where they are known"),
    ONLY("hotkey-capture", 0, "none", FRAMES),
    REFUSED("start-frame-index", FRAMES),
    REFUSED("duration-frames", FRAMES),
    /* CUDA */
    ACCEPTED("cuda-graph-trace", 0, "graph|node",
             "the kernels of a graph are always recorded one by one"),
    ACCEPTED("cuda-memory-usage", 0, "true|false",
             "allocations are recorded with -t cuda: table cuda_memory_sum"),
    ACCEPTED("cuda-flush-interval", 0, "MILLISECONDS", "buffers are emptied as they fill"),
    ACCEPTED("cuda-trace-scope", 0, "process-tree|system-wide",
             "the program and all processes it starts are recorded"),
    ACCEPTED("flush-on-cudaprofilerstop", 0, "true|false",
             "what is recorded is kept when cudaProfilerStop is called"),
    ONLY("cuda-um-cpu-page-faults", 0, OFF, "use -t cuda-um on a real GPU"),
    ONLY("cuda-um-gpu-page-faults", 0, OFF, "use -t cuda-um on a real GPU"),
    ONLY("gpuctxsw", 0, OFF, "switches between GPU contexts are not seen"),
    ONLY("gpu-metrics-devices", 0, "none", GPU_COUNTERS),
    ONLY("gpu-metrics-device", 0, "none", GPU_COUNTERS),
    ACCEPTED("gpu-metrics-frequency", 0, "HZ", "it has no effect without --gpu-metrics-devices"),
    ACCEPTED("gpu-metrics-set", 0, "NAME", "it has no effect without --gpu-metrics-devices"),
    ONLY("gpu-video-device", 0, "none", "video engines are not watched"),
    ONLY("nvidia-video-trace", 0, "none", "video engines are not watched"),
    ONLY("accelerator-trace", 0, "none", EMBEDDED),
    ONLY("clock-frequency-changes", 0, OFF, EMBEDDED),
    REFUSED("soc-metrics", EMBEDDED),
    REFUSED("soc-metrics-frequency", EMBEDDED),
    REFUSED("soc-metrics-set", EMBEDDED),
    ONLY("xhv-trace", 0, "none", EMBEDDED),
    REFUSED("xhv-trace-events", EMBEDDED),
    REFUSED("xhv-vm-symbols", EMBEDDED),
    ONLY("el1-sampling", 0, OFF, EMBEDDED),
    REFUSED("el1-sampling-config", EMBEDDED),
    REFUSED("qnx-kernel-events", EMBEDDED),
    REFUSED("qnx-kernel-events-mode", EMBEDDED),
    /* the processor */
    ACCEPTED("sampling-period", 0, "N", BY_TIME),
    ACCEPTED("sampling-trigger", 0, "NAMES", BY_TIME),
    ACCEPTED("samples-per-backtrace", 0, "N", "each sample has its call stack"),
    ONLY("cpu-metrics", 0, "none", CPU_COUNTERS),
    ONLY("cpu-core-events", 0, "none", CPU_COUNTERS),
    ONLY("cpu-core-metrics", 0, "none", CPU_COUNTERS),
    ONLY("cpu-socket-events", 0, "none", CPU_COUNTERS),
    ONLY("cpu-socket-metrics", 0, "none", CPU_COUNTERS),
    ONLY("cpu-cluster-events", 0, "none", CPU_COUNTERS),
    ONLY("event-sample", 0, "none", CPU_COUNTERS),
    ACCEPTED("event-sampling-interval", 0, "MILLISECONDS",
             "it has no effect without --event-sample"),
    ACCEPTED("event-sampling-multiplex-interval", 0, "MILLISECONDS",
             "it has no effect without --event-sample"),
    ACCEPTED("event-sampling-frequency", 0, "HZ", "it has no effect without --event-sample"),
    ONLY("os-events", 0, "none", KERNEL_EVENTS),
    REFUSED("ftrace", KERNEL_EVENTS),
    ACCEPTED("ftrace-keep-user-config", 0, "true|false", "it has no effect without --ftrace"),
    ONLY("syscall", 0, "none", KERNEL_EVENTS),
    ACCEPTED("isr", 0, "true|false", "interrupts are not recorded"),
    /* libraries */
    ACCEPTED("mpi-impl", 0, "openmpi|mpich", "the MPI library is detected"),
    ACCEPTED("osrt-backtrace-depth", 0, "N", SYSTEM_STACKS),
    ACCEPTED("osrt-backtrace-stack-size", 0, "BYTES", SYSTEM_STACKS),
    ACCEPTED("osrt-backtrace-threshold", 0, "NS", SYSTEM_STACKS),
    ONLY("osrt-file-access", 0, OFF, "names of files are not recorded; strace shows them"),
    ONLY("python-sampling", 0, OFF, PYTHON),
    ACCEPTED("python-sampling-frequency", 0, "HZ", "it has no effect without --python-sampling"),
    ONLY("python-functions-trace", 0, OFF, PYTHON),
    ONLY("python-nvtx-annotations", 0, OFF, PYTHON),
    ONLY("dask", 0, OFF, PYTHON),
    /* networks and disks */
    ONLY("nic-metrics", 0, OFF, NETWORK),
    REFUSED("ib-net-info-devices", NETWORK),
    REFUSED("ib-net-info-files", NETWORK),
    REFUSED("ib-net-info-output", NETWORK),
    REFUSED("ib-switch-metrics-devices", NETWORK),
    REFUSED("ib-switch-metrics-device", NETWORK),
    REFUSED("ib-switch-metrics-nic-device", NETWORK),
    REFUSED("ib-switch-congestion-devices", NETWORK),
    REFUSED("ib-switch-congestion-device", NETWORK),
    REFUSED("ib-switch-congestion-nic-device", NETWORK),
    REFUSED("ib-switch-congestion-percent", NETWORK),
    REFUSED("ib-switch-congestion-threshold-high", NETWORK),
    ONLY("storage-metrics", 0, "none", STORAGE),
    ONLY("storage-devices", 0, "none", STORAGE),
    REFUSED("lustre-volumes", STORAGE),
    REFUSED("lustre-llite-dir", STORAGE),
    REFUSED("nfs-volumes", STORAGE),
    ONLY("gds-metrics", 0, OFF, STORAGE),
    ACCEPTED("gds-libs-path", 0, "FOLDER", "it has no effect without --gds-metrics"),
    /* graphics and Windows */
    ACCEPTED("opengl-gpu-workload", 0, "true|false", GRAPHICS),
    ACCEPTED("vulkan-gpu-workload", 0, "true|false|individual|batch|none", GRAPHICS),
    ACCEPTED("dx12-gpu-workload", 0, "true|false|individual|batch|none", GRAPHICS),
    ACCEPTED("dx12-wait-calls", 0, "true|false", GRAPHICS),
    ACCEPTED("dx-force-declare-adapter-removal-support", 0, "true|false", GRAPHICS),
    ONLY("vsync", 0, OFF, GRAPHICS),
    ACCEPTED("wddm-additional-events", 0, "true|false", WINDOWS),
    ACCEPTED("wddm-memory-trace", 0, "true|false", WINDOWS),
    ACCEPTED("wddm-backtraces", 0, "true|false", WINDOWS),
    REFUSED("etw-provider", WINDOWS),
    ACCEPTED("retain-etw-files", 0, "true|false", WINDOWS),
    ACCEPTED("injection-use-detours", 0, "true|false", WINDOWS),
    {.name = NULL},
};
