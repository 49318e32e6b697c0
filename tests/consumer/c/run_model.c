/* The C interface as a program in C sees it: run_model FOLDER, with the models
 * of write_model.cc in it. */
#include <graphkiln/c_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static void check(int holds, const char* what, int line) {
  if (holds) return;
  fprintf(stderr, "line %d: %s\n", line, what);
  ++failures;
}
#define CHECK(condition) check((condition), #condition, __LINE__)
#define CHECK_OK(call)                                          \
  do {                                                          \
    gk_status* status_ = (call);                                \
    if (status_ != NULL) {                                      \
      check(0, gk_status_message(status_), __LINE__);           \
      gk_status_delete(status_);                                \
    }                                                           \
  } while (0)
/* Fails with this code and says this. */
static void check_fails(gk_status* status, gk_code code, const char* text,
                        int line) {
  check(gk_status_code(status) == code, "another code", line);
  if (strstr(gk_status_message(status), text) == NULL) {
    check(0, gk_status_message(status), line);
  }
  gk_status_delete(status);
}
#define CHECK_FAILS(call, code, text) check_fails((call), (code), (text), __LINE__)

static int deleted = 0;
static void count_delete(void* data, void* context) {
  (void)data;
  ++*(int*)context;
}

static void check_tensors(void) {
  float data[4] = {1, 2, 3, 4};
  const int64_t dims[2] = {2, 2};
  gk_tensor *t = NULL, *shared = NULL;
  CHECK_OK(gk_tensor_over(GK_FLOAT, 2, dims, data, sizeof data, count_delete,
                          &deleted, &t));
  CHECK(gk_tensor_data(t) == data);
  CHECK(gk_tensor_dtype(t) == GK_FLOAT && gk_tensor_rank(t) == 2);
  CHECK(gk_tensor_dim(t, 1) == 2 && gk_tensor_dim(t, 2) == -1);
  CHECK(gk_tensor_num_elements(t) == 4);
  CHECK(gk_tensor_num_bytes(t) == sizeof data);
  CHECK_OK(gk_tensor_share(t, &shared));
  gk_tensor_delete(t);
  CHECK(deleted == 0);
  gk_tensor_delete(shared);
  CHECK(deleted == 1);

  t = NULL;
  CHECK_FAILS(gk_tensor_over(GK_FLOAT, 2, dims, data, 3, count_delete, &deleted,
                             &t),
              GK_INVALID_ARGUMENT, "has 16 bytes, got 3");
  CHECK_FAILS(gk_tensor_copy(GK_STRING, 0, NULL, data, 4, &t),
              GK_INVALID_ARGUMENT, "gk_tensor_of_strings");
  CHECK_FAILS(gk_tensor_copy((gk_dtype)77, 0, NULL, data, 4, &t),
              GK_INVALID_ARGUMENT, "no type of elements 77");
  CHECK_FAILS(gk_tensor_copy(GK_FLOAT, -1, NULL, data, 4, &t),
              GK_INVALID_ARGUMENT, "the rank is -1");
  CHECK_FAILS(gk_tensor_copy(GK_FLOAT, 2, NULL, data, 16, &t),
              GK_INVALID_ARGUMENT, "'dims' is NULL");
  CHECK_FAILS(gk_tensor_copy(GK_FLOAT, 2, dims, data, 16, NULL),
              GK_INVALID_ARGUMENT, "'tensor' is NULL");
  CHECK(t == NULL && deleted == 1);

  const char* texts[2] = {"a", "bc"};
  const int64_t two = 2;
  const char* text = NULL;
  size_t length = 0;
  CHECK_OK(gk_tensor_of_strings(1, &two, texts, NULL, &t));
  CHECK_OK(gk_tensor_string(t, 1, &text, &length));
  CHECK(length == 2 && strcmp(text, "bc") == 0);
  CHECK(gk_tensor_data(t) == NULL);
  CHECK_FAILS(gk_tensor_string(t, 2, &text, NULL), GK_OUT_OF_RANGE, "text 2");
  gk_tensor_delete(t);
}

