/* cuBLASLt's calls that list, configure and check algorithms, and those about the library itself.
 */
#include "runtime.h"

int cublasLtCreate(void **handle);
int cublasLtDestroy(void *handle);
int cublasLtGetProperty(int property, int *value);
int cublasLtHeuristicsCacheGetCapacity(size_t *entries);
int cublasLtHeuristicsCacheSetCapacity(size_t entries);
int cublasLtLoggerSetCallback(void *callback);
int cublasLtLoggerSetFile(FILE *file);
int cublasLtLoggerOpenFile(const char *path);
int cublasLtLoggerSetLevel(int level);
int cublasLtLoggerSetMask(int mask);
int cublasLtLoggerForceDisable(void);
size_t cublasLtGetVersion(void);
int cublasLtMatmulDescCreate(void **made, int compute, int scale);
int cublasLtMatrixLayoutCreate(void **made, int type, uint64_t rows, uint64_t columns,
                               int64_t leading);
int cublasLtMatmulPreferenceCreate(void **made);
int cublasLtMatmulAlgoGetHeuristic(void *handle, void *operation, void *a, void *b, void *c,
                                   void *d, void *preference, int wanted, void *results,
                                   int *found);
int cublasLtMatmulAlgoGetIds(void *handle, int compute, int scale, int a, int b, int c, int d,
                             int wanted, int *ids, int *found);
int cublasLtMatmulAlgoInit(void *handle, int compute, int scale, int a, int b, int c, int d, int id,
                           void *algorithm);
int cublasLtMatmulAlgoCheck(void *handle, void *operation, void *a, void *b, void *c, void *d,
                            const void *algorithm, void *result);
int cublasLtMatmulAlgoCapGetAttribute(const void *algorithm, int number, void *value, size_t bytes,
                                      size_t *written);
int cublasLtMatmulAlgoConfigSetAttribute(void *algorithm, int number, const void *value,
                                         size_t bytes);
int cublasLtMatmulAlgoConfigGetAttribute(const void *algorithm, int number, void *value,
                                         size_t bytes, size_t *written);
int cublasLtMatmul(void *handle, void *operation, const void *alpha, const void *a, void *a_layout,
                   const void *b, void *b_layout, const void *beta, const void *c, void *c_layout,
                   void *d, void *d_layout, const void *algorithm, void *space, size_t bytes,
                   void *stream);

enum { F32 = 0, F64 = 1, F16 = 2, S8 = 3, C32 = 4, C64 = 5, S32 = 10, BF16 = 14, E4M3 = 28 };
enum { COMPUTE_F16 = 64, COMPUTE_F32 = 68, COMPUTE_F64 = 70, COMPUTE_S32 = 72 };
enum { INVALID_VALUE = 7, NOT_SUPPORTED = 15 };
enum { CONFIG_ID, CONFIG_TILE, CONFIG_SPLITS, CONFIG_INNER_SHAPE = 7, CONFIG_LAST = 8 };
enum { CAP_BATCHES = 3, CAP_TILES = 6, CAP_NUMERICS = 15, CAP_ALIGNMENT_A = 16, CAP_LAST = 22 };

struct result {
    uint64_t algorithm[8];
    size_t workspace_bytes;
    int status;
    float waves;
    int reserved[4];
};

static void *handle;

