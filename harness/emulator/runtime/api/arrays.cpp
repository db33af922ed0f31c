// CUDA arrays, pitched memory of three dimensions, and the copies between them.

#include "emulator/runtime/api/arrays.h"

#include <fmt/format.h>

#include "emulator/runtime/api/copies.h"
#include "emulator/runtime/api/errors.h"
#include "emulator/runtime/api/objects.h"
#include "emulator/runtime/launch/streams.h"
#include "emulator/runtime/memory/device_memory.h"
#include "emulator/runtime/memory/devices.h"
#include "emulator/runtime/memory/locate.h"

using namespace kata::emulator;

unsigned kata::emulator::texel_bytes(const cudaChannelFormatDesc& desc) {
  const int bits[] = {desc.x, desc.y, desc.z, desc.w};
  int components = 0;
  while (components < 4 && bits[components] == desc.x && desc.x > 0) ++components;
  for (int i = components; i < 4; ++i) {
    if (bits[i] != 0) return 0;
  }
  const bool known_bits = desc.x == 8 || desc.x == 16 || desc.x == 32;
  const bool known_count = components == 1 || components == 2 || components == 4;
  return known_bits && known_count ? static_cast<unsigned>(components * desc.x / 8) : 0;
}

bool kata::emulator::is_array(const cudaArray* array) {
  return Objects::instance().has(array, ObjectKind::array);
}

namespace {

cudaError_t no_array(const char* function, Place place) {
  return fail(cudaErrorInvalidResourceHandle, function, "the array does not exist (any more)",
              place);
}

cudaError_t allocate(cudaArray_t* array, const cudaChannelFormatDesc* desc, cudaExtent extent,
                     unsigned flags, const char* function, Place place) {
  KATA_RETURN_STICKY();
  if (!array || !desc) return fail(cudaErrorInvalidValue, function, "an argument is null", place);
  const unsigned bytes = texel_bytes(*desc);
  if (bytes == 0) {
    return fail(cudaErrorInvalidChannelDescriptor, function,
                "an element has one, two or four components of 8, 16 or 32 bits", place);
  }
  if (extent.width == 0) return fail(cudaErrorInvalidValue, function, "the width is 0", place);
  if (flags & ~unsigned{cudaArrayLayered | cudaArraySurfaceLoadStore}) {
    const SourceLine line = source_line(place);
    __kata_unsupported("cubemaps and arrays for texture gather", line.file.c_str(), line.line);
    return cudaErrorNotSupported;
  }
  cudaArray made{nullptr, *desc, extent, flags, bytes};
  made.data = static_cast<char*>(DeviceMemory::instance().allocate(
      made.pitch() * made.rows() * made.slices(), MemoryType::device, place));
  if (!made.data) return fail(cudaErrorMemoryAllocation, function, "no memory is free", place);
  *array = new cudaArray(made);
  Objects::instance().add(*array, ObjectKind::array, {});  // its memory leaks, not its handle
  return cudaSuccess;
}

/// Part of an array: `width` bytes of rows from byte `x` of row `y` on.
struct Part {
  const cudaArray* array;
  std::size_t x, y, z;
};

std::string check_part(const Part& part, const cudaExtent& bytes) {
  const cudaArray& array = *part.array;
  if (part.x + bytes.width <= array.pitch() && part.y + bytes.height <= array.rows() &&
      part.z + bytes.depth <= array.slices())
    return {};
  return fmt::format("the copy leaves the array, which has {} x {} x {} elements of {} bytes",
                     array.extent.width, array.rows(), array.slices(), array.bytes);
}

char* address_in(const Part& part, std::size_t slice) {
  const cudaArray& array = *part.array;
  return array.data + ((part.z + slice) * array.rows() + part.y) * array.pitch() + part.x;
}

/// One end of a copy: in an array, or memory of its own pitch.
struct End {
  Part part;
  char* memory;
  std::size_t pitch, rows;  ///< of the memory

