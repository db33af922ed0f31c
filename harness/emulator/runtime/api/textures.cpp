// Texture and surface objects: of linear memory, of pitched memory and of arrays. Which texels a
// fetch reads, and with which weights, follows the CUDA C++ Programming Guide, "Texture Fetching".

#include "emulator/runtime/api/textures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>

#include "emulator/runtime/api/arrays.h"
#include "emulator/runtime/api/errors.h"
#include "emulator/runtime/api/objects.h"
#include "emulator/runtime/check/findings.h"
#include "emulator/runtime/launch/limits.h"
#include "emulator/runtime/memory/locate.h"
#include "emulator/runtime/run/scheduler.h"

using namespace kata::emulator;

namespace {

/// Texels in rows and slices. Of linear memory: one row.
struct Texture {
  ObjectKind kind = ObjectKind::texture;
  const char* data = nullptr;
  std::size_t size[3] = {0, 1, 1};  ///< width, height, depth or layers
  std::size_t pitch = 0;            ///< bytes from row to row
  unsigned bytes = 0;               ///< of a texel
  bool layered = false;
  bool linear_memory = false;
  cudaChannelFormatDesc desc = {};
  cudaTextureDesc how = {};

  const char* texel(const std::ptrdiff_t at[3]) const {
    return data + (at[2] * size[1] + at[1]) * pitch + at[0] * bytes;
  }
};

/// Those that there are now. A handle is never given out again.
class Textures {
 public:
  static Textures& instance() {
    static auto* textures = new Textures;  // never destroyed, as device memory
    return *textures;
  }
  unsigned long long add(const Texture& texture, const Place& place) {
    const std::unique_lock lock(mutex_);
    textures_[++last_] = texture;
    Objects::instance().add(last_, texture.kind, place);
    return last_;
  }
  bool remove(unsigned long long object, ObjectKind kind) {
    const std::unique_lock lock(mutex_);
    return Objects::instance().remove(object, kind) && textures_.erase(object) != 0;
  }
  void clear() {
    const std::unique_lock lock(mutex_);
    textures_.clear();
  }
  /// Without data if there is none of that kind.
  Texture find(unsigned long long object, ObjectKind kind) const {
    const std::shared_lock lock(mutex_);
    const auto found = textures_.find(object);
    return found == textures_.end() || found->second.kind != kind ? Texture{} : found->second;
  }

