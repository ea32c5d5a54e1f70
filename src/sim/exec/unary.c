/* Expressions of one register. */
#include "sim/exec/expression.h"

#define FETCH FETCH_OF(a)
#define B(id, TD, TA, TB, expression)
#define U(id, TD, TA, expression) LANES(id, TD, REGISTER(TA, a), expression)
#define T(id, TD, TA, TB, TC, expression)
#define P(id, TA, TB, expression)
#include "warp/ops.def"
