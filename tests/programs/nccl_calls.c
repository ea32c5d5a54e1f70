/* NCCL's stand-in with three ranks in one process: halves, operations of the program's own, parts
 * that change places, cliques that are split, memory. */
#include <pthread.h>

#include "runtime.h"

struct unique_id {
    char bytes[128];
};
int ncclGetUniqueId(struct unique_id *id);
int ncclCommInitAll(void **ranks, int count, const int *devices);
int ncclCommInitRankConfig(void **rank, int count, struct unique_id id, int number, void *config);
int ncclCommInitRankScalable(void **rank, int count, int number, int ids, struct unique_id *all,
                             void *config);
int ncclCommDestroy(void *rank);
int ncclCommCount(void *rank, int *count);
int ncclCommUserRank(void *rank, int *number);
int ncclCommSplit(void *rank, int color, int key, void **made, void *config);
int ncclAllReduce(const void *from, void *to, size_t count, int type, int operation, void *rank,
                  void *stream);
int ncclReduceScatter(const void *from, void *to, size_t count, int type, int operation, void *rank,
                      void *stream);
int ncclAlltoAll(const void *from, void *to, size_t count, int type, void *rank, void *stream);
int ncclGather(const void *from, void *to, size_t count, int type, int root, void *rank,
               void *stream);
int ncclScatter(const void *from, void *to, size_t count, int type, int root, void *rank,
                void *stream);
int ncclRedOpCreatePreMulSum(int *operation, void *factor, int type, int residence, void *rank);
int ncclRedOpDestroy(int operation, void *rank);
int ncclMemAlloc(void **address, size_t bytes);
int ncclMemFree(void *address);
int ncclCommRegister(void *rank, void *address, size_t bytes, void **handle);
int ncclCommDeregister(void *rank, void *handle);
int ncclGroupStart(void);
int ncclGroupEnd(void);

enum { RANKS = 3, INT = 2, HALF = 6, FLOAT = 7, DOUBLE = 8, BFLOAT = 9, FLOAT_8 = 10 };
enum { SUM, PRODUCT, MAXIMUM, MINIMUM, AVERAGE };
static void *ranks[RANKS];
static void *from[RANKS], *to[RANKS];

/* ---- floats of 16 bits: the neighbours of a number, by their definition ---- */

static double value_of(uint16_t bits, int mantissa_bits, int bias)
{
    const int exponent = (bits & 0x7fff) >> mantissa_bits;
    double value = bits & ((1 << mantissa_bits) - 1);
    for (int i = 0; i < mantissa_bits; i++)
        value /= 2;
    value += exponent ? 1 : 0;
    for (int i = exponent ? exponent : 1; i < bias; i++)
        value /= 2;
    for (int i = bias; i < exponent; i++)
        value *= 2;
    return bits & 0x8000 ? -value : value;
}

/* Whether bits are the nearest to a finite number, the even one of two. */
static int is_nearest(double wanted, uint16_t bits, int mantissa_bits, int bias)
{
    const double got = value_of(bits, mantissa_bits, bias);
    const double error = got > wanted ? got - wanted : wanted - got;
    for (int i = -1; i <= 1; i += 2) {
        const double next = value_of((uint16_t)(bits + i), mantissa_bits, bias);
        const double other = next > wanted ? next - wanted : wanted - next;
        if (other < error || (other == error && bits & 1))
            return 0;
    }
    return 1;
}

