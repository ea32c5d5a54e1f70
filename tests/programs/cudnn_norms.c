/* Normalisation in cuDNN's graphs, compared with the same on the host; gradients with differences.
 */
#include "cudnn_graph.h"

enum { NORM_MODE = 27, NORM_PHASE = 28 };
enum { LAYER = 0, INSTANCE = 1, BATCHES = 2, GROUPS_OF = 3, RMS = 4 };
enum { N = 3, C = 4, H = 2, W = 3, ELEMENTS = N * C * H * W };
enum {
    X,
    Y,
    MEAN,
    INVERSE,
    SCALE,
    BIAS,
    EPSILON_ID,
    FACTOR_ID,
    OLD_MEAN,
    OLD_VARIANCE,
    NEW_MEAN,
    NEW_VARIANCE,
    DY,
    DSCALE,
    DBIAS
};
static const int64_t x_sizes[] = {N, C, H, W};
static const double epsilon = 0.125, factor = 0.25;

/* The sizes of means and of scales. */
static void find_sizes(int mode, int64_t *means, int64_t *scales)
{
    const bool is_layer = mode == LAYER || mode == RMS;
    const int64_t m[] = {mode == BATCHES ? 1 : N, is_layer ? 1 : C, 1, 1},
                  s[] = {1, C, is_layer ? H : 1, is_layer ? W : 1};
    memcpy(means, m, sizeof m);
    memcpy(scales, s, sizeof s);
}

/* Which element of a tensor of those sizes x's element i belongs to. */
static int element_of(const int64_t *sizes, int i)
{
    const int index[] = {i / (C * H * W), i / (H * W) % C, i / W % H, i % W};
    int at = 0;
    for (int k = 0; k < 4; k++)
        at = at * (int)sizes[k] + (sizes[k] == 1 ? 0 : index[k]);
    return at;
}

struct normalised {
    double mean[ELEMENTS], variance[ELEMENTS], inverse[ELEMENTS], y[ELEMENTS];
    int count; /* elements with the same mean */
};

static struct normalised normalise(int mode)
{
    struct normalised made = {.count = 0};
    int64_t means[4], scales[4];
    find_sizes(mode, means, scales);
    made.count = ELEMENTS / (int)(means[0] * means[1]);
    for (int i = 0; i < ELEMENTS && mode != RMS; i++)
        made.mean[element_of(means, i)] += host[X][i] / made.count;
    for (int i = 0; i < ELEMENTS; i++) {
        const double x = host[X][i] - made.mean[element_of(means, i)];
        made.variance[element_of(means, i)] += x * x / made.count;
    }
    for (int i = 0; i < ELEMENTS; i++) {
        const int of = element_of(means, i), scale = element_of(scales, i);
        made.inverse[of] = 1 / sqrt(made.variance[of] + epsilon);
        made.y[i] = (host[X][i] - made.mean[of]) * made.inverse[of] * host[SCALE][scale] +
                    host[BIAS][scale];
    }
    return made;
}

static void *value_tensor(int id)
{
    const int64_t one[] = {1, 1, 1, 1};
    const char flag = 1;
    void *made = make(17);
    set_enum(made, 901, DATA, FLOATS);
    set(made, 902, INT64, 4, one);
    set(made, 903, INT64, 4, one);
    set_number(made, 906, id);
    set_number(made, 900, 4);
    set(made, 908, BOOLEAN, 1, &flag);
    EXPECT(cudnnBackendFinalize(made), 0);
    return made;
}

/* Runs with the two numbers of the host in place of tensors' memory. */
static void run_with_values(void *operation, int count, void **tensors)
{
    float values[] = {(float)epsilon, (float)factor};
    device[EPSILON_ID] = &values[0];
    device[FACTOR_ID] = &values[1];
    run(1, &operation, count, tensors);
    device[EPSILON_ID] = device[FACTOR_ID] = NULL;
}

static void test_forward(int mode, bool is_training)
{
    const struct {
        int id, name;
    } rows[] = {{X, 2002},        {SCALE, 2005},       {BIAS, 2006},     {Y, 2013},
                {MEAN, 2003},     {INVERSE, 2004},     {OLD_MEAN, 2009}, {OLD_VARIANCE, 2010},
                {NEW_MEAN, 2011}, {NEW_VARIANCE, 2012}};
    int64_t means[4], scales[4];
    void *operation = make(29), *tensors[12];
    int count = 0;
    find_sizes(mode, means, scales);
    set_enum(operation, 2000, NORM_MODE, mode);
    set_enum(operation, 2001, NORM_PHASE, is_training);
    for (int i = 0; i < (!is_training ? 4 : mode == BATCHES ? 10 : 6); i++) {
        if (mode == RMS && rows[i].id == MEAN)
            continue;
        tensors[count] = tensor(rows[i].id, DOUBLES, 4,
                                rows[i].id <= Y ? x_sizes
                                : i < 3         ? scales
                                                : means);
        set_part(operation, rows[i].name, tensors[count++]);
    }
    set_part(operation, 2007, tensors[count++] = value_tensor(EPSILON_ID));
    set_part(operation, 2008, tensors[count++] = value_tensor(FACTOR_ID));
    run_with_values(operation, count, tensors);
    const struct normalised wanted = normalise(mode);
    for (int i = 0; i < ELEMENTS; i++)
        expect_near("y", mode * 1000 + i, got(Y, i), wanted.y[i], 1e-13);
    for (int i = 0; i < (int)(means[0] * means[1]) && is_training; i++) {
        const double whole = wanted.variance[i] * wanted.count / (wanted.count - 1);
        if (mode != RMS)
            expect_near("mean", mode * 1000 + i, got(MEAN, i), wanted.mean[i], 1e-14);
        expect_near("inverse", mode * 1000 + i, got(INVERSE, i), wanted.inverse[i], 1e-14);
        if (mode != BATCHES)
            continue;
        expect_near("running mean", i, got(NEW_MEAN, i),
                    (1 - factor) * host[OLD_MEAN][i] + factor * wanted.mean[i], 1e-14);
        expect_near("running variance", i, got(NEW_VARIANCE, i),
                    (1 - factor) * host[OLD_VARIANCE][i] + factor * whole, 1e-14);
    }
}

