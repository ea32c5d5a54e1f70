#include "sim/banks.h"

#include <string.h>

enum { LANES = 32, MAX_BANKS = 32 };

/* The distinct words that a group of lanes touches, by bank. */
struct words {
    uint32_t word[MAX_BANKS][2 * LANES];
    uint8_t count[MAX_BANKS];
};

/* A warp's access in units of banks. */
struct access {
    const uint32_t *address;
    uint32_t width_bytes, bank_bytes, banks;
};

static inline uint32_t add_word(struct words *words, uint32_t bank, uint32_t word, bool may_share)
{
    uint32_t count = words->count[bank];
    for (uint32_t i = 0; may_share && i < count; i++)
        if (words->word[bank][i] == word)
            return count;
    words->word[bank][count] = word;
    return words->count[bank] = (uint8_t)(count + 1);
}

/* The most words in one bank among the lanes of mask; lanes at one word share it where they may. */
static uint32_t count_degree(const struct access *access, uint32_t mask, bool may_share)
{
    struct words words;
    memset(words.count, 0, sizeof words.count);
    uint32_t degree = 0;
    if (access->bank_bytes == 4 && access->banks == MAX_BANKS && access->width_bytes == 4) {
        for (uint32_t rest = mask; rest; rest &= rest - 1) { /* the same without divisions */
            const uint32_t word = access->address[__builtin_ctz(rest)] / 4;
            const uint32_t count = add_word(&words, word % MAX_BANKS, word, may_share);
            degree = count > degree ? count : degree;
        }
        return degree;
    }
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        uint32_t start = access->address[__builtin_ctz(rest)];
        uint32_t last = (start + access->width_bytes - 1) / access->bank_bytes;
        for (uint32_t word = start / access->bank_bytes; word <= last; word++) {
            uint32_t count = add_word(&words, word % access->banks, word, may_share);
            degree = count > degree ? count : degree;
        }
    }
    return degree;
}

/* Whether every active lane's partner, distance lanes away, is idle or has the same address. */
static bool is_paired(const uint32_t address[LANES], uint32_t mask, uint32_t distance)
{
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), partner = lane ^ distance;
        if ((mask >> partner & 1) && address[partner] != address[lane])
            return false;
    }
    return true;
}

/* What the consecutive groups of `lanes` lanes of mask take, one after another. */
struct passes {
    uint32_t wavefronts, groups;
};

static struct passes count_passes(const struct access *access, uint32_t mask, uint32_t lanes,
                                  bool may_share)
{
    struct passes passes = {0, 0};
    for (uint32_t first = 0; first < LANES; first += lanes) {
        uint32_t group = mask & (uint32_t)(((uint64_t)1 << lanes) - 1) << first;
        passes.wavefronts += count_degree(access, group, may_share);
        passes.groups += group != 0;
    }
    return passes;
}

/* The source view grants that two groups pass together only where they are then without conflict.
 */
static uint32_t count_paired_source(const struct access *access, uint32_t mask, uint32_t lanes)
{
    uint32_t sum = 0;
    for (uint32_t first = 0; first < LANES; first += 2 * lanes) {
        uint32_t pair = mask & (uint32_t)(((uint64_t)1 << (2 * lanes)) - 1) << first;
        uint32_t together = count_degree(access, pair, true);
        sum += together <= 1 ? together : count_passes(access, pair, lanes, true).wavefronts;
    }
    return sum;
}

struct wl_bank_result wl_banks_count(const struct wl_gpu *gpu, const uint32_t address[LANES],
                                     uint32_t mask, uint32_t width_bytes, enum wl_bank_access kind)
{
    struct access access = {
        address, width_bytes, gpu->shared_bank_bytes ? gpu->shared_bank_bytes : 4,
        gpu->shared_banks && gpu->shared_banks <= MAX_BANKS ? gpu->shared_banks : MAX_BANKS};
    uint32_t row_bytes = access.bank_bytes * access.banks;
    uint32_t lanes = width_bytes <= access.bank_bytes ? LANES : row_bytes / width_bytes;
    /* where lanes share addresses in pairs, two groups of a load pass together */
    bool is_merged = kind == WL_BANK_LOAD && lanes < LANES &&
                     (is_paired(address, mask, 1) || is_paired(address, mask, 2));
    struct passes passes =
        count_passes(&access, mask, is_merged ? 2 * lanes : lanes, kind <= WL_BANK_STORE);
    uint32_t source = is_merged ? count_paired_source(&access, mask, lanes) : passes.wavefronts;
    uint32_t asked_bytes = (uint32_t)__builtin_popcount(mask) * width_bytes;
    uint32_t ideal = lanes == LANES ? mask != 0 : (asked_bytes + row_bytes - 1) / row_bytes;
    ideal = ideal < source ? ideal : source;
    uint32_t rounds = kind == WL_BANK_CAS ? 2 : 1; /* compare-and-swap reads, then writes */
    return (struct wl_bank_result){(uint16_t)(rounds * source), (uint16_t)(rounds * ideal),
                                   (uint16_t)(rounds * passes.wavefronts),
                                   (uint16_t)(passes.wavefronts - passes.groups)};
}
