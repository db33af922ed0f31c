#pragma once
#include "tensors.cuh"

struct ReductionType {
  const char* name;
  CUtensorMapDataType type;
};
constexpr ReductionType u32{"u32", CU_TENSOR_MAP_DATA_TYPE_UINT32},
    s32{"s32", CU_TENSOR_MAP_DATA_TYPE_INT32}, u64{"u64", CU_TENSOR_MAP_DATA_TYPE_UINT64},
    s64{"s64", CU_TENSOR_MAP_DATA_TYPE_INT64}, f16{"f16", CU_TENSOR_MAP_DATA_TYPE_FLOAT16},
    bf16{"bf16", CU_TENSOR_MAP_DATA_TYPE_BFLOAT16}, f32{"f32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32},
    f64{"f64", CU_TENSOR_MAP_DATA_TYPE_FLOAT64}, u8{"u8", CU_TENSOR_MAP_DATA_TYPE_UINT8},
    u16{"u16", CU_TENSOR_MAP_DATA_TYPE_UINT16},
    f32_ftz{"f32_ftz", CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ};

constexpr const char* operation_names[] = {"store", "add", "min", "max", "inc",
                                           "dec",   "and", "or",  "xor"};

/// Into numbers from 100 on, whose bits both as integers and as floats are ordinary.
void reduction(const ReductionType& type, Operation operation) {
  Tensor tensor;
  tensor.type = type.type;
  tensor.box[0] = 16;
  const std::vector<unsigned char> before = numbers(tensor, tensor.bytes(), 0x4100);
  store_fact(name_of("%s %s", operation_names[operation], type.name), tensor, {{64, 4}}, operation, 0,
             &before);
}

void reductions() {
  for (const Operation operation : {add, min_, max_}) {
    for (const ReductionType& type : {u32, s32, u64, f16, bf16}) reduction(type, operation);
    if (operation != add) reduction(s64, operation);
  }
  reduction(f32, add);
  for (const Operation operation : {inc, dec}) reduction(u32, operation);
  for (const Operation operation : {and_, or_, xor_}) {
    for (const ReductionType& type : {u32, u64}) reduction(type, operation);
  }
  Tensor tensor;
  tensor.type = u32.type;
  const int dims[] = {40, 6, 5, 4, 3}, box[] = {16, 3, 2, 3, 2};
  memcpy(tensor.dims, dims, sizeof dims);
  memcpy(tensor.box, box, sizeof box);
  for (int rank = 1; rank <= 5; ++rank) {
    tensor.rank = rank;
    const std::vector<unsigned char> before = numbers(tensor, tensor.bytes());
    store_fact(name_of("add rank=%d", rank), tensor, {{-4, 4, -1, 2, 2}}, add, 0, &before);
  }
}

/// Types and operations that the PTX ISA does not name together, or not clearly.
void other_reductions() {
  const struct {
    Operation operation;
    ReductionType type;
  } cases[] = {{add, f64},      {add, f32_ftz},  {and_, s32},  {add, s64},  {xor_, s64}, {min_, f32},
               {min_, f32_ftz}, {min_, f64},     {and_, f32},  {inc, s32},  {inc, u64},  {add, u16},
               {add, u8},       {or_, u16},      {or_, u8},    {xor_, f16}, {and_, f64}, {dec, s32}};
  for (const auto& one : cases) reduction(one.type, one.operation);
}