/* The sum is rounded behind each rank: the first two, then the third. */
static void reduce_halves(int type, int mantissa_bits, int bias)
{
    enum { COUNT = 4096 };
    int differing = 0;
    uint32_t random = 12345;
    for (int i = 0; i < RANKS; i++)
        for (int k = 0; k < COUNT; k++) {
            random = random * 1664525 + 1013904223;
            const int exponent = bias - 6 + (int)(random >> 28) % 12; /* 2^-6 to 2^5 */
            const uint16_t small = (uint16_t)(random >> 12 & 0xff);   /* not normalized */
            ((uint16_t *)from[i])[k] =
                k % 8 ? (uint16_t)(exponent << mantissa_bits |
                                   (int)(random >> 8 & ((1u << mantissa_bits) - 1)) |
                                   (random >> 5 & 0x8000))
                      : small;
        }
    for (int i = 0; i < RANKS; i++)
        EXPECT(ncclAllReduce(from[i], to[i], COUNT, type, SUM, ranks[i], NULL), 0);
    EXPECT(memcmp(to[0], to[1], COUNT * 2) || memcmp(to[0], to[2], COUNT * 2), 0);
    /* with the third rank's 0 the sum of two is left */
    memset(from[2], 0, COUNT * 2);
    for (int i = 0; i < RANKS; i++)
        EXPECT(ncclAllReduce(from[i], to[i], COUNT, type, SUM, ranks[i], NULL), 0);
    for (int k = 0; k < COUNT; k++) {
        const double one = value_of(((uint16_t *)from[0])[k], mantissa_bits, bias);
        const double other = value_of(((uint16_t *)from[1])[k], mantissa_bits, bias);
        const uint16_t got = ((uint16_t *)to[0])[k];
        differing += one + other != 0 && !is_nearest(one + other, got, mantissa_bits, bias);
    }
    EXPECT(differing, 0);
    for (int i = 0; i < RANKS; i++)
        EXPECT(ncclAllReduce(from[i], to[i], COUNT, type, MAXIMUM, ranks[i], NULL), 0);
    for (int k = 0; k < COUNT; k++) {
        double most = 0;
        for (int i = 0; i < 2; i++) {
            const double value = value_of(((uint16_t *)from[i])[k], mantissa_bits, bias);
            most = value > most ? value : most;
        }
        differing += value_of(((uint16_t *)to[1])[k], mantissa_bits, bias) != most;
    }
    EXPECT(differing, 0);
}

/* What is too large for a half, and what is no number. */
static void reduce_extremes(void)
{
    static const uint16_t values[RANKS][4] = {
        {0x7bff, 0x7c00, 0x7e00, 0xfbff}, {0x7bff, 0x3c00, 0x3c00, 0xcc00}, {0, 0, 0, 0}};
    uint16_t *got = to[0];
    for (int i = 0; i < RANKS; i++)
        memcpy(from[i], values[i], sizeof values[i]);
    for (int i = 0; i < RANKS; i++)
        EXPECT(ncclAllReduce(from[i], to[i], 4, HALF, SUM, ranks[i], NULL), 0);
    EXPECT(got[0], 0x7c00);
    EXPECT(got[1], 0x7c00);
    EXPECT((got[2] & 0x7fff) > 0x7c00, 1);
    EXPECT(got[3], 0xfc00); /* -65504 - 16 lies half way to 2^16 */
}

