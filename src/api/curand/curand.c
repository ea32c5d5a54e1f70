/* cuRAND's generators for the host's use. XORWOW draws its numbers in the order that cuRAND
 * documents for it (element n is from place (n mod 4096) 2^67 + n / 4096 of the sequence), Philox
 * in that of an H200's cuRAND; those of MT19937 have an order of ours. Numbers are those of the
 * cuRAND documentation. */
#include <pthread.h>
#include <string.h>

#include "api/common/stand_in.h"
#include "api/curand/poisson.h"
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
};
enum {
    PSEUDO_DEFAULT = 100,
    PSEUDO_XORWOW = 101,
    PSEUDO_MRG32K3A = 121,
    PSEUDO_MT19937 = 142,
    PSEUDO_PHILOX = 161,
    QUASI_DEFAULT = 200,
    QUASI_SOBOL32 = 201,
    QUASI_SCRAMBLED_SOBOL32 = 202,
    QUASI_SOBOL64 = 203,
    QUASI_SCRAMBLED_SOBOL64 = 204,
};
enum { ORDER_BEST = 100, ORDER_SEEDED = 102, ORDER_DYNAMIC = 104, ORDER_QUASI = 201 };
/* What is drawn, as the kernels number it. */
enum kind { WORDS, FLOATS, DOUBLES, NORMAL, NORMAL_DOUBLE, LONGS };
/* How a generator comes to its numbers: each sequence for itself, by counting, one word after the
 * other, by points of so many dimensions. */
enum way { SEQUENCES, COUNTER, TWISTER, POINTS };

struct family {
    int type;
    enum way way;
    unsigned sequences;
    void (*make_states)(uint64_t seed, uint64_t offset, struct wl_curand_state *states);
    const char *kernel;
    bool is_wide, is_scrambled; /* of points */
};

/* In device memory, as large as it has been needed. */
struct room {
    void *at;
    size_t bytes;
};

struct generator {
    uint32_t magic;
    const struct family *family;
    bool is_on_host;
    unsigned dimensions;  /* of a quasi-random one */
    uint64_t seed, first; /* elements drawn so far, and the offset that the program set */
    void *stream;
    void *table; /* in device memory: states, or directions; NULL: to be made */
    struct room words, numbers, sums;
    double lambda; /* that the sums are of; 0: none */
};

static const struct family families[] = {
    {.type = PSEUDO_XORWOW,
     .way = SEQUENCES,
     .sequences = WL_CURAND_XORWOW_SEQUENCES,
     .make_states = wl_curand_xorwow_states,
     .kernel = "warplens_random_xorwow"},
    {.type = PSEUDO_MRG32K3A,
     .way = SEQUENCES,
     .sequences = WL_CURAND_MRG32K3A_SEQUENCES,
     .make_states = wl_curand_mrg32k3a_states,
     .kernel = "warplens_random_mrg32k3a"},
    {.type = PSEUDO_PHILOX, .way = COUNTER, .kernel = "warplens_random_philox"},
    {.type = PSEUDO_MT19937, .way = TWISTER, .kernel = "warplens_random_stored"},
    {.type = QUASI_SOBOL32, .way = POINTS, .kernel = "warplens_random_sobol32"},
    {.type = QUASI_SCRAMBLED_SOBOL32,
     .way = POINTS,
     .is_scrambled = true,
     .kernel = "warplens_random_sobol32"},
    {.type = QUASI_SOBOL64, .way = POINTS, .is_wide = true, .kernel = "warplens_random_sobol64"},
    {.type = QUASI_SCRAMBLED_SOBOL64,
     .way = POINTS,
     .is_wide = true,
     .is_scrambled = true,
     .kernel = "warplens_random_sobol64"},
};

static bool is_quasi(const struct generator *generator)
{
    return generator->family->way == POINTS;
}

static size_t table_bytes(const struct generator *generator)
{
    const struct family *family = generator->family;
    switch (family->way) {
    case SEQUENCES:
        return family->sequences * sizeof(struct wl_curand_state);
    case TWISTER:
        return WL_CURAND_MT19937_WORDS * sizeof(uint32_t);
    case POINTS:
        return generator->dimensions *
               (family->is_wide ? sizeof(uint64_t[65]) : sizeof(uint32_t[33]));
    default:
        return 0;
    }
}

