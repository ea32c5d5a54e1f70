/* cuRAND's MRG32k3a and Sobol sequences. Words and hashes are those of cuRAND 10.4's generators of
 * the host, of MRG32k3a also what mrg32k3a.py computes from the published algorithm. */
#include <math.h>

#include "runtime.h"

int curandCreateGenerator(void **made, int type);
int curandCreateGeneratorHost(void **made, int type);
int curandDestroyGenerator(void *generator);
int curandSetPseudoRandomGeneratorSeed(void *generator, unsigned long long seed);
int curandSetGeneratorOffset(void *generator, unsigned long long offset);
int curandSetQuasiRandomGeneratorDimensions(void *generator, unsigned dimensions);
int curandGenerate(void *generator, uint32_t *out, size_t count);
int curandGenerateUniform(void *generator, float *out, size_t count);
int curandGenerateUniformDouble(void *generator, double *out, size_t count);
int curandGenerateNormal(void *generator, float *out, size_t count, float mean, float deviation);
int curandGetDirectionVectors32(uint32_t (**vectors)[32], int set);

enum { XORWOW = 101, MRG32K3A = 121, PHILOX = 161, SOBOL32 = 201, COUNT = 163840 };
static uint32_t words[COUNT];
static float floats[COUNT];
static double doubles[COUNT];

static uint32_t hash(const void *of, size_t count)
{
    const uint32_t *word = of;
    uint32_t sum = 2166136261u;
    for (size_t i = 0; i < count; i++)
        sum = (sum ^ word[i]) * 16777619u;
    return sum;
}

static void *begin(int type, unsigned long long seed)
{
    void *generator = NULL;
    EXPECT(curandCreateGeneratorHost(&generator, type), 0);
    EXPECT(curandSetPseudoRandomGeneratorSeed(generator, seed), type == SOBOL32 ? 103 : 0);
    return generator;
}

static void test_mrg32k3a(void)
{
    static const uint32_t first[] = {545508615, 341016064, 1125210161, 2161280324, 4046639518};
    void *generator = begin(MRG32K3A, 0), *on_device = NULL;
    uint32_t *there = NULL;
    EXPECT(curandGenerate(generator, words, 5), 0);
    EXPECT(memcmp(words, first, sizeof first), 0);
    EXPECT(curandGenerate(generator, words, 1), 0);
    EXPECT(words[0], 2878123889u);
    EXPECT(curandSetGeneratorOffset(generator, 3), 0);
    EXPECT(curandGenerate(generator, words, 2), 0);
    EXPECT(words[0], 2161280324u);
    EXPECT(curandDestroyGenerator(generator), 0);

    generator = begin(MRG32K3A, 1234);
    EXPECT(curandGenerate(generator, words, COUNT), 0);
    EXPECT(hash(words, COUNT), 1695371444u);
    EXPECT(curandSetGeneratorOffset(generator, 100000), 0);
    EXPECT(curandGenerate(generator, words, 100000), 0);
    EXPECT(hash(words, 100000), 31843755u);
    EXPECT(curandDestroyGenerator(generator), 0);

    EXPECT(cudaMalloc((void **)&there, 100000 * sizeof *there), 0);
    EXPECT(curandCreateGenerator(&on_device, MRG32K3A), 0);
    EXPECT(curandSetPseudoRandomGeneratorSeed(on_device, 1234), 0);
    EXPECT(curandSetGeneratorOffset(on_device, 100000), 0);
    EXPECT(curandGenerate(on_device, there, 100000), 0);
    EXPECT(cudaMemcpy(words, there, 100000 * sizeof *there, 2), 0);
    EXPECT(hash(words, 100000), 31843755u);
    EXPECT(curandDestroyGenerator(on_device), 0);
    EXPECT(cudaFree(there), 0);
}

/* A new seed leaves the place in the sequences, as on an H200. */
static void test_seeds(void)
{
    static const struct {
        int type;
        uint32_t fresh, seeded;
    } rows[] = {{XORWOW, 624778773, 2643141630u}, {MRG32K3A, 3379073520u, 213678209}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void *generator = begin(rows[i].type, 1234);
        EXPECT(curandGenerate(generator, words, COUNT), 0);
        EXPECT(words[0], rows[i].fresh);
        EXPECT(curandSetPseudoRandomGeneratorSeed(generator, 1234), 0);
        EXPECT(curandGenerate(generator, words, 5), 0);
        EXPECT(words[0], rows[i].seeded);
        EXPECT(curandDestroyGenerator(generator), 0);
    }
}

static void test_mrg32k3a_numbers(void)
{
    void *generator = begin(MRG32K3A, 0);
    double squares = 0;
    EXPECT(curandGenerateUniformDouble(generator, doubles, 8), 0);
    EXPECT(doubles[0] == 0x1.041e683c5cd32p-3 && doubles[7] == 0x1.ac332c6d95c75p-2, 1);
    EXPECT(curandDestroyGenerator(generator), 0);
    generator = begin(MRG32K3A, 1234);
    EXPECT(curandGenerateUniform(generator, floats, COUNT), 0);
    EXPECT(hash(floats, COUNT), 1489427882u);
    EXPECT(curandGenerateNormal(generator, floats, 10000, 2, 3), 0);
    for (int i = 0; i < 10000; i++)
        squares += ((double)floats[i] - 2) * ((double)floats[i] - 2);
    EXPECT(fabs(sqrt(squares / 10000) - 3) < 0.1, 1);
    EXPECT(curandDestroyGenerator(generator), 0);
}

