/* The generic calls of cuSPARSE in all formats and types, against sums made here. */
#include "sparse_values.h"

int cusparseCreate(void **handle);
int cusparseDestroy(void *handle);
#define CREATE_ROWS                                                                          \
    void **made, int64_t rows, int64_t columns, int64_t count, void *offsets, void *indices, \
        void *values, int offset_type, int index_type, int base, int type
int cusparseCreateCsr(CREATE_ROWS);
int cusparseCreateConstCsr(CREATE_ROWS);
int cusparseCreateCsc(CREATE_ROWS);
int cusparseCreateCoo(void **made, int64_t rows, int64_t columns, int64_t count, void *row_indices,
                      void *indices, void *values, int index_type, int base, int type);
int cusparseCreateBsr(void **made, int64_t rows, int64_t columns, int64_t count, int64_t block_rows,
                      int64_t block_columns, void *offsets, void *indices, void *values,
                      int offset_type, int index_type, int base, int type, int order);
int cusparseCreateBlockedEll(void **made, int64_t rows, int64_t columns, int64_t block,
                             int64_t width, void *indices, void *values, int index_type, int base,
                             int type);
int cusparseCreateSlicedEll(void **made, int64_t rows, int64_t columns, int64_t count,
                            int64_t stored, int64_t slice, void *offsets, void *indices,
                            void *values, int offset_type, int index_type, int base, int type);
int cusparseDestroySpMat(void *matrix);
int cusparseCreateDnMat(void **made, int64_t rows, int64_t columns, int64_t leading, void *values,
                        int type, int order);
int cusparseDestroyDnMat(void *matrix);
int cusparseCreateDnVec(void **made, int64_t size, void *values, int type);
int cusparseDestroyDnVec(void *vector);
int cusparseCreateSpVec(void **made, int64_t size, int64_t count, void *indices, void *values,
                        int index_type, int base, int type);
int cusparseDestroySpVec(void *vector);
int cusparseCsrSetStridedBatch(void *matrix, int count, int64_t offsets, int64_t elements);
int cusparseDnMatSetStridedBatch(void *matrix, int count, int64_t stride);
#define PRODUCT                                                                              \
    void *handle, int op_a, int op_b, const void *alpha, void *a, void *b, const void *beta, \
        void *c, int compute_type, int algorithm
int cusparseSpMM_bufferSize(PRODUCT, size_t *size);
int cusparseSpMM(PRODUCT, void *space);
int cusparseSDDMM_bufferSize(PRODUCT, size_t *size);
int cusparseSDDMM(PRODUCT, void *space);
#define VECTOR                                                                            \
    void *handle, int op, const void *alpha, void *a, void *x, const void *beta, void *y, \
        int compute_type, int algorithm
int cusparseSpMV_bufferSize(VECTOR, size_t *size);
int cusparseSpMV_preprocess(VECTOR, void *space);
int cusparseSpMV(VECTOR, void *space);
int cusparseSparseToDense_bufferSize(void *handle, void *a, void *b, int algorithm, size_t *size);
int cusparseSparseToDense(void *handle, void *a, void *b, int algorithm, void *space);
int cusparseDenseToSparse_bufferSize(void *handle, void *a, void *b, int algorithm, size_t *size);
int cusparseDenseToSparse_analysis(void *handle, void *a, void *b, int algorithm, void *space);
int cusparseDenseToSparse_convert(void *handle, void *a, void *b, int algorithm, void *space);
int cusparseAxpby(void *handle, const void *alpha, void *x, const void *beta, void *y);
int cusparseGather(void *handle, void *y, void *x);
int cusparseScatter(void *handle, void *x, void *y);
int cusparseRot(void *handle, const void *c, const void *s, void *x, void *y);
int cusparseSpVV(void *handle, int op, void *x, void *y, void *result, int compute_type,
                 void *space);
#define SOLVE                                                                       \
    void *handle, int op_a, int op_b, const void *alpha, void *a, void *b, void *c, \
        int compute_type, int algorithm, void *work
int cusparseSpSM_createDescr(void **made);
int cusparseSpSM_destroyDescr(void *work);
int cusparseSpSM_bufferSize(SOLVE, size_t *size);
int cusparseSpSM_analysis(SOLVE, void *space);
int cusparseSpSM_solve(SOLVE);
int cusparseSpSM_updateMatrix(void *handle, void *work, void *values, int what);
int cusparseSpMatSetAttribute(void *matrix, int attribute, const void *data, size_t size);

static void *handle, *space;

/* ---- matrices ---- */

enum {
    ROWS = 12,
    COLUMNS = 8,
    WIDE = 3,
    BLOCK_ROWS = 2,
    BLOCK_COLUMNS = 2,
    ELL_BLOCK = 4,
    SLICE = 5
};
enum format { CSR, CSC, COO, BSR_BY_ROW, BSR_BY_COLUMN, BLOCKED_ELL, SLICED_ELL, FORMAT_COUNT };

struct matrix {
    int rows, columns;
    number is[ROWS * ROWS];
};

static number at(const struct matrix *self, int row, int column, int op)
{
    return op ? turned(self->is[column * self->columns + row], op)
              : self->is[row * self->columns + column];
}

static struct matrix any_matrix(int rows, int columns, int type, int one_in)
{
    struct matrix made = {rows, columns, {0}};
    for (int i = 0; i < rows * columns; i++)
        made.is[i] = random_below(one_in) ? 0 : any_value(type);
    return made;
}

