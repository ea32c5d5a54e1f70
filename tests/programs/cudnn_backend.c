/* cuDNN's backend descriptors: convolutions as graphs, compared with sums by definition on the
 * host; what is wrong. */
#include "cudnn_graph.h"

/* ---- convolutions ---- */

enum {
    BATCH = 2,
    CHANNELS = 4,
    HIGH = 7,
    WIDE = 6,
    FILTERS = 6,
    GROUPS = 2,
    TAPS = 3,
    TAPS_WIDE = 2
};
enum { STRIDE = 2, PAD = 1, DILATION = 2, OUT_HIGH = (HIGH + 2 * PAD - TAPS) / STRIDE + 1 };
enum { OUT_WIDE = WIDE - DILATION * (TAPS_WIDE - 1) };
static const int64_t x_dims[] = {BATCH, CHANNELS, HIGH, WIDE},
                     w_dims[] = {FILTERS, CHANNELS / GROUPS, TAPS, TAPS_WIDE},
                     y_dims[] = {BATCH, FILTERS, OUT_HIGH, OUT_WIDE};
/* The padding behind, and what becomes of the width by it. */
static int64_t post_pads[] = {PAD, 0};
static int out_wide = OUT_WIDE;

static void *convolution(int type, bool is_flipped)
{
    void *made = make(1);
    const int64_t dilations[] = {1, DILATION}, strides[] = {STRIDE, 1}, pads[] = {PAD, 0};
    set_enum(made, 100, DATA, type);
    set_enum(made, 101, MODE_CONVOLUTION, !is_flipped);
    set_number(made, 106, 2);
    set(made, 102, INT64, 2, dilations);
    set(made, 103, INT64, 2, strides);
    set(made, 104, INT64, 2, post_pads);
    set(made, 105, INT64, 2, pads);
    EXPECT(cudnnBackendFinalize(made), 0);
    return made;
}

/* One of the three sums of the products x w y, over all that the result does not have. */
static void convolve(int way, bool is_flipped, const double *x, const double *w, const double *y,
                     double *result)
{
    for (int n = 0; n < BATCH; n++)
        for (int k = 0; k < FILTERS; k++)
            for (int c = 0; c < CHANNELS / GROUPS; c++)
                for (int p = 0; p < OUT_HIGH; p++)
                    for (int q = 0; q < out_wide; q++)
                        for (int r = 0; r < TAPS; r++)
                            for (int s = 0; s < TAPS_WIDE; s++) {
                                const int h = p * STRIDE - PAD + r, v = q + s * DILATION,
                                          from = k / (FILTERS / GROUPS) * (CHANNELS / GROUPS) + c;
                                if (h < 0 || h >= HIGH || v >= WIDE)
                                    continue;
                                const int tap = is_flipped
                                                    ? TAPS * TAPS_WIDE - 1 - r * TAPS_WIDE - s
                                                    : r * TAPS_WIDE + s;
                                const int at_x = ((n * CHANNELS + from) * HIGH + h) * WIDE + v,
                                          at_w = (k * (CHANNELS / GROUPS) + c) * TAPS * TAPS_WIDE +
                                                 tap,
                                          at_y = ((n * FILTERS + k) * OUT_HIGH + p) * out_wide + q;
                                if (way == FORWARD)
                                    result[at_y] += x[at_x] * w[at_w];
                                else if (way == BACKWARD)
                                    result[at_x] += w[at_w] * y[at_y];
                                else
                                    result[at_w] += x[at_x] * y[at_y];
                            }
}

/* The tensors' types are those of x, w and y. */
static void test_convolution(int way, const int *type, bool is_flipped)
{
    static double sums[MOST];
    const int first = way == FORWARD ? 700 : way == BACKWARD ? 706 : 712;
    const int out = way == FORWARD ? 2 : way == BACKWARD ? 0 : 1;
    const int names[3][3] = {{704, 703, 705}, {716, 715, 717}, {710, 709, 711}};
    const double alpha = 0.5, beta = 2;
    const int64_t out_dims[] = {BATCH, FILTERS, OUT_HIGH, out_wide};
    void *tensors[] = {tensor(0, type[0], 4, x_dims), tensor(1, type[1], 4, w_dims),
                       tensor(2, type[2], 4, out_dims), convolution(type[0], is_flipped)};
    void *operation = make(way);
    for (int i = 0; i < 3; i++)
        set_part(operation, names[way - FORWARD][i], tensors[i]);
    set_part(operation, first + 2, tensors[3]);
    set_real(operation, first, alpha);
    set_real(operation, first + 1, beta);
    memset(sums, 0, sizeof sums);
    convolve(way, is_flipped, host[0], host[1], host[2], sums);
    run(1, &operation, 4, tensors);
    for (int i = 0; i < counts[out]; i++)
        expect_near("convolution", i, got(out, i), alpha * sums[i] + beta * host[out][i],
                    type[0] == DOUBLES && type[1] == DOUBLES && type[2] == DOUBLES ? 1e-14 : 1e-6);
}

