/* Older calls of cuSPARSE on blocks, and incomplete factors, against sums made here. */
#include "sparse_values.h"

#define FOUR(name, ...)                                                                           \
    int cusparseS##name(__VA_ARGS__);                                                             \
    int cusparseD##name(__VA_ARGS__);                                                             \
    int cusparseC##name(__VA_ARGS__);                                                             \
    int cusparseZ##name(__VA_ARGS__);                                                             \
    static int (*const name[])(__VA_ARGS__) = {cusparseS##name, cusparseD##name, cusparseC##name, \
                                               cusparseZ##name};

int cusparseCreate(void **handle);
int cusparseDestroy(void *handle);
int cusparseCreateMatDescr(void **made);
int cusparseSetMatIndexBase(void *description, int base);
int cusparseSetMatFillMode(void *description, int fill);
int cusparseSetMatDiagType(void *description, int diagonal);
#define INFO(name)                           \
    int cusparseCreate##name##Info(void **); \
    int cusparseDestroy##name##Info(void *);
INFO(Csrilu02)
INFO(Csric02)
INFO(Bsrilu02)
INFO(Bsric02)
INFO(Bsrsv2)
INFO(Bsrsm2)
int cusparseXcsrilu02_zeroPivot(void *handle, void *info, int *position);
int cusparseXcsric02_zeroPivot(void *handle, void *info, int *position);
int cusparseXbsrilu02_zeroPivot(void *handle, void *info, int *position);
int cusparseXbsric02_zeroPivot(void *handle, void *info, int *position);
int cusparseXbsrsv2_zeroPivot(void *handle, void *info, int *position);
int cusparseXbsrsm2_zeroPivot(void *handle, void *info, int *position);

#define CSR void *h, int m, int count, void *d, void *v, const int *o, const int *c, void *info
#define BSR                                                                                      \
    void *h, int dir, int m, int count, void *d, void *v, const int *o, const int *c, int block, \
        void *info
FOUR(csrilu02_bufferSize, CSR, int *size)
FOUR(csrilu02_analysis, CSR, int policy, void *space)
FOUR(csrilu02, CSR, int policy, void *space)
FOUR(csric02_bufferSize, CSR, int *size)
FOUR(csric02_analysis, CSR, int policy, void *space)
FOUR(csric02, CSR, int policy, void *space)
FOUR(bsrilu02_bufferSize, BSR, int *size)
FOUR(bsrilu02_analysis, BSR, int policy, void *space)
FOUR(bsrilu02, BSR, int policy, void *space)
FOUR(bsric02_bufferSize, BSR, int *size)
FOUR(bsric02_analysis, BSR, int policy, void *space)
FOUR(bsric02, BSR, int policy, void *space)
FOUR(csrilu02_numericBoost, void *h, void *info, int enable, double *tolerance, void *value)
FOUR(bsrilu02_numericBoost, void *h, void *info, int enable, double *tolerance, void *value)
#define BLOCKS void *d, void *v, const int *o, const int *c, int block
FOUR(bsrsv2_bufferSize, void *h, int dir, int op, int m, int count, BLOCKS, void *info, int *size)
FOUR(bsrsv2_analysis, void *h, int dir, int op, int m, int count, BLOCKS, void *info, int policy,
     void *space)
FOUR(bsrsv2_solve, void *h, int dir, int op, int m, int count, const void *alpha, BLOCKS,
     void *info, const void *x, void *y, int policy, void *space)
FOUR(bsrsm2_bufferSize, void *h, int dir, int op, int op_x, int m, int n, int count, BLOCKS,
     void *info, int *size)
FOUR(bsrsm2_analysis, void *h, int dir, int op, int op_x, int m, int n, int count, BLOCKS,
     void *info, int policy, void *space)
FOUR(bsrsm2_solve, void *h, int dir, int op, int op_x, int m, int n, int count, const void *alpha,
     BLOCKS, void *info, const void *x, int ldx, void *y, int ldy, int policy, void *space)
FOUR(bsrmv, void *h, int dir, int op, int m, int n, int count, const void *alpha, BLOCKS,
     const void *x, const void *beta, void *y)
FOUR(bsrxmv, void *h, int dir, int op, int masked, int m, int n, int count, const void *alpha,
     void *d, void *v, const int *mask, const int *o, const int *ends, const int *c, int block,
     const void *x, const void *beta, void *y)
FOUR(bsrmm, void *h, int dir, int op, int op_b, int m, int n, int k, int count, const void *alpha,
     BLOCKS, const void *b, int ldb, const void *beta, void *y, int ldc)
int cusparseXcsr2bsrNnz(void *h, int dir, int m, int n, void *d, const int *o, const int *c,
                        int block, void *to, int *offsets, int *total);
int cusparseXcsr2gebsrNnz(void *h, int dir, int m, int n, void *d, const int *o, const int *c,
                          void *to, int *offsets, int rows, int columns, int *total, void *space);
int cusparseXgebsr2gebsrNnz(void *h, int dir, int m, int n, int count, void *d, const int *o,
                            const int *c, int rows, int columns, void *to, int *offsets,
                            int to_rows, int to_columns, int *total, void *space);
FOUR(csr2bsr, void *h, int dir, int m, int n, void *d, void *v, const int *o, const int *c,
     int block, void *to, void *values, int *offsets, int *indices)
FOUR(bsr2csr, void *h, int dir, int m, int n, BLOCKS, void *to, void *values, int *offsets,
     int *indices)
FOUR(csr2gebsr_bufferSize, void *h, int dir, int m, int n, void *d, void *v, const int *o,
     const int *c, int rows, int columns, int *size)
FOUR(csr2gebsr, void *h, int dir, int m, int n, void *d, void *v, const int *o, const int *c,
     void *to, void *values, int *offsets, int *indices, int rows, int columns, void *space)
FOUR(gebsr2csr, void *h, int dir, int m, int n, BLOCKS, int columns, void *to, void *values,
     int *offsets, int *indices)
FOUR(gebsr2gebsc_bufferSize, void *h, int m, int n, int count, void *v, const int *o, const int *c,
     int rows, int columns, int *size)
FOUR(gebsr2gebsc, void *h, int m, int n, int count, void *v, const int *o, const int *c, int rows,
     int columns, void *values, int *indices, int *offsets, int action, int base, void *space)
FOUR(gebsr2gebsr_bufferSize, void *h, int dir, int m, int n, int count, BLOCKS, int columns,
     int to_rows, int to_columns, int *size)
FOUR(gebsr2gebsr, void *h, int dir, int m, int n, int count, BLOCKS, int columns, void *to,
     void *values, int *offsets, int *indices, int to_rows, int to_columns, void *space)

static const int types[] = {FLOAT, DOUBLE, COMPLEX, DOUBLE_COMPLEX};
static void *handle, *space;

/* ---- matrices ---- */

enum { SIZE = 12, WIDE = 3 };

/* A dense copy, and which elements are stored. */
struct matrix {
    number is[SIZE][SIZE];
    bool has[SIZE][SIZE];
};

/* Of blocks, whose diagonal ones are there; about half of the others. is_hermitian: and positive.
 */
static struct matrix any_matrix(int type, int block, bool is_hermitian)
{
    struct matrix made = {0};
    for (int row = 0; row < SIZE; row += block)
        for (int column = 0; column <= row; column += block) {
            bool lower = row == column || random_below(2),
                 upper = is_hermitian ? lower : random_below(2);
            for (int i = 0; i < block * block; i++) {
                int r = row + i / block, c = column + i % block;
                made.has[r][c] |= lower;
                made.has[c][r] |= upper || row == column;
                made.is[r][c] = lower ? any_value(type) : 0;
                made.is[c][r] = row == column && r <= c ? made.is[c][r] : 0;
                if (upper)
                    made.is[c][r] = is_hermitian ? conj(made.is[r][c]) : any_value(type);
            }
        }
    for (int i = 0; i < SIZE; i++)
        for (int k = 0; k < SIZE; k++) {
            if (is_hermitian && k > i)
                made.is[i][k] = conj(made.is[k][i]);
            if (i == k)
                made.is[i][i] = 60 + random_below(5);
        }
    return made;
}

struct arrays {
    int *offsets, *indices, count, block_rows, block_columns, direction, base;
    void *values;
};

static struct arrays fresh(int block_rows, int block_columns, int direction, int base)
{
    return (struct arrays){managed(400),  managed(800), 0,    block_rows,
                           block_columns, direction,    base, managed(SIZE * SIZE * 64)};
}

static void release(struct arrays *self)
{
    cudaFree(self->offsets);
    cudaFree(self->indices);
    cudaFree(self->values);
}

static int place(const struct arrays *self, int e, int r, int c)
{
    return e * self->block_rows * self->block_columns +
           (self->direction ? r + c * self->block_rows : r * self->block_columns + c);
}

static struct arrays store(const struct matrix *from, int type, int rows, int columns,
                           int direction, int base)
{
    struct arrays to = fresh(rows, columns, direction, base);
    for (int row = 0; row < SIZE; row += rows) {
        to.offsets[row / rows] = to.count + base;
        for (int column = 0; column < SIZE; column += columns) {
            bool has = false;
            for (int i = 0; i < rows * columns; i++)
                has |= from->has[row + i / columns][column + i % columns];
            for (int i = 0; has && i < rows * columns; i++)
                put(to.values, type, place(&to, to.count, i / columns, i % columns),
                    from->is[row + i / columns][column + i % columns]);
            if (has)
                to.indices[to.count++] = column / columns + base;
        }
    }
    to.offsets[SIZE / rows] = to.count + base;
    return to;
}

static struct matrix load(const struct arrays *from, int type)
{
    struct matrix made = {0};
    for (int line = 0; line < SIZE / from->block_rows; line++)
        for (int e = from->offsets[line] - from->base; e < from->offsets[line + 1] - from->base;
             e++)
            for (int i = 0; i < from->block_rows * from->block_columns; i++) {
                int r = i / from->block_columns, c = i % from->block_columns;
                int row = line * from->block_rows + r,
                    column = (from->indices[e] - from->base) * from->block_columns + c;
                made.is[row][column] = get(from->values, type, place(from, e, r, c));
                made.has[row][column] = true;
            }
    return made;
}

static void *description(int base, int fill, int diagonal)
{
    void *made = NULL;
    EXPECT(cusparseCreateMatDescr(&made), OK);
    cusparseSetMatIndexBase(made, base);
    cusparseSetMatFillMode(made, fill);
    cusparseSetMatDiagType(made, diagonal);
    return made;
}

static double tolerance(int type)
{
    return type == FLOAT || type == COMPLEX ? 1e-3 : 1e-10;
}

/* ---- incomplete factors ---- */

/* Where elements are stored, the product of the factors is the matrix. */
static int wrong_factors(const struct matrix *a, const struct matrix *made, int type,
                         bool is_cholesky)
{
    int wrong = 0;
    for (int i = 0; i < SIZE; i++)
        for (int k = 0; k < (is_cholesky ? i + 1 : SIZE); k++) {
            number sum = 0;
            for (int j = 0; j <= (i < k ? i : k); j++) {
                number left = j == i && !is_cholesky ? 1 : made->is[i][j];
                sum += left * (is_cholesky ? conj(made->is[k][j]) : made->is[j][k]);
            }
            wrong += a->has[i][k] && !(cabs(sum - a->is[i][k]) <= tolerance(type));
        }
    return wrong;
}

static void check_factors(int t, int block, int direction, bool is_cholesky)
{
    const int type = types[t], base = random_below(2);
    struct matrix a = any_matrix(type, block, is_cholesky);
    struct arrays is = store(&a, type, block, block, direction, base);
    void *how = description(base, 0, 0), *info = NULL;
    int size = 0, position = -5;
    if (block == 1) {
        EXPECT((is_cholesky ? cusparseCreateCsric02Info : cusparseCreateCsrilu02Info)(&info), OK);
        EXPECT((is_cholesky ? cusparseXcsric02_zeroPivot
                            : cusparseXcsrilu02_zeroPivot)(handle, info, &position),
               INVALID);
        EXPECT((is_cholesky ? csric02_bufferSize : csrilu02_bufferSize)[t](
                   handle, SIZE, is.count, how, is.values, is.offsets, is.indices, info, &size),
               OK);
        EXPECT((is_cholesky ? csric02_analysis : csrilu02_analysis)[t](
                   handle, SIZE, is.count, how, is.values, is.offsets, is.indices, info, 1, space),
               OK);
        EXPECT((is_cholesky ? csric02 : csrilu02)[t](handle, SIZE, is.count, how, is.values,
                                                     is.offsets, is.indices, info, 1, space),
               OK);
        EXPECT((is_cholesky ? cusparseXcsric02_zeroPivot
                            : cusparseXcsrilu02_zeroPivot)(handle, info, &position),
               OK);
        EXPECT((is_cholesky ? cusparseDestroyCsric02Info : cusparseDestroyCsrilu02Info)(info), OK);
    } else {
        EXPECT((is_cholesky ? cusparseCreateBsric02Info : cusparseCreateBsrilu02Info)(&info), OK);
        EXPECT((is_cholesky ? bsric02_bufferSize : bsrilu02_bufferSize)[t](
                   handle, direction, SIZE / block, is.count, how, is.values, is.offsets,
                   is.indices, block, info, &size),
               OK);
        EXPECT((is_cholesky ? bsric02_analysis : bsrilu02_analysis)[t](
                   handle, direction, SIZE / block, is.count, how, is.values, is.offsets,
                   is.indices, block, info, 1, space),
               OK);
        EXPECT((is_cholesky ? bsric02 : bsrilu02)[t](handle, direction, SIZE / block, is.count, how,
                                                     is.values, is.offsets, is.indices, block, info,
                                                     1, space),
               OK);
        EXPECT((is_cholesky ? cusparseXbsric02_zeroPivot
                            : cusparseXbsrilu02_zeroPivot)(handle, info, &position),
               OK);
        EXPECT((is_cholesky ? cusparseDestroyBsric02Info : cusparseDestroyBsrilu02Info)(info), OK);
    }
    struct matrix made = load(&is, type);
    EXPECT(position, -1);
    EXPECT(size > 0, 1);
    EXPECT_NUMBERS(wrong_factors(&a, &made, type, is_cholesky), "factors of type %d block %d, %d",
                   type, block, is_cholesky);
    release(&is);
}

/* Pivots that are 0, missing, negative, and boosted. */
static void test_pivots(void)
{
    static const int offsets[] = {0, 2, 4, 7}, indices[] = {0, 2, 1, 2, 0, 1, 2};
    static const float given[] = {4, 2, 0, 3, 2, 3, 11},
                       boosted[] = {4, 2, 0.25f, 3, 0.5f, 12, -26};
    int *o = managed(sizeof offsets), *c = managed(sizeof indices), position = -5;
    float *v = managed(sizeof given), boost = 0.25f;
    double limit = 1e-3;
    void *lu = NULL, *cholesky = NULL, *how = description(0, 0, 0);
    memcpy(o, offsets, sizeof offsets);
    memcpy(c, indices, sizeof indices);
    memcpy(v, given, sizeof given);
    EXPECT(cusparseCreateCsrilu02Info(&lu), OK);
    EXPECT(cusparseCreateCsric02Info(&cholesky), OK);
    EXPECT(csrilu02_analysis[0](handle, 3, 7, how, v, o, c, lu, 1, space), OK);
    EXPECT(cusparseXcsrilu02_zeroPivot(handle, lu, &position), OK);
    EXPECT(position, -1);
    EXPECT(csrilu02[0](handle, 3, 7, how, v, o, c, lu, 1, space), OK);
    EXPECT(cusparseXcsrilu02_zeroPivot(handle, lu, &position), ZERO_PIVOT);
    EXPECT(position, 1);
    memcpy(v, given, sizeof given);
    EXPECT(csrilu02_numericBoost[0](handle, lu, 1, &limit, &boost), OK);
    EXPECT(csrilu02[0](handle, 3, 7, how, v, o, c, lu, 1, space), OK);
    EXPECT(memcmp(v, boosted, sizeof boosted), 0);
    EXPECT(cusparseXcsrilu02_zeroPivot(handle, lu, &position), OK);
    memcpy(v, given, sizeof given);
    v[2] = -9;
    EXPECT(csric02_analysis[0](handle, 3, 7, how, v, o, c, cholesky, 1, space), OK);
    EXPECT(csric02[0](handle, 3, 7, how, v, o, c, cholesky, 1, space), OK);
    EXPECT(cusparseXcsric02_zeroPivot(handle, cholesky, &position), ZERO_PIVOT);
    EXPECT(position, 1);
    c[2] = 0; /* no diagonal in row 1 */
    EXPECT(csric02_analysis[0](handle, 3, 7, how, v, o, c, cholesky, 1, space), OK);
    EXPECT(cusparseXcsric02_zeroPivot(handle, cholesky, &position), ZERO_PIVOT);
    EXPECT(position, 1);
    EXPECT(csric02_analysis[0](handle, -3, 7, how, v, o, c, cholesky, 1, space), INVALID);
    EXPECT(csric02_analysis[0](NULL, 3, 7, how, v, o, c, cholesky, 1, space), NOT_INITIALIZED);
    EXPECT(csric02_analysis[0](handle, 3, 7, how, v, o, c, NULL, 1, space), INVALID);
    EXPECT(csrilu02_numericBoost[0](NULL, lu, 1, &limit, &boost), NOT_INITIALIZED);
    EXPECT(csrilu02_numericBoost[0](handle, NULL, 1, &limit, &boost), INVALID);
    EXPECT(bsrilu02_numericBoost[0](handle, lu, 1, NULL, &boost), 7);
    EXPECT(bsrilu02_analysis[0](handle, 4, 1, 1, how, v, o, c, 2, lu, 1, space), INVALID);
    EXPECT(bsrilu02_analysis[0](handle, 0, 1, 1, how, v, o, c, 0, lu, 1, space), INVALID);
    EXPECT(cusparseDestroyCsrilu02Info(lu), OK);
    EXPECT(cusparseDestroyCsric02Info(cholesky), OK);
}

/* ---- triangles and products of blocks ---- */

static number at(const struct matrix *a, int row, int column, int op)
{
    return op ? turned(a->is[column][row], op) : a->is[row][column];
}

static void check_triangle(int t, int direction, int op, int how, int op_x)
{
    enum { BLOCK = 3 };
    const int type = types[t], is_upper = how & 1, is_unit = how >> 1, base = random_below(2),
              ld = op_x ? WIDE : SIZE;
    struct matrix a = any_matrix(type, BLOCK, false);
    struct arrays is = store(&a, type, BLOCK, BLOCK, direction, base);
    void *by = description(base, is_upper, is_unit), *vector = NULL, *many = NULL,
         *x = managed(SIZE * 64), *y = managed(SIZE * 64);
    number alpha[1] = {0};
    int size = 0, position = -5;
    put(alpha, type, 0, 2);
    for (int i = 0; i < SIZE * WIDE; i++)
        put(x, type, i, any_value(type));
    EXPECT(cusparseCreateBsrsv2Info(&vector), OK);
    EXPECT(cusparseCreateBsrsm2Info(&many), OK);
    EXPECT(bsrsm2_bufferSize[t](handle, direction, op, op_x, SIZE / BLOCK, WIDE, is.count, by,
                                is.values, is.offsets, is.indices, BLOCK, many, &size),
           OK);
    EXPECT(bsrsm2_analysis[t](handle, direction, op, op_x, SIZE / BLOCK, WIDE, is.count, by,
                              is.values, is.offsets, is.indices, BLOCK, many, 1, space),
           OK);
    EXPECT(bsrsv2_bufferSize[t](handle, direction, op, SIZE / BLOCK, is.count, by, is.values,
                                is.offsets, is.indices, BLOCK, vector, &size),
           OK);
    EXPECT(bsrsv2_analysis[t](handle, direction, op, SIZE / BLOCK, is.count, by, is.values,
                              is.offsets, is.indices, BLOCK, vector, 1, space),
           OK);
    for (int round = 0; round < 2; round++) { /* of a vector, and of some */
        const int columns = round ? WIDE : 1, row_step = round && op_x ? ld : 1,
                  column_step = round && op_x ? 1 : SIZE;
        int wrong = 0;
        if (round)
            EXPECT(bsrsm2_solve[t](handle, direction, op, op_x, SIZE / BLOCK, WIDE, is.count, alpha,
                                   by, is.values, is.offsets, is.indices, BLOCK, many, x, ld, y, ld,
                                   1, space),
                   OK);
        else
            EXPECT(bsrsv2_solve[t](handle, direction, op, SIZE / BLOCK, is.count, alpha, by,
                                   is.values, is.offsets, is.indices, BLOCK, vector, x, y, 1,
                                   space),
                   OK);
        for (int i = 0; i < SIZE * columns; i++) {
            const int row = i % SIZE, column = i / SIZE;
            number sum = 0;
            double largest = 1;
            for (int k = 0; k < SIZE; k++) {
                const int r = op ? k : row, c = op ? row : k;
                number value = (is_upper ? r <= c : r >= c) ? turned(a.is[r][c], op) : 0,
                       got = get(y, type, k * row_step + column * column_step);
                sum += (r == c && is_unit ? 1 : value) * got;
                largest = fmax(largest, cabs(value * got));
            }
            wrong += !(cabs(sum - 2 * get(x, type, row * row_step + column * column_step)) <=
                       largest * tolerance(type));
        }
        EXPECT_NUMBERS(wrong, "triangle type %d direction %d op %d how %d, %d", type, direction, op,
                       how, round);
    }
    EXPECT(cusparseXbsrsv2_zeroPivot(handle, vector, &position), OK);
    EXPECT(cusparseXbsrsm2_zeroPivot(handle, many, &position), OK);
    if (!is_unit) {
        put(is.values, type, place(&is, 0, 0, 0), 0);
        is.indices[0] = base;
        EXPECT(bsrsv2_solve[t](handle, direction, op, SIZE / BLOCK, is.count, alpha, by, is.values,
                               is.offsets, is.indices, BLOCK, vector, x, y, 1, space),
               OK);
        EXPECT(cusparseXbsrsv2_zeroPivot(handle, vector, &position), ZERO_PIVOT);
        EXPECT(position, base);
    }
    EXPECT(bsrsv2_solve[t](handle, direction, op, SIZE / BLOCK, is.count, NULL, by, is.values,
                           is.offsets, is.indices, BLOCK, vector, x, y, 1, space),
           INVALID);
    EXPECT(cusparseDestroyBsrsv2Info(vector), OK);
    EXPECT(cusparseDestroyBsrsm2Info(many), OK);
    cudaFree(x);
    cudaFree(y);
    release(&is);
}

static void check_products(int t, int direction)
{
    enum { BLOCK = 3 };
    const int type = types[t], base = random_below(2);
    struct matrix a = any_matrix(type, BLOCK, false);
    struct arrays is = store(&a, type, BLOCK, BLOCK, direction, base);
    void *how = description(base, 0, 0), *x = managed(SIZE * 64), *y = managed(SIZE * 64);
    int *mask = managed(8), wrong = 0;
    number alpha[1] = {0}, beta[1] = {0}, before[SIZE * WIDE];
    put(alpha, type, 0, 2);
    put(beta, type, 0, -1);
    mask[0] = 2 + base;
    for (int call = 0; call < 4; call++) { /* mv, xmv, mm, mm turned */
        const int columns = call < 2 ? 1 : WIDE, row_step = call == 3 ? WIDE : 1,
                  column_step = call == 3 ? 1 : SIZE;
        for (int i = 0; i < SIZE * WIDE; i++) {
            put(x, type, i, any_value(type));
            put(y, type, i, before[i] = any_value(type));
        }
        if (call == 0)
            EXPECT(bsrmv[t](handle, direction, PLAIN, SIZE / BLOCK, SIZE / BLOCK, is.count, alpha,
                            how, is.values, is.offsets, is.indices, BLOCK, x, beta, y),
                   OK);
        else if (call == 1)
            EXPECT(bsrxmv[t](handle, direction, PLAIN, 1, SIZE / BLOCK, SIZE / BLOCK, is.count,
                             alpha, how, is.values, mask, is.offsets, is.offsets + 1, is.indices,
                             BLOCK, x, beta, y),
                   OK);
        else
            EXPECT(bsrmm[t](handle, direction, PLAIN, call == 3, SIZE / BLOCK, WIDE, SIZE / BLOCK,
                            is.count, alpha, how, is.values, is.offsets, is.indices, BLOCK, x,
                            call == 3 ? WIDE : SIZE, beta, y, SIZE),
                   OK);
        for (int i = 0; i < SIZE * columns; i++) {
            number sum = 0;
            for (int k = 0; k < SIZE; k++)
                sum += at(&a, i % SIZE, k, PLAIN) *
                       get(x, type, k * row_step + i / SIZE * column_step);
            bool is_masked = call == 1 && i / BLOCK != 2;
            wrong += get(y, type, i) != (is_masked ? before[i] : 2 * sum - before[i]);
        }
    }
    EXPECT_NUMBERS(wrong, "products of blocks, type %d direction %d", type, direction);
    EXPECT(bsrmv[t](NULL, direction, PLAIN, 1, 1, 1, alpha, how, is.values, is.offsets, is.indices,
                    BLOCK, x, beta, y),
           NOT_INITIALIZED);
    EXPECT(bsrmv[t](handle, direction, TRANSPOSE, 1, 1, 1, alpha, how, is.values, is.offsets,
                    is.indices, BLOCK, x, beta, y),
           INVALID);
    EXPECT(bsrmv[t](handle, 5, PLAIN, 1, 1, 1, alpha, how, is.values, is.offsets, is.indices, BLOCK,
                    x, beta, y),
           INVALID);
    EXPECT(bsrmv[t](handle, direction, PLAIN, -1, 1, 1, alpha, how, is.values, is.offsets,
                    is.indices, BLOCK, x, beta, y),
           INVALID);
    EXPECT(bsrmv[t](handle, direction, PLAIN, 1, 1, 1, alpha, how, is.values, is.offsets,
                    is.indices, 1, x, beta, y),
           INVALID);
    EXPECT(bsrmm[t](handle, direction, PLAIN, CONJUGATE, 1, 1, 1, 1, alpha, how, is.values,
                    is.offsets, is.indices, BLOCK, x, SIZE, beta, y, SIZE),
           INVALID);
    release(&is);
    cudaFree(x);
    cudaFree(y);
    cudaFree(mask);
}

/* ---- conversions ---- */

static void expect_same(const struct arrays *got, const struct matrix *wanted, int type,
                        const char *call)
{
    struct matrix is = load(got, type);
    int wrong = 0;
    for (int i = 0; i < SIZE * SIZE; i++) {
        const int row = i / SIZE, column = i % SIZE;
        wrong += is.is[row][column] != wanted->is[row][column] ||
                 (wanted->has[row][column] && !is.has[row][column]);
    }
    EXPECT_NUMBERS(wrong, "%s of type %d", call, type);
}

static void check_conversions(int t, int direction)
{
    const int type = types[t];
    struct matrix a = any_matrix(type, 1, false);
    struct arrays rows = store(&a, type, 1, 1, 0, 1), wide = store(&a, type, 2, 3, direction, 0);
    struct arrays blocks = fresh(4, 4, direction, 0), general = fresh(2, 3, direction, 0);
    struct arrays other = fresh(3, 2, direction, 1), back = fresh(1, 1, 0, 1),
                  again = fresh(1, 1, 0, 0), by_column = fresh(3, 2, direction, 0);
    void *one = description(1, 0, 0), *zero = description(0, 0, 0);
    int size = 0;
    EXPECT(cusparseXcsr2bsrNnz(handle, direction, SIZE, SIZE, one, rows.offsets, rows.indices, 4,
                               zero, blocks.offsets, &blocks.count),
           OK);
    EXPECT(csr2bsr[t](handle, direction, SIZE, SIZE, one, rows.values, rows.offsets, rows.indices,
                      4, zero, blocks.values, blocks.offsets, blocks.indices),
           OK);
    EXPECT(blocks.count, blocks.offsets[SIZE / 4]);
    expect_same(&blocks, &a, type, "csr2bsr");
    EXPECT(bsr2csr[t](handle, direction, SIZE / 4, SIZE / 4, zero, blocks.values, blocks.offsets,
                      blocks.indices, 4, one, back.values, back.offsets, back.indices),
           OK);
    EXPECT(back.offsets[SIZE] - 1, blocks.count * 16);
    expect_same(&back, &a, type, "bsr2csr");
    EXPECT(csr2gebsr_bufferSize[t](handle, direction, SIZE, SIZE, one, rows.values, rows.offsets,
                                   rows.indices, 2, 3, &size),
           OK);
    EXPECT(cusparseXcsr2gebsrNnz(handle, direction, SIZE, SIZE, one, rows.offsets, rows.indices,
                                 zero, general.offsets, 2, 3, &general.count, space),
           OK);
    EXPECT(csr2gebsr[t](handle, direction, SIZE, SIZE, one, rows.values, rows.offsets, rows.indices,
                        zero, general.values, general.offsets, general.indices, 2, 3, space),
           OK);
    EXPECT(general.count, wide.count);
    EXPECT(memcmp(general.offsets, wide.offsets, (SIZE / 2 + 1) * sizeof(int)), 0);
    EXPECT(memcmp(general.indices, wide.indices, (size_t)wide.count * sizeof(int)), 0);
    EXPECT(memcmp(general.values, wide.values, (size_t)wide.count * 6 * bytes_of(type)), 0);
    EXPECT(gebsr2csr[t](handle, direction, SIZE / 2, SIZE / 3, zero, wide.values, wide.offsets,
                        wide.indices, 2, 3, zero, again.values, again.offsets, again.indices),
           OK);
    EXPECT(again.offsets[SIZE], wide.count * 6);
    expect_same(&again, &a, type, "gebsr2csr");
    EXPECT(gebsr2gebsr_bufferSize[t](handle, direction, SIZE / 2, SIZE / 3, wide.count, zero,
                                     wide.values, wide.offsets, wide.indices, 2, 3, 3, 2, &size),
           OK);
    EXPECT(cusparseXgebsr2gebsrNnz(handle, direction, SIZE / 2, SIZE / 3, wide.count, zero,
                                   wide.offsets, wide.indices, 2, 3, one, other.offsets, 3, 2,
                                   &other.count, space),
           OK);
    EXPECT(gebsr2gebsr[t](handle, direction, SIZE / 2, SIZE / 3, wide.count, zero, wide.values,
                          wide.offsets, wide.indices, 2, 3, one, other.values, other.offsets,
                          other.indices, 3, 2, space),
           OK);
    EXPECT(other.count, other.offsets[SIZE / 3] - 1);
    expect_same(&other, &a, type, "gebsr2gebsr");
    EXPECT(gebsr2gebsc_bufferSize[t](handle, SIZE / 2, SIZE / 3, wide.count, wide.values,
                                     wide.offsets, wide.indices, 2, 3, &size),
           OK);
    EXPECT(size >= wide.count * 8, 1);
    EXPECT(gebsr2gebsc[t](handle, SIZE / 2, SIZE / 3, wide.count, wide.values, wide.offsets,
                          wide.indices, 2, 3, by_column.values, by_column.indices,
                          by_column.offsets, 1, 0, space),
           OK);
    int wrong = by_column.offsets[SIZE / 3] != wide.count;
    for (int column = 0; column < SIZE / 3; column++)
        for (int e = by_column.offsets[column]; e < by_column.offsets[column + 1]; e++)
            for (int f = wide.offsets[by_column.indices[e]];
                 f < wide.offsets[by_column.indices[e] + 1]; f++)
                if (wide.indices[f] == column)
                    wrong += memcmp((char *)by_column.values + (size_t)e * 6 * bytes_of(type),
                                    (char *)wide.values + (size_t)f * 6 * bytes_of(type),
                                    6 * bytes_of(type)) != 0;
    EXPECT_NUMBERS(wrong, "gebsr2gebsc of type %d", type);
    EXPECT(cusparseXcsr2bsrNnz(handle, direction, SIZE, SIZE, one, rows.offsets, rows.indices, 0,
                               zero, blocks.offsets, &size),
           INVALID);
    EXPECT(cusparseXcsr2bsrNnz(handle, direction, SIZE, SIZE, one, rows.offsets, rows.indices,
                               SIZE + 1, zero, blocks.offsets, &size),
           INVALID);
    EXPECT(cusparseXcsr2bsrNnz(NULL, direction, SIZE, SIZE, one, rows.offsets, rows.indices, 2,
                               zero, blocks.offsets, &size),
           NOT_INITIALIZED);
    EXPECT(cusparseXcsr2bsrNnz(handle, direction, -1, SIZE, one, rows.offsets, rows.indices, 2,
                               zero, blocks.offsets, &size),
           INVALID);
    struct arrays *all[] = {&rows, &wide, &blocks, &general, &other, &back, &again, &by_column};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        release(all[i]);
}

int main(void)
{
    EXPECT(cusparseCreate(&handle), OK);
    space = managed(1 << 16);
    for (int t = 0; t < 4; t++)
        for (int direction = 0; direction < 2; direction++) {
            for (int block = 1; block < 4; block++) {
                check_factors(t, block, direction, false);
                check_factors(t, block, direction, true);
            }
            for (int how = 0; how < 4; how++)
                for (int op = 0; op < 3; op++)
                    check_triangle(t, direction, op, how, random_below(2));
            check_products(t, direction);
            check_conversions(t, direction);
        }
    test_pivots();
    EXPECT(cusparseDestroy(handle), OK);
    return failures != 0;
}