 private:
  mutable std::shared_mutex mutex_;
  unsigned long long last_ = 1ull << 40;  // no number that a program counts to
  std::map<unsigned long long, Texture> textures_;
};

cudaError_t not_there(const char* what, Place place) {
  const SourceLine line = source_line(place);
  __kata_unsupported(what, line.file.c_str(), line.line);
  return cudaErrorNotSupported;
}

/// What is wrong with a pointer to texels; empty if nothing is.
std::string check_memory(const void* pointer, std::size_t alignment) {
  if (pointer && reinterpret_cast<std::uintptr_t>(pointer) % alignment == 0) return {};
  return fmt::format("the memory is not aligned to {} bytes", alignment);
}

struct Made {
  Texture texture;
  std::string problem;
};

Made of_linear(const cudaResourceDesc& resource) {
  const auto& linear = resource.res.linear;
  const unsigned bytes = texel_bytes(linear.desc);
  Made made{.texture = {.data = static_cast<const char*>(linear.devPtr),
                        .size = {bytes ? linear.sizeInBytes / bytes : 0, 1, 1},
                        .bytes = bytes,
                        .linear_memory = true,
                        .desc = linear.desc},
            .problem = check_memory(linear.devPtr, limits::texture_alignment)};
  if (made.texture.size[0] > limits::linear_texture)
    made.problem = fmt::format("{} texels: a texture of linear memory has at most {}",
                               made.texture.size[0], limits::linear_texture);
  return made;
}

Made of_pitched(const cudaResourceDesc& resource) {
  const auto& pitched = resource.res.pitch2D;
  Made made{.texture = {.data = static_cast<const char*>(pitched.devPtr),
                        .size = {pitched.width, pitched.height, 1},
                        .pitch = pitched.pitchInBytes,
                        .bytes = texel_bytes(pitched.desc),
                        .desc = pitched.desc},
            .problem = check_memory(pitched.devPtr, limits::texture_alignment)};
  if (pitched.pitchInBytes % limits::texture_pitch_alignment != 0) {
    made.problem = fmt::format("the pitch is no multiple of {} bytes: use cudaMallocPitch",
                               limits::texture_pitch_alignment);
  } else if (pitched.width * made.texture.bytes > pitched.pitchInBytes) {
    made.problem = "a row is wider than its pitch";
  }
  return made;
}

Made of_array(const cudaResourceDesc& resource) {
  const cudaArray* const array = resource.res.array.array;
  if (!is_array(array)) return {.texture = {}, .problem = "the array does not exist (any more)"};
  return {.texture = {.data = array->data,
                      .size = {array->extent.width, array->rows(), array->slices()},
                      .pitch = array->pitch(),
                      .bytes = array->bytes,
                      .layered = (array->flags & cudaArrayLayered) != 0,
                      .desc = array->desc},
          .problem = {}};
}

/// Linear filtering gives floats: of floats, or of integers as numbers up to 1.
std::string check_reading(const Texture& texture) {
  const bool floats = texture.desc.f == cudaChannelFormatKindFloat;
  const bool normalized = texture.how.readMode == cudaReadModeNormalizedFloat;
  if (normalized && !floats && texture.desc.x == 32)
    return "cudaReadModeNormalizedFloat is for components of 8 and 16 bits";
  if (texture.how.filterMode == cudaFilterModeLinear && !floats && !normalized)
    return "linear filtering of integers needs cudaReadModeNormalizedFloat";
  return {};
}

// ---- coordinates

/// Where a fetch reads along one dimension: one texel, or two and the weight of the second. -1: in
/// the border.
struct Along {
  std::ptrdiff_t texel[2] = {0, 0};
  float second = 0;
};

std::ptrdiff_t addressed(std::ptrdiff_t i, std::ptrdiff_t size, cudaTextureAddressMode mode) {
  if (i >= 0 && i < size) return i;
  if (mode == cudaAddressModeBorder) return -1;
  if (mode == cudaAddressModeClamp) return std::clamp<std::ptrdiff_t>(i, 0, size - 1);
  const std::ptrdiff_t period = mode == cudaAddressModeMirror ? 2 * size : size;
  i = (i % period + period) % period;
  return i < size ? i : period - 1 - i;
}

Along along(float coordinate, std::size_t count, const cudaTextureDesc& how, int dimension) {
  const auto size = static_cast<std::ptrdiff_t>(count);
  cudaTextureAddressMode mode = how.addressMode[dimension];
  // Wrapping and mirroring are for normalized coordinates alone.
  if (!how.normalizedCoords && mode != cudaAddressModeBorder) mode = cudaAddressModeClamp;
  double x = coordinate;
  if (how.normalizedCoords) x *= static_cast<double>(count);
  if (!std::isfinite(x)) x = 0;
  x = std::clamp(x, -0x1p40, 0x1p40);
  if (how.filterMode == cudaFilterModePoint) {
    const std::ptrdiff_t at = addressed(static_cast<std::ptrdiff_t>(std::floor(x)), size, mode);
    return {{at, at}, 0};
  }
  const double low = std::floor(x - 0.5);
  // Weights have 8 bits behind the point.
  const double second = std::floor((x - 0.5 - low) * 256 + 0.5) / 256;
  const auto first = static_cast<std::ptrdiff_t>(low);
  return {{addressed(first, size, mode), addressed(first + 1, size, mode)},
          static_cast<float>(second)};
}

[[noreturn]] void refuse(const WrongTexture& fault, const char* file, int line) {
  running.scheduler->abort(running.scheduler->incident({nullptr, file, line}, fault),
                           cudaErrorLaunchFailure);
}

Texture texture_for(unsigned long long object, ObjectKind kind, unsigned bytes, bool as_float,
                    const char* file, int line) {
  const Texture texture = Textures::instance().find(object, kind);
  const unsigned expected = as_float && texture.desc.x
                                ? texture.bytes * 32 / static_cast<unsigned>(texture.desc.x)
                                : texture.bytes;
  if (!texture.data || expected != bytes)
    refuse({.texel_bytes = texture.data ? expected : 0, .read_bytes = bytes}, file, line);
  return texture;
}

}  // namespace