/* The arrays of a matrix in some format. */
struct arrays {
    void *offsets, *indices, *values;
    int offset_type, index_type, base, type;
    int count; /* of indices, without padding */
};

static struct arrays fresh(int offset_type, int index_type, int base, int type)
{
    return (struct arrays){managed(200 * 8),
                           managed(200 * 8),
                           managed(400 * 16),
                           offset_type,
                           index_type,
                           base,
                           type,
                           0};
}

static void release(struct arrays *self)
{
    cudaFree(self->offsets);
    cudaFree(self->indices);
    cudaFree(self->values);
}

/* Lines are rows, or the columns of CSC. */
static void store_lines(struct arrays *to, const struct matrix *from, enum format format)
{
    const bool by_column = format == CSC;
    const int lines = by_column ? from->columns : from->rows;
    const int others = by_column ? from->rows : from->columns;
    for (int line = 0; line < lines; line++) {
        if (format != COO)
            put_index(to->offsets, to->offset_type, line, to->count + to->base);
        for (int other = 0; other < others; other++) {
            number value = at(from, line, other, by_column ? TRANSPOSE : PLAIN);
            if (value == 0)
                continue;
            if (format == COO)
                put_index(to->offsets, to->index_type, to->count, line + to->base);
            put_index(to->indices, to->index_type, to->count, other + to->base);
            put(to->values, to->type, to->count++, value);
        }
    }
    if (format != COO)
        put_index(to->offsets, to->offset_type, lines, to->count + to->base);
}

static bool has_block(const struct matrix *from, int row, int column, int rows, int columns)
{
    for (int i = 0; i < rows * columns; i++)
        if (at(from, row + i / columns, column + i % columns, PLAIN) != 0)
            return true;
    return false;
}

static void store_blocks(struct arrays *to, const struct matrix *from, bool by_column)
{
    const int size = BLOCK_ROWS * BLOCK_COLUMNS;
    for (int row = 0; row < from->rows; row += BLOCK_ROWS) {
        put_index(to->offsets, to->offset_type, row / BLOCK_ROWS, to->count + to->base);
        for (int column = 0; column < from->columns; column += BLOCK_COLUMNS) {
            if (!has_block(from, row, column, BLOCK_ROWS, BLOCK_COLUMNS))
                continue;
            put_index(to->indices, to->index_type, to->count, column / BLOCK_COLUMNS + to->base);
            for (int i = 0; i < size; i++) {
                const int r = i / BLOCK_COLUMNS, c = i % BLOCK_COLUMNS;
                put(to->values, to->type, to->count * size + (by_column ? r + c * BLOCK_ROWS : i),
                    at(from, row + r, column + c, PLAIN));
            }
            to->count++;
        }
    }
    put_index(to->offsets, to->offset_type, from->rows / BLOCK_ROWS, to->count + to->base);
}

/* As wide as the matrix; what is left over is none (-1). */
static void store_ell(struct arrays *to, const struct matrix *from)
{
    const int width = from->columns / ELL_BLOCK;
    for (int row = 0; row < from->rows / ELL_BLOCK; row++) {
        int found = 0;
        for (int column = 0; column < width; column++) {
            if (!has_block(from, row * ELL_BLOCK, column * ELL_BLOCK, ELL_BLOCK, ELL_BLOCK))
                continue;
            put_index(to->indices, to->index_type, row * width + found, column + to->base);
            for (int i = 0; i < ELL_BLOCK * ELL_BLOCK; i++)
                put(to->values, to->type,
                    (row * ELL_BLOCK + i / ELL_BLOCK) * from->columns + found * ELL_BLOCK +
                        i % ELL_BLOCK,
                    at(from, row * ELL_BLOCK + i / ELL_BLOCK, column * ELL_BLOCK + i % ELL_BLOCK,
                       PLAIN));
            found++;
        }
        for (; found < width; found++)
            put_index(to->indices, to->index_type, row * width + found, -1);
    }
}

/* Returns how many are stored. */
static int store_slices(struct arrays *to, const struct matrix *from)
{
    int begin = 0;
    for (int row = 0; row < from->rows; row += SLICE) {
        int width = 0;
        put_index(to->offsets, to->offset_type, row / SLICE, begin + to->base);
        for (int i = 0; i < SLICE * from->columns; i++)
            put_index(to->indices, to->index_type, begin + i, -1);
        for (int r = row; r < row + SLICE && r < from->rows; r++) {
            int found = 0;
            for (int column = 0; column < from->columns; column++) {
                number value = at(from, r, column, PLAIN);
                if (value == 0)
                    continue;
                put_index(to->indices, to->index_type, begin + found * SLICE + r - row,
                          column + to->base);
                put(to->values, to->type, begin + found++ * SLICE + r - row, value);
                to->count++;
            }
            width = found > width ? found : width;
        }
        begin += width * SLICE;
    }
    put_index(to->offsets, to->offset_type, (from->rows + SLICE - 1) / SLICE, begin + to->base);
    return begin;
}

