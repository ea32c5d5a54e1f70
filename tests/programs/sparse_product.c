/* Calls of cuSPARSE that multiply two sparse matrices, against sums made here. Values are eighths
 * of small numbers, so that sums are exact in any order. */
#include <math.h>
#include <stdbool.h>

#include "runtime.h"

enum { OK = 0, INVALID = 3, NOT_SUPPORTED = 10, INSUFFICIENT = 11 };
enum { FLOAT = 0, DOUBLE = 1, HALF = 2, INDEX_32 = 2, INDEX_64 = 3, PLAIN = 0, TRANSPOSE = 1 };
enum { DEFAULT = 0, ALG1 = 3, ALG2 = 4, ALG3 = 5 };

int cusparseCreate(void **handle);
int cusparseDestroy(void *handle);
int cusparseCreateCsr(void **made, int64_t rows, int64_t columns, int64_t count, void *offsets,
                      void *column_indices, void *values, int offset_type, int column_type,
                      int base, int type);
int cusparseCreateCsc(void **made, int64_t rows, int64_t columns, int64_t count, void *offsets,
                      void *rows_indices, void *values, int offset_type, int column_type, int base,
                      int type);
int cusparseDestroySpMat(void *matrix);
int cusparseCsrSetPointers(void *matrix, void *offsets, void *columns, void *values);
int cusparseSpMatGetSize(const void *matrix, int64_t *rows, int64_t *columns, int64_t *count);
const char *cusparseGetErrorName(int status);

#define ARGUMENTS                                                                            \
    void *handle, int op_a, int op_b, const void *alpha, void *a, void *b, const void *beta, \
        void *c, int compute_type, int algorithm, void *description
int cusparseSpGEMM_createDescr(void **made);
int cusparseSpGEMM_destroyDescr(void *description);
int cusparseSpGEMM_workEstimation(ARGUMENTS, size_t *size, void *space);
int cusparseSpGEMM_getNumProducts(void *description, int64_t *count);
int cusparseSpGEMM_estimateMemory(ARGUMENTS, float fraction, size_t *size, void *space,
                                  size_t *product_size);
int cusparseSpGEMM_compute(ARGUMENTS, size_t *size, void *space);
int cusparseSpGEMM_copy(ARGUMENTS);
#define PATTERN \
    void *handle, int op_a, int op_b, void *a, void *b, void *c, int algorithm, void *work
int cusparseSpGEMMreuse_workEstimation(PATTERN, size_t *size, void *space);
int cusparseSpGEMMreuse_nnz(PATTERN, size_t *size, void *space, size_t *other_size,
                            void *other_space, size_t *product_size, void *product_space);
int cusparseSpGEMMreuse_copy(PATTERN, size_t *size, void *space);
int cusparseSpGEMMreuse_compute(ARGUMENTS);

static void *handle;
static uint32_t state = 1;

static int random_below(int limit)
{
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (unsigned)limit);
}

/* ---- matrices ---- */

/* How a matrix is stored. */
struct form {
    int type, offset_type, column_type, base;
};

enum { ROW_LIMIT = 60, ROW_ELEMENTS = 40 };

struct matrix {
    struct form form;
    int row_count, column_count, element_count;
    int offsets[ROW_LIMIT + 1], columns[ROW_LIMIT * ROW_ELEMENTS];
    double values[ROW_LIMIT * ROW_ELEMENTS];
    void *device_offsets, *device_columns, *device_values; /* managed memory */
    void *description;
};

static void *managed(size_t bytes)
{
    void *made = NULL;
    EXPECT(cudaMallocManaged(&made, bytes + 8, 1), 0);
    return made;
}

static void put_index(void *to, int type, int at, int64_t value)
{
    if (type == INDEX_64)
        ((int64_t *)to)[at] = value;
    else
        ((int *)to)[at] = (int)value;
}

static int64_t index_at(const void *from, int type, int at)
{
    return type == INDEX_64 ? ((const int64_t *)from)[at] : ((const int *)from)[at];
}

static void put_value(void *to, int type, int at, double value)
{
    if (type == DOUBLE)
        ((double *)to)[at] = value;
    else
        ((float *)to)[at] = (float)value;
}