void kata::emulator::release_textures() {
  Textures::instance().clear();
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* texture,
                                    const cudaResourceViewDesc* view) {
  KATA_RETURN_STICKY();
  const char* const function = "cudaCreateTextureObject";
  if (!object || !resource || !texture)
    return fail(cudaErrorInvalidValue, function, "an argument is null", KATA_CALLER());
  if (resource->resType == cudaResourceTypeMipmappedArray)
    return not_there("textures of mipmapped arrays", KATA_CALLER());
  if (view) return not_there("views of textures", KATA_CALLER());
  Made made = resource->resType == cudaResourceTypeLinear    ? of_linear(*resource)
              : resource->resType == cudaResourceTypePitch2D ? of_pitched(*resource)
                                                             : of_array(*resource);
  if (made.problem.empty() && made.texture.bytes == 0) {
    return fail(cudaErrorInvalidChannelDescriptor, function,
                "a texel has one, two or four components of 8, 16 or 32 bits", KATA_CALLER());
  }
  made.texture.how = *texture;
  if (made.problem.empty()) made.problem = check_reading(made.texture);
  if (!made.problem.empty())
    return fail(cudaErrorInvalidValue, function, made.problem, KATA_CALLER());
  *object = Textures::instance().add(made.texture, KATA_CALLER());
  return cudaSuccess;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  KATA_RETURN_STICKY();
  if (Textures::instance().remove(object, ObjectKind::texture)) return cudaSuccess;
  return fail(cudaErrorInvalidValue, "cudaDestroyTextureObject",
              "the texture does not exist (any more)", KATA_CALLER());
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
  KATA_RETURN_STICKY();
  const char* const function = "cudaCreateSurfaceObject";
  if (!object || !resource)
    return fail(cudaErrorInvalidValue, function, "an argument is null", KATA_CALLER());
  if (resource->resType != cudaResourceTypeArray)
    return fail(cudaErrorInvalidValue, function, "a surface is of an array", KATA_CALLER());
  Made made = of_array(*resource);
  if (made.problem.empty() &&
      !(resource->res.array.array->flags & unsigned{cudaArraySurfaceLoadStore}))
    made.problem = "the array was allocated without cudaArraySurfaceLoadStore";
  if (!made.problem.empty())
    return fail(cudaErrorInvalidValue, function, made.problem, KATA_CALLER());
  made.texture.kind = ObjectKind::surface;
  *object = Textures::instance().add(made.texture, KATA_CALLER());
  return cudaSuccess;
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  KATA_RETURN_STICKY();
  if (Textures::instance().remove(object, ObjectKind::surface)) return cudaSuccess;
  return fail(cudaErrorInvalidValue, "cudaDestroySurfaceObject",
              "the surface does not exist (any more)", KATA_CALLER());
}

const void* __kata_texel(unsigned long long object, int x, unsigned bytes, const char* file,
                         int line) {
  if (!running.thread) return nullptr;
  const Texture texture = texture_for(object, ObjectKind::texture, bytes, false, file, line);
  if (x < 0 || static_cast<std::size_t>(x) >= texture.size[0]) return nullptr;
  return texture.data + static_cast<std::size_t>(x) * bytes;
}