/* The matrix in that format; its arrays must be released. */
static void *describe(struct arrays *to, const struct matrix *from, enum format format)
{
    void *made = NULL;
    int rows = from->rows, columns = from->columns, status = -1;
    if (format == BSR_BY_ROW || format == BSR_BY_COLUMN) {
        store_blocks(to, from, format == BSR_BY_COLUMN);
        status = cusparseCreateBsr(&made, rows / BLOCK_ROWS, columns / BLOCK_COLUMNS, to->count,
                                   BLOCK_ROWS, BLOCK_COLUMNS, to->offsets, to->indices, to->values,
                                   to->offset_type, to->index_type, to->base, to->type,
                                   format == BSR_BY_ROW ? BY_ROW : BY_COLUMN);
    } else if (format == BLOCKED_ELL) {
        store_ell(to, from);
        status = cusparseCreateBlockedEll(&made, rows, columns, ELL_BLOCK, columns, to->indices,
                                          to->values, to->index_type, to->base, to->type);
    } else if (format == SLICED_ELL) {
        int stored = store_slices(to, from);
        status = cusparseCreateSlicedEll(&made, rows, columns, to->count, stored, SLICE,
                                         to->offsets, to->indices, to->values, to->offset_type,
                                         to->index_type, to->base, to->type);
    } else {
        store_lines(to, from, format);
        if (format == COO)
            status = cusparseCreateCoo(&made, rows, columns, to->count, to->offsets, to->indices,
                                       to->values, to->index_type, to->base, to->type);
        else
            status = (format == CSR ? cusparseCreateCsr : cusparseCreateCsc)(
                &made, rows, columns, to->count, to->offsets, to->indices, to->values,
                to->offset_type, to->index_type, to->base, to->type);
    }
    EXPECT(status, OK);
    return made;
}

/* A dense matrix with a leading dimension of its own. */
struct dense {
    void *values, *description;
    int type, order, leading;
};

static struct dense dense_of(const struct matrix *from, int type, int order)
{
    struct dense made = {managed(400 * 16), NULL, type, order,
                         (order == BY_ROW ? from->columns : from->rows) + 1};
    for (int i = 0; i < from->rows * from->columns; i++) {
        int row = i / from->columns, column = i % from->columns;
        put(made.values, type,
            order == BY_ROW ? row * made.leading + column : row + column * made.leading,
            from->is[i]);
    }
    EXPECT(cusparseCreateDnMat(&made.description, from->rows, from->columns, made.leading,
                               made.values, type, order),
           OK);
    return made;
}

static number dense_at(const struct dense *self, int row, int column)
{
    return get(self->values, self->type,
               self->order == BY_ROW ? row * self->leading + column : row + column * self->leading);
}

static void drop(struct dense *self)
{
    cudaFree(self->values);
    EXPECT(cusparseDestroyDnMat(self->description), OK);
}

/* ---- products ---- */

