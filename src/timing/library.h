/* How long a library's own kernels would take for what was asked of them: stand-ins compute the
 * same, but not as fast. A product of matrices is cut into tiles as fast kernels cut it, of the
 * sizes and with the splits of the depth that take the least time; all else goes by bytes. What
 * tiles reach was fitted to readings of an H200 (bench/gpu/library); docs/models/library-model.md
 * has the formulas, and how far off they are. */
#ifndef WL_TIMING_LIBRARY_H
#define WL_TIMING_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/gpu.h"

enum wl_library_call {
    WL_LIBRARY_PRODUCT,
    WL_LIBRARY_CONVOLUTION,
    WL_LIBRARY_NORM,
    WL_LIBRARY_STREAM, /* goes over its bytes once */
    WL_LIBRARY_PASSES, /* so many kernels, one after another, that go over bytes in all */
    WL_LIBRARY_STEPS,  /* steps that wait for one another, see enum wl_library_steps */
    WL_LIBRARY_FUSED,  /* part of the kernel before it: takes no time of its own */
};

/* Of the factors of sums of products. TF32: single precision that tensor cores may round. */
enum wl_library_element {
    WL_LIBRARY_F32,
    WL_LIBRARY_TF32,
    WL_LIBRARY_F16, /* or bfloat16 */
    WL_LIBRARY_F64,
    WL_LIBRARY_BYTES, /* 8-bit integers and floating-point numbers */
};

/* What is done column by column, or step by step: factors, solutions and spectra of cuSOLVER,
 * triangles of cuBLAS, recurrent networks of cuDNN. */
enum wl_library_steps {
    WL_LIBRARY_POTRF,
    WL_LIBRARY_GETRF,
    WL_LIBRARY_GEQRF,
    WL_LIBRARY_ORGQR,
    WL_LIBRARY_SYEVD,
    WL_LIBRARY_GESVD,
    WL_LIBRARY_SYEVJ,
    WL_LIBRARY_GESVDJ,
    WL_LIBRARY_POTRS,
    WL_LIBRARY_GETRS,
    WL_LIBRARY_TRSM,
    WL_LIBRARY_POTRF_BATCHED,
    WL_LIBRARY_GETRF_BATCHED,
    WL_LIBRARY_RNN,           /* all of a layer but the products of its inputs */
    WL_LIBRARY_RNN_GRADIENTS, /* the same of its gradients */
    WL_LIBRARY_STEPS_COUNT
};

enum wl_library_way { WL_LIBRARY_FORWARD, WL_LIBRARY_DATA, WL_LIBRARY_FILTER };

/* Sizes are of the whole call. A convolution is the product that it comes to: its rows are places
 * of the result, or taps of all channels for the gradient of the filter. */
struct wl_library_work {
    enum wl_library_call call;
    enum wl_library_element element;
    double rows, columns, depth, count; /* of products; norm: elements of a mean, and means; passes:
                                           how many */
    double bytes;                       /* of operands and results, each counted once */
    bool is_unaligned;                  /* lines that do not begin at multiples of 16 bytes */
    enum wl_library_way way;            /* convolution; norm: the first two */
    bool is_channels_last, has_taps;    /* convolution; has_taps: more than one */
    /* steps: rows and columns are the matrix's, count: right-hand sides, or matrices. Of a network
     * rows: images, columns: gates of all hidden units, depth: hidden units, count: steps, inputs:
     * of a step. */
    enum wl_library_steps steps;
    double inputs;
    bool is_complex; /* steps; element: of its parts */
};

/* Nanoseconds from the start of its first kernel to the end of its last, by the GPU's file; > 0. */
double wl_library_time_ns(const struct wl_gpu *gpu, const struct wl_library_work *work);

#endif