/* The host can write device memory here. */
static int make_table(struct generator *generator)
{
    const struct family *family = generator->family;
    const size_t bytes = table_bytes(generator);
    if (generator->table || bytes == 0)
        return OK;
    if (wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, bytes, 0, &generator->table))
        return ALLOCATION_FAILED;
    if (family->way == SEQUENCES)
        family->make_states(generator->seed, generator->first, generator->table);
    else if (family->way == TWISTER)
        wl_curand_mt19937_state(generator->seed, generator->table);
    else
        wl_curand_directions(&(struct wl_curand_directions){.count = (int)generator->dimensions,
                                                            .is_wide = family->is_wide,
                                                            .is_scrambled = family->is_scrambled,
                                                            .has_constants = true,
                                                            .to = generator->table});
    wl_device_memory_tell_written(generator->table, bytes);
    return OK;
}

static void forget_table(struct generator *generator)
{
    if (generator->table)
        wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, generator->table);
    generator->table = NULL;
}

static void empty(struct room *room)
{
    if (room->at)
        wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, room->at);
    *room = (struct room){NULL, 0};
}

static int reserve(struct room *room, size_t bytes)
{
    if (bytes <= room->bytes)
        return OK;
    empty(room);
    if (wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, bytes, 0, &room->at))
        return ALLOCATION_FAILED;
    room->bytes = bytes;
    return OK;
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
                         "MT19937, Philox and Sobol's");
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
    empty(&generator->words);
    empty(&generator->numbers);
    empty(&generator->sums);
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
    if (generator->family->way == TWISTER)
        return TYPE_ERROR;
    if (generator->family->way == SEQUENCES)
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

/* Every one is computed as the one that there is. */
int curandSetGeneratorOrdering(struct generator *generator, int ordering)
{
    if (!wl_stand_in_check(generator, MAGIC))
        return NOT_INITIALIZED;
    if (is_quasi(generator) ? ordering != ORDER_QUASI
                            : ordering < ORDER_BEST || ordering > ORDER_DYNAMIC)
        return OUT_OF_RANGE;
    if (ordering == ORDER_SEEDED && generator->family->type != PSEUDO_XORWOW)
        return OUT_OF_RANGE;
    return OK;
}

int curandGetProperty(int type, int *value)
{
    if (!value || type < 0 || type > 2)
        return OUT_OF_RANGE;
    *value = type == 0 ? VERSION / 1000 : type == 1 ? VERSION % 1000 / 100 : VERSION % 100;
    return OK;
}

int curandGetVersion(int *version)
{
    if (!version)
        return OUT_OF_RANGE;
    *version = VERSION;
    return OK;
}

/* ---- numbers ---- */

/* What a program asks for: in memory of its own, or of the host. */
struct request {
    enum kind kind;
    void *out;
    size_t count, element_bytes;
    double mean, deviation;
    double lambda; /* of Poisson's distribution, with DOUBLES; 0: of none */
    bool is_logarithm;
};

/* Words in the order of the sequence, for a kernel that makes numbers of them. */
static int draw_twisted(struct generator *generator, uint64_t word_count, uint32_t *to)
{
    void *parameters[] = {&generator->table, &to, &word_count};
    return word_count ? wl_stand_in_run(&kernels, "warplens_random_mt19937", WL_STAND_IN_THREADS,
                                        generator->stream, parameters)
                      : 0;
}

static uint64_t words_of(enum kind kind)
{
    return kind == NORMAL_DOUBLE ? 4 : kind >= DOUBLES ? 2 : 1;
}

/* Elements (of normal numbers: pairs, but of points) to memory that kernels reach. */
static int draw(struct generator *generator, const struct request *of, void *out, uint64_t count)
{
    const struct family *family = generator->family;
    int number = of->kind, status = make_table(generator);
    uint64_t sequences = family->sequences, points = count / generator->dimensions;
    double mean = of->mean, deviation = of->deviation;
    if (!status && family->way == TWISTER)
        status = reserve(&generator->words, count * words_of(of->kind) * sizeof(uint32_t));
    if (status)
        return status;
    void *of_way[][8] = {
        [SEQUENCES] = {&number, &out, &count, &generator->first, &generator->table, &sequences,
                       &mean, &deviation},
        [COUNTER] = {&number, &out, &count, &generator->first, &generator->seed, &mean, &deviation},
        [TWISTER] = {&number, &out, &count, &generator->words.at, &mean, &deviation},
        [POINTS] = {&number, &out, &count, &generator->first, &generator->table, &points, &mean,
                    &deviation},
    };
    int failed = 0;
    if (family->way == TWISTER)
        failed = draw_twisted(generator, count * words_of(of->kind), generator->words.at);
    if (!failed)
        failed = wl_stand_in_run(&kernels, family->kernel,
                                 sequences && count > sequences ? sequences : count,
                                 generator->stream, of_way[family->way]);
    generator->first += family->way == POINTS    ? points
                        : family->way == COUNTER ? count * words_of(of->kind)
                                                 : count;
    return failed ? LAUNCH_FAILURE : OK;
}

