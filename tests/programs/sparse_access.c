/* What cuSPARSE's descriptions of matrices and vectors are asked for. */
#include "sparse_values.h"

#define GET_ROWS                                                                                 \
    void *self, int64_t *rows, int64_t *columns, int64_t *count, void **offsets, void **indices, \
        void **values, int *offset_type, int *index_type, int *base, int *type
int cusparseCsrGet(GET_ROWS);
int cusparseConstCsrGet(GET_ROWS);
int cusparseCscGet(GET_ROWS);
int cusparseConstCscGet(GET_ROWS);
#define GET_ELEMENTS                                                                 \
    void *self, int64_t *rows, int64_t *columns, int64_t *count, void **row_indices, \
        void **indices, void **values, int *index_type, int *base, int *type
int cusparseCooGet(GET_ELEMENTS);
int cusparseConstCooGet(GET_ELEMENTS);
#define GET_BLOCKS                                                                               \
    void *self, int64_t *rows, int64_t *columns, int64_t *block, int64_t *width, void **indices, \
        void **values, int *index_type, int *base, int *type
int cusparseBlockedEllGet(GET_BLOCKS);
int cusparseConstBlockedEllGet(GET_BLOCKS);
#define GET_VECTOR                                                                             \
    void *self, int64_t *size, int64_t *count, void **indices, void **values, int *index_type, \
        int *base, int *type
int cusparseSpVecGet(GET_VECTOR);
int cusparseConstSpVecGet(GET_VECTOR);
#define CREATE_ROWS                                                                         \
    void **made, int64_t rows, int64_t columns, int64_t count, const void *offsets,         \
        const void *indices, const void *values, int offset_type, int index_type, int base, \
        int type
int cusparseCreateConstCsr(CREATE_ROWS);
int cusparseCreateConstCsc(CREATE_ROWS);
int cusparseCreateConstCoo(void **made, int64_t rows, int64_t columns, int64_t count,
                           const void *row_indices, const void *indices, const void *values,
                           int index_type, int base, int type);
int cusparseCreateConstBsr(void **made, int64_t rows, int64_t columns, int64_t count,
                           int64_t block_rows, int64_t block_columns, const void *offsets,
                           const void *indices, const void *values, int offset_type, int index_type,
                           int base, int type, int order);
int cusparseCreateConstBlockedEll(void **made, int64_t rows, int64_t columns, int64_t block,
                                  int64_t width, const void *indices, const void *values,
                                  int index_type, int base, int type);
int cusparseCreateConstSlicedEll(void **made, int64_t rows, int64_t columns, int64_t count,
                                 int64_t stored, int64_t slice, const void *offsets,
                                 const void *indices, const void *values, int offset_type,
                                 int index_type, int base, int type);
int cusparseCreateConstSpVec(void **made, int64_t size, int64_t count, const void *indices,
                             const void *values, int index_type, int base, int type);
int cusparseCreateConstDnMat(void **made, int64_t rows, int64_t columns, int64_t leading,
                             const void *values, int type, int order);
int cusparseCreateConstDnVec(void **made, int64_t size, const void *values, int type);
int cusparseDestroySpMat(void *self);
int cusparseDestroySpVec(void *self);
int cusparseDestroyDnMat(void *self);
int cusparseDestroyDnVec(void *self);
int cusparseSpMatGetFormat(void *self, int *format);
int cusparseSpMatGetIndexBase(void *self, int *base);
int cusparseSpMatGetSize(void *self, int64_t *rows, int64_t *columns, int64_t *count);
int cusparseSpMatGetStridedBatch(void *self, int *count);
int cusparseSpMatGetValues(void *self, void **values);
int cusparseConstSpMatGetValues(void *self, void **values);
int cusparseSpMatSetValues(void *self, void *values);
int cusparseSpMatGetAttribute(void *self, int attribute, void *data, size_t size);
int cusparseSpMatSetAttribute(void *self, int attribute, const void *data, size_t size);
int cusparseCsrSetStridedBatch(void *self, int count, int64_t offsets, int64_t elements);
int cusparseCooSetStridedBatch(void *self, int count, int64_t stride);
int cusparseBsrSetStridedBatch(void *self, int count, int64_t offsets, int64_t indices,
                               int64_t values);
int cusparseCsrSetPointers(void *self, void *offsets, void *indices, void *values);
int cusparseCscSetPointers(void *self, void *offsets, void *indices, void *values);
int cusparseCooSetPointers(void *self, void *rows, void *indices, void *values);
int cusparseSpVecGetIndexBase(void *self, int *base);
int cusparseSpVecGetValues(void *self, void **values);
int cusparseConstSpVecGetValues(void *self, void **values);
int cusparseSpVecSetValues(void *self, void *values);
int cusparseDnMatGet(void *self, int64_t *rows, int64_t *columns, int64_t *leading, void **values,
                     int *type, int *order);
