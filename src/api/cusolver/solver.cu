/* Kernels behind cuSOLVER's factors of dense matrices and what solves with them: panels of 32 columns, and tiles of
 * 32 x 32 elements for what remains of the matrix behind them; and behind singular values and eigenvalues, for which
 * one block turns columns until all are orthogonal (one-sided Jacobi). Plain ones: what they count is what such a call
 * does at least, not how cuSOLVER does it.
 *
 * solver.ptx is made from this file (see the command in its first line) and embedded in the library.
 */
#include "solver.cuh"

constexpr int TILE = WL_SOLVER_TILE, TILE_ROWS = THREADS / TILE;

/* One block: a = L L', where ' is the conjugate transposed, of count columns at most TILE, in place; info: of the first
 * leading minor that is not positive, counted from 1 with `before` columns before these. Nothing is done behind one. */
template <typename T> DEVICE void cholesky(wl_solver_matrix a, int count, int before, int *info, T (*tile)[TILE + 1])
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    if (*info)
        return;
    for (int i = thread; i < count * count; i += THREADS)
        if (i % count >= i / count)
            tile[i % count][i / count] = get<T>(a, i % count, i / count);
    __syncthreads();
    for (int j = 0; j < count; j++) {
        const real_of<T> pivot = real_part(tile[j][j]);
        if (!(pivot > 0)) {
            if (!thread)
                *info = before + j + 1;
            return;
        }
        const real_of<T> diagonal = root(pivot);
        __syncthreads();
        if (thread >= j && thread < count)
            tile[thread][j] = thread == j ? parts<T>::of(diagonal) : tile[thread][j] / diagonal;
        __syncthreads();
        for (int i = thread; i < count * count; i += THREADS)
            if (i / count > j && i % count >= i / count)
                tile[i % count][i / count] -= tile[i % count][j] * conjugate(tile[i / count][j]);
        __syncthreads();
    }
    for (int i = thread; i < count * count; i += THREADS)
        if (i % count >= i / count)
            put(a, i % count, i / count, tile[i % count][i / count]);
}

/* x = x * inverse of l', of a lower triangle of count columns: a thread for each row of x. */
template <typename T>
DEVICE void divide(i64 rows, int count, wl_solver_matrix l, int is_unit, wl_solver_matrix x, const int *info)
{
    if (info && *info)
        return;
    for (i64 row = first(); row < rows; row += step())
        for (int j = 0; j < count; j++) {
            T sum = get<T>(x, row, j);
            for (int k = 0; k < j; k++)
                sum -= get<T>(x, row, k) * get<T>(l, j, k);
            put(x, row, j, is_unit ? sum : quotient(sum, get<T>(l, j, j)));
        }
}

/* c -= a * b of at most TILE columns of a: a block for each tile of c. is_lower: nothing above c's diagonal is read or
 * written. */
template <typename T>
DEVICE void update(i64 rows, i64 columns, int depth, wl_solver_matrix a, wl_solver_matrix b, wl_solver_matrix c,
                   int is_lower, const int *info, T (*left)[TILE + 1], T (*right)[TILE + 1])
{
    const int x = __nvvm_read_ptx_sreg_tid_x() % TILE, y = __nvvm_read_ptx_sreg_tid_x() / TILE;
    const i64 row = (i64)__nvvm_read_ptx_sreg_ctaid_x() * TILE, column = (i64)__nvvm_read_ptx_sreg_ctaid_y() * TILE;
    if ((info && *info) || (is_lower && row + TILE <= column))
        return;
    for (int i = y; i < TILE; i += TILE_ROWS) {
        left[i][x] = i < depth && row + x < rows ? get<T>(a, row + x, i) : T{};
        right[x][i] = x < depth && column + i < columns ? get<T>(b, x, column + i) : T{};
    }
    __syncthreads();
    if (row + x >= rows)
        return;
    for (int i = y; i < TILE && column + i < columns; i += TILE_ROWS) {
        if (is_lower && row + x < column + i)
            continue;
        T sum = {};
        for (int k = 0; k < depth; k++)
            sum += left[k][x] * right[k][i];
        put(c, row + x, column + i, get<T>(c, row + x, column + i) - sum);
    }
}