static double value_at(const void *from, int type, int at)
{
    return type == DOUBLE ? ((const double *)from)[at] : (double)((const float *)from)[at];
}

/* Copies what the matrix holds to where its calls read it. */
static void store(struct matrix *self)
{
    const struct form *form = &self->form;
    self->device_offsets = managed((size_t)(self->row_count + 1) * 8);
    self->device_columns = managed((size_t)self->element_count * 8);
    self->device_values = managed((size_t)self->element_count * 8);
    for (int i = 0; i <= self->row_count; i++)
        put_index(self->device_offsets, form->offset_type, i, self->offsets[i] + form->base);
    for (int i = 0; i < self->element_count; i++) {
        put_index(self->device_columns, form->column_type, i, self->columns[i] + form->base);
        put_value(self->device_values, form->type, i, self->values[i]);
    }
    EXPECT(cusparseCreateCsr(&self->description, self->row_count, self->column_count,
                             self->element_count, self->device_offsets, self->device_columns,
                             self->device_values, form->offset_type, form->column_type, form->base,
                             form->type),
           OK);
}

/* Each row of up to `most` elements in any order, some of them twice; one row in four is empty. */
static void make_random(struct matrix *self, struct form form, int row_count, int column_count,
                        int most)
{
    *self = (struct matrix){.form = form, .row_count = row_count, .column_count = column_count};
    for (int row = 0; row < row_count; row++) {
        int count = random_below(4) && column_count ? random_below(most + 1) : 0;
        for (int i = 0; i < count; i++) {
            self->columns[self->element_count] = random_below(column_count);
            self->values[self->element_count++] = (random_below(33) - 16) / 8.0;
        }
        self->offsets[row + 1] = self->element_count;
    }
    store(self);
}

static void release(struct matrix *self)
{
    EXPECT(cusparseDestroySpMat(self->description), OK);
    EXPECT(cudaFree(self->device_offsets), 0);
    EXPECT(cudaFree(self->device_columns), 0);
    EXPECT(cudaFree(self->device_values), 0);
}

/* ---- products ---- */

struct factors {
    union {
        float s;
        double d;
    } alpha, beta;
};

static struct factors factors(int type, double alpha, double beta)
{
    struct factors made = {0};
    put_value(&made.alpha, type, 0, alpha);
    put_value(&made.beta, type, 0, beta);
    return made;
}

/* What all calls are given. */
struct call {
    void *handle;
    int op_a, op_b;
    const void *alpha;
    void *a, *b;
    const void *beta;
    void *c;
    int compute_type, algorithm;
    void *work;
};
#define AS_GIVEN(g)                                                                             \
    (g).handle, (g).op_a, (g).op_b, (g).alpha, (g).a, (g).b, (g).beta, (g).c, (g).compute_type, \
        (g).algorithm, (g).work

/* Row `row` of a * b: sums by column, and which columns are there at all. */
static void multiply_row(const struct matrix *a, const struct matrix *b, int row, double *sums,
                         bool *is_there)
{
    for (int column = 0; column < b->column_count; column++)
        sums[column] = 0, is_there[column] = false;
    for (int e = a->offsets[row]; e < a->offsets[row + 1]; e++) {
        const int inner = a->columns[e];
        for (int f = b->offsets[inner]; f < b->offsets[inner + 1]; f++) {
            sums[b->columns[f]] += a->values[e] * b->values[f];
            is_there[b->columns[f]] = true;
        }
    }
}

/* What c was before: the value of its element `at`. */
static double old_value(int at)
{
    return (at * 7 % 23 - 11) / 4.0;
}

