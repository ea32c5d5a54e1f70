/* Single-precision matrix multiplication, the kernels behind cublasSgemm: C = alpha op(A) op(B) +
 * beta C, all column-major, for any size. A block of 256 threads makes a square tile of C in steps
 * of 8 along K through shared memory; each thread keeps (TILE / 16)^2 results in registers. The
 * rows of the shared tiles are padded by 4 so that stores along K hit different banks.
 *
 * sgemm.ptx is made from this file (see the command in its first line) and embedded in the library.
 */
#define GLOBAL extern "C" __attribute__((global)) __attribute__((launch_bounds(256)))
#define DEVICE __attribute__((device)) __attribute__((always_inline)) inline
#define SHARED __attribute__((shared))

typedef float quad __attribute__((ext_vector_type(4)));

constexpr int THREADS = 256, STEP = 8, SIDE = 16, PAD = 4;

/* Element (row, column) of op(X). */
template <bool TRANSPOSED> DEVICE float element(const float *x, int ld, int row, int column)
{
    return TRANSPOSED ? x[column + (long long)row * ld] : x[row + (long long)column * ld];
}

/* Copies `TILE` lines of `STEP` values along K to tile[k][line]. contiguous_k: neighbours in memory
 * are neighbours along K. */
template <int TILE, bool CONTIGUOUS_K>
DEVICE void load(float (*tile)[TILE + PAD], const float *x, int ld, int first_line, int lines,
                 int first_k, int k_count)
{
    int thread = __nvvm_read_ptx_sreg_tid_x();
#pragma unroll
    for (int i = 0; i < TILE * STEP / THREADS; i++) {
        int at = thread + i * THREADS;
        int k = CONTIGUOUS_K ? at % STEP : at / TILE;
        int line = CONTIGUOUS_K ? at / STEP : at % TILE;
        bool inside = first_line + line < lines && first_k + k < k_count;
        tile[k][line] =
            inside ? element<CONTIGUOUS_K>(x, ld, first_line + line, first_k + k) : 0.0f;
    }
}

/* Four neighbours at once. In assembly because the compiler splits the load otherwise. */
DEVICE quad load_quad(const float *shared)
{
    quad value;
    auto address = (unsigned long long)(__attribute__((address_space(3))) const float *)shared;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
                 : "l"(address));
    return value;
}

template <int TILE, bool TRANS_A, bool TRANS_B>
DEVICE void sgemm(int m, int n, int k, float alpha, const float *a, int lda, const float *b,
                  int ldb, float beta, float *c, int ldc)
{
    constexpr int QUADS = TILE / SIDE / 4;
    alignas(16) SHARED static float tile_a[STEP][TILE + PAD], tile_b[STEP][TILE + PAD];
    int thread = __nvvm_read_ptx_sreg_tid_x();
    int x = thread % SIDE * 4, y = thread / SIDE * 4;
    int row = __nvvm_read_ptx_sreg_ctaid_x() * TILE;
    int column = __nvvm_read_ptx_sreg_ctaid_y() * TILE;
    float sum[QUADS * 4][QUADS * 4] = {};
    for (int step = 0; step < k; step += STEP) {
        load<TILE, TRANS_A>(tile_a, a, lda, row, m, step, k);
        /* op(B)'s columns are the lines: memory runs along K unless transposed */
        load<TILE, !TRANS_B>(tile_b, b, ldb, column, n, step, k);
        __syncthreads();
#pragma unroll
        for (int at = 0; at < STEP; at++) {
            quad va[QUADS], vb[QUADS];
#pragma unroll
            for (int q = 0; q < QUADS; q++) {
                va[q] = load_quad(&tile_a[at][x + q * SIDE * 4]);
                vb[q] = load_quad(&tile_b[at][y + q * SIDE * 4]);
            }
#pragma unroll
            for (int j = 0; j < QUADS * 4; j++)
#pragma unroll
                for (int i = 0; i < QUADS * 4; i++)
                    sum[j][i] = __builtin_fmaf(va[i / 4][i % 4], vb[j / 4][j % 4], sum[j][i]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < QUADS * 4; j++)
#pragma unroll
        for (int i = 0; i < QUADS * 4; i++) {
            int to_row = row + x + i / 4 * SIDE * 4 + i % 4;
            int to_column = column + y + j / 4 * SIDE * 4 + j % 4;
            if (to_row >= m || to_column >= n)
                continue;
            float *to = &c[to_row + (long long)to_column * ldc];
            float value = alpha * sum[j][i];
            *to = beta == 0.0f ? value : value + beta * *to; /* C may hold anything if beta is 0 */
        }
}

/* A product of a batch for each block in z. */
#define KERNEL(name, tile, trans_a, trans_b)                                                    \
    GLOBAL void name(int m, int n, int k, float alpha, const float *a, int lda, const float *b, \
                     int ldb, float beta, float *c, int ldc, long long stride_a,                \
                     long long stride_b, long long stride_c)                                    \
    {                                                                                           \
        const long long batch = __nvvm_read_ptx_sreg_ctaid_z();                                 \
        sgemm<tile, trans_a, trans_b>(m, n, k, alpha, a + batch * stride_a, lda,                \
                                      b + batch * stride_b, ldb, beta, c + batch * stride_c,    \
                                      ldc);                                                     \
    }

KERNEL(warplens_sgemm_nn_64x64, 64, false, false)
KERNEL(warplens_sgemm_nt_64x64, 64, false, true)
KERNEL(warplens_sgemm_tn_64x64, 64, true, false)
KERNEL(warplens_sgemm_tt_64x64, 64, true, true)
