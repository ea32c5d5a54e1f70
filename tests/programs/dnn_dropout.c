/* cuDNN's dropout: what is left out, what is kept, and that gradients follow. */
#include "dnn_values.h"

int cudnnCreateDropoutDescriptor(void **made);
int cudnnDestroyDropoutDescriptor(void *self);
int cudnnDropoutGetStatesSize(void *handle, size_t *bytes);
int cudnnDropoutGetReserveSpaceSize(void *x_shape, size_t *bytes);
int cudnnSetDropoutDescriptor(void *self, void *handle, float rate, void *states, size_t bytes,
                              unsigned long long seed);
int cudnnRestoreDropoutDescriptor(void *self, void *handle, float rate, void *states, size_t bytes,
                                  unsigned long long seed);
int cudnnGetDropoutDescriptor(void *self, void *handle, float *rate, void **states,
                              unsigned long long *seed);
int cudnnDropoutForward(void *handle, void *self, void *x_shape, void *x, void *y_shape, void *y,
                        void *reserve, size_t reserve_bytes);
int cudnnDropoutBackward(void *handle, void *self, void *dy_shape, void *dy, void *dx_shape,
                         void *dx, void *reserve, size_t reserve_bytes);

static void *handle, *dropout, *states;
static size_t states_bytes;
static const int DIMS[] = {4, 5, 10, 10};

/* Ones, in and out. */
struct pass {
    struct tensor x, y;
    void *reserve;
    size_t reserve_bytes;
};

static struct pass make_pass(int type, const int *dims)
{
    struct pass p = {.x = make_tensor(type, CHANNELS_LAST, 4, dims),
                     .y = make_tensor(type, GAPS, 4, dims)};
    for (size_t i = 0; i < p.x.count; i++)
        if (p.x.values[i] == 0)
            p.x.values[i] = 1;
    upload(&p.x);
    EXPECT(cudnnDropoutGetReserveSpaceSize(p.x.shape, &p.reserve_bytes), OK);
    EXPECT(cudaMalloc(&p.reserve, p.reserve_bytes), 0);
    return p;
}

static void free_pass(struct pass *p)
{
    free_tensor(&p->x);
    free_tensor(&p->y);
    EXPECT(cudaFree(p->reserve), 0);
}

/* What becomes of x; the result is freed by the caller. */
static double *forward(const struct pass *p)
{
    EXPECT(cudnnDropoutForward(handle, dropout, p->x.shape, p->x.device, p->y.shape, p->y.device,
                               p->reserve, p->reserve_bytes),
           OK);
    return download(&p->y);
}

/* Each element is 0 or scaled; the gradient goes the same way. Gives how many are kept. */
static size_t check_pass(const struct pass *p, const double *y, double rate)
{
    const struct tensor dx = make_tensor(p->x.type, PLAIN, 4, p->x.dims);
    double *expected = calloc(p->x.count, sizeof *expected);
    size_t kept = 0;
    for (size_t i = 0; i < p->x.count; i++) {
        kept += y[i] != 0;
        expected[i] = y[i] != 0 ? p->x.values[i] / (1 - rate) : 0;
    }
    expect_values("kept", &p->y, expected, 0);
    EXPECT(cudnnDropoutBackward(handle, dropout, p->x.shape, p->x.device, dx.shape, dx.device,
                                p->reserve, p->reserve_bytes),
           OK);
    expect_values("gradient", &dx, expected, 0);
    free(expected);
    free_tensor((struct tensor *)&dx);
    return kept;
}

static void check_type(int type, double rate)
{
    struct pass p = make_pass(type, DIMS);
    EXPECT(cudnnSetDropoutDescriptor(dropout, handle, (float)rate, states, states_bytes, 99), OK);
    double *first = forward(&p);
    const size_t kept = check_pass(&p, first, rate);
    const double wanted = (double)p.x.count * (1 - rate);
    EXPECT(fabs((double)kept - wanted) <= 4 * sqrt(wanted * rate), 1);
    double *second = forward(&p);
    check_pass(&p, second, rate);
    EXPECT(!memcmp(first, second, p.x.count * sizeof *first), rate == 0);
    /* from where the states are, then from their beginning again */
    EXPECT(cudnnRestoreDropoutDescriptor(dropout, handle, (float)rate, states, states_bytes, 99),
           OK);
    double *third = forward(&p);
    EXPECT(!memcmp(first, third, p.x.count * sizeof *first), rate == 0);
    EXPECT(cudnnSetDropoutDescriptor(dropout, handle, (float)rate, states, states_bytes, 99), OK);
    double *fourth = forward(&p);
    EXPECT(memcmp(first, fourth, p.x.count * sizeof *first), 0);
    free(first);
    free(second);
    free(third);
    free(fourth);
    free_pass(&p);
}