/* The elements of c are alpha * a * b + beta * its old ones; gives how many there are. */
static int check_result(const struct matrix *a, const struct matrix *b, const struct matrix *c,
                        double alpha, double beta)
{
    double sums[ROW_LIMIT];
    bool is_there[ROW_LIMIT];
    const struct form *form = &c->form;
    int at = 0, wrong = 0;
    wrong += index_at(c->device_offsets, form->offset_type, 0) != form->base;
    for (int row = 0; row < a->row_count; row++) {
        multiply_row(a, b, row, sums, is_there);
        for (int column = 0; column < b->column_count; column++) {
            if (!is_there[column])
                continue;
            double expected = alpha * sums[column] + (beta == 0 ? 0 : beta * old_value(at));
            wrong += index_at(c->device_columns, form->column_type, at) != column + form->base;
            wrong += value_at(c->device_values, form->type, at) != expected;
            at++;
        }
        wrong += index_at(c->device_offsets, form->offset_type, row + 1) != at + form->base;
    }
    EXPECT(wrong, 0);
    return at;
}

static int64_t count_products(const struct matrix *a, const struct matrix *b)
{
    int64_t count = 0;
    for (int e = 0; e < a->element_count; e++)
        count += b->offsets[a->columns[e] + 1] - b->offsets[a->columns[e]];
    return count;
}

/* c's places, once the number of its elements is known. */
static void give_places(struct matrix *c, int type)
{
    int64_t rows = 0, columns = 0, count = 0;
    EXPECT(cusparseSpMatGetSize(c->description, &rows, &columns, &count), OK);
    EXPECT(rows == c->row_count && columns == c->column_count, 1);
    c->element_count = (int)count;
    c->device_columns = managed((size_t)count * 8);
    c->device_values = managed((size_t)count * 8);
    for (int i = 0; i < c->element_count; i++)
        put_value(c->device_values, type, i, old_value(i));
    EXPECT(cusparseCsrSetPointers(c->description, c->device_offsets, c->device_columns,
                                  c->device_values),
           OK);
}

/* The first buffer is freed as soon as may be; the second computes twice. */
static void check_product(const struct matrix *a, const struct matrix *b, struct form form,
                          int algorithm, double alpha, double beta)
{
    struct matrix c = {.form = form, .row_count = a->row_count, .column_count = b->column_count};
    const struct factors by = factors(form.type, alpha, beta);
    void *work = NULL, *space, *computed;
    size_t size = 0, computed_size = 0;
    int64_t count = -1;
    c.device_offsets = managed((size_t)(c.row_count + 1) * 8);
    EXPECT(cusparseCreateCsr(&c.description, c.row_count, c.column_count, 0, NULL, NULL, NULL,
                             form.offset_type, form.column_type, form.base, form.type),
           OK);
    EXPECT(cusparseSpGEMM_createDescr(&work), OK);
    const struct call call = {handle,         PLAIN,          PLAIN,    &by.alpha,
                              a->description, b->description, &by.beta, c.description,
                              form.type,      algorithm,      work};
    EXPECT(cusparseSpGEMM_workEstimation(AS_GIVEN(call), &size, NULL), OK);
    space = managed(size);
    EXPECT(cusparseSpGEMM_workEstimation(AS_GIVEN(call), &size, space), OK);
    EXPECT(cusparseSpGEMM_getNumProducts(work, &count), OK);
    EXPECT(count, count_products(a, b));
    EXPECT(cudaFree(space), 0);
    if (algorithm >= ALG2) {
        EXPECT(cusparseSpGEMM_estimateMemory(AS_GIVEN(call), 0.25f, &size, NULL, NULL), OK);
        space = managed(size);
        EXPECT(cusparseSpGEMM_estimateMemory(AS_GIVEN(call), 0.25f, &size, space, &computed_size),
               OK);
        EXPECT(cudaFree(space), 0);
    } else {
        EXPECT(cusparseSpGEMM_compute(AS_GIVEN(call), &computed_size, NULL), OK);
    }
    computed = managed(computed_size);
    EXPECT(cusparseSpGEMM_compute(AS_GIVEN(call), &computed_size, computed), OK);
    EXPECT(cusparseSpGEMM_compute(AS_GIVEN(call), &computed_size, computed), OK);
    give_places(&c, form.type);
    EXPECT(cusparseSpGEMM_copy(AS_GIVEN(call)), OK);
    EXPECT(check_result(a, b, &c, alpha, beta), c.element_count);
    EXPECT(cusparseSpGEMM_destroyDescr(work), OK);
    EXPECT(cudaFree(computed), 0);
    release(&c);
}

