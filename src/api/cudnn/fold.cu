/* Tensors that are padded, and whose spatial dimensions are folded into channels or back. A thread for each element of what
 * is made.
 *
 * fold.ptx is made from this file (see the command in its first line) and embedded in the library.
 */
#include "any.cuh"

/* Where an element comes from. */
struct source {
    i64 at;
    bool is_there;
};

/* In a dimension of the source; false: outside. */
DEVICE bool step_to(const wl_dnn_fold &f, int d, int index, source &s)
{
    s.at += index * f.x[d];
    return (unsigned)index < (unsigned)f.from[d];
}

/* The source is padded, then folded: the last spatial dimension's part of a channel comes round first. */
DEVICE source folded(const wl_dnn_fold &f, const int *at)
{
    int part = at[1] / f.between[1];
    source s = {0, true};
    for (int d = f.rank - 1; d >= 0; d--) {
        int index = d == 1 ? at[1] % f.between[1] : at[d];
        if (d > 1) {
            const int own = part % f.folds[d];
            index = index * f.folds[d] + (f.is_reversed ? f.folds[d] - 1 - own : own);
            part /= f.folds[d];
        }
        s.is_there &= step_to(f, d, index - f.before[d], s) && index < f.between[d];
    }
    return s;
}

/* The source is unfolded, then padded. */
DEVICE source unfolded(const wl_dnn_fold &f, const int *at)
{
    int part = 0, channel = 0;
    source s = {0, true};
    for (int d = 0; d < f.rank; d++) {
        int index = at[d] - f.before[d];
        s.is_there &= (unsigned)index < (unsigned)f.between[d];
        if (d == 1) {
            channel = index;
            continue;
        }
        if (d > 1) {
            part = part * f.folds[d] + index % f.folds[d];
            index /= f.folds[d];
        }
        s.is_there &= step_to(f, d, index, s);
    }
    s.is_there &= step_to(f, 1, part * f.between[1] + channel, s);
    return s;
}

GLOBAL void warplens_dnn_fold(wl_dnn_fold f, any x, any y, double alpha, double beta)
{
    for (i64 i = first(); i < f.count; i += step()) {
        int at[WL_DNN_WALK_RANK];
        i64 rest = i, to = 0;
        for (int d = f.rank - 1; d >= 0; d--) {
            at[d] = (int)(rest % f.to[d]);
            rest /= f.to[d];
            to += at[d] * f.y[d];
        }
        const source s = f.is_back ? unfolded(f, at) : folded(f, at);
        blend_at(y, to, alpha, s.is_there ? number_at(x, s.at) : 0, beta);
    }
}