/* One block: info of the first 0 on a diagonal, counted from 1. */
template <typename T> DEVICE void find_zero(i64 rows, wl_solver_matrix a, int *info)
{
    if (!__nvvm_read_ptx_sreg_tid_x())
        for (i64 row = 0; row < rows && !*info; row++)
            if (is_zero(get<T>(a, row, row)))
                *info = (int)row + 1;
}

/* The lower triangle of a becomes that of from, unless info says that there is none. */
template <typename T>
DEVICE void put_triangle(i64 rows, wl_solver_matrix from, wl_solver_matrix a, const int *info)
{
    for (i64 i = first(); !*info && i < rows * rows; i += step())
        if (i % rows >= i / rows)
            put(a, i % rows, i / rows, get<T>(from, i % rows, i / rows));
}

/* One block: L and U of a panel; pivots, of the whole matrix, count from 1, and `before` of its rows are done;
 * without them rows stay where they are. info: of the first pivot of 0, which is passed over. */
template <typename T>
DEVICE void factor(i64 rows, int count, T *a, i64 lda, int before, void *pivots, int is_wide, int *info,
                   real_of<T> *best, int *places)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    for (int j = 0; j < count; j++) {
        real_of<T> own = -1;
        int place = j;
        for (i64 row = j + thread; pivots && row < rows; row += THREADS)
            if (size(a[row + j * lda]) > own)
                own = size(a[row + j * lda]), place = (int)row;
        best[thread] = own;
        places[thread] = place;
        for (int half = THREADS / 2; half; half /= 2) {
            __syncthreads();
            const int other = thread + half;
            if (thread < half && (best[other] > best[thread] ||
                                  (best[other] == best[thread] && places[other] < places[thread])))
                best[thread] = best[other], places[thread] = places[other];
        }
        __syncthreads();
        const int chosen = places[0];
        if (!thread && pivots)
            put_pivot(pivots, is_wide, before + j, before + chosen + 1);
        if (chosen != j && thread < count) {
            const T value = a[j + thread * lda];
            a[j + thread * lda] = a[chosen + thread * lda];
            a[chosen + thread * lda] = value;
        }
        __syncthreads();
        const T pivot = a[j + j * lda];
        if (!thread && is_zero(pivot) && !*info)
            *info = before + j + 1;
        for (i64 row = j + 1 + thread; !is_zero(pivot) && row < rows; row += THREADS) {
            const T factor = quotient(a[row + j * lda], pivot);
            a[row + j * lda] = factor;
            for (int column = j + 1; column < count; column++)
                a[row + column * lda] -= factor * a[j + column * lda];
        }
        __syncthreads();
    }
}

/* Exchanges rows as count pivots say, of all columns but `gap` of them behind the first ones: a thread for each. */
template <typename T>
DEVICE void exchange(i64 columns, i64 gap_begin, int gap, T *a, i64 lda, int before, int count, int is_backwards,
                     const void *pivots, int is_wide)
{
    for (i64 i = first(); i < columns; i += step()) {
        T *own = a + (i < gap_begin ? i : i + gap) * lda;
        for (int k = 0; k < count; k++) {
            const i64 row = before + (is_backwards ? count - 1 - k : k), other = pivot_at(pivots, is_wide, row) - 1;
            const T value = own[row];
            own[row] = own[other];
            own[other] = value;
        }
    }
}

