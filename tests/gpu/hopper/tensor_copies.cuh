#pragma once
#include "tensors.cuh"

void swizzle() {
  for (int swizzle = 0; swizzle < 4; ++swizzle) {
    for (const int inner : {16, 32, 48, 64, 96, 128}) {
      if (swizzle && inner > 16 << swizzle) continue;
      for (const int offset : {0, 128, 256, 512, 1024}) {
        Tensor tensor;
        tensor.dims[0] = 128, tensor.dims[1] = 32;
        tensor.box[0] = inner / 2, tensor.box[1] = 24;
        tensor.swizzle = (CUtensorMapSwizzle)swizzle;
        if (offset == 0 || inner == 16 << swizzle)
          load_fact(name_of("load swizzle=%d inner=%d offset=%d", swizzle, inner, offset), tensor,
                    {{8, 3}}, offset);
        if (offset == 0 || inner == 16 << swizzle)
          store_fact(name_of("store swizzle=%d inner=%d offset=%d", swizzle, inner, offset), tensor,
                     {{8, 3}}, store, offset);
      }
    }
  }
}

void edges() {
  const int corners[][2] = {{0, 0},       {8, 2},           {-8, 0},      {0, -1},
                            {-8, -1},     {16, 5},          {64, 0},      {-56, -7},
                            {-64, 0},     {72, 0},          {80, 0},      {0, -8},
                            {0, 9},       {0, 10},          {-128, 3},    {-65536, 0},
                            {65536, 65536}, {2147483640, 0}, {-2147483647 - 1, 0},
                            {0, 2147483647}, {0, -2147483647 - 1}};
  for (const int swizzle : {0, 3}) {
    for (const auto& corner : corners) {
      Tensor tensor;
      tensor.swizzle = (CUtensorMapSwizzle)swizzle;
      const Corner at{{corner[0], corner[1]}};
      load_fact(name_of("load swizzle=%d x=%d y=%d", swizzle, corner[0], corner[1]), tensor, at);
      store_fact(name_of("store swizzle=%d x=%d y=%d", swizzle, corner[0], corner[1]), tensor, at);
    }
  }
  for (const CUtensorMapDataType type :
       {CU_TENSOR_MAP_DATA_TYPE_UINT8, CU_TENSOR_MAP_DATA_TYPE_INT32, CU_TENSOR_MAP_DATA_TYPE_INT64}) {
    for (const int bytes : {-16, 16, 48}) {
      const int x = bytes / (type == CU_TENSOR_MAP_DATA_TYPE_UINT8 ? 1 : type == CU_TENSOR_MAP_DATA_TYPE_INT32 ? 4 : 8);
      Tensor tensor;
      tensor.type = type;
      tensor.dims[0] = 67;  // rows are padded to 16 bytes
      tensor.box[0] = 32;
      load_fact(name_of("load bytes=%d x=%d", tensor.element_bytes(), x), tensor, {{x, 4}});
      store_fact(name_of("store bytes=%d x=%d", tensor.element_bytes(), x), tensor, {{x, 4}});
    }
  }
}

/// Places along dimension 0 that are no multiple of 16 bytes.
void unaligned() {
  for (const int x : {1, 4, -3, 12}) {
    Tensor tensor;
    load_fact(name_of("load x=%d", x), tensor, {{x, 1}});
    store_fact(name_of("store x=%d", x), tensor, {{x, 1}});
    if (x != 4) continue;
    tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
    load_fact(name_of("load swizzled x=%d", x), tensor, {{x, 1}});
    tensor.rank = 1;
    load_fact(name_of("load rank=1 x=%d", x), tensor, {{x}});
    tensor.rank = 3;
    tensor.dims[2] = 3, tensor.box[2] = 2;
    load_fact(name_of("load rank=3 x=%d", x), tensor, {{x, 1, 1}});
  }
}

