/* What is inside a user's program: how it is linked, its fat binaries, their PTX and machine code.
 * Everything here reads hostile input: bounds are checked, nothing is trusted. */
#ifndef WL_BINARY_BINARY_H
#define WL_BINARY_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

enum wl_image_kind { WL_IMAGE_PTX = 1, WL_IMAGE_CUBIN = 2 };

/* One entry of a fat binary, decompressed. */
struct wl_image {
    enum wl_image_kind kind;
    uint32_t container;    /* which container of a wrapper's list it came from, from 0 (-rdc) */
    uint32_t architecture; /* 90 */
    bool architecture_specific;            /* 90a */
    uint32_t version_major, version_minor; /* PTX ISA version */
    uint8_t *bytes;                        /* size_bytes long plus a NUL behind it */
    size_t size_bytes;
    char *options;     /* ptxas options recorded in it ("-O3 -dlcm=ca"), or NULL */
    char *source_name; /* "a.cu", or NULL */
};

struct wl_fatbin {
    WL_VECTOR_FIELDS(struct wl_image);
};

/* Reads one container (magic 0xBA55ED50) of at most length bytes. Entries it cannot read are an
 * error WL_ERR_CORRUPT (where = byte offset). Unknown kinds are skipped. Appends to fatbin, which
 * starts as {0}; free it with wl_fatbin_free, also after an error. */
enum wl_code wl_fatbin_read(const void *data, size_t length, struct wl_fatbin *fatbin,
                            struct wl_error *error);
/* The same for a registered wrapper in memory (magic 0x466243B1), version 1 (one container) or 2
 * (-rdc: a NULL-ended list of containers, then the linked one, numbered last). Memory is trusted to
 * be mapped as far as headers say. */
enum wl_code wl_fatbin_read_wrapper(const void *wrapper, struct wl_fatbin *fatbin,
                                    struct wl_error *error);
void wl_fatbin_free(struct wl_fatbin *fatbin);

/* Appends all images of a program's file, each container numbered for itself. Errors: WL_ERR_INPUT,
 * WL_ERR_CORRUPT; what was read before stays in fatbin. */
enum wl_code wl_fatbin_read_program(const char *path, struct wl_fatbin *fatbin,
                                    struct wl_error *error);

/* Whether PTX runs on a GPU: made for it or an older one, or for a newer one. */
enum wl_image_fitness { WL_IMAGE_UNFIT, WL_IMAGE_NEWER, WL_IMAGE_FIT };
/* Which PTX among the images of one container runs on a GPU of this capability (90): the newest
 * that fits; where none does and accepts_newer, the oldest of the others. NULL if there is none. */
const struct wl_image *wl_image_choose_ptx(const struct wl_image *images, size_t count,
                                           uint32_t capability, bool accepts_newer,
                                           enum wl_image_fitness *fitness);

/* Which machine code among the images of one container a GPU of this capability runs: the newest of
 * its generation that is not newer. NULL if there is none. */
const struct wl_image *wl_image_choose_cubin(const struct wl_image *images, size_t count,
                                             uint32_t capability);

/* Appends a container with one uncompressed PTX entry: what `warplens cc` embeds. Uses the image's
 * bytes, size, architecture, version, options and source_name, and ignores the rest. */
void wl_fatbin_write_ptx(const struct wl_image *image, struct wl_text *container);

/* What ptxas decided for a kernel, from a cubin. */
struct wl_cubin_kernel {
    char *name;
    uint32_t registers;      /* per thread */
    uint32_t shared_bytes;   /* static, without what the system reserves per block */
    uint32_t local_bytes;    /* stack per thread, its callees' included */
    uint32_t constant_bytes; /* bank 0: parameters and what the system keeps before them */
    uint32_t max_threads;    /* __launch_bounds__, 0 if none */
    uint32_t barriers;
    uint32_t spill_store_bytes, spill_load_bytes; /* per thread; 0 where the cubin does not tell */
    uint32_t code_bytes;
};
struct wl_cubin {
    WL_VECTOR_FIELDS(struct wl_cubin_kernel);
};
/* Appends the kernels in the order of their symbols. cubin starts as {0}; free it with
 * wl_cubin_free, also after an error. Errors: WL_ERR_CORRUPT. */
enum wl_code wl_cubin_read(const void *data, size_t length, struct wl_cubin *cubin,
                           struct wl_error *error);
void wl_cubin_free(struct wl_cubin *cubin);

/* Whether it has a `__managed__` variable; false also for what is no cubin. */
bool wl_cubin_has_managed(const void *data, size_t length);

/* A kernel's machine code within a cubin, and the index of its symbol. */
struct wl_cubin_code {
    size_t symbol;
    size_t offset, length; /* in the cubin */
};
/* False: it has no kernel of this name, or is damaged. */
bool wl_cubin_find_code(const void *data, size_t length, const char *kernel,
                        struct wl_cubin_code *code);

/* How an executable reaches CUDA. */
enum wl_program_kind {
    WL_PROGRAM_NOT_ELF,        /* a script or something else */
    WL_PROGRAM_NO_CUDA,        /* no sign of CUDA: may still load it later (dlopen) */
    WL_PROGRAM_SHARED_RUNTIME, /* needs libcudart.so.N */
    WL_PROGRAM_STATIC_RUNTIME, /* carries its own cudart: must be relinked */
    WL_PROGRAM_DRIVER,         /* needs libcuda.so.1 */
    WL_PROGRAM_OTHER_MACHINE,  /* not x86-64 (or not this machine's) ELF */
};

struct wl_program_info {
    enum wl_program_kind kind;
    uint32_t runtime_major;                 /* 13 for libcudart.so.13 */
    bool uses_cublas, uses_other_libraries; /* libcutensor, libnpp ... named in other_libraries */
    char other_libraries[256];
    bool uses_asan;                  /* AddressSanitizer's runtime is one of its libraries */
    uint32_t ptx_count, cubin_count; /* images in its fat binaries */
    uint32_t highest_ptx;            /* architecture of the newest PTX, 0 if none */
    char hash[65];                   /* SHA-256 of the file, hex */
    bool is_script;
    char interpreter[128]; /* of a script: what stands behind #! */
};

/* Errors: WL_ERR_INPUT (missing, unreadable, not executable), WL_ERR_CORRUPT (damaged fat binary).
 */
enum wl_code wl_program_inspect(const char *path, struct wl_program_info *info,
                                struct wl_error *error);

#endif
