/* Where an element of a tensor of three spatial dimensions stands. */
#ifndef WL_API_CUDNN_PLACE_CUH
#define WL_API_CUDNN_PLACE_CUH

#include "dnn.cuh"

struct place {
    int n, c, at[WL_DNN_SPATIAL];
};

/* Of the i-th one, the last dimension comes round first. */
DEVICE place place_of(i64 i, int channels, const int *spatial)
{
    place p;
    UNROLL for (int d = WL_DNN_SPATIAL - 1; d >= 0; d--) {
        p.at[d] = (int)(i % spatial[d]);
        i /= spatial[d];
    }
    p.c = (int)(i % channels);
    p.n = (int)(i / channels);
    return p;
}

/* Within a channel. */
DEVICE i64 offset(const long long *steps, const int *at)
{
    return at[0] * steps[2] + at[1] * steps[3] + at[2] * steps[4];
}

DEVICE i64 offset(const long long *steps, const place &p)
{
    return p.n * steps[0] + p.c * steps[1] + offset(steps, p.at);
}

#endif