struct kind {
    int a, b, c, compute;
};
static const struct kind kinds[] = {
    {FLOAT, FLOAT, FLOAT, FLOAT},
    {DOUBLE, DOUBLE, DOUBLE, DOUBLE},
    {COMPLEX, COMPLEX, COMPLEX, COMPLEX},
    {DOUBLE_COMPLEX, DOUBLE_COMPLEX, DOUBLE_COMPLEX, DOUBLE_COMPLEX},
    {HALF, HALF, HALF, FLOAT},
    {HALF, HALF, FLOAT, FLOAT},
    {BFLOAT, BFLOAT, BFLOAT, FLOAT},
    {BFLOAT, BFLOAT, FLOAT, FLOAT},
    {BYTE, BYTE, INTEGER, INTEGER},
    {BYTE, BYTE, FLOAT, FLOAT},
    {FLOAT, DOUBLE, DOUBLE, DOUBLE},
    {FLOAT, COMPLEX, COMPLEX, COMPLEX},
    {DOUBLE, DOUBLE_COMPLEX, DOUBLE_COMPLEX, DOUBLE_COMPLEX},
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

/* Products of bfloats are near enough. */
static bool is_near(number got, number wanted, int type)
{
    return cabs(got - wanted) <= (type == BFLOAT ? 0.005 * (1 + cabs(wanted)) : 0);
}

static void check_product(struct kind kind, enum format format, int op_a, int op_b, int order_b,
                          int order_c)
{
    number alpha[1] = {0}, beta[1] = {0};
    const number factors[2] = {2 + (is_complex(kind.c) ? I : 0), random_below(2) ? -1 : 0};
    struct matrix a = any_matrix(ROWS, COLUMNS, kind.a, 4);
    const int rows = op_a ? COLUMNS : ROWS, inner = op_a ? ROWS : COLUMNS;
    struct matrix b =
        op_b ? any_matrix(WIDE, inner, kind.b, 1) : any_matrix(inner, WIDE, kind.b, 1);
    struct matrix c = any_matrix(rows, WIDE, kind.c, 1);
    struct arrays arrays = fresh(random_below(2) ? INDEX_64 : INDEX_32,
                                 random_below(2) ? INDEX_64 : INDEX_32, random_below(2), kind.a);
    void *sparse = describe(&arrays, &a, format);
    struct dense from = dense_of(&b, kind.b, order_b), to = dense_of(&c, kind.c, order_c);
    size_t size = 0;
    int wrong = 0;
    put(alpha, kind.compute, 0, factors[0]);
    put(beta, kind.compute, 0, factors[1]);
    if (factors[1] == 0) /* what is there must not matter */
        put(to.values, kind.c, 0, kind.c == INTEGER ? 1e9 : NAN);
    EXPECT(cusparseSpMM_bufferSize(handle, op_a, op_b, alpha, sparse, from.description, beta,
                                   to.description, kind.compute, 0, &size),
           OK);
    EXPECT(size <= 1 << 16, 1);
    EXPECT(cusparseSpMM(handle, op_a, op_b, alpha, sparse, from.description, beta, to.description,
                        kind.compute, 0, space),
           OK);
    for (int i = 0; i < rows * WIDE; i++) {
        number sum = 0;
        for (int k = 0; k < inner; k++)
            sum += at(&a, i / WIDE, k, op_a) * at(&b, k, i % WIDE, op_b);
        number wanted = factors[0] * sum + factors[1] * c.is[i];
        wrong += !is_near(dense_at(&to, i / WIDE, i % WIDE), wanted, kind.c);
    }
    EXPECT_NUMBERS(wrong, "SpMM types %d %d format %d op %d %d", kind.a, kind.c, format, op_a,
                   op_b);
    drop(&from);
    drop(&to);
    EXPECT(cusparseDestroySpMat(sparse), OK);
    release(&arrays);
}

static void check_vector_product(struct kind kind, enum format format, int op)
{
    number alpha[1] = {0}, beta[1] = {0};
    struct matrix a = any_matrix(ROWS, COLUMNS, kind.a, 3);
    const int rows = op ? COLUMNS : ROWS, inner = op ? ROWS : COLUMNS;
    struct matrix x = any_matrix(inner, 1, kind.b, 1), y = any_matrix(rows, 1, kind.c, 1);
    struct arrays arrays = fresh(INDEX_32, INDEX_32, random_below(2), kind.a);
    void *sparse = describe(&arrays, &a, format), *in = NULL, *out = NULL;
    void *from = managed(ROWS * 16), *to = managed(ROWS * 16);
    size_t size = 0;
    int wrong = 0;
    for (int i = 0; i < ROWS; i++) {
        put(from, kind.b, i, i < inner ? x.is[i] : 0);
        put(to, kind.c, i, i < rows ? y.is[i] : 0);
    }
    put(alpha, kind.compute, 0, 3);
    put(beta, kind.compute, 0, 2);
    EXPECT(cusparseCreateDnVec(&in, inner, from, kind.b), OK);
    EXPECT(cusparseCreateDnVec(&out, rows, to, kind.c), OK);
    EXPECT(
        cusparseSpMV_bufferSize(handle, op, alpha, sparse, in, beta, out, kind.compute, 0, &size),
        OK);
    EXPECT(
        cusparseSpMV_preprocess(handle, op, alpha, sparse, in, beta, out, kind.compute, 0, space),
        OK);
    EXPECT(cusparseSpMV(handle, op, alpha, sparse, in, beta, out, kind.compute, 0, space), OK);
    for (int i = 0; i < rows; i++) {
        number sum = 0;
        for (int k = 0; k < inner; k++)
            sum += at(&a, i, k, op) * x.is[k];
        wrong += !is_near(get(to, kind.c, i), 3 * sum + 2 * y.is[i], kind.c);
    }
    EXPECT_NUMBERS(wrong, "SpMV types %d %d format %d op %d", kind.a, kind.c, format, op);
    EXPECT(cusparseDestroyDnVec(in), OK);
    EXPECT(cusparseDestroyDnVec(out), OK);
    EXPECT(cusparseDestroySpMat(sparse), OK);
    cudaFree(from);
    cudaFree(to);
    release(&arrays);
}

static bool turns(enum format format)
{
    return format != BSR_BY_ROW && format != BSR_BY_COLUMN && format != BLOCKED_ELL;
}

/* How many operations there are for values of a type: real ones are not conjugated. */
static int operation_count(int type)
{
    return is_complex(type) ? 3 : 2;
}

static void test_products(void)
{
    for (int kind = 0; kind < KIND_COUNT; kind++)
        for (int format = 0; format < FORMAT_COUNT; format++)
            for (int op = 0;
                 op < (turns((enum format)format) ? operation_count(kinds[kind].compute) : 1);
                 op++) {
                if (format != BLOCKED_ELL)
                    check_vector_product(kinds[kind], (enum format)format, op);
                if (format != SLICED_ELL && kinds[kind].a == kinds[kind].b)
                    check_product(kinds[kind], (enum format)format, op,
                                  random_below(operation_count(kinds[kind].b)), 1 + random_below(2),
                                  1 + random_below(2));
            }
}

/* Two matrices of compressed rows by one dense one, and by two. */
static void test_batches(void)
{
    const float one = 1, none = 0;
    for (int many = 0; many < 2; many++) {
        struct matrix a[2] = {any_matrix(6, 4, FLOAT, 2), any_matrix(6, 4, FLOAT, 2)};
        struct matrix b[2] = {any_matrix(4, WIDE, FLOAT, 1), any_matrix(4, WIDE, FLOAT, 1)};
        struct arrays all = fresh(INDEX_32, INDEX_32, 0, FLOAT);
        float *from = managed(400), *to = managed(400);
        void *sparse = NULL, *in = NULL, *out = NULL;
        int wrong = 0;
        for (int i = 0; i < 2; i++) {
            struct arrays part = {(int *)all.offsets + i * 8,
                                  (int *)all.indices + i * 30,
                                  (float *)all.values + i * 30,
                                  INDEX_32,
                                  INDEX_32,
                                  0,
                                  FLOAT,
                                  0};
            store_lines(&part, &a[i], CSR);
            all.count = part.count;
            for (int k = 0; k < 4 * WIDE; k++)
                from[i * 20 + k] = (float)creal(b[i].is[k]);
        }
        EXPECT(cusparseCreateCsr(&sparse, 6, 4, all.count, all.offsets, all.indices, all.values,
                                 INDEX_32, INDEX_32, 0, FLOAT),
               OK);
        EXPECT(cusparseCsrSetStridedBatch(sparse, 2, 8, 30), OK);
        EXPECT(cusparseCreateDnMat(&in, 4, WIDE, WIDE, from, FLOAT, BY_ROW), OK);
        EXPECT(cusparseCreateDnMat(&out, 6, WIDE, WIDE, to, FLOAT, BY_ROW), OK);
        EXPECT(cusparseDnMatSetStridedBatch(in, many ? 2 : 1, many ? 20 : 0), OK);
        EXPECT(cusparseDnMatSetStridedBatch(out, 2, 25), OK);
        EXPECT(cusparseSpMM(handle, PLAIN, PLAIN, &one, sparse, in, &none, out, FLOAT, 0, space),
               OK);
        for (int i = 0; i < 2 * 6 * WIDE; i++) {
            const int member = i / (6 * WIDE), row = i % (6 * WIDE) / WIDE, column = i % WIDE;
            number sum = 0;
            for (int k = 0; k < 4; k++)
                sum += at(&a[member], row, k, PLAIN) * at(&b[many ? member : 0], k, column, PLAIN);
            wrong += to[member * 25 + row * WIDE + column] != (float)creal(sum);
        }
        EXPECT_NUMBERS(wrong, "batch of SpMM, %d", many);
        cudaFree(from);
        cudaFree(to);
        release(&all);
        cusparseDestroySpMat(sparse);
        cusparseDestroyDnMat(in);
        cusparseDestroyDnMat(out);
    }
}

/* ---- samples ---- */

/* What arrays of compressed rows, or of blocks of them, say. */
static struct matrix stored(const struct arrays *from, enum format format)
{
    struct matrix made = {ROWS, COLUMNS, {0}};
    const int rows = format == CSR ? 1 : BLOCK_ROWS, columns = format == CSR ? 1 : BLOCK_COLUMNS;
    for (int line = 0; line < ROWS / rows; line++)
        for (int e = ((int *)from->offsets)[line] - 1; e < ((int *)from->offsets)[line + 1] - 1;
             e++)
            for (int i = 0; i < rows * columns; i++)
                made.is[(line * rows + i / columns) * COLUMNS +
                        (((int *)from->indices)[e] - 1) * columns + i % columns] =
                    get(from->values, from->type, e * rows * columns + i);
    return made;
}

static void check_samples(struct kind kind, enum format format, int op_a, int op_b)
{
    enum { INNER = 5 };
    number alpha[1] = {0}, beta[1] = {0};
    struct matrix a =
        op_a ? any_matrix(INNER, ROWS, kind.a, 1) : any_matrix(ROWS, INNER, kind.a, 1);
    struct matrix b =
        op_b ? any_matrix(COLUMNS, INNER, kind.b, 1) : any_matrix(INNER, COLUMNS, kind.b, 1);
    struct matrix c = any_matrix(ROWS, COLUMNS, kind.c, 3), found;
    struct arrays arrays = fresh(INDEX_32, INDEX_32, 1, kind.c);
    void *sparse = describe(&arrays, &c, format);
    struct dense left = dense_of(&a, kind.a, BY_ROW), right = dense_of(&b, kind.b, BY_COLUMN);
    int wrong = 0;
    size_t size = 0;
    put(alpha, kind.compute, 0, 2);
    put(beta, kind.compute, 0, 3);
    EXPECT(cusparseSDDMM_bufferSize(handle, op_a, op_b, alpha, left.description, right.description,
                                    beta, sparse, kind.compute, 0, &size),
           OK);
    EXPECT(cusparseSDDMM(handle, op_a, op_b, alpha, left.description, right.description, beta,
                         sparse, kind.compute, 0, space),
           OK);
    found = stored(&arrays, format);
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        number sum = 0, got = found.is[i];
        for (int k = 0; k < INNER; k++)
            sum += at(&a, i / COLUMNS, k, op_a) * at(&b, k, i % COLUMNS, op_b);
        bool is_there =
            format == BSR_BY_ROW
                ? has_block(&c, i / COLUMNS / BLOCK_ROWS * BLOCK_ROWS,
                            i % COLUMNS / BLOCK_COLUMNS * BLOCK_COLUMNS, BLOCK_ROWS, BLOCK_COLUMNS)
                : c.is[i] != 0;
        wrong += !is_near(got, is_there ? 2 * sum + 3 * c.is[i] : 0, kind.c);
    }
    EXPECT_NUMBERS(wrong, "SDDMM types %d %d format %d op %d %d", kind.a, kind.c, format, op_a,
                   op_b);
    drop(&left);
    drop(&right);
    EXPECT(cusparseDestroySpMat(sparse), OK);
    release(&arrays);
}