#define PATTERN_GIVEN(g) \
    (g).handle, (g).op_a, (g).op_b, (g).a, (g).b, (g).c, (g).algorithm, (g).work

/* Where the elements of c are, found without the values of a and b; calls out of turn are refused.
 */
static void check_pattern(const struct call *given, struct matrix *c, int type)
{
    size_t sizes[3] = {0};
    void *spaces[3], *space;
    EXPECT(cusparseSpGEMMreuse_nnz(PATTERN_GIVEN(*given), &sizes[0], NULL, &sizes[1], NULL,
                                   &sizes[2], NULL),
           INVALID);
    EXPECT(cusparseSpGEMMreuse_workEstimation(PATTERN_GIVEN(*given), &sizes[0], NULL), OK);
    space = managed(sizes[0]);
    EXPECT(cusparseSpGEMMreuse_workEstimation(PATTERN_GIVEN(*given), &sizes[0], space), OK);
    EXPECT(cusparseSpGEMMreuse_copy(PATTERN_GIVEN(*given), &sizes[0], NULL), INVALID);
    EXPECT(cusparseSpGEMMreuse_nnz(PATTERN_GIVEN(*given), &sizes[0], NULL, &sizes[1], NULL,
                                   &sizes[2], NULL),
           OK);
    for (int i = 0; i < 3; i++)
        spaces[i] = managed(sizes[i]);
    EXPECT(cusparseSpGEMMreuse_nnz(PATTERN_GIVEN(*given), &sizes[0], spaces[0], &sizes[1], NULL,
                                   &sizes[2], spaces[2]),
           INVALID);
    EXPECT(cusparseSpGEMMreuse_nnz(PATTERN_GIVEN(*given), &sizes[0], spaces[0], &sizes[1],
                                   spaces[1], &sizes[2], spaces[2]),
           OK);
    EXPECT(cudaFree(spaces[0]), 0);
    EXPECT(cudaFree(space), 0);
    give_places(c, type);
    EXPECT(cusparseSpGEMMreuse_compute(AS_GIVEN(*given)), INVALID);
    EXPECT(cusparseSpGEMMreuse_copy(PATTERN_GIVEN(*given), &sizes[0], NULL), OK);
    space = managed(sizes[0]);
    EXPECT(cusparseSpGEMMreuse_copy(PATTERN_GIVEN(*given), &sizes[0], space), OK);
    EXPECT(cudaFree(spaces[1]), 0);
    EXPECT(cudaFree(spaces[2]), 0);
    EXPECT(cudaFree(space), 0);
}

static void set_values(const struct matrix *self, void *values)
{
    EXPECT(cusparseCsrSetPointers(self->description, self->device_offsets, self->device_columns,
                                  values),
           OK);
}

/* Values of several products, whose elements are at the same places. With beta 0 those of c are not
 * read. */
static void check_reuse(struct matrix *a, const struct matrix *b, struct form form, int algorithm)
{
    struct matrix c = {.form = form, .row_count = a->row_count, .column_count = b->column_count};
    struct factors by = factors(form.type, 0.5, 0);
    void *work = NULL;
    c.device_offsets = managed((size_t)(c.row_count + 1) * 8);
    EXPECT(cusparseCreateCsr(&c.description, c.row_count, c.column_count, 0, NULL, NULL, NULL,
                             form.offset_type, form.column_type, form.base, form.type),
           OK);
    EXPECT(cusparseSpGEMM_createDescr(&work), OK);
    const struct call call = {handle,         PLAIN,          PLAIN,    &by.alpha,
                              a->description, b->description, &by.beta, c.description,
                              form.type,      algorithm,      work};
    set_values(a, NULL);
    set_values(b, NULL);
    check_pattern(&call, &c, form.type);
    set_values(a, a->device_values);
    set_values(b, b->device_values);
    for (int i = 0; i < 3; i++) {
        const double beta = i ? -2 : 0;
        by = factors(form.type, 0.5, beta);
        for (int e = 0; e < a->element_count; e++) {
            a->values[e] += i;
            put_value(a->device_values, form.type, e, a->values[e]);
        }
        for (int e = 0; e < c.element_count; e++)
            put_value(c.device_values, form.type, e, i ? old_value(e) : NAN);
        EXPECT(cusparseSpGEMMreuse_compute(AS_GIVEN(call)), OK);
        EXPECT(check_result(a, b, &c, 0.5, beta), c.element_count);
    }
    EXPECT(cusparseSpGEMM_copy(AS_GIVEN(call)), INVALID); /* which nothing was computed for */
    EXPECT(cusparseSpGEMM_destroyDescr(work), OK);
    release(&c);
}

