/* libcheckpoint.so of the tests. */
#include "mock.h"

static bool is_saved;
static long saved;

int cuptiCheckpointSave(struct wl_cupti_checkpoint_call *call)
{
    long result = mock_value("cuptiCheckpointSave", 0);
    mock_log("cuptiCheckpointSave%s", result ? " fails" : is_saved ? " out of order" : "");
    if (result || !call->context)
        return result ? (int)result : WL_CUPTI_ERROR_INVALID_PARAMETER;
    is_saved = true;
    saved = mock_memory();
    return 0;
}

int cuptiCheckpointRestore(struct wl_cupti_checkpoint_call *call)
{
    long result = mock_value("cuptiCheckpointRestore", 0);
    mock_log("cuptiCheckpointRestore%s", result ? " fails" : is_saved ? "" : " out of order");
    if (result || !call->context)
        return result ? (int)result : WL_CUPTI_ERROR_INVALID_PARAMETER;
    mock_memory_set(saved);
    return 0;
}

int cuptiCheckpointFree(struct wl_cupti_checkpoint_call *call)
{
    mock_log("cuptiCheckpointFree%s", is_saved && call->context ? "" : " out of order");
    is_saved = false;
    return 0;
}
