/* What random.c chooses from; see random_rows.c. */
#ifndef RANDOM_H
#define RANDOM_H

#include <stddef.h>

/* Registers of one type: %name0 ... , written $letter in rows. first is a format for the code that
 * gives register number %u its first value from %t0. */
struct random_pool {
    char letter;
    const char *name, *type;
    unsigned count;
    const char *first;
};

/* Rows: PTX without the closing semicolon. $ and a pool's letter stand for one
 * of its registers; $n is a number up to 39, $u up to 255, $k any of 32 bits; $r a rounding, $R one
 * to integral values, $c a relation, $z .ftz or nothing, $s .sat or nothing. */
struct random_rows {
    const char *const *rows;
    size_t count;
};

extern const struct random_pool random_pools[];
extern const size_t random_pool_count;
extern const struct random_rows random_tables[];
extern const size_t random_table_count;
extern const char random_function[]; /* a function that the programs call */

#endif
