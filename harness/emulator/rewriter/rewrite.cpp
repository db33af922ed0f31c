#include "emulator/rewriter/rewrite.h"

#include "emulator/rewriter/loop_size.h"
#include "emulator/rewriter/passes.h"

namespace kata::emulator {

Rewritten rewrite(std::string_view source, const RewriteOptions& options) {
  Rewritten result;
  Tokens tokens = lex(source);
  rewrite_includes(tokens, options);
  rewrite_pragmas(tokens, options);
  rewrite_pragma_operators(tokens);
  rewrite_noinline(tokens);
  check_execution_spaces(tokens, options, result.problems);
  if (options.as_nvcc) {
    check_sides(tokens, options, result.problems);
    check_declarations(tokens, result.problems);
  }
  rewrite_launches(tokens);
  rewrite_kernel_addresses(tokens);
  rewrite_kernel_attributes(tokens);
  rewrite_grid_constants(tokens);
  rewrite_shared(tokens, result.problems);
  rewrite_unions(tokens);
  rewrite_assembly(tokens);
  if (options.functors_on_host) rewrite_thread_indices(tokens);
  const Functions functions = functions_of(tokens, function_bodies(tokens));
  const std::vector<FunctionOnDevice> on_device = functions_on_device(tokens, functions);
  rewrite_predicates(tokens, functions, on_device);
  rewrite_loops(tokens, options, functions, on_device);
  result.text = output_text(tokens);
  return result;
}

}  // namespace kata::emulator
