#include "api/cudnn/walk.h"

/* Puts dimension `from` of the walk before dimension `to`, which is not after it. */
static void move(struct wl_dnn_walk *walk, int from, int to)
{
    for (int i = from; i > to; i--) {
        const int size = walk->dims[i];
        walk->dims[i] = walk->dims[i - 1];
        walk->dims[i - 1] = size;
        for (int t = 0; t < WL_DNN_WALKERS; t++) {
            const long long step = walk->steps[t][i];
            walk->steps[t][i] = walk->steps[t][i - 1];
            walk->steps[t][i - 1] = step;
        }
    }
}

/* The largest steps of the first tensor come first. */
static void sort(struct wl_dnn_walk *walk)
{
    for (int i = 1; i < walk->rank; i++) {
        int to = i;
        while (to > 0 && walk->steps[0][to - 1] < walk->steps[0][i])
            to--;
        move(walk, i, to);
    }
}

/* Whether one step in dimension i is all of the next one, in each tensor. */
static bool is_one(const struct wl_dnn_walk *walk, int i)
{
    for (int t = 0; t < WL_DNN_WALKERS; t++)
        if (walk->steps[t][i] != walk->steps[t][i + 1] * walk->dims[i + 1])
            return false;
    return true;
}

static void merge(struct wl_dnn_walk *walk)
{
    for (int i = walk->rank - 2; i >= 0; i--) {
        if (!is_one(walk, i))
            continue;
        walk->dims[i] *= walk->dims[i + 1];
        walk->rank--;
        for (int k = i + 1; k < walk->rank; k++)
            walk->dims[k] = walk->dims[k + 1];
        for (int t = 0; t < WL_DNN_WALKERS; t++)
            for (int k = i; k < walk->rank; k++)
                walk->steps[t][k] = walk->steps[t][k + 1];
    }
}

/* Division of numbers below 2^31 by a multiplication: with 2^(n-1) < size <= 2^n the factor is
 * above 2^(31+n) / size by less than 1, and below 2^32. */
static void find_factors(struct wl_dnn_walk *walk)
{
    for (int d = 0; d < walk->rank; d++) {
        unsigned n = 0;
        while (1ull << n < (unsigned long long)walk->dims[d])
            n++;
        walk->shifts[d] = 31 + n;
        walk->factors[d] = (unsigned)((1ull << (31 + n)) / (unsigned)walk->dims[d] + 1);
    }
}

bool wl_cudnn_walk(struct wl_dnn_walk *made, int dims, bool is_ordered,
                   const struct wl_cudnn_tensor *const *tensors, int count)
{
    const struct wl_cudnn_tensor *first = tensors[0];
    *made = (struct wl_dnn_walk){.count = 1};
    for (int t = 1; t < count; t++)
        if (tensors[t] && tensors[t]->rank != first->rank)
            return false;
    for (int i = 0; i < first->rank; i++) {
        if (!(dims >> i & 1))
            continue;
        for (int t = 0; t < count; t++) {
            const struct wl_cudnn_tensor *tensor = tensors[t];
            if (tensor && tensor->dims[i] != 1 && tensor->dims[i] != first->dims[i])
                return false;
            made->steps[t][made->rank] = tensor && tensor->dims[i] != 1 ? tensor->strides[i] : 0;
        }
        if (first->dims[i] == 1)
            continue;
        made->count *= first->dims[i];
        made->dims[made->rank++] = first->dims[i];
    }
    if (!is_ordered)
        sort(made);
    merge(made);
    find_factors(made);
    return true;
}

int wl_cudnn_group(int count)
{
    int group = 1;
    while (group < WL_DNN_GROUP_MAX && group * 4 < count)
        group *= 2;
    return group;
}

void wl_cudnn_spread(const struct wl_cudnn_tensor *tensor, long long steps[WL_DNN_RANK])
{
    const int missing = WL_DNN_RANK - tensor->rank;
    for (int i = 0; i < WL_DNN_RANK; i++)
        steps[i] = i < 2 ? tensor->strides[i] : i - missing < 2 ? 0 : tensor->strides[i - missing];
}
