/* The keys of a .gpu file: a table that drives parsing and checking. */
#ifndef WL_GPU_KEYS_H
#define WL_GPU_KEYS_H

#include <stddef.h>

#include "base/error.h"
#include "gpu/gpu.h"

struct wl_gpu_key;

/* Number of keys, and a key by its index. Indexes are stable within a run. */
size_t wl_gpu_key_count(void);
const struct wl_gpu_key *wl_gpu_key_at(size_t number);
/* NULL for an unknown key. */
const struct wl_gpu_key *wl_gpu_key_find(const char *name);
size_t wl_gpu_key_number(const struct wl_gpu_key *key);
const char *wl_gpu_key_name(const struct wl_gpu_key *key);
/* Whether a model or one of its parents must give it; other keys are 0 or false if unknown. */
bool wl_gpu_key_is_required(const struct wl_gpu_key *key);

/* Reads text into the key's field. Errors: WL_ERR_INPUT, naming the key and what it takes. */
enum wl_code wl_gpu_key_set(const struct wl_gpu_key *key, const char *text, struct wl_gpu *gpu,
                            struct wl_error *error);

/* The value of a key that is one number; 0 of others. */
double wl_gpu_key_get(const struct wl_gpu_key *key, const struct wl_gpu *gpu);
/* Sets such a key, rounding down where it is an integer; ignores the other keys. */
void wl_gpu_key_assign(const struct wl_gpu_key *key, double value, struct wl_gpu *gpu);

/* A line of data/gpus/defaults.gpu: key = (base or otherwise) * factor / divisor + addend; without
 * a base: otherwise. */
struct wl_gpu_rule {
    const struct wl_gpu_key *key, *base;
    double otherwise, factor, divisor, addend;
};
/* From "KEY = VALUE  # source". False if it is wrong. */
bool wl_gpu_rule_read(const char *line, struct wl_gpu_rule *rule);
/* Sets the key where it is not set. */
void wl_gpu_rule_apply(const struct wl_gpu_rule *rule, struct wl_gpu *assumed);

/* Checks constraints between keys. Errors: WL_ERR_INPUT. */
enum wl_code wl_gpu_keys_check(const struct wl_gpu *gpu, struct wl_error *error);

#endif