static void check_runs(const char* folder) {
  gk_model* model = NULL;
  gk_signature* score = NULL;
  CHECK_OK(gk_model_load(folder, NULL, 0, &model));
  CHECK(gk_model_num_signatures(model) == 2);
  CHECK(strcmp(gk_model_signature_name(model, 0), "score") == 0);
  CHECK(gk_model_signature_name(model, 2) == NULL);
  CHECK_FAILS(gk_model_signature(model, "none", &score), GK_NOT_FOUND,
              "It has 'score', 'serving_default'.");
  CHECK_OK(gk_model_signature(model, "score", &score));
  CHECK(gk_signature_num_inputs(score) == 2);
  CHECK(strcmp(gk_signature_input_name(score, 1), "x") == 0);
  CHECK(gk_signature_input_dtype(score, 1) == GK_FLOAT);
  CHECK(gk_signature_input_rank(score, 1) == 2);
  CHECK(gk_signature_input_dim(score, 1, 0) == -1);
  CHECK(gk_signature_input_dim(score, 1, 1) == 2);
  CHECK(gk_signature_input_rank(score, 2) == -1);
  CHECK(gk_signature_num_outputs(score) == 2);
  CHECK(strcmp(gk_signature_output_name(score, 0), "score") == 0);
  CHECK(gk_signature_output_dtype(score, 1) == GK_STRING);

  const float rows[4] = {1, 1, 3, 4}, one = 1;
  const int64_t dims[2] = {2, 2};
  gk_tensor *inputs[2] = {NULL, NULL}, *outputs[2] = {NULL, NULL};
  CHECK_OK(gk_tensor_copy(GK_FLOAT, 0, NULL, &one, sizeof one, &inputs[0]));
  CHECK_OK(gk_tensor_copy(GK_FLOAT, 2, dims, rows, sizeof rows, &inputs[1]));
  CHECK_OK(gk_signature_run(score, (const gk_tensor* const*)inputs, 2, outputs,
                            2, NULL));
  const float* scores = gk_tensor_data(outputs[0]);
  CHECK(scores != NULL && scores[0] == 4 && scores[1] == 12);
  gk_tensor_delete(outputs[0]);
  gk_tensor_delete(outputs[1]);

  /* By name; one has a default. */
  const char* names[2] = {"x", "y"};
  CHECK_OK(gk_signature_run_named(score, names,
                                  (const gk_tensor* const*)&inputs[1], 1,
                                  outputs, 2, NULL));
  scores = gk_tensor_data(outputs[0]);
  CHECK(scores != NULL && scores[1] == 21);
  gk_tensor_delete(outputs[0]);
  gk_tensor_delete(outputs[1]);

  outputs[0] = NULL;
  const gk_tensor* other[2] = {inputs[1], inputs[0]};
  CHECK_FAILS(gk_signature_run_named(score, names, other, 2, outputs, 2, NULL),
              GK_INVALID_ARGUMENT, "no input 'y'");
  CHECK_FAILS(gk_signature_run(score, other, 2, outputs, 2, NULL),
              GK_INVALID_ARGUMENT, "shape");
  CHECK_FAILS(gk_signature_run(score, other, 1, outputs, 2, NULL),
              GK_INVALID_ARGUMENT, "takes 2");
  CHECK_FAILS(gk_signature_run(score, other, 2, outputs, 1, NULL),
              GK_INVALID_ARGUMENT, "gives 2 tensors, not 1");
  other[1] = NULL;
  CHECK_FAILS(gk_signature_run(score, other, 2, outputs, 2, NULL),
              GK_INVALID_ARGUMENT, "'inputs[1]' is NULL");
  CHECK(outputs[0] == NULL);

  /* The signature holds its model, whose values may change. */
  CHECK(gk_model_num_variables(model) == 1);
  CHECK(strcmp(gk_model_variable_name(model, 0), "w") == 0);
  gk_tensor* w = NULL;
  CHECK_OK(gk_model_read_variable(model, 0, &w));
  CHECK(((const float*)gk_tensor_data(w))[1] == 2);
  gk_tensor_delete(w);
  const float doubled[2] = {2, 4};
  const int64_t w_dims[2] = {2, 1};
  CHECK_OK(gk_tensor_copy(GK_FLOAT, 2, w_dims, doubled, sizeof doubled, &w));
  CHECK_OK(gk_model_assign_variable(model, 0, w));
  gk_tensor_delete(w);
  CHECK_FAILS(gk_model_assign_variable(model, 0, inputs[0]),
              GK_INVALID_ARGUMENT, "shape");
  CHECK_FAILS(gk_model_assign_variable(model, 1, inputs[0]), GK_OUT_OF_RANGE,
              "no variable 1 of 1");
  char again[4104];
  snprintf(again, sizeof again, "%s-again", folder);
  CHECK_OK(gk_model_save(model, again));
  gk_model_delete(model);
  CHECK_OK(gk_signature_run(score, (const gk_tensor* const*)inputs, 2, outputs,
                            2, NULL));
  CHECK(((const float*)gk_tensor_data(outputs[0]))[0] == 7);
  gk_tensor_delete(outputs[0]);
  gk_tensor_delete(outputs[1]);
  gk_signature_delete(score);
  const char* tags[1] = {"serve"};
  CHECK_OK(gk_model_load(again, tags, 1, &model));
  CHECK_OK(gk_model_read_variable(model, 0, &w));
  CHECK(((const float*)gk_tensor_data(w))[1] == 4);
  gk_tensor_delete(w);
  gk_model_delete(model);
  gk_tensor_delete(inputs[0]);
  gk_tensor_delete(inputs[1]);
}

