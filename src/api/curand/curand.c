/* cuRAND's generators for the host's use. XORWOW draws words, floats and doubles in the order that
 * cuRAND documents for it (element n is from place (n mod 4096) 2^67 + n / 4096 of the sequence);
 * its normal numbers and all of Philox have an order of ours. Numbers are those of the cuRAND
 * documentation. */
#include <string.h>

#include "api/common/stand_in.h"

#define VERSION 10400
#define MAGIC 0x77637264u
#define SEQUENCES 4096 /* of XORWOW */

extern const struct wl_embedded_file wl_embedded_curand[];
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
enum { PSEUDO_DEFAULT = 100, PSEUDO_XORWOW = 101, PSEUDO_PHILOX = 161 };
enum kind { WORDS, FLOATS, DOUBLES, NORMAL };

struct state {
    uint32_t v[5], d;
};

struct generator {
    uint32_t magic;
    int type;
    bool is_on_host;
    uint64_t seed, first; /* elements drawn so far, and the offset that the program set */
    void *stream;
    struct state *states; /* in device memory; NULL: to be made */
};

/* ---- XORWOW's sequences: its step is a matrix of bits over 160 bits ---- */

struct bits {
    uint32_t word[5];
};

static void step(struct bits *bits)
{
    uint32_t *v = bits->word, t = v[0] ^ v[0] >> 2;
    memmove(v, v + 1, 4 * sizeof *v);
    v[4] = (v[3] ^ v[3] << 4) ^ (t ^ t << 1);
}

/* columns[i]: where bit i goes. */
static struct bits apply(const struct bits *columns, struct bits from)
{
    struct bits sum = {{0}};
    for (int i = 0; i < 160; i++)
        for (int w = 0; w < 5 && from.word[i / 32] >> i % 32 & 1; w++)
            sum.word[w] ^= columns[i].word[w];
    return sum;
}

/* 2^67 steps; they leave the counter d as it is. */
static void make_jump(struct bits columns[160])
{
    struct bits squared[160];
    for (int i = 0; i < 160; i++) {
        columns[i] = (struct bits){{0}};
        columns[i].word[i / 32] = (uint32_t)1 << i % 32;
        step(&columns[i]);
    }
    for (int power = 0; power < 67; power++) {
        for (int i = 0; i < 160; i++)
            squared[i] = apply(columns, columns[i]);
        memcpy(columns, squared, sizeof squared);
    }
}

/* How cuRAND spreads a seed over the state. */
static struct state seeded(uint64_t seed)
{
    uint32_t low = (uint32_t)seed ^ 0xaad26b49u, high = (uint32_t)(seed >> 32) ^ 0xf7dcefddu;
    uint32_t t0 = 1099087573u * low, t1 = 2591861531u * high;
    return (struct state){
        {123456789u + t0, 362436069u ^ t0, 521288629u + t1, 88675123u ^ t1, 5783321u + t0},
        6615241u + t1 + t0};
}

static int make_states(struct generator *generator)
{
    struct bits jump[160];
    void *made;
    if (wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, SEQUENCES * sizeof(struct state), 0,
                                  &made))
        return ALLOCATION_FAILED;
    make_jump(jump);
    generator->states = made; /* which the host can write here */
    struct state state = seeded(generator->seed);
    for (int i = 0; i < SEQUENCES; i++) {
        struct bits bits;
        generator->states[i] = state;
        memcpy(bits.word, state.v, sizeof bits.word);
        bits = apply(jump, bits);
        memcpy(state.v, bits.word, sizeof bits.word);
    }
    wl_device_memory_tell_written(made, SEQUENCES * sizeof(struct state));
    return OK;
}

static void forget_states(struct generator *generator)
{
    if (generator->states)
        wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, generator->states);
    generator->states = NULL;
    generator->first = 0;
}

/* ---- the generators ---- */

static int create(struct generator **made, int type, bool is_on_host)
{
    if (!made)
        return OUT_OF_RANGE;
    if (wl_device_check())
        return NOT_INITIALIZED;
    type = type == PSEUDO_DEFAULT ? PSEUDO_XORWOW : type;
    if (type != PSEUDO_XORWOW && type != PSEUDO_PHILOX) {
        wl_device_refuse("curandCreateGenerator (cuRAND) of a type other than XORWOW and Philox");
        return TYPE_ERROR;
    }
    *made = wl_stand_in_create(MAGIC, sizeof **made);
    (*made)->type = type;
    (*made)->is_on_host = is_on_host;
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
    forget_states(generator);
    wl_stand_in_destroy(generator, MAGIC);
    return OK;
}

int curandSetPseudoRandomGeneratorSeed(struct generator *generator, unsigned long long seed)
{
    if (!wl_stand_in_check(generator, MAGIC))
        return NOT_INITIALIZED;
    forget_states(generator);
    generator->seed = seed;
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
    return generator->type == PSEUDO_XORWOW && !generator->states ? make_states(generator) : OK;
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
    int number = kind, threads = SEQUENCES, failed;
    int status = curandGenerateSeeds(generator);
    if (status)
        return status;
    if (generator->type == PSEUDO_XORWOW) {
        void *parameters[] = {&number,  &out,  &count,    &generator->first, &generator->states,
                              &threads, &mean, &deviation};
        failed = wl_stand_in_run(&kernels, "warplens_random_xorwow", count ? SEQUENCES : 0,
                                 generator->stream, parameters);
        generator->first += count;
    } else {
        void *parameters[] = {&number,          &out,  &count,    &generator->first,
                              &generator->seed, &mean, &deviation};
        failed = wl_stand_in_run(&kernels, "warplens_random_philox", count, generator->stream,
                                 parameters);
        generator->first += kind >= DOUBLES ? 2 * count : count;
    }
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
    if (count % 2)
        return LENGTH_NOT_MULTIPLE;
    return generate(generator, NORMAL, out, count / 2, 2 * sizeof *out, mean, deviation);
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