static void use_operations(void)
{
    int operations[RANKS], other;
    double factors[RANKS] = {2, 3, 0.5}, *factor;
    float one = 1;
    EXPECT(cudaMallocManaged((void **)&factor, 8, 1), 0);
    for (int i = 0; i < RANKS; i++) {
        for (int k = 0; k < 9; k++)
            ((double *)from[i])[k] = 10 * i + k;
        EXPECT(ncclRedOpCreatePreMulSum(&operations[i], i == 1 ? factor : &factors[i], DOUBLE,
                                        i != 1, ranks[i]),
               0);
        EXPECT(operations[i] > AVERAGE, 1);
    }
    *factor = 3;
    for (int i = 0; i < RANKS; i++)
        EXPECT(ncclAllReduce(from[i], to[i], 9, DOUBLE, operations[i], ranks[i], NULL), 0);
    for (int k = 0; k < 9; k++)
        EXPECT(2 * ((double *)to[2])[k], 2 * (2 * k + 3 * (10 + k) + 0.5 * (20 + k)));
    for (int i = 0; i < RANKS; i++)
        EXPECT(ncclReduceScatter(from[i], to[i], 3, DOUBLE, operations[i], ranks[i], NULL), 0);
    for (int i = 0; i < RANKS; i++)
        for (int k = 0; k < 3; k++) {
            const int at = 3 * i + k;
            EXPECT(2 * ((double *)to[i])[k], 2 * (2 * at + 3 * (10 + at) + 0.5 * (20 + at)));
        }
    for (int i = 0; i < RANKS; i++)
        EXPECT(ncclAllReduce(from[i], to[i], 9, DOUBLE, AVERAGE, ranks[i], NULL), 0);
    for (int k = 0; k < 9; k++) /* of multiples by a third */
        EXPECT(((double *)to[0])[k] + 0.5, 10 + k);
    for (int i = 0; i < RANKS; i++)
        for (int k = 0; k < 4; k++)
            ((uint16_t *)from[i])[k] = (uint16_t)(0x3c00 + 0x400 * (i == 2)); /* 1, 1, 2 */
    for (int i = 0; i < RANKS; i++)
        EXPECT(ncclAllReduce(from[i], to[i], 4, HALF, AVERAGE, ranks[i], NULL), 0);
    EXPECT(((uint16_t *)to[0])[3], 0x3d55); /* 4 / 3 */
    EXPECT(ncclAllReduce(from[0], to[0], 9, FLOAT, operations[0], ranks[0], NULL), 4);
    EXPECT(ncclAllReduce(from[0], to[0], 9, DOUBLE, 77, ranks[0], NULL), 4);
    EXPECT(ncclRedOpDestroy(operations[0], ranks[0]), 0);
    EXPECT(ncclRedOpDestroy(operations[0], ranks[0]), 4);
    EXPECT(ncclRedOpDestroy(SUM, ranks[0]), 4);
    EXPECT(ncclAllReduce(from[0], to[0], 9, DOUBLE, operations[0], ranks[0], NULL), 4);
    EXPECT(ncclRedOpCreatePreMulSum(&other, &one, FLOAT_8, 1, ranks[0]), 4);
    EXPECT(ncclRedOpCreatePreMulSum(&other, &one, FLOAT, 2, ranks[0]), 4);
    EXPECT(ncclRedOpCreatePreMulSum(NULL, &one, FLOAT, 1, ranks[0]), 4);
}

static void change_places(void)
{
    enum { PART = 5, ROOT = 1 };
    for (int i = 0; i < RANKS; i++) {
        memset(to[i], 0xff, 256);
        for (int k = 0; k < RANKS * PART; k++)
            ((int *)from[i])[k] = 100 * i + k;
    }
    for (int i = 0; i < RANKS; i++)
        EXPECT(ncclAlltoAll(from[i], to[i], PART, INT, ranks[i], NULL), 0);
    for (int i = 0; i < RANKS; i++)
        for (int k = 0; k < RANKS * PART; k++)
            EXPECT(((int *)to[i])[k], 100 * (k / PART) + i * PART + k % PART);
    for (int i = 0; i < RANKS; i++) /* in place */
        EXPECT(ncclAlltoAll(to[i], to[i], PART, INT, ranks[i], NULL), 0);
    for (int i = 0; i < RANKS; i++)
        EXPECT(memcmp(to[i], from[i], RANKS * PART * 4), 0);
    memset(to[0], 0xff, 256);
    for (int i = 0; i < RANKS; i++)
        EXPECT(ncclGather(from[i], i == ROOT ? to[i] : NULL, PART, INT, ROOT, ranks[i], NULL), 0);
    for (int k = 0; k < RANKS * PART; k++)
        EXPECT(((int *)to[ROOT])[k], 100 * (k / PART) + k % PART);
    EXPECT(((int *)to[0])[0], -1);
    for (int i = 0; i < RANKS; i++)
        EXPECT(ncclScatter(i == ROOT ? from[i] : NULL, to[i], PART, INT, ROOT, ranks[i], NULL), 0);
    for (int i = 0; i < RANKS; i++)
        for (int k = 0; k < PART; k++)
            EXPECT(((int *)to[i])[k], 100 * ROOT + PART * i + k);
    EXPECT(ncclGather(from[0], to[0], PART, INT, RANKS, ranks[0], NULL), 4);
    EXPECT(ncclScatter(from[0], to[0], PART, 12, 0, ranks[0], NULL), 4);
    EXPECT(ncclAlltoAll(from[0], to[0], PART, INT, NULL, NULL), 4);
}

