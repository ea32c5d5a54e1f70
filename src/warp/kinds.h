/* What kinds of operations there are within one code: the values of `kind` and `spare`, and what is
 * packed into `imm`, of the operations of warp/op.h. */
#ifndef WL_WARP_KINDS_H
#define WL_WARP_KINDS_H

#include <stdbool.h>
#include <stdint.h>

/* kind of an operation that reads a special register. */
enum wl_special {
    WL_SPECIAL_TID_X,
    WL_SPECIAL_TID_Y,
    WL_SPECIAL_TID_Z,
    WL_SPECIAL_NTID_X,
    WL_SPECIAL_NTID_Y,
    WL_SPECIAL_NTID_Z,
    WL_SPECIAL_CTAID_X,
    WL_SPECIAL_CTAID_Y,
    WL_SPECIAL_CTAID_Z,
    WL_SPECIAL_NCTAID_X,
    WL_SPECIAL_NCTAID_Y,
    WL_SPECIAL_NCTAID_Z,
    WL_SPECIAL_LANEID,
    WL_SPECIAL_WARPID,
    WL_SPECIAL_NWARPID,
    WL_SPECIAL_SMID,
    WL_SPECIAL_NSMID,
    WL_SPECIAL_GRIDID,
    WL_SPECIAL_CLOCK,
    WL_SPECIAL_CLOCK_HI,
    WL_SPECIAL_CLOCK64,
    WL_SPECIAL_GLOBALTIMER,
    WL_SPECIAL_GLOBALTIMER_HI,
    WL_SPECIAL_LANEMASK_EQ,
    WL_SPECIAL_LANEMASK_LE,
    WL_SPECIAL_LANEMASK_LT,
    WL_SPECIAL_LANEMASK_GE,
    WL_SPECIAL_LANEMASK_GT,
    WL_SPECIAL_DYNAMIC_SHARED_BYTES,
    WL_SPECIAL_TOTAL_SHARED_BYTES,
    WL_SPECIAL_WORKSPACE_LOW, /* where the blocks of a cooperative grid meet */
    WL_SPECIAL_WORKSPACE_HIGH,
    WL_SPECIAL_CLUSTERID_X,
    WL_SPECIAL_CLUSTERID_Y,
    WL_SPECIAL_CLUSTERID_Z,
    WL_SPECIAL_NCLUSTERID_X,
    WL_SPECIAL_NCLUSTERID_Y,
    WL_SPECIAL_NCLUSTERID_Z,
    WL_SPECIAL_CLUSTER_CTAID_X,
    WL_SPECIAL_CLUSTER_CTAID_Y,
    WL_SPECIAL_CLUSTER_CTAID_Z,
    WL_SPECIAL_CLUSTER_NCTAID_X,
    WL_SPECIAL_CLUSTER_NCTAID_Y,
    WL_SPECIAL_CLUSTER_NCTAID_Z,
    WL_SPECIAL_CLUSTER_CTARANK,
    WL_SPECIAL_CLUSTER_NCTARANK,
    WL_SPECIAL_IS_EXPLICIT_CLUSTER,
    WL_SPECIAL_COUNT
};

enum wl_atomic {
    WL_ATOMIC_ADD_U32,
    WL_ATOMIC_ADD_U64,
    WL_ATOMIC_ADD_F32,
    WL_ATOMIC_ADD_FTZ_F32, /* what ADD_F32 is in global memory */
    WL_ATOMIC_ADD_F64,
    WL_ATOMIC_MIN_U32,
    WL_ATOMIC_MIN_S32,
    WL_ATOMIC_MAX_U32,
    WL_ATOMIC_MAX_S32,
    WL_ATOMIC_MIN_U64,
    WL_ATOMIC_MIN_S64,
    WL_ATOMIC_MAX_U64,
    WL_ATOMIC_MAX_S64,
    WL_ATOMIC_AND_B32,
    WL_ATOMIC_OR_B32,
    WL_ATOMIC_XOR_B32,
    WL_ATOMIC_AND_B64,
    WL_ATOMIC_OR_B64,
    WL_ATOMIC_XOR_B64,
    WL_ATOMIC_EXCH_B32,
    WL_ATOMIC_EXCH_B64,
    WL_ATOMIC_CAS_B32,
    WL_ATOMIC_CAS_B64,
    WL_ATOMIC_INC_U32,
    WL_ATOMIC_DEC_U32,
    /* of ATOMIC_LIST: */
    WL_ATOMIC_ADD_F16X2,
    WL_ATOMIC_CAS_B16,
    WL_ATOMIC_ADD_F16,
    WL_ATOMIC_ADD_BF16,
    WL_ATOMIC_ADD_BF16X2,
    WL_ATOMIC_MIN_F16,
    WL_ATOMIC_MAX_F16,
    WL_ATOMIC_MIN_BF16,
    WL_ATOMIC_MAX_BF16,
    WL_ATOMIC_MIN_F16X2,
    WL_ATOMIC_MAX_F16X2,
    WL_ATOMIC_MIN_BF16X2,
    WL_ATOMIC_MAX_BF16X2,
    WL_ATOMIC_LIST_ADD_F32,
    WL_ATOMIC_EXCH_B128,
    WL_ATOMIC_CAS_B128,
};

