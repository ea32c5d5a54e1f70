/* Options of the just-in-time compiler, and the attributes of kernels that they change. */
#include "program.h"

int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxSetCurrent(void *context);
int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options,
                       void **values);
int cuModuleLoadData(void **module, const void *image);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuFuncGetAttribute(int *value, int attribute, void *function);
int cuLinkCreate_v2(unsigned count, int *options, void **values, void **state);
int cuLinkAddData_v2(void *state, int type, void *data, size_t bytes, const char *name,
                     unsigned count, int *options, void **values);
int cuLinkComplete(void *state, void **image, size_t *bytes);
int cuLinkDestroy(void *state);

enum { MAX_REGISTERS = 0, THREADS_PER_BLOCK = 1, PTX = 1, SHARED_BYTES = 1, REGISTERS = 4 };
enum { VALUES = 48, LIMIT = 24, FLOATS = 10 };

/* Reads VALUES numbers, then writes them. */
static char *make_text(void)
{
    static char text[16384];
    size_t at = (size_t)sprintf(text,
                                ".version 7.0\n.target sm_70\n.address_size 64\n"
                                ".visible .entry turn(.param .u64 p0)\n{\n"
                                "\t.reg .b64 %%a;\n\t.reg .b32 %%v<%d>;\n"
                                "\t.shared .align 4 .f32 s[%d];\n"
                                "\tld.param.u64 %%a, [p0];\n",
                                VALUES, FLOATS);
    for (int i = 0; i < VALUES; i++)
        at += (size_t)sprintf(text + at, "\tld.global.u32 %%v%d, [%%a+%d];\n", i, 4 * i);
    at += (size_t)sprintf(text + at, "\tst.shared.u32 [s], %%v0;\n");
    for (int i = 0; i < VALUES; i++)
        at +=
            (size_t)sprintf(text + at, "\tst.global.u32 [%%a+%d], %%v%d;\n", 4 * i, VALUES - 1 - i);
    sprintf(text + at, "\tret;\n}\n");
    return text;
}

static int attribute_of(void *module, int attribute)
{
    void *function;
    int value = 0;
    EXPECT(cuModuleGetFunction(&function, module, "turn"), 0);
    EXPECT(cuFuncGetAttribute(&value, attribute, function), 0);
    return value;
}

int main(void)
{
    void *context, *module, *state, *image;
    char *text = make_text();
    int options[] = {THREADS_PER_BLOCK, MAX_REGISTERS};
    void *values[] = {(void *)256, (void *)LIMIT};
    EXPECT(cuInit(0), 0);
    EXPECT(cuDevicePrimaryCtxRetain(&context, 0), 0);
    EXPECT(cuCtxSetCurrent(context), 0);
    EXPECT(cuModuleLoadData(&module, text), 0);
    EXPECT(attribute_of(module, REGISTERS) > VALUES, 1);
    EXPECT(attribute_of(module, SHARED_BYTES), FLOATS * 4);
    EXPECT(cuModuleLoadDataEx(&module, text, 2, options, values), 0);
    EXPECT(attribute_of(module, REGISTERS), LIMIT);
    EXPECT(cuLinkCreate_v2(2, options, values, &state), 0);
    EXPECT(cuLinkAddData_v2(state, PTX, text, strlen(text) + 1, "turn", 0, NULL, NULL), 0);
    EXPECT(cuLinkComplete(state, &image, NULL), 0);
    EXPECT(cuModuleLoadData(&module, image), 0);
    EXPECT(attribute_of(module, REGISTERS), LIMIT);
    EXPECT(cuLinkDestroy(state), 0);
    return failures != 0;
}