static void split(void)
{
    void *made[RANKS], *none[RANKS];
    int count, number;
    EXPECT(ncclGroupStart(), 0);
    for (int i = 0; i < RANKS; i++) /* ranks 2 and 0 in that order, and 1 */
        EXPECT(ncclCommSplit(ranks[i], i == 1, -i, &made[i], NULL), 0);
    for (int i = 0; i < RANKS; i++)
        EXPECT(ncclCommSplit(ranks[i], i == 2 ? -1 : 7, 0, &none[i], NULL), 0);
    EXPECT(ncclGroupEnd(), 0);
    EXPECT(none[2] == NULL, 1);
    EXPECT(ncclCommCount(made[0], &count), 0);
    EXPECT(ncclCommUserRank(made[0], &number), 0);
    EXPECT(count == 2 && number == 1, 1);
    EXPECT(ncclCommUserRank(made[2], &number), 0);
    EXPECT(number, 0);
    EXPECT(ncclCommCount(made[1], &count), 0);
    EXPECT(count, 1);
    EXPECT(ncclCommUserRank(none[1], &number), 0);
    EXPECT(number, 1);
    for (int i = 0; i < RANKS; i++)
        *(int *)from[i] = 1 << i;
    for (int i = 0; i < RANKS; i++)
        EXPECT(ncclAllReduce(from[i], to[i], 1, INT, SUM, made[i], NULL), 0);
    EXPECT(*(int *)to[0] == 5 && *(int *)to[1] == 2 && *(int *)to[2] == 5, 1);
    for (int i = 0; i < 2; i++)
        EXPECT(ncclAllReduce(from[i], to[i], 1, INT, SUM, none[i], NULL), 0);
    EXPECT(*(int *)to[1], 3);
    EXPECT(ncclCommSplit(ranks[0], -2, 0, &none[0], NULL), 4);
    EXPECT(ncclCommSplit(ranks[0], 0, 0, NULL, NULL), 4);
    for (int i = 0; i < RANKS; i++)
        EXPECT(ncclCommDestroy(made[i]), 0);
}

/* A thread for each rank, which use what they get at once. */
static void *split_alone(void *rank)
{
    void *made;
    int count = 0;
    EXPECT(ncclCommSplit(rank, 0, 0, &made, NULL), 0);
    EXPECT(ncclCommCount(made, &count), 0);
    EXPECT(count, RANKS);
    EXPECT(ncclCommDestroy(made), 0);
    return NULL;
}

static void begin_and_allocate(void)
{
    struct unique_id id;
    void *rank, *memory, *handle = NULL;
    pthread_t threads[RANKS];
    EXPECT(ncclGetUniqueId(&id), 0);
    EXPECT(ncclCommInitRankConfig(&rank, 1, id, 0, NULL), 0);
    EXPECT(ncclCommDestroy(rank), 0);
    EXPECT(ncclCommInitRankScalable(&rank, 1, 0, 0, &id, NULL), 4);
    EXPECT(ncclCommInitRankScalable(&rank, 1, 0, 1, &id, NULL), 0);
    EXPECT(ncclCommDestroy(rank), 0);
    EXPECT(ncclMemAlloc(&memory, 1024), 0);
    EXPECT(ncclMemAlloc(NULL, 1024), 4);
    EXPECT(cudaMemset(memory, 1, 1024), 0);
    EXPECT(ncclCommRegister(ranks[0], memory, 1024, &handle), 0);
    EXPECT(ncclCommRegister(ranks[0], memory, 1024, NULL), 4);
    EXPECT(ncclCommDeregister(ranks[0], handle), 0);
    EXPECT(ncclCommDeregister(NULL, handle), 4);
    EXPECT(ncclMemFree(memory), 0);
    for (int i = 0; i < RANKS; i++)
        EXPECT(pthread_create(&threads[i], NULL, split_alone, ranks[i]), 0);
    for (int i = 0; i < RANKS; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    static const int devices[RANKS];
    EXPECT(ncclCommInitAll(ranks, RANKS, devices), 0);
    for (int i = 0; i < RANKS; i++) {
        EXPECT(cudaMallocManaged(&from[i], 65536, 1), 0);
        EXPECT(cudaMallocManaged(&to[i], 65536, 1), 0);
    }
    reduce_halves(HALF, 10, 15);
    reduce_halves(BFLOAT, 7, 127);
    reduce_extremes();
    use_operations();
    change_places();
    split();
    begin_and_allocate();
    for (int i = 0; i < RANKS; i++)
        EXPECT(ncclCommDestroy(ranks[i]), 0);
    return failures != 0;
}