/* Additions of single or double precision, which L2 performs more slowly than others. */
static inline bool wl_atomic_adds_floats(uint32_t kind)
{
    return kind >= WL_ATOMIC_ADD_F32 && kind <= WL_ATOMIC_ADD_F64;
}

/* Element formats of matrix operations. A and B elements of less than 64 bits are packed into
 * 32-bit registers, lowest first. */
enum wl_matrix_format {
    WL_FORMAT_NONE,
    WL_FORMAT_F16,
    WL_FORMAT_BF16,
    WL_FORMAT_TF32,
    WL_FORMAT_E4M3,
    WL_FORMAT_E5M2,
    WL_FORMAT_F32,
    WL_FORMAT_F64,
    WL_FORMAT_S8,
    WL_FORMAT_U8,
    WL_FORMAT_S4,
    WL_FORMAT_U4,
    WL_FORMAT_B1,
    WL_FORMAT_S32,
};
/* Bits of one element. */
static inline uint32_t wl_matrix_format_bits(enum wl_matrix_format format)
{
    static const uint8_t bits[] = {0, 16, 16, 32, 8, 8, 32, 64, 8, 8, 4, 4, 1, 32};
    return bits[format];
}

/* MATRIX_MULTIPLY: D = A B + C of m x n x k elements. The list holds the registers of D, A, B, C.
 * kind: format of A; width_bytes: of B; count: of D; spare: of C. */
#define WL_MATRIX_SHAPE(m, n, k) ((uint32_t)(m) | (uint32_t)(n) << 8 | (uint32_t)(k) << 16)
enum { WL_MATRIX_SATURATE = 1 << 28, WL_MATRIX_XOR = 1 << 29 }; /* in imm, beside the shape */

/* Sparse products, of which half of A is there: the list has a register of metadata behind those of
 * A. The selector says which lanes' (PTX ISA, "Sparse matrix storage"). */
#define WL_MATRIX_SPARSE ((int64_t)1 << 32)
#define WL_MATRIX_SELECTOR(selector) ((int64_t)(selector) << 33)
#define WL_MATRIX_SELECTOR_OF(imm) ((uint32_t)((imm) >> 33 & 3))

/* WARPGROUP_MULTIPLY: a warp's part, 16 rows of A; the same, but that the shape has eight times as
 * many rows and an eighth of the columns. */
enum {
    WL_GROUP_TRANSPOSED_A = 1 << 25,
    WL_GROUP_TRANSPOSED_B = 1 << 26,
    WL_GROUP_NEGATED_A = 1 << 27,
    WL_GROUP_NEGATED_B = 1 << 30,
};

/* FRAGMENT_LOAD, FRAGMENT_STORE: which matrix, in d. */
enum wl_matrix_role { WL_MATRIX_A, WL_MATRIX_B, WL_MATRIX_C };
#define WL_FRAGMENT(rows, columns, role, is_column_major, space)            \
    ((uint32_t)(rows) | (uint32_t)(columns) << 8 | (uint32_t)(role) << 16 | \
     (uint32_t)(is_column_major) << 18 | (uint32_t)(space) << 20)

/* CVT_NARROW: imm. */
enum {
    WL_NARROW_RELU = 1,
    WL_NARROW_FINITE = 2, /* what is too great becomes the greatest number */
    WL_NARROW_ROUNDING_SHIFT = 4,
    WL_NARROW_AWAY = 4, /* a rounding: to nearest, ties away from zero */
};

/* VIDEO: packed into imm. A part is 0 for a whole register, 1 to 4 for a byte, 5 or 6 for a half.
 */