static struct form random_form(int type)
{
    return (struct form){type, INDEX_32 + random_below(2), INDEX_32 + random_below(2),
                         random_below(2)};
}

static void test_random(void)
{
    static const int algorithms[] = {DEFAULT, ALG1, ALG2, ALG3};
    static struct matrix a, b;
    for (int i = 0; i < 64; i++) {
        const int type = i % 2 ? DOUBLE : FLOAT;
        const int rows = random_below(ROW_LIMIT), inner = random_below(ROW_LIMIT),
                  columns = random_below(ROW_LIMIT), most = 1 + random_below(ROW_ELEMENTS);
        make_random(&a, random_form(type), rows, inner, most);
        make_random(&b, random_form(type), inner, columns, most);
        check_product(&a, &b, random_form(type), algorithms[i / 2 % 4], 0.5, i % 3 ? 0 : -2);
        check_reuse(&a, &b, random_form(type), i / 2 % 3);
        release(&a);
        release(&b);
    }
}

/* Nothing to multiply, in each way there is. */
static void test_empty(void)
{
    static const int sizes[][3] = {{0, 5, 5}, {5, 0, 5}, {5, 5, 0}, {0, 0, 0}, {5, 5, 5}};
    static struct matrix a, b;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int most = 0; most < 6; most += 5) {
            make_random(&a, (struct form){FLOAT, INDEX_32, INDEX_32, 0}, sizes[i][0], sizes[i][1],
                        most);
            make_random(&b, (struct form){FLOAT, INDEX_32, INDEX_32, 0}, sizes[i][1], sizes[i][2],
                        5 - most);
            check_product(&a, &b, (struct form){FLOAT, INDEX_32, INDEX_32, 1}, DEFAULT, 1, 1);
            check_reuse(&a, &b, (struct form){FLOAT, INDEX_32, INDEX_32, 1}, DEFAULT);
            release(&a);
            release(&b);
        }
    }
}

/* With beta 0 what c holds is not read: it may be no number. */
static void test_unwritten(void)
{
    static struct matrix a, b;
    const struct form form = {DOUBLE, INDEX_32, INDEX_32, 0};
    const struct factors by = factors(DOUBLE, 1, 0);
    void *work = NULL, *c = NULL, *space = managed(1 << 20);
    double *values = managed(sizeof *values * ROW_LIMIT * ROW_LIMIT);
    void *offsets = managed(1 << 10), *columns = managed(1 << 16);
    size_t size = 1 << 20;
    make_random(&a, form, 30, 30, 8);
    make_random(&b, form, 30, 30, 8);
    memset(values, 0xff, sizeof *values * ROW_LIMIT * ROW_LIMIT);
    EXPECT(
        cusparseCreateCsr(&c, 30, 30, 0, offsets, columns, values, INDEX_32, INDEX_32, 0, DOUBLE),
        OK);
    EXPECT(cusparseSpGEMM_createDescr(&work), OK);
    const struct call call = {handle,   PLAIN, PLAIN,  &by.alpha, a.description, b.description,
                              &by.beta, c,     DOUBLE, DEFAULT,   work};
    EXPECT(cusparseSpGEMM_workEstimation(AS_GIVEN(call), &size, space), OK);
    EXPECT(cusparseSpGEMM_compute(AS_GIVEN(call), &size, space), OK);
    EXPECT(cusparseSpGEMM_copy(AS_GIVEN(call)), OK);
    struct matrix result = {.form = form,
                            .device_offsets = offsets,
                            .device_columns = columns,
                            .device_values = values,
                            .description = c};
    EXPECT(check_result(&a, &b, &result, 1, 0) > 0, 1);
    EXPECT(cusparseSpGEMM_destroyDescr(work), OK);
    EXPECT(cudaFree(space), 0);
    release(&result);
    release(&a);
    release(&b);
}