static void test_samples(void)
{
    for (int kind = 0; kind < 8; kind++)
        for (int op = 0; op < 4; op++) {
            check_samples(kinds[kind], CSR, op / 2, op % 2);
            check_samples(kinds[kind], BSR_BY_ROW, op / 2, op % 2);
        }
}

/* ---- to and from dense ---- */

static void check_conversion(int type, enum format format, int order)
{
    struct matrix a = any_matrix(ROWS, COLUMNS, type, 4), zero = {ROWS, COLUMNS, {0}};
    struct arrays arrays = fresh(INDEX_32, INDEX_32, 1, type),
                  made = fresh(INDEX_32, INDEX_32, 1, type);
    void *sparse = describe(&arrays, &a, format), *again = NULL;
    struct dense dense = dense_of(&zero, type, order), back = dense_of(&zero, type, order);
    size_t size = 0;
    int wrong = 0;
    memset(dense.values, 1, 100);
    EXPECT(cusparseSparseToDense_bufferSize(handle, sparse, dense.description, 0, &size), OK);
    EXPECT(cusparseSparseToDense(handle, sparse, dense.description, 0, space), OK);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        wrong += dense_at(&dense, i / COLUMNS, i % COLUMNS) != a.is[i];
    EXPECT_NUMBERS(wrong, "to dense, type %d format %d", type, format);
    made.count = arrays.count;
    memcpy(made.indices, arrays.indices, 800);
    if (format == COO)
        EXPECT(cusparseCreateCoo(&again, ROWS, COLUMNS, made.count, made.offsets, made.indices,
                                 made.values, INDEX_32, 1, type),
               OK);
    else
        EXPECT((format == CSR ? cusparseCreateCsr : cusparseCreateCsc)(
                   &again, ROWS, COLUMNS, made.count, made.offsets, made.indices, made.values,
                   INDEX_32, INDEX_32, 1, type),
               OK);
    EXPECT(cusparseDenseToSparse_bufferSize(handle, dense.description, again, 0, &size), OK);
    EXPECT(cusparseDenseToSparse_analysis(handle, dense.description, again, 0, space), OK);
    EXPECT(cusparseDenseToSparse_convert(handle, dense.description, again, 0, space), OK);
    EXPECT(cusparseSparseToDense(handle, again, back.description, 0, space), OK);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        wrong += dense_at(&back, i / COLUMNS, i % COLUMNS) != a.is[i];
    EXPECT_NUMBERS(wrong, "from dense, type %d format %d", type, format);
    EXPECT(cusparseDestroySpMat(again), OK);
    EXPECT(cusparseDestroySpMat(sparse), OK);
    drop(&dense);
    drop(&back);
    release(&arrays);
    release(&made);
}

