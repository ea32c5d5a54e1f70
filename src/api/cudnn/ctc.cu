/* Kernels behind cuDNN's connectionist temporal classification loss: sums over all paths, forward and from the end
 * on, as logarithms in double precision. ctc.ptx is made from this file (see the command in its first line) and
 * embedded in the library.
 */
#include "dnn.cuh"
#include "functions.cuh"
#include "ctc_kernels.h"

DEVICE double nothing()
{
    return -(double)__builtin_inff();
}

/* log(exp(a) + exp(b)). */
DEVICE double join(double a, double b)
{
    double more = a > b ? a : b, less = a > b ? b : a;
    return less == nothing() ? more : more + logarithm(1 + exponential(less - more));
}

DEVICE void wait_for_block()
{
    asm volatile("bar.sync 0;" ::: "memory");
}

DEVICE double log_probability(const wl_dnn_ctc &of, int step, int sequence, int letter)
{
    double x = of.probs[step * of.probs_strides[0] + sequence * of.probs_strides[1] + letter * of.probs_strides[2]];
    return of.normalizes ? x - of.log_sums[(i64)step * of.batch + sequence] : logarithm(x);
}

/* A sequence as the program gave it. */
struct sentence {
    const int *labels;
    int number, length, states, steps;
    bool is_possible; /* its labels, and blanks between those that repeat, have steps enough */
    DEVICE sentence(const wl_dnn_ctc &of, int number) : number(number)
    {
        i64 begin = 0;
        for (int i = 0; i < number; i++)
            begin += of.label_lengths[i];
        labels = of.labels + begin;
        length = of.label_lengths[number];
        states = 2 * length + 1;
        steps = of.input_lengths[number];
        int needed = length;
        for (int i = 1; i < length; i++)
            needed += labels[i] == labels[i - 1];
        is_possible = needed <= steps && states <= of.states;
    }
    DEVICE int letter(int state) const
    {
        return state & 1 ? labels[state / 2] : 0;
    }
    /* Whether a path may leave out the blank before the state. */
    DEVICE bool can_jump(int state) const
    {
        return state >= 2 && (state & 1) && letter(state) != letter(state - 2);
    }
};

/* The logarithm of the sum that a step's numbers are divided by. */
GLOBAL void warplens_dnn_ctc_sums_f(wl_dnn_ctc of)
{
    for (i64 at = first(); at < (i64)of.steps * of.batch; at += step()) {
        const float *from = of.probs + at / of.batch * of.probs_strides[0] + at % of.batch * of.probs_strides[1];
        double most = nothing(), sum = 0;
        for (int i = 0; i < of.letters; i++)
            most = from[i * of.probs_strides[2]] > most ? from[i * of.probs_strides[2]] : most;
        for (int i = 0; i < of.letters; i++)
            sum += exponential(from[i * of.probs_strides[2]] - most);
        of.log_sums[at] = most + logarithm(sum);
    }
}

DEVICE void run_forward(const wl_dnn_ctc &of, const sentence &it, double *sums, int thread)
{
    for (int t = 0; t < it.steps; t++) {
        const double *before = sums + (i64)(t - 1) * of.states;
        for (int s = thread; s < it.states; s += THREADS) {
            double sum = t == 0 && s < 2 ? 0 : nothing();
            if (t > 0) {
                sum = before[s];
                if (s >= 1)
                    sum = join(sum, before[s - 1]);
                if (it.can_jump(s))
                    sum = join(sum, before[s - 2]);
            }
            sums[(i64)t * of.states + s] = sum + log_probability(of, t, it.number, it.letter(s));
        }
        wait_for_block();
    }
}

DEVICE void run_back(const wl_dnn_ctc &of, const sentence &it, double *sums, int thread)
{
    for (int t = it.steps - 1; t >= 0; t--) {
        const double *after = sums + (i64)(t + 1) * of.states;
        for (int s = thread; s < it.states; s += THREADS) {
            double sum = t == it.steps - 1 && s >= it.states - 2 ? 0 : nothing();
            for (int to = s; t < it.steps - 1 && to <= s + 2 && to < it.states; to++)
                if (to < s + 2 || it.can_jump(to))
                    sum = join(sum, after[to] + log_probability(of, t + 1, it.number, it.letter(to)));
            sums[(i64)t * of.states + s] = sum;
        }
        wait_for_block();
    }
}

/* A block for each sequence and direction. */
GLOBAL void warplens_dnn_ctc_paths_f(wl_dnn_ctc of)
{
    int thread = __nvvm_read_ptx_sreg_tid_x(), blocks = __nvvm_read_ptx_sreg_nctaid_x();
    for (int block = __nvvm_read_ptx_sreg_ctaid_x(); block < 2 * of.batch; block += blocks) {
        sentence it(of, block / 2);
        i64 begin = (i64)it.number * of.steps * of.states;
        if (it.is_possible && block % 2)
            run_back(of, it, of.behind + begin, thread);
        else if (it.is_possible)
            run_forward(of, it, of.forward + begin, thread);
    }
}

/* The logarithm of the probability of all paths, where there can be one; that of paths without labels is 0, as on an
 * H200, whatever it is. */
DEVICE double total(const wl_dnn_ctc &of, const sentence &it)
{
    if (!it.length)
        return 0;
    const double *last = of.forward + ((i64)it.number * of.steps + it.steps - 1) * of.states;
    return join(last[it.states - 1], last[it.states - 2]);
}

/* What no path fits into costs nothing, as on an H200. */
GLOBAL void warplens_dnn_ctc_costs_f(wl_dnn_ctc of)
{
    for (i64 at = first(); at < of.batch; at += step()) {
        sentence it(of, (int)at);
        of.costs[at] = it.is_possible ? (float)-total(of, it) : 0;
    }
}

/* The probability of being at a letter in a step, of all paths. */
DEVICE double occupancy(const wl_dnn_ctc &of, const sentence &it, int t, int letter)
{
    i64 row = ((i64)it.number * of.steps + t) * of.states;
    double all = total(of, it), sum = 0;
    for (int s = 0; s < it.states && all != nothing(); s++)
        if (it.letter(s) == letter)
            sum += exponential(of.forward[row + s] + of.behind[row + s] - all);
    return sum;
}

/* Of activations y - sum. Of probabilities -sum / y, but y of letters that no path comes to, as an H200 has it. */
GLOBAL void warplens_dnn_ctc_gradients_f(wl_dnn_ctc of)
{
    for (i64 at = first(); at < (i64)of.steps * of.batch * of.letters; at += step()) {
        int letter = (int)(at % of.letters), number = (int)(at / of.letters % of.batch);
        int t = (int)(at / of.letters / of.batch);
        float *to = of.gradients + t * of.gradient_strides[0] + number * of.gradient_strides[1] +
                    letter * of.gradient_strides[2];
        sentence it(of, number);
        if (!it.is_possible || t >= it.steps) {
            if (!of.skips && it.length)
                *to = 0;
            continue;
        }
        double y = exponential(log_probability(of, t, number, letter));
        double sum = occupancy(of, it, t, letter);
        *to = (float)(of.normalizes || sum == 0 ? y - sum : -sum / y);
    }
}
