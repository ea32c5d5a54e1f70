/* What cuBLASLt's library answers about itself: its version, its cache of heuristics, its log. The
 * stand-in keeps no such cache and has nothing to log. Numbers are those of the documentation. */
#include <stdio.h>

#include "api/cublaslt/cublaslt.h"

enum { PROPERTY_MAJOR, PROPERTY_MINOR, PROPERTY_PATCH };
enum { LEVEL_LAST = 5, MASK_ALL = 31 };

static size_t cache_entries = 8192;

int cublasLtGetProperty(int property, int *value)
{
    if (!value || property < PROPERTY_MAJOR || property > PROPERTY_PATCH)
        return WL_LT_INVALID_VALUE;
    const int parts[] = {[PROPERTY_MAJOR] = WL_LT_VERSION / 10000,
                         [PROPERTY_MINOR] = WL_LT_VERSION / 100 % 100,
                         [PROPERTY_PATCH] = WL_LT_VERSION % 100};
    *value = parts[property];
    return WL_LT_OK;
}

int cublasLtHeuristicsCacheGetCapacity(size_t *entries)
{
    if (!entries)
        return WL_LT_INVALID_VALUE;
    *entries = __atomic_load_n(&cache_entries, __ATOMIC_RELAXED);
    return WL_LT_OK;
}

/* The cache has a power of two of entries, or none. */
int cublasLtHeuristicsCacheSetCapacity(size_t entries)
{
    size_t power = entries ? 1 : 0;
    while (power < entries && power <= SIZE_MAX / 2)
        power *= 2;
    __atomic_store_n(&cache_entries, power, __ATOMIC_RELAXED);
    return WL_LT_OK;
}

int cublasLtLoggerSetCallback(void (*callback)(int level, const char *function, const char *text))
{
    (void)callback;
    return WL_LT_OK;
}

int cublasLtLoggerSetFile(FILE *file)
{
    (void)file;
    return WL_LT_OK;
}

/* The file is there afterwards, and empty if it is new. */
int cublasLtLoggerOpenFile(const char *path)
{
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file)
        return WL_LT_INVALID_VALUE;
    return fclose(file) ? WL_LT_INVALID_VALUE : WL_LT_OK;
}

int cublasLtLoggerSetLevel(int level)
{
    return level < 0 || level > LEVEL_LAST ? WL_LT_INVALID_VALUE : WL_LT_OK;
}

int cublasLtLoggerSetMask(int mask)
{
    return mask < 0 || mask > MASK_ALL ? WL_LT_INVALID_VALUE : WL_LT_OK;
}

int cublasLtLoggerForceDisable(void)
{
    return WL_LT_OK;
}