/* Into blocks whose places are given. */
static void check_blocks(int type)
{
    struct matrix a = any_matrix(ROWS, COLUMNS, type, 9);
    struct arrays wanted = fresh(INDEX_32, INDEX_32, 0, type),
                  made = fresh(INDEX_32, INDEX_32, 0, type);
    struct dense dense = dense_of(&a, type, BY_COLUMN);
    void *sparse = NULL, *known = describe(&wanted, &a, BLOCKED_ELL);
    size_t size = 0;
    memcpy(made.indices, wanted.indices, 800);
    memset(made.values, 1, ROWS * COLUMNS * bytes_of(type));
    EXPECT(cusparseCreateBlockedEll(&sparse, ROWS, COLUMNS, ELL_BLOCK, COLUMNS, made.indices,
                                    made.values, INDEX_32, 0, type),
           OK);
    EXPECT(cusparseDenseToSparse_bufferSize(handle, dense.description, sparse, 0, &size), OK);
    EXPECT(cusparseDenseToSparse_analysis(handle, dense.description, sparse, 0, space), OK);
    EXPECT(cusparseDenseToSparse_convert(handle, dense.description, sparse, 0, space), OK);
    EXPECT(memcmp(made.values, wanted.values, ROWS * COLUMNS * bytes_of(type)), 0);
    EXPECT(cusparseDestroySpMat(sparse), OK);
    EXPECT(cusparseDestroySpMat(known), OK);
    drop(&dense);
    release(&wanted);
    release(&made);
}

static void test_conversions(void)
{
    static const int types[] = {FLOAT, DOUBLE, COMPLEX, DOUBLE_COMPLEX, HALF, BFLOAT, BYTE};
    for (size_t type = 0; type < sizeof types / sizeof *types; type++) {
        check_blocks(types[type]);
        for (int format = 0; format <= COO; format++)
            check_conversion(types[type], (enum format)format, 1 + random_below(2));
    }
}

/* ---- vectors ---- */

enum { SIZE = 40, ELEMENTS = 9 };

struct pair {
    void *indices, *values, *full, *x, *y;
    int type;
};

static struct pair any_pair(int x_type, int y_type)
{
    struct pair made = {
        managed(ELEMENTS * 8), managed(ELEMENTS * 16), managed(SIZE * 16), NULL, NULL, x_type};
    for (int i = 0; i < SIZE; i++)
        put(made.full, y_type, i, any_value(y_type));
    for (int i = 0; i < ELEMENTS; i++) {
        put_index(made.indices, INDEX_64, i, i * 4 + 1 + random_below(3));
        put(made.values, x_type, i, any_value(x_type));
    }
    EXPECT(cusparseCreateSpVec(&made.x, SIZE, ELEMENTS, made.indices, made.values, INDEX_64, 1,
                               x_type),
           OK);
    EXPECT(cusparseCreateDnVec(&made.y, SIZE, made.full, y_type), OK);
    return made;
}

static void drop_pair(struct pair *self)
{
    EXPECT(cusparseDestroySpVec(self->x), OK);
    EXPECT(cusparseDestroyDnVec(self->y), OK);
    cudaFree(self->indices);
    cudaFree(self->values);
    cudaFree(self->full);
}

static int place(const struct pair *self, int i)
{
    return (int)get_index(self->indices, INDEX_64, i) - 1;
}

