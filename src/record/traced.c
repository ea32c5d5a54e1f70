#include "record/traced.h"

#include <string.h>

#include "base/text.h"
#include "timeline/record.h"

#define BIT(category) (UINT64_C(1) << WL_TIMELINE_##category)

static const struct {
    const char *word;
    uint64_t categories;
} rows[] = {
    {"cuda", BIT(CUDA_RUNTIME) | BIT(CUDA_DRIVER) | BIT(KERNEL) | BIT(MEMCPY) | BIT(MEMSET) |
                 BIT(SYNCHRONIZATION) | BIT(MEMORY) | BIT(UNIFIED_MEMORY)},
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

static const char *find(const char *word, size_t length, uint64_t *categories)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strlen(rows[i].word) == length && strncmp(rows[i].word, word, length) == 0) {
            *categories |= rows[i].categories;
            return rows[i].word;
        }
    return NULL;
}

enum wl_code wl_traced_parse(const char *list, uint64_t *categories, struct wl_error *error)
{
    *categories = 0;
    for (const char *word = list; *word;) {
        size_t length = strcspn(word, ",");
        if (!find(word, length, categories)) {
            struct wl_text known = {0};
            for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
                wl_text_addf(&known, "%s%s", i ? ", " : "", rows[i].word);
            wl_error_set(error, WL_ERR_USAGE, "cannot trace '%.*s'", (int)length, word);
            wl_error_set_hint(error, "there are %s; ',' between", known.data);
            wl_text_free(&known);
            return WL_ERR_USAGE;
        }
        word += length;
        word += *word == ',';
    }
    return WL_OK;
}