  char* slice(std::size_t i) const {
    return part.array ? address_in(part, i) : memory + i * pitch * rows;
  }
  std::size_t pitch_of() const { return part.array ? part.array->pitch() : pitch; }
};

cudaError_t copy_slices(const End& to, const End& from, const cudaExtent& bytes,
                        cudaMemcpyKind kind, const CopyCall& call) {
  KATA_RETURN_STICKY();
  for (const End* end : {&to, &from}) {
    if (!end->part.array) continue;
    if (!is_array(end->part.array)) return no_array(call.function, call.place);
    const std::string reason = check_part(end->part, bytes);
    if (!reason.empty()) return fail(cudaErrorInvalidValue, call.function, reason, call.place);
  }
  for (std::size_t i = 0; i < bytes.depth; ++i) {
    const Rows rows{to.pitch_of(), from.pitch_of(), bytes.width, bytes.height};
    if (const auto error = copy_rows(to.slice(i), from.slice(i), rows, kind, call)) return error;
  }
  return cudaSuccess;
}

char* mutable_bytes(const void* pointer) {
  return static_cast<char*>(const_cast<void*>(pointer));
}

/// As many bytes as there are, row by row from (x, y) on.
cudaError_t copy_linear(const Part& part, const void* memory, bool to_array, std::size_t bytes,
                        cudaMemcpyKind kind, const CopyCall& call) {
  if (!is_array(part.array)) return no_array(call.function, call.place);
  const std::size_t pitch = part.array->pitch(), first = part.y * pitch + part.x;
  if (first + bytes > pitch * part.array->rows()) {
    return fail(cudaErrorInvalidValue, call.function, "the copy leaves the array", call.place);
  }
  char* const in_array = part.array->data + first;
  const Rows rows{bytes, bytes, bytes, 1};
  return to_array ? copy_rows(in_array, memory, rows, kind, call)
                  : copy_rows(mutable_bytes(memory), in_array, rows, kind, call);
}

}  // namespace

cudaError_t kata::emulator::copy_3d(const cudaMemcpy3DParms& p, const CopyCall& call) {
  const cudaArray* const array = p.srcArray ? p.srcArray : p.dstArray;
  if (array && !is_array(array)) return no_array(call.function, call.place);
  // With an array positions and extent count elements, else bytes.
  const std::size_t element = array ? array->bytes : 1;
  const auto end = [&](cudaArray_t in, const cudaPos& at, const cudaPitchedPtr& memory) {
    char* const first =
        mutable_bytes(memory.ptr) + (at.z * memory.ysize + at.y) * memory.pitch + at.x * element;
    return End{{in, at.x * element, at.y, at.z}, in ? nullptr : first, memory.pitch, memory.ysize};
  };
  return copy_slices(end(p.dstArray, p.dstPos, p.dstPtr), end(p.srcArray, p.srcPos, p.srcPtr),
                     {p.extent.width * element, p.extent.height, p.extent.depth}, p.kind, call);
}

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* desc,
                            std::size_t width, std::size_t height, unsigned flags) {
  return allocate(array, desc, {width, height, 0}, flags, "cudaMallocArray", KATA_CALLER());
}
cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* desc,
                              cudaExtent extent, unsigned flags) {
  return allocate(array, desc, extent, flags, "cudaMalloc3DArray", KATA_CALLER());
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  KATA_RETURN_STICKY();
  if (!array) return cudaSuccess;
  if (!Objects::instance().remove(array, ObjectKind::array))
    return no_array("cudaFreeArray", KATA_CALLER());
  StreamOrder::instance().host_waits_for_device(current_device());
  DeviceMemory::instance().release(array->data);
  delete array;
  return cudaSuccess;
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* desc, cudaExtent* extent, unsigned* flags,
                             cudaArray_t array) {
  KATA_RETURN_STICKY();
  if (!is_array(array)) return no_array("cudaArrayGetInfo", KATA_CALLER());
  if (desc) *desc = array->desc;
  if (extent) *extent = array->extent;
  if (flags) *flags = array->flags;
  return cudaSuccess;
}
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* desc, cudaArray_const_t array) {
  KATA_RETURN_STICKY();
  if (!is_array(array)) return no_array("cudaGetChannelDesc", KATA_CALLER());
  if (desc) *desc = array->desc;
  return cudaSuccess;
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                              std::size_t bytes, cudaMemcpyKind kind) {
  return copy_linear({to, x, y, 0}, from, true, bytes, kind,
                     {"cudaMemcpyToArray", false, nullptr, KATA_CALLER()});
}
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                                std::size_t bytes, cudaMemcpyKind kind) {
  return copy_linear({from, x, y, 0}, to, false, bytes, kind,
                     {"cudaMemcpyFromArray", false, nullptr, KATA_CALLER()});
}

