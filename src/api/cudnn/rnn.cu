/* Kernels behind cuDNN's recurrent networks: a launch a step, an element of the state a thread. Plain ones: what
 * they count is what such a network does at least, not how cuDNN does it. rnn.ptx is made from this file (see the
 * command in its first line) and embedded in the library.
 */
#include "dnn.cuh"
#include "functions.cuh"
#include "rnn_kernels.h"

/* As wl_dnn_rnn_rows says. */
DEVICE int row_of(const wl_dnn_rnn_rows &rows, i64 place)
{
    if (rows.rows)
        return rows.rows[place];
    int sequence = (int)(place % rows.batch);
    int row = (int)(place / rows.batch) * rows.step_rows + sequence * rows.sequence_rows;
    return rows.lengths && rows.lengths[sequence] == 0 ? -2 - row : row;
}

/* out: a tensor's rows of `width` by step and sequence; 0 where there is none, or no tensor. */
template <typename T, typename Real>
DEVICE void read_rows(const wl_dnn_rnn_rows &rows, i64 count, int width, const T *in, Real *out)
{
    for (i64 at = first(); at < count; at += step()) {
        int row = row_of(rows, at / width);
        out[at] = in && row >= 0 ? (Real)number(in[(i64)row * width + at % width]) : 0;
    }
}

/* The other way; padding is filled if there is something to do it with. */
template <typename T, typename Real>
DEVICE void write_rows(const wl_dnn_rnn_rows &rows, i64 count, int width, const Real *in, T *out, const T *fill,
                       int is_sum)
{
    for (i64 at = first(); at < count; at += step()) {
        int row = row_of(rows, at / width);
        i64 to = (i64)(row < 0 ? -2 - row : row) * width + at % width;
        if (row >= 0)
            assign(out[to], is_sum ? (Real)number(out[to]) + in[at] : in[at]);
        else if (row < -1 && fill)
            out[to] = *fill;
    }
}

#define ROWS(suffix, T, Real)                                                                                   \
    GLOBAL void warplens_dnn_rnn_read_##suffix(wl_dnn_rnn_rows rows, i64 count, int width, const T *in,         \
                                               Real *out)                                                       \
    {                                                                                                           \
        read_rows(rows, count, width, in, out);                                                                 \
    }                                                                                                           \
    GLOBAL void warplens_dnn_rnn_write_##suffix(wl_dnn_rnn_rows rows, i64 count, int width, const Real *in,     \
                                                T *out, T fill, int has_fill, int is_sum)                       \
    {                                                                                                           \
        write_rows(rows, count, width, in, out, has_fill ? &fill : (const T *)nullptr, is_sum);                 \
    }
KINDS(ROWS)

template <typename Real> DEVICE void multiply(const wl_dnn_rnn_product &of)
{
    for (i64 at = first(); at < (i64)of.rows * of.columns; at += step()) {
        i64 row = at / of.columns, column = at % of.columns;
        const Real *a = (const Real *)of.a + row * of.a_row, *b = (const Real *)of.b + column;
        Real *out = (Real *)of.out + row * of.out_row + column;
        Real sum = of.is_sum ? *out : of.bias ? ((const Real *)of.bias)[column] : 0;
        for (int k = 0; k < of.depth; k++)
            sum += a[k * of.a_depth] * b[k * of.b_depth];
        *out = sum;
    }
}

/* Rows become columns. */
template <typename Real> DEVICE void turn(const Real *in, Real *out, int rows, int columns)
{
    for (i64 at = first(); at < (i64)rows * columns; at += step())
        out[at] = in[at % rows * columns + at / rows];
}

/* Without a matrix of inputs: each gate has x, and its bias if there are any. out: [place, gate, hidden]. */
template <typename Real> DEVICE void spread(const Real *x, const Real *bias, Real *out, int gates, int hidden, i64 count)
{
    for (i64 at = first(); at < count; at += step()) {
        int row = gates * hidden, within = (int)(at % row);
        out[at] = x[at / row * hidden + within % hidden] + (bias ? bias[within] : 0);
    }
}

/* The gradients of such an x, of one direction, or added to those of the other. */
template <typename Real> DEVICE void gather(const Real *in, Real *dx, int gates, int hidden, int is_sum, i64 count)
{
    for (i64 at = first(); at < count; at += step()) {
        const Real *from = in + at / hidden * gates * hidden + at % hidden;
        Real sum = is_sum ? dx[at] : 0;
        for (int i = 0; i < gates; i++)
            sum += from[i * hidden];
        dx[at] = sum;
    }
}