/* Of each value the probability that the number is not larger. What was drawn with other sums may
 * not be done yet. */
static int make_sums(struct generator *generator, double lambda, struct wl_curand_poisson range)
{
    if (generator->lambda == lambda)
        return OK;
    const size_t bytes = range.length * sizeof(double);
    if (generator->sums.at && wl_device_wait())
        return LAUNCH_FAILURE;
    generator->lambda = 0;
    if (reserve(&generator->sums, bytes))
        return ALLOCATION_FAILED;
    double *sums = generator->sums.at;
    wl_curand_poisson_fill(lambda, range, sums);
    for (uint32_t i = 1; i < range.length; i++)
        sums[i] += sums[i - 1];
    sums[range.length - 1] = 1;
    wl_device_memory_tell_written(sums, bytes);
    generator->lambda = lambda;
    return OK;
}

/* Numbers that are never fewer the larger the uniform ones are, of which they are made. */
static int draw_poisson(struct generator *generator, const struct request *of, void *out)
{
    struct wl_curand_poisson range = wl_curand_poisson_range(of->lambda);
    uint64_t count = of->count;
    int status = make_sums(generator, of->lambda, range);
    if (!status)
        status = reserve(&generator->numbers, count * sizeof(double));
    if (!status)
        status = draw(generator, of, generator->numbers.at, count);
    void *parameters[] = {&generator->numbers.at, &out,          &count,
                          &generator->sums.at,    &range.length, &range.least};
    if (!status &&
        wl_stand_in_run(&kernels, "warplens_random_discrete", count, generator->stream, parameters))
        status = LAUNCH_FAILURE;
    return status;
}

static int draw_distributed(struct generator *generator, const struct request *of, void *out)
{
    const bool is_in_pairs =
        (of->kind == NORMAL || of->kind == NORMAL_DOUBLE) && !is_quasi(generator);
    if (of->lambda > 0)
        return draw_poisson(generator, of, out);
    int status = draw(generator, of, out, is_in_pairs ? of->count / 2 : of->count);
    int is_double = of->kind == NORMAL_DOUBLE;
    uint64_t count = of->count;
    void *parameters[] = {&is_double, &out, &count};
    if (!status && of->is_logarithm &&
        wl_stand_in_run(&kernels, "warplens_random_exponential", count, generator->stream,
                        parameters))
        status = LAUNCH_FAILURE;
    return status;
}

static int generate(struct generator *generator, const struct request *of)
{
    void *there;
    if (!wl_stand_in_check(generator, MAGIC))
        return NOT_INITIALIZED;
    if (of->count == 0)
        return OK;
    if ((of->kind == WORDS && generator->family->is_wide) ||
        (of->kind == LONGS && !generator->family->is_wide))
        return TYPE_ERROR;
    if (!of->out)
        return OUT_OF_RANGE;
    if (is_quasi(generator) ? of->count % generator->dimensions
                            : (of->kind == NORMAL || of->kind == NORMAL_DOUBLE) && of->count % 2)
        return LENGTH_NOT_MULTIPLE;
    if (!generator->is_on_host)
        return draw_distributed(generator, of, of->out);
    const size_t bytes = of->count * of->element_bytes;
    if (wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, bytes, 0, &there))
        return ALLOCATION_FAILED;
    int status = draw_distributed(generator, of, there);
    if (!status)
        memcpy(of->out, there, bytes);
    wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, there);
    return status;
}

#define UNIFORM(name, type, of_kind)                                                          \
    int name(struct generator *generator, type *out, size_t count)                            \
    {                                                                                         \
        return generate(generator,                                                            \
                        &(struct request){of_kind, out, count, sizeof *out, 0, 1, 0, false}); \
    }
