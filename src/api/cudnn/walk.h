/* How kernels go through tensors: the elements of several at once, or dimension by dimension. */
#ifndef WL_API_CUDNN_WALK_H
#define WL_API_CUDNN_WALK_H

#include <stdint.h>

#include "api/cudnn/kernels.h"
#include "api/cudnn/tensor.h"

enum { WL_CUDNN_ALL_DIMS = -1 };

/* Through the dimensions of tensors[0] whose bits are set. Each other one has those or size 1 in
 * them, or is NULL. is_ordered: in the order of the dimensions; else in that of the first one's
 * memory. false: a tensor has other dimensions. */
bool wl_cudnn_walk(struct wl_dnn_walk *made, int dims, bool is_ordered,
                   const struct wl_cudnn_tensor *const *tensors, int count);

/* How many threads share a sum of so many elements. */
int wl_cudnn_group(int count);

/* A tensor's strides as of three spatial dimensions, the first of which may be missing. */
void wl_cudnn_spread(const struct wl_cudnn_tensor *tensor, long long steps[WL_DNN_RANK]);

#endif