/* A column's sum. */
template <typename Real> DEVICE void add_up(const Real *in, Real *out, int columns, int rows)
{
    for (i64 at = first(); at < columns; at += step()) {
        Real sum = 0;
        for (i64 row = 0; row < rows; row++)
            sum += in[row * columns + at];
        out[at] = sum;
    }
}

/* ---- steps ---- */

DEVICE int length(const wl_dnn_rnn_step &of, int sequence)
{
    return of.lengths ? of.lengths[sequence] : of.steps;
}

/* Whether the step is the one that the sequence begins with. */
DEVICE bool is_first(const wl_dnn_rnn_step &of, int step, int sequence)
{
    return step == (of.is_backward ? length(of, sequence) - 1 : 0);
}

DEVICE i64 place(const wl_dnn_rnn_step &of, int step, int sequence)
{
    return (i64)step * of.batch + sequence;
}

/* The hidden state before a step. */
template <typename Real> DEVICE const Real *hidden_before(const wl_dnn_rnn_step &of, int step, int sequence)
{
    if (is_first(of, step, sequence))
        return (const Real *)of.first_hidden + (i64)sequence * of.width;
    int before = step + (of.is_backward ? 1 : -1);
    return (const Real *)of.out + place(of, before, sequence) * of.stride + of.column;
}

template <typename Real> DEVICE Real cell_before(const wl_dnn_rnn_step &of, int sequence, int unit)
{
    if (is_first(of, of.step, sequence))
        return ((const Real *)of.first_cell)[(i64)sequence * of.hidden + unit];
    int before = of.step + (of.is_backward ? 1 : -1);
    return ((const Real *)of.extra)[place(of, before, sequence) * of.hidden + unit];
}

/* A cell within its bounds. They are kept as they come out, and brought within them by what reads them. */
template <typename Real> DEVICE Real bound(const wl_dnn_rnn_step &of, Real cell)
{
    if (!of.has_clip)
        return cell;
    return cell < Real(of.least) ? Real(of.least) : cell > Real(of.most) ? Real(of.most) : cell;
}

/* Whether it is beyond them, so that no gradient comes to it. */
template <typename Real> DEVICE bool is_bounded(const wl_dnn_rnn_step &of, Real cell)
{
    return of.has_clip && (cell < Real(of.least) || cell > Real(of.most));
}

template <typename Real> DEVICE void forward(const wl_dnn_rnn_step &of)
{
    for (i64 at = first(); at < (i64)of.batch * of.hidden; at += step()) {
        int sequence = (int)(at / of.hidden), unit = (int)(at % of.hidden);
        i64 here = place(of, of.step, sequence);
        Real *gates = (Real *)of.gates + here * of.gate_count * of.hidden + unit, result = 0;
        Real *extra = (Real *)of.extra + here * of.hidden + unit;
        if (of.step >= length(of, sequence)) {
            for (int i = 0; i < of.gate_count; i++)
                gates[i * of.hidden] = 0;
            if (of.mode >= WL_DNN_LSTM)
                *extra = 0;
        } else {
            const Real *recurrent = (const Real *)of.recurrent_sums + (i64)sequence * of.gate_count * of.hidden + unit;
            Real sums[4], rest = 0;
            for (int i = 0; i < of.gate_count; i++) {
                rest = recurrent[i * of.hidden];
                sums[i] = gates[i * of.hidden] + rest;
            }
            if (of.mode == WL_DNN_LSTM) {
                Real in = sigmoid(sums[0]), forget = sigmoid(sums[1]), fresh = hyperbolic_tangent(sums[2]);
                Real out = sigmoid(sums[3]), *state = (Real *)of.cell_state + at;
                Real cell = forget * bound(of, *state) + in * fresh;
                sums[0] = in, sums[1] = forget, sums[2] = fresh, sums[3] = out;
                *extra = *state = cell;
                result = out * hyperbolic_tangent(bound(of, cell));
            } else if (of.mode == WL_DNN_GRU) {
                Real reset = sigmoid(sums[0]), keep = sigmoid(sums[1]);
                Real fresh = hyperbolic_tangent(gates[2 * of.hidden] + reset * rest);
                sums[0] = reset, sums[1] = keep, sums[2] = fresh;
                *extra = rest;
                result = (1 - keep) * fresh + keep * ((const Real *)of.hidden_state)[at];
            } else {
                bool is_relu = of.mode == WL_DNN_RNN_RELU;
                result = is_relu ? (sums[0] > 0 ? sums[0] : 0) : hyperbolic_tangent(sums[0]);
                sums[0] = result;
            }
            for (int i = 0; i < of.gate_count; i++)
                gates[i * of.hidden] = sums[i];
            if (!of.projection)
                ((Real *)of.hidden_state)[at] = result;
        }
        if (of.projection)
            ((Real *)of.unprojected)[here * of.hidden + unit] = result;
        else
            ((Real *)of.out)[here * of.stride + of.column + unit] = result;
    }
}

