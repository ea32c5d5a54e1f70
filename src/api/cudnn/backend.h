/* Backend descriptors: attributes of any kind, and the graphs of operations that are made of them.
 * Numbers are those of cudnnBackendDescriptorType_t, cudnnBackendAttributeName_t and
 * cudnnBackendAttributeType_t. */
#ifndef WL_API_CUDNN_BACKEND_H
#define WL_API_CUDNN_BACKEND_H

#include "api/cudnn/backend_kernels.h"
#include "api/cudnn/cudnn.h"
#include "api/cudnn/launch.h"
#include "api/cudnn/tensor.h"

enum wl_cudnn_node_type {
    WL_CUDNN_NODE_OPERATION = -2, /* any that is an operation */
    WL_CUDNN_NODE_NONE = -1,
    WL_CUDNN_NODE_POINTWISE = 0,
    WL_CUDNN_NODE_CONVOLUTION = 1,
    WL_CUDNN_NODE_ENGINE = 2,
    WL_CUDNN_NODE_CONFIG = 3,
    WL_CUDNN_NODE_HEURISTICS = 4,
    WL_CUDNN_NODE_PLAN = 5,
    WL_CUDNN_NODE_KNOB_CHOICE = 7,
    WL_CUDNN_NODE_KNOB_INFO = 8,
    WL_CUDNN_NODE_OF_FORWARD = 10,
    WL_CUDNN_NODE_OF_FILTER = 11,
    WL_CUDNN_NODE_OF_DATA = 12,
    WL_CUDNN_NODE_OF_POINTWISE = 13,
    WL_CUDNN_NODE_OF_STATISTICS = 14,
    WL_CUDNN_NODE_GRAPH = 15,
    WL_CUDNN_NODE_PACK = 16,
    WL_CUDNN_NODE_TENSOR = 17,
    WL_CUDNN_NODE_MATMUL = 18,
    WL_CUDNN_NODE_OF_MATMUL = 19,
    WL_CUDNN_NODE_REDUCTION = 21,
    WL_CUDNN_NODE_OF_REDUCTION = 22,
    WL_CUDNN_NODE_RESAMPLE = 24,
    WL_CUDNN_NODE_OF_RESAMPLE = 25,
    WL_CUDNN_NODE_OF_RESAMPLE_GRADIENT = 26,
    WL_CUDNN_NODE_OF_NORM = 29,
    WL_CUDNN_NODE_OF_NORM_GRADIENT = 30,
    WL_CUDNN_NODE_OF_RESHAPE = 31,
    WL_CUDNN_NODE_RNG = 32,
    WL_CUDNN_NODE_OF_RNG = 33,
    WL_CUDNN_NODE_CACHE = 34, /* of kernels: nothing is compiled for a graph */
};

/* Those of cudnnBackendAttributeType_t that are told apart by what they hold. */
enum {
    WL_CUDNN_IS_HANDLE = 0,
    WL_CUDNN_IS_POINTER = 6,
    WL_CUDNN_IS_DESCRIPTOR = 15,
    WL_CUDNN_IS_CHARACTER = 24,
};

/* What the rows of backend_attributes.def call each attribute. */
enum wl_cudnn_attribute_name {
#define X(node, name, number, type, most, flags, part) WL_CUDNN_##node##_##name = (number),
#define Y(node, name, type, most, flags, part)
#include "api/cudnn/backend_attributes.def"
#undef X
#undef Y
};

/* What of a status WL_CUDNN_BAD_PARAM cuDNN 9 tells more of, and what is told then. */
enum wl_cudnn_detail {
    WL_CUDNN_NULL_POINTER = 2,
    WL_CUDNN_NOT_FINAL = 4,
    WL_CUDNN_WRONG_TYPE = 10,
    WL_CUDNN_OTHER_GRAPH = 11,
};
int wl_cudnn_bad_param(enum wl_cudnn_detail detail);

struct wl_cudnn_node;

struct wl_cudnn_attribute {
    int name, type;
    int64_t count;
    void *values; /* nodes that it holds, where it is of descriptors */
};

/* What stands behind one or more descriptors: it does not change once it is final. */
struct wl_cudnn_node {
    int references;
    int type; /* enum wl_cudnn_node_type */
    bool is_final;
    WL_VECTOR(struct wl_cudnn_attribute) attributes;
    struct wl_cudnn_graph *graph; /* of a final graph */
};

/* The node holds one reference of its maker. */
struct wl_cudnn_node *wl_cudnn_node_make(int type);
struct wl_cudnn_node *wl_cudnn_node_hold(struct wl_cudnn_node *self);
void wl_cudnn_node_release(struct wl_cudnn_node *self);

/* NULL: it was not set. */
const struct wl_cudnn_attribute *wl_cudnn_attribute(const struct wl_cudnn_node *self, int name);
/* Sets what stands there; values of descriptors are nodes, which are held. */
void wl_cudnn_attribute_set(struct wl_cudnn_node *self, int name, int type, int64_t count,
                            const void *values);
void wl_cudnn_attribute_set_part(struct wl_cudnn_node *self, int name, struct wl_cudnn_node *part);
/* An engine's CUDNN_BEHAVIOR_NOTE_SUPPORTS_CUDA_GRAPH_NATIVE_API. */
void wl_cudnn_attribute_set_note(struct wl_cudnn_node *engine);
void wl_cudnn_attribute_set_number(struct wl_cudnn_node *self, int name, int64_t value);

/* Sets a number, of the first of its types, where nothing was set. */
void wl_cudnn_attribute_default(struct wl_cudnn_node *self, int name, double value);