/// Rows whose length is no multiple of 16 bytes, at their end.
void odd_widths() {
  const CUtensorMapDataType types[] = {CU_TENSOR_MAP_DATA_TYPE_UINT8, CU_TENSOR_MAP_DATA_TYPE_UINT16,
                                       CU_TENSOR_MAP_DATA_TYPE_UINT32,
                                       CU_TENSOR_MAP_DATA_TYPE_UINT64};
  for (const CUtensorMapDataType type : types) {
    for (const int width : {65, 67, 71}) {
      Tensor tensor;
      tensor.type = type;
      tensor.dims[0] = width;
      tensor.box[0] = 32;
      const Corner at{{48, 4}};
      load_fact(name_of("load bytes=%d width=%d", tensor.element_bytes(), width), tensor, at);
      store_fact(name_of("store bytes=%d width=%d", tensor.element_bytes(), width), tensor, at);
      if (tensor.element_bytes() < 4) continue;
      store_fact(name_of("add bytes=%d width=%d", tensor.element_bytes(), width), tensor, at, add);
    }
  }
}

void dimensions() {
  Tensor tensor;
  const int dims[] = {40, 6, 5, 4, 3}, box[] = {16, 3, 2, 3, 2};
  const int corners[][5] = {{8, 1, 1, 1, 1},   {0, 0, 0, 0, 0},   {-8, -1, -1, -1, -1}, {32, 4, 4, 2, 2},
                            {-16, 0, 0, 0, 0}, {0, 6, 0, 0, 0},   {0, 0, -2, 0, 0},     {0, 0, 0, 4, 0},
                            {8, 1, 1, 1, -1},  {8, 1, 1, -2, 2}};
  for (int rank = 1; rank <= 5; ++rank) {
    tensor.rank = rank;
    memcpy(tensor.dims, dims, sizeof dims);
    memcpy(tensor.box, box, sizeof box);
    for (const auto& corner : corners) {
      Corner at;
      memcpy(at.x, corner, sizeof corner);
      for (const int swizzle : {0, 1}) {
        tensor.swizzle = (CUtensorMapSwizzle)swizzle;
        load_fact(name_of("load rank=%d at=%d,%d,%d,%d,%d swizzle=%d", rank, at.x[0], at.x[1], at.x[2],
                       at.x[3], at.x[4], swizzle),
                  tensor, at);
      }
      store_fact(name_of("store rank=%d at=%d,%d,%d,%d,%d", rank, at.x[0], at.x[1], at.x[2], at.x[3],
                      at.x[4]),
                 tensor, at);
    }
  }
}

void element_strides() {
  const int steps[][3] = {{1, 2, 1}, {1, 3, 1}, {2, 1, 1}, {2, 2, 1}, {1, 8, 1},
                          {8, 1, 1}, {3, 1, 2}, {1, 2, 3}, {4, 5, 6}};
  const int corners[][3] = {{0, 0, 0}, {8, 1, 1}, {-8, -1, -1}, {48, 12, 4}, {-16, -2, 0}};
  for (const auto& step : steps) {
    for (const auto& corner : corners) {
      for (const int swizzle : {0, 2}) {
        Tensor tensor;
        tensor.rank = 3;
        tensor.dims[0] = 64, tensor.dims[1] = 16, tensor.dims[2] = 8;
        tensor.box[0] = 32, tensor.box[1] = 9, tensor.box[2] = 5;
        memcpy(tensor.steps, step, sizeof step);
        tensor.swizzle = (CUtensorMapSwizzle)swizzle;
        const Corner at{{corner[0], corner[1], corner[2]}};
        load_fact(name_of("load steps=%d,%d,%d at=%d,%d,%d swizzle=%d", step[0], step[1], step[2],
                       at.x[0], at.x[1], at.x[2], swizzle),
                  tensor, at);
        store_fact(name_of("store steps=%d,%d,%d at=%d,%d,%d swizzle=%d", step[0], step[1], step[2],
                        at.x[0], at.x[1], at.x[2], swizzle),
                   tensor, at);
      }
    }
  }
}