/* Offsets of the others: XORWOW's words are cuRAND's from there on. */
static void test_offsets(void)
{
    static const double philox_1234[] = {0.127208, 0.853469, 0.265649, 0.796055,
                                         0.816736, 0.324165, 0.781055, 0.058918,
                                         0.543999, 0.923496, 0.441505, 0.258264};
    static const double philox_doubles_1234[] = {0.8534689954300143,  0.7960551488327052,
                                                 0.11227557330034327, 0.08006063132372038,
                                                 0.32416504567394094, 0.058917992888356474};
    void *generator = begin(XORWOW, 0);
    EXPECT(curandSetGeneratorOffset(generator, 100001), 0);
    EXPECT(curandGenerate(generator, words, 5000), 0);
    EXPECT(hash(words, 5000), 2355379804u);
    EXPECT(curandSetQuasiRandomGeneratorDimensions(generator, 2), 103);
    EXPECT(curandDestroyGenerator(generator), 0);
    generator = begin(PHILOX, 0);
    EXPECT(curandSetGeneratorOffset(generator, 3), 0);
    EXPECT(curandGenerate(generator, words, 1), 0);
    EXPECT(words[0], 2600524760u);
    EXPECT(curandDestroyGenerator(generator), 0);
    generator = begin(PHILOX, 1234);
    EXPECT(curandGenerateUniform(generator, floats, 12), 0);
    for (int i = 0; i < 12; i++) /* as NVIDIA's sample of uniform numbers prints them */
        EXPECT(fabs(floats[i] - philox_1234[i]) < 1e-6, 1);
    EXPECT(curandSetGeneratorOffset(generator, 4 * 65536), 0);
    EXPECT(curandGenerateUniform(generator, floats, 1), 0);
    EXPECT(fabs(floats[0] - 0.620832) < 1e-6, 1); /* the fifth of the first sequence */
    EXPECT(curandSetGeneratorOffset(generator, 0), 0);
    EXPECT(curandGenerateUniformDouble(generator, doubles, 6), 0);
    for (int i = 0; i < 6; i++) /* as an H200 gives them */
        EXPECT(doubles[i] == philox_doubles_1234[i], 1);
    EXPECT(curandDestroyGenerator(generator), 0);
    EXPECT(curandSetGeneratorOffset(NULL, 3), 101);
    EXPECT(curandSetQuasiRandomGeneratorDimensions(NULL, 2), 101);
}

static void test_sobol(void)
{
    void *generator = begin(SOBOL32, 0);
    EXPECT(curandGenerateUniformDouble(generator, doubles, 4), 0);
    EXPECT(doubles[0] == 0x1p-32 && doubles[3] == 0x1.00000004p-2, 1);
    EXPECT(curandSetGeneratorOffset(generator, 0), 0);
    EXPECT(curandSetQuasiRandomGeneratorDimensions(generator, 100), 0);
    EXPECT(curandGenerate(generator, words, 100000), 0);
    EXPECT(hash(words, 100000), 3147937349u);
    EXPECT(curandGenerate(generator, words, 101), 105);
    EXPECT(curandSetGeneratorOffset(generator, 1000), 0);
    EXPECT(curandSetQuasiRandomGeneratorDimensions(generator, 3), 0);
    EXPECT(curandGenerateUniform(generator, floats, 30000), 0);
    EXPECT(hash(floats, 30000), 3308658465u);
    EXPECT(curandSetQuasiRandomGeneratorDimensions(generator, 0), 104);
    EXPECT(curandSetQuasiRandomGeneratorDimensions(generator, 20001), 104);
    EXPECT(curandSetGeneratorOffset(generator, 2), 0);
    EXPECT(curandSetQuasiRandomGeneratorDimensions(generator, 20000), 0);
    EXPECT(curandGenerate(generator, words, 20000), 0);
    EXPECT(hash(words, 20000), 1996274757u);
    EXPECT(curandDestroyGenerator(generator), 0);
}

static void test_directions(void)
{
    uint32_t(*vectors)[32] = NULL;
    EXPECT(curandGetDirectionVectors32(&vectors, 101), 0);
    EXPECT(vectors[0][1], 0x40000000u);
    EXPECT(vectors[2][7], 0xc5000000u);
    EXPECT(hash(vectors, 160 * 32), 1474322601u);
    EXPECT(hash(vectors, 20000 * 32), 672947837u);
    EXPECT(curandGetDirectionVectors32(NULL, 101), 104);
    EXPECT(curandGetDirectionVectors32(&vectors, 103), 104);
}

int main(void)
{
    test_mrg32k3a();
    test_seeds();
    test_mrg32k3a_numbers();
    test_offsets();
    test_sobol();
    test_directions();
    return failures != 0;
}