static void check_vectors(int type, int compute)
{
    struct pair is = any_pair(type, type);
    number alpha[1] = {0}, beta[1] = {0}, x[ELEMENTS], y[SIZE];
    int wrong = 0;
    put(alpha, compute, 0, 2);
    put(beta, compute, 0, -1);
    for (int i = 0; i < SIZE; i++)
        y[i] = -get(is.full, type, i);
    for (int i = 0; i < ELEMENTS; i++)
        y[place(&is, i)] += 2 * (x[i] = get(is.values, type, i));
    EXPECT(cusparseAxpby(handle, alpha, is.x, beta, is.y), OK);
    for (int i = 0; i < SIZE; i++)
        wrong += get(is.full, type, i) != y[i];
    EXPECT(cusparseRot(handle, alpha, beta, is.x, is.y), OK);
    for (int i = 0; i < ELEMENTS; i++) {
        wrong += get(is.values, type, i) != 2 * x[i] - y[place(&is, i)];
        wrong += get(is.full, type, place(&is, i)) != 2 * y[place(&is, i)] + x[i];
    }
    EXPECT(cusparseScatter(handle, is.x, is.y), OK);
    for (int i = 0; i < ELEMENTS; i++)
        wrong += get(is.full, type, place(&is, i)) != get(is.values, type, i);
    memset(is.values, 0, ELEMENTS * bytes_of(type));
    EXPECT(cusparseGather(handle, is.y, is.x), OK);
    for (int i = 0; i < ELEMENTS; i++)
        wrong += get(is.full, type, place(&is, i)) != get(is.values, type, i);
    EXPECT_NUMBERS(wrong, "vectors of type %d", type);
    EXPECT(cusparseRot(handle, NULL, beta, is.x, is.y), INVALID);
    EXPECT(cusparseRot(NULL, alpha, beta, is.x, is.y), INVALID);
    EXPECT(cusparseAxpby(handle, alpha, is.x, NULL, is.y), INVALID);
    EXPECT(cusparseGather(handle, is.x, is.y), INVALID);
    drop_pair(&is);
}

