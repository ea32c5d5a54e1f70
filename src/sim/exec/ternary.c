/* Expressions of three registers. */
#include "sim/exec/expression.h"

#define FETCH    \
    FETCH_OF(a); \
    FETCH_OF(b); \
    FETCH_OF(c)
#define B(id, TD, TA, TB, expression)
#define U(id, TD, TA, expression)
#define T(id, TD, TA, TB, TC, expression) \
    LANES(id, TD, REGISTER(TA, a); REGISTER(TB, b); REGISTER(TC, c), expression)
#define P(id, TA, TB, expression)
#include "warp/ops.def"