/* ---- what is wrong ---- */

/* Each of the calls answers that. */
static void check_refused(struct call given, int status, const char *named)
{
    size_t size = 1 << 20, other = 0;
    void *space = managed(size);
    capture_stderr();
    const int estimated = cusparseSpGEMM_workEstimation(AS_GIVEN(given), &size, space);
    const char *note = captured_stderr();
    EXPECT(named ? strstr(note, named) != NULL : !*note, 1);
    EXPECT(estimated, status);
    capture_stderr();
    const int computed = cusparseSpGEMM_compute(AS_GIVEN(given), &size, space);
    const int copied = cusparseSpGEMM_copy(AS_GIVEN(given));
    const int told = cusparseSpGEMM_estimateMemory(AS_GIVEN(given), 0.5f, &size, space, &other);
    const int again = cusparseSpGEMMreuse_compute(AS_GIVEN(given));
    (void)captured_stderr();
    EXPECT(computed, status);
    EXPECT(copied, status);
    EXPECT(told, status);
    EXPECT(again, status);
    EXPECT(cudaFree(space), 0);
}

/* Calls in a wrong order, and buffers that are too small. */
static void check_order(struct call given)
{
    size_t size = 0, other = 0, small = 8;
    int64_t count = 0;
    void *space = managed(1 << 20);
    EXPECT(cusparseSpGEMM_getNumProducts(given.work, &count), INVALID);
    EXPECT(cusparseSpGEMM_compute(AS_GIVEN(given), &size, NULL), INVALID);
    EXPECT(cusparseSpGEMM_compute(AS_GIVEN(given), &size, space), INVALID);
    EXPECT(cusparseSpGEMM_copy(AS_GIVEN(given)), INVALID);
    EXPECT(cusparseSpGEMM_estimateMemory(AS_GIVEN(given), 0.5f, &size, NULL, NULL), INVALID);
    EXPECT(cusparseSpGEMM_workEstimation(AS_GIVEN(given), NULL, NULL), INVALID);
    EXPECT(cusparseSpGEMM_workEstimation(AS_GIVEN(given), &small, space), INSUFFICIENT);
    EXPECT(cusparseSpGEMM_workEstimation(AS_GIVEN(given), &size, NULL), OK);
    EXPECT(cusparseSpGEMM_compute(AS_GIVEN(given), &other, NULL), INVALID);
    EXPECT(cusparseSpGEMM_workEstimation(AS_GIVEN(given), &size, space), OK);
    EXPECT(cusparseSpGEMM_getNumProducts(given.work, NULL), INVALID);
    EXPECT(cusparseSpGEMM_estimateMemory(AS_GIVEN(given), 0.5f, &size, space, NULL), INVALID);
    given.algorithm = ALG3;
    EXPECT(cusparseSpGEMM_estimateMemory(AS_GIVEN(given), 0, &size, NULL, NULL), INVALID);
    EXPECT(cusparseSpGEMM_estimateMemory(AS_GIVEN(given), 1.5f, &size, NULL, NULL), INVALID);
    given.algorithm = DEFAULT;
    EXPECT(cusparseSpGEMM_compute(AS_GIVEN(given), NULL, space), INVALID);
    EXPECT(cusparseSpGEMM_compute(AS_GIVEN(given), &small, space), INSUFFICIENT);
    EXPECT(cusparseSpGEMM_copy(AS_GIVEN(given)), INVALID);
    EXPECT(cusparseSpGEMM_compute(AS_GIVEN(given), &other, NULL), OK);
    other--;
    EXPECT(cusparseSpGEMM_compute(AS_GIVEN(given), &other, space), INSUFFICIENT);
    other++;
    EXPECT(cusparseSpGEMM_compute(AS_GIVEN(given), &other, space), OK);
    EXPECT(cusparseSpGEMM_copy(AS_GIVEN(given)), INVALID); /* c has no places */
    EXPECT(cudaFree(space), 0);
}

