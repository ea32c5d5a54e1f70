/* cuRAND's distributions: each compared with what the same generator's words or uniform numbers
 * give when the host computes with them, and its generators MT19937 and Sobol's of 64 bits and
 * scrambled. */
#include <math.h>
#include <stdbool.h>

#include "runtime.h"

struct histogram {
    const double *bounds, *host_bounds;
    const uint32_t *others, *host_others;
    uint32_t is_of_host;
};
struct shifted {
    struct histogram *histogram, *on_host;
    uint32_t least, length, is_of_host;
};
struct distribution {
    void *self;
    struct shifted *table, *on_host;
    double deviation, mean;
    int method;
};

int curandCreateGenerator(void **made, int type);
int curandCreateGeneratorHost(void **made, int type);
int curandDestroyGenerator(void *generator);
int curandSetPseudoRandomGeneratorSeed(void *generator, unsigned long long seed);
int curandSetGeneratorOffset(void *generator, unsigned long long offset);
int curandSetGeneratorOrdering(void *generator, int ordering);
int curandSetQuasiRandomGeneratorDimensions(void *generator, unsigned dimensions);
int curandGenerate(void *generator, uint32_t *out, size_t count);
int curandGenerateLongLong(void *generator, uint64_t *out, size_t count);
int curandGenerateUniform(void *generator, float *out, size_t count);
int curandGenerateUniformDouble(void *generator, double *out, size_t count);
int curandGenerateNormal(void *generator, float *out, size_t count, float mean, float deviation);
int curandGenerateNormalDouble(void *generator, double *out, size_t count, double mean,
                               double deviation);
int curandGenerateLogNormal(void *generator, float *out, size_t count, float mean, float deviation);
int curandGenerateLogNormalDouble(void *generator, double *out, size_t count, double mean,
                                  double deviation);
int curandGeneratePoisson(void *generator, uint32_t *out, size_t count, double lambda);
int curandGeneratePoissonMethod(void *generator, uint32_t *out, size_t count, double lambda,
                                int method);
int curandCreatePoissonDistribution(double lambda, struct distribution **made);
int curandDestroyDistribution(struct distribution *distribution);
int curandGetDirectionVectors32(uint32_t (**vectors)[32], int set);
int curandGetDirectionVectors64(uint64_t (**vectors)[64], int set);
int curandGetScrambleConstants32(uint32_t **constants);
int curandGetScrambleConstants64(uint64_t **constants);
int curandGetProperty(int type, int *value);

enum {
    XORWOW = 101,
    MRG32K3A = 121,
    MTGP32 = 141,
    MT19937 = 142,
    PHILOX = 161,
    SOBOL32 = 201,
    SCRAMBLED32 = 202,
    SOBOL64 = 203,
    SCRAMBLED64 = 204,
    COUNT = 4096
};
static uint32_t words[4 * COUNT];
static uint64_t longs[COUNT];
static float floats[COUNT], other_floats[COUNT];
static double doubles[COUNT], other_doubles[COUNT];

static void *begin(int type)
{
    void *generator = NULL;
    EXPECT(curandCreateGeneratorHost(&generator, type), 0);
    if (type < SOBOL32)
        EXPECT(curandSetPseudoRandomGeneratorSeed(generator, 1234), 0);
    return generator;
}

static bool is_near(double value, double wanted, double relative)
{
    return fabs(value - wanted) <= relative * (1 + fabs(wanted));
}

static int bad_pair(const double *pair, const uint32_t *w, int next)
{
    const double u = (double)(w[0] ^ (uint64_t)w[next] << 21) * 0x1p-53 + 0x1p-54,
                 v = (double)(w[2 * next] ^ (uint64_t)w[3 * next] << 21) * 0x1p-53 + 0x1p-54,
                 length = sqrt(-2 * log(u)), angle = 2 * 3.14159265358979323846 * v;
    return !is_near(pair[0], 5 + 2 * length * sin(angle), 1e-14) +
           !is_near(pair[1], 5 + 2 * length * cos(angle), 1e-14);
}

/* Each of Philox's 65,536 sequences gives two pairs in a row, and of words four. */
static void test_philox_doubles(void)
{
    void *generator = begin(PHILOX);
    int bad = 0;
    EXPECT(curandGenerateNormalDouble(generator, doubles, COUNT, 5, 2), 0);
    EXPECT(curandDestroyGenerator(generator), 0);
    for (int four = 0; four < 2; four++) {
        generator = begin(PHILOX);
        EXPECT(curandSetGeneratorOffset(generator, (uint64_t)four << 18), 0);
        EXPECT(curandGenerate(generator, words, COUNT), 0);
        EXPECT(curandDestroyGenerator(generator), 0);
        for (int i = 0; i < COUNT / 4; i++)
            bad += bad_pair(doubles + 4 * i + 2 * four, words + 4 * i, 1);
    }
    EXPECT(bad, 0);
}

