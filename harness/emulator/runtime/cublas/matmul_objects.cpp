// cuBLASLt's descriptors: plain structs, whose fields are set and read as attributes.

#include <cstddef>
#include <cstring>
#include <span>

#include "emulator/include/cublasLt_types.h"
#include "emulator/runtime/api/errors.h"
#include "emulator/runtime/cublas/call.h"

using namespace kata::emulator;

namespace {

struct Attribute {
  int value;
  const char* name;
  std::size_t at, bytes;  ///< of its field; 0 bytes: it is not supported
};

#define KATA_HAS(name, field) \
  { name, #name, offsetof(Object, field), sizeof(Object::field) }
#define KATA_LACKS(name) \
  { name, #name, 0, 0 }

std::span<const Attribute> attributes_of(const cublasLtMatmulDescOpaque_t*) {
  using Object = cublasLtMatmulDescOpaque_t;
  static const Attribute attributes[] = {
      KATA_HAS(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, compute_type),
      KATA_HAS(CUBLASLT_MATMUL_DESC_SCALE_TYPE, scale_type),
      KATA_HAS(CUBLASLT_MATMUL_DESC_POINTER_MODE, pointer_mode),
      KATA_HAS(CUBLASLT_MATMUL_DESC_TRANSA, transa),
      KATA_HAS(CUBLASLT_MATMUL_DESC_TRANSB, transb),
      KATA_HAS(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue),
      KATA_HAS(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias_pointer),
      KATA_HAS(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, bias_batch_stride),
      KATA_HAS(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, bias_data_type),
      KATA_HAS(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, aux_pointer),
      KATA_HAS(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, aux_ld),
      KATA_HAS(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, aux_batch_stride),
      KATA_HAS(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, aux_data_type),
      KATA_HAS(CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, sm_count_target),
      KATA_HAS(CUBLASLT_MATMUL_DESC_FAST_ACCUM, fast_accum),
      KATA_LACKS(CUBLASLT_MATMUL_DESC_TRANSC),
      KATA_LACKS(CUBLASLT_MATMUL_DESC_FILL_MODE),
      KATA_LACKS(CUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE),
      KATA_LACKS(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER),
      KATA_LACKS(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER),
      KATA_LACKS(CUBLASLT_MATMUL_DESC_C_SCALE_POINTER),
      KATA_LACKS(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER),
      KATA_LACKS(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER),
      KATA_LACKS(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER),
      KATA_LACKS(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER)};
  return attributes;
}

std::span<const Attribute> attributes_of(const cublasLtMatrixLayoutOpaque_t*) {
  using Object = cublasLtMatrixLayoutOpaque_t;
  static const Attribute attributes[] = {
      KATA_HAS(CUBLASLT_MATRIX_LAYOUT_TYPE, type),
      KATA_HAS(CUBLASLT_MATRIX_LAYOUT_ORDER, order),
      KATA_HAS(CUBLASLT_MATRIX_LAYOUT_ROWS, rows),
      KATA_HAS(CUBLASLT_MATRIX_LAYOUT_COLS, cols),
      KATA_HAS(CUBLASLT_MATRIX_LAYOUT_LD, ld),
      KATA_HAS(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, batch_count),
      KATA_HAS(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, strided_batch_offset),
      KATA_LACKS(CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET)};
  return attributes;
}

std::span<const Attribute> attributes_of(const cublasLtMatmulPreferenceOpaque_t*) {
  using Object = cublasLtMatmulPreferenceOpaque_t;
  static const Attribute attributes[] = {
      KATA_HAS(CUBLASLT_MATMUL_PREF_SEARCH_MODE, search_mode),
      KATA_HAS(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, max_workspace_bytes),
      KATA_HAS(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, reduction_scheme_mask),
      KATA_HAS(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, min_alignment_a),
      KATA_HAS(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, min_alignment_b),
      KATA_HAS(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, min_alignment_c),
      KATA_HAS(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, min_alignment_d),
      KATA_HAS(CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT, max_waves_count),
      KATA_HAS(CUBLASLT_MATMUL_PREF_IMPL_MASK, impl_mask)};
  return attributes;
}

/// The object's field for an attribute; null, and why in `call`, where there is none.
template <class Object>
char* field(CublasCall& call, Object* object, int attribute, const void* with, std::size_t bytes) {
  call.require(object && with, "a pointer is null");
  if (!call.ok()) return nullptr;
  for (const Attribute& one : attributes_of(object)) {
    if (one.value != attribute) continue;
    if (one.bytes == 0) call.lacks(one.name);
    call.require(bytes == one.bytes, std::string(one.name) + " has " + std::to_string(one.bytes) +
                                         " bytes, not " + std::to_string(bytes));
    return call.ok() ? reinterpret_cast<char*>(object) + one.at : nullptr;
  }
  call.require(false, "there is no such attribute");
  return nullptr;
}

template <class Object>
cublasStatus_t set(CublasCall&& call, Object* object, int attribute, const void* from,
                   std::size_t bytes) {
  if (char* to = field(call, object, attribute, from, bytes)) std::memcpy(to, from, bytes);
  return call.finish();
}

template <class Object>
cublasStatus_t get(CublasCall&& call, Object* object, int attribute, void* to, std::size_t bytes,
                   std::size_t* written) {
  if (const char* from = field(call, object, attribute, to, bytes)) {
    std::memcpy(to, from, bytes);
    if (written) *written = bytes;
  }
  return call.finish();
}

template <class Object>
cublasStatus_t init(CublasCall&& call, Object* object, const Object& value) {
  call.require(object != nullptr, "a pointer is null");
  if (call.ok()) *object = value;
  return call.finish();
}

template <class Object>
cublasStatus_t create(CublasCall&& call, Object** object, const Object& value) {
  call.require(object != nullptr, "a pointer is null");
  if (call.ok()) *object = new Object(value);
  return call.finish();
}

cublasLtMatmulDescOpaque_t new_desc(cublasComputeType_t compute, cudaDataType scale) {
  cublasLtMatmulDescOpaque_t desc{};
  desc.compute_type = compute;
  desc.scale_type = scale;
  desc.epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  desc.bias_data_type = desc.aux_data_type = -1;
  return desc;
}

cublasLtMatrixLayoutOpaque_t new_layout(cudaDataType type, std::uint64_t rows, std::uint64_t cols,
                                        std::int64_t ld) {
  return {type, CUBLASLT_ORDER_COL, rows, cols, ld, 1, 0, 0};
}

#define KATA_LT_CALL(name) CublasCall(name, KATA_CALLER())

}  // namespace

extern "C" {

#define KATA_OBJECT(name, Attributes)                                                              \
  cublasStatus_t cublasLt##name##SetAttribute(cublasLt##name##_t object, Attributes attribute,     \
                                              const void* from, std::size_t bytes) {               \
    return set(KATA_LT_CALL("cublasLt" #name "SetAttribute"), object, attribute, from, bytes);     \
  }                                                                                                \
  cublasStatus_t cublasLt##name##GetAttribute(cublasLt##name##_t object, Attributes attribute,     \
                                              void* to, std::size_t bytes, std::size_t* written) { \
    return get(KATA_LT_CALL("cublasLt" #name "GetAttribute"), object, attribute, to, bytes,        \
               written);                                                                           \
  }                                                                                                \
  cublasStatus_t cublasLt##name##Destroy(cublasLt##name##_t object) {                              \
    delete object;                                                                                 \
    return CUBLAS_STATUS_SUCCESS;                                                                  \
  }
KATA_OBJECT(MatmulDesc, cublasLtMatmulDescAttributes_t)
KATA_OBJECT(MatrixLayout, cublasLtMatrixLayoutAttribute_t)
KATA_OBJECT(MatmulPreference, cublasLtMatmulPreferenceAttributes_t)

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* desc, cublasComputeType_t compute,
                                        cudaDataType scale) {
  return create(KATA_LT_CALL("cublasLtMatmulDescCreate"), desc, new_desc(compute, scale));
}

cublasStatus_t cublasLtMatmulDescInit(cublasLtMatmulDesc_t desc, cublasComputeType_t compute,
                                      cudaDataType scale) {
  return init(KATA_LT_CALL("cublasLtMatmulDescInit"), desc, new_desc(compute, scale));
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type,
                                          std::uint64_t rows, std::uint64_t cols, std::int64_t ld) {
  return create(KATA_LT_CALL("cublasLtMatrixLayoutCreate"), layout,
                new_layout(type, rows, cols, ld));
}

cublasStatus_t cublasLtMatrixLayoutInit(cublasLtMatrixLayout_t layout, cudaDataType type,
                                        std::uint64_t rows, std::uint64_t cols, std::int64_t ld) {
  return init(KATA_LT_CALL("cublasLtMatrixLayoutInit"), layout, new_layout(type, rows, cols, ld));
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  return create(KATA_LT_CALL("cublasLtMatmulPreferenceCreate"), preference, {});
}

cublasStatus_t cublasLtMatmulPreferenceInit(cublasLtMatmulPreference_t preference) {
  return init(KATA_LT_CALL("cublasLtMatmulPreferenceInit"), preference, {});
}

}  // extern "C"