#define NORMAL_NUMBERS(name, type, of_kind, is_logarithm)                                     \
    int name(struct generator *generator, type *out, size_t count, type mean, type deviation) \
    {                                                                                         \
        return generate(generator, &(struct request){of_kind, out, count, sizeof *out, mean,  \
                                                     deviation, 0, is_logarithm});            \
    }
UNIFORM(curandGenerate, uint32_t, WORDS)
UNIFORM(curandGenerateLongLong, unsigned long long, LONGS)
UNIFORM(curandGenerateUniform, float, FLOATS)
UNIFORM(curandGenerateUniformDouble, double, DOUBLES)
NORMAL_NUMBERS(curandGenerateNormal, float, NORMAL, false)
NORMAL_NUMBERS(curandGenerateNormalDouble, double, NORMAL_DOUBLE, false)
NORMAL_NUMBERS(curandGenerateLogNormal, float, NORMAL, true)
NORMAL_NUMBERS(curandGenerateLogNormalDouble, double, NORMAL_DOUBLE, true)

int curandGeneratePoisson(struct generator *generator, uint32_t *out, size_t count, double lambda)
{
    if (!wl_stand_in_check(generator, MAGIC))
        return NOT_INITIALIZED;
    if (!wl_curand_is_lambda(lambda))
        return OUT_OF_RANGE;
    return generate(generator, &(struct request){.kind = DOUBLES,
                                                 .out = out,
                                                 .count = count,
                                                 .element_bytes = sizeof *out,
                                                 .lambda = lambda});
}

/* The method changes nothing in what is drawn. */
int curandGeneratePoissonMethod(struct generator *generator, uint32_t *out, size_t count,
                                double lambda, int method)
{
    (void)method;
    return curandGeneratePoisson(generator, out, count, lambda);
}

/* ---- directions for kernels that draw by themselves; those of scrambled points are ours ---- */

enum { SET_32, SCRAMBLED_SET_32, SET_64, SCRAMBLED_SET_64, SETS, FIRST_SET = 101 };
static pthread_mutex_t sets_lock = PTHREAD_MUTEX_INITIALIZER;
static void *sets[SETS], *constants[2];

static int directions_of(int set, bool is_wide, void *to)
{
    const int number = set - FIRST_SET;
    if (number < 0 || number >= SETS || (number >= SET_64) != is_wide || !to)
        return OUT_OF_RANGE;
    pthread_mutex_lock(&sets_lock);
    if (!sets[number]) {
        sets[number] = wl_alloc_zero(WL_CURAND_DIMENSIONS,
                                     is_wide ? sizeof(uint64_t[64]) : sizeof(uint32_t[32]));
        wl_curand_directions(&(struct wl_curand_directions){.count = WL_CURAND_DIMENSIONS,
                                                            .is_wide = is_wide,
                                                            .is_scrambled = number % 2 == 1,
                                                            .to = sets[number]});
    }
    memcpy(to, &sets[number], sizeof sets[number]);
    pthread_mutex_unlock(&sets_lock);
    return OK;
}

int curandGetDirectionVectors32(uint32_t (**vectors)[32], int set)
{
    return directions_of(set, false, vectors);
}

int curandGetDirectionVectors64(uint64_t (**vectors)[64], int set)
{
    return directions_of(set, true, vectors);
}

static int constants_of(bool is_wide, void *to)
{
    if (!to)
        return OUT_OF_RANGE;
    pthread_mutex_lock(&sets_lock);
    if (!constants[is_wide])
        constants[is_wide] = wl_alloc_zero(WL_CURAND_DIMENSIONS, is_wide ? 8 : 4);
    for (int i = 0; i < WL_CURAND_DIMENSIONS; i++) {
        const uint64_t constant = wl_curand_scramble_constant(i);
        if (is_wide)
            ((uint64_t *)constants[1])[i] = constant;
        else
            ((uint32_t *)constants[0])[i] = (uint32_t)(constant >> 32);
    }
    memcpy(to, &constants[is_wide], sizeof constants[is_wide]);
    pthread_mutex_unlock(&sets_lock);
    return OK;
}

int curandGetScrambleConstants32(uint32_t **made)
{
    return constants_of(false, made);
}

int curandGetScrambleConstants64(uint64_t **made)
{
    return constants_of(true, made);
}