/* Solves a * x = b in b's place, of a triangle: a block for each column. */
template <typename T>
DEVICE void solve(int rows, wl_solver_matrix a, int is_backwards, int is_unit, wl_solver_matrix b)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x(), last = rows - 1;
    const i64 column = __nvvm_read_ptx_sreg_ctaid_x();
    T before = {};
    for (int i = 0; i < rows; i++) {
        const int row = is_backwards ? last - i : i;
        const T sum = get<T>(b, row, column), value = is_unit ? sum : quotient(sum, get<T>(a, row, row));
        if (!thread && i) /* no thread reads it any more */
            put(b, is_backwards ? row + 1 : row - 1, column, before);
        before = value;
        for (int k = i + 1 + thread; k < rows; k += THREADS) {
            const int other = is_backwards ? last - k : k;
            put(b, other, column, get<T>(b, other, column) - get<T>(a, other, row) * value);
        }
        __syncthreads();
    }
    if (!thread && rows)
        put(b, is_backwards ? 0 : last, column, before);
}

/* One block: the Householder vectors of a panel, whose first elements are 1 and not stored, and their factors; R above
 * them, real on its diagonal. */
template <typename T>
DEVICE void reflect(i64 rows, int count, T *a, i64 lda, T *factors, real_of<T> *sums, T *products)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    for (int j = 0; j < count; j++) {
        T *vector = a + j * lda;
        real_of<T> largest = 0, squares = 0;
        for (i64 row = j + thread; row < rows; row += THREADS)
            largest = larger(largest, size(vector[row]));
        const real_of<T> scale = scale_of(largest_of_block(largest, sums));
        for (i64 row = j + 1 + thread; row < rows; row += THREADS)
            squares += square(scale * vector[row]);
        squares = sum_of_block(squares, sums);
        const T head = scale * vector[j];
        const real_of<T> length = root(square(head) + squares), beta = real_part(head) < 0 ? length : -length;
        const T factor = factor_of(head, squares, beta);
        __syncthreads();
        if (!thread)
            factors[j] = factor;
        if (is_zero(factor))
            continue;
        for (i64 row = j + 1 + thread; row < rows; row += THREADS)
            vector[row] = quotient(scale * vector[row], head - parts<T>::of(beta));
        for (int column = j + 1; column < count; column++) {
            T *other = a + column * lda, product = thread ? T{} : other[j];
            for (i64 row = j + 1 + thread; row < rows; row += THREADS)
                product += conjugate(vector[row]) * other[row];
            product = conjugate(factor) * sum_of_block(product, products);
            for (i64 row = j + thread; row < rows; row += THREADS)
                other[row] -= product * (row == j ? parts<T>::of(1) : vector[row]);
        }
        __syncthreads();
        if (!thread)
            vector[j] = parts<T>::of(beta / scale);
    }
}

/* c = H c of count reflections, the last one first, or of the conjugated ones, the first one first: a block for each
 * column of c. */
template <typename T>
DEVICE void apply(i64 rows, int count, int is_backwards, const T *a, i64 lda, const T *factors, wl_solver_matrix c,
                  T *sums)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    const i64 column = __nvvm_read_ptx_sreg_ctaid_x();
    for (int i = 0; i < count; i++) {
        const int j = is_backwards ? count - 1 - i : i;
        const T *vector = a + j * lda;
        T product = {};
        for (i64 row = j + thread; row < rows; row += THREADS)
            product += (row == j ? parts<T>::of(1) : conjugate(vector[row])) * get<T>(c, row, column);
        product = conjugate_if(factors[j], !is_backwards) * sum_of_block(product, sums);
        for (i64 row = j + thread; row < rows; row += THREADS)
            put(c, row, column, get<T>(c, row, column) - product * (row == j ? parts<T>::of(1) : vector[row]));
        __syncthreads();
    }
}

/* to = from, or the identity where from is nothing. */
template <typename T> DEVICE void copy(i64 rows, i64 columns, wl_solver_matrix from, T *to, i64 ld_to)
{
    for (i64 i = first(); i < rows * columns; i += step()) {
        const i64 row = i % rows, column = i / rows;
        to[row + column * ld_to] = from.values ? get<T>(from, row, column) : parts<T>::of(row == column);
    }
}

/* ---- singular values and eigenvalues ---- */

DEVICE int word_from_lane(int word, int distance)
{
    int got;
    asm volatile("shfl.bfly.b32 %0, %1, %2, 31;" : "=r"(got) : "r"(word), "r"(distance));
    return got;
}

