/* cuDNN's spatial transformers, compared with their definition. */
#include "dnn_values.h"

int cudnnCreateSpatialTransformerDescriptor(void **made);
int cudnnDestroySpatialTransformerDescriptor(void *self);
int cudnnSetSpatialTransformerNdDescriptor(void *self, int sampler, int type, int rank,
                                           const int *dims);
int cudnnSpatialTfGridGeneratorForward(void *handle, void *transformer, void *theta, void *grid);
int cudnnSpatialTfGridGeneratorBackward(void *handle, void *transformer, void *dgrid, void *dtheta);
int cudnnSpatialTfSamplerForward(void *handle, void *transformer, const void *alpha, void *x_shape,
                                 void *x, void *grid, const void *beta, void *y_shape, void *y);
int cudnnSpatialTfSamplerBackward(void *handle, void *transformer, const void *alpha, void *x_shape,
                                  void *x, const void *beta, void *dx_shape, void *dx,
                                  const void *grid_alpha, void *dy_shape, void *dy, void *grid,
                                  const void *grid_beta, void *dgrid);

enum { BATCH = 2, CHANNELS = 3, IN_H = 4, IN_W = 6, OUT_H = 5, OUT_W = 7, PLANE = OUT_H * OUT_W };
static const int OUT[] = {BATCH, CHANNELS, OUT_H, OUT_W}, IN[] = {BATCH, CHANNELS, IN_H, IN_W};

enum { INT32 = 4 };

static void *handle, *transformer;

static void test_grid(int type)
{
    struct tensor theta = make_tensor(type, PLAIN, 3, (int[]){BATCH, 2, 3}),
                  grid = make_tensor(type, PLAIN, 4, (int[]){BATCH, OUT_H, OUT_W, 2}),
                  dgrid = make_tensor(type, PLAIN, 4, (int[]){BATCH, OUT_H, OUT_W, 2});
    double dtheta[BATCH * 6] = {0};
    for (int i = 0; i < BATCH * PLANE; i++)
        for (int row = 0; row < 2; row++) {
            const double places[] = {-1 + 2.0 * (i % OUT_W) / (OUT_W - 1),
                                     -1 + 2.0 * (i / OUT_W % OUT_H) / (OUT_H - 1), 1};
            grid.values[2 * i + row] = 0;
            for (int k = 0; k < 3; k++) {
                const int at = i / PLANE * 6 + row * 3 + k;
                grid.values[2 * i + row] += theta.values[at] * places[k];
                dtheta[at] += dgrid.values[2 * i + row] * places[k];
            }
        }
    EXPECT(cudnnSpatialTfGridGeneratorForward(handle, transformer, theta.device, grid.device), OK);
    expect_values("grid", &grid, grid.values, 1);
    EXPECT(cudnnSpatialTfGridGeneratorBackward(handle, transformer, dgrid.device, theta.device),
           OK);
    expect_values("theta's gradient", &theta, dtheta, 4);
    EXPECT(cudnnSpatialTfGridGeneratorForward(handle, transformer, NULL, grid.device), BAD_PARAM);
    EXPECT(cudnnSpatialTfGridGeneratorForward(handle, theta.shape, theta.device, grid.device),
           BAD_PARAM);
    EXPECT(cudnnSpatialTfGridGeneratorBackward(NULL, transformer, dgrid.device, theta.device),
           BAD_PARAM);
    free_tensor(&theta);
    free_tensor(&grid);
    free_tensor(&dgrid);
}

/* A grid of one place has the first one, not the middle. */
static void test_grid_of_one(void)
{
    static const double theta_values[] = {1, 0.5, 0.25, -0.25, 1, 0};
    struct tensor theta = make_tensor(FLOAT, PLAIN, 3, (int[]){1, 2, 3}),
                  grid = make_tensor(FLOAT, PLAIN, 4, (int[]){1, 1, 1, 2});
    memcpy(theta.values, theta_values, sizeof theta_values);
    upload(&theta);
    EXPECT(cudnnSetSpatialTransformerNdDescriptor(transformer, 0, FLOAT, 4, (int[]){1, 1, 1, 1}),
           OK);
    EXPECT(cudnnSpatialTfGridGeneratorForward(handle, transformer, theta.device, grid.device), OK);
    expect_values("grid of one", &grid, (double[]){-1.25, -0.75}, 0);
    free_tensor(&theta);
    free_tensor(&grid);
}

/* A picture between its elements, as a sum over all of them of what is nearer than one element. */
static double hat(double distance)
{
    return fabs(distance) < 1 ? 1 - fabs(distance) : 0;
}

static double hat_slope(double distance)
{
    return fabs(distance) >= 1 ? 0 : distance < 0 ? 1 : -1;
}

/* Of elements of x that y's element i consists of, with w their parts. */
struct sums {
    double *y, *dx, *dgrid;
};