/* XORWOW's pair i is of the next four words of sequence i; MT19937's of words 4 i on. */
static void test_normal_doubles(int type, int step, int next)
{
    void *generator = begin(type);
    int bad = 0;
    EXPECT(curandGenerate(generator, words, 4 * COUNT), 0);
    EXPECT(curandDestroyGenerator(generator), 0);
    generator = begin(type);
    EXPECT(curandGenerateNormalDouble(generator, doubles, COUNT, 5, 2), 0);
    EXPECT(curandDestroyGenerator(generator), 0);
    for (int i = 0; i < COUNT / 2; i++)
        bad += bad_pair(doubles + 2 * i, words + i * step, next);
    EXPECT(bad, 0);
}

static void test_logarithms(int type)
{
    void *generator = begin(type);
    int bad = 0;
    EXPECT(curandGenerateNormal(generator, floats, COUNT, 0.5f, 2), 0);
    EXPECT(curandDestroyGenerator(generator), 0);
    generator = begin(type);
    EXPECT(curandGenerateLogNormal(generator, other_floats, COUNT, 0.5f, 2), 0);
    EXPECT(curandDestroyGenerator(generator), 0);
    generator = begin(type);
    EXPECT(curandGenerateNormalDouble(generator, doubles, COUNT, 0.5, 2), 0);
    EXPECT(curandDestroyGenerator(generator), 0);
    generator = begin(type);
    EXPECT(curandGenerateLogNormalDouble(generator, other_doubles, COUNT, 0.5, 2), 0);
    EXPECT(curandDestroyGenerator(generator), 0);
    for (int i = 0; i < COUNT; i++) {
        bad += !(fabs(other_floats[i] / exp(floats[i]) - 1) < 1e-7);
        bad += !(fabs(other_doubles[i] / exp(doubles[i]) - 1) < 1e-15);
    }
    EXPECT(bad, 0);
}

static double probability(double lambda, double k)
{
    return exp(k * log(lambda) - lambda - lgamma(k + 1));
}

/* Each number is where Poisson's sums pass the uniform number. */
static void test_poisson(int type, double lambda)
{
    void *generator = begin(type);
    int bad = 0;
    EXPECT(curandGenerateUniformDouble(generator, doubles, COUNT), 0);
    EXPECT(curandDestroyGenerator(generator), 0);
    generator = begin(type);
    EXPECT(curandGeneratePoisson(generator, words, COUNT, lambda), 0);
    EXPECT(curandDestroyGenerator(generator), 0);
    for (int i = 0; i < 500; i++) {
        const double from = lambda - 12 * sqrt(lambda) > 0 ? floor(lambda - 12 * sqrt(lambda)) : 0;
        double before = 0;
        for (double k = from; k < words[i]; k++)
            before += probability(lambda, k);
        bad += !(before <= doubles[i] + 1e-8);
        bad += !(before + probability(lambda, words[i]) >= doubles[i] - 1e-8);
    }
    EXPECT(bad, 0);
}

static void test_poisson_calls(void)
{
    void *generator = begin(PHILOX);
    EXPECT(curandGeneratePoisson(generator, words, 3, 7), 0);
    EXPECT(curandGeneratePoissonMethod(generator, words, 3, 7, 0), 0);
    EXPECT(curandGeneratePoisson(generator, words, 3, 0), 104);
    EXPECT(curandGeneratePoisson(generator, words, 3, -1), 104);
    EXPECT(curandGeneratePoisson(generator, words, 3, NAN), 104);
    EXPECT(curandGeneratePoisson(generator, words, 3, 400001), 104);
    EXPECT(curandGeneratePoisson(NULL, words, 3, 7), 101);
    EXPECT(curandGenerateNormalDouble(generator, doubles, 3, 0, 1), 105);
    EXPECT(curandGenerateLogNormal(generator, floats, 3, 0, 1), 105);
    EXPECT(curandGenerateLogNormalDouble(generator, NULL, 4, 0, 1), 104);
    EXPECT(curandGenerateLogNormalDouble(NULL, doubles, 4, 0, 1), 101);
    EXPECT(curandGenerateLongLong(generator, longs, 4), 103);
    EXPECT(curandDestroyGenerator(generator), 0);
}

