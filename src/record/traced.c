#include "record/traced.h"

#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/text.h"
#include "timeline/record.h"

#define BIT(category) (UINT64_C(1) << WL_TIMELINE_##category)
#define CUDA                                                                          \
    (BIT(CUDA_RUNTIME) | BIT(CUDA_DRIVER) | BIT(KERNEL) | BIT(MEMCPY) | BIT(MEMSET) | \
     BIT(SYNCHRONIZATION) | BIT(MEMORY) | BIT(UNIFIED_MEMORY))

static const struct {
    const char *word;
    uint64_t categories;
} rows[] = {
    {"cuda", CUDA},
    {"cuda-sw", CUDA}, /* how nsys reads the GPU's times: by CUPTI, or by the GPU's own counters */
    {"cuda-hw", CUDA},
    {"cuda-driver", BIT(CUDA_DRIVER)},
    {"cuda-um", BIT(UNIFIED_MEMORY)},
    {"cublas", BIT(CUDA_LIBRARY)},
    {"nvtx", BIT(NVTX_PUSHPOP) | BIT(NVTX_STARTEND) | BIT(NVTX_MARK)},
    {"openacc", BIT(OPENACC)},
    {"openmp", BIT(OPENMP)},
    {"mpi", BIT(MPI)},
    {"osrt", BIT(OSRT)},
    {"none", 0},
};

static bool find(const char *word, size_t length, uint64_t *categories)
{
    for (size_t i = 0; i < WL_COUNT(rows); i++)
        if (strlen(rows[i].word) == length && strncmp(rows[i].word, word, length) == 0) {
            *categories |= rows[i].categories;
            return true;
        }
    return false;
}

void wl_traced_list_known(struct wl_text *known)
{
    for (size_t i = 0; i < WL_COUNT(rows); i++)
        wl_text_addf(known, "%s%s", i ? ", " : "", rows[i].word);
}

void wl_traced_list_unknown(const char *list, struct wl_text *unknown)
{
    for (const char *word = list; *word;) {
        size_t length = strcspn(word, ",");
        uint64_t categories = 0;
        if (length && !find(word, length, &categories))
            wl_text_addf(unknown, "%s%.*s", unknown->length ? ", " : "", (int)length, word);
        word += length;
        word += *word == ',';
    }
}

enum wl_code wl_traced_parse(const char *list, uint64_t *categories, struct wl_error *error)
{
    bool is_any_known = false;
    *categories = 0;
    for (const char *word = list; *word;) {
        size_t length = strcspn(word, ",");
        is_any_known |= find(word, length, categories);
        word += length;
        word += *word == ',';
    }
    if (is_any_known)
        return WL_OK;
    struct wl_text known = {0};
    wl_traced_list_known(&known);
    wl_error_set(error, WL_ERR_USAGE, "cannot trace '%s'", list);
    wl_error_set_hint(error, "there are %s; ',' between", known.data);
    wl_text_free(&known);
    return WL_ERR_USAGE;
}

enum wl_code wl_traced_ranges_parse(const char *text, uint64_t *ranges, struct wl_error *error)
{
    static const struct {
        const char *word;
        uint64_t ranges;
        bool takes_number;
    } ends[] = {
        {"", 0, false},      {"none", 0, false},
        {"stop", 1, false},  {"stop-shutdown", 1, false},
        {"repeat", 0, true}, {"repeat-shutdown", 0, true},
    };
    size_t length = strcspn(text, ":");
    for (size_t i = 0; i < WL_COUNT(ends); i++) {
        if (strlen(ends[i].word) != length || strncmp(ends[i].word, text, length) != 0)
            continue;
        const char *digits = text[length] ? text + length + 1 : "";
        *ranges = text[length] ? strtoull(digits, NULL, 10) : ends[i].ranges;
        const char *way = digits + strspn(digits, "0123456789");
        bool is_number = way > digits && *ranges;
        /* nsys's :sync and :async say whether the program waits for the report of a range */
        bool is_way = strcmp(way, ":sync") == 0 || strcmp(way, ":async") == 0;
        bool is_only_way = way == digits && (strcmp(way, "sync") == 0 || strcmp(way, "async") == 0);
        if (!text[length] ||
            (ends[i].takes_number && ((is_number && (!*way || is_way)) || is_only_way)))
            return WL_OK;
    }
    wl_error_set(error, WL_ERR_USAGE, "option --capture-range-end does not know '%s'", text);
    return wl_error_set_hint(error, "it takes none, stop, stop-shutdown, repeat, repeat:N, "
                                    "repeat-shutdown:N");
}

enum wl_code wl_traced_ranges_check(const char *text, struct wl_error *error)
{
    uint64_t ranges;
    return wl_traced_ranges_parse(text, &ranges, error);
}

/* nsys has these names, and words for none. */
static const struct {
    const char *word;
    bool is_something;
} pytorch_words[] = {
    {"autograd-nvtx", true},
    {"autograd-shapes-nvtx", true},
    {"functions-trace", true},
    {"none", false},
    {"false", false},
    {"no", false},
    {"off", false},
    {"0", false},
};

static int find_pytorch(const char *word, size_t length)
{
    for (size_t i = 0; i < WL_COUNT(pytorch_words); i++)
        if (strlen(pytorch_words[i].word) == length &&
            strncmp(pytorch_words[i].word, word, length) == 0)
            return (int)i;
    return -1;
}

enum wl_code wl_traced_pytorch_check(const char *text, struct wl_error *error)
{
    for (const char *word = text; *word;) {
        size_t length = strcspn(word, ",");
        if (find_pytorch(word, length) < 0) {
            wl_error_set(error, WL_ERR_USAGE, "option --pytorch does not know '%.*s'", (int)length,
                         word);
            return wl_error_set_hint(error, "there are autograd-nvtx, autograd-shapes-nvtx, "
                                            "functions-trace, none; ',' between");
        }
        word += length;
        word += *word == ',';
    }
    return WL_OK;
}

bool wl_traced_is_pytorch(const char *text)
{
    bool is_any = false;
    for (const char *word = text; *word;) {
        size_t length = strcspn(word, ",");
        int row = find_pytorch(word, length);
        is_any |= row >= 0 && pytorch_words[row].is_something;
        word += length;
        word += *word == ',';
    }
    return is_any;
}

bool wl_traced_has_domain(const char *list, const char *domain)
{
    size_t length;
    if (!*domain)
        domain = "default";
    for (; *list; list += length + (list[length] == ',')) {
        length = strcspn(list, ",");
        if (strlen(domain) == length && strncmp(list, domain, length) == 0)
            return true;
    }
    return false;
}
