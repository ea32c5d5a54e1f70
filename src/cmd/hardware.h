/* Where a run is measured: on the GPU of this machine, or on a simulated one. */
#ifndef WL_CMD_HARDWARE_H
#define WL_CMD_HARDWARE_H

#include "base/subprocess.h"
#include "cmd/command.h"
#include "cmd/console.h"
#include "hardware/driver.h"

/* --collector; auto where it is not given. */
enum wl_collector_choice { WL_COLLECTOR_AUTO, WL_COLLECTOR_SIM, WL_COLLECTOR_HW };

/* The CUPTI to use on this machine: the first that counts, else the first that traces; free() it.
 * NULL: none, and error (zeroed before) may say why. */
char *wl_hardware_find_cupti(const struct wl_cuda_machine *machine, struct wl_error *error);

/* --replay-mode */
enum wl_replay_mode {
    WL_REPLAY_MODE_AUTO,
    WL_REPLAY_MODE_KERNEL,
    WL_REPLAY_MODE_APPLICATION,
    WL_REPLAY_MODE_NONE,
    WL_REPLAY_MODE_SPREAD,
    WL_REPLAY_MODE_RANGE,
    WL_REPLAY_MODE_APP_RANGE,
};

/* Decides, and fills machine and the settings of a real GPU: collector, gpu (the model most like
 * it), cupti_library, replay. --gpu NAME asks for the simulated one; so does a machine without a
 * GPU, or without CUPTI, which is said. Errors: WL_ERR_USAGE; WL_ERR_UNSUPPORTED where --collector
 * hw cannot be had. */
enum wl_code wl_hardware_choose(const struct wl_command *command, const struct wl_console *console,
                                struct wl_cuda_machine *machine, struct wl_settings *settings,
                                struct wl_error *error);

/* Whether folder/libwarplens-cupti.so can be loaded: the driver says nothing where it cannot.
 * Errors: WL_ERR_INPUT. */
enum wl_code wl_hardware_check_library(const char *folder, struct wl_error *error);

/* Adds what makes the driver load our library, folder/libwarplens-cupti.so, into the program.
 * is_run_again: ranges will be, within it.
 * Errors: those of wl_hardware_check_library. */
enum wl_code wl_hardware_prepare(const char *folder, const char *settings_path, bool is_run_again,
                                 const struct wl_console *console,
                                 struct wl_environment *environment, struct wl_error *error);

#endif
