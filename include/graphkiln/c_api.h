/* graphkiln in C: models in folders are loaded and run.
 *
 *   gk_model* model = NULL;
 *   gk_status* failed = gk_model_load("/models/digits", NULL, 0, &model);
 *   if (failed != NULL) {
 *     fprintf(stderr, "%s\n", gk_status_message(failed));
 *     gk_status_delete(failed);
 *   }
 *
 * What may fail returns a status: NULL if all is well, else one that the caller
 * deletes, and then what it would have given is untouched. Handles that a
 * function gives belong to the caller, who deletes each once; NULL may be
 * deleted. Names and data that a handle gives live as long as it. All functions
 * may be called from any number of threads, but for the deletion of what
 * another one uses. Nothing here throws.
 *
 * The interface is stable: a program that was linked with one version runs with
 * later ones of the same GK_C_API_VERSION. */
#ifndef GRAPHKILN_C_API_H_
#define GRAPHKILN_C_API_H_

#include <stddef.h>
#include <stdint.h>

#define GK_C_API_VERSION 1

#if defined(_WIN32) && defined(GRAPHKILN_BUILDING)
#define GK_C_EXPORT __declspec(dllexport)
#elif defined(_WIN32)
#define GK_C_EXPORT __declspec(dllimport)
#else
#define GK_C_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library, "0.1.0", and of the interface that it has. */
GK_C_EXPORT const char* gk_version(void);
GK_C_EXPORT int gk_c_api_version(void);
/* How many threads operations may use together, the caller included:
 * INVALID_ARGUMENT unless in [1, 1024]. */
typedef struct gk_status gk_status;
GK_C_EXPORT gk_status* gk_set_num_threads(int n);

/* --- Statuses. */

/* What went wrong; TensorFlow's numbers. */
typedef enum gk_code {
  GK_OK = 0,
  GK_CANCELLED = 1,
  GK_UNKNOWN = 2,
  GK_INVALID_ARGUMENT = 3,
  GK_DEADLINE_EXCEEDED = 4,
  GK_NOT_FOUND = 5,
  GK_ALREADY_EXISTS = 6,
  GK_PERMISSION_DENIED = 7,
  GK_RESOURCE_EXHAUSTED = 8,
  GK_FAILED_PRECONDITION = 9,
  GK_ABORTED = 10,
  GK_OUT_OF_RANGE = 11,
  GK_UNIMPLEMENTED = 12,
  GK_INTERNAL = 13,
  GK_UNAVAILABLE = 14,
  GK_DATA_LOSS = 15,
  GK_UNAUTHENTICATED = 16
} gk_code;

/* GK_OK of NULL. */
GK_C_EXPORT gk_code gk_status_code(const gk_status* status);
/* Says what failed, what was expected, and the cure if it is known; "" of
 * NULL. */
GK_C_EXPORT const char* gk_status_message(const gk_status* status);
GK_C_EXPORT void gk_status_delete(gk_status* status);

/* --- Tensors. */

/* Types of elements; TensorFlow's numbers. */
typedef enum gk_dtype {
  GK_FLOAT = 1,
  GK_DOUBLE = 2,
  GK_INT32 = 3,
  GK_UINT8 = 4,
  GK_INT16 = 5,
  GK_INT8 = 6,
  GK_STRING = 7,
  GK_COMPLEX64 = 8,
  GK_INT64 = 9,
  GK_BOOL = 10,
  GK_BFLOAT16 = 14,
  GK_UINT16 = 17,
  GK_COMPLEX128 = 18,
  GK_HALF = 19,
  GK_RESOURCE = 20,
  GK_VARIANT = 21,
  GK_UINT32 = 22,
  GK_UINT64 = 23
} gk_dtype;

/* An array of elements that never change. */
typedef struct gk_tensor gk_tensor;
/* Called once, when nothing uses the memory any more, by whichever thread that
 * is. */
typedef void (*gk_deleter)(void* data, void* context);

/* Over memory of the caller's, with no copy: row-major elements that nobody may
 * change while a tensor uses them. `deleter` may be NULL; it is not called if
 * this fails. INVALID_ARGUMENT for a negative dimension, texts, or another
 * number of bytes than the shape needs. */