DEVICE float from_lane(float value, int distance)
{
    return __builtin_bit_cast(float, word_from_lane(__builtin_bit_cast(int, value), distance));
}

DEVICE double from_lane(double value, int distance)
{
    const i64 bits = __builtin_bit_cast(i64, value);
    const int low = word_from_lane((int)bits, distance), high = word_from_lane((int)(bits >> 32), distance);
    return __builtin_bit_cast(double, (i64)high << 32 | (unsigned)low);
}

template <typename T> DEVICE complex<T> from_lane(complex<T> value, int distance)
{
    return {from_lane(value.real, distance), from_lane(value.imaginary, distance)};
}

template <typename T> DEVICE T sum_of_warp(T value)
{
    for (int distance = 16; distance; distance /= 2)
        value += from_lane(value, distance);
    return value;
}

/* A number of size 1 by which y is to be multiplied so that its product with x, and so xy, becomes real: xy's new
 * value. Real numbers stay as they are. */
template <typename T> DEVICE T make_real(T xy, T *phase)
{
    *phase = 1;
    return xy;
}

template <typename T> DEVICE T make_real(complex<T> xy, complex<T> *phase)
{
    const T length = root(square(xy));
    *phase = length > 0 ? conjugate(xy) / length : parts<complex<T>>::of(1);
    return length;
}

template <typename T> DEVICE T in_phase(T value, T phase)
{
    (void)phase;
    return value;
}

template <typename T> DEVICE complex<T> in_phase(complex<T> value, complex<T> phase)
{
    return value * phase;
}

/* By a sine and the tangent of half the angle: a cosine that is rounded to 1 would make columns longer and longer. */
template <typename T> DEVICE void turn(i64 rows, real_of<T> sine, real_of<T> half, T phase, T *x, T *y)
{
    for (i64 row = __nvvm_read_ptx_sreg_tid_x() % 32; row < rows; row += 32) {
        const T value = x[row], other = in_phase(y[row], phase);
        x[row] = value - sine * (other + half * value);
        y[row] = other + sine * (value - half * other);
    }
}

/* A warp makes two columns orthogonal and turns those of v, if any, with them; whether they were not. One that is to
 * the other as the square of what rounding leaves becomes 0. */
template <typename T>
DEVICE bool make_orthogonal(i64 rows, T *x, T *y, i64 rows_v, T *v, T *w, real_of<T> tolerance)
{
    typedef real_of<T> real;
    real xx = 0, yy = 0;
    T product = {}, phase;
    for (i64 row = __nvvm_read_ptx_sreg_tid_x() % 32; row < rows; row += 32) {
        xx += square(x[row]);
        yy += square(y[row]);
        product += conjugate(x[row]) * y[row];
    }
    xx = sum_of_warp(xx), yy = sum_of_warp(yy), product = sum_of_warp(product);
    const real xy = make_real(product, &phase);
    if (!(size(xy) > tolerance * root(xx) * root(yy)))
        return false;
    const real negligible = tolerance * tolerance * tolerance * tolerance;
    if (yy <= negligible * xx || xx <= negligible * yy) {
        for (i64 row = __nvvm_read_ptx_sreg_tid_x() % 32; row < rows; row += 32)
            (yy < xx ? y : x)[row] = {};
        return true;
    }
    const real cotangent = (yy - xx) / (2 * xy); /* of twice the angle */
    const real apart = size(cotangent), far = apart < 1e15f ? root(1 + apart * apart) : apart;
    const real tangent = (cotangent < 0 ? -1 : 1) / (apart + far);
    const real cosine = 1 / root(1 + tangent * tangent), sine = cosine * tangent;
    turn(rows, sine, sine / (1 + cosine), phase, x, y);
    if (v)
        turn(rows_v, sine, sine / (1 + cosine), phase, v, w);
    return true;
}