enum wl_video_operation {
    WL_VIDEO_ADD,
    WL_VIDEO_SUB,
    WL_VIDEO_DIFFERENCE,
    WL_VIDEO_MIN,
    WL_VIDEO_MAX,
    WL_VIDEO_SHL,
    WL_VIDEO_SHR,
    WL_VIDEO_MAD,
    WL_VIDEO_SET,
    WL_VIDEO_AVERAGE,
};
struct wl_video {
    enum wl_video_operation operation;
    uint8_t lanes; /* 1, 2, 4 */
    uint8_t a_part, b_part, d_part;
    uint8_t second;  /* with c: 0 none, 1 add, 2 min, 3 max */
    uint8_t compare; /* 0 eq, 1 ne, 2 lt, 3 le, 4 gt, 5 ge */
    uint8_t scale;   /* bits that a product loses */
    bool a_signed, b_signed, d_signed, saturates, wraps, adds_one, negates_product, negates_addend;
};
static inline int64_t wl_video_pack(struct wl_video v)
{
    return (int64_t)v.operation | v.lanes << 4 | v.a_part << 7 | v.b_part << 10 | v.d_part << 13 |
           v.second << 16 | v.compare << 18 | v.scale << 21 | v.a_signed << 25 | v.b_signed << 26 |
           v.d_signed << 27 | v.saturates << 28 | v.wraps << 29 | v.adds_one << 30 |
           (int64_t)v.negates_product << 31 | (int64_t)v.negates_addend << 32;
}
static inline struct wl_video wl_video_unpack(int64_t bits)
{
    return (struct wl_video){.operation = bits & 15,
                             .lanes = bits >> 4 & 7,
                             .a_part = bits >> 7 & 7,
                             .b_part = bits >> 10 & 7,
                             .d_part = bits >> 13 & 7,
                             .second = bits >> 16 & 3,
                             .compare = bits >> 18 & 7,
                             .scale = bits >> 21 & 15,
                             .a_signed = bits >> 25 & 1,
                             .b_signed = bits >> 26 & 1,
                             .d_signed = bits >> 27 & 1,
                             .saturates = bits >> 28 & 1,
                             .wraps = bits >> 29 & 1,
                             .adds_one = bits >> 30 & 1,
                             .negates_product = bits >> 31 & 1,
                             .negates_addend = bits >> 32 & 1};
}

/* BARRIER_OBJECT: what is done to the 64-bit object in shared memory. */
enum wl_barrier_action {
    WL_BARRIER_INIT,
    WL_BARRIER_INVALIDATE,
    WL_BARRIER_EXPECT,        /* bytes on their way: + b */
    WL_BARRIER_COMPLETE,      /* bytes that came: - b */
    WL_BARRIER_ARRIVE,        /* b threads arrive; the token from before */
    WL_BARRIER_ARRIVE_EXPECT, /* one thread arrives and expects b bytes */
    WL_BARRIER_DROP,          /* b threads arrive for the last time */
    WL_BARRIER_DROP_EXPECT,
    WL_BARRIER_TEST,        /* whether the phase of token b is over */
    WL_BARRIER_TEST_PARITY, /* whether the last phase of parity b is over */
    WL_BARRIER_TRY,         /* the same; where it is not, other warps get their turn */
    WL_BARRIER_TRY_PARITY,
};

/* Textures and surfaces: kind of the operation. How many coordinates each has, the layer first: see
 * wl_texture_coordinates. */
enum wl_texture_geometry {
    WL_TEXTURE_1D,
    WL_TEXTURE_2D,
    WL_TEXTURE_3D,
    WL_TEXTURE_A1D, /* layers of 1D */
    WL_TEXTURE_A2D,
    WL_TEXTURE_CUBE,
    WL_TEXTURE_ACUBE,
};
static inline uint32_t wl_texture_coordinates(enum wl_texture_geometry geometry)
{
    static const uint8_t counts[] = {1, 2, 3, 2, 3, 3, 4};
    return counts[geometry];
}

/* What lies beside a surface: imm of the operation. */
enum wl_surface_edge { WL_SURFACE_TRAP, WL_SURFACE_CLAMP, WL_SURFACE_ZERO };
enum { WL_SURFACE_EDGE_MASK = 3, WL_SURFACE_FORMATTED = 4 };

/* TEXTURE_QUERY: kind. */
enum wl_texture_property {
    WL_TEXTURE_WIDTH,
    WL_TEXTURE_HEIGHT,
    WL_TEXTURE_DEPTH,
    WL_TEXTURE_ARRAY_SIZE,
    WL_TEXTURE_LEVELS,
    WL_TEXTURE_SAMPLES,
};

enum wl_shuffle { WL_SHUFFLE_UP, WL_SHUFFLE_DOWN, WL_SHUFFLE_XOR, WL_SHUFFLE_INDEX };
enum wl_vote { WL_VOTE_ALL, WL_VOTE_ANY, WL_VOTE_UNI, WL_VOTE_BALLOT };
enum wl_rounding { WL_ROUND_NEAREST, WL_ROUND_ZERO, WL_ROUND_DOWN, WL_ROUND_UP };

/* Arithmetic on halves, and the flags in imm. */
enum wl_half {
    WL_HALF_ADD,
    WL_HALF_SUB,
    WL_HALF_MUL,
    WL_HALF_FMA,
    WL_HALF_MIN,
    WL_HALF_MAX,
    WL_HALF_NEG,
    WL_HALF_ABS,
    WL_HALF_EX2,
    WL_HALF_TANH
};
enum {
    WL_HALF_PAIR = 1,
    WL_HALF_BFLOAT = 2,
    WL_HALF_FTZ = 4,
    WL_HALF_SAT = 8,
    WL_HALF_RELU = 16,
    WL_HALF_NAN = 32,
    WL_HALF_XORSIGN = 64 /* of the magnitudes, with both signs multiplied */
};

#endif
