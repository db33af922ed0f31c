#pragma once
#pragma GCC system_header
// Which threads use an object of libcu++.

namespace cuda {

enum thread_scope {
  thread_scope_system,
  thread_scope_device,
  thread_scope_block = 2,
  thread_scope_thread = 10,
};

}  // namespace cuda