/* One block: makes elements of a so large that products of four of them are numbers; by what they are multiplied. */
template <typename T> DEVICE real_of<T> scale_all(i64 rows, int columns, T *a, i64 lda, real_of<T> *sums)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    real_of<T> largest = 0;
    for (i64 i = thread; i < rows * columns; i += THREADS)
        largest = larger(largest, size(a[i % rows + i / rows * lda]));
    largest = largest_of_block(largest, sums);
    const real_of<T> scale = largest > 1e-3f && largest < 1e4f ? 1 : scale_of(largest);
    for (i64 i = thread; scale != 1 && i < rows * columns; i += THREADS)
        a[i % rows + i / rows * lda] = scale * a[i % rows + i / rows * lda];
    return scale;
}

/* One block: a becomes a * v of orthogonal columns; v, if any, is the product of the turns. Columns meet as in a
 * tournament, a warp for each pair. info: `failed` where they do not become orthogonal in that many sweeps; to done, if
 * any, go the sweeps that it took. */
template <typename T>
DEVICE void orthogonalize(i64 rows, int columns, T *a, i64 lda, T *v, i64 ldv, real_of<T> tolerance, int sweeps,
                          int failed, int *done, int *info, int *is_turned, real_of<T> *sums)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x(), rounds = columns + columns % 2 - 1;
    const real_of<T> scale = scale_all(rows, columns, a, lda, sums);
    if (!thread)
        *is_turned = 1;
    for (i64 i = thread; v && i < (i64)columns * columns; i += THREADS)
        v[i % columns + i / columns * ldv] = parts<T>::of(i % columns == i / columns);
    for (int sweep = 0; sweep < sweeps; sweep++) {
        __syncthreads();
        if (!thread)
            *is_turned = 0;
        __syncthreads();
        for (int round = 0; round < rounds; round++) {
            for (int k = thread / 32; k <= rounds / 2; k += THREADS / 32) {
                const int one = (round + k) % rounds, other = k ? (round - k + rounds) % rounds : rounds;
                const int p = one < other ? one : other, q = one < other ? other : one;
                if (q < columns && make_orthogonal(rows, a + p * lda, a + q * lda, columns, v ? v + p * ldv : nullptr,
                                                   v + q * ldv, tolerance))
                    *is_turned = 1;
            }
            __syncthreads();
        }
        if (!thread && done)
            *done = sweep + 1;
        if (!*is_turned)
            break;
    }
    if (!thread && *is_turned)
        *info = failed;
    for (i64 i = thread; scale != 1 && i < rows * columns; i += THREADS)
        a[i % rows + i / rows * lda] = 1 / scale * a[i % rows + i / rows * lda];
}

/* The length of each column: a block for each. */
template <typename T>
DEVICE void measure(i64 rows, const T *a, i64 lda, real_of<T> *lengths, real_of<T> *sums)
{
    const T *own = a + __nvvm_read_ptx_sreg_ctaid_x() * lda;
    real_of<T> largest = 0, squares = 0;
    for (i64 row = __nvvm_read_ptx_sreg_tid_x(); row < rows; row += THREADS)
        largest = larger(largest, size(own[row]));
    const real_of<T> scale = scale_of(largest_of_block(largest, sums));
    for (i64 row = __nvvm_read_ptx_sreg_tid_x(); row < rows; row += THREADS)
        squares += square(scale * own[row]);
    squares = sum_of_block(squares, sums);
    if (!__nvvm_read_ptx_sreg_tid_x())
        lengths[__nvvm_read_ptx_sreg_ctaid_x()] = root(squares) / scale;
}

/* Lengths less a shift in order, the least first or last; to u, if any, columns of a of length 1, to rows of vt
 * columns of v, conjugated: a block for each. Where a length is no finite number, nothing is, and info, if any,
 * becomes `failed`. */
