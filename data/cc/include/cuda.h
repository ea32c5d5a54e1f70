/* The runtime only: functions of the driver (cuInit and the like) are not declared. */
#include "cuda_runtime.h"
