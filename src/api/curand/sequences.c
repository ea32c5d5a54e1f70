#include "api/curand/sequences.h"

#include <string.h>

#include "base/count.h"

/* ---- XORWOW (Marsaglia 2003): its step is a matrix of bits over 160 bits ---- */

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

static void make_step(struct bits columns[160])
{
    for (int i = 0; i < 160; i++) {
        columns[i] = (struct bits){{0}};
        columns[i].word[i / 32] = (uint32_t)1 << i % 32;
        step(&columns[i]);
    }
}

/* Twice as many steps. */
static void square(struct bits columns[160])
{
    struct bits squared[160];
    for (int i = 0; i < 160; i++)
        squared[i] = apply(columns, columns[i]);
    memcpy(columns, squared, sizeof squared);
}

/* How cuRAND spreads a seed over the state. */
static struct wl_curand_state xorwow_seeded(uint64_t seed)
{
    uint32_t low = (uint32_t)seed ^ 0xaad26b49u, high = (uint32_t)(seed >> 32) ^ 0xf7dcefddu;
    uint32_t t0 = 1099087573u * low, t1 = 2591861531u * high;
    return (struct wl_curand_state){{123456789u + t0, 362436069u ^ t0, 521288629u + t1,
                                     88675123u ^ t1, 5783321u + t0, 6615241u + t1 + t0}};
}

/* Sequences begin 2^67 steps apart, which leave the counter d as it is. */
void wl_curand_xorwow_states(uint64_t seed, uint64_t offset, struct wl_curand_state *states)
{
    const uint64_t all = offset / WL_CURAND_XORWOW_SEQUENCES;
    struct wl_curand_state state = xorwow_seeded(seed);
    struct bits jump[160], bits;
    memcpy(bits.word, state.word, sizeof bits.word);
    make_step(jump);
    for (int power = 0; power < 67; power++) {
        if (power < 64 && all >> power & 1)
            bits = apply(jump, bits);
        square(jump);
    }
    const uint32_t counter = state.word[5] + 362437u * (uint32_t)all;
    for (int i = 0; i < WL_CURAND_XORWOW_SEQUENCES; i++) {
        const bool is_ahead = (uint64_t)i < offset % WL_CURAND_XORWOW_SEQUENCES;
        struct bits own = bits;
        if (is_ahead)
            step(&own);
        memcpy(states[i].word, own.word, sizeof own.word);
        states[i].word[5] = counter + (is_ahead ? 362437u : 0);
        bits = apply(jump, bits);
    }
}

/* ---- MRG32k3a (L'Ecuyer 1999): two recurrences of three numbers, each a matrix ---- */

struct recurrence {
    uint64_t modulus, step[9];
};

static const struct recurrence recurrences[] = {
    {4294967087u, {0, 1, 0, 0, 0, 1, 4294967087u - 810728u, 1403580u, 0}},
    {4294944443u, {0, 1, 0, 0, 0, 1, 4294944443u - 1370589u, 0, 527612u}},
};

/* to = left * right, which have `columns` columns; to may be one of them. */
static void multiply(uint64_t modulus, uint64_t *to, const uint64_t *left, const uint64_t *right,
                     int columns)
{
    uint64_t product[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < columns; j++) {
            uint64_t sum = 0;
            for (int k = 0; k < 3; k++)
                sum = (sum + left[i * 3 + k] * right[k * columns + j] % modulus) % modulus;
            product[i * columns + j] = sum;
        }
    memcpy(to, product, sizeof *to * 3 * (size_t)columns);
}

/* The three numbers of a recurrence in each state; sequences begin 2^76 steps apart. */
static void spread(const struct recurrence *of, uint64_t v[3], uint64_t offset,
                   struct wl_curand_state *states, int place)
{
    const uint64_t all = offset / WL_CURAND_MRG32K3A_SEQUENCES;
    uint64_t jump[9];
    memcpy(jump, of->step, sizeof jump);
    for (int power = 0; power < 76; power++) {
        if (power < 64 && all >> power & 1)
            multiply(of->modulus, v, jump, v, 1);
        multiply(of->modulus, jump, jump, jump, 3);
    }
    for (int i = 0; i < WL_CURAND_MRG32K3A_SEQUENCES; i++) {
        uint64_t own[3] = {v[0], v[1], v[2]};
        if ((uint64_t)i < offset % WL_CURAND_MRG32K3A_SEQUENCES)
            multiply(of->modulus, own, of->step, own, 1);
        for (int k = 0; k < 3; k++)
            states[i].word[place + k] = (uint32_t)own[k];
        multiply(of->modulus, v, jump, v, 1);
    }
}

/* A seed other than 0 multiplies the numbers that all begin with. */
void wl_curand_mrg32k3a_states(uint64_t seed, uint64_t offset, struct wl_curand_state *states)
{
    const uint64_t factors[2] = {(uint32_t)seed ^ 0x55555555u,
                                 (uint32_t)(seed >> 32) ^ 0xaaaaaaaau};
    for (int r = 0; r < 2; r++) {
        uint64_t v[3];
        for (int k = 0; k < 3; k++)
            v[k] = seed ? factors[(k + r) % 2] * 12345 % recurrences[r].modulus : 12345;
        spread(&recurrences[r], v, offset, states, 3 * r);
    }
}

/* ---- Sobol's sequence ---- */

