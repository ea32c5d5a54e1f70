/* How kernels that add up squares keep these from overflowing; they define DEVICE. */
#ifndef WL_API_CUBLAS_LENGTH_CUH
#define WL_API_CUBLAS_LENGTH_CUH

/* What the squares of n groups of so many neighbours, which are step apart, are to be scaled by: 1 unless the largest
 * is where squares overflow or vanish. By a block of 256 threads; a power of two, so that scaling rounds nothing. */
DEVICE double scale_of(const double *x, int n, long long step, int neighbours, double *largest)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    double own = 0;
    for (long long i = thread; i < n; i += 256)
        for (int k = 0; k < neighbours; k++) {
            const double value = x[i * step + k], size = value < 0 ? -value : value;
            own = size > own ? size : own;
        }
    largest[thread] = own;
    for (int half = 128; half; half /= 2) {
        __syncthreads();
        if (thread < half)
            largest[thread] = largest[thread + half] > largest[thread] ? largest[thread + half] : largest[thread];
    }
    __syncthreads();
    own = largest[0];
    __syncthreads(); /* before others write there */
    return own > 0x1p500 ? 0x1p-600 : own > 0 && own < 0x1p-450 ? 0x1p600 : 1;
}

#endif