static struct sums expected_of(const struct tensor *x, const struct tensor *grid,
                               const struct tensor *dy)
{
    struct sums made = {calloc(dy->count, sizeof(double)), calloc(x->count, sizeof(double)),
                        calloc(grid->count, sizeof(double))};
    for (size_t i = 0; i < dy->count; i++) {
        const size_t plane = i / PLANE, place = plane / CHANNELS * PLANE + i % PLANE;
        const double at_x = (grid->values[2 * place] + 1) / 2 * (IN_W - 1),
                     at_y = (grid->values[2 * place + 1] + 1) / 2 * (IN_H - 1);
        for (int h = 0; h < IN_H; h++)
            for (int w = 0; w < IN_W; w++) {
                const size_t from = (plane * IN_H + (size_t)h) * IN_W + (size_t)w;
                const double part = hat(at_x - w) * hat(at_y - h);
                made.y[i] += part * x->values[from];
                made.dx[from] += part * dy->values[i];
                made.dgrid[2 * place] += hat_slope(at_x - w) * hat(at_y - h) * x->values[from] *
                                         dy->values[i] * (IN_W - 1) / 2;
                made.dgrid[2 * place + 1] += hat(at_x - w) * hat_slope(at_y - h) * x->values[from] *
                                             dy->values[i] * (IN_H - 1) / 2;
            }
    }
    return made;
}

static void test_samples(int type, double alpha, double beta)
{
    struct tensor x = make_tensor(type, CHANNELS_LAST, 4, IN), dx = make_tensor(type, GAPS, 4, IN),
                  y = make_tensor(type, PLAIN, 4, OUT),
                  dy = make_tensor(type, CHANNELS_LAST, 4, OUT),
                  grid = make_tensor(type, PLAIN, 4, (int[]){BATCH, OUT_H, OUT_W, 2}),
                  dgrid = make_tensor(type, PLAIN, 4, (int[]){BATCH, OUT_H, OUT_W, 2});
    const union factor a = factor_of(type, alpha), b = factor_of(type, beta);
    for (size_t i = 0; i < grid.count; i++) /* not at an element, where the slope changes */
        grid.values[i] = grid.values[i] / 2 + 0.046875;
    grid.values[0] = 0x1p15;
    grid.values[3] = -0x1p15;
    upload(&grid);
    struct sums expected = expected_of(&x, &grid, &dy);
    for (size_t i = 0; i < y.count; i++)
        expected.y[i] = alpha * expected.y[i] + beta * y.values[i];
    for (size_t i = 0; i < x.count; i++)
        expected.dx[i] = alpha * expected.dx[i] + beta * dx.values[i];
    for (size_t i = 0; i < grid.count; i++)
        expected.dgrid[i] = beta == 0 ? alpha * expected.dgrid[i]
                                      : beta * expected.dgrid[i] + alpha * dgrid.values[i];
    if (beta == 0)
        EXPECT(cudaMemset(dx.device, 0xff, dx.stored * type_bytes(type)), 0);
    EXPECT(cudnnSpatialTfSamplerForward(handle, transformer, &a, x.shape, x.device, grid.device, &b,
                                        y.shape, y.device),
           OK);
    expect_values("samples", &y, expected.y, 4);
    EXPECT(cudnnSpatialTfSamplerBackward(handle, transformer, &a, x.shape, x.device, &b, dx.shape,
                                         dx.device, beta == 0 ? &a : &b, dy.shape, dy.device,
                                         grid.device, beta == 0 ? &b : &a, dgrid.device),
           OK);
    expect_values("picture's gradient", &dx, expected.dx, 8);
    expect_values("grid's gradient", &dgrid, expected.dgrid, 32);
    EXPECT(cudnnSpatialTfSamplerForward(handle, transformer, &a, x.shape, x.device, grid.device, &b,
                                        x.shape, y.device),
           BAD_PARAM);
    EXPECT(cudnnSpatialTfSamplerBackward(handle, transformer, &a, x.shape, x.device, &b, dy.shape,
                                         dx.device, &a, dy.shape, dy.device, grid.device, &b,
                                         dgrid.device),
           BAD_PARAM);
    free(expected.y);
    free(expected.dx);
    free(expected.dgrid);
    struct tensor *const all[] = {&x, &dx, &y, &dy, &grid, &dgrid};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free_tensor(all[i]);
}

int main(void)
{
    EXPECT(cudnnCreate(&handle), OK);
    EXPECT(cudnnCreateSpatialTransformerDescriptor(&transformer), OK);
    for (size_t t = 0; t < sizeof dnn_types / sizeof *dnn_types; t++) {
        const int type = dnn_types[t];
        EXPECT(cudnnSetSpatialTransformerNdDescriptor(transformer, 0, type, 4, OUT), OK);
        test_grid(type);
        test_samples(type, 1, 0);
        test_samples(type, 2, -0.5);
    }
    test_grid_of_one();
    EXPECT(cudnnSetSpatialTransformerNdDescriptor(transformer, 1, FLOAT, 4, OUT), BAD_PARAM);
    EXPECT(cudnnSetSpatialTransformerNdDescriptor(transformer, 0, FLOAT, 4, NULL), BAD_PARAM);
    capture_stderr();
    EXPECT(cudnnSetSpatialTransformerNdDescriptor(transformer, 0, FLOAT, 5, OUT), NOT_SUPPORTED);
    EXPECT(cudnnSetSpatialTransformerNdDescriptor(transformer, 0, INT32, 4, OUT), NOT_SUPPORTED);
    EXPECT(strstr(captured_stderr(), "other than pictures") != NULL, 1);
    EXPECT(cudnnDestroySpatialTransformerDescriptor(transformer), OK);
    EXPECT(cudnnDestroy(handle), OK);
    return failures != 0;
}
