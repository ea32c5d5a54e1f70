/* One run of the user's program, with the simulated GPU in it or on a real one, from the folder for
 * its streams to the finished report. */
#ifndef WL_RUN_LAUNCH_H
#define WL_RUN_LAUNCH_H

#include "base/rank.h"
#include "base/subprocess.h"
#include "binary/binary.h"
#include "hardware/driver.h"
#include "record/stream/running.h"
#include "run/lock.h"
#include "run/messages.h"
#include "run/request.h"

struct wl_launch_run {
    const struct wl_run_request *request;
    struct wl_messages messages;
    const struct wl_arguments *program; /* its words */
    struct wl_program_info info;
    struct wl_settings settings;
    struct wl_cuda_machine machine; /* where its GPU is used */
    struct {
        bool samples, counts;
    } rerun;             /* why the program is replayed */
    uint32_t capability; /* of the model GPU: 90 */
    char *program_path, *library_folder, *report_path, *stream_folder, *settings_path;
    char *not_sampled;          /* why the processor was not, though that was asked; else NULL */
    struct wl_folder_lock lock; /* on stream_folder */
    struct wl_ending ending;
    bool is_quit;              /* --interactive: the user had the program ended */
    struct wl_running running; /* a launch that had not ended, or was not recorded; else zeros */
    struct wl_rank rank;       /* of the program, where a launcher started warplens for it */
};

/* Zero-initialise it, set the first three, then call these in this order. */

/* Its settings, and whether it is measured or simulated. Errors: WL_ERR_USAGE, WL_ERR_UNSUPPORTED.
 */
enum wl_code wl_launch_choose(struct wl_launch_run *run, struct wl_error *error);
/* All that can be found wrong before the program runs. Errors: WL_ERR_USAGE, WL_ERR_INPUT,
 * WL_ERR_CORRUPT, WL_ERR_UNSUPPORTED; then WL_ERR_OUTPUT, with no folder left behind. */
enum wl_code wl_launch_prepare(struct wl_launch_run *run, struct wl_error *error);
/* Runs it to its end and tells how it ended. */
enum wl_code wl_launch_execute(struct wl_launch_run *run, struct wl_error *error);
/* False: --rank leaves this rank out. Its streams are empty, and no report is to be made. */
bool wl_launch_is_recorded(const struct wl_launch_run *run);
/* Builds the report and removes the streams; on an error they stay, and the hint says where. */
enum wl_code wl_launch_record(struct wl_launch_run *run, struct wl_error *error);
void wl_launch_free(struct wl_launch_run *run);

#endif