/* A product of halves that is beyond them, of which a part is wanted: what lies between operations
 * has the type that the program gave it. */
static void test_wide_between(void)
{
    enum { HALVES = 2 };
    const int64_t dims[] = {1, 1, 1, 1}, zeros[] = {0, 0}, ones[] = {1, 1};
    const uint16_t three_hundred = 0x5cb0;
    void *made = make(1), *operations[] = {make(FORWARD), NULL};
    set_enum(made, 100, DATA, FLOATS);
    set_enum(made, 101, MODE_CONVOLUTION, 1);
    set_number(made, 106, 2);
    set(made, 102, INT64, 2, ones);
    set(made, 103, INT64, 2, ones);
    set(made, 104, INT64, 2, zeros);
    set(made, 105, INT64, 2, zeros);
    EXPECT(cudnnBackendFinalize(made), 0);
    void *tensors[] = {tensor(0, HALVES, 4, dims),
                       tensor(1, HALVES, 4, dims),
                       tensor(2, FLOATS, 4, dims),
                       tensor(3, FLOATS, 4, dims),
                       tensor_with(4, FLOATS, 4, dims, true),
                       pointwise(1),
                       made};
    for (int i = 0; i < 2; i++)
        EXPECT(cudaMemcpy(device[i], &three_hundred, sizeof three_hundred, 1), 0);
    host[3][0] = 0.5;
    upload(3);
    const int parts[] = {0, 1, 4, 6}, names[] = {704, 703, 705, 702};
    for (int i = 0; i < 4; i++)
        set_part(operations[0], names[i], tensors[parts[i]]);
    operations[1] = operation_of(tensors[5], tensors[4], tensors[3], tensors[2]);
    run(2, operations, 7, tensors);
    expect_near("wide between", 0, got(2, 0), 45000, 0);
}

/* relu(convolution + factor * z + bias), the operations in another order than theirs. */
static void test_fused(void)
{
    static double sums[MOST];
    const int64_t bias_dims[] = {1, FILTERS, 1, 1};
    void *tensors[] = {tensor(0, FLOATS, 4, x_dims),
                       tensor(1, FLOATS, 4, w_dims),
                       tensor(2, FLOATS, 4, y_dims),
                       tensor(3, FLOATS, 4, y_dims),
                       tensor(4, FLOATS, 4, bias_dims),
                       convolution(FLOATS, false),
                       tensor_with(5, FLOATS, 4, y_dims, true),
                       tensor_with(6, FLOATS, 4, y_dims, true),
                       tensor_with(7, FLOATS, 4, y_dims, true),
                       pointwise(0),
                       pointwise(100)};
    void *operations[] = {operation_of(tensors[10], tensors[8], NULL, tensors[2]),
                          operation_of(tensors[9], tensors[6], tensors[3], tensors[7]),
                          make(FORWARD),
                          operation_of(tensors[9], tensors[7], tensors[4], tensors[8])};
    const float factor = 0.25f;
    set(operations[1], 755, FLOAT, 1, &factor);
    set_part(operations[2], 704, tensors[0]);
    set_part(operations[2], 703, tensors[1]);
    set_part(operations[2], 705, tensors[6]);
    set_part(operations[2], 702, tensors[5]);
    memset(sums, 0, sizeof sums);
    convolve(FORWARD, false, host[0], host[1], NULL, sums);
    run(4, operations, 11, tensors);
    for (int i = 0; i < counts[2]; i++) {
        const int filter = i / (OUT_HIGH * OUT_WIDE) % FILTERS;
        const double sum = sums[i] + 0.25 * host[3][i] + host[4][filter];
        expect_near("fused", i, got(2, i), sum > 0 ? sum : 0, 1e-6);
    }
}