static void check_limits(const char* folder) {
  gk_model* model = NULL;
  gk_signature* spin = NULL;
  CHECK_OK(gk_model_load(folder, NULL, 0, &model));
  CHECK_OK(gk_model_signature(model, NULL, &spin));
  gk_model_delete(model);
  const int64_t zero = 0;
  gk_tensor *x = NULL, *out = NULL;
  CHECK_OK(gk_tensor_copy(GK_INT64, 0, NULL, &zero, sizeof zero, &x));
  gk_run_options* options = NULL;
  CHECK_OK(gk_run_options_new(&options));
  gk_run_options_set_timeout_ns(options, 20000000);
  const gk_tensor* input = x;
  CHECK_FAILS(gk_signature_run(spin, &input, 1, &out, 1, options),
              GK_DEADLINE_EXCEEDED, "serving_default");
  gk_run_options_set_timeout_ns(options, 0);
  gk_run_options_set_deadline_ns(options, gk_now_ns() + 20000000);
  CHECK_FAILS(gk_signature_run(spin, &input, 1, &out, 1, options),
              GK_DEADLINE_EXCEEDED, "deadline");
  gk_run_options_set_deadline_ns(options, INT64_MAX);
  gk_cancellation* stop = NULL;
  CHECK_OK(gk_cancellation_new(&stop));
  gk_run_options_set_cancellation(options, stop);
  CHECK(gk_cancellation_is_cancelled(stop) == 0);
  gk_cancellation_cancel(stop);
  CHECK(gk_cancellation_is_cancelled(stop) == 1);
  gk_cancellation_delete(stop);
  CHECK_FAILS(gk_signature_run(spin, &input, 1, &out, 1, options), GK_CANCELLED,
              "cancelled");
  CHECK(out == NULL);
  gk_run_options_delete(options);
  gk_signature_delete(spin);
  gk_tensor_delete(x);
}