static void test_library(void)
{
    size_t entries = 0;
    int part = -1, version = (int)cublasLtGetVersion();
    for (int i = 0; i < 3; i++) {
        const int parts[] = {version / 10000, version / 100 % 100, version % 100};
        EXPECT(cublasLtGetProperty(i, &part), 0);
        EXPECT(part, parts[i]);
    }
    EXPECT(cublasLtGetProperty(3, &part), INVALID_VALUE);
    EXPECT(cublasLtGetProperty(0, NULL), INVALID_VALUE);
    EXPECT(cublasLtHeuristicsCacheGetCapacity(&entries), 0);
    EXPECT(entries, 8192);
    EXPECT(cublasLtHeuristicsCacheSetCapacity(100), 0);
    EXPECT(cublasLtHeuristicsCacheGetCapacity(&entries), 0);
    EXPECT(entries, 128);
    EXPECT(cublasLtHeuristicsCacheSetCapacity(0), 0);
    EXPECT(cublasLtHeuristicsCacheGetCapacity(&entries), 0);
    EXPECT(entries, 0);
    EXPECT(cublasLtHeuristicsCacheGetCapacity(NULL), INVALID_VALUE);
    for (int level = -1; level <= 6; level++)
        EXPECT(cublasLtLoggerSetLevel(level), level < 0 || level > 5 ? INVALID_VALUE : 0);
    EXPECT(cublasLtLoggerSetMask(31), 0);
    EXPECT(cublasLtLoggerSetMask(-1), INVALID_VALUE);
    EXPECT(cublasLtLoggerSetFile(stdout), 0);
    EXPECT(cublasLtLoggerSetCallback(NULL), 0);
    EXPECT(cublasLtLoggerOpenFile("/dev/null"), 0);
    EXPECT(cublasLtLoggerOpenFile("/nowhere/at/all"), INVALID_VALUE);
    EXPECT(cublasLtLoggerOpenFile(NULL), INVALID_VALUE);
    EXPECT(cublasLtLoggerForceDisable(), 0);
}