/* ---- plans as texts ---- */

/* A plan that is read from a text does what the one does that was written. */
static void test_text(void)
{
    enum { CHARACTER = 24, LONGEST = 1 << 16 };
    static double sums[MOST];
    static char text[LONGEST];
    void *x = tensor(0, FLOATS, 4, x_dims), *w = tensor(1, FLOATS, 4, w_dims),
         *y = tensor(2, FLOATS, 4, y_dims), *between = tensor_with(3, FLOATS, 4, y_dims, true),
         *made = convolution(FLOATS, true), *mode = make(0), *operations[] = {NULL, make(FORWARD)},
         *workspace = NULL;
    set_enum(mode, 0, MODE_POINTWISE, 100);
    set_real(mode, 4, 1.25);
    EXPECT(cudnnBackendFinalize(mode), 0);
    operations[0] = operation_of(mode, between, NULL, y);
    void *parts[] = {made, w, x, between};
    for (int i = 0; i < 4; i++)
        set_part(operations[1], 702 + i, parts[i]);
    void *graph = make_graph(2, operations), *plan = NULL, *read = make(5);
    EXPECT(cudnnBackendFinalize(graph), 0);
    plan = make_plan(graph);
    int64_t length = 0, count = 0, bytes = 0, ids[] = {0, 1, 2};
    EXPECT(cudnnBackendGetAttribute(plan, 405, CHARACTER, 0, &length, NULL), 0);
    EXPECT(length > 100 && length < LONGEST, 1);
    EXPECT(cudnnBackendGetAttribute(plan, 405, CHARACTER, length, &count, text), 0);
    EXPECT(count, length);
    EXPECT(cudnnBackendDestroyDescriptor(plan), 0);
    set(read, 400, HANDLE, 1, &handle);
    set(read, 405, CHARACTER, length, text);
    EXPECT(cudnnBackendFinalize(read), 0);
    EXPECT(cudnnBackendGetAttribute(read, 402, INT64, 1, NULL, &bytes), 0);
    EXPECT(cudaMalloc(&workspace, (size_t)bytes), 0);
    void *pack = make_pack(3, ids, device, workspace);
    EXPECT(cudnnBackendExecute(handle, read, pack), 0);
    memset(sums, 0, sizeof sums);
    convolve(FORWARD, true, host[0], host[1], NULL, sums);
    for (int i = 0; i < counts[2]; i++)
        expect_near("text", i, got(2, i), fmax(0, fmin(sums[i], 1.25)), 1e-6);
    EXPECT(cudnnBackendDestroyDescriptor(read), 0);
    for (int64_t i = 0; i < length;
         i++) { /* what is cut off or changed is wrong, or another plan */
        char changed[8];
        memcpy(changed, text + i, 1);
        read = make(5);
        if (i)
            set(read, 405, CHARACTER, i, text);
        EXPECT(cudnnBackendFinalize(read), i ? BAD_PARAM : NOT_FINAL);
        EXPECT(cudnnBackendDestroyDescriptor(read), 0);
        read = make(5);
        text[i] = (char)('0' + i % 10);
        set(read, 405, CHARACTER, length, text);
        capture_stderr();
        cudnnBackendFinalize(read);
        captured_stderr();
        EXPECT(cudnnBackendDestroyDescriptor(read), 0);
        memcpy(text + i, changed, 1);
    }
    cudaFree(workspace);
    void *all[] = {x, w, y, between, made, mode, operations[0], operations[1], pack};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        EXPECT(cudnnBackendDestroyDescriptor(all[i]), 0);
}

/* ---- graphs of the runtime ---- */

int cudaGraphCreate(void **graph, unsigned flags);
int cudaGraphDestroy(void *graph);
int cudaGraphInstantiate(void **executable, void *graph, unsigned long long flags);
int cudaGraphExecDestroy(void *executable);
int cudaGraphLaunch(void *executable, void *stream);
int cudnnBackendPopulateCudaGraph(void *handle, void *plan, void *pack, void *graph);
int cudnnBackendUpdateCudaGraph(void *handle, void *plan, void *pack, void *graph);

