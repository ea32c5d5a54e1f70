#include "hardware/library.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/memory.h"

/* ---- where it may be ---- */

static const char *const library_folders[] = {"extras/CUPTI/lib64", "lib64", "lib",
                                              "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"};
/* Of Python packages, within their folder of packages. */
static const char *const package_folders[] = {"nvidia/cu13/lib", "nvidia/cuda_cupti/lib",
                                              "nvidia/cu14/lib"};
static const char *const toolkits[] = {"/usr/local/cuda", "/usr/local/cuda-*", "/opt/cuda",
                                       "/usr/lib/cuda"};
static const char *const package_roots[] = {
    "/usr/lib/python3*/site-packages",       "/usr/lib/python3/dist-packages",
    "/usr/local/lib/python3*/site-packages", "/usr/local/lib/python3*/dist-packages",
    "/opt/*/lib/python3*/site-packages",     "/opt/*/.venv/lib/python3*/site-packages",
    "/opt/conda/lib/python3*/site-packages",
};
static const char *const loader_names[] = {"libcupti.so.14", "libcupti.so.13", "libcupti.so.12",
                                           "libcupti.so"};

/* "libcupti.so.13": 13; 0 where the name does not tell. */
static unsigned long major_of(const char *path)
{
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    const char *number = strncmp(name, "libcupti.so.", 12) == 0 ? name + 12 : "";
    unsigned long major = strtoul(number, NULL, 10);
    return major < 1000 ? major : 0; /* libcupti.so.2025.3.1 */
}

struct search {
    uint32_t driver_major;
    struct wl_text good, newer; /* one path a line */
};

static bool has_line(const struct wl_text *lines, const char *line)
{
    size_t length = strlen(line);
    for (const char *at = lines->data; at && (at = strstr(at, line)); at += length)
        if ((at == lines->data || at[-1] == '\n') && at[length] == '\n')
            return true;
    return false;
}

static void add_path(struct search *search, const char *path)
{
    char whole[PATH_MAX];
    bool is_newer = search->driver_major && major_of(path) > search->driver_major;
    struct wl_text *list = is_newer ? &search->newer : &search->good;
    if (strchr(path, '/') && !realpath(path, whole))
        return;
    if (!strchr(path, '/'))
        snprintf(whole, sizeof whole, "%s", path);
    if (!has_line(&search->good, whole) && !has_line(&search->newer, whole))
        wl_text_addf(list, "%s\n", whole);
}

static void add_matches(struct search *search, const char *pattern)
{
    glob_t found = {0};
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = found.gl_pathc; i-- > 0;) /* sorted: the newest is last */
            add_path(search, found.gl_pathv[i]);
    globfree(&found);
}

static void add_below(struct search *search, const char *root, const char *const *folders,
                      size_t count)
{
    for (size_t i = 0; root && *root && i < count; i++) {
        char *pattern = wl_string_format("%s/%s/libcupti.so.[0-9]*", root, folders[i]);
        add_matches(search, pattern);
        free(pattern);
    }
}

static void add_toolkit(struct search *search, const char *root)
{
    add_below(search, root, library_folders, WL_COUNT(library_folders));
}

static void add_packages(struct search *search, const char *root)
{
    add_below(search, root, package_folders, WL_COUNT(package_folders));
}

/* Folders of PATH that hold nvcc or python3 belong to a toolkit or to Python packages. */
static void add_from_path(struct search *search)
{
    const char *folders = getenv("PATH");
    for (const char *at = folders; at && *at;) {
        size_t length = strcspn(at, ":");
        char *folder = wl_string_copy_length(at, length);
        char *compiler = wl_string_format("%s/nvcc", folder);
        char *python = wl_string_format("%s/python3", folder);
        char *root = NULL;
        if (access(compiler, X_OK) == 0 && (root = wl_string_format("%s/..", folder)))
            add_toolkit(search, root);
        free(root);
        root = NULL;
        if (access(python, X_OK) == 0 &&
            (root = wl_string_format("%s/../lib/python3*/site-packages", folder)))
            add_packages(search, root);
        free(root);
        free(folder);
        free(compiler);
        free(python);
        at += length + (at[length] == ':');
    }
}

