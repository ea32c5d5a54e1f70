/* Where a run is measured: on the GPU of this machine, or on a simulated one. */
#ifndef WL_RUN_HARDWARE_H
#define WL_RUN_HARDWARE_H

#include "base/subprocess.h"
#include "hardware/driver.h"
#include "run/messages.h"
#include "run/request.h"

/* The CUPTI to use on this machine: the first that counts, else the first that traces; free() it.
 * NULL: none, and error (zeroed before) may say why. */
char *wl_hardware_find_cupti(const struct wl_cuda_machine *machine, struct wl_error *error);

/* Decides, and fills machine and the settings of a real GPU: collector, gpu (the model most like
 * it), cupti_library, replay. --gpu NAME asks for the simulated one; so does a machine without a
 * GPU, or without CUPTI, with a message. Errors: WL_ERR_USAGE; WL_ERR_UNSUPPORTED where --collector
 * hw is not possible. */
enum wl_code wl_hardware_choose(const struct wl_run_request *request,
                                const struct wl_messages *messages, struct wl_cuda_machine *machine,
                                struct wl_settings *settings, struct wl_error *error);

/* Whether folder/libwarplens-cupti.so can be loaded: the driver says nothing where it cannot.
 * Errors: WL_ERR_INPUT. */
enum wl_code wl_hardware_check_library(const char *folder, struct wl_error *error);

/* Adds what makes the driver load our library, folder/libwarplens-cupti.so, into the program.
 * repeats_ranges: struct wl_replay_facts.
 * Errors: those of wl_hardware_check_library. */
enum wl_code wl_hardware_prepare(const char *folder, const char *settings_path, bool repeats_ranges,
                                 const struct wl_messages *messages,
                                 struct wl_environment *environment, struct wl_error *error);

#endif