/* Of batches by means that are given. */
static void test_inference(void)
{
    const int ids[] = {X, Y, MEAN, INVERSE, SCALE, BIAS},
              names[] = {2002, 2013, 2003, 2004, 2005, 2006};
    const int64_t sizes[] = {1, C, 1, 1};
    void *operation = make(29), *tensors[6];
    set_enum(operation, 2000, NORM_MODE, BATCHES);
    set_enum(operation, 2001, NORM_PHASE, 0);
    for (int i = 0; i < 6; i++) {
        tensors[i] = tensor(ids[i], DOUBLES, 4, i < 2 ? x_sizes : sizes);
        set_part(operation, names[i], tensors[i]);
    }
    run(1, &operation, 6, tensors);
    for (int i = 0; i < ELEMENTS; i++) {
        const int c = i / (H * W) % C;
        expect_near("inference", i, got(Y, i),
                    (host[X][i] - host[MEAN][c]) * host[INVERSE][c] * host[SCALE][c] +
                        host[BIAS][c],
                    1e-14);
    }
}

/* The sum of which the gradients are. */
static double sum_of(int mode)
{
    const struct normalised of = normalise(mode);
    double sum = 0;
    for (int i = 0; i < ELEMENTS; i++)
        sum += of.y[i] * host[DY][i];
    return sum;
}

static void expect_gradients(const char *what, int mode, int made, int of)
{
    for (int i = 0; i < counts[made]; i++) {
        const double kept = host[of][i], h = 1e-5;
        host[of][i] = kept + h;
        const double more = sum_of(mode);
        host[of][i] = kept - h;
        const double less = sum_of(mode);
        host[of][i] = kept;
        expect_near(what, mode * 1000 + i, got(made, i), (more - less) / (2 * h), 1e-8);
    }
}

static void test_gradients(int mode)
{
    const struct {
        int id, name;
    } rows[] = {{X, 2101},      {DY, 2104},    {Y, 2109},       {SCALE, 2105},
                {DSCALE, 2107}, {DBIAS, 2108}, {INVERSE, 2103}, {MEAN, 2102}};
    int64_t means[4], scales[4];
    void *operation = make(30), *tensors[8];
    int count = 0;
    find_sizes(mode, means, scales);
    set_enum(operation, 2100, NORM_MODE, mode);
    for (int i = 0; i < 8 - (mode == RMS); i++) {
        tensors[i] = tensor(rows[i].id, DOUBLES, 4, i < 3 ? x_sizes : i < 6 ? scales : means);
        set_part(operation, rows[i].name, tensors[i]);
        count++;
    }
    const struct normalised of = normalise(mode);
    memcpy(host[MEAN], of.mean, sizeof of.mean);
    memcpy(host[INVERSE], of.inverse, sizeof of.inverse);
    upload(INVERSE);
    if (mode != RMS)
        upload(MEAN);
    run(1, &operation, count, tensors);
    expect_gradients("dx", mode, Y, X);
    expect_gradients("dscale", mode, DSCALE, SCALE);
    expect_gradients("dbias", mode, DBIAS, BIAS);
}

static void test_wrong(void)
{
    const int64_t odd[] = {N, C, H, 2};
    void *x = tensor(X, DOUBLES, 4, x_sizes), *y = tensor(Y, DOUBLES, 4, odd),
         *operation = make(29);
    set_enum(operation, 2000, NORM_MODE, INSTANCE);
    set_enum(operation, 2001, NORM_PHASE, 0);
    set_part(operation, 2002, x);
    EXPECT(cudnnBackendFinalize(operation), BAD_PARAM); /* y is missing */
    set_part(operation, 2013, y);
    EXPECT(cudnnBackendFinalize(operation), BAD_PARAM); /* of other sizes */
    set_part(operation, 2013, x);
    set_enum(operation, 2000, NORM_MODE, LAYER);
    EXPECT(cudnnBackendFinalize(operation), BAD_PARAM); /* without a scale */
    set_enum(operation, 2000, NORM_MODE, GROUPS_OF);
    void *graph = make_graph(1, &operation), *engine = make(2);
    EXPECT(cudnnBackendFinalize(graph), 0);
    set_part(engine, 1300, graph);
    set_number(engine, 1301, 0);
    capture_stderr();
    EXPECT(cudnnBackendFinalize(engine), NOT_SUPPORTED);
    EXPECT(strstr(captured_stderr(), "operation of descriptor type 29") != NULL, 1);
    void *const all[] = {x, y, operation, graph, engine};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        EXPECT(cudnnBackendDestroyDescriptor(all[i]), 0);
}

int main(void)
{
    static const int modes[] = {LAYER, INSTANCE, BATCHES, RMS};
    EXPECT(cudnnCreate(&handle), 0);
    for (int i = 0; i < 4; i++) {
        test_forward(modes[i], true);
        if (modes[i] != BATCHES)
            test_forward(modes[i], false);
        test_gradients(modes[i]);
    }
    test_inference();
    test_wrong();
    EXPECT(cudnnDestroy(handle), 0);
    return failures != 0;
}