/// Which numbers of bytes end the phase.
void byte_counts() {
  struct Case {
    const char* name;
    int x, y, step_x, step_y;
  };
  const Case cases[] = {{"inside", 0, 0, 1, 1},         {"clipped in x", 40, 0, 1, 1},
                        {"clipped in y", 0, 7, 1, 1},   {"negative", -8, -3, 1, 1},
                        {"outside", 104, 100, 1, 1},    {"step in y", 0, 0, 1, 3},
                        {"step in x", 0, 0, 2, 1},      {"steps, clipped", 40, 7, 2, 3},
                        {"step in x of 8", 0, 0, 8, 1}};
  for (const Case& one : cases) {
    Tensor tensor;
    tensor.steps[0] = one.step_x, tensor.steps[1] = one.step_y;
    int columns = 0, rows = 0, columns_inside = 0, rows_inside = 0;
    for (int i = 0; i < tensor.box[0]; i += one.step_x, ++columns)
      columns_inside += one.x + i >= 0 && one.x + i < tensor.dims[0];
    for (int i = 0; i < tensor.box[1]; i += one.step_y, ++rows)
      rows_inside += one.y + i >= 0 && one.y + i < tensor.dims[1];
    const int whole_columns = tensor.box[0], whole_rows = tensor.box[1];
    const struct {
      const char* name;
      int elements;
    } guesses[] = {{"the box", whole_columns * whole_rows},
                   {"its steps", columns * rows},
                   {"its steps in y", whole_columns * rows},
                   {"what is inside", columns_inside * rows_inside}};
    Device<unsigned char> data(numbers(tensor, tensor.bytes())), out(1 + window_bytes);
    CUtensorMap map;
    encode(tensor, data, map);
    for (const auto& guess : guesses) {
      if (guess.elements == 0) continue;  // the arrival alone ends the phase
      load<<<1, 128, shared_bytes>>>(map, 2, {{one.x, one.y}}, 0, guess.elements * 2, out);
      if (printed_error(one.name)) return;
      fact("%s, bytes of %s (%d): %s", one.name, guess.name, guess.elements * 2,
           out.values()[0] ? "yes" : "no");
    }
  }
}

/// What elements outside a tensor become, and what loads and stores make of unusual values.
void fills_and_values() {
  const struct {
    const char* name;
    CUtensorMapDataType type;
  } types[] = {{"f16", CU_TENSOR_MAP_DATA_TYPE_FLOAT16},
               {"bf16", CU_TENSOR_MAP_DATA_TYPE_BFLOAT16},
               {"f32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32},
               {"f32_ftz", CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ},
               {"tf32", CU_TENSOR_MAP_DATA_TYPE_TFLOAT32},
               {"tf32_ftz", CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ},
               {"f64", CU_TENSOR_MAP_DATA_TYPE_FLOAT64}};
  const uint32_t specials[] = {0x00000001, 0x80001001, 0x00400000, 0x007fffff, 0x00803000,
                               0x3f800fff, 0x3f801000, 0x3f801001, 0x3f801fff, 0x3f803000,
                               0xbf801000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0xffc12345,
                               0x80000000};
  for (const auto& type : types) {
    for (const int fill : {0, 1}) {
      Tensor tensor;
      tensor.type = type.type;
      tensor.fill = (CUtensorMapFloatOOBfill)fill;
      tensor.dims[0] = 64 / tensor.element_bytes(), tensor.dims[1] = 1;
      tensor.box[0] = tensor.dims[0], tensor.box[1] = 2;
      std::vector<unsigned char> values(64);
      memcpy(values.data(), specials, 64);
      Device<unsigned char> data(values), out(1 + window_bytes);
      CUtensorMap map;
      encode(tensor, data, map);
      load<<<1, 128, shared_bytes>>>(map, 2, {{0, 0}}, 0, 128, out);
      if (printed_error(type.name)) return;
      const std::vector<unsigned char> result = out.values();
      uint64_t outside;
      memcpy(&outside, &result[1 + 64], 8);
      fact("%s fill=%d outside: %016llx", type.name, fill, (unsigned long long)outside);
      if (fill == 1 || tensor.element_bytes() != 4) continue;
      for (int i = 0; i < 16; ++i) {
        uint32_t value;
        memcpy(&value, &result[1 + 4 * i], 4);
        fact("%s loads %08x as: %08x", type.name, specials[i], value);
      }
      values.resize(window_bytes);
      Device<unsigned char> window(values);
      cudaMemset(data, 0xee, 64);
      store_or_reduce<<<1, 128, shared_bytes>>>(map, 2, store, {{0, 0}}, 0, window);
      const std::vector<unsigned char> stored = data.values();
      for (int i = 0; i < 16; ++i) {
        uint32_t value;
        memcpy(&value, &stored[4 * i], 4);
        fact("%s stores %08x as: %08x", type.name, specials[i], value);
      }
    }
  }
}

