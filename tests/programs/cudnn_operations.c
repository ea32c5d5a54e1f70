/* The operations of cuDNN's graphs beside convolutions, compared with the same on the host. */
#include "cudnn_graph.h"

/* ---- operations of elements ---- */

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double gelu_tanh(double x)
{
    return 0.5 * x * (1 + tanh(sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
}

static double unary(int mode, double x)
{
    switch (mode) {
    case 4:
        return sqrt(x);
    case 10:
        return fabs(x);
    case 11:
        return ceil(x);
    case 12:
        return cos(x);
    case 13:
        return exp(x);
    case 14:
        return floor(x);
    case 15:
        return log(x);
    case 16:
        return -x;
    case 17:
        return 1 / sqrt(x);
    case 18:
        return sin(x);
    case 19:
        return tan(x);
    case 20:
        return erf(x);
    case 21:
        return x;
    case 22:
        return 1 / x;
    case 100:
        return x > 0 ? x : 0;
    case 101:
        return tanh(x);
    case 102:
        return sigmoid(x);
    case 103:
        return x > 0 ? x : exp(x) - 1;
    case 104:
        return 0.5 * x * (1 + erf(x / sqrt(2)));
    case 105:
        return log(1 + exp(x));
    case 106:
        return x * sigmoid(x);
    case 107:
        return gelu_tanh(x);
    default:
        return x == 0;
    }
}

static double binary(int mode, double x, double b)
{
    switch (mode) {
    case 0:
        return x + b;
    case 1:
        return x * b;
    case 2:
        return fmin(x, b);
    case 3:
        return fmax(x, b);
    case 5:
        return x + b * b;
    case 6:
        return x / b;
    case 7:
        return fmod(x, b);
    case 8:
        return pow(x, b);
    case 9:
        return x - b;
    case 23:
        return atan2(x, b);
    case 300:
        return x == b;
    case 301:
        return x != b;
    case 302:
        return x > b;
    case 303:
        return x >= b;
    case 304:
        return x < b;
    case 305:
        return x <= b;
    case 400:
        return x != 0 && b != 0;
    default:
        return x != 0 || b != 0;
    }
}

static void fill_line(int id, double from, double step)
{
    for (int i = 0; i < counts[id]; i++)
        host[id][i] = from + step * i;
    upload(id);
}

static void test_elements(void)
{
    static const int unary_modes[] = {4,  10, 11,  12,  13,  14,  15,  16,  17,  18,  19, 20,
                                      21, 22, 100, 101, 102, 103, 104, 105, 106, 107, 402},
                     binary_modes[] = {0,  1,   2,   3,   5,   6,   7,   8,   9,
                                       23, 300, 301, 302, 303, 304, 305, 400, 401};
    const int64_t dims[] = {1, 5, 161}, row_dims[] = {1, 1, 161};
    for (size_t k = 0; k < sizeof unary_modes / sizeof *unary_modes; k++) {
        const int mode = unary_modes[k];
        void *tensors[] = {tensor(0, DOUBLES, 3, dims), tensor(1, DOUBLES, 3, dims),
                           pointwise(mode)};
        fill_line(0, -20.125, 0.05);
        host[0][0] = NAN, host[0][1] = INFINITY, host[0][2] = -INFINITY, host[0][3] = 1e-9;
        upload(0);
        void *operation = operation_of(tensors[2], tensors[0], NULL, tensors[1]);
        run(1, &operation, 3, tensors);
        for (int i = 1; i < counts[1]; i++)
            expect_near("unary", mode * 10000 + i, got(1, i), unary(mode, host[0][i]), 1e-13);
        EXPECT(isnan(got(1, 0)), mode != 402);
    }
    for (size_t k = 0; k < sizeof binary_modes / sizeof *binary_modes; k++) {
        const int mode = binary_modes[k];
        void *tensors[] = {tensor(0, DOUBLES, 3, dims), tensor(1, DOUBLES, 3, row_dims),
                           tensor(2, DOUBLES, 3, dims), pointwise(mode)};
        host[0][1] = host[1][1] = host[0][2] = host[1][3] = 0;
        upload(0), upload(1);
        void *operation = operation_of(tensors[3], tensors[0], tensors[1], tensors[2]);
        set_real(operation, 754, 2);
        run(1, &operation, 4, tensors);
        for (int i = 0; i < counts[2]; i++)
            expect_near("binary", mode * 10000 + i, got(2, i),
                        binary(mode, 2 * host[0][i], host[1][i % 161]), 1e-13);
    }
}

/* 3, or what becomes of it, from each type to each other, and a number that 8 bits do not hold. */
static void test_types(void)
{
    enum { COUNT = 5 };
    static const struct {
        int type, bytes;
        uint64_t three, many; /* many: 300, or the nearest to it */
    } rows[] = {
        {0, 4, 0x40400000, 0x43960000},
        {1, 8, 0x4008000000000000, 0x4072c00000000000},
        {2, 2, 0x4200, 0x5cb0},
        {9, 2, 0x4040, 0x4396},
        {3, 1, 3, 127},
        {4, 4, 3, 300},
        {6, 1, 3, 255},
        {10, 8, 3, 300},
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    const int64_t dims[] = {COUNT};
    for (int i = 0; i < ROWS * ROWS; i++) {
        const int from = i / ROWS, to = i % ROWS;
        uint64_t in[COUNT] = {0}, out[COUNT];
        void *tensors[] = {tensor(0, rows[from].type, 1, dims), tensor(1, rows[to].type, 1, dims),
                           pointwise(21)};
        const bool is_many = rows[from].bytes > 1;
        for (int k = 0; k < COUNT; k++)
            memcpy((char *)in + k * rows[from].bytes,
                   k == 3 && is_many ? &rows[from].many : &rows[from].three,
                   (size_t)rows[from].bytes);
        EXPECT(cudaMemcpy(device[0], in, sizeof in, 1), 0);
        void *operation = operation_of(tensors[2], tensors[0], NULL, tensors[1]);
        run(1, &operation, 3, tensors);
        EXPECT(cudaMemcpy(out, device[1], sizeof out, 2), 0);
        for (int k = 0; k < COUNT; k++) {
            uint64_t got_bits = 0;
            memcpy(&got_bits, (char *)out + k * rows[to].bytes, (size_t)rows[to].bytes);
            EXPECT(got_bits, k == 3 && is_many ? rows[to].many : rows[to].three);
        }
    }
}

/* ---- what is no number, what is infinite, bounds: as an H200 has it ---- */

static void fill_with(int id, int count, const double *values)
{
    for (int i = 0; i < count; i++)
        host[id][i] = values[i];
    upload(id);
}

static void test_binary_edges(void)
{
    enum { COUNT = 8 };
    static const double x[COUNT] = {NAN, 1, NAN, INFINITY, -INFINITY, -6, 1, 0.7},
                        b[COUNT] = {1, NAN, NAN, INFINITY, INFINITY, 3, INFINITY, 0.1};
    static const struct {
        int mode;
        double wanted[COUNT];
    } rows[] = {
        {2, {1, 1, NAN, INFINITY, -INFINITY, -6, 1, 0.1}},
        {3, {1, 1, NAN, INFINITY, INFINITY, 3, INFINITY, 0.7}},
        {7, {NAN, NAN, NAN, NAN, NAN, -0.0, 1, 0.7 - 6 * 0.1}},
        {23, {NAN, NAN, NAN, M_PI / 4, -M_PI / 4, -1.1071487177940904, 0, 1.4288992721907328}},
    };
    const int64_t dims[] = {1, 1, COUNT};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        void *tensors[] = {tensor(0, DOUBLES, 3, dims), tensor(1, DOUBLES, 3, dims),
                           tensor(2, DOUBLES, 3, dims), pointwise(rows[k].mode)};
        fill_with(0, COUNT, x), fill_with(1, COUNT, b);
        void *operation = operation_of(tensors[3], tensors[0], tensors[1], tensors[2]);
        run(1, &operation, 4, tensors);
        for (int i = 0; i < COUNT; i++) {
            expect_near("edge", rows[k].mode * 100 + i, got(2, i), rows[k].wanted[i], 1e-15);
            EXPECT(signbit(got(2, i)) != 0, isnan(rows[k].wanted[i])
                                                ? signbit(got(2, i)) != 0
                                                : signbit(rows[k].wanted[i]) != 0);
        }
    }
}

/* Forward and back, with a gradient of 7. A bound of 99 is not set. */
static void test_bounds(void)
{
    enum { COUNT = 7 };
    static const double x[COUNT] = {NAN, INFINITY, -INFINITY, -2, 1, 2.5, 10};
    static const struct {
        double lower, upper, slope, forward[COUNT], back[COUNT];
    } rows[] = {
        {99, 99, 99, {NAN, INFINITY, 0, 0, 1, 2.5, 10}, {7, 7, 0, 0, 7, 7, 7}},
        {-1, 2, 99, {NAN, 2, -1, -1, 1, 2, 2}, {7, 0, 0, 0, 7, 0, 0}},
        {99, 2, 0.5, {NAN, INFINITY, -INFINITY, -1, 1, 2, 5}, {7, 0, 3.5, 3.5, 7, 0, 0}},
        {1,
         3,
         0.25,
         {NAN, INFINITY, -INFINITY, 0.25, 1, 2.5, 3.25},
         {7, 0, 1.75, 1.75, 1.75, 7, 0}},
        {-1, 99, 0.25, {NAN, INFINITY, -INFINITY, -1.25, 1, 2.5, 10}, {7, 0, 1.75, 1.75, 7, 7, 7}},
        {99, 1e300, 99, {NAN, INFINITY, 0, 0, 1, 2.5, 10}, {7, 7, 0, 0, 7, 7, 7}},
    };
    const int64_t dims[] = {1, 1, COUNT};
    for (int k = 0; k < 2 * (int)(sizeof rows / sizeof *rows); k++) {
        const double bounds[] = {rows[k / 2].lower, rows[k / 2].upper, rows[k / 2].slope};
        void *mode = make(0), *operation = make(13);
        set_enum(mode, 0, MODE_POINTWISE, k % 2 ? 200 : 100);
        set_enum(mode, 1, DATA, FLOATS);
        for (int i = 0; i < 3; i++)
            if (bounds[i] != 99)
                set_real(mode, 3 + i, bounds[i]);
        EXPECT(cudnnBackendFinalize(mode), 0);
        void *tensors[] = {tensor(0, FLOATS, 3, dims), tensor(1, FLOATS, 3, dims),
                           tensor(2, FLOATS, 3, dims), mode};
        fill_with(0, COUNT, x), fill_with(1, COUNT, (double[COUNT]){7, 7, 7, 7, 7, 7, 7});
        set_part(operation, 750, mode);
        set_part(operation, 751, tensors[0]);
        if (k % 2)
            set_part(operation, 757, tensors[1]);
        set_part(operation, k % 2 ? 756 : 753, tensors[2]);
        run(1, &operation, 4, tensors);
        for (int i = 0; i < COUNT; i++)
            expect_near("bounds", k * 100 + i, got(2, i),
                        k % 2 ? rows[k / 2].back[i] : rows[k / 2].forward[i], 0);
    }
}

/* Bounds that no number is within, an index along a dimension that there is not. */
static void test_wrong_elements(void)
{
    const int64_t dims[] = {1, 2, 3};
    void *x = tensor(0, FLOATS, 3, dims), *y = tensor(1, FLOATS, 3, dims);
    for (int i = 0; i < 4; i++) {
        void *mode = make(0);
        set_enum(mode, 0, MODE_POINTWISE, i ? 501 : 100);
        set_enum(mode, 1, DATA, FLOATS);
        set_real(mode, 3, 2);
        set_real(mode, 4, 1);
        if (i > 1)
            set_number(mode, 9, i == 2 ? 3 : -1);
        EXPECT(cudnnBackendFinalize(mode), 0);
        void *operation = operation_of(mode, x, NULL, y);
        EXPECT(cudnnBackendFinalize(operation), BAD_PARAM);
        EXPECT(cudnnBackendDestroyDescriptor(operation), 0);
        EXPECT(cudnnBackendDestroyDescriptor(mode), 0);
    }
    EXPECT(cudnnBackendDestroyDescriptor(x), 0);
    EXPECT(cudnnBackendDestroyDescriptor(y), 0);
}

/* Booleans of a program are bits: those of a comparison, and those that select. Between operations
 * they may lie in any way. */
static void test_bits(void)
{
    enum { COUNT = 21, BYTES = 3, BOOLEANS = 11 };
    const int64_t dims[] = {1, 3, 7};
    const uint8_t mask[BYTES] = {0xb6, 0x53, 0x0f};
    uint8_t bits[BYTES + 1];
    void *tensors[] = {tensor(0, FLOATS, 3, dims),
                       tensor(1, FLOATS, 3, dims),
                       tensor(2, BOOLEANS, 3, dims),
                       tensor(3, BOOLEANS, 3, dims),
                       tensor(4, FLOATS, 3, dims),
                       tensor_with(5, BOOLEANS, 3, dims, true),
                       pointwise(304),
                       pointwise(402),
                       pointwise(601)};
    EXPECT(cudaMemcpy(device[2], mask, sizeof mask, 1), 0);
    EXPECT(cudaMemset(device[3], 0x5a, BYTES + 1), 0);
    void *operations[] = {operation_of(tensors[6], tensors[0], tensors[1], tensors[5]),
                          operation_of(tensors[7], tensors[5], NULL, tensors[3]),
                          operation_of(tensors[8], tensors[0], tensors[1], tensors[4])};
    set_part(operations[2], 758, tensors[2]);
    run(3, operations, 9, tensors);
    EXPECT(cudaMemcpy(bits, device[3], sizeof bits, 2), 0);
    EXPECT(bits[BYTES], 0x5a);
    for (int i = 0; i < COUNT; i++) {
        EXPECT(bits[i / 8] >> i % 8 & 1, !(host[0][i] < host[1][i]));
        expect_near("bits", i, got(4, i), host[mask[i / 8] >> i % 8 & 1 ? 0 : 1][i], 0);
    }
}

/* All numbers of 8 bits, and what single-precision ones become: the nearest, ties to even, and the
 * greatest of what is greater. */
static void test_bytes(int type, int fraction, int bias, int greatest)
{
    enum { COUNT = 256 };
    const int64_t dims[] = {1, 1, COUNT};
    uint8_t bytes[COUNT], back[COUNT];
    double wanted[COUNT];
    for (int i = 0; i < COUNT; i++) {
        const int low = i & 0x7f, exponent = low >> fraction, part = low & ((1 << fraction) - 1);
        const double size = ldexp(part + (exponent ? 1 << fraction : 0),
                                  (exponent ? exponent : 1) - bias - fraction);
        bytes[i] = (uint8_t)i;
        wanted[i] = low <= greatest ? size : fraction == 2 && !part ? INFINITY : NAN;
        wanted[i] = i >> 7 ? -wanted[i] : wanted[i];
    }
    for (int way = 0; way < 2; way++) {
        void *tensors[] = {tensor(0, way ? FLOATS : type, 3, dims),
                           tensor(1, way ? type : FLOATS, 3, dims), pointwise(21)};
        void *operation = operation_of(tensors[2], tensors[0], NULL, tensors[1]);
        for (int i = 0; i < COUNT; i++) /* half way to the next one */
            host[0][i] =
                (i & 0x7f) < greatest && i % 128 ? (wanted[i] + wanted[i + 1]) / 2 : wanted[i] * 2;
        if (way)
            upload(0);
        else
            EXPECT(cudaMemcpy(device[0], bytes, sizeof bytes, 1), 0);
        run(1, &operation, 3, tensors);
        EXPECT(cudaMemcpy(back, device[1], sizeof back, 2), 0);
        for (int i = 0; i < COUNT; i++)
            if (!way)
                expect_near("bytes", i, got(1, i), wanted[i], 0);
            else if (isnan(wanted[i]))
                EXPECT(back[i] & 0x7f, 0x7f);
            else
                EXPECT(back[i], (i & 0x7f) >= greatest ? (i & 0x80) | greatest
                                : i % 128              ? i + i % 2
                                                       : i);
    }
}

/* A factor of the host of each floating-point type. */
static void test_values(void)
{
    static const struct {
        int type;
        uint64_t bits;
        double value;
    } rows[] = {{0, 0xc0200000, -2.5}, {1, 0xc004000000000000, -2.5}, {2, 0xc100, -2.5},
                {2, 0x0001, 0x1p-24},  {2, 0x7c00, INFINITY},         {9, 0xc020, -2.5},
                {9, 0x0080, 0x1p-126}};
    const int64_t dims[] = {1, 2, 3}, one[] = {1, 1, 1};
    const char flag = 1;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        void *value = make(17);
        set_enum(value, 901, DATA, rows[k].type);
        set(value, 902, INT64, 3, one);
        set(value, 903, INT64, 3, one);
        set_number(value, 906, 3);
        set_number(value, 900, 8);
        set(value, 908, BOOLEAN, 1, &flag);
        EXPECT(cudnnBackendFinalize(value), 0);
        void *tensors[] = {tensor(0, DOUBLES, 3, dims), value, tensor(1, DOUBLES, 3, dims),
                           pointwise(1)};
        void *operation = operation_of(tensors[3], tensors[0], value, tensors[2]);
        uint64_t bits = rows[k].bits;
        device[3] = &bits;
        run(1, &operation, 4, tensors);
        device[3] = NULL;
        for (int i = 0; i < counts[1]; i++)
            expect_near("value", i, got(1, i), host[0][i] * rows[k].value, 0);
    }
}

/* Derivatives as differences of the functions. */
static void test_derivatives(void)
{
    const int64_t dims[] = {1, 1, 160};
    for (int mode = 200; mode < 208; mode++) {
        void *tensors[] = {tensor(0, DOUBLES, 3, dims), tensor(1, DOUBLES, 3, dims),
                           tensor(2, DOUBLES, 3, dims), pointwise(mode)};
        fill_line(0, -4.01, 0.05);
        void *operation = make(13);
        set_part(operation, 750, tensors[3]);
        set_part(operation, 751, tensors[0]);
        set_part(operation, 757, tensors[1]);
        set_part(operation, 756, tensors[2]);
        run(1, &operation, 4, tensors);
        for (int i = 0; i < counts[2]; i++) {
            const double x = host[0][i], h = 1e-5;
            const double slope = (unary(mode - 100, x + h) - unary(mode - 100, x - h)) / (2 * h);
            expect_near("derivative", mode * 10000 + i, got(2, i), slope * host[1][i], 1e-7);
        }
    }
}

/* select(t, x, b) with a value of the host, and an index along an axis. */
static void test_select(void)
{
    const int64_t dims[] = {2, 3, 4}, one[] = {1, 1, 1};
    void *value = tensor_with(1, FLOATS, 3, one, false);
    EXPECT(cudnnBackendDestroyDescriptor(value), 0);
    value = make(17);
    const char flag = 1;
    set_enum(value, 901, DATA, FLOATS);
    set(value, 902, INT64, 3, one);
    set(value, 903, INT64, 3, one);
    set_number(value, 906, 1);
    set_number(value, 900, 4);
    set(value, 908, BOOLEAN, 1, &flag);
    EXPECT(cudnnBackendFinalize(value), 0);
    void *index = make(0);
    set_enum(index, 0, MODE_POINTWISE, 501);
    set_enum(index, 1, DATA, FLOATS);
    set_number(index, 9, 1);
    EXPECT(cudnnBackendFinalize(index), 0);
    void *tensors[] = {tensor(0, FLOATS, 3, dims), value,          tensor(2, FLOATS, 3, dims),
                       tensor(3, FLOATS, 3, dims), pointwise(601), index,
                       tensor(4, FLOATS, 3, dims)};
    for (int i = 0; i < counts[2]; i++)
        host[2][i] = i % 3 == 0;
    upload(2);
    void *operations[] = {operation_of(tensors[4], tensors[0], value, tensors[3]),
                          operation_of(index, tensors[0], NULL, tensors[6])};
    set_part(operations[0], 758, tensors[2]);
    float constant = 7.5f;
    void *const kept = device[1];
    device[1] = &constant;
    run(2, operations, 7, tensors);
    device[1] = kept;
    for (int i = 0; i < counts[3]; i++) {
        expect_near("select", i, got(3, i), i % 3 == 0 ? host[0][i] : 7.5, 0);
        expect_near("index", i, got(4, i), i / 4 % 3, 0);
    }
}

/* ---- products and reductions ---- */

static void test_matmul(int type)
{
    const int64_t a_dims[] = {3, 4, 5}, b_dims[] = {1, 5, 6}, c_dims[] = {3, 4, 6};
    void *matmul = make(18), *operation = make(19);
    set_enum(matmul, 1500, DATA, FLOATS);
    EXPECT(cudnnBackendFinalize(matmul), 0);
    void *tensors[] = {tensor(0, type, 3, a_dims), tensor(1, type, 3, b_dims),
                       tensor(2, type, 3, c_dims), matmul};
    for (int i = 0; i < 4; i++)
        set_part(operation, 1520 + i, tensors[i]);
    run(1, &operation, 4, tensors);
    for (int i = 0; i < counts[2]; i++) {
        double sum = 0;
        for (int k = 0; k < 5; k++)
            sum += host[0][i / 6 * 5 + k] * host[1][k * 6 + i % 6];
        expect_near("matmul", i, got(2, i), sum, type == DOUBLES ? 1e-14 : 1e-6);
    }
}

/* Of each of three matrices other parts count. */
static void test_matmul_parts(void)
{
    enum { MATRICES = 3, ROWS = 4, DEPTH = 5, COLUMNS = 6 };
    const int64_t a_sizes[] = {MATRICES, ROWS, DEPTH}, b_sizes[] = {MATRICES, DEPTH, COLUMNS},
                  c_sizes[] = {MATRICES, ROWS, COLUMNS}, count_sizes[] = {MATRICES, 1, 1};
    static const int32_t parts[3][MATRICES] = {{4, 2, 3}, {1, 6, 5}, {5, 3, 0}};
    void *matmul = make(18), *operation = make(19);
    set_enum(matmul, 1500, DATA, FLOATS);
    EXPECT(cudnnBackendFinalize(matmul), 0);
    void *tensors[] = {tensor(0, FLOATS, 3, a_sizes),       tensor(1, FLOATS, 3, b_sizes),
                       tensor(2, FLOATS, 3, c_sizes),       matmul,
                       tensor(3, INTEGERS, 3, count_sizes), tensor(4, INTEGERS, 3, count_sizes),
                       tensor(5, INTEGERS, 3, count_sizes)};
    for (int i = 0; i < 7; i++)
        set_part(operation, i < 4 ? 1520 + i : 1521 + i, tensors[i]);
    for (int i = 0; i < 3; i++)
        EXPECT(cudaMemcpy(device[3 + i], parts[i], sizeof parts[i], 1), 0);
    run(1, &operation, 7, tensors);
    for (int i = 0; i < counts[2]; i++) {
        const int n = i / (ROWS * COLUMNS), row = i / COLUMNS % ROWS, column = i % COLUMNS;
        double sum = 0;
        for (int k = 0; k < parts[2][n] && row < parts[0][n] && column < parts[1][n]; k++)
            sum +=
                host[0][(n * ROWS + row) * DEPTH + k] * host[1][(n * DEPTH + k) * COLUMNS + column];
        expect_near("parts", i, got(2, i), sum, 1e-6);
    }
}

static void test_reduction(int mode)
{
    enum { DEEP = 3, ROWS = 4, COLUMNS = 5 };
    const int64_t x_sizes[] = {DEEP, ROWS, COLUMNS}, y_sizes[] = {1, ROWS, 1};
    void *reduction = make(21), *operation = make(22);
    set_enum(reduction, 1600, MODE_REDUCTION, mode);
    set_enum(reduction, 1601, DATA, FLOATS);
    EXPECT(cudnnBackendFinalize(reduction), 0);
    void *tensors[] = {tensor(0, DOUBLES, 3, x_sizes), tensor(1, DOUBLES, 3, y_sizes), reduction};
    host[0][7] = 0;
    if (mode >= 2 && mode <= 4) /* which go by what is no number */
        host[0][0] = host[0][11] = NAN;
    upload(0);
    for (int i = 0; i < 3; i++)
        set_part(operation, 1610 + i, tensors[i]);
    run(1, &operation, 3, tensors);
    for (int row = 0; row < ROWS; row++) {
        double sum = 0, norm = 0, square = 0, product = 1, other = 1, least = INFINITY,
               most = -INFINITY, largest = 0;
        for (int i = 0; i < DEEP * COLUMNS; i++) {
            const double x = host[0][(i / COLUMNS * ROWS + row) * COLUMNS + i % COLUMNS];
            sum += x, norm += fabs(x), square += x * x, product *= x;
            other *= x != 0 ? x : 1;
            least = fmin(least, x), most = fmax(most, x), largest = fmax(largest, fabs(x));
        }
        const double wanted[] = {sum,  product,      least, most, largest, sum / (DEEP * COLUMNS),
                                 norm, sqrt(square), other};
        expect_near("reduction", mode * 10 + row, got(1, row), wanted[mode], 1e-14);
    }
}

/* A sum of many numbers is not one after the other in single precision. */
static void test_long_sum(void)
{
    enum { COUNT = MOST };
    const int64_t x_sizes[] = {1, 64, COUNT}, y_sizes[] = {1, 1, 1};
    void *reduction = make(21), *operation = make(22);
    static float values[64 * COUNT];
    set_enum(reduction, 1600, MODE_REDUCTION, 0);
    set_enum(reduction, 1601, DATA, FLOATS);
    EXPECT(cudnnBackendFinalize(reduction), 0);
    void *tensors[] = {tensor_with(0, FLOATS, 3, x_sizes, false), tensor(1, FLOATS, 3, y_sizes),
                       reduction};
    void *const kept = device[0];
    for (int i = 0; i < 64 * COUNT; i++)
        values[i] = 0.1f;
    EXPECT(cudaMalloc(&device[0], sizeof values), 0);
    EXPECT(cudaMemcpy(device[0], values, sizeof values, 1), 0);
    for (int i = 0; i < 3; i++)
        set_part(operation, 1610 + i, tensors[i]);
    run(1, &operation, 3, tensors);
    expect_near("long sum", 0, got(1, 0), 64.0 * COUNT * (double)0.1f, 1e-6);
    cudaFree(device[0]);
    device[0] = kept;
}

/* Sums and sums of squares of channels. */
static void test_statistics(void)
{
    enum { STATISTICS = 16, N = 3, C = 4, H = 5 };
    const int64_t x_sizes[] = {N, C, H}, y_sizes[] = {1, C, 1};
    void *operation = make(14);
    set_enum(operation, 770, STATISTICS, 0);
    set_enum(operation, 771, DATA, FLOATS);
    void *tensors[] = {tensor(0, DOUBLES, 3, x_sizes), tensor(1, DOUBLES, 3, y_sizes),
                       tensor(2, DOUBLES, 3, y_sizes)};
    for (int i = 0; i < 3; i++)
        set_part(operation, 772 + i, tensors[i]);
    run(1, &operation, 3, tensors);
    for (int c = 0; c < C; c++) {
        double sum = 0, squares = 0;
        for (int i = 0; i < N * H; i++) {
            const double x = host[0][(i / H * C + c) * H + i % H];
            sum += x, squares += x * x;
        }
        expect_near("sum", c, got(1, c), sum, 1e-14);
        expect_near("squares", c, got(2, c), squares, 1e-14);
    }
}

/* Four matrices of a by two of b, each for two in a row; and sums over pairs of them. */
static void test_shared(void)
{
    enum { MATRICES = 4, ROWS = 3, DEPTH = 5, COLUMNS = 2 };
    const int64_t a_sizes[] = {1, MATRICES, ROWS, DEPTH}, b_sizes[] = {1, 2, DEPTH, COLUMNS},
                  c_sizes[] = {1, MATRICES, ROWS, COLUMNS}, sum_sizes[] = {1, 2, ROWS, COLUMNS};
    void *matmul = make(18), *reduction = make(21), *operations[] = {make(22), make(19)};
    set_enum(matmul, 1500, DATA, FLOATS);
    EXPECT(cudnnBackendFinalize(matmul), 0);
    set_enum(reduction, 1600, MODE_REDUCTION, 0);
    set_enum(reduction, 1601, DATA, FLOATS);
    EXPECT(cudnnBackendFinalize(reduction), 0);
    void *tensors[] = {tensor(0, DOUBLES, 4, a_sizes),
                       tensor(1, DOUBLES, 4, b_sizes),
                       tensor_with(2, DOUBLES, 4, c_sizes, true),
                       matmul,
                       tensor(3, DOUBLES, 4, sum_sizes),
                       reduction};
    for (int i = 0; i < 4; i++)
        set_part(operations[1], 1520 + i, tensors[i]);
    for (int i = 0; i < 2; i++)
        set_part(operations[0], 1610 + i, tensors[2 + 2 * i]);
    set_part(operations[0], 1612, reduction);
    run(2, operations, 6, tensors);
    for (int i = 0; i < counts[3]; i++) {
        const int pair = i / (ROWS * COLUMNS), row = i / COLUMNS % ROWS, column = i % COLUMNS;
        double sum = 0;
        for (int k = 0; k < 2 * DEPTH; k++)
            sum += host[0][((2 * pair + k / DEPTH) * ROWS + row) * DEPTH + k % DEPTH] *
                   host[1][(pair * DEPTH + k % DEPTH) * COLUMNS + column];
        expect_near("shared", i, got(3, i), sum, 1e-14);
    }
}

/* The memory of a virtual 3 by 4 matrix, whose elements would meet as it says, taken for its
 * transpose. */
static void test_reshape(void)
{
    const int64_t dims[] = {3, 4}, turned_dims[] = {4, 3}, turned_strides[] = {1, 4},
                  odd[] = {2, 1};
    const char flag = 1;
    void *turned = make(17), *between = make(17), *operations[] = {make(31), NULL, NULL};
    void *const both[] = {turned, between};
    for (int i = 0; i < 2; i++) {
        set_enum(both[i], 901, DATA, FLOATS);
        set(both[i], 902, INT64, 2, i ? dims : turned_dims);
        set(both[i], 903, INT64, 2, i ? odd : turned_strides);
        set_number(both[i], 906, 8 + i);
        set_number(both[i], 900, 16);
        set(both[i], 907, BOOLEAN, 1, &flag);
        EXPECT(cudnnBackendFinalize(both[i]), 0);
    }
    void *tensors[] = {tensor(0, FLOATS, 2, dims),        between,       turned,
                       tensor(1, FLOATS, 2, turned_dims), pointwise(16), pointwise(21)};
    set_part(operations[0], 2200, between);
    set_part(operations[0], 2201, turned);
    operations[1] = operation_of(tensors[5], turned, NULL, tensors[3]);
    operations[2] = operation_of(tensors[4], tensors[0], NULL, between);
    run(3, operations, 6, tensors);
    for (int i = 0; i < counts[1]; i++)
        expect_near("reshape", i, got(1, i), -host[0][i % 3 * 4 + i / 3], 0);
}

/* The same seed and offset give the same numbers, others others; about the right part is 1. */
static void test_random(int distribution, int64_t seed, double *mean, double *first)
{
    enum { DISTRIBUTION = 29 };
    const int64_t dims[] = {4, 1000}, one[] = {1, 1};
    void *rng = make(32), *operation = make(33);
    set_enum(rng, 2300, DISTRIBUTION, distribution);
    set_real(rng, 2303, 3);
    set_real(rng, 2304, 1);
    set_real(rng, 2305, 0.75);
    EXPECT(cudnnBackendFinalize(rng), 0);
    void *tensors[] = {tensor(0, FLOATS, 2, dims), tensor(1, INTEGERS, 2, one), rng};
    const int32_t offset = 5;
    EXPECT(cudaMemcpy(device[1], &offset, sizeof offset, 1), 0);
    set_part(operation, 2310, tensors[0]);
    set(operation, 2311, INT64, 1, &seed);
    set_part(operation, 2312, rng);
    set_part(operation, 2313, tensors[1]);
    run(1, &operation, 3, tensors);
    *mean = *first = 0;
    for (int i = 0; i < counts[0]; i++) {
        const double x = got(0, i);
        *mean += x / counts[0];
        *first += i < 64 ? x * (i + 1) : 0;
        EXPECT(distribution ? x >= 1 && x <= 3 : x == 0 || x == 1, 1);
    }
}

static void test_random_numbers(void)
{
    double mean, first, again, other;
    test_random(0, 17, &mean, &first);
    expect_near("part", 0, mean, 0.75, 0.03);
    test_random(0, 17, &mean, &again);
    EXPECT(first == again, 1);
    test_random(0, 18, &mean, &other);
    EXPECT(first == other, 0);
    test_random(1, 17, &mean, &first);
    expect_near("mean", 0, mean, 2, 0.03);
}

int main(void)
{
    EXPECT(cudnnCreate(&handle), 0);
    test_elements();
    test_types();
    test_binary_edges();
    test_bounds();
    test_wrong_elements();
    test_bits();
    test_values();
    test_bytes(12, 3, 7, 0x7e);
    test_bytes(13, 2, 15, 0x7b);
    test_derivatives();
    test_select();
    test_matmul(FLOATS);
    test_matmul(DOUBLES);
    test_matmul_parts();
    for (int mode = 0; mode <= 8; mode++)
        test_reduction(mode);
    test_long_sum();
    test_statistics();
    test_shared();
    test_reshape();
    test_random_numbers();
    EXPECT(cudnnDestroy(handle), 0);
    return failures != 0;
}