static void test_ids(void)
{
    static const struct {
        int compute, scale, a, b, c, d, status;
    } rows[] = {
        {COMPUTE_F32, F32, F32, F32, F32, F32, 0},
        {COMPUTE_F32, F32, F16, F16, F16, F16, 0},
        {COMPUTE_F32, F32, BF16, BF16, F32, F32, 0},
        {COMPUTE_F16, F16, F16, F16, F16, F16, 0},
        {COMPUTE_F64, F64, F64, F64, F64, F64, 0},
        {COMPUTE_F64, C64, C64, C64, C64, C64, 0},
        {COMPUTE_F32, C32, C32, C32, C32, C32, 0},
        {COMPUTE_S32, S32, S8, S8, S32, S32, 0},
        {COMPUTE_F32, F32, E4M3, E4M3, BF16, E4M3, 0},
        {COMPUTE_F32, F32, E4M3, F16, F16, F16, NOT_SUPPORTED},
        {COMPUTE_F64, F64, F32, F64, F64, F64, NOT_SUPPORTED},
        {COMPUTE_S32, S32, S8, S8, S8, S32, NOT_SUPPORTED},
        {63, F32, F32, F32, F32, F32, NOT_SUPPORTED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int ids[4] = {-1, -1, -1, -1}, found = -1;
        uint64_t algorithm[8];
        EXPECT(cublasLtMatmulAlgoGetIds(handle, rows[i].compute, rows[i].scale, rows[i].a,
                                        rows[i].b, rows[i].c, rows[i].d, 4, ids, &found),
               rows[i].status);
        EXPECT(found, rows[i].status ? -1 : 1);
        EXPECT(cublasLtMatmulAlgoInit(handle, rows[i].compute, rows[i].scale, rows[i].a, rows[i].b,
                                      rows[i].c, rows[i].d, rows[i].status ? 0 : ids[0], algorithm),
               rows[i].status);
    }
    int ids[1], found;
    uint64_t algorithm[8];
    EXPECT(cublasLtMatmulAlgoGetIds(handle, COMPUTE_F32, F32, F32, F32, F32, F32, 0, ids, &found),
           INVALID_VALUE);
    EXPECT(cublasLtMatmulAlgoGetIds(handle, COMPUTE_F32, F32, F32, F32, F32, F32, 1, ids, NULL),
           INVALID_VALUE);
    EXPECT(cublasLtMatmulAlgoInit(handle, COMPUTE_F32, F32, F32, F32, F32, F32, 9999, algorithm),
           INVALID_VALUE);
    EXPECT(cublasLtMatmulAlgoInit(handle, COMPUTE_F32, F32, F32, F32, F32, F32, -1, algorithm),
           INVALID_VALUE);
    EXPECT(cublasLtMatmulAlgoInit(handle, COMPUTE_F32, F32, F32, F32, F32, F32, 0, NULL),
           INVALID_VALUE);
    EXPECT(cublasLtMatmulAlgoInit(NULL, COMPUTE_F32, F32, F32, F32, F32, F32, 0, algorithm), 1);
}

static void test_attributes(void)
{
    uint64_t algorithm[8], none[8] = {0}, wide = 0;
    uint32_t number = 5, tiles[8] = {7, 7};
    size_t written = 0;
    EXPECT(cublasLtMatmulAlgoInit(handle, COMPUTE_F32, F32, F16, F16, F32, F32, 0, algorithm), 0);
    for (int i = 0; i <= CAP_LAST; i++) {
        const int is_there = i != 8 && i != 9 && i != 20;
        const int got = cublasLtMatmulAlgoCapGetAttribute(algorithm, i, NULL, 0, &written);
        EXPECT(got, is_there ? 0 : INVALID_VALUE);
        EXPECT(!is_there || written == (i == CAP_NUMERICS ? 8u : 4u), 1);
    }
    EXPECT(cublasLtMatmulAlgoCapGetAttribute(algorithm, CAP_TILES, tiles, sizeof tiles, &written),
           0);
    EXPECT(written, 4);
    EXPECT(tiles[0], 0);
    EXPECT(tiles[1], 7);
    EXPECT(cublasLtMatmulAlgoCapGetAttribute(algorithm, CAP_BATCHES, &number, 4, NULL), 0);
    EXPECT(number, 1);
    EXPECT(cublasLtMatmulAlgoCapGetAttribute(algorithm, CAP_ALIGNMENT_A, &number, 4, NULL), 0);
    EXPECT(number, 2);
    EXPECT(cublasLtMatmulAlgoCapGetAttribute(algorithm, CAP_NUMERICS, &wide, 8, NULL), 0);
    EXPECT(wide, 1 | 2 << 8 | 1 << 16);
    EXPECT(cublasLtMatmulAlgoCapGetAttribute(algorithm, CAP_BATCHES, &wide, 8, NULL),
           INVALID_VALUE);
    EXPECT(cublasLtMatmulAlgoCapGetAttribute(algorithm, CAP_BATCHES, NULL, 4, NULL), INVALID_VALUE);
    EXPECT(cublasLtMatmulAlgoCapGetAttribute(algorithm, CAP_BATCHES, NULL, 0, NULL), INVALID_VALUE);
    EXPECT(cublasLtMatmulAlgoCapGetAttribute(none, CAP_BATCHES, &number, 4, NULL), INVALID_VALUE);
    for (int i = 0; i <= CONFIG_LAST; i++) {
        uint32_t value = 3, back = 0;
        const size_t bytes = i >= CONFIG_INNER_SHAPE ? 2 : 4;
        EXPECT(cublasLtMatmulAlgoConfigGetAttribute(algorithm, i, &back, bytes, &written), 0);
        EXPECT(written, bytes);
        EXPECT(back, i == CONFIG_SPLITS);
        EXPECT(cublasLtMatmulAlgoConfigSetAttribute(algorithm, i, &value, bytes),
               i == CONFIG_ID ? INVALID_VALUE : 0);
        EXPECT(cublasLtMatmulAlgoConfigSetAttribute(algorithm, i, &value, 1), INVALID_VALUE);
        EXPECT(cublasLtMatmulAlgoConfigGetAttribute(algorithm, i, &back, bytes, NULL), 0);
        EXPECT(back, i == CONFIG_ID ? 0 : 3);
    }
    EXPECT(cublasLtMatmulAlgoConfigSetAttribute(algorithm, 1, NULL, 4), INVALID_VALUE);
    EXPECT(cublasLtMatmulAlgoConfigSetAttribute(algorithm, 9, &number, 4), INVALID_VALUE);
    EXPECT(cublasLtMatmulAlgoConfigGetAttribute(NULL, 1, &number, 4, NULL), INVALID_VALUE);
}

static void test_check(void)
{
    struct result result, checked = {.status = -1};
    void *operation, *other, *matrix, *preference;
    int found = 0;
    uint32_t tile = 5, splits = 2;
    EXPECT(cublasLtMatmulDescCreate(&operation, COMPUTE_F32, F32), 0);
    EXPECT(cublasLtMatmulDescCreate(&other, COMPUTE_F16, F16), 0);
    EXPECT(cublasLtMatrixLayoutCreate(&matrix, F32, 8, 8, 8), 0);
    EXPECT(cublasLtMatmulPreferenceCreate(&preference), 0);
    EXPECT(cublasLtMatmulAlgoGetHeuristic(handle, operation, matrix, matrix, matrix, matrix,
                                          preference, 1, &result, &found),
           0);
    EXPECT(found, 1);
    EXPECT(cublasLtMatmulAlgoCheck(handle, operation, matrix, matrix, matrix, matrix,
                                   result.algorithm, &checked),
           0);
    EXPECT(checked.status, 0);
    EXPECT(checked.workspace_bytes, 0);
    EXPECT(cublasLtMatmulAlgoCheck(handle, other, matrix, matrix, matrix, matrix, result.algorithm,
                                   &checked),
           INVALID_VALUE);
    EXPECT(cublasLtMatmulAlgoCheck(handle, operation, matrix, NULL, matrix, matrix,
                                   result.algorithm, &checked),
           INVALID_VALUE);
    EXPECT(cublasLtMatmulAlgoCheck(handle, operation, matrix, matrix, matrix, matrix,
                                   result.algorithm, NULL),
           INVALID_VALUE);
    EXPECT(cublasLtMatmulAlgoConfigSetAttribute(result.algorithm, CONFIG_TILE, &tile, 4), 0);
    EXPECT(cublasLtMatmulAlgoCheck(handle, operation, matrix, matrix, matrix, matrix,
                                   result.algorithm, &checked),
           NOT_SUPPORTED);
    tile = 0;
    EXPECT(cublasLtMatmulAlgoConfigSetAttribute(result.algorithm, CONFIG_TILE, &tile, 4), 0);
    EXPECT(cublasLtMatmulAlgoConfigSetAttribute(result.algorithm, CONFIG_SPLITS, &splits, 4), 0);
    EXPECT(cublasLtMatmulAlgoCheck(handle, operation, matrix, matrix, matrix, matrix,
                                   result.algorithm, &checked),
           NOT_SUPPORTED);
    /* as it was once chosen of NVIDIA's list */
    EXPECT(
        cublasLtMatmulAlgoInit(handle, COMPUTE_F32, F32, F32, F32, F32, F32, 24, result.algorithm),
        0);
    EXPECT(cublasLtMatmulAlgoConfigGetAttribute(result.algorithm, CONFIG_ID, &tile, 4, NULL), 0);
    EXPECT(tile, 24);
    EXPECT(cublasLtMatmulAlgoConfigSetAttribute(result.algorithm, CONFIG_TILE, &tile, 4), 0);
    EXPECT(cublasLtMatmulAlgoConfigSetAttribute(result.algorithm, CONFIG_SPLITS, &splits, 4), 0);
    EXPECT(cublasLtMatmulAlgoCheck(handle, operation, matrix, matrix, matrix, matrix,
                                   result.algorithm, &checked),
           0);
}

int main(void)
{
    EXPECT(cublasLtCreate(&handle), 0);
    test_library();
    test_ids();
    test_attributes();
    test_check();
    EXPECT(cublasLtDestroy(handle), 0);
    return failures != 0;
}
