// Texture objects of linear memory. Textures of arrays and of pitched memory are not there: they
// filter and wrap, and their layout is the device's secret.

#include "emulator/runtime/api/textures.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "emulator/runtime/api/errors.h"
#include "emulator/runtime/check/findings.h"
#include "emulator/runtime/launch/limits.h"
#include "emulator/runtime/memory/locate.h"
#include "emulator/runtime/run/scheduler.h"

using namespace kata::emulator;

namespace {

struct Texture {
  const char* data = nullptr;
  std::size_t texels = 0;
  unsigned bytes = 0;  ///< of a texel
  Place place = {};    ///< where it was created
  bool told = false;   ///< reported as a leak
};

/// Those that there are now. A handle is never given out again.
class Textures {
 public:
  static Textures& instance() {
    static auto* textures = new Textures;  // never destroyed, as device memory
    return *textures;
  }
  cudaTextureObject_t add(const Texture& texture) {
    const std::unique_lock lock(mutex_);
    textures_[++last_] = texture;
    return last_;
  }
  bool remove(cudaTextureObject_t object) {
    const std::unique_lock lock(mutex_);
    return textures_.erase(object) != 0;
  }
  void clear() {
    const std::unique_lock lock(mutex_);
    textures_.clear();
  }
  std::vector<Place> forget_leaks() {
    const std::unique_lock lock(mutex_);
    std::vector<Place> places;
    for (auto& [object, texture] : textures_) {
      if (!std::exchange(texture.told, true)) places.push_back(texture.place);
    }
    return places;
  }
  /// Without data if there is none.
  Texture find(cudaTextureObject_t object) const {
    const std::shared_lock lock(mutex_);
    const auto found = textures_.find(object);
    return found == textures_.end() ? Texture{} : found->second;
  }

 private:
  mutable std::shared_mutex mutex_;
  cudaTextureObject_t last_ = 0;
  std::map<cudaTextureObject_t, Texture> textures_;
};

cudaError_t not_there(const char* what, Place place) {
  const SourceLine line = source_line(place);
  __kata_unsupported(what, line.file.c_str(), line.line);
  return cudaErrorNotSupported;
}

/// Bytes of a texel: one, two or four components of 8, 16 or 32 bits; 0 if it is none.
unsigned texel_bytes(const cudaChannelFormatDesc& desc) {
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

}  // namespace

std::vector<Place> kata::emulator::forget_texture_leaks() {
  return Textures::instance().forget_leaks();
}

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
  if (resource->resType != cudaResourceTypeLinear)
    return not_there("textures but of linear memory", KATA_CALLER());
  if (texture->readMode != cudaReadModeElementType)
    return not_there("cudaReadModeNormalizedFloat", KATA_CALLER());
  if (view)
    return fail(cudaErrorInvalidValue, function, "linear memory has no views", KATA_CALLER());
  const auto& linear = resource->res.linear;
  const unsigned bytes = texel_bytes(linear.desc);
  if (bytes == 0) {
    return fail(cudaErrorInvalidChannelDescriptor, function,
                "a texel has one, two or four components of 8, 16 or 32 bits", KATA_CALLER());
  }
  if (!linear.devPtr || reinterpret_cast<std::uintptr_t>(linear.devPtr) % limits::texture_alignment)
    return fail(cudaErrorInvalidValue, function,
                fmt::format("the memory is not aligned to {} bytes", limits::texture_alignment),
                KATA_CALLER());
  *object = Textures::instance().add(
      {static_cast<const char*>(linear.devPtr), linear.sizeInBytes / bytes, bytes, KATA_CALLER()});
  return cudaSuccess;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  KATA_RETURN_STICKY();
  if (Textures::instance().remove(object)) return cudaSuccess;
  return fail(cudaErrorInvalidValue, "cudaDestroyTextureObject",
              "the texture does not exist (any more)", KATA_CALLER());
}

const void* __kata_texel(unsigned long long object, int x, unsigned bytes, const char* file,
                         int line) {
  if (!running.thread) return nullptr;
  const Texture texture = Textures::instance().find(object);
  if (texture.bytes != bytes) {
    const WrongTexture fault{.texel_bytes = texture.bytes, .read_bytes = bytes};
    running.scheduler->abort(running.scheduler->incident({nullptr, file, line}, fault),
                             cudaErrorLaunchFailure);
  }
  if (x < 0 || static_cast<std::size_t>(x) >= texture.texels) return nullptr;
  return texture.data + static_cast<std::size_t>(x) * bytes;
}