static void expect_launched(void *graph, int from, int to)
{
    void *executable = NULL;
    EXPECT(cudaMemset(device[to], 0, MOST), 0);
    EXPECT(cudaGraphInstantiate(&executable, graph, 0), 0);
    EXPECT(cudaGraphLaunch(executable, NULL), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    for (int i = 0; i < counts[to]; i++)
        expect_near("launched", i, got(to, i), -fabs(host[from][i]), 0);
    EXPECT(cudaGraphExecDestroy(executable), 0);
}

/* A plan's launches as nodes, which then take other tensors. */
static void test_populate(void)
{
    const int64_t dims[] = {1, 3, 5}, ids[] = {0, 1};
    void *x = tensor(0, FLOATS, 3, dims), *y = tensor(1, FLOATS, 3, dims),
         *between = tensor_with(4, FLOATS, 3, dims, true), *size = pointwise(10),
         *negative = pointwise(16), *graph = NULL, *workspace = NULL;
    void *operations[] = {operation_of(size, x, NULL, between),
                          operation_of(negative, between, NULL, y)};
    void *whole = make_graph(2, operations);
    EXPECT(cudnnBackendDestroyDescriptor(tensor(2, FLOATS, 3, dims)), 0);
    EXPECT(cudnnBackendDestroyDescriptor(tensor(3, FLOATS, 3, dims)), 0);
    EXPECT(cudnnBackendFinalize(whole), 0);
    void *plan = make_plan(whole);
    EXPECT(cudaMalloc(&workspace, 4096), 0);
    void *pack = make_pack(2, ids, device, workspace),
         *next = make_pack(2, ids, device + 2, workspace);
    EXPECT(cudaGraphCreate(&graph, 0), 0);
    EXPECT(cudnnBackendPopulateCudaGraph(handle, plan, pack, NULL), BAD_PARAM);
    EXPECT(cudnnBackendPopulateCudaGraph(NULL, plan, pack, graph), BAD_PARAM);
    EXPECT(cudnnBackendUpdateCudaGraph(handle, plan, pack, graph), 2011); /* without nodes */
    EXPECT(cudnnBackendPopulateCudaGraph(handle, plan, pack, graph), 0);
    EXPECT(cudnnBackendPopulateCudaGraph(handle, plan, pack, graph), BAD_PARAM); /* not empty */
    expect_launched(graph, 0, 1);
    EXPECT(cudnnBackendUpdateCudaGraph(handle, plan, next, graph), 0);
    expect_launched(graph, 2, 3);
    EXPECT(cudaGraphDestroy(graph), 0);
    cudaFree(workspace);
    void *all[] = {x, y, between, size, negative, plan, pack, next, operations[0], operations[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        EXPECT(cudnnBackendDestroyDescriptor(all[i]), 0);
}

/* ---- what is wrong ---- */

/* A convolution of what lies between operations as doubles; with a cache of kernels, and as if
 * shapes could change. */
static void test_before(void)
{
    static double sums[MOST];
    void *tensors[] = {tensor(0, FLOATS, 4, x_dims), tensor(1, FLOATS, 4, w_dims),
                       tensor(2, FLOATS, 4, y_dims), tensor_with(3, DOUBLES, 4, x_dims, true),
                       convolution(FLOATS, false),   pointwise(16)};
    void *operations[] = {make(FORWARD), operation_of(tensors[5], tensors[0], NULL, tensors[3])},
         *cache = make(34);
    const int parts[] = {3, 1, 2, 4}, names[] = {704, 703, 705, 702};
    for (int i = 0; i < 4; i++)
        set_part(operations[0], names[i], tensors[parts[i]]);
    memset(sums, 0, sizeof sums);
    convolve(FORWARD, false, host[0], host[1], NULL, sums);
    const char flag = 1;
    void *negation = operation_of(tensors[5], tensors[0], NULL, tensors[0]),
         *graph = make_graph(1, &negation), *plan = make(5);
    set(graph, 803, BOOLEAN, 1, &flag);
    EXPECT(cudnnBackendFinalize(graph), 0);
    set_part(cache, 2400, graph);
    EXPECT(cudnnBackendFinalize(cache), 0);
    set_part(plan, 406, cache);
    EXPECT(cudnnBackendFinalize(plan), NOT_FINAL); /* without an engine */
    EXPECT(cudnnBackendDestroyDescriptor(plan), 0);
    EXPECT(cudnnBackendDestroyDescriptor(cache), 0);
    EXPECT(cudnnBackendDestroyDescriptor(graph), 0);
    EXPECT(cudnnBackendDestroyDescriptor(negation), 0);
    run(2, operations, 6, tensors);
    for (int i = 0; i < counts[2]; i++)
        expect_near("before", i, got(2, i), -sums[i], 1e-6);
}

/* What is read back of what was not set. */
static void expect_numbers(void *descriptor, int name, int64_t wanted)
{
    int64_t count = 0, number = 77;
    EXPECT(cudnnBackendGetAttribute(descriptor, name, INT64, 1, &count, &number), 0);
    EXPECT(count, 1);
    EXPECT(number, wanted);
}

/* What must be set, and what need not: a tensor without each of its attributes. */
static void test_tensors(void)
{
    const int64_t dims[] = {2, 3}, one[] = {1, 1};
    const char flag = 1;
    for (int left = 0; left < 9; left++) {
        void *made = make(17);
        if (left != 0)
            set_enum(made, 901, DATA, left == 8 ? DOUBLES : FLOATS);
        if (left != 1)
            set(made, 902, INT64, 2, left == 6 ? one : dims);
        if (left != 2)
            set(made, 903, INT64, 2, dims);
        if (left != 3)
            set_number(made, 906, 1);
        if (left != 4)
            set_number(made, 900, left == 7 ? 2 : left == 8 ? 12 : 4);
        if (left == 5 || left == 6)
            set(made, 908, BOOLEAN, 1, &flag);
        EXPECT(cudnnBackendFinalize(made), left == 0 || left == 3 || left == 6 ? 0 : BAD_PARAM);
        EXPECT(cudnnBackendDestroyDescriptor(made), 0);
    }
}

/* The same of other descriptors. */
static void test_others(void)
{
    enum { DISTRIBUTION = 29 };
    const int64_t ones[] = {1, 1};
    double alpha = 0;
    float narrow = 0;
    int64_t count = 0;
    void *elements = make(0), *reduction = make(21), *rng = make(32), *pack = make(16),
         *choice = make(7), *made = make(1), *operation = make(FORWARD);
    EXPECT(cudnnBackendFinalize(elements), 0);
    set_enum(reduction, 1600, MODE_REDUCTION, 9);
    set_enum(reduction, 1601, DATA, FLOATS);
    EXPECT(cudnnBackendFinalize(reduction), BAD_PARAM);
    set_enum(rng, 2300, DISTRIBUTION, 0);
    EXPECT(cudnnBackendFinalize(rng), BAD_PARAM);
    set_real(rng, 2305, 1.5);
    EXPECT(cudnnBackendFinalize(rng), BAD_PARAM);
    set_real(rng, 2305, 0.5);
    EXPECT(cudnnBackendFinalize(rng), 0);
    EXPECT(cudnnBackendFinalize(pack), 0);
    EXPECT(cudnnBackendFinalize(choice), 0);
    set_enum(made, 100, DATA, FLOATS);
    set_enum(made, 101, MODE_CONVOLUTION, 1);
    set_number(made, 106, 2);
    set(made, 102, INT64, 2, ones);
    set(made, 103, INT64, 2, ones);
    set(made, 105, INT64, 2, ones);
    EXPECT(cudnnBackendFinalize(made), 0); /* without padding behind */
    const int64_t dims[] = {1, 1, 3, 3}, y_of[] = {1, 1, 2, 2}, w_of[] = {1, 1, 3, 3};
    void *parts[] = {made, tensor(1, FLOATS, 4, w_of), tensor(0, FLOATS, 4, dims),
                     tensor(2, FLOATS, 4, y_of)};
    for (int i = 0; i < 4; i++)
        set_part(operation, 702 + i, parts[i]);
    EXPECT(cudnnBackendFinalize(operation), 0);
    EXPECT(cudnnBackendGetAttribute(operation, 700, DOUBLE, 1, &count, &alpha), 0);
    EXPECT(count == 1 && alpha == 1, 1);
    EXPECT(cudnnBackendGetAttribute(operation, 700, FLOAT, 1, &count, &narrow), BAD_PARAM);
    void *all[] = {elements,  reduction, rng,      pack,     choice,
                   operation, parts[0],  parts[1], parts[2], parts[3]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        EXPECT(cudnnBackendDestroyDescriptor(all[i]), 0);
}

static void test_attributes(void)
{
    const int64_t dims[] = {2, 3, 4}, wrong[] = {2, 0, 4};
    int64_t number = 0, count = -1, back[8] = {0};
    float real = 0;
    void *made = NULL, *odd = make(17);
    capture_stderr();
    EXPECT(cudnnBackendCreateDescriptor(41, &made), NOT_SUPPORTED);
    EXPECT(cudnnBackendSetAttribute(odd, 913, DESCRIPTOR, 1, &odd), NOT_SUPPORTED);
    const char *text = captured_stderr();
    EXPECT(strstr(text, "cudnnBackendCreateDescriptor") != NULL, 1);
    EXPECT(strstr(text, "descriptor type 41") != NULL, 1);
    EXPECT(strstr(text, "attribute 913") != NULL, 1);
    EXPECT(cudnnBackendCreateDescriptor(17, NULL), BAD_PARAM);
    EXPECT(cudnnBackendDestroyDescriptor(NULL), NULL_POINTER);
    EXPECT(cudnnBackendFinalize(NULL), NULL_POINTER);
    EXPECT(cudnnBackendDestroyDescriptor(handle), BAD_PARAM);
    EXPECT(cudnnBackendSetAttribute(NULL, 906, INT64, 1, &number), NULL_POINTER);
    EXPECT(cudnnBackendSetAttribute(odd, 906, FLOAT, 1, &real), WRONG_TYPE);
    EXPECT(cudnnBackendSetAttribute(odd, 1500, INT64, 1, &number), BAD_PARAM); /* of another */
    EXPECT(cudnnBackendSetAttribute(odd, 902, INT64, 0, dims), BAD_PARAM);
    EXPECT(cudnnBackendSetAttribute(odd, 906, INT64, 2, dims), BAD_PARAM);
    EXPECT(cudnnBackendSetAttribute(odd, 906, INT64, 1, NULL), BAD_PARAM);
    EXPECT(cudnnBackendFinalize(odd), BAD_PARAM); /* much is missing */
    EXPECT(cudnnBackendGetAttribute(odd, 906, INT64, 1, &count, &number), NOT_INITIALIZED);
    set_enum(odd, 901, DATA, FLOATS);
    set(odd, 902, INT64, 3, wrong);
    set(odd, 903, INT64, 3, dims);
    set_number(odd, 906, 9);
    set_number(odd, 900, 4);
    EXPECT(cudnnBackendFinalize(odd), BAD_PARAM);
    set(odd, 902, INT64, 2, dims);
    EXPECT(cudnnBackendFinalize(odd), BAD_PARAM); /* two sizes, three strides */
    EXPECT(cudnnBackendInitialize(odd), 0);
    EXPECT(cudnnBackendFinalize(odd), BAD_PARAM);
    EXPECT(cudnnBackendDestroyDescriptor(odd), 0);

    void *right = tensor_with(9, FLOATS, 3, dims, false);
    EXPECT(cudnnBackendSetAttribute(right, 906, INT64, 1, &number), BAD_PARAM);
    EXPECT(cudnnBackendFinalize(right), BAD_PARAM); /* it is */
    EXPECT(cudnnBackendGetAttribute(right, 902, INT64, 2, &count, back), 0);
    EXPECT(count, 3);
    EXPECT(back[1], 3);
    EXPECT(back[2], 0); /* only two were asked for */
    EXPECT(cudnnBackendGetAttribute(right, 902, FLOAT, 2, &count, back), WRONG_TYPE);
    EXPECT(cudnnBackendGetAttribute(right, 902, INT64, 0, NULL, NULL), BAD_PARAM);
    expect_numbers(right, 904, 1);
    expect_numbers(right, 905, -1);
    void *again = tensor_with(9, FLOATS, 3, dims, false);
    EXPECT(cudnnBackendInitialize(again), 0); /* as new */
    EXPECT(cudnnBackendGetAttribute(again, 906, INT64, 1, &count, &number), NOT_INITIALIZED);
    EXPECT(cudnnBackendSetAttribute(again, 906, INT64, 1, &number), 0);
    EXPECT(cudnnBackendDestroyDescriptor(again), 0);
    void *heuristics = make(4);
    EXPECT(cudnnBackendSetAttribute(heuristics, 201, DESCRIPTOR, 1, &right), BAD_PARAM);
    EXPECT(cudnnBackendSetAttribute(heuristics, 202, DESCRIPTOR, 1, &right), BAD_PARAM);
    EXPECT(cudnnBackendDestroyDescriptor(heuristics), 0);
    EXPECT(cudnnBackendDestroyDescriptor(right), 0);
}

static void destroy(int count, void **descriptors)
{
    for (int i = 0; i < count; i++)
        EXPECT(cudnnBackendDestroyDescriptor(descriptors[i]), 0);
}

/* Of a graph that can be computed there is one engine; of another there is none. */
static void test_engines(int type)
{
    const int64_t dims[] = {2, 3};
    const bool is_computed = type == FLOATS;
    void *x = tensor_with(0, type, 2, dims, false), *y = tensor_with(1, type, 2, dims, false),
         *mode = pointwise(16), *operation = operation_of(mode, x, NULL, y),
         *graph = make_graph(1, &operation), *engine = make(2), *heuristics = make(4),
         *config = make(3);
    int64_t count = -1, number = -1;
    EXPECT(cudnnBackendSetAttribute(engine, 1300, DESCRIPTOR, 1, &graph), NOT_FINAL);
    EXPECT(cudnnBackendFinalize(graph), 0);
    EXPECT(cudnnBackendGetAttribute(graph, 802, INT64, 1, &count, &number), 0);
    EXPECT(number, is_computed);
    set_part(engine, 1300, graph);
    set_number(engine, 1301, is_computed);
    set_part(heuristics, 201, graph);
    set_enum(heuristics, 200, MODE_HEURISTICS, 3);
    capture_stderr();
    EXPECT(cudnnBackendFinalize(engine), NOT_SUPPORTED);
    EXPECT(cudnnBackendFinalize(heuristics), is_computed ? 0 : NOT_SUPPORTED);
    EXPECT(strstr(captured_stderr(), "such an operation of descriptor type 13") != NULL,
           !is_computed);
    if (is_computed) {
        set_number(engine, 1301, 0);
        EXPECT(cudnnBackendFinalize(engine), 0);
        EXPECT(cudnnBackendGetAttribute(engine, 1303, NOTE, 10, &count, NULL), 0);
        EXPECT(count, 0);
        int32_t behaviour = -1;
        EXPECT(cudnnBackendGetAttribute(engine, 1305, BEHAVIOUR, 5, &count, &behaviour), 0);
        EXPECT(count == 1 && behaviour == 3, 1); /* it can be in graphs of the runtime */
        EXPECT(cudnnBackendSetAttribute(config, 300, DESCRIPTOR, 1, &graph), BAD_PARAM);
        set_part(config, 300, engine);
        set(config, 302, DESCRIPTOR, 0, NULL); /* no choices of knobs */
        EXPECT(cudnnBackendFinalize(config), 0);
        int32_t shared = -1;
        EXPECT(cudnnBackendGetAttribute(config, 304, INT32, 1, &count, &shared), 0);
        EXPECT(shared, 0);
    }
    void *all[] = {x, y, mode, operation, graph, engine, heuristics, config};
    destroy(8, all);
}

/* Distances that 32 bits do not hold are not wrong, but nothing is computed of them. */
static void test_far_tensor(void)
{
    const int64_t dims[] = {2, 3}, strides[] = {1LL << 40, 1};
    void *far = make(17), *mode = pointwise(16);
    set_enum(far, 901, DATA, FLOATS);
    set(far, 902, INT64, 2, dims);
    set(far, 903, INT64, 2, strides);
    set_number(far, 906, 1);
    set_number(far, 900, 4);
    EXPECT(cudnnBackendFinalize(far), 0);
    void *operation = operation_of(mode, far, NULL, far), *graph = make_graph(1, &operation);
    int64_t engines = -1;
    EXPECT(cudnnBackendFinalize(graph), 0);
    EXPECT(cudnnBackendGetAttribute(graph, 802, INT64, 1, NULL, &engines), 0);
    EXPECT(engines, 0);
    void *all[] = {far, mode, operation, graph};
    destroy(4, all);
}

/* Of two matrices by two there are no four. */
static void test_wrong_product(void)
{
    const int64_t a[] = {2, 3, 4}, b[] = {2, 4, 5}, c[] = {4, 3, 5};
    void *matmul = make(18), *operation = make(19);
    set_enum(matmul, 1500, DATA, FLOATS);
    EXPECT(cudnnBackendFinalize(matmul), 0);
    void *all[] = {tensor_with(0, FLOATS, 3, a, false), tensor_with(1, FLOATS, 3, b, false),
                   tensor_with(2, FLOATS, 3, c, false), matmul, operation};
    for (int i = 0; i < 4; i++)
        set_part(operation, 1520 + i, all[i]);
    EXPECT(cudnnBackendFinalize(operation), BAD_PARAM);
    destroy(5, all);
}

static void test_wrong_graphs(void)
{
    const int64_t dims[] = {2, 3}, other[] = {2, 4};
    void *x = tensor_with(0, FLOATS, 2, dims, false), *y = tensor_with(1, FLOATS, 2, other, false),
         *loose = tensor_with(2, FLOATS, 2, dims, true), *mode = pointwise(16),
         *none = pointwise(77), *operations[4] = {NULL};
    operations[0] = operation_of(mode, x, NULL, y); /* of other sizes */
    EXPECT(cudnnBackendFinalize(operations[0]), BAD_PARAM);
    operations[1] = operation_of(none, x, NULL, x); /* there is no such operation */
    EXPECT(cudnnBackendFinalize(operations[1]), BAD_PARAM);
    operations[2] = operation_of(mode, loose, NULL, x); /* nobody writes what it reads */
    void *graph = make_graph(1, &operations[2]);
    EXPECT(cudnnBackendFinalize(graph), BAD_PARAM);
    operations[3] = operation_of(mode, x, NULL, loose);
    void *whole = make_graph(1, &operations[3]), *pack = NULL, *plan = NULL;
    EXPECT(cudnnBackendFinalize(whole), 0);
    plan = make_plan(whole);
    const int64_t id = 0, wrong_id = 5;
    upload(0), upload(1);
    pack = make_pack(1, &id, &device[0], NULL); /* there is no workspace */
    EXPECT(cudnnBackendExecute(handle, plan, pack), NULL_POINTER);
    EXPECT(cudnnBackendExecute(NULL, plan, pack), BAD_PARAM);
    EXPECT(cudnnBackendExecute(handle, NULL, pack), BAD_PARAM);
    EXPECT(cudnnBackendExecute(handle, pack, plan), NOT_FINAL);
    EXPECT(cudnnBackendDestroyDescriptor(pack), 0);
    pack = make_pack(1, &wrong_id, &device[0], device[1]);
    EXPECT(cudnnBackendExecute(handle, plan, pack), NULL_POINTER);
    EXPECT(cudnnBackendDestroyDescriptor(pack), 0);
    pack = make_pack(1, &id, &device[0], device[1]);
    EXPECT(cudnnBackendExecute(handle, plan, pack), 0);
    void *all[] = {x, y, loose, mode, none, graph, plan, pack};
    destroy(8, all);
    destroy(4, operations);
}

int main(void)
{
    static const int types_of[][3] = {{FLOATS, FLOATS, FLOATS},
                                      {DOUBLES, DOUBLES, DOUBLES},
                                      {FLOATS, DOUBLES, FLOATS},
                                      {DOUBLES, FLOATS, FLOATS},
                                      {FLOATS, FLOATS, DOUBLES}};
    EXPECT(cudnnCreate(&handle), 0);
    for (int k = 0; k < 2 * (int)(sizeof types_of / sizeof *types_of); k++) {
        post_pads[0] = k % 2 ? PAD + 1 : PAD; /* which no tap comes to */
        post_pads[1] = k % 2;
        out_wide = OUT_WIDE + k % 2;
        for (int way = FORWARD; way <= BACKWARD; way++)
            for (int is_flipped = 0; is_flipped < 2; is_flipped++)
                test_convolution(way, types_of[k / 2], is_flipped);
    }
    post_pads[0] = PAD, post_pads[1] = 0, out_wide = OUT_WIDE;
    test_wide_between();
    test_fused();
    test_before();
    test_populate();
    test_tensors();
    test_others();
    test_attributes();
    test_engines(FLOATS);
    test_engines(FP4);
    test_far_tensor();
    test_wrong_product();
    test_wrong_graphs();
    test_text();
    EXPECT(cudnnDestroy(handle), 0);
    return failures != 0;
}