/* Seed 0 begins with the words of Philox's published test: 0x6627e8d5, 0xe169c58d, 0xbc57ac4c,
 * 0x9b00dbd8. */
static void test_known_numbers(void)
{
    static const double numbers[] = {0x6627e8d5p-32, 0xe169c58dp-32, 0xbc57ac4cp-32,
                                     0x9b00dbd8p-32};
    for (int i = 0; i < 4; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            struct pass p = make_pass(FLOAT, (int[]){1, 1, 1, 4});
            const double rate = numbers[i] + sign * 1e-6;
            EXPECT(cudnnSetDropoutDescriptor(dropout, handle, (float)rate, states, states_bytes, 0),
                   OK);
            double *y = forward(&p);
            for (int k = 0; k < 4; k++)
                EXPECT(y[k] != 0, numbers[k] > rate);
            free(y);
            free_pass(&p);
        }
}

static void test_ends(void)
{
    struct pass p = make_pass(FLOAT, DIMS);
    float rate = -1;
    unsigned long long seed = 0;
    void *told = NULL;
    void *other;
    EXPECT(cudnnCreateDropoutDescriptor(&other), OK);
    EXPECT(cudnnRestoreDropoutDescriptor(other, handle, 0, NULL, 0, 5), BAD_PARAM);
    for (int i = 0; i < 2; i++) { /* without states, whatever the rate is */
        EXPECT(cudnnDropoutForward(handle, other, p.x.shape, p.x.device, p.y.shape, p.y.device,
                                   p.reserve, p.reserve_bytes),
               BAD_PARAM);
        EXPECT(cudnnSetDropoutDescriptor(other, handle, 0, NULL, 0, 5), OK);
    }
    EXPECT(cudnnDestroyDropoutDescriptor(other), OK);
    EXPECT(cudnnSetDropoutDescriptor(dropout, handle, 0, NULL, 0, 5), OK); /* the states stay */
    double *y = forward(&p);
    EXPECT(check_pass(&p, y, 0), p.x.count);
    free(y);
    EXPECT(cudnnSetDropoutDescriptor(dropout, handle, 1, states, states_bytes, 5), OK);
    y = forward(&p);
    for (size_t i = 0; i < p.x.count; i++)
        EXPECT(y[i] == 0, 1);
    free(y);
    EXPECT(cudnnGetDropoutDescriptor(dropout, handle, &rate, &told, &seed), OK);
    EXPECT(rate == 1 && told == states && seed == 5, 1);
    EXPECT(cudnnSetDropoutDescriptor(dropout, handle, 1.5f, states, states_bytes, 5), BAD_PARAM);
    EXPECT(cudnnSetDropoutDescriptor(dropout, handle, 0.5f, states, states_bytes - 1, 5),
           BAD_PARAM);
    EXPECT(cudnnSetDropoutDescriptor(dropout, NULL, 0.5f, states, states_bytes, 5), BAD_PARAM);
    EXPECT(cudnnDropoutForward(handle, dropout, p.x.shape, p.x.device, p.y.shape, p.y.device,
                               p.reserve, p.reserve_bytes - 1),
           BAD_PARAM);
    EXPECT(cudnnSetDropoutDescriptor(dropout, handle, 0.5f, NULL, 0, 5), OK);
    EXPECT(cudnnGetDropoutDescriptor(dropout, handle, &rate, &told, &seed), OK);
    EXPECT(rate == 0.5f && told == states, 1);
    free_pass(&p);
}

int main(void)
{
    EXPECT(cudnnCreate(&handle), OK);
    EXPECT(cudnnCreateDropoutDescriptor(&dropout), OK);
    EXPECT(cudnnDropoutGetStatesSize(handle, &states_bytes), OK);
    EXPECT(cudaMalloc(&states, states_bytes), 0);
    for (size_t t = 0; t < sizeof dnn_types / sizeof *dnn_types; t++) {
        check_type(dnn_types[t], 0.5);
        check_type(dnn_types[t], 0.125);
    }
    check_type(FLOAT, 0);
    test_known_numbers();
    test_ends();
    EXPECT(cudaFree(states), 0);
    EXPECT(cudnnDestroyDropoutDescriptor(dropout), OK);
    EXPECT(cudnnDestroy(handle), OK);
    return failures != 0;
}
