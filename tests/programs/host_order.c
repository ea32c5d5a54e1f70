/* What libraries compute on the host, or keep for it, is in order with a stream whose kernel waits
 * for what the host does later. */
#include <math.h>
#include <pthread.h>
#include <time.h>

#include "runtime.h"

int cuInit(unsigned flags);
int cuModuleLoadData(void **module, const void *image);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   void *stream, void **parameters, void **extra);

int cusolverSpCreate(void **handle);
int cusolverSpSetStream(void *handle, void *stream);
int cusolverSpDestroy(void *handle);
int cusolverSpCreateCsrqrInfo(void **info);
int cusolverSpDestroyCsrqrInfo(void *info);
int cusolverSpXcsrqrAnalysis(void *, int, int, int, const void *, const int *, const int *, void *);
int cusolverSpScsrqrSetup(void *, int, int, int, const void *, const float *, const int *,
                          const int *, float, void *);
int cusolverSpScsrqrFactor(void *, int, int, int, float *, float *, void *, void *);
int cusolverSpScsrqrSolve(void *, int, int, float *, float *, void *, void *);
int cusparseCreateMatDescr(void **description);
int cusparseDestroyMatDescr(void *description);

int cusolverDnCreate(void **handle);
int cusolverDnSetStream(void *handle, void *stream);
int cusolverDnDestroy(void *handle);
int cusolverDnCreateSyevjInfo(void **info);
int cusolverDnDestroySyevjInfo(void *info);
int cusolverDnXsyevjGetSweeps(void *handle, void *info, int *sweeps);
int cusolverDnSsyevj(void *, int, int, int, float *, int, float *, float *, int, int *, void *);

int curandCreateGenerator(void **generator, int type);
int curandSetStream(void *generator, void *stream);
int curandSetGeneratorOffset(void *generator, unsigned long long offset);
int curandGeneratePoisson(void *generator, unsigned *out, size_t count, double lambda);
int curandDestroyGenerator(void *generator);

/* Writes value to out[0] once the flag is not 0. */
static const char waits[] =
    ".version 6.4\n.target sm_70\n.address_size 64\n"
    ".visible .entry waits(.param .u64 flag, .param .u64 out, .param .u32 value)\n{\n"
    ".reg .b64 %rd<3>;\n.reg .b32 %r<3>;\n.reg .pred %p<2>;\n"
    "ld.param.u64 %rd1, [flag];\nld.param.u64 %rd2, [out];\nld.param.u32 %r2, [value];\n"
    "AGAIN:\nld.volatile.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra AGAIN;\n"
    "st.global.u32 [%rd2], %r2;\nret;\n}\n";

static void *function, *stream;
static volatile unsigned *flag;
static pthread_t thread;

/* After some time, in which who does not wait goes on. */
static void *let_go(void *self)
{
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    *flag = 1;
    return self;
}

static void begin(void *out, float value)
{
    unsigned bits;
    void *parameters[] = {&flag, &out, &bits};
    memcpy(&bits, &value, sizeof bits);
    *flag = 0;
    EXPECT(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL), 0);
    EXPECT(pthread_create(&thread, NULL, let_go, NULL), 0);
}

static void end(void)
{
    EXPECT(pthread_join(thread, NULL), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
}

static void *managed(size_t bytes)
{
    void *made = NULL;
    EXPECT(cudaMallocManaged(&made, bytes, 1), 0);
    memset(made, 0, bytes);
    return made;
}

static void test_kept_factors(void)
{
    void *handle, *description, *info;
    int *starts = managed(2 * sizeof *starts), *indices = managed(sizeof *indices);
    float *values = managed(sizeof *values), *b = managed(sizeof *b), *x = managed(sizeof *x);
    starts[1] = 1, values[0] = 2, b[0] = 1;
    EXPECT(cusolverSpCreate(&handle), 0);
    EXPECT(cusolverSpSetStream(handle, stream), 0);
    EXPECT(cusparseCreateMatDescr(&description), 0);
    EXPECT(cusolverSpCreateCsrqrInfo(&info), 0);
    EXPECT(cusolverSpXcsrqrAnalysis(handle, 1, 1, 1, description, starts, indices, info), 0);
    EXPECT(cusolverSpScsrqrSetup(handle, 1, 1, 1, description, values, starts, indices, 0, info),
           0);
    EXPECT(cusolverSpScsrqrFactor(handle, 1, 1, 1, NULL, NULL, info, NULL), 0);
    begin(b, 6);
    EXPECT(cusolverSpScsrqrSolve(handle, 1, 1, b, x, info, NULL), 0);
    end();
    EXPECT(x[0] == 3, 1);
    EXPECT(cusolverSpDestroyCsrqrInfo(info), 0);
    EXPECT(cusparseDestroyMatDescr(description), 0);
    EXPECT(cusolverSpDestroy(handle), 0);
}

static void test_sweeps(void)
{
    void *handle, *info;
    float *a = managed(4 * sizeof *a), *values = managed(2 * sizeof *values),
          *space = managed(1000 * sizeof *space), *out = managed(sizeof *out);
    int *failed = managed(sizeof *failed), sweeps = 0;
    a[0] = a[3] = 2, a[1] = 1;
    EXPECT(cusolverDnCreate(&handle), 0);
    EXPECT(cusolverDnSetStream(handle, stream), 0);
    EXPECT(cusolverDnCreateSyevjInfo(&info), 0);
    begin(out, 1);
    EXPECT(cusolverDnSsyevj(handle, 1, 0, 2, a, 2, values, space, 1000, failed, info), 0);
    EXPECT(cusolverDnXsyevjGetSweeps(handle, info, &sweeps), 0);
    end();
    EXPECT(sweeps > 0, 1);
    EXPECT(cusolverDnDestroySyevjInfo(info), 0);
    EXPECT(cusolverDnDestroy(handle), 0);
}

/* Numbers of two expectations, whose tables take each other's place. */
static void test_poisson(void)
{
    enum { COUNT = 100 };
    void *generator;
    unsigned *expected = managed(COUNT * sizeof *expected), *got = managed(COUNT * sizeof *got),
             *others = managed(COUNT * sizeof *others);
    float *out = managed(sizeof *out);
    EXPECT(curandCreateGenerator(&generator, 161), 0);
    EXPECT(curandSetStream(generator, stream), 0);
    EXPECT(curandGeneratePoisson(generator, expected, COUNT, 1000), 0);
    EXPECT(curandSetGeneratorOffset(generator, 0), 0);
    begin(out, 1);
    EXPECT(curandGeneratePoisson(generator, got, COUNT, 1000), 0);
    EXPECT(curandGeneratePoisson(generator, others, COUNT, 900), 0);
    end();
    EXPECT(memcmp(expected, got, COUNT * sizeof *got), 0);
    EXPECT(curandDestroyGenerator(generator), 0);
}

int main(void)
{
    void *module;
    EXPECT(cuInit(0), 0);
    EXPECT(cudaStreamCreate(&stream), 0);
    EXPECT(cuModuleLoadData(&module, waits), 0);
    EXPECT(cuModuleGetFunction(&function, module, "waits"), 0);
    flag = managed(sizeof *flag);
    test_kept_factors();
    test_sweeps();
    test_poisson();
    return failures != 0;
}
