/* CUDA C++ for `warplens cc`: the language's keywords and built-in functions, and the runtime. It is
 * included before every .cu file; a file compiled as plain C or C++ gets the runtime only. */
#ifndef WARPLENS_CUDA_RUNTIME_H
#define WARPLENS_CUDA_RUNTIME_H
/* Thrust asks for these, and else undefines the keywords. */
#define __HOST_DEFINES_H__
#define __DRIVER_TYPES_H__

#include "warplens/attributes.h"
#ifdef __CUDA__
#include "warplens/math.h" /* before those of the C++ library */
#endif
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "warplens/vectors.h"
#ifdef __CUDA__
#include "warplens/atomics.h"
#include "warplens/device.h"
#include "warplens/intrinsics.h"
#endif
#include "warplens/runtime.h"
#include "warplens/textures.h"
#ifdef __CUDA__
#include "warplens/device_runtime.h"
#endif

#endif
