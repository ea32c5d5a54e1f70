/* Where cuRAND's generators begin: the sequences of pseudo-random ones, the directions of Sobol's.
 */
#ifndef WL_API_CURAND_SEQUENCES_H
#define WL_API_CURAND_SEQUENCES_H

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

enum { WL_CURAND_DIMENSIONS = 20000 };

/* Direction vectors of the first `count` dimensions of Sobol's sequence, 1 to WL_CURAND_DIMENSIONS:
 * the highest bit first. */
void wl_curand_directions(int count, uint32_t (*vectors)[32]);

#endif
