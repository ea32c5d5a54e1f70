/* Where cuRAND's generators begin: the sequences of pseudo-random ones, the directions of Sobol's.
 */
#ifndef WL_API_CURAND_SEQUENCES_H
#define WL_API_CURAND_SEQUENCES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/embedded.h"

/* random.ptx and sobol.bin */
extern const struct wl_embedded_file wl_embedded_curand[];

enum { WL_CURAND_XORWOW_SEQUENCES = 4096, WL_CURAND_MRG32K3A_SEQUENCES = 81920 };

/* Of XORWOW v[5] and d, of MRG32k3a its two recurrences, the oldest number first. */
struct wl_curand_state {
    uint32_t word[6];
};

/* A state for each of the generator's sequences, as it is when the first `offset` elements have
 * been drawn from all of them in turns. */
void wl_curand_xorwow_states(uint64_t seed, uint64_t offset, struct wl_curand_state *states);
void wl_curand_mrg32k3a_states(uint64_t seed, uint64_t offset, struct wl_curand_state *states);

/* Its 624 numbers and how many of them have been given. */
enum { WL_CURAND_MT19937_WORDS = 625 };
void wl_curand_mt19937_state(uint64_t seed, uint32_t state[WL_CURAND_MT19937_WORDS]);

enum { WL_CURAND_DIMENSIONS = 20000 };

/* Direction vectors of the first `count` dimensions of Sobol's sequence, 1 to WL_CURAND_DIMENSIONS:
 * rows of 32 or, wide, 64 words of as many bits, the highest bit first; with constants, behind each
 * row the one that is added to all points of the dimension. */
struct wl_curand_directions {
    int count;
    bool is_wide, is_scrambled, has_constants;
    void *to;
};
void wl_curand_directions(const struct wl_curand_directions *of);
/* Its upper half: that of scrambled points of 32 bits. */
uint64_t wl_curand_scramble_constant(int dimension);

#endif