template <typename T>
DEVICE void order(i64 rows, int columns, const T *a, const T *v, const real_of<T> *lengths, const real_of<T> *shift,
                  real_of<T> *values, wl_solver_matrix u, wl_solver_matrix vt, int *info, int failed, real_of<T> *sums)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x(), column = __nvvm_read_ptx_sreg_ctaid_x();
    const real_of<T> own = lengths[column];
    real_of<T> before = 0, nothing = 0; /* 0, or no number */
    for (int k = thread; k < columns; k += THREADS) {
        before += (shift ? lengths[k] < own : lengths[k] > own) || (lengths[k] == own && k < column);
        nothing += lengths[k] - lengths[k];
    }
    nothing = sum_of_block(nothing, sums);
    const bool is_lost = nothing != 0;
    const i64 sum = (i64)sum_of_block(before, sums), place = is_lost ? column : sum;
    if (!thread)
        values[place] = is_lost ? nothing : shift ? own - *shift : own;
    if (!thread && is_lost && info)
        *info = failed;
    for (i64 row = thread; u.values && row < rows; row += THREADS)
        put(u, row, place, is_lost ? parts<T>::of(nothing) : own > 0 ? a[row + column * rows] / own : T{});
    for (i64 row = thread; vt.values && row < columns; row += THREADS)
        put(vt, place, row, is_lost ? parts<T>::of(nothing) : conjugate(v[row + (i64)column * columns]));
}

/* One block: columns of length 1 that are orthogonal to all others in place of those that are 0, and behind the first
 * `count`, up to `wanted`. */
template <typename T>
DEVICE void complete(i64 rows, int count, int wanted, T *u, i64 ldu, real_of<T> *sums, T *products)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    i64 candidate = 0;
    for (int column = 0; column < wanted; column++) {
        T *own = u + column * ldu;
        real_of<T> squares = 0;
        const int others = column < count ? count : column;
        for (i64 row = thread; column < count && row < rows; row += THREADS)
            squares += square(own[row]);
        squares = sum_of_block(squares, sums);
        for (; squares * rows <= 0.25f && candidate < rows; candidate++) {
            for (i64 row = thread; row < rows; row += THREADS)
                own[row] = parts<T>::of(row == candidate);
            for (int i = 0; i < 2 * others; i++) { /* twice, as once is not exact */
                const T *other = u + i % others * ldu;
                T product = {};
                for (i64 row = thread; other != own && row < rows; row += THREADS)
                    product += conjugate(other[row]) * own[row];
                product = sum_of_block(product, products);
                for (i64 row = thread; other != own && row < rows; row += THREADS)
                    own[row] -= product * other[row];
            }
            squares = 0;
            for (i64 row = thread; row < rows; row += THREADS)
                squares += square(own[row]);
            squares = sum_of_block(squares, sums);
            const real_of<T> length = squares * rows > 0.25f ? root(squares) : 1;
            for (i64 row = thread; row < rows; row += THREADS)
                own[row] = own[row] / length;
        }
    }
}

/* One block: twice the largest sum of magnitudes of a row of a symmetric or Hermitian matrix, of which the lower
 * triangle is read: with that on its diagonal all eigenvalues are above 0, and none is three times another. */
template <typename T> DEVICE void find_shift(i64 rows, wl_solver_matrix a, real_of<T> *shift, real_of<T> *sums)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    real_of<T> largest = 0;
    for (i64 row = 0; row < rows; row++) {
        real_of<T> sum = 0;
        for (i64 k = thread; k < rows; k += THREADS)
            sum += size(k <= row ? get<T>(a, row, k) : get<T>(a, k, row));
        sum = sum_of_block(sum, sums);
        largest = sum > largest ? sum : largest;
    }
    if (!thread)
        *shift = largest > 0 ? 2 * largest : 1;
}

template <typename T> DEVICE void mirror(i64 rows, wl_solver_matrix a, const real_of<T> *shift, T *full)
{
    for (i64 i = first(); i < rows * rows; i += step()) {
        const i64 row = i % rows, column = i / rows;
        const T value = column <= row ? get<T>(a, row, column) : conjugate(get<T>(a, column, row));
        full[i] = row == column ? parts<T>::of(shift ? real_part(value) + *shift : real_part(value)) : value;
    }
}

