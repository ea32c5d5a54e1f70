/* A plan of cuFFT's, and what is done for it. */
#ifndef WL_API_CUFFT_PLAN_H
#define WL_API_CUFFT_PLAN_H

#include <stdbool.h>

#include "api/cufft/lines.h"

/* Names and numbers of the cuFFT documentation. */
enum {
    OK = 0,
    INVALID_PLAN = 1,
    ALLOC_FAILED = 2,
    INVALID_TYPE = 3,
    INVALID_VALUE = 4,
    EXEC_FAILED = 6,
    SETUP_FAILED = 7,
    INVALID_SIZE = 8,
    NOT_SUPPORTED = 16,
};
enum wl_cufft_type { R2C = 0x2a, C2R = 0x2c, C2C = 0x29, D2Z = 0x6a, Z2D = 0x6c, Z2Z = 0x69 };
/* Elements of one side: all, real numbers, half of a spectrum whose other half mirrors it. */
enum wl_cufft_kind { WHOLE, REAL, HALF };
enum { RANK_MAX = 3 };

/* Where a transform's elements lie in the program's memory: steps of elements and transforms,
 * elements of a row, rows of a plane; as fft.cu has it. */
struct wl_cufft_layout {
    long long stride, distance, row, plane;
};

struct wl_cufft_plan {
    bool is_made, has_layout, is_patient;
    enum wl_cufft_type type;
    const char *stored;
    int size[RANK_MAX], rank; /* the last dimension first: nx, ny, nz */
    long long count;
    struct wl_cufft_layout in, out;
    void *stream;
    struct wl_cufft_lines lines[RANK_MAX];
    void *parts[2]; /* in device memory, where they are needed */
    bool is_direct; /* wl_cufft_is_direct */
};

bool wl_cufft_is_double(enum wl_cufft_type type);
enum wl_cufft_kind wl_cufft_form_in(enum wl_cufft_type type);
enum wl_cufft_kind wl_cufft_form_out(enum wl_cufft_type type);
/* Of one transform. */
long long wl_cufft_elements(const struct wl_cufft_plan *plan);
/* Elements one behind another, transforms too. */
struct wl_cufft_layout wl_cufft_dense(const struct wl_cufft_plan *plan, enum wl_cufft_kind kind);
/* Whether passes take it from the program's memory and bring it back (passes.h). */
bool wl_cufft_is_direct(const struct wl_cufft_plan *plan);
/* Whether a plan that is complete but for parts needs those. */
bool wl_cufft_needs_parts(const struct wl_cufft_plan *plan);
/* All transforms; gives what the call does. is_inverse: exp(+...) */
int wl_cufft_execute(struct wl_cufft_plan *plan, void *in, void *out, int is_inverse);

#endif
