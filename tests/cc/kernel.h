void scale_on_device(int *values, int count);
#ifdef __cplusplus
extern "C"
#endif
    int *
    allocate(int count);
