#pragma once
// A host array of any element type: an input, an output, or what a kernel left in one.

#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "problems/spec/types.h"

namespace kata {

/// A mistake in a problem file that shows only when the problem is used.
struct ProblemFault : std::logic_error {
  using std::logic_error::logic_error;
};

class Array {
  template <class Self, class Function>
  static decltype(auto) visit_elements(Self& self, Function& function) {
    switch (self.type_) {
      case Type::f16:
        return function(self.template as<Half>());
      case Type::bf16:
        return function(self.template as<Bfloat16>());
      case Type::e4m3:
        return function(self.template as<E4m3>());
      case Type::i32:
        return function(self.template as<int>());
      case Type::u32:
        return function(self.template as<unsigned>());
      case Type::i8:
        return function(self.template as<signed char>());
      case Type::u8:
        return function(self.template as<unsigned char>());
      case Type::f32:
        break;
    }
    return function(self.template as<float>());
  }

 public:
  Array() = default;
  Array(Type type, std::size_t size) : type_(type), bytes_(size * size_of(type)) {}
  template <class T>
  explicit Array(const std::vector<T>& values) : Array(type_of<T>, values.size()) {
    if (!values.empty()) std::memcpy(bytes_.data(), values.data(), bytes_.size());
  }

  Type type() const { return type_; }
  std::size_t size() const { return bytes_.size() / size_of(type_); }
  std::span<std::byte> bytes() { return bytes_; }
  std::span<const std::byte> bytes() const { return bytes_; }

  /// The elements as what they are: as<Half>() of an array of type f16. Any other T
  /// throws a ProblemFault.
  template <class T>
  std::span<T> as() {
    check(type_of<T>);
    return {reinterpret_cast<T*>(bytes_.data()), size()};
  }
  template <class T>
  std::span<const T> as() const {
    check(type_of<T>);
    return {reinterpret_cast<const T*>(bytes_.data()), size()};
  }

  /// function(as<T>()) with the array's own T.
  template <class Function>
  decltype(auto) visit(Function function) {
    return visit_elements(*this, function);
  }
  template <class Function>
  decltype(auto) visit(Function function) const {
    return visit_elements(*this, function);
  }

  std::vector<float> floats() const {
    return visit(
        [](auto elements) { return std::vector<float>(elements.begin(), elements.end()); });
  }

  /// An element of any type: all of them are exact in double.
  double operator[](std::size_t i) const {
    return visit([i](auto elements) { return static_cast<double>(elements[i]); });
  }
  /// Rounds to the nearest number of a float type; a whole number in range for the others.
  void set(std::size_t i, double value) {
    visit([&]<class T>(std::span<T> elements) { elements[i] = static_cast<T>(value); });
  }

  /// Bit for bit.
  friend bool operator==(const Array& a, const Array& b) = default;

 private:
  void check(Type wanted) const {
    if (type_ == wanted) return;
    throw ProblemFault(std::string("an array of ") + cuda_name(type_) + " is read as one of " +
                       cuda_name(wanted));
  }

  Type type_ = Type::f32;
  std::vector<std::byte> bytes_;
};

}  // namespace kata