int cusparseConstDnMatGet(void *self, int64_t *rows, int64_t *columns, int64_t *leading,
                          void **values, int *type, int *order);
int cusparseDnMatGetValues(void *self, void **values);
int cusparseConstDnMatGetValues(void *self, void **values);
int cusparseDnMatSetValues(void *self, void *values);
int cusparseDnMatGetStridedBatch(void *self, int *count, int64_t *stride);
int cusparseDnMatSetStridedBatch(void *self, int count, int64_t stride);
int cusparseDnVecGet(void *self, int64_t *size, void **values, int *type);
int cusparseConstDnVecGet(void *self, int64_t *size, void **values, int *type);
int cusparseDnVecGetValues(void *self, void **values);
int cusparseConstDnVecGetValues(void *self, void **values);
int cusparseDnVecSetValues(void *self, void *values);
int cusparseGetProperty(int property, int *value);
int cusparseLoggerSetCallback(void *callback);
int cusparseLoggerSetFile(void *file);
int cusparseLoggerOpenFile(const char *path);
int cusparseLoggerSetLevel(int level);
int cusparseLoggerSetMask(int mask);
int cusparseLoggerForceDisable(void);

/* No call here reads what these point to. */
static int64_t offsets[16], indices[16], values[64], others[64];

static int64_t rows, columns, count, width;
static void *first, *second, *third;
static int offset_type, index_type, base, type;

enum { CSR = 1, CSC = 2, COO = 3, BLOCKED_ELL = 5, BSR = 6, SLICED_ELL = 7 };

static void expect_parts(int64_t wanted_rows, int64_t wanted_columns, int64_t wanted_count)
{
    EXPECT(rows, wanted_rows);
    EXPECT(columns, wanted_columns);
    EXPECT(count, wanted_count);
    EXPECT(first == offsets && second == indices && third == values, 1);
    EXPECT(offset_type, INDEX_64);
    EXPECT(index_type, INDEX_32);
    EXPECT(base, 1);
    EXPECT(type, DOUBLE);
    rows = columns = count = base = type = -1;
    first = second = third = NULL;
}

#define PARTS \
    &rows, &columns, &count, &first, &second, &third, &offset_type, &index_type, &base, &type

/* What all matrices tell, and that pointers and batches are only for their own formats. */
static void check_common(void *self, int format, int64_t wanted_rows, int64_t wanted_columns)
{
    int found = -1, batch = -1, attribute = 1;
    EXPECT(cusparseSpMatGetFormat(self, &found), OK);
    EXPECT(found, format);
    EXPECT(cusparseSpMatGetIndexBase(self, &found), OK);
    EXPECT(found, 1);
    EXPECT(cusparseSpMatGetSize(self, &rows, &columns, &count), OK);
    EXPECT(rows, wanted_rows);
    EXPECT(columns, wanted_columns);
    EXPECT(cusparseConstSpMatGetValues(self, &third), OK);
    EXPECT(third == values, 1);
    EXPECT(cusparseSpMatSetValues(self, others), OK);
    EXPECT(cusparseSpMatGetValues(self, &third), OK);
    EXPECT(third == others, 1);
    EXPECT(cusparseSpMatGetStridedBatch(self, &batch), OK);
    EXPECT(batch, 1);
    EXPECT(cusparseCsrSetPointers(self, offsets, indices, values), format == CSR ? OK : INVALID);
    EXPECT(cusparseCscSetPointers(self, offsets, indices, values), format == CSC ? OK : INVALID);
    EXPECT(cusparseCooSetPointers(self, offsets, indices, values), format == COO ? OK : INVALID);
    const bool is_rows = format == CSR || format == CSC;
    EXPECT(cusparseCsrSetStridedBatch(self, 3, 0, 40), is_rows ? OK : INVALID);
    EXPECT(cusparseCooSetStridedBatch(self, 3, 40), format == COO ? OK : INVALID);
    EXPECT(cusparseBsrSetStridedBatch(self, 3, 0, 8, 40), format == BSR ? OK : INVALID);
    EXPECT(cusparseSpMatGetStridedBatch(self, &batch), OK);
    EXPECT(batch, is_rows || format == COO || format == BSR ? 3 : 1);
    for (int which = 0; which < 2; which++) {
        EXPECT(cusparseSpMatGetAttribute(self, which, &found, sizeof found), OK);
        EXPECT(found, 0);
        EXPECT(cusparseSpMatSetAttribute(self, which, &attribute, sizeof attribute), OK);
        EXPECT(cusparseSpMatGetAttribute(self, which, &found, sizeof found), OK);
        EXPECT(found, 1);
    }
    EXPECT(cusparseSpMatGetAttribute(self, 9, &found, sizeof found), INVALID);
    EXPECT(cusparseSpMatGetAttribute(self, 0, &found, 8), INVALID);
    EXPECT(cusparseSpMatGetAttribute(self, 0, NULL, sizeof found), INVALID);
    EXPECT(cusparseSpMatGetFormat(self, NULL), INVALID);
    EXPECT(cusparseDestroySpMat(self), OK);
}