static void test_vectors(void)
{
    static const int rows[][2] = {{FLOAT, FLOAT},     {DOUBLE, DOUBLE},
                                  {COMPLEX, COMPLEX}, {DOUBLE_COMPLEX, DOUBLE_COMPLEX},
                                  {HALF, FLOAT},      {BFLOAT, FLOAT}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_vectors(rows[i][0], rows[i][1]);
    for (int kind = 0; kind < KIND_COUNT; kind++)
        for (int op = 0; op < 3; op++) {
            struct pair is = any_pair(kinds[kind].a, kinds[kind].b);
            number sum = 0, result[1] = {0};
            if (kinds[kind].c != kinds[kind].compute || kinds[kind].a != kinds[kind].b ||
                op == TRANSPOSE || op >= operation_count(kinds[kind].a))
                continue;
            for (int i = 0; i < ELEMENTS; i++)
                sum += turned(get(is.values, kinds[kind].a, i), op) *
                       get(is.full, kinds[kind].b, place(&is, i));
            EXPECT(cusparseSpVV(handle, op, is.x, is.y, result, kinds[kind].compute, space), OK);
            EXPECT(get(result, kinds[kind].compute, 0) == sum, 1);
            drop_pair(&is);
        }
}

/* ---- triangles ---- */

static void check_triangle(int type, enum format format, int op_a, int op_b, int how)
{
    const int is_upper = how & 1, is_unit = how >> 1;
    number alpha[1] = {0}, two = 2;
    struct matrix a = any_matrix(ROWS, ROWS, type, 3), other = a;
    struct arrays arrays = fresh(INDEX_32, INDEX_32, 1, type),
                  updated = fresh(INDEX_32, INDEX_32, 1, type);
    for (int i = 0; i < ROWS; i++) {
        a.is[i * ROWS + i] = 4 + random_below(3);
        for (int k = 0; k < ROWS; k++)
            other.is[i * ROWS + k] = a.is[i * ROWS + k] * 2;
    }
    struct matrix b = op_b ? any_matrix(WIDE, ROWS, type, 1) : any_matrix(ROWS, WIDE, type, 1);
    struct matrix zero = {ROWS, WIDE, {0}};
    void *sparse = describe(&arrays, &a, format), *work = NULL;
    struct dense from = dense_of(&b, type, BY_ROW), to = dense_of(&zero, type, BY_COLUMN);
    size_t size = 0;
    put(alpha, type, 0, two);
    cusparseSpMatSetAttribute(sparse, 0, &is_upper, sizeof is_upper);
    cusparseSpMatSetAttribute(sparse, 1, &is_unit, sizeof is_unit);
    EXPECT(cusparseSpSM_createDescr(&work), OK);
    EXPECT(cusparseSpSM_bufferSize(handle, op_a, op_b, alpha, sparse, from.description,
                                   to.description, type, 0, work, &size),
           OK);
    EXPECT(cusparseSpSM_analysis(handle, op_a, op_b, alpha, sparse, from.description,
                                 to.description, type, 0, work, space),
           OK);
    for (int round = 0; round < 2; round++) {
        double residual = 0, largest = 1;
        EXPECT(cusparseSpSM_solve(handle, op_a, op_b, alpha, sparse, from.description,
                                  to.description, type, 0, work),
               OK);
        const struct matrix *is = round ? &other : &a;
        for (int i = 0; i < ROWS * WIDE; i++) {
            number sum = 0;
            for (int k = 0; k < ROWS; k++) {
                const int row = op_a ? k : i / WIDE, column = op_a ? i / WIDE : k;
                number value = is_upper        ? row <= column ? is->is[row * ROWS + column] : 0
                               : row >= column ? is->is[row * ROWS + column]
                                               : 0;
                value = row == column && is_unit ? 1 : turned(value, op_a);
                sum += value * dense_at(&to, k, i % WIDE);
                largest = fmax(largest, cabs(dense_at(&to, k, i % WIDE)));
            }
            residual = fmax(residual, cabs(sum - 2 * at(&b, i / WIDE, i % WIDE, op_b)));
        }
        if (!(residual <= largest * (type == FLOAT || type == COMPLEX ? 1e-4 : 1e-12)))
            EXPECT_NUMBERS(1, "SpSM type %d format %d op %d %d how %d: %g", type, format, op_a,
                           op_b, how, residual);
        store_lines(&updated, &other, CSR);
        EXPECT(cusparseSpSM_updateMatrix(handle, work, updated.values, 0), OK);
    }
    EXPECT(cusparseSpSM_updateMatrix(handle, work, NULL, 0), INVALID);
    EXPECT(cusparseSpSM_updateMatrix(handle, work, updated.values, 2), INVALID);
    EXPECT(cusparseSpSM_destroyDescr(work), OK);
    EXPECT(cusparseDestroySpMat(sparse), OK);
    drop(&from);
    drop(&to);
    release(&arrays);
    release(&updated);
}

static void test_triangles(void)
{
    static const int types[] = {FLOAT, DOUBLE, COMPLEX, DOUBLE_COMPLEX};
    for (int type = 0; type < 4; type++)
        for (int op = 0; op < operation_count(types[type]); op++)
            for (int how = 0; how < 4; how++) {
                check_triangle(types[type], CSR, op, random_below(2), how);
                check_triangle(types[type], COO, op, random_below(2), how);
            }
}

/* ---- wrong arguments ---- */

static void test_refused(void)
{
    struct matrix a = any_matrix(ROWS, COLUMNS, FLOAT, 2);
    struct arrays arrays = fresh(INDEX_32, INDEX_32, 0, FLOAT);
    void *sparse = describe(&arrays, &a, CSR), *x = NULL, *y = NULL, *made = NULL;
    float *values = managed(400), one = 1;
    EXPECT(cusparseCreateDnVec(&x, COLUMNS, values, FLOAT), OK);
    EXPECT(cusparseCreateDnVec(&y, ROWS, values + 20, FLOAT), OK);
    EXPECT(cusparseSpMV(NULL, PLAIN, &one, sparse, x, &one, y, FLOAT, 0, space), INVALID);
    EXPECT(cusparseSpMV(handle, PLAIN, NULL, sparse, x, &one, y, FLOAT, 0, space), INVALID);
    EXPECT(cusparseSpMV(handle, 7, &one, sparse, x, &one, y, FLOAT, 0, space), INVALID);
    EXPECT(cusparseSpMV(handle, PLAIN, &one, NULL, x, &one, y, FLOAT, 0, space), INVALID);
    EXPECT(cusparseSpMV(handle, PLAIN, &one, sparse, y, &one, x, FLOAT, 0, space), INVALID);
    EXPECT(cusparseSpMV(handle, PLAIN, &one, sparse, x, &one, y, FLOAT, 1, space), INVALID);
    EXPECT(cusparseSpMV(handle, PLAIN, &one, sparse, x, &one, y, FLOAT, 77, space), INVALID);
    capture_stderr();
    EXPECT(cusparseSpMV(handle, PLAIN, &one, sparse, x, &one, y, DOUBLE, 0, space), NOT_SUPPORTED);
    EXPECT(strstr(captured_stderr(), "cusparseSpMV") != NULL, 1);
    EXPECT(cusparseCreateBsr(&made, 2, 2, 1, 0, 2, values, values, values, INDEX_32, INDEX_32, 0,
                             FLOAT, BY_ROW),
           INVALID);
    EXPECT(cusparseCreateBsr(&made, 2, 2, 1, 2, 2, values, values, values, INDEX_32, INDEX_32, 0,
                             FLOAT, 7),
           INVALID);
    EXPECT(cusparseCreateBlockedEll(&made, 5, 4, 2, 2, values, values, INDEX_32, 0, FLOAT),
           INVALID);
    EXPECT(cusparseCreateSlicedEll(&made, 4, 4, 4, 4, 0, values, values, values, INDEX_32, INDEX_32,
                                   0, FLOAT),
           INVALID);
    EXPECT(cusparseCreateConstCsr(&made, 4, 4, 4, values, values, values, INDEX_32, INDEX_32, 2,
                                  FLOAT),
           INVALID);
    EXPECT(cusparseDestroyDnVec(x), OK);
    EXPECT(cusparseDestroyDnVec(y), OK);
    EXPECT(cusparseDestroySpMat(sparse), OK);
    cudaFree(values);
    release(&arrays);
}

int main(void)
{
    EXPECT(cusparseCreate(&handle), OK);
    space = managed(1 << 16);
    test_products();
    test_batches();
    test_samples();
    test_conversions();
    test_vectors();
    test_triangles();
    test_refused();
    EXPECT(cusparseDestroy(handle), OK);
    return failures != 0;
}