template <typename Real> DEVICE void project(const wl_dnn_rnn_step &of)
{
    for (i64 at = first(); at < (i64)of.batch * of.width; at += step()) {
        int sequence = (int)(at / of.width), unit = (int)(at % of.width);
        i64 here = place(of, of.step, sequence);
        const Real *from = (const Real *)of.unprojected + here * of.hidden;
        const Real *weights = (const Real *)of.projection + (i64)unit * of.hidden;
        Real sum = 0;
        for (int k = 0; k < of.hidden; k++)
            sum += from[k] * weights[k];
        ((Real *)of.out)[here * of.stride + of.column + unit] = sum;
        if (of.step < length(of, sequence))
            ((Real *)of.hidden_state)[at] = sum;
    }
}

/* The gradient of the hidden state after a step: of the output, and of the steps that follow, whose products with
 * weights are added afterwards to what `back` leaves. */
template <typename Real> DEVICE Real gradient_after(const wl_dnn_rnn_step &of, int sequence, int unit)
{
    i64 here = place(of, of.step, sequence);
    return ((const Real *)of.gradient)[here * of.stride + of.column + unit] +
           ((const Real *)of.hidden_state)[(i64)sequence * of.width + unit];
}

template <typename Real> DEVICE void back_project(const wl_dnn_rnn_step &of)
{
    for (i64 at = first(); at < (i64)of.batch * of.hidden; at += step()) {
        int sequence = (int)(at / of.hidden), unit = (int)(at % of.hidden);
        bool is_there = of.step < length(of, sequence);
        Real *kept = (Real *)of.projected_gradients + place(of, of.step, sequence) * of.width, sum = 0;
        for (int k = 0; k < of.width; k++) {
            Real gradient = is_there ? gradient_after<Real>(of, sequence, k) : 0;
            sum += gradient * ((const Real *)of.projection)[(i64)k * of.hidden + unit];
            if (k % of.hidden == unit)
                kept[k] = gradient;
        }
        ((Real *)of.unprojected_gradient)[at] = sum;
    }
}

template <typename Real> DEVICE void back(const wl_dnn_rnn_step &of)
{
    for (i64 at = first(); at < (i64)of.batch * of.hidden; at += step()) {
        int sequence = (int)(at / of.hidden), unit = (int)(at % of.hidden);
        i64 here = place(of, of.step, sequence);
        const Real *gates = (const Real *)of.gates + here * of.gate_count * of.hidden + unit;
        Real *made = (Real *)of.gate_gradients + here * of.gate_count * of.hidden + unit;
        Real *made_extra = (Real *)of.extra_gradients + here * of.hidden + unit;
        if (of.step >= length(of, sequence)) {
            for (int i = 0; i < of.gate_count; i++)
                made[i * of.hidden] = 0;
            if (of.mode == WL_DNN_GRU)
                *made_extra = 0;
            continue;
        }
        Real gradient = of.projection ? ((const Real *)of.unprojected_gradient)[at]
                                      : gradient_after<Real>(of, sequence, unit);
        if (of.mode == WL_DNN_LSTM) {
            Real in = gates[0], forget = gates[of.hidden], fresh = gates[2 * of.hidden], out = gates[3 * of.hidden];
            Real state = ((const Real *)of.extra)[here * of.hidden + unit], cell = hyperbolic_tangent(bound(of, state));
            Real of_cell = is_bounded(of, state) ? 0 : gradient * out * (1 - cell * cell);
            Real before = cell_before<Real>(of, sequence, unit);
            of_cell += ((Real *)of.cell_state)[at];
            made[0] = of_cell * fresh * in * (1 - in);
            made[of.hidden] = of_cell * bound(of, before) * forget * (1 - forget);
            made[2 * of.hidden] = of_cell * in * (1 - fresh * fresh);
            made[3 * of.hidden] = gradient * cell * out * (1 - out);
            ((Real *)of.cell_state)[at] = is_bounded(of, before) ? 0 : of_cell * forget;
        } else if (of.mode == WL_DNN_GRU) {
            Real reset = gates[0], keep = gates[of.hidden], fresh = gates[2 * of.hidden];
            Real before = hidden_before<Real>(of, of.step, sequence)[unit];
            Real of_fresh = gradient * (1 - keep) * (1 - fresh * fresh);
            made[0] = of_fresh * ((const Real *)of.extra)[here * of.hidden + unit] * reset * (1 - reset);
            made[of.hidden] = gradient * (before - fresh) * keep * (1 - keep);
            made[2 * of.hidden] = of_fresh;
            *made_extra = of_fresh * reset;
            ((Real *)of.hidden_state)[at] = gradient * keep;
        } else {
            Real h = gates[0];
            made[0] = of.mode == WL_DNN_RNN_RELU ? (h > 0 ? gradient : 0) : gradient * (1 - h * h);
        }
        if (of.mode != WL_DNN_GRU && unit < of.width)
            ((Real *)of.hidden_state)[(i64)sequence * of.width + unit] = 0;
    }
}