void wl_cupti_find(uint32_t driver_major, struct wl_text *paths)
{
    struct search search = {.driver_major = driver_major};
    const char *given = getenv("WARPLENS_CUPTI");
    if (given && *given) { /* the user's word, and nothing else */
        wl_text_addf(paths, "%s\n", given);
        return;
    }
    add_toolkit(&search, getenv("CUDA_HOME"));
    add_toolkit(&search, getenv("CUDA_PATH"));
    for (size_t i = 0; i < WL_COUNT(toolkits); i++)
        add_toolkit(&search, toolkits[i]);
    add_from_path(&search);
    const char *environment = getenv("VIRTUAL_ENV"), *home = getenv("HOME");
    char *own = wl_string_format("%s/lib/python3*/site-packages", environment ? environment : "/.");
    char *user = wl_string_format("%s/.local/lib/python3*/site-packages", home ? home : "/.");
    add_packages(&search, own);
    add_packages(&search, user);
    for (size_t i = 0; i < WL_COUNT(package_roots); i++)
        add_packages(&search, package_roots[i]);
    for (size_t i = 0; i < WL_COUNT(loader_names); i++)
        add_path(&search, loader_names[i]);
    wl_text_add(paths, search.good.data ? search.good.data : "");
    wl_text_add(paths, search.newer.data ? search.newer.data : "");
    wl_text_free(&search.good);
    wl_text_free(&search.newer);
    free(own);
    free(user);
}

/* ---- opening ---- */

struct entry {
    const char *name;
    enum wl_cupti_need need;
    size_t offset; /* of its pointer */
};

static const struct entry entries[] = {
#define ENTRY(name, need, parameters) \
    {#name, WL_CUPTI_NEED_##need, offsetof(struct wl_cupti, name)},
#include "hardware/entries.def"
#undef ENTRY
};

enum wl_code wl_cupti_open(const char *path, struct wl_cupti *cupti, struct wl_error *error)
{
    memset(cupti, 0, sizeof *cupti);
    cupti->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!cupti->handle) {
        const char *why = dlerror();
        return wl_error_set(error, WL_ERR_INPUT, "cannot load CUPTI: %s", why ? why : path);
    }
    const char *first_missing = NULL;
    for (size_t need = 0; need < WL_CUPTI_NEED_COUNT; need++)
        cupti->has[need] = true;
    for (size_t i = 0; i < WL_COUNT(entries); i++) {
        void *function = dlsym(cupti->handle, entries[i].name);
        memcpy((char *)cupti + entries[i].offset, &function, sizeof function);
        if (function)
            continue;
        cupti->has[entries[i].need] = false;
        cupti->missing[entries[i].need]++;
        if (entries[i].need == WL_CUPTI_NEED_TRACE && !first_missing)
            first_missing = entries[i].name;
    }
    if (!first_missing) {
        cupti->cuptiGetVersion(&cupti->version);
        return WL_OK;
    }
    dlclose(cupti->handle);
    cupti->handle = NULL;
    wl_error_set(error, WL_ERR_UNSUPPORTED, "this CUPTI is too old: it has no %s", first_missing);
    wl_error_set_where(error, "%s", path);
    return wl_error_set_hint(error, "CUPTI of CUDA 12.6 or later is needed; WARPLENS_CUPTI=FILE "
                                    "names one");
}

void wl_cupti_close(struct wl_cupti *cupti)
{
    if (cupti->handle)
        dlclose(cupti->handle);
    memset(cupti, 0, sizeof *cupti);
}

/* ---- results ---- */

static const char permission_hint[] =
    "run as root; or let users count: put `options nvidia NVreg_RestrictProfilingToAdminUsers=0` "
    "into a file of /etc/modprobe.d and reboot; in a container: start it with "
    "`--cap-add SYS_ADMIN`, or change the host";