/* What pack_sobol.py made of the direction numbers of Sobol sequences by S. Joe and F. Y. Kuo
 * (new-joe-kuo-6; "Constructing Sobol sequences with better two-dimensional projections", SIAM J.
 * Sci. Comput. 30, 2008), and says how. Of these numbers:
 *
 * Copyright (c) 2008, Frances Y. Kuo and Stephen Joe
 * All rights reserved.
 *
 * Redistribution and use in source and binary forms, with or without modification, are permitted
 * provided that the following conditions are met:
 *
 *     * Redistributions of source code must retain the above copyright notice, this list of
 * conditions and the following disclaimer.
 *
 *     * Redistributions in binary form must reproduce the above copyright notice, this list of
 * conditions and the following disclaimer in the documentation and/or other materials provided with
 * the distribution.
 *
 *     * Neither the names of the copyright holders nor the names of the University of New South
 * Wales and the University of Waikato and its contributors may be used to endorse or promote
 * products derived from this software without specific prior written permission.
 *
 * THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES,
 * INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A
 * PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDERS BE LIABLE FOR ANY
 * DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT
 * LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR
 * BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT
 * LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS
 * SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE. */
struct packed {
    const unsigned char *bytes;
    size_t place; /* of the next bit */
};

static uint32_t take(struct packed *from, int bits)
{
    uint32_t value = 0;
    for (int i = 0; i < bits; i++, from->place++)
        value |= (uint32_t)(from->bytes[from->place / 8] >> from->place % 8 & 1) << i;
    return value;
}

/* The first dimension whose polynomial has the degree, which are 1, 2 and so on. */
static const int first_of_degree[] = {1,   2,   3,   5,   7,    13,   19,   37,   53,
                                      101, 161, 337, 481, 1111, 1867, 3667, 5715, 13425};

/* Of a dimension whose polynomial has that degree and those inner coefficients. */
static void fill_directions(struct packed *from, int degree, uint32_t coefficients,
                            uint64_t vectors[64])
{
    for (int i = 0; i < degree; i++)
        vectors[i] = (uint64_t)(take(from, i) << 1 | 1) << (63 - i);
    for (int i = degree; i < 64; i++) {
        vectors[i] = vectors[i - degree] ^ vectors[i - degree] >> degree;
        for (int k = 1; k < degree; k++)
            if (coefficients >> (degree - 1 - k) & 1)
                vectors[i] ^= vectors[i - k];
    }
}

/* Random bits of a place (Vigna's splitmix64). */
static uint64_t mix(uint64_t place)
{
    uint64_t z = (place + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint64_t wl_curand_scramble_constant(int dimension)
{
    return mix((uint64_t)dimension | (uint64_t)1 << 40);
}

/* A random linear scrambling (J. Matousek 1998): bit r is added to by random ones of higher value,
 * which leaves how evenly the points lie. */
static void scramble(int dimension, uint64_t vectors[64])
{
    uint64_t of_bit[64];
    for (int r = 0; r < 64; r++) {
        const uint64_t above = r ? ~(uint64_t)0 << (64 - r) : 0;
        of_bit[r] = (mix((uint64_t)dimension * 64 + (uint64_t)r) & above) | (uint64_t)1 << (63 - r);
    }
    for (int i = 0; i < 64; i++) {
        uint64_t scrambled = 0;
        for (int r = 0; r < 64; r++)
            scrambled |= (uint64_t)(__builtin_popcountll(of_bit[r] & vectors[i]) & 1) << (63 - r);
        vectors[i] = scrambled;
    }
}

/* A vector of 32 bits is the upper half of that of 64: vector i has only its i + 1 highest bits. */
static void put_row(const struct wl_curand_directions *of, int dimension, uint64_t vectors[64])
{
    uint64_t constant = 0;
    if (of->is_scrambled) {
        scramble(dimension, vectors);
        constant = wl_curand_scramble_constant(dimension);
    }
    const size_t bits = of->is_wide ? 64 : 32,
                 row = (size_t)dimension * (bits + (of->has_constants ? 1 : 0));
    for (size_t i = 0; i < bits + (of->has_constants ? 1 : 0); i++) {
        const uint64_t value = i < bits ? vectors[i] : constant;
        if (of->is_wide)
            ((uint64_t *)of->to)[row + i] = value;
        else
            ((uint32_t *)of->to)[row + i] = (uint32_t)(value >> 32);
    }
}

void wl_curand_directions(const struct wl_curand_directions *of)
{
    struct packed from = {(const unsigned char *)wl_embedded_curand[1].content, 0};
    uint64_t vectors[64];
    uint32_t coefficients = 0;
    int degree = 0;
    for (int i = 0; i < 64; i++)
        vectors[i] = (uint64_t)1 << (63 - i);
    put_row(of, 0, vectors);
    for (int i = 1; i < of->count; i++) {
        if (degree < (int)WL_COUNT(first_of_degree) && i == first_of_degree[degree]) {
            degree++;
            coefficients = 0;
        }
        coefficients += take(&from, 8);
        fill_directions(&from, degree, coefficients, vectors);
        put_row(of, i, vectors);
    }
}

/* ---- MT19937 (M. Matsumoto, T. Nishimura 1998, and how they seed it, 2002) ---- */

void wl_curand_mt19937_state(uint64_t seed, uint32_t state[WL_CURAND_MT19937_WORDS])
{
    enum { N = 624 };
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    const bool is_long = key[1] != 0;
    state[0] = is_long ? 19650218 : key[0];
    for (uint32_t i = 1; i < N; i++)
        state[i] = 1812433253u * (state[i - 1] ^ state[i - 1] >> 30) + i;
    state[N] = N; /* all to be made */
    if (!is_long)
        return;
    uint32_t i = 1;
    for (uint32_t k = 0; k < 2 * N - 1; k++) {
        const uint32_t before = state[i - 1] ^ state[i - 1] >> 30;
        state[i] = k < N ? (state[i] ^ before * 1664525u) + key[k % 2] + k % 2
                         : (state[i] ^ before * 1566083941u) - i;
        if (++i == N) {
            state[0] = state[N - 1];
            i = 1;
        }
    }
    state[0] = 0x80000000u;
}
