#pragma once
#pragma GCC system_header
// The rewriter turns   kernel<T><<<grid, block, shared, stream>>>(arguments)
// into                 __KATA_KERNEL(kernel<T>)(grid, block, shared, stream)(arguments)
// so that every token of the person's stays where it was.

#include "../driver_types.h"
#include "abi.h"

namespace __kata {

template <class Body>
void call_body(void* body) {
  (*static_cast<Body*>(body))();
}

/// Widens [low, high) to hold the objects pointed to.
static __KATA_INLINE void widen(const char*&, const char*&) {}
template <class P, class... Rest>
__KATA_INLINE void widen(const char*& low, const char*& high, P* first, Rest*... rest) {
  const char* begin = reinterpret_cast<const char*>(first);
  if (begin < low) low = begin;
  if (begin + sizeof(P) > high) high = begin + sizeof(P);
  widen(low, high, rest...);
}

/// Runs `body` once per thread. Kernels may read their parameters, which lie on the host's stack.
template <class Body, class... P>
void run_body(const LaunchConfig& config, Body& body, P*... parameters) {
  const char* low = reinterpret_cast<const char*>(&body);
  const char* high = low + sizeof(Body);
  widen(low, high, parameters...);
  __kata_launch(&config, &call_body<Body>, &body, low, high);
}

// The address of a kernel: as its name says where that names one function; else the overload or
// specialisation that takes exactly these arguments; else null. __KATA_KERNEL tries three lambdas
// in that order, each of which drops out where its expression would not compile.
struct Third {};
struct Second : Third {};
struct First_ : Second {};

template <class...>
struct Types {};

template <class... Dependent, class R, class... P>
const void* unique_address(Types<Dependent...>, R (*function)(P...)) {
  return reinterpret_cast<const void*>(function);
}

template <class A, class B, class C>
struct Choice : A, B, C {
  Choice(A a, B b, C c) : A(a), B(b), C(c) {}
  using A::operator();
  using B::operator();
  using C::operator();
};

template <class A, class B, class C>
Choice<A, B, C> choice(A a, B b, C c) {
  return {a, b, c};
}

/// A literal 0 as a kernel's argument, which may mean a null pointer.
struct Zero {
  template <class T>
  operator T() const {
    return T(0);
  }
};

/// A kernel with its launch configuration: call it with the kernel's arguments.
template <class Run>
struct Launch {
  LaunchConfig config;
  const Run& run;
  template <class... A>
  void operator()(A&&... arguments) const {
    run(config, static_cast<A&&>(arguments)...);
  }
};

/// A kernel: call it with its launch configuration.
template <class Run>
struct Kernel {
  const char* name;
  const char* file;
  int line;
  Run run;
  Launch<Run> operator()(dim3 grid, dim3 block, size_t shared_bytes = 0,
                         cudaStream_t stream = nullptr) const {
    return {{name, file, line, grid, block, shared_bytes, stream, nullptr, 0}, run};
  }
};

template <class Run>
Kernel<Run> kernel(const char* name, const char* file, int line, Run run) {
  return {name, file, line, run};
}

}  // namespace __kata

#define __KATA_TEXT(...) #__VA_ARGS__
#define __KATA_NAME(...) __KATA_TEXT(__VA_ARGS__)

#define __KATA_ADDRESS(...)                                                                     \
  ::__kata::choice(                                                                             \
      [&](::__kata::First_, auto... __kata_p) -> decltype(::__kata::unique_address(             \
                                                  ::__kata::Types<decltype(__kata_p)...>{},     \
                                                  __VA_ARGS__)) {                               \
        return ::__kata::unique_address(::__kata::Types<decltype(__kata_p)...>{}, __VA_ARGS__); \
      },                                                                                        \
      [&](::__kata::Second, auto... __kata_p)                                                   \
          -> decltype((const void*)static_cast<void (*)(decltype(__kata_p)...)>(__VA_ARGS__)) { \
        return (const void*)static_cast<void (*)(decltype(__kata_p)...)>(__VA_ARGS__);          \
      },                                                                                        \
      [&](::__kata::Third, auto...) -> const void* { return nullptr; })

#define __KATA_KERNEL(...)                                                               \
  ::__kata::kernel(__KATA_NAME(__VA_ARGS__), __FILE__, __LINE__,                         \
                   [&](::__kata::LaunchConfig __kata_config, auto... __kata_a) {         \
                     __kata_config.function =                                            \
                         __KATA_ADDRESS(__VA_ARGS__)(::__kata::First_{}, __kata_a...);   \
                     auto __kata_body = [=, &__kata_a...] { __VA_ARGS__(__kata_a...); }; \
                     ::__kata::run_body(__kata_config, __kata_body, &__kata_a...);       \
                   })