/* Of an attribute of whole numbers or fractions: as many elements as wanted, all whole and within
 * these bounds. */
bool wl_cudnn_whole_numbers(const struct wl_cudnn_node *self, int name, int64_t count, int least,
                            int most, int *made);

/* Its first element as a number, or what is given where it was not set. */
int64_t wl_cudnn_number(const struct wl_cudnn_node *self, int name, int64_t otherwise);
double wl_cudnn_real(const struct wl_cudnn_node *self, int name, double otherwise);
/* Its first descriptor's node; NULL: it was not set. */
struct wl_cudnn_node *wl_cudnn_part(const struct wl_cudnn_node *self, int name);

/* Checks that the descriptor has such an attribute, and sets it; a status. Values of descriptors
 * are nodes. */
int wl_cudnn_attribute_give(struct wl_cudnn_node *self, int name, int type, int64_t count,
                            const void *values);
/* 0: there is no such type. */
size_t wl_cudnn_attribute_bytes(int type);
/* Whether it is only read. */
bool wl_cudnn_attribute_is_told(const struct wl_cudnn_node *self, int name);

/* Makes the node final; a status. */
int wl_cudnn_node_finalize(struct wl_cudnn_node *self);
/* Checks attributes, which are there, and sets those that are only read; a status. */
int wl_cudnn_node_finish(struct wl_cudnn_node *self);

/* ---- plans as texts ---- */

/* All that a configuration holds, as numbers in JSON, which the caller frees. */
char *wl_cudnn_node_write(const struct wl_cudnn_node *config);
/* The configuration of such a text, final; NULL: it is none. */
struct wl_cudnn_node *wl_cudnn_node_read(const char *text, size_t length);

/* ---- graphs ---- */

/* 0 for a type of which nothing is computed in graphs. */
size_t wl_cudnn_graph_type_bytes(int type);
/* How many bytes a graph's tensor reaches over. */
size_t wl_cudnn_graph_tensor_bytes(const struct wl_cudnn_tensor *tensor);

/* What a graph's tensor is as its program described it. false: nothing is computed of such. */
bool wl_cudnn_node_tensor(const struct wl_cudnn_node *tensor, struct wl_cudnn_tensor *made);

/* Orders the operations of a graph, and finds which of them can be computed; a status. */
int wl_cudnn_graph_make(struct wl_cudnn_node *graph);
void wl_cudnn_graph_free(struct wl_cudnn_graph *self);
/* Checks an operation that has its attributes: WL_CUDNN_OK: it can be in a graph, computed or not.
 */
int wl_cudnn_operation_check(const struct wl_cudnn_node *operation);
/* Whether all of it is computed, else what says why not (a status), and what a program must bring
 * for what lies between operations. */
bool wl_cudnn_graph_is_computed(const struct wl_cudnn_graph *self);
int wl_cudnn_graph_refuse(const struct wl_cudnn_graph *self);
size_t wl_cudnn_graph_workspace(const struct wl_cudnn_graph *self);
/* Computes it with the tensors of a variant pack; a status. */
int wl_cudnn_graph_run(const struct wl_cudnn_graph *self, void *stream,
                       const struct wl_cudnn_node *pack);

/* ---- operations ---- */

/* A tensor while a graph runs: where its elements are, or the value that all of them have. */
struct wl_cudnn_place {
    struct wl_cudnn_tensor shape; /* of rank 0: the operation has no such tensor */
    bool is_value, is_bits;       /* is_bits: booleans in a program's memory (WL_DNN_GRAPH_BITS) */
    double value;
    void *data;
};

/* An operation's tensors, in the order of its row of backend_graph.c. */
enum { WL_CUDNN_PLACES = 12 };

/* Whether an operation is only checked (shapes alone count) or computed, on the stream. The memory
 * that it needs for itself alone it says when it is checked, and has when it is computed. */
struct wl_cudnn_pass {
    bool is_run;
    void *stream;
    size_t scratch_bytes;
    char *scratch;
};

/* Each checks or computes an operation; a status. */
typedef int wl_cudnn_operation(const struct wl_cudnn_node *self, struct wl_cudnn_place *places,
                               struct wl_cudnn_pass *pass);
wl_cudnn_operation wl_cudnn_operation_convolution, wl_cudnn_operation_pointwise,
    wl_cudnn_operation_matmul, wl_cudnn_operation_reduction, wl_cudnn_operation_reshape,
    wl_cudnn_operation_rng, wl_cudnn_operation_statistics, wl_cudnn_operation_norm,
    wl_cudnn_operation_norm_gradient, wl_cudnn_operation_norm_inference,
    wl_cudnn_operation_resample, wl_cudnn_operation_resample_gradient;

/* Whether a normalisation is by means that are given, with wl_cudnn_operation_norm_inference. */
bool wl_cudnn_is_norm_inference(const struct wl_cudnn_node *operation);

/* Those of backend.cu. */
extern struct wl_cudnn_kernels wl_cudnn_graph_kernels;

/* What kernels are given of a place; what they read is multiplied by factor. */
struct wl_dnn_graph_operand wl_cudnn_operand(const struct wl_cudnn_place *place, double factor);
/* Sizes as kernels take them; gives their product. false: it is too large. */
bool wl_cudnn_graph_dims(struct wl_dnn_graph_dims *made, int rank, const int *sizes, int *count);
/* Whether the tensor can be spread over one of such dimensions: of each it has as many, or 1. */
bool wl_cudnn_can_spread(const struct wl_cudnn_tensor *tensor, const struct wl_cudnn_tensor *over);

#endif