/* out: the hidden states before all steps. */
template <typename Real> DEVICE void before(const wl_dnn_rnn_step &of, Real *out)
{
    for (i64 at = first(); at < (i64)of.steps * of.batch * of.width; at += step()) {
        i64 here = at / of.width;
        int sequence = (int)(here % of.batch), when = (int)(here / of.batch);
        out[at] = when < length(of, sequence) ? hidden_before<Real>(of, when, sequence)[at % of.width] : 0;
    }
}

/* ---- dropout ---- */

/* Bits of a place, by the finishing steps of MurmurHash3. */
DEVICE unsigned long long scramble(unsigned long long x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdull;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ull;
    return x ^ x >> 33;
}

/* The key of a run, by the states of a dropout descriptor, which then go on. */
GLOBAL void warplens_dnn_rnn_key(wl_dnn_random *states, unsigned long long *key)
{
    if (!first())
        *key = states->seed ^ scramble(states->drawn++ + 0x9e3779b97f4a7c15ull);
}

template <typename Real> DEVICE void drop(const wl_dnn_rnn_dropout &of)
{
    unsigned long long key = *of.key;
    for (i64 at = first(); at < of.count; at += step()) {
        unsigned long long bits = scramble(key ^ scramble((unsigned long long)of.layer << 48 ^ (unsigned long long)at));
        bool is_kept = (double)(bits >> 11) * 1.1102230246251565e-16 < of.kept; /* 2^-53 */
        ((Real *)of.out)[at] = is_kept ? (Real)(((const Real *)of.in)[at] / of.kept) : 0;
    }
}

#define REALS(X) X(f, float) X(d, double)
#define STEPS(suffix, Real)                                                                              \
    GLOBAL void warplens_dnn_rnn_product_##suffix(wl_dnn_rnn_product of)                                 \
    {                                                                                                    \
        multiply<Real>(of);                                                                              \
    }                                                                                                    \
    GLOBAL void warplens_dnn_rnn_add_up_##suffix(const Real *in, Real *out, int columns, int rows)       \
    {                                                                                                    \
        add_up(in, out, columns, rows);                                                                  \
    }                                                                                                    \
    GLOBAL void warplens_dnn_rnn_turn_##suffix(const Real *in, Real *out, int rows, int columns)         \
    {                                                                                                    \
        turn(in, out, rows, columns);                                                                    \
    }                                                                                                    \
    GLOBAL void warplens_dnn_rnn_spread_##suffix(const Real *x, const Real *bias, Real *out, int gates,  \
                                                 int hidden, i64 count)                                  \
    {                                                                                                    \
        spread(x, bias, out, gates, hidden, count);                                                      \
    }                                                                                                    \
    GLOBAL void warplens_dnn_rnn_gather_##suffix(const Real *in, Real *dx, int gates, int hidden,        \
                                                 int is_sum, i64 count)                                  \
    {                                                                                                    \
        gather(in, dx, gates, hidden, is_sum, count);                                                    \
    }                                                                                                    \
    GLOBAL void warplens_dnn_rnn_forward_##suffix(wl_dnn_rnn_step of)                                    \
    {                                                                                                    \
        forward<Real>(of);                                                                               \
    }                                                                                                    \
    GLOBAL void warplens_dnn_rnn_project_##suffix(wl_dnn_rnn_step of)                                    \
    {                                                                                                    \
        project<Real>(of);                                                                               \
    }                                                                                                    \
    GLOBAL void warplens_dnn_rnn_back_##suffix(wl_dnn_rnn_step of)                                       \
    {                                                                                                    \
        back<Real>(of);                                                                                  \
    }                                                                                                    \
    GLOBAL void warplens_dnn_rnn_back_project_##suffix(wl_dnn_rnn_step of)                               \
    {                                                                                                    \
        back_project<Real>(of);                                                                          \
    }                                                                                                    \
    GLOBAL void warplens_dnn_rnn_before_##suffix(wl_dnn_rnn_step of, Real *out)                          \
    {                                                                                                    \
        before(of, out);                                                                                 \
    }                                                                                                    \
    GLOBAL void warplens_dnn_rnn_drop_##suffix(wl_dnn_rnn_dropout of)                                    \
    {                                                                                                    \
        drop<Real>(of);                                                                                  \
    }
REALS(STEPS)
