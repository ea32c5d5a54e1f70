#include "sim/banks.h"

#include <string.h>

enum { LANES = 32, MAX_BANKS = 32 };

/* The distinct words that a group of lanes touches, by bank. */
struct words {
    uint32_t word[MAX_BANKS][2 * LANES];
    uint8_t count[MAX_BANKS];
};

static uint32_t add_word(struct words *words, uint32_t bank, uint32_t word)
{
    uint32_t count = words->count[bank];
    for (uint32_t i = 0; i < count; i++)
        if (words->word[bank][i] == word)
            return count;
    words->word[bank][count] = word;
    return words->count[bank] = (uint8_t)(count + 1);
}

/* The most distinct words in one bank among the lanes of mask. */
static uint32_t count_degree(const struct wl_gpu *gpu, const uint32_t address[LANES], uint32_t mask,
                             uint32_t width_bytes)
{
    uint32_t banks = gpu->shared_banks && gpu->shared_banks <= MAX_BANKS ? gpu->shared_banks : 32;
    uint32_t bank_bytes = gpu->shared_bank_bytes ? gpu->shared_bank_bytes : 4;
    struct words words;
    memset(words.count, 0, sizeof words.count);
    uint32_t degree = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        uint32_t start = address[__builtin_ctz(rest)];
        for (uint32_t word = start / bank_bytes; word <= (start + width_bytes - 1) / bank_bytes;
             word++) {
            uint32_t count = add_word(&words, word % banks, word);
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

static bool may_merge(const uint32_t address[LANES], uint32_t mask)
{
    return is_paired(address, mask, 1) || is_paired(address, mask, 2);
}

static void add_group(struct wl_bank_result *result, const struct wl_gpu *gpu,
                      const uint32_t address[LANES], uint32_t mask, uint32_t width_bytes)
{
    if (!mask)
        return;
    result->wavefronts =
        (uint16_t)(result->wavefronts + count_degree(gpu, address, mask, width_bytes));
    result->ideal++;
}

struct wl_bank_result wl_banks_count(const struct wl_gpu *gpu, const uint32_t address[LANES],
                                     uint32_t mask, uint32_t width_bytes,
                                     enum wl_bank_access access)
{
    (void)access;
    struct wl_bank_result result = {0, 0};
    uint32_t bank_bytes = gpu->shared_bank_bytes ? gpu->shared_bank_bytes : 4;
    /* lanes a pass can serve at full width: all, half or a quarter of them */
    uint32_t group_lanes = width_bytes <= bank_bytes ? LANES : LANES * bank_bytes / width_bytes;
    if (group_lanes == LANES || (group_lanes == LANES / 2 && may_merge(address, mask))) {
        add_group(&result, gpu, address, mask, width_bytes);
        return result;
    }
    for (uint32_t half = 0; half < 2; half++) {
        uint32_t lanes = mask & (0xffffu << (16 * half));
        if (group_lanes == LANES / 2 || may_merge(address, lanes)) {
            add_group(&result, gpu, address, lanes, width_bytes);
            continue;
        }
        add_group(&result, gpu, address, lanes & 0x00ff00ffu, width_bytes);
        add_group(&result, gpu, address, lanes & 0xff00ff00u, width_bytes);
    }
    return result;
}