static cudaError_t copy_to_array(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                 std::size_t pitch, std::size_t width, std::size_t height,
                                 cudaMemcpyKind kind, const CopyCall& call) {
  if (!to) return no_array(call.function, call.place);
  return copy_slices({{to, x, y, 0}, nullptr, 0, 0},
                     {{nullptr, 0, 0, 0}, mutable_bytes(from), pitch, height}, {width, height, 1},
                     kind, call);
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                std::size_t pitch, std::size_t width, std::size_t height,
                                cudaMemcpyKind kind) {
  return copy_to_array(to, x, y, from, pitch, width, height, kind,
                       {"cudaMemcpy2DToArray", false, nullptr, KATA_CALLER()});
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                     std::size_t pitch, std::size_t width, std::size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_to_array(to, x, y, from, pitch, width, height, kind,
                       {"cudaMemcpy2DToArrayAsync", true, stream, KATA_CALLER()});
}

static cudaError_t copy_from_array(void* to, std::size_t pitch, cudaArray_const_t from,
                                   std::size_t x, std::size_t y, std::size_t width,
                                   std::size_t height, cudaMemcpyKind kind, const CopyCall& call) {
  if (!from) return no_array(call.function, call.place);
  return copy_slices({{nullptr, 0, 0, 0}, mutable_bytes(to), pitch, height},
                     {{from, x, y, 0}, nullptr, 0, 0}, {width, height, 1}, kind, call);
}
cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from,
                                  std::size_t x, std::size_t y, std::size_t width,
                                  std::size_t height, cudaMemcpyKind kind) {
  return copy_from_array(to, pitch, from, x, y, width, height, kind,
                         {"cudaMemcpy2DFromArray", false, nullptr, KATA_CALLER()});
}
cudaError_t cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, cudaArray_const_t from,
                                       std::size_t x, std::size_t y, std::size_t width,
                                       std::size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  return copy_from_array(to, pitch, from, x, y, width, height, kind,
                         {"cudaMemcpy2DFromArrayAsync", true, stream, KATA_CALLER()});
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* params) {
  if (!params)
    return fail(cudaErrorInvalidValue, "cudaMemcpy3D", "there are no parameters", KATA_CALLER());
  return copy_3d(*params, {"cudaMemcpy3D", false, nullptr, KATA_CALLER()});
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* params, cudaStream_t stream) {
  if (!params) {
    return fail(cudaErrorInvalidValue, "cudaMemcpy3DAsync", "there are no parameters",
                KATA_CALLER());
  }
  return copy_3d(*params, {"cudaMemcpy3DAsync", true, stream, KATA_CALLER()});
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  KATA_RETURN_STICKY();
  if (!pitched)
    return fail(cudaErrorInvalidValue, "cudaMalloc3D", "the pointer to the result is null",
                KATA_CALLER());
  *pitched = {nullptr, (extent.width + 511) / 512 * 512, extent.width, extent.height};
  pitched->ptr = DeviceMemory::instance().allocate(pitched->pitch * extent.height * extent.depth,
                                                   MemoryType::device, KATA_CALLER());
  return pitched->ptr
             ? cudaSuccess
             : fail(cudaErrorMemoryAllocation, "cudaMalloc3D", "no memory is free", KATA_CALLER());
}

cudaError_t cudaMemset3D(cudaPitchedPtr pitched, int value, cudaExtent extent) {
  const CopyCall call{"cudaMemset3D", false, nullptr, KATA_CALLER()};
  for (std::size_t z = 0; z < extent.depth; ++z) {
    char* const slice = static_cast<char*>(pitched.ptr) + z * pitched.pitch * pitched.ysize;
    const Fill fill{pitched.pitch, extent.width, extent.height, static_cast<unsigned>(value)};
    if (const cudaError_t error = fill_rows(slice, fill, call)) return error;
  }
  return cudaSuccess;
}
