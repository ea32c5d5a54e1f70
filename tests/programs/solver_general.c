/* Eigenvalues and vectors of general matrices, put in against the matrices they are of. */
#include "solver_numbers.h"

enum { N = 40, LD = 43, SIZE = LD * LD };

static void *handle, *a, *values, *vectors, *space;
static int *info;
static number given[SIZE], got[SIZE];

int cusolverDnXgeev_bufferSize(void *, void *, int, int, int64_t, int, const void *, int64_t, int,
                               const void *, int, const void *, int64_t, int, const void *, int64_t,
                               int, size_t *, size_t *);
int cusolverDnXgeev(void *, void *, int, int, int64_t, int, void *, int64_t, int, void *, int,
                    void *, int64_t, int, void *, int64_t, int, void *, size_t, void *, size_t,
                    int *);

static char complex_of(char letter)
{
    return is_single(letter) ? 'C' : 'Z';
}

static int find(char letter, int n, bool has_vectors)
{
    const int type = type_of(letter), type_values = type_of(complex_of(letter));
    size_t device = 0, host = 1;
    EXPECT(cusolverDnXgeev_bufferSize(handle, NULL, 0, has_vectors, n, type, a, LD, type_values,
                                      values, type, NULL, LD, type, vectors, LD, type, &device,
                                      &host),
           0);
    EXPECT(cusolverDnXgeev(handle, NULL, 0, has_vectors, n, type, a, LD, type_values, values, type,
                           NULL, LD, type, vectors, LD, type, space, device, NULL, host, info),
           0);
    return *info;
}

static number value_of(char letter, int k)
{
    return get(complex_of(letter), values, k);
}

/* Vectors of two values that are each other's conjugate are the parts of one. */
static void read_vectors(char letter, int n)
{
    get_all(letter, got, vectors, SIZE);
    for (int k = 0; !is_complex(letter) && k < n; k++) {
        if (cimag(value_of(letter, k)) == 0)
            continue;
        EXPECT(k + 1 < n && cimag(value_of(letter, k)) > 0, 1);
        EXPECT(value_of(letter, k + 1) == conj(value_of(letter, k)), 1);
        for (int i = 0; i < n; i++) {
            const number x = got[i + k * LD] + I * got[i + (k + 1) * LD];
            got[i + k * LD] = x;
            got[i + (k + 1) * LD] = conj(x);
        }
        k++;
    }
}

static void expect_right(char letter, int n)
{
    number trace = 0;
    double most = 0;
    EXPECT(find(letter, n, true), 0);
    read_vectors(letter, n);
    for (int k = 0; k < n; k++) {
        double squares = 0;
        trace += value_of(letter, k) - given[k + k * LD];
        for (int i = 0; i < n; i++) {
            number sum = -value_of(letter, k) * got[i + k * LD];
            for (int j = 0; j < n; j++)
                sum += given[i + j * LD] * got[j + k * LD];
            most = fmax(most, cabs(sum));
            squares += pow(cabs(got[i + k * LD]), 2);
        }
        EXPECT(fabs(squares - 1) < tolerance_of(letter), 1);
    }
    EXPECT(most < tolerance_of(letter) && cabs(trace) < 10 * tolerance_of(letter), 1);
}

static void test(char letter, int n, unsigned seed)
{
    make_random(letter, given, n, n, LD, seed);
    put_all(letter, a, given, SIZE);
    expect_right(letter, n);
    number kept = value_of(letter, n - 1);
    put_all(letter, a, given, SIZE);
    EXPECT(find(letter, n, false), 0);
    EXPECT(value_of(letter, n - 1) == kept, 1);
}

/* A cycle of n rows has the roots of 1; a block of Jordan has one value only. */
static void test_special(char letter)
{
    enum { ROWS = 8 };
    memset(given, 0, sizeof given);
    for (int i = 0; i < ROWS; i++)
        given[(i + 1) % ROWS + i * LD] = 1;
    put_all(letter, a, given, SIZE);
    expect_right(letter, ROWS);
    for (int k = 0; k < ROWS; k++)
        EXPECT(cabs(cpow(value_of(letter, k), ROWS) - 1) < tolerance_of(letter), 1);
    memset(given, 0, sizeof given);
    for (int i = 0; i < ROWS; i++) {
        given[i + i * LD] = 3;
        if (i)
            given[i - 1 + i * LD] = 1;
    }
    put_all(letter, a, given, SIZE);
    EXPECT(find(letter, ROWS, true), 0);
    for (int k = 0; k < ROWS; k++)
        EXPECT(cabs(value_of(letter, k) - 3) < tolerance_of(letter), 1);
    memset(given, 0, sizeof given);
    put_all(letter, a, given, SIZE);
    expect_right(letter, ROWS);
}

/* All vectors of one block of Jordan are the first unit vector; elements of those behind it are
 * larger than any number before they are scaled. */
static void test_defective(char letter)
{
    memset(given, 0, sizeof given);
    for (int i = 0; i < N; i++) {
        given[i + i * LD] = 0.5;
        if (i)
            given[i - 1 + i * LD] = 1;
    }
    put_all(letter, a, given, SIZE);
    expect_right(letter, N);
    for (int k = 0; k < N; k++)
        EXPECT(cabs(got[k * LD] - 1) < tolerance_of(letter), 1);
}

