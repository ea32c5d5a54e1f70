/* cuRAND's generators for the host's use. XORWOW draws words, floats and doubles in the order that
 * cuRAND documents for it (element n is from place (n mod 4096) 2^67 + n / 4096 of the sequence);
 * its normal numbers and all of Philox have an order of ours. Numbers are those of the cuRAND
 * documentation. */
#include <pthread.h>
#include <string.h>

#include "api/common/stand_in.h"
#include "api/curand/sequences.h"
#include "base/count.h"

#define VERSION 10400
#define MAGIC 0x77637264u

static struct wl_stand_in kernels = {.file = &wl_embedded_curand[0]};

enum {
    OK = 0,
    NOT_INITIALIZED = 101,
    ALLOCATION_FAILED = 102,
    TYPE_ERROR = 103,
    OUT_OF_RANGE = 104,
    LENGTH_NOT_MULTIPLE = 105,
    LAUNCH_FAILURE = 201,
    INTERNAL_ERROR = 999,
};
enum {
    PSEUDO_DEFAULT = 100,
    PSEUDO_XORWOW = 101,
    PSEUDO_MRG32K3A = 121,
    PSEUDO_PHILOX = 161,
    QUASI_DEFAULT = 200,
    QUASI_SOBOL32 = 201,
};
enum { DIRECTIONS_JOE_KUO_32 = 101 };
enum kind { WORDS, FLOATS, DOUBLES, NORMAL };

/* A type of generator: its sequences (0: it has none) and its kernel. */
struct family {
    int type;
    unsigned sequences;
    void (*make_states)(uint64_t seed, uint64_t offset, struct wl_curand_state *states);
    const char *kernel;
};

struct generator {
    uint32_t magic;
    const struct family *family;
    bool is_on_host;
    unsigned dimensions;  /* of a quasi-random one */
    uint64_t seed, first; /* elements drawn so far, and the offset that the program set */
    void *stream;
    void *table; /* in device memory: states, or directions; NULL: to be made */
};

static const struct family families[] = {
    {PSEUDO_XORWOW, WL_CURAND_XORWOW_SEQUENCES, wl_curand_xorwow_states, "warplens_random_xorwow"},
    {PSEUDO_MRG32K3A, WL_CURAND_MRG32K3A_SEQUENCES, wl_curand_mrg32k3a_states,
     "warplens_random_mrg32k3a"},
    {PSEUDO_PHILOX, 0, NULL, "warplens_random_philox"},
    {QUASI_SOBOL32, 0, NULL, "warplens_random_sobol32"},
};

static bool is_quasi(const struct generator *generator)
{
    return generator->family->type == QUASI_SOBOL32;
}

/* The host can write device memory here. */
static int make_table(struct generator *generator)
{
    const struct family *family = generator->family;
    const size_t bytes = is_quasi(generator) ? generator->dimensions * sizeof(uint32_t[32])
                                             : family->sequences * sizeof(struct wl_curand_state);
    if (generator->table || bytes == 0)
        return OK;
    if (wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, bytes, 0, &generator->table))
        return ALLOCATION_FAILED;
    if (family->make_states)
        family->make_states(generator->seed, generator->first, generator->table);
    if (is_quasi(generator))
        wl_curand_directions((int)generator->dimensions, generator->table);
    wl_device_memory_tell_written(generator->table, bytes);
    return OK;
}

static void forget_table(struct generator *generator)
{
    if (generator->table)
        wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, generator->table);
    generator->table = NULL;
}

/* ---- the generators ---- */

static int create(struct generator **made, int type, bool is_on_host)
{
    if (!made)
        return OUT_OF_RANGE;
    if (wl_device_check())
        return NOT_INITIALIZED;
    type = type == PSEUDO_DEFAULT ? PSEUDO_XORWOW : type == QUASI_DEFAULT ? QUASI_SOBOL32 : type;
    const struct family *family = families;
    while (family < families + WL_COUNT(families) && family->type != type)
        family++;
    if (family == families + WL_COUNT(families)) {
        wl_device_refuse("curandCreateGenerator (cuRAND) of a type other than XORWOW, MRG32k3a, "
                         "Philox and Sobol32");
        return TYPE_ERROR;
    }
    *made = wl_stand_in_create(MAGIC, sizeof **made);
    (*made)->family = family;
    (*made)->is_on_host = is_on_host;
    (*made)->dimensions = 1;
    return OK;
}

int curandCreateGenerator(struct generator **made, int type)
{
    return create(made, type, false);
}

int curandCreateGeneratorHost(struct generator **made, int type)
{
    return create(made, type, true);
}

int curandDestroyGenerator(struct generator *generator)
{
    if (!wl_stand_in_check(generator, MAGIC))
        return NOT_INITIALIZED;
    forget_table(generator);
    wl_stand_in_destroy(generator, MAGIC);
    return OK;
}

/* Where the generator has come to in its sequences stays, as an H200 has it. */
int curandSetPseudoRandomGeneratorSeed(struct generator *generator, unsigned long long seed)
{
    if (!wl_stand_in_check(generator, MAGIC))
        return NOT_INITIALIZED;
    if (is_quasi(generator))
        return TYPE_ERROR;
    forget_table(generator);
    generator->seed = seed;
    return OK;
}

/* Before the first elements, of which there are `offset` in all sequences together, or of
 * quasi-random points. */