/* The table's squares together have of each value its probability. */
static void test_distribution(double lambda)
{
    struct distribution *made = NULL;
    EXPECT(curandCreatePoissonDistribution(lambda, &made), 0);
    const struct shifted *table = made->table;
    const uint32_t length = table->length;
    double *sums = calloc(length, sizeof *sums), width = 1.0 / length;
    int bad = 0;
    for (uint32_t i = 0; i < length; i++) {
        const double own = table->histogram->bounds[i] - i * width;
        bad += !(own >= -1e-15 && own <= width + 1e-15);
        sums[i] += own;
        sums[table->histogram->others[i]] += width - own;
    }
    for (uint32_t i = 0; i < length; i++)
        bad += !(fabs(sums[i] - probability(lambda, (double)table->least + i)) < 1e-9);
    EXPECT(bad, 0);
    EXPECT(made->mean == lambda && is_near(made->deviation, sqrt(lambda), 1e-15), 1);
    EXPECT(made->method, 5);
    free(sums);
    EXPECT(curandDestroyDistribution(made), 0);
}

static void test_twister(void)
{
    void *generator = NULL;
    uint32_t *there = NULL;
    EXPECT(curandCreateGenerator(&generator, MT19937), 0);
    EXPECT(cudaMalloc((void **)&there, 10000 * sizeof *there), 0);
    EXPECT(curandSetPseudoRandomGeneratorSeed(generator, 5489), 0);
    EXPECT(curandGenerate(generator, there, 1000), 0);
    EXPECT(cudaMemcpy(words, there, 4000, DEVICE_TO_HOST), 0);
    EXPECT(words[0], 3499211612u); /* as C++'s std::mt19937 */
    EXPECT(curandGenerate(generator, there, 9000), 0);
    EXPECT(cudaMemcpy(words, there, 36000, DEVICE_TO_HOST), 0);
    EXPECT(words[8999], 4123659995u);
    EXPECT(curandSetPseudoRandomGeneratorSeed(generator, 0x1234567800000005), 0);
    EXPECT(curandGenerate(generator, there, 2), 0);
    EXPECT(cudaMemcpy(words, there, 8, DEVICE_TO_HOST), 0);
    EXPECT(words[0], 2964489017u); /* as Python's random */
    EXPECT(words[1], 1611077040);
    EXPECT(curandSetGeneratorOffset(generator, 1), 103);
    EXPECT(cudaFree(there), 0);
    EXPECT(curandDestroyGenerator(generator), 0);
}

/* Of a point of dimension d: its gray code's directions, and a constant. */
static uint64_t point_of(const uint64_t directions[64], uint64_t constant, uint64_t number)
{
    for (uint64_t gray = number ^ number >> 1; gray; gray >>= 1, directions++)
        if (gray & 1)
            constant ^= *directions;
    return constant;
}

static void test_long_points(int type, int set)
{
    enum { DIMENSIONS = 8, POINTS = COUNT / DIMENSIONS };
    uint64_t(*vectors)[64] = NULL, *constants = NULL;
    void *generator = begin(type);
    int bad = 0;
    EXPECT(curandGetDirectionVectors64(&vectors, set), 0);
    EXPECT(curandGetScrambleConstants64(&constants), 0);
    EXPECT(curandSetQuasiRandomGeneratorDimensions(generator, DIMENSIONS), 0);
    EXPECT(curandSetGeneratorOffset(generator, 5), 0);
    EXPECT(curandGenerateLongLong(generator, longs, COUNT), 0);
    EXPECT(curandSetGeneratorOffset(generator, 5), 0);
    EXPECT(curandGenerateUniformDouble(generator, doubles, COUNT), 0);
    EXPECT(curandSetGeneratorOffset(generator, 5), 0);
    EXPECT(curandGenerateUniform(generator, floats, COUNT), 0);
    for (uint64_t i = 0; i < COUNT; i++) {
        const uint64_t d = i / POINTS;
        bad += longs[i] !=
               point_of(vectors[d], type == SCRAMBLED64 ? constants[d] : 0, 5 + i % POINTS);
        bad += doubles[i] != (double)(longs[i] >> 11) * 0x1p-53 + 0x1p-54;
        bad += !is_near(floats[i], (double)longs[i] * 0x1p-64, 1e-7);
    }
    EXPECT(bad, 0);
    EXPECT(curandGenerate(generator, words, 8), 103);
    EXPECT(curandGenerateLongLong(generator, longs, 9), 105);
    EXPECT(curandDestroyGenerator(generator), 0);
}

/* Of 1024 points each of 1024 parts has one, scrambled or not, and the constant is the first. */
static void test_scrambled(void)
{
    uint32_t(*vectors)[32] = NULL, *constants = NULL;
    void *generator = begin(SCRAMBLED32);
    int bad = 0;
    EXPECT(curandGetDirectionVectors32(&vectors, 102), 0);
    EXPECT(curandGetScrambleConstants32(&constants), 0);
    EXPECT(curandSetQuasiRandomGeneratorDimensions(generator, 4), 0);
    EXPECT(curandGenerate(generator, words, 4 * 1024), 0);
    for (int d = 0; d < 4; d++) {
        char seen[1024] = {0};
        for (int i = 0; i < 1024; i++)
            bad += seen[words[d * 1024 + i] >> 22]++ != 0;
        bad += words[d * 1024] != constants[d] || constants[d] == 0;
        bad += words[d * 1024 + 1] != (constants[d] ^ vectors[d][0]);
    }
    EXPECT(bad, 0);
    EXPECT(curandDestroyGenerator(generator), 0);
}