/* One block: the length of what a v and u's columns, as often as the values say, differ by. */
template <typename T>
DEVICE void residual(i64 rows, int depth, int columns, wl_solver_matrix a, wl_solver_matrix v, wl_solver_matrix u,
                     const real_of<T> *values, double *result, real_of<T> *sums)
{
    real_of<T> squares = 0;
    for (int column = 0; column < columns; column++)
        for (i64 row = __nvvm_read_ptx_sreg_tid_x(); row < rows; row += THREADS) {
            T sum = {};
            for (int k = 0; k < depth; k++)
                sum += get<T>(a, row, k) * get<T>(v, k, column);
            squares += square(sum - values[column] * get<T>(u, row, column));
        }
    squares = sum_of_block(squares, sums);
    if (!__nvvm_read_ptx_sreg_tid_x())
        *result = root(squares);
}

GLOBAL void warplens_solver_begin(int *info)
{
    if (first() == 0)
        *info = 0;
}

#define KERNELS(letter, T)                                                                                             \
    GLOBAL void warplens_solver_cholesky_##letter(wl_solver_matrix a, int count, int before, int *info)                \
    {                                                                                                                  \
        SHARED static T tile[TILE][TILE + 1];                                                                          \
        cholesky(a, count, before, info, tile);                                                                        \
    }                                                                                                                  \
    GLOBAL void warplens_solver_divide_##letter(i64 rows, int count, wl_solver_matrix l, int is_unit,                  \
                                                wl_solver_matrix x, const int *info)                                   \
    {                                                                                                                  \
        divide<T>(rows, count, l, is_unit, x, info);                                                                   \
    }                                                                                                                  \
    GLOBAL void warplens_solver_update_##letter(i64 rows, i64 columns, int depth, wl_solver_matrix a,                  \
                                                wl_solver_matrix b, wl_solver_matrix c, int is_lower, const int *info) \
    {                                                                                                                  \
        SHARED static T left[TILE][TILE + 1], right[TILE][TILE + 1];                                                   \
        update(rows, columns, depth, a, b, c, is_lower, info, left, right);                                            \
    }                                                                                                                  \
    GLOBAL void warplens_solver_find_zero_##letter(i64 rows, wl_solver_matrix a, int *info)                            \
    {                                                                                                                  \
        find_zero<T>(rows, a, info);                                                                                   \
    }                                                                                                                  \
    GLOBAL void warplens_solver_put_triangle_##letter(i64 rows, wl_solver_matrix from, wl_solver_matrix a,             \
                                                      const int *info)                                                 \
    {                                                                                                                  \
        put_triangle<T>(rows, from, a, info);                                                                          \
    }                                                                                                                  \
    GLOBAL void warplens_solver_factor_##letter(i64 rows, int count, T *a, i64 lda, int before, void *pivots,          \
                                                int is_wide, int *info)                                                \
    {                                                                                                                  \
        SHARED static real_of<T> best[THREADS];                                                                        \
        SHARED static int places[THREADS];                                                                             \
        factor(rows, count, a, lda, before, pivots, is_wide, info, best, places);                                      \
    }                                                                                                                  \
    GLOBAL void warplens_solver_exchange_##letter(i64 columns, i64 gap_begin, int gap, T *a, i64 lda, int before,      \
                                                  int count, int is_backwards, const void *pivots, int is_wide)        \
    {                                                                                                                  \
        exchange(columns, gap_begin, gap, a, lda, before, count, is_backwards, pivots, is_wide);                       \
    }                                                                                                                  \
    GLOBAL void warplens_solver_solve_##letter(int rows, wl_solver_matrix a, int is_backwards, int is_unit,            \
                                               wl_solver_matrix b)                                                     \
    {                                                                                                                  \
        solve<T>(rows, a, is_backwards, is_unit, b);                                                                   \
    }                                                                                                                  \
    GLOBAL void warplens_solver_reflect_##letter(i64 rows, int count, T *a, i64 lda, T *factors)                       \
    {                                                                                                                  \
        SHARED static real_of<T> sums[THREADS];                                                                        \
        SHARED static T products[THREADS];                                                                             \
        reflect(rows, count, a, lda, factors, sums, products);                                                         \
    }                                                                                                                  \
    GLOBAL void warplens_solver_apply_##letter(i64 rows, int count, int is_backwards, const T *a, i64 lda,             \
                                               const T *factors, wl_solver_matrix c)                                   \
    {                                                                                                                  \
        SHARED static T sums[THREADS];                                                                                 \
        apply(rows, count, is_backwards, a, lda, factors, c, sums);                                                    \
    }                                                                                                                  \
    GLOBAL void warplens_solver_copy_##letter(i64 rows, i64 columns, wl_solver_matrix from, T *to, i64 ld_to)          \
    {                                                                                                                  \
        copy(rows, columns, from, to, ld_to);                                                                          \
    }                                                                                                                  \
    GLOBAL void warplens_solver_orthogonalize_##letter(i64 rows, int columns, T *a, i64 lda, T *v, i64 ldv,            \
                                                       real_of<T> tolerance, int sweeps, int failed, int *done,        \
                                                       int *info)                                                      \
    {                                                                                                                  \
        SHARED static int is_turned;                                                                                   \
        SHARED static real_of<T> sums[THREADS];                                                                        \
        orthogonalize(rows, columns, a, lda, v, ldv, tolerance, sweeps, failed, done, info, &is_turned, sums);         \
    }                                                                                                                  \
    GLOBAL void warplens_solver_measure_##letter(i64 rows, const T *a, i64 lda, real_of<T> *lengths)                   \
    {                                                                                                                  \
        SHARED static real_of<T> sums[THREADS];                                                                        \
        measure(rows, a, lda, lengths, sums);                                                                          \
    }                                                                                                                  \
    GLOBAL void warplens_solver_order_##letter(i64 rows, int columns, const T *a, const T *v,                          \
                                               const real_of<T> *lengths, const real_of<T> *shift,                     \
                                               real_of<T> *values, wl_solver_matrix u, wl_solver_matrix vt, int *info, \
                                               int failed)                                                             \
    {                                                                                                                  \
        SHARED static real_of<T> sums[THREADS];                                                                        \
        order(rows, columns, a, v, lengths, shift, values, u, vt, info, failed, sums);                                 \
    }                                                                                                                  \
    GLOBAL void warplens_solver_complete_##letter(i64 rows, int count, int wanted, T *u, i64 ldu)                      \
    {                                                                                                                  \
        SHARED static real_of<T> sums[THREADS];                                                                        \
        SHARED static T products[THREADS];                                                                             \
        complete(rows, count, wanted, u, ldu, sums, products);                                                         \
    }                                                                                                                  \
    GLOBAL void warplens_solver_find_shift_##letter(i64 rows, wl_solver_matrix a, real_of<T> *shift)                   \
    {                                                                                                                  \
        SHARED static real_of<T> sums[THREADS];                                                                        \
        find_shift<T>(rows, a, shift, sums);                                                                           \
    }                                                                                                                  \
    GLOBAL void warplens_solver_residual_##letter(i64 rows, int depth, int columns, wl_solver_matrix a,                \
                                                  wl_solver_matrix v, wl_solver_matrix u, const real_of<T> *values,    \
                                                  double *result)                                                      \
    {                                                                                                                  \
        SHARED static real_of<T> sums[THREADS];                                                                        \
        residual<T>(rows, depth, columns, a, v, u, values, result, sums);                                              \
    }                                                                                                                  \
    GLOBAL void warplens_solver_mirror_##letter(i64 rows, wl_solver_matrix a, const real_of<T> *shift, T *full)        \
    {                                                                                                                  \
        mirror(rows, a, shift, full);                                                                                  \
    }

KERNELS(s, float)
KERNELS(d, double)
KERNELS(c, complex<float>)
KERNELS(z, complex<double>)