/* A GraphDef: y = x * 3 + 1 and its sum. */
static void check_graph(const char* file) {
  gk_signature* graph = NULL;
  CHECK_FAILS(gk_graph_load("/no/such/file", NULL, 0, NULL, 0, &graph),
              GK_NOT_FOUND, "/no/such/file");
  CHECK_FAILS(gk_graph_load(file, NULL, 0, NULL, 0, NULL), GK_INVALID_ARGUMENT,
              "'signature' is NULL");
  const char* const wrong[] = {"nowhere"};
  CHECK_FAILS(gk_graph_load(file, NULL, 0, wrong, 1, &graph),
              GK_INVALID_ARGUMENT, "nowhere");
  const char* const feeds[] = {"x"};
  const char* const fetches[] = {"total", "y:0"};
  CHECK_FAILS(gk_graph_load(file, feeds, 0, fetches, 2, &graph),
              GK_INVALID_ARGUMENT, "'x'");
  CHECK(graph == NULL);
  const float values[] = {1, 2};
  const int64_t dim = 2;
  gk_tensor* x = NULL;
  CHECK_OK(gk_tensor_copy(GK_FLOAT, 1, &dim, values, sizeof values, &x));
  const gk_tensor* input = x;
  gk_tensor* results[2] = {NULL, NULL};
  CHECK_OK(gk_graph_load(file, feeds, 1, fetches, 2, &graph));
  CHECK(gk_signature_num_inputs(graph) == 1);
  CHECK(strcmp(gk_signature_output_name(graph, 1), "y:0") == 0);
  CHECK(gk_signature_input_dim(graph, 0, 0) == -1);
  CHECK_OK(gk_signature_run(graph, &input, 1, results, 2, NULL));
  CHECK(*(const float*)gk_tensor_data(results[0]) == 11);
  CHECK(((const float*)gk_tensor_data(results[1]))[1] == 7);
  for (int i = 0; i < 2; ++i) gk_tensor_delete(results[i]);
  gk_signature_delete(graph);
  CHECK_OK(gk_graph_load(file, NULL, 0, NULL, 0, &graph));
  CHECK(gk_signature_num_inputs(graph) == 1);
  CHECK(gk_signature_num_outputs(graph) == 1);
  CHECK_OK(gk_signature_run_named(graph, feeds, &input, 1, results, 1, NULL));
  CHECK(*(const float*)gk_tensor_data(results[0]) == 11);
  gk_tensor_delete(results[0]);
  gk_signature_delete(graph);
  gk_tensor_delete(x);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  CHECK(gk_c_api_version() == GK_C_API_VERSION);
  CHECK(strchr(gk_version(), '.') != NULL);
  CHECK_OK(gk_set_num_threads(2));
  CHECK_FAILS(gk_set_num_threads(0), GK_INVALID_ARGUMENT, "[1, 1024]");
  CHECK(gk_status_code(NULL) == GK_OK && gk_status_message(NULL)[0] == 0);
  gk_status_delete(NULL);
  gk_tensor_delete(NULL);
  gk_model_delete(NULL);
  gk_signature_delete(NULL);
  CHECK_FAILS(gk_model_load("/no/such/folder", NULL, 0, NULL),
              GK_INVALID_ARGUMENT, "'model' is NULL");
  gk_model* none = NULL;
  CHECK_FAILS(gk_model_load("/no/such/folder", NULL, 0, &none), GK_NOT_FOUND,
              "/no/such/folder");
  CHECK(none == NULL);
  check_tensors();
  char folder[4096];
  snprintf(folder, sizeof folder, "%s/linear", argv[1]);
  check_runs(folder);
  snprintf(folder, sizeof folder, "%s/spin", argv[1]);
  check_limits(folder);
  snprintf(folder, sizeof folder, "%s/graph.pbtxt", argv[1]);
  check_graph(folder);
  return failures == 0 ? 0 : 1;
}