static void test_matrices(void)
{
    void *csr, *csc, *coo, *ell, *bsr, *sliced;
    int64_t block = -1;
    EXPECT(cusparseCreateConstCsr(&csr, 3, 4, 6, offsets, indices, values, INDEX_64, INDEX_32, 1,
                                  DOUBLE),
           OK);
    EXPECT(cusparseCreateConstCsc(&csc, 3, 4, 6, offsets, indices, values, INDEX_64, INDEX_32, 1,
                                  DOUBLE),
           OK);
    EXPECT(cusparseCreateConstCoo(&coo, 3, 4, 6, offsets, indices, values, INDEX_32, 1, DOUBLE),
           OK);
    EXPECT(cusparseCreateConstBlockedEll(&ell, 4, 6, 2, 4, indices, values, INDEX_32, 1, DOUBLE),
           OK);
    EXPECT(cusparseCreateConstBsr(&bsr, 2, 3, 2, 2, 2, offsets, indices, values, INDEX_64, INDEX_32,
                                  1, DOUBLE, BY_ROW),
           OK);
    EXPECT(cusparseCreateConstSlicedEll(&sliced, 5, 4, 6, 8, 2, offsets, indices, values, INDEX_64,
                                        INDEX_32, 1, DOUBLE),
           OK);
    EXPECT(cusparseCsrGet(csr, PARTS), OK);
    expect_parts(3, 4, 6);
    EXPECT(cusparseConstCsrGet(csr, PARTS), OK);
    expect_parts(3, 4, 6);
    EXPECT(cusparseCscGet(csc, PARTS), OK);
    expect_parts(3, 4, 6);
    EXPECT(cusparseConstCscGet(csc, PARTS), OK);
    expect_parts(3, 4, 6);
    EXPECT(cusparseCsrGet(csc, PARTS), INVALID);
    EXPECT(cusparseCscGet(csr, PARTS), INVALID);
    EXPECT(cusparseCsrGet(NULL, PARTS), INVALID);
    EXPECT(cusparseCsrGet(csr, NULL, &columns, &count, &first, &second, &third, &offset_type,
                          &index_type, &base, &type),
           INVALID);
    offset_type = INDEX_64;
    EXPECT(cusparseCooGet(coo, &rows, &columns, &count, &first, &second, &third, &index_type, &base,
                          &type),
           OK);
    expect_parts(3, 4, 6);
    EXPECT(cusparseConstCooGet(coo, &rows, &columns, &count, &first, &second, &third, &index_type,
                               &base, &type),
           OK);
    expect_parts(3, 4, 6);
    EXPECT(cusparseCooGet(csr, &rows, &columns, &count, &first, &second, &third, &index_type, &base,
                          &type),
           INVALID);
    count = 6;
    first = offsets;
    EXPECT(cusparseBlockedEllGet(ell, &rows, &columns, &block, &width, &second, &third, &index_type,
                                 &base, &type),
           OK);
    expect_parts(4, 6, 6);
    EXPECT(block, 2);
    EXPECT(width, 4);
    EXPECT(cusparseConstBlockedEllGet(csr, &rows, &columns, &block, &width, &second, &third,
                                      &index_type, &base, &type),
           INVALID);
    EXPECT(cusparseCsrSetStridedBatch(csr, 0, 4, 6), INVALID);
    EXPECT(cusparseCsrSetStridedBatch(csr, 2, -1, 6), INVALID);
    EXPECT(cusparseCsrSetStridedBatch(csr, 2, 2, 6), INVALID); /* less than its offsets */
    EXPECT(cusparseCsrSetStridedBatch(csr, 2, 4, 2), INVALID); /* than its elements */
    check_common(csr, CSR, 3, 4);
    check_common(csc, CSC, 3, 4);
    check_common(coo, COO, 3, 4);
    check_common(ell, BLOCKED_ELL, 4, 6);
    check_common(bsr, BSR, 4, 6);
    check_common(sliced, SLICED_ELL, 5, 4);
    EXPECT(cusparseDestroySpMat(NULL), OK);
}

