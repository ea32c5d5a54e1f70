/* For this room only: the inside of a catalog. */
#ifndef WL_ANALYSE_METRIC_CATALOG_H
#define WL_ANALYSE_METRIC_CATALOG_H

#include "analyse/metric/metric.h"
#include "base/arena.h"
#include "base/memory.h"

/* What a name is that ends in suffix and has no row: X.avg from X.sum. */
struct wl_metric_suffix {
    const char *suffix;
    const char *unit; /* NULL: that of the base's .sum */
    const char *reason;
    int formula; /* LUA_NOREF: absent, with the reason */
};

struct wl_metric_rows {
    WL_VECTOR_FIELDS(struct wl_metric_row);
};

struct wl_metric_suffixes {
    WL_VECTOR_FIELDS(struct wl_metric_suffix);
};

/* A name for several metrics: "group:NAME" or "breakdown:METRIC". All texts are the arena's. */
struct wl_metric_group {
    const char *word; /* with what stands before the colon */
    WL_VECTOR(const char *) members;
};

struct wl_metric_groups {
    WL_VECTOR_FIELDS(struct wl_metric_group);
};

struct wl_metric_catalog {
    struct wl_sandbox *sandbox;
    struct wl_metric_rows rows;
    struct wl_metric_suffixes suffixes;
    struct wl_metric_groups groups;
    struct wl_arena arena;         /* texts of the rows */
    struct wl_metric_set *current; /* whose formula runs */
    int proxy;                     /* registry reference of what formulas see as m */
};

/* Makes the proxy through which formulas read metrics of catalog->current. */
void wl_metric_proxy_create(struct wl_metric_catalog *catalog);

/* Reads a row that has a field `group` or `breakdown`, and `members`: it is on top of the stack. */
enum wl_code wl_metric_group_read(struct wl_metric_catalog *catalog, lua_State *lua,
                                  const char *file, const char *what, struct wl_error *error);
void wl_metric_groups_free(struct wl_metric_groups *groups);

/* The suffix row that name ends in, and the length of what stands before it; NULL if none. */
const struct wl_metric_suffix *wl_metric_suffix_find(const struct wl_metric_catalog *catalog,
                                                     const char *name, size_t *base_length);

#endif
