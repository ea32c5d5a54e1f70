/* Expressions of a register and an immediate. */
#include "sim/exec/expression.h"

#define FETCH FETCH_OF(a)
#define B(id, TD, TA, TB, expression) \
    LANES(id##_I, TD, REGISTER(TA, a); IMMEDIATE(TB, b), expression)
#define U(id, TD, TA, expression)
#define T(id, TD, TA, TB, TC, expression)
#define P(id, TA, TB, expression)
#include "warp/ops.def"
