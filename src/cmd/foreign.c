#include "cmd/foreign.h"

#include <string.h>

#include "base/count.h"
#include "cmd/nsys.h"
#include "cmd/nvprof.h"
#include "cmd/profile.h"
#include "cmd/tracing.h"

const struct wl_verb *wl_foreign_verb_of_program(const char *path)
{
    static const struct {
        const char *name;
        const struct wl_verb *verb;
    } programs[] = {
        {"ncu", &wl_verb_ncu},
        {"nv-nsight-cu-cli", &wl_verb_ncu},
        {"nsys", &wl_verb_nsys},
        {"nvprof", &wl_verb_nvprof},
        {"compute-sanitizer", &wl_verb_check_memory},
        {"cuda-memcheck", &wl_verb_check_memory},
    };
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < WL_COUNT(programs); i++)
        if (strcmp(name, programs[i].name) == 0)
            return programs[i].verb;
    return NULL;
}

const struct wl_foreign_command wl_foreign_commands[] = {
    {"ncu", "", "profile", wl_profile_tables,
     "help version mode port max-connections hostname target-processes "
     "target-processes-filter check-exit-code forward-signals null-stdin injection-path-32 "
     "injection-path-64 "
     "preload-library support-32bit call-stack call-stack-type nvtx nvtx-push-pop-scope "
     "communicator communicator-tcp-num-peers communicator-tcp-hostname "
     "communicator-tcp-port communicator-shmem-num-peers lockstep-kernel-launch "
     "lockstep-nvtx-include lockstep-nvtx-exclude mps mps-num-clients mps-timeout "
     "config-file config-file-path devices kernel-name kernel-name-base kernel-id "
     "launch-skip launch-count launch-skip-before-match filter-mode kill nvtx-include "
     "nvtx-exclude native-include native-exclude python-include python-exclude "
     "range-filter profile-from-start disable-profiler-start-stop rename-kernels "
     "rename-kernels-export rename-kernels-path graph-profiling set section section-folder "
     "section-folder-recursive section-folder-restore metrics rule apply-rules list-sets "
     "list-sections list-rules list-metrics list-chips query-metrics query-metrics-mode "
     "query-metrics-collection chips disable-extra-suffixes metric-distribution-groups "
     "import-source import-sass source-folders resolve-source-file cache-control "
     "clock-control pipeline-boost-state pm-sampling-interval pm-sampling-buffer-size "
     "pm-sampling-max-passes warp-samples-per-interval disable-pm-warp-sampling "
     "warp-sampling-interval warp-sampling-max-passes warp-sampling-buffer-size "
     "replay-mode app-replay-match app-replay-mode app-replay-buffer range-replay-options "
     "export force-overwrite import open-in-ui log-file page csv print-source "
     "print-details print-metric-name print-units print-metric-instances "
     "print-metric-attribution print-fp print-kernel-base print-nvtx-rename "
     "print-rule-details print-summary quiet verbose"},
    {"nsys", "profile", "trace", wl_tracing_tables,
     "accelerator-trace after-collection-start after-report-ready auto-report-name "
     "backtrace capture-range capture-range-end clock-frequency-changes command-file "
     "cpu-cluster-events cpu-core-events cpu-core-metrics cpu-metrics cpu-socket-events "
     "cpu-socket-metrics cpuctxsw cuda-event-trace cuda-flush-interval cuda-graph-trace "
     "cuda-memory-usage cuda-trace-all-apis cuda-trace-scope cuda-um-cpu-page-faults "
     "cuda-um-gpu-page-faults cudabacktrace dask debug-symbols delay discard-environment "
     "duration duration-frames dx-force-declare-adapter-removal-support "
     "dx12-gpu-workload dx12-wait-calls el1-sampling el1-sampling-config enable env-var "
     "etw-provider event-sample event-sampling-frequency event-sampling-interval "
     "event-sampling-multiplex-interval export flush-on-cudaprofilerstop force-overwrite "
     "ftrace ftrace-keep-user-config gds-libs-path gds-metrics gpu-metrics-device "
     "gpu-metrics-devices gpu-metrics-frequency gpu-metrics-set gpu-video-device "
     "gpuctxsw help hotkey-capture ib-net-info-devices ib-net-info-files "
     "ib-net-info-output ib-switch-congestion-device ib-switch-congestion-devices "
     "ib-switch-congestion-nic-device ib-switch-congestion-percent "
     "ib-switch-congestion-threshold-high ib-switch-metrics-device "
     "ib-switch-metrics-devices ib-switch-metrics-nic-device inherit-environment "
     "injection-use-detours isr kill lustre-llite-dir lustre-volumes mpi-impl "
     "nfs-volumes nic-metrics nvidia-video-trace nvtx-capture nvtx-domain-exclude "
     "nvtx-domain-include opengl-gpu-workload os-events osrt-backtrace-depth "
     "osrt-backtrace-stack-size osrt-backtrace-threshold osrt-file-access osrt-threshold "
     "output process-scope python-backtrace python-functions-trace "
     "python-nvtx-annotations python-sampling python-sampling-frequency pytorch "
     "qnx-kernel-events qnx-kernel-events-mode resolve-symbols retain-etw-files run-as "
     "sample samples-per-backtrace sampling-frequency sampling-period sampling-trigger "
     "session session-new show-output show-source-info soc-metrics soc-metrics-frequency "
     "soc-metrics-set start-frame-index start-later stats stop-on-exit storage-devices "
     "storage-metrics syscall trace trace-fork-before-exec vsync vulkan-gpu-workload "
     "wait wddm-additional-events wddm-backtraces wddm-memory-trace xhv-trace "
     "xhv-trace-events xhv-vm-symbols"},
    {"nsys", "stats", "stats", wl_stats_tables,
     "filter-nvtx filter-time force-export force-overwrite format help help-formats "
     "help-reports hints output quiet report report-dir sqlite timeunit"},
    {"nsys", "export", "nsys export", wl_nsys_export_tables,
     "append force-overwrite help include-blobs include-json lazy output quiet "
     "separate-strings tables times ts-normalize ts-shift type"},
    {"nvprof", "", "nvprof", wl_nvprof_tables,
     "aggregate-mode analysis-metrics annotate-mpi concurrent-kernels context-name "
     "continuous-sampling-interval cpu-profiling cpu-profiling-explain-ccff "
     "cpu-profiling-frequency cpu-profiling-max-depth cpu-profiling-mode "
     "cpu-profiling-percentage-threshold cpu-profiling-scope cpu-profiling-show-ccff "
     "cpu-profiling-show-library cpu-profiling-thread-mode cpu-profiling-unwind-stack "
     "cpu-thread-tracing csv demangling dependency-analysis device-buffer-size "
     "device-cdp-buffer-size devices event-collection-mode events export-profile "
     "force-overwrite help import-profile kernel-latency-timestamps kernels log-file "
     "metrics normalized-time-unit openacc-profiling openacc-summary-mode openmp-profiling "
     "openmp-summary-mode pc-sampling-period print-api-summary print-api-trace "
     "print-dependency-analysis-trace print-gpu-summary print-gpu-trace "
     "print-nvlink-topology print-openacc-constructs print-openacc-summary "
     "print-openacc-trace print-openmp-summary print-summary print-summary-per-gpu "
     "process-name profile-all-processes profile-api-trace profile-child-processes "
     "profile-from-start profiling-semaphore-pool-size query-events query-metrics quiet "
     "replay-mode skip-kernel-replay-save-restore source-level-analysis stream-name "
     "system-profiling timeout trace track-memory-allocations unified-memory-profiling "
     "version"},
    {0},
};