GK_C_EXPORT gk_status* gk_tensor_over(gk_dtype dtype, int rank,
                                      const int64_t* dims, void* data,
                                      size_t num_bytes, gk_deleter deleter,
                                      void* context, gk_tensor** tensor);
/* Of a copy of the elements. The same. */
GK_C_EXPORT gk_status* gk_tensor_copy(gk_dtype dtype, int rank,
                                      const int64_t* dims, const void* data,
                                      size_t num_bytes, gk_tensor** tensor);
/* Of texts, which are copied; `lengths` may be NULL for such as end at a 0. */
GK_C_EXPORT gk_status* gk_tensor_of_strings(int rank, const int64_t* dims,
                                            const char* const* texts,
                                            const size_t* lengths,
                                            gk_tensor** tensor);
/* Another handle of the same tensor. */
GK_C_EXPORT gk_status* gk_tensor_share(const gk_tensor* tensor,
                                       gk_tensor** shared);
GK_C_EXPORT void gk_tensor_delete(gk_tensor* tensor);

/* What it is; of NULL 0 and -1. */
GK_C_EXPORT gk_dtype gk_tensor_dtype(const gk_tensor* tensor);
GK_C_EXPORT int gk_tensor_rank(const gk_tensor* tensor);
/* -1 where there is no such dimension. */
GK_C_EXPORT int64_t gk_tensor_dim(const gk_tensor* tensor, int i);
GK_C_EXPORT int64_t gk_tensor_num_elements(const gk_tensor* tensor);
/* The elements, row-major, where they are; NULL and 0 of texts and handles. */
GK_C_EXPORT const void* gk_tensor_data(const gk_tensor* tensor);
GK_C_EXPORT size_t gk_tensor_num_bytes(const gk_tensor* tensor);
/* One of the texts, row-major. INVALID_ARGUMENT of another type, OUT_OF_RANGE
 * for a number that is not there. */
GK_C_EXPORT gk_status* gk_tensor_string(const gk_tensor* tensor, int64_t i,
                                        const char** text, size_t* length);

/* --- Models. */

/* A model that was loaded. */
typedef struct gk_model gk_model;
/* A function of tensors by name that gives tensors by name; holds its model. */
typedef struct gk_signature gk_signature;

/* The model in a folder, of the graph with these tags; `tags` NULL: the only
 * one. NOT_FOUND without one, DATA_LOSS of a damaged one. */
GK_C_EXPORT gk_status* gk_model_load(const char* folder,
                                     const char* const* tags, size_t num_tags,
                                     gk_model** model);
/* Writes it, with the values that its variables have now. */
GK_C_EXPORT gk_status* gk_model_save(const gk_model* model,
                                     const char* folder);
GK_C_EXPORT void gk_model_delete(gk_model* model);

/* The names of its signatures, sorted; NULL where there is none. */
GK_C_EXPORT size_t gk_model_num_signatures(const gk_model* model);
GK_C_EXPORT const char* gk_model_signature_name(const gk_model* model,
                                                size_t i);
/* NOT_FOUND, naming those that there are; `name` NULL: "serving_default". */
GK_C_EXPORT gk_status* gk_model_signature(const gk_model* model,
                                          const char* name,
                                          gk_signature** signature);

/* The graph in a file, a GraphDef or MetaGraphDef, binary or text, as a
 * function of some of its tensors ("x", "x:1") that gives others, in that order
 * and called by these names. `feeds` NULL: the placeholders that are needed;
 * `fetches` NULL: the tensors that no node takes. NOT_FOUND without the file,
 * DATA_LOSS if it is none, INVALID_ARGUMENT for a name that is none of its
 * tensors and for a placeholder that is needed and not fed. (Since
 * GRAPHKILN_C_2.) */
GK_C_EXPORT gk_status* gk_graph_load(const char* file,
                                     const char* const* feeds,
                                     size_t num_feeds,
                                     const char* const* fetches,
                                     size_t num_fetches,
                                     gk_signature** signature);

/* Its variables: names, values now and from now on. OUT_OF_RANGE if there is
 * none of that number, INVALID_ARGUMENT for a value of another type or
 * shape. */