void __kata_sample(unsigned long long object, const TextureFetch* fetch, TextureSample* sample) {
  *sample = {};
  if (!running.thread) return;
  Texture texture = Textures::instance().find(object, ObjectKind::texture);
  const bool halves = texture.desc.f == cudaChannelFormatKindFloat && texture.desc.x == 16;
  sample->as_float = texture.how.filterMode == cudaFilterModeLinear || halves ||
                     texture.how.readMode == cudaReadModeNormalizedFloat;
  texture = texture_for(object, ObjectKind::texture, fetch->bytes, sample->as_float, fetch->file,
                        fetch->line);
  if (texture.linear_memory || texture.layered != (fetch->layer >= 0))
    refuse({.read_bytes = fetch->bytes, .wrong_shape = true}, fetch->file, fetch->line);
  sample->bits = texture.desc.x;
  sample->kind = texture.desc.f;
  Along at[3];
  for (int d = 0; d < fetch->dimensions; ++d)
    at[d] = along(fetch->at[d], texture.size[d], texture.how, d);
  if (texture.layered) {  // the layer is clamped
    const auto layers = static_cast<std::ptrdiff_t>(texture.size[2]);
    const std::ptrdiff_t layer = std::min<std::ptrdiff_t>(fetch->layer, layers - 1);
    at[2] = {{layer, layer}, 0};
  }
  for (int corner = 0; corner < 8; ++corner) {
    float weight = 1;
    std::ptrdiff_t texel[3];
    for (int d = 0; d < 3; ++d) {
      const int second = corner >> d & 1;
      weight *= second ? at[d].second : 1 - at[d].second;
      texel[d] = at[d].texel[second];
    }
    if (weight == 0) continue;
    const bool border = *std::min_element(texel, texel + 3) < 0;
    sample->weight[sample->count] = weight;
    sample->texel[sample->count++] = border ? nullptr : texture.texel(texel);
  }
  std::copy_n(texture.how.borderColor, 4, sample->border);
}

void* __kata_surface(unsigned long long object, const SurfaceAccess* access) {
  if (!running.thread) return nullptr;
  const Texture surface = Textures::instance().find(object, ObjectKind::surface);
  if (!surface.data || surface.layered != (access->dimensions == 2 && access->at[2] >= 0)) {
    refuse({.read_bytes = access->bytes, .wrong_shape = surface.data != nullptr}, access->file,
           access->line);
  }
  std::ptrdiff_t at[3] = {access->at[0], access->at[1], std::max(access->at[2], 0)};
  const std::ptrdiff_t row_bytes = static_cast<std::ptrdiff_t>(surface.size[0]) * surface.bytes;
  const std::ptrdiff_t limit[3] = {row_bytes - access->bytes + 1,
                                   static_cast<std::ptrdiff_t>(surface.size[1]),
                                   static_cast<std::ptrdiff_t>(surface.size[2])};
  bool inside = true;
  for (int d = 0; d < 3; ++d) {
    const std::ptrdiff_t nearest = std::clamp<std::ptrdiff_t>(at[d], 0, limit[d] - 1);
    inside &= nearest == at[d];
    if (access->mode == cudaBoundaryModeClamp) at[d] = nearest;
  }
  if (at[0] % access->bytes != 0 || (!inside && access->mode == cudaBoundaryModeTrap)) {
    const OutsideSurface fault{.at = {access->at[0], access->at[1], access->at[2]},
                               .bytes = access->bytes,
                               .row_bytes = static_cast<std::uint64_t>(row_bytes),
                               .rows = surface.size[1]};
    running.scheduler->abort(
        running.scheduler->incident({nullptr, access->file, access->line}, fault),
        cudaErrorIllegalAddress);
  }
  if (!inside && access->mode == cudaBoundaryModeZero) return nullptr;
  const std::ptrdiff_t row = at[2] * limit[1] + at[1];
  return const_cast<char*>(surface.data) + row * static_cast<std::ptrdiff_t>(surface.pitch) + at[0];
}
