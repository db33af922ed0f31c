#include <cstdio>
#include <system_error>

#include "cli/cli.h"

int main(int argc, char** argv) {
  try {
    return kata::cli::run_command(argc, argv);
  } catch (const std::system_error& error) {  // the terminal was closed while something was printed
    std::fprintf(stderr, "kata: %s\n", error.what());
    return 2;
  }
}
