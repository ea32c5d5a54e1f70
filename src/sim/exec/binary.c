/* Expressions of two registers. */
#include "sim/exec/expression.h"

#define FETCH    \
    FETCH_OF(a); \
    FETCH_OF(b)
#define B(id, TD, TA, TB, expression) LANES(id, TD, REGISTER(TA, a); REGISTER(TB, b), expression)
#define U(id, TD, TA, expression)
#define T(id, TD, TA, TB, TC, expression)
#define P(id, TA, TB, expression)
#include "warp/ops.def"