#define REASON(name, meaning, hint)                                \
    {                                                              \
        WL_CUPTI_ERROR_##name, "CUPTI_ERROR_" #name, meaning, hint \
    }

static const struct wl_cupti_reason reasons[] = {
    {WL_CUPTI_SUCCESS, "CUPTI_SUCCESS", "no error", ""},
    REASON(INVALID_PARAMETER, "CUPTI does not take this", ""),
    REASON(INVALID_OPERATION, "CUPTI cannot do this now", ""),
    REASON(OUT_OF_MEMORY, "out of memory", "less memory must be in use on the GPU"),
    REASON(MAX_LIMIT_REACHED, "a limit of CUPTI is reached", ""),
    REASON(NOT_COMPATIBLE, "another profiling interface is in use", ""),
    REASON(NOT_INITIALIZED, "CUPTI could not be initialised",
           "the driver may be older than this CUPTI: WARPLENS_CUPTI=FILE names another"),
    REASON(INVALID_METRIC_NAME, "the GPU has no such metric", ""),
    REASON(HARDWARE_BUSY, "another program holds the GPU's counters",
           "end the other profiler, or pause DCGM: `dcgmi profile --pause`"),
    REASON(NOT_SUPPORTED, "not supported on this GPU or driver",
           "counters need compute capability 7.5 or later and a driver as new as CUPTI"),
    REASON(VIRTUALIZED_DEVICE_NOT_SUPPORTED, "the virtual GPU has no counters",
           "the host must switch profiling on for this virtual GPU"),
    REASON(INSUFFICIENT_PRIVILEGES,
           "the driver gives counters to administrators only (ERR_NVGPUCTRPERM)", permission_hint),
    REASON(MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, "another profiler is attached to this program",
           "only one CUPTI client can attach to a program: switch the other one off"),
    REASON(VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES,
           "the host does not let this virtual GPU count",
           "the host must set NVreg_RestrictProfilingToAdminUsers=0 or enable profiling of the "
           "virtual machine"),
    REASON(CONFIDENTIAL_COMPUTING_NOT_SUPPORTED, "a GPU in confidential mode has no counters",
           "confidential computing must be switched off, or set to its devtools mode"),
    REASON(CMP_DEVICE_NOT_SUPPORTED, "this mining GPU has no counters", ""),
    REASON(MIG_DEVICE_NOT_SUPPORTED, "this MIG instance has no counters",
           "use an instance with all of the GPU, or switch MIG off"),
    REASON(SLI_DEVICE_NOT_SUPPORTED, "GPUs joined by SLI have no counters", "switch SLI off"),
    REASON(WSL_DEVICE_NOT_SUPPORTED, "counters are closed under WSL",
           "in the NVIDIA control panel of Windows: Developer, Manage GPU Performance Counters"),
    REASON(INVALID_CHIP_NAME, "this CUPTI does not know the GPU's chip",
           "a newer CUPTI is needed: WARPLENS_CUPTI=FILE names one"),
    REASON(UNKNOWN, "CUPTI does not say why", ""),
};

const struct wl_cupti_reason *wl_cupti_explain(int result)
{
    static const struct wl_cupti_reason other = {-1, "an error", "CUPTI refuses", ""};
    for (size_t i = 0; i < WL_COUNT(reasons); i++)
        if (reasons[i].result == result)
            return &reasons[i];
    return &other;
}

enum wl_code wl_cupti_fail(struct wl_error *error, const char *call, int result)
{
    const struct wl_cupti_reason *reason = wl_cupti_explain(result);
    wl_error_set(error, WL_ERR_UNSUPPORTED, "%s failed: %s (%s, %d)", call, reason->meaning,
                 reason->name, result);
    if (reason->hint[0])
        wl_error_set_hint(error, "%s", reason->hint);
    return WL_ERR_UNSUPPORTED;
}