GK_C_EXPORT size_t gk_model_num_variables(const gk_model* model);
GK_C_EXPORT const char* gk_model_variable_name(const gk_model* model,
                                               size_t i);
GK_C_EXPORT gk_status* gk_model_read_variable(const gk_model* model, size_t i,
                                              gk_tensor** value);
GK_C_EXPORT gk_status* gk_model_assign_variable(gk_model* model, size_t i,
                                                const gk_tensor* value);

/* What a signature takes and gives, sorted by name; NULL, 0 and -1 where there
 * is nothing of that number. A rank or dimension of -1 may be any. */
GK_C_EXPORT size_t gk_signature_num_inputs(const gk_signature* signature);
GK_C_EXPORT const char* gk_signature_input_name(const gk_signature* signature,
                                                size_t i);
GK_C_EXPORT gk_dtype gk_signature_input_dtype(const gk_signature* signature,
                                              size_t i);
GK_C_EXPORT int gk_signature_input_rank(const gk_signature* signature,
                                        size_t i);
GK_C_EXPORT int64_t gk_signature_input_dim(const gk_signature* signature,
                                           size_t i, int dim);
GK_C_EXPORT size_t gk_signature_num_outputs(const gk_signature* signature);
GK_C_EXPORT const char* gk_signature_output_name(const gk_signature* signature,
                                                 size_t i);
GK_C_EXPORT gk_dtype gk_signature_output_dtype(const gk_signature* signature,
                                               size_t i);
GK_C_EXPORT int gk_signature_output_rank(const gk_signature* signature,
                                         size_t i);
GK_C_EXPORT int64_t gk_signature_output_dim(const gk_signature* signature,
                                            size_t i, int dim);
GK_C_EXPORT void gk_signature_delete(gk_signature* signature);

/* --- Runs. */

/* Ends runs that were given it. */
typedef struct gk_cancellation gk_cancellation;
/* Until when a run may last, and who may end it before. */
typedef struct gk_run_options gk_run_options;

GK_C_EXPORT gk_status* gk_cancellation_new(gk_cancellation** cancellation);
/* From now on; there is no way back. */
GK_C_EXPORT void gk_cancellation_cancel(gk_cancellation* cancellation);
/* 1 if it is, else 0. */
GK_C_EXPORT int gk_cancellation_is_cancelled(
    const gk_cancellation* cancellation);
GK_C_EXPORT void gk_cancellation_delete(gk_cancellation* cancellation);

/* Without any limit; not to be changed while a run uses them. */
GK_C_EXPORT gk_status* gk_run_options_new(gk_run_options** options);
/* Runs end with CANCELLED when it is cancelled; NULL: never. It may be deleted
 * before the options. */
GK_C_EXPORT void gk_run_options_set_cancellation(
    gk_run_options* options, const gk_cancellation* cancellation);
/* Runs end with DEADLINE_EXCEEDED so many nanoseconds after they began; 0 or
 * less: never. */
GK_C_EXPORT void gk_run_options_set_timeout_ns(gk_run_options* options,
                                               int64_t nanoseconds);
/* The same at a time of gk_now_ns, a clock that is never set; INT64_MAX: never.
 * Of both the earlier one counts. */
GK_C_EXPORT void gk_run_options_set_deadline_ns(gk_run_options* options,
                                                int64_t at);
GK_C_EXPORT int64_t gk_now_ns(void);
GK_C_EXPORT void gk_run_options_delete(gk_run_options* options);

/* Takes a tensor for each input, gives one for each output, which the caller
 * deletes. Elements are not copied. `options` may be NULL. INVALID_ARGUMENT if
 * a type, a shape or a number of tensors does not match. */
GK_C_EXPORT gk_status* gk_signature_run(const gk_signature* signature,
                                        const gk_tensor* const* inputs,
                                        size_t num_inputs, gk_tensor** outputs,
                                        size_t num_outputs,
                                        const gk_run_options* options);
/* The same with inputs by name, in any order; those that have a default may be
 * left out. */
GK_C_EXPORT gk_status* gk_signature_run_named(
    const gk_signature* signature, const char* const* names,
    const gk_tensor* const* inputs, size_t num_inputs, gk_tensor** outputs,
    size_t num_outputs, const gk_run_options* options);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* GRAPHKILN_C_API_H_ */