static void test_vectors(void)
{
    void *sparse, *dense;
    EXPECT(cusparseCreateConstSpVec(&sparse, 9, 4, indices, values, INDEX_32, 1, FLOAT), OK);
    EXPECT(cusparseCreateConstSpVec(&dense, 3, 4, indices, values, INDEX_32, 1, FLOAT), INVALID);
    EXPECT(cusparseSpVecGet(sparse, &rows, &count, &second, &third, &index_type, &base, &type), OK);
    EXPECT(rows == 9 && count == 4 && second == indices && third == values, 1);
    EXPECT(index_type == INDEX_32 && base == 1 && type == FLOAT, 1);
    EXPECT(cusparseConstSpVecGet(sparse, &rows, &count, NULL, &third, &index_type, &base, &type),
           INVALID);
    EXPECT(cusparseSpVecGetIndexBase(sparse, &base), OK);
    EXPECT(base, 1);
    EXPECT(cusparseSpVecSetValues(sparse, others), OK);
    EXPECT(cusparseSpVecGetValues(sparse, &third), OK);
    EXPECT(third == others, 1);
    EXPECT(cusparseConstSpVecGetValues(sparse, NULL), INVALID);
    EXPECT(cusparseSpMatGetFormat(sparse, &type), INVALID);
    EXPECT(cusparseCreateConstDnVec(&dense, 7, values, COMPLEX), OK);
    EXPECT(cusparseDnVecGet(dense, &rows, &third, &type), OK);
    EXPECT(rows == 7 && third == values && type == COMPLEX, 1);
    EXPECT(cusparseConstDnVecGet(dense, &rows, NULL, &type), INVALID);
    EXPECT(cusparseDnVecSetValues(dense, others), OK);
    EXPECT(cusparseDnVecGetValues(dense, &third), OK);
    EXPECT(third == others, 1);
    EXPECT(cusparseConstDnVecGetValues(sparse, &third), INVALID);
    EXPECT(cusparseDestroyDnVec(dense), OK);
    EXPECT(cusparseDestroySpVec(sparse), OK);
}

static void test_dense(void)
{
    void *self;
    int order = -1, batch = -1;
    int64_t stride = -1;
    EXPECT(cusparseCreateConstDnMat(&self, 3, 4, 3, values, HALF, BY_ROW), INVALID);
    EXPECT(cusparseCreateConstDnMat(&self, 3, 4, 5, values, 99, BY_ROW), INVALID);
    EXPECT(cusparseCreateConstDnMat(&self, 3, 4, 5, values, HALF, BY_ROW), OK);
    EXPECT(cusparseDnMatGet(self, &rows, &columns, &count, &third, &type, &order), OK);
    EXPECT(rows == 3 && columns == 4 && count == 5 && third == values, 1);
    EXPECT(type == HALF && order == BY_ROW, 1);
    EXPECT(cusparseConstDnMatGet(self, NULL, &columns, &count, &third, &type, &order), INVALID);
    EXPECT(cusparseDnMatSetStridedBatch(self, 2, 14), INVALID); /* less than one of them */
    EXPECT(cusparseDnMatSetStridedBatch(self, 2, 15), OK);
    EXPECT(cusparseDnMatGetStridedBatch(self, &batch, &stride), OK);
    EXPECT(batch == 2 && stride == 15, 1);
    EXPECT(cusparseDnMatSetStridedBatch(self, 0, 15), INVALID);
    EXPECT(cusparseDnMatSetValues(self, others), OK);
    EXPECT(cusparseDnMatGetValues(self, &third), OK);
    EXPECT(third == others, 1);
    EXPECT(cusparseConstDnMatGetValues(self, NULL), INVALID);
    EXPECT(cusparseDestroyDnMat(self), OK);
}

static void test_library(void)
{
    int value = -1;
    EXPECT(cusparseGetProperty(0, &value), OK);
    EXPECT(value, 12);
    EXPECT(cusparseGetProperty(9, &value), INVALID);
    EXPECT(cusparseGetProperty(0, NULL), INVALID);
    EXPECT(cusparseLoggerSetCallback(NULL), OK);
    EXPECT(cusparseLoggerSetFile(NULL), OK);
    EXPECT(cusparseLoggerOpenFile("log"), OK);
    EXPECT(cusparseLoggerSetLevel(5), OK);
    EXPECT(cusparseLoggerSetLevel(-1), INVALID);
    EXPECT(cusparseLoggerSetMask(16), OK);
    EXPECT(cusparseLoggerForceDisable(), OK);
}

int main(void)
{
    test_matrices();
    test_vectors();
    test_dense();
    test_library();
    return failures != 0;
}