const struct wl_option *wl_foreign_find_option(const struct wl_option_table *tables,
                                               const char *name, size_t length)
{
    for (struct wl_option_cursor at = wl_options_first(tables); at.row; wl_options_next(&at))
        if (at.row->kind != WL_OPTION_HEADING && strlen(at.row->name) == length &&
            strncmp(at.row->name, name, length) == 0)
            return at.row;
    return NULL;
}

/* What a bar would end the cell of the table. */
static void add_values(const char *values, struct wl_text *out)
{
    for (; *values; values++)
        wl_text_addf(out, "%s%c", *values == '|' ? "\\" : "", *values);
}

static void print_row(const struct wl_option *option, const char *name, size_t length,
                      struct wl_text *out)
{
    wl_text_addf(out, "| `--%.*s`", (int)length, name);
    if (option && option->letter)
        wl_text_addf(out, ", `-%c`", option->letter);
    switch (option ? option->kind : WL_OPTION_HEADING) {
    case WL_OPTION_HEADING:
        wl_text_add(out, " | unknown | |\n");
        break;
    case WL_OPTION_REFUSED:
        wl_text_addf(out, " | refused | %s |\n", option->help);
        break;
    case WL_OPTION_ACCEPTED:
        wl_text_addf(out, " | accepted | %s |\n", option->help);
        break;
    case WL_OPTION_ONLY:
        wl_text_add(out, " | accepted: `");
        add_values(option->argument, out);
        wl_text_addf(out, "` | else refused: %s |\n", option->help);
        break;
    case WL_OPTION_ALWAYS:
        wl_text_add(out, " | accepted | it is always so |\n");
        break;
    default:
        wl_text_add(out, " | done | |\n");
        break;
    }
}

void wl_foreign_print(const struct wl_foreign_command *command, struct wl_text *out)
{
    wl_text_add(out, "| option | here | why |\n|---|---|---|\n");
    for (const char *name = command->options; *name;) {
        size_t length = strcspn(name, " ");
        print_row(wl_foreign_find_option(command->tables, name, length), name, length, out);
        name += length;
        name += strspn(name, " ");
    }
}