/* A value that is there twice beside pairs of complex ones. */
static void test_double_value(char letter)
{
    enum { ROWS = 9 };
    static const char rows[ROWS][ROWS + 1] = {"000000001", "101000100", "010000000",
                                              "001000000", "000100000", "000010000",
                                              "101001110", "000000100", "000000010"};
    double most = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++)
            put(letter, a, i + j * LD, rows[i][j] - '0');
    EXPECT(find(letter, ROWS, true), 0);
    read_vectors(letter, ROWS);
    for (int k = 0; k < ROWS; k++) {
        double squares = 0;
        for (int i = 0; i < ROWS; i++)
            squares += pow(cabs(got[i + k * LD]), 2);
        most = fmax(most, fabs(squares - 1));
    }
    EXPECT(most < tolerance_of(letter), 1);
}

/* Rows and columns of another scale change no value. */
static void test_scaled(char letter)
{
    enum { ROWS = 4 };
    number kept[ROWS];
    make_random(letter, given, ROWS, ROWS, LD, 5);
    put_all(letter, a, given, SIZE);
    EXPECT(find(letter, ROWS, false), 0);
    for (int k = 0; k < ROWS; k++)
        kept[k] = value_of(letter, k);
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < ROWS; i++)
            given[i + j * LD] *= pow(1e5, i % 2 * 2 - i / 2 - (j % 2 * 2 - j / 2));
    put_all(letter, a, given, SIZE);
    EXPECT(find(letter, ROWS, true), 0);
    read_vectors(letter, ROWS);
    for (int k = 0; k < ROWS; k++) {
        double away = 1, squares = 0;
        for (int l = 0; l < ROWS; l++)
            away = fmin(away, cabs(value_of(letter, k) - kept[l]));
        for (int i = 0; i < ROWS; i++)
            squares += pow(cabs(got[i + k * LD]), 2);
        EXPECT(away < tolerance_of(letter) && fabs(squares - 1) < tolerance_of(letter), 1);
        for (int i = 0; i < ROWS; i++) {
            number sum = -value_of(letter, k) * got[i + k * LD];
            double size = 0;
            for (int j = 0; j < ROWS; j++) {
                sum += given[i + j * LD] * got[j + k * LD];
                size += cabs(given[i + j * LD] * got[j + k * LD]);
            }
            EXPECT(cabs(sum) < tolerance_of(letter) * size, 1);
        }
    }
}

static void test_arguments(void)
{
    EXPECT(cusolverDnXgeev(NULL, NULL, 0, 1, N, 1, a, LD, 5, values, 1, NULL, LD, 1, vectors, LD, 1,
                           space, 1 << 16, NULL, 0, info),
           NO_HANDLE);
    EXPECT(cusolverDnXgeev(handle, NULL, 0, 2, N, 1, a, LD, 5, values, 1, NULL, LD, 1, vectors, LD,
                           1, space, 1 << 16, NULL, 0, info),
           INVALID);
    EXPECT(cusolverDnXgeev(handle, NULL, 0, 1, -1, 1, a, LD, 5, values, 1, NULL, LD, 1, vectors, LD,
                           1, space, 1 << 16, NULL, 0, info),
           INVALID);
    EXPECT(cusolverDnXgeev(handle, NULL, 0, 1, N, 1, a, N - 1, 5, values, 1, NULL, LD, 1, vectors,
                           LD, 1, space, 1 << 16, NULL, 0, info),
           INVALID);
    EXPECT(cusolverDnXgeev(handle, NULL, 1, 1, N, 1, a, LD, 5, values, 1, vectors, LD, 1, vectors,
                           LD, 1, space, 1 << 16, NULL, 0, info),
           7);
    EXPECT(cusolverDnXgeev(handle, NULL, 0, 1, N, 1, a, LD, 5, values, 5, NULL, LD, 5, vectors, LD,
                           1, space, 1 << 16, NULL, 0, info),
           INVALID);
}

/* Values of a real type: imaginary parts are behind real ones. */
static void test_real_values(void)
{
    number kept[N];
    make_random('D', given, 5, 5, LD, 9);
    put_all('D', a, given, SIZE);
    EXPECT(find('D', 5, false), 0);
    get_all('Z', kept, values, 5);
    put_all('D', a, given, SIZE);
    EXPECT(cusolverDnXgeev(handle, NULL, 0, 0, 5, 1, a, LD, 1, values, 1, NULL, LD, 1, NULL, LD, 1,
                           space, 1 << 16, NULL, 0, info),
           0);
    for (int k = 0; k < 5; k++)
        EXPECT(get('D', values, k) + I * get('D', values, k + 5) == kept[k], 1);
}

int main(void)
{
    EXPECT(cusolverDnCreate(&handle), 0);
    a = managed(sizeof given), vectors = managed(sizeof given), space = managed(1 << 16);
    values = managed(N * sizeof(number)), info = managed(sizeof *info);
    for (int i = 0; i < 4; i++) {
        for (unsigned seed = 1; seed < 5; seed++)
            test(letters[i], N, seed);
        for (int n = 1; n < 8; n++)
            test(letters[i], n, 9);
        test_special(letters[i]);
        test_defective(letters[i]);
        test_double_value(letters[i]);
        test_scaled(letters[i]);
    }
    test_arguments();
    test_real_values();
    EXPECT(cusolverDnDestroy(handle), 0);
    return failures != 0;
}