static void test_wrong(void)
{
    static struct matrix a, b, other;
    const struct form form = {FLOAT, INDEX_32, INDEX_32, 0};
    const struct factors by = factors(FLOAT, 1, 0);
    void *work = NULL, *c = NULL, *by_column = NULL, *no_places = NULL;
    make_random(&a, form, 20, 30, 8);
    make_random(&b, form, 30, 40, 8);
    make_random(&other, (struct form){DOUBLE, INDEX_32, INDEX_32, 0}, 30, 40, 8);
    EXPECT(cusparseCreateCsr(&c, 20, 40, 0, NULL, NULL, NULL, INDEX_32, INDEX_32, 0, FLOAT), OK);
    EXPECT(cusparseCreateCsr(&no_places, 30, 40, 7, NULL, NULL, NULL, INDEX_32, INDEX_32, 0, FLOAT),
           OK);
    EXPECT(cusparseCreateCsc(&by_column, 30, 40, b.element_count, b.device_offsets,
                             b.device_columns, b.device_values, INDEX_32, INDEX_32, 0, FLOAT),
           OK);
    EXPECT(cusparseSpGEMM_createDescr(NULL), INVALID);
    EXPECT(cusparseSpGEMM_destroyDescr(NULL), OK);
    EXPECT(cusparseSpGEMM_getNumProducts(NULL, &(int64_t){0}), INVALID);
    EXPECT(cusparseSpGEMM_createDescr(&work), OK);
    const struct call right = {handle,   PLAIN, PLAIN, &by.alpha, a.description, b.description,
                               &by.beta, c,     FLOAT, DEFAULT,   work};
#define REFUSED(field, value, status, named) \
    do {                                     \
        struct call given = right;           \
        given.field = value;                 \
        check_refused(given, status, named); \
    } while (0)
    REFUSED(handle, NULL, INVALID, NULL);
    REFUSED(alpha, NULL, INVALID, NULL);
    REFUSED(beta, NULL, INVALID, NULL);
    REFUSED(a, NULL, INVALID, NULL);
    REFUSED(a, b.description, INVALID, NULL); /* sizes */
    REFUSED(b, NULL, INVALID, NULL);
    REFUSED(b, work, INVALID, NULL);
    REFUSED(b, a.description, INVALID, NULL);
    REFUSED(b, other.description, INVALID, NULL);
    REFUSED(b, no_places, INVALID, NULL);
    REFUSED(c, NULL, INVALID, NULL);
    REFUSED(c, a.description, INVALID, NULL);
    REFUSED(work, NULL, INVALID, NULL);
    REFUSED(work, c, INVALID, NULL);
    REFUSED(algorithm, 6, INVALID, NULL);
    REFUSED(compute_type, HALF, NOT_SUPPORTED, "these types of values");
    REFUSED(op_a, TRANSPOSE, NOT_SUPPORTED,
            "cusparseSpGEMM_workEstimation (cuSPARSE) of transposed matrices");
    REFUSED(op_b, TRANSPOSE, NOT_SUPPORTED, NULL); /* which was said already */
    REFUSED(b, by_column, NOT_SUPPORTED, "other than compressed rows");
    check_order(right);
    EXPECT_TEXT(cusparseGetErrorName(INSUFFICIENT), "CUSPARSE_STATUS_INSUFFICIENT_RESOURCES");
    EXPECT(cusparseSpGEMM_destroyDescr(work), OK);
    EXPECT(cusparseDestroySpMat(c), OK);
    EXPECT(cusparseDestroySpMat(no_places), OK);
    EXPECT(cusparseDestroySpMat(by_column), OK);
    release(&a);
    release(&b);
    release(&other);
}

int main(void)
{
    EXPECT(cusparseCreate(&handle), OK);
    test_random();
    test_empty();
    test_unwritten();
    test_wrong();
    EXPECT(cusparseDestroy(handle), OK);
    return failures != 0;
}
