/* What the device layer's test programs share. */
#ifndef WL_SUPPORT_DEVICE_SUPPORT_H
#define WL_SUPPORT_DEVICE_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/core/state.h"
#include "device/device.h"

#define PTX_HEADER(sm) ".version 6.0\n.target sm_" #sm "\n.address_size 64\n"

/* out[i] = i + by, for one block */
#define PTX_COUNT(name)                                                          \
    ".visible .entry " name "(.param .u64 out, .param .u32 by)\n{\n"             \
    ".reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n"                                      \
    "ld.param.u64 %rd1, [out];\nld.param.u32 %r1, [by];\n"                       \
    "mov.u32 %r2, %tid.x;\nadd.s32 %r3, %r2, %r1;\nmul.wide.u32 %rd2, %r2, 4;\n" \
    "add.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r3;\nret;\n}\n"

/* Sends stderr to a file until said_text. */
static int said_saved = -1;
static char said_path[] = "/tmp/warplens-said-XXXXXX";

static inline void said_begin(void)
{
    fflush(stderr);
    strcpy(said_path + sizeof said_path - 7, "XXXXXX");
    int file = mkstemp(said_path);
    said_saved = dup(STDERR_FILENO);
    dup2(file, STDERR_FILENO);
    close(file);
}

/* What was said since; valid until the next call. */
static inline const char *said_text(void)
{
    static char text[4096];
    dup2(said_saved, STDERR_FILENO);
    close(said_saved);
    FILE *file = fopen(said_path, "r");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[length] = '\0';
    if (file)
        fclose(file);
    unlink(said_path);
    return text;
}

/* Forgets everything, options and modules too. Handles become invalid. While no other thread is in
 * the device layer. */
static inline void shut_device_down(void)
{
    size_t count = 0;
    wl_device_enter();
    while (wl_device_parts[count])
        count++;
    while (count-- > 0)
        if (wl_device_parts[count]->close)
            wl_device_parts[count]->close();
    if (wl_device.is_loaded)
        wl_gpu_free(&wl_device.gpu);
    free(wl_device.gpu_name);
    free(wl_device.gpu_folder);
    free(wl_device.whatif_together);
    wl_device = (struct wl_device_state){.has_fork_handler = wl_device.has_fork_handler};
    wl_device_leave();
}

/* A fresh device: the model, and an observer or NULL. */
static inline void start_device(const char *gpu, const struct wl_device_observer *observer)
{
    struct wl_error error = {0};
    struct wl_device_options options = {.gpu = gpu, .threads = 1, .observer = observer};
    shut_device_down();
    if (wl_device_configure(&options, &error))
        fail_msg("%s", error.message);
}

#endif