int curandSetGeneratorOffset(struct generator *generator, unsigned long long offset)
{
    if (!wl_stand_in_check(generator, MAGIC))
        return NOT_INITIALIZED;
    if (generator->family->make_states)
        forget_table(generator);
    generator->first = offset;
    return OK;
}

int curandSetQuasiRandomGeneratorDimensions(struct generator *generator, unsigned dimensions)
{
    if (!wl_stand_in_check(generator, MAGIC))
        return NOT_INITIALIZED;
    if (!is_quasi(generator))
        return TYPE_ERROR;
    if (dimensions == 0 || dimensions > WL_CURAND_DIMENSIONS)
        return OUT_OF_RANGE;
    forget_table(generator);
    generator->dimensions = dimensions;
    return OK;
}

int curandSetStream(struct generator *generator, void *stream)
{
    if (!wl_stand_in_check(generator, MAGIC))
        return NOT_INITIALIZED;
    generator->stream = stream;
    return OK;
}

int curandGenerateSeeds(struct generator *generator)
{
    if (!wl_stand_in_check(generator, MAGIC))
        return NOT_INITIALIZED;
    return make_table(generator);
}

int curandSetGeneratorOrdering(struct generator *generator, int ordering)
{
    (void)ordering; /* there is one */
    return wl_stand_in_check(generator, MAGIC) ? OK : NOT_INITIALIZED;
}

int curandGetVersion(int *version)
{
    if (!version)
        return OUT_OF_RANGE;
    *version = VERSION;
    return OK;
}

/* Elements (of NORMAL: pairs) to memory that kernels reach. */
static int draw(struct generator *generator, enum kind kind, void *out, uint64_t count, float mean,
                float deviation)
{
    const struct family *family = generator->family;
    int number = kind, status = make_table(generator);
    uint64_t sequences = family->sequences, points = count / generator->dimensions;
    void *of_sequences[] = {&number,           &out,       &count, &generator->first,
                            &generator->table, &sequences, &mean,  &deviation};
    void *of_counters[] = {&number,          &out,  &count,    &generator->first,
                           &generator->seed, &mean, &deviation};
    void *of_points[] = {&number, &out, &count, &generator->first, &generator->table, &points};
    if (status)
        return status;
    int failed =
        wl_stand_in_run(&kernels, family->kernel,
                        sequences && count > sequences ? sequences : count, generator->stream,
                        sequences             ? of_sequences
                        : is_quasi(generator) ? of_points
                                              : of_counters);
    generator->first += is_quasi(generator)             ? points
                        : !sequences && kind >= DOUBLES ? 2 * count
                                                        : count;
    return failed ? LAUNCH_FAILURE : OK;
}

static int generate(struct generator *generator, enum kind kind, void *out, size_t count,
                    size_t element_bytes, float mean, float deviation)
{
    void *there;
    if (!wl_stand_in_check(generator, MAGIC))
        return NOT_INITIALIZED;
    if (!out)
        return OUT_OF_RANGE;
    if (is_quasi(generator) && count % generator->dimensions)
        return LENGTH_NOT_MULTIPLE;
    if (!generator->is_on_host || count == 0)
        return draw(generator, kind, out, count, mean, deviation);
    const size_t bytes = count * element_bytes;
    if (wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, bytes, 0, &there))
        return ALLOCATION_FAILED;
    int status = draw(generator, kind, there, count, mean, deviation);
    if (!status)
        memcpy(out, there, bytes);
    wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, there);
    return status;
}

int curandGenerate(struct generator *generator, unsigned *out, size_t count)
{
    return generate(generator, WORDS, out, count, sizeof *out, 0, 1);
}

int curandGenerateUniform(struct generator *generator, float *out, size_t count)
{
    return generate(generator, FLOATS, out, count, sizeof *out, 0, 1);
}

int curandGenerateUniformDouble(struct generator *generator, double *out, size_t count)
{
    return generate(generator, DOUBLES, out, count, sizeof *out, 0, 1);
}

int curandGenerateNormal(struct generator *generator, float *out, size_t count, float mean,
                         float deviation)
{
    if (wl_stand_in_check(generator, MAGIC) && is_quasi(generator)) {
        wl_device_refuse("curandGenerateNormal (cuRAND) of a quasi-random generator");
        return TYPE_ERROR;
    }
    if (count % 2)
        return LENGTH_NOT_MULTIPLE;
    return generate(generator, NORMAL, out, count / 2, 2 * sizeof *out, mean, deviation);
}

/* ---- directions for kernels that draw by themselves ---- */

static uint32_t (*directions)[32];

static void make_directions(void)
{
    directions = malloc(WL_CURAND_DIMENSIONS * sizeof *directions);
    if (directions)
        wl_curand_directions(WL_CURAND_DIMENSIONS, directions);
}

int curandGetDirectionVectors32(uint32_t (**vectors)[32], int set)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (set != DIRECTIONS_JOE_KUO_32)
        wl_device_refuse("curandGetDirectionVectors32 (cuRAND) of scrambled sequences");
    if (set != DIRECTIONS_JOE_KUO_32 || !vectors)
        return OUT_OF_RANGE;
    pthread_once(&once, make_directions);
    *vectors = directions;
    return directions ? OK : ALLOCATION_FAILED;
}

/* ---- what is not there ---- */

#define U(name)                              \
    int name(void);                          \
    int name(void)                           \
    {                                        \
        wl_device_refuse(#name " (cuRAND)"); \
        return INTERNAL_ERROR;               \
    }
#include "api/curand/unsupported.def"
#undef U
