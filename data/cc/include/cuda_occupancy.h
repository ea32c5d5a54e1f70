/* In cuda_runtime.h, with all the rest. */
#include "cuda_runtime.h"
