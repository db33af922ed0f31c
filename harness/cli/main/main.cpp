#include "cli/cli.h"

int main(int argc, char** argv) {
  return kata::cli::run(argc, argv);
}
