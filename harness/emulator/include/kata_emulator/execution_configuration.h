#pragma once
#pragma GCC system_header
// The rewriter turns   kernel<T><<<grid, block, shared, stream>>>(arguments)
// into                 __KATA_KERNEL(kernel<T>)(grid, block, shared, stream)(arguments)
// so that every token of the person's stays where it was.

#include <type_traits>
#include <utility>

#include "../driver_types.h"
#include "abi.h"

namespace __kata {

/// Once for each thread: its reads of the arguments are no accesses of the kernel's. clang++ takes
/// no attribute of a lambda here, and pays for the hooks.
#ifdef __SANITIZE_THREAD__
#define __KATA_UNCHECKED __attribute__((no_sanitize("thread"), no_sanitize_coverage))
#else
#define __KATA_UNCHECKED
#endif

template <class Body>
__KATA_UNCHECKED void call_body(void* body) {
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

/// The same with the kernel's arguments in the body, where these are plain bytes: it can be kept
/// and run later, by a graph or after the kernel that launches it.
template <class Call, class... P>
void run_call(LaunchConfig config, const Call& call, P&... values) {
  if constexpr ((__is_trivially_copyable(P) && ... && __is_trivially_copyable(Call))) {
    auto body = [call, values...]() mutable __KATA_UNCHECKED { call(values...); };
    config.closure_bytes = sizeof body;
    run_body(config, body);
  } else {
    auto body = [call, &values...] { call(values...); };
    run_body(config, body, &values...);
  }
}

template <class T>
struct Type {
  typedef T type;
};

// A kernel as a function: as its name says where that names one; else the overload or
// specialisation that takes exactly these arguments; else null. __KATA_LAUNCHED tries three lambdas
// in that order, each of which drops out where its expression would not compile.
struct Third {};
struct Second : Third {};
struct First_ : Second {};

template <class...>
struct Types {};

template <class... Dependent, class R, class... P>
auto unique_function(Types<Dependent...>, R (*function)(P...)) -> R (*)(P...) {
  return function;
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

/// T, or where that is asked for and T points to what may be written, a pointer to const.
template <class T, bool is_const>
struct Pointing : Type<T> {
  static constexpr bool may_change = false;
};
template <class T, bool is_const>
struct Pointing<T*, is_const> : Type<typename std::conditional<is_const, const T*, T*>::type> {
  static constexpr bool may_change = !std::is_const<T>::value;
};

/// The bits of the arguments that a kernel may take as pointers to const. Each doubles the ways, so
/// of many there are none.
template <class... A>
constexpr unsigned changing() {
  unsigned bits = 0, number = 0, count = 0;
  ((bits |= unsigned(Pointing<A, true>::may_change) << number++,
    count += Pointing<A, true>::may_change),
   ...);
  return count <= 5 ? bits : 0;
}

/// What `choose` finds for arguments of these types, or, where that is nothing, with a const that
/// some of the pointers gain as they are passed: a `float*` is a template's `const T*`, too.
template <unsigned consts, class Choose, class... A, unsigned... number>
auto function_for(const Choose& choose, Types<A...> types,
                  std::integer_sequence<unsigned, number...> numbers) {
  const auto found =
      choose(First_{}, Type<typename Pointing<A, (consts >> number & 1) != 0>::type>{}...);
  constexpr unsigned next = (consts - changing<A...>()) & changing<A...>();
  if constexpr (next != 0 && std::is_null_pointer<decltype(found)>::value) {
    return function_for<next>(choose, types, numbers);
  } else {
    return found;
  }
}
template <class Choose, class... A>
auto function_for(const Choose& choose, Types<A...> types) {
  return function_for<0>(choose, types,
                         std::make_integer_sequence<unsigned, unsigned(sizeof...(A))>{});
}

/// A literal 0 as a kernel's argument, which may mean a null pointer.
struct Zero {
  template <class T>
  operator T() const {
    return T(0);
  }
};

/// A braced list as a kernel's argument: `make` initialises a value of the parameter's type.
template <class Make>
struct Braced {
  Make make;
};
template <class Make>
Braced<Make> braced(Make make) {
  return {make};
}

/// An argument as the parameter that it is for.
template <class P, class A>
struct Argument {
  static P as_parameter(A&& argument) { return static_cast<A&&>(argument); }
};
template <class P, class Make>
struct Argument<P, Braced<Make>> {
  static P as_parameter(Braced<Make>&& argument) { return argument.make(Type<P>{}); }
};

/// Of a kernel's parameters, one behind the other.
template <class... P>
constexpr size_t bytes_of_parameters() {
  size_t bytes = 0;
  ((bytes = (bytes + alignof(P) - 1) / alignof(P) * alignof(P) + sizeof(P)), ...);
  return bytes;
}

/// Arguments are evaluated and converted once, on the host; `call` hands them to the kernel. Not
/// inline: the instances of a kernel share it.
template <class Call, class... P>
__attribute__((noinline)) void run_values(const LaunchConfig& config, const Call& call,
                                          P... values) {
  static_assert(bytes_of_parameters<P...>() <= 32764,
                "the parameters of a kernel take at most 32764 bytes: copy larger ones to memory "
                "of the device");
  run_call(config, call, values...);
}

template <class Call, class... P, class... A>
void run_arguments(const LaunchConfig& config, const Call& call, Types<P...>, A&&... arguments) {
  run_values<Call, P...>(config, call,
                         Argument<P, A>::as_parameter(static_cast<A&&>(arguments))...);
}

/// The types in which arguments are held: of the kernel's parameters as far as these are known,
/// else their own.
template <class Held, class Parameters, class Arguments>
struct HeldTypes {  // no argument is left; default arguments are the kernel's own affair
  typedef Held type;
};
template <class... H, class P, class... Ps, class A, class... As>
struct HeldTypes<Types<H...>, Types<P, Ps...>, Types<A, As...>>
    : HeldTypes<Types<H..., P>, Types<Ps...>, Types<As...>> {};
template <class... H, class A, class... As>
struct HeldTypes<Types<H...>, Types<>, Types<A, As...>>
    : HeldTypes<Types<H..., typename std::decay<A>::type>, Types<>, Types<As...>> {};

/// A thread's copy of a parameter that has a destructor: its bytes, as a device copies them. The
/// one on the host is destroyed, once. Such a parameter is passed by its address (Itanium C++ ABI),
/// and only the caller destroys it.
template <class P, bool = std::is_trivially_destructible<P>::value>
struct Passed {
  typedef P type;
  static P& copy(P& value) { return value; }
};
template <class P>
struct Passed<P, false> {
  typedef P& type;
  alignas(P) char bytes[sizeof(P)];
  operator P&() { return *(P*)bytes; }
  static Passed copy(P& value) {
    Passed result;
    __builtin_memcpy(result.bytes, &value, sizeof(P));
    return result;
  }
};

/// A kernel by its address, which is read without a hook: what a thread does before its kernel
/// begins is the same for all kernels.
template <class Function>
struct ByAddress {
  Function function;
  __attribute__((noipa, noinline, no_sanitize("thread"), no_sanitize_coverage)) Function read()
      const {
    return function;
  }
  template <class... P>
  __KATA_UNCHECKED void operator()(P&... values) const {
    read()(values...);
  }
};

template <class Call, class R, class... P, class... A>
void run_kernel(LaunchConfig config, R (*kernel)(P...), const Call& call, A&&... arguments) {
  config.function = (const void*)kernel;
  // A parameter that is a reference is a __grid_constant__: it is held by value, as any other.
  const typename HeldTypes<Types<>, Types<typename std::remove_reference<P>::type...>,
                           Types<A...>>::type held{};
  if constexpr (sizeof...(A) != sizeof...(P)) {
    run_arguments(config, call, held, static_cast<A&&>(arguments)...);
  } else if constexpr ((std::is_trivially_destructible<P>::value && ...)) {
    run_arguments(config, ByAddress<R (*)(P...)>{kernel}, held, static_cast<A&&>(arguments)...);
  } else {
    const auto function = (R(*)(typename Passed<P>::type...))kernel;
    const auto call_it = [function](P&... values) { function(Passed<P>::copy(values)...); };
    run_arguments(config, call_it, held, static_cast<A&&>(arguments)...);
  }
}
template <class Call, class... A>
void run_kernel(const LaunchConfig& config, decltype(nullptr), const Call& call, A&&... arguments) {
  run_arguments(config, call, typename HeldTypes<Types<>, Types<>, Types<A...>>::type{},
                static_cast<A&&>(arguments)...);
}

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

#define __KATA_LAUNCHED(...)                                                                      \
  ::__kata::choice(                                                                               \
      [&](::__kata::First_, auto... __kata_t) -> decltype(::__kata::unique_function(              \
                                                  ::__kata::Types<decltype(__kata_t)...>{},       \
                                                  __VA_ARGS__)) { return __VA_ARGS__; },          \
      [&](::__kata::Second, auto... __kata_t)                                                     \
          -> decltype(static_cast<void (*)(typename decltype(__kata_t)::type...)>(__VA_ARGS__)) { \
        return __VA_ARGS__;                                                                       \
      },                                                                                          \
      [&](::__kata::Third, auto...) -> decltype(nullptr) { return nullptr; })

#define __KATA_KERNEL(...)                                                                       \
  ::__kata::kernel(__KATA_NAME(__VA_ARGS__), __FILE__, __LINE__,                                 \
                   [&](const ::__kata::LaunchConfig& __kata_config, auto&&... __kata_a) {        \
                     const auto __kata_function = ::__kata::function_for(                        \
                         __KATA_LAUNCHED(__VA_ARGS__),                                           \
                         ::__kata::Types<typename ::std::decay<decltype(__kata_a)>::type...>{}); \
                     const auto __kata_call = [=](auto&... __kata_v) {                           \
                       __VA_ARGS__(__kata_v...);                                                 \
                     };                                                                          \
                     ::__kata::run_kernel(__kata_config, __kata_function, __kata_call,           \
                                          static_cast<decltype(__kata_a)&&>(__kata_a)...);       \
                   })
