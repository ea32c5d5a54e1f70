/* Dropout: some elements are left out by random numbers (Philox4x32-10), the others scaled.
 *
 * dropout.ptx is made from this file (see the command in its first line) and embedded in the library.
 */
#include "dnn.cuh"

/* Four random words for a counter: Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011. */
struct words {
    unsigned word[4];
};

DEVICE words philox(unsigned long long counter, unsigned long long seed)
{
    unsigned key[2] = {(unsigned)seed, (unsigned)(seed >> 32)};
    words w = {{(unsigned)counter, (unsigned)(counter >> 32), 0, 0}};
    for (int round = 0; round < 10; round++) {
        const unsigned long long a = 0xd2511f53ull * w.word[0], b = 0xcd9e8d57ull * w.word[2];
        w = {{(unsigned)(b >> 32) ^ w.word[1] ^ key[0], (unsigned)b, (unsigned)(a >> 32) ^ w.word[3] ^ key[1], (unsigned)a}};
        key[0] += 0x9e3779b9u;
        key[1] += 0xbb67ae85u;
    }
    return w;
}

GLOBAL void warplens_dnn_seed(wl_dnn_random *states, unsigned long long seed)
{
    if (!first())
        *states = {seed, 0};
}

/* As many numbers were drawn. */
GLOBAL void warplens_dnn_draw(wl_dnn_random *states, unsigned long long count)
{
    if (!first())
        states->drawn += count;
}

/* kept: a byte for each element. The walk's tensors: y, x. */
template <typename T, typename Sum>
DEVICE void drop(const wl_dnn_walk &walk, T *y, const T *x, unsigned char *kept, const wl_dnn_random *states, float rate)
{
    const Sum scale = rate < 1 ? 1 / (1 - Sum(rate)) : Sum(0);
    const unsigned long long seed = states->seed, drawn = states->drawn;
    for (i64 i = first(); i < walk.count; i += step()) {
        i64 at[2];
        locate(walk, (int)i, at);
        bool is_kept = true;
        if (rate > 0) {
            const unsigned long long n = drawn + i;
            const words w = philox(n / 4, seed);
            is_kept = (w.word[n % 4] >> 8) * 0x1p-24f >= rate;
        }
        kept[i] = is_kept;
        assign(y[at[0]], is_kept ? number(x[at[1]]) * scale : Sum(0));
    }
}

/* The walk's tensors: dx, dy. */
template <typename T, typename Sum>
DEVICE void drop_back(const wl_dnn_walk &walk, T *dx, const T *dy, const unsigned char *kept, float rate)
{
    const Sum scale = rate < 1 ? 1 / (1 - Sum(rate)) : Sum(0);
    for (i64 i = first(); i < walk.count; i += step()) {
        i64 at[2];
        locate(walk, (int)i, at);
        assign(dx[at[0]], kept[i] ? number(dy[at[1]]) * scale : Sum(0));
    }
}

#define DROPOUTS(suffix, T, Sum)                                                                                          \
    GLOBAL void warplens_dnn_drop_##suffix(wl_dnn_walk walk, T *y, T *x, unsigned char *kept, wl_dnn_random *states,      \
                                           float rate)                                                                    \
    {                                                                                                                     \
        drop<T, Sum>(walk, y, x, kept, states, rate);                                                                     \
    }                                                                                                                     \
    GLOBAL void warplens_dnn_drop_back_##suffix(wl_dnn_walk walk, T *dx, T *dy, unsigned char *kept, float rate)          \
    {                                                                                                                     \
        drop_back<T, Sum>(walk, dx, dy, kept, rate);                                                                      \
    }
KINDS(DROPOUTS)
