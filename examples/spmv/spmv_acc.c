/* y = A * x with a sparse matrix in CSR format, in OpenACC C: the 27-point operator on a cube of
 * EDGE^3 points. The four forms map loops to gangs, workers and vectors in different ways; spmv.cu
 * says the same with blocks and warps.
 *
 * usage: spmv_acc FORM [EDGE] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct matrix {
    int rows, entries;
    int *starts; /* of the rows' entries, and of what is behind the last */
    int *columns;
    double *values;
};

static void thread_per_row(int rows, int entries, const int *restrict starts,
                           const int *restrict columns, const double *restrict values,
                           const double *restrict x, double *restrict y)
{
#pragma acc parallel loop present( \
    starts[:rows + 1], columns[:entries], values[:entries], x[:rows], y[:rows])
    for (int row = 0; row < rows; row++) {
        double sum = 0;
#pragma acc loop seq
        for (int k = starts[row]; k < starts[row + 1]; k++)
            sum += values[k] * x[columns[k]];
        y[row] = sum;
    }
}

/* A row has at most 27 entries: 101 of the 128 threads have nothing to do but to take part in the
 * reduction. */
static void vector_of_128(int rows, int entries, const int *restrict starts,
                          const int *restrict columns, const double *restrict values,
                          const double *restrict x, double *restrict y)
{
#pragma acc parallel loop gang vector_length(128) \
    present(starts[:rows + 1], columns[:entries], values[:entries], x[:rows], y[:rows])
    for (int row = 0; row < rows; row++) {
        double sum = 0;
#pragma acc loop vector reduction(+ : sum)
        for (int k = starts[row]; k < starts[row + 1]; k++)
            sum += values[k] * x[columns[k]];
        y[row] = sum;
    }
}

static void vector_of_32(int rows, int entries, const int *restrict starts,
                         const int *restrict columns, const double *restrict values,
                         const double *restrict x, double *restrict y)
{
#pragma acc parallel loop gang vector_length(32) \
    present(starts[:rows + 1], columns[:entries], values[:entries], x[:rows], y[:rows])
    for (int row = 0; row < rows; row++) {
        double sum = 0;
#pragma acc loop vector reduction(+ : sum)
        for (int k = starts[row]; k < starts[row + 1]; k++)
            sum += values[k] * x[columns[k]];
        y[row] = sum;
    }
}

static void gang_worker_vector(int rows, int entries, const int *restrict starts,
                               const int *restrict columns, const double *restrict values,
                               const double *restrict x, double *restrict y)
{
#pragma acc parallel loop gang worker num_workers(4) vector_length(32) \
    present(starts[:rows + 1], columns[:entries], values[:entries], x[:rows], y[:rows])
    for (int row = 0; row < rows; row++) {
        double sum = 0;
#pragma acc loop vector reduction(+ : sum)
        for (int k = starts[row]; k < starts[row + 1]; k++)
            sum += values[k] * x[columns[k]];
        y[row] = sum;
    }
}

static const struct form {
    const char *what;
    void (*run)(int, int, const int *, const int *, const double *, const double *, double *);
} forms[] = {
    {"a thread per row", thread_per_row},
    {"a vector of 128 per row", vector_of_128},
    {"a vector of 32 per row", vector_of_32},
    {"a vector of 32 per row, four workers a gang", gang_worker_vector},
};
enum { FORM_COUNT = sizeof forms / sizeof *forms };

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory) {
        fprintf(stderr, "spmv_acc: out of memory\n");
        exit(1);
    }
    return memory;
}

static void add_row(struct matrix *a, int edge, int x, int y, int z)
{
    for (int k = 0; k < 27; k++) {
        int other_x = x + k % 3 - 1, other_y = y + k / 3 % 3 - 1, other_z = z + k / 9 - 1;
        if (other_x < 0 || other_y < 0 || other_z < 0 || other_x >= edge || other_y >= edge ||
            other_z >= edge)
            continue;
        a->columns[a->entries] = (other_z * edge + other_y) * edge + other_x;
        a->values[a->entries++] = k == 13 ? 27.0 : -1.0;
    }
    a->starts[++a->rows] = a->entries;
}

static struct matrix make_matrix(int edge)
{
    struct matrix a = {0};
    size_t rows = (size_t)edge * edge * edge;
    a.starts = allocate(rows + 1, sizeof *a.starts);
    a.columns = allocate(rows * 27, sizeof *a.columns);
    a.values = allocate(rows * 27, sizeof *a.values);
    for (int z = 0; z < edge; z++)
        for (int y = 0; y < edge; y++)
            for (int x = 0; x < edge; x++)
                add_row(&a, edge, x, y, z);
    return a;
}

static int is_right(const struct matrix *a, const double *x, const double *y)
{
    for (int row = 0; row < a->rows; row++) {
        double wanted = 0;
        for (int k = a->starts[row]; k < a->starts[row + 1]; k++)
            wanted += a->values[k] * x[a->columns[k]];
        if (fabs(y[row] - wanted) <= 1e-9)
            continue;
        printf("result: wrong, %g instead of %g in row %d\n", y[row], wanted, row);
        return 0;
    }
    printf("result: right\n");
    return 1;
}

int main(int count, char **words)
{
    int number = count > 1 ? atoi(words[1]) : -1, edge = count > 2 ? atoi(words[2]) : 100;
    if (number < 0 || number >= FORM_COUNT || edge < 1 || edge > 400) {
        fprintf(stderr, "usage: spmv_acc FORM [EDGE]; EDGE is 1 to 400, default 100\n");
        for (int i = 0; i < FORM_COUNT; i++)
            fprintf(stderr, "  %d  %s\n", i, forms[i].what);
        return 2;
    }
    struct matrix a = make_matrix(edge);
    int rows = a.rows, entries = a.entries, *starts = a.starts, *columns = a.columns;
    double *values = a.values, *x = allocate(rows, sizeof *x), *y = allocate(rows, sizeof *y);
    for (int i = 0; i < rows; i++)
        x[i] = 1 + i % 7;

    printf("spmv_acc, form %d: %s, %d rows, %d entries\n", number, forms[number].what, rows,
           entries);
#pragma acc data copyin(starts[:rows + 1], columns[:entries], values[:entries], x[:rows]) \
    create(y[:rows])
    {
        forms[number].run(rows, entries, starts, columns, values, x, y);
#pragma acc update self(y[:rows])
    }
    int right = is_right(&a, x, y);
    free(starts);
    free(columns);
    free(values);
    free(x);
    free(y);
    return right ? 0 : 1;
}
