/* libcheckpoint.so of the tests. */
#include "mock.h"

#include <unistd.h>

static bool is_saved[MOCK_CONTEXTS];
static long saved[MOCK_CONTEXTS];

int cuptiCheckpointSave(struct wl_cupti_checkpoint_call *call)
{
    long result = mock_value("cuptiCheckpointSave", 0);
    usleep((useconds_t)mock_value("save_ms", 0) * 1000);
    mock_log("cuptiCheckpointSave%s", result ? " fails"
                                      : is_saved[mock_context_number(call->context)]
                                          ? " out of order"
                                          : "");
    if (result || !call->context)
        return result ? (int)result : WL_CUPTI_ERROR_INVALID_PARAMETER;
    is_saved[mock_context_number(call->context)] = true;
    saved[mock_context_number(call->context)] = mock_memory();
    return 0;
}

int cuptiCheckpointRestore(struct wl_cupti_checkpoint_call *call)
{
    long result = mock_value("cuptiCheckpointRestore", 0);
    mock_log("cuptiCheckpointRestore%s", result ? " fails"
                                         : is_saved[mock_context_number(call->context)]
                                             ? ""
                                             : " out of order");
    if (result || !call->context)
        return result ? (int)result : WL_CUPTI_ERROR_INVALID_PARAMETER;
    mock_memory_set(saved[mock_context_number(call->context)]);
    return 0;
}

int cuptiCheckpointFree(struct wl_cupti_checkpoint_call *call)
{
    mock_log("cuptiCheckpointFree%s",
             is_saved[mock_context_number(call->context)] && call->context ? "" : " out of order");
    is_saved[mock_context_number(call->context)] = false;
    return 0;
}
