/* Comparisons of two registers, and of a register and an immediate. */
#include "sim/exec/expression.h"

#define B(id, TD, TA, TB, expression)
#define U(id, TD, TA, expression)
#define T(id, TD, TA, TB, TC, expression)

#define FETCH    \
    FETCH_OF(a); \
    FETCH_OF(b)
#define P(id, TA, TB, expression) COMPARE(id, REGISTER(TA, a); REGISTER(TB, b), expression)
#include "warp/ops.def"
#undef P
#undef FETCH

#define FETCH FETCH_OF(a)
#define P(id, TA, TB, expression) COMPARE(id##_I, REGISTER(TA, a); IMMEDIATE(TB, b), expression)
#include "warp/ops.def"
