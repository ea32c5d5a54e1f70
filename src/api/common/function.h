/* Attributes of kernels that can be set, which the driver and the runtime number alike. */
#ifndef WL_API_COMMON_FUNCTION_H
#define WL_API_COMMON_FUNCTION_H

enum {
    FUNCTION_MAX_DYNAMIC_SHARED = 8,
    FUNCTION_CARVEOUT = 9,
    FUNCTION_CLUSTER_WIDTH = 11, /* then height and depth */
    FUNCTION_LARGE_CLUSTERS = 14,
    FUNCTION_CLUSTER_POLICY = 15, /* a preference: it changes nothing here */
};

#endif