/* The number that a normal one is below as rarely as the point says. */
static void test_normal_points(int type, double unit)
{
    void *generator = begin(type);
    int bad = 0;
    EXPECT(curandSetGeneratorOffset(generator, 1), 0);
    EXPECT(curandGenerateUniformDouble(generator, other_doubles, COUNT), 0);
    EXPECT(curandSetGeneratorOffset(generator, 1), 0);
    EXPECT(curandGenerateNormalDouble(generator, doubles, COUNT, 0, 1), 0);
    EXPECT(curandSetGeneratorOffset(generator, 1), 0);
    EXPECT(curandGenerateNormal(generator, floats, COUNT, 1, 3), 0);
    for (int i = 0; i < COUNT; i++) {
        const double p = other_doubles[i] - unit;
        bad += !(fabs(erfc(-doubles[i] / sqrt(2)) / 2 - p) < 1e-15);
        bad += !(fabs(floats[i] - 1 - 3 * doubles[i]) < 1e-6 * (1 + fabs(floats[i])));
    }
    EXPECT(bad, 0);
    EXPECT(curandGenerateNormal(generator, floats, 3, 0, 1), 0);
    EXPECT(curandGeneratePoisson(generator, words, 3, 2), 0);
    EXPECT(curandDestroyGenerator(generator), 0);
}

static void test_settings(void)
{
    void *generator = begin(XORWOW), *points = begin(SOBOL32);
    uint64_t(*vectors)[64] = NULL;
    int value = -1;
    for (int order = 99; order <= 105; order++)
        EXPECT(curandSetGeneratorOrdering(generator, order), order < 100 || order > 104 ? 104 : 0);
    EXPECT(curandSetGeneratorOrdering(points, 201), 0);
    EXPECT(curandGenerateLongLong(generator, longs, 0), 0);
    EXPECT(curandGenerateNormal(generator, NULL, 0, 0, 1), 0);
    EXPECT(curandDestroyGenerator(generator), 0);
    generator = begin(MRG32K3A);
    EXPECT(curandSetGeneratorOrdering(generator, 102), 104);
    EXPECT(curandSetGeneratorOrdering(points, 101), 104);
    EXPECT(curandSetGeneratorOrdering(NULL, 101), 101);
    EXPECT(curandGetProperty(0, &value), 0);
    EXPECT(value, 10);
    EXPECT(curandGetProperty(3, &value), 104);
    EXPECT(curandGetProperty(0, NULL), 104);
    EXPECT(curandGetDirectionVectors64(&vectors, 101), 104);
    EXPECT(curandGetDirectionVectors64(NULL, 103), 104);
    EXPECT(curandGetScrambleConstants32(NULL), 104);
    EXPECT(curandCreatePoissonDistribution(3, NULL), 104);
    EXPECT(curandCreatePoissonDistribution(0, (void *)&generator), 104);
    EXPECT(curandDestroyDistribution(NULL), 101);
    EXPECT(curandDestroyGenerator(generator), 0);
    EXPECT(curandDestroyGenerator(points), 0);
    capture_stderr();
    EXPECT(curandCreateGenerator(&generator, MTGP32), 103);
    EXPECT_TEXT(captured_stderr(), "warplens: curandCreateGenerator (cuRAND) of a type other than "
                                   "XORWOW, MRG32k3a, MT19937, Philox and Sobol's is not supported "
                                   "by the simulated GPU and returned an error\n");
}

int main(void)
{
    static const int types[] = {XORWOW,  MRG32K3A,    MT19937, PHILOX,
                                SOBOL32, SCRAMBLED32, SOBOL64, SCRAMBLED64};
    test_normal_doubles(XORWOW, 1, COUNT);
    test_normal_doubles(MT19937, 4, 1);
    test_philox_doubles();
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        test_logarithms(types[i]);
        test_poisson(types[i], 10);
    }
    test_poisson(XORWOW, 0.5);
    test_poisson(MRG32K3A, 3000);
    test_poisson(MT19937, 400000);
    test_poisson_calls();
    test_distribution(0.25);
    test_distribution(10);
    test_distribution(5000);
    test_twister();
    test_long_points(SOBOL64, 103);
    test_long_points(SCRAMBLED64, 104);
    test_scrambled();
    test_normal_points(SOBOL32, 0x1p-33);
    test_normal_points(SOBOL64, 0);
    test_settings();
    return failures != 0;
}
