#pragma once
// A folder of its own for a test, gone when the test ends.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace kata::test {

class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kata-test-XXXXXX").string();
    folder_ = std::filesystem::canonical(mkdtemp(pattern.data()));
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::filesystem::path& path() const { return folder_; }
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }

  std::filesystem::path write(const std::string& name, const std::string& content) const {
    const std::filesystem::path file = folder_ / name;
    std::filesystem::create_directories(file.parent_path());
    if (std::filesystem::canonical(file.parent_path()).string().find(folder_.string()) != 0)
      throw std::runtime_error(file.string() + " is outside the scratch folder, behind a link");
    std::ofstream(file, std::ios::binary) << content;
    return file;
  }

  std::filesystem::path write_program(const std::string& name, const std::string& content) const {
    const std::filesystem::path file = write(name, content);
    std::filesystem::permissions(file, std::filesystem::perms::all);
    return file;
  }

 private:
  std::filesystem::path folder_;
};

/// Copies the exercises into a tree; they are untouched stubs there, however far the person who
/// runs the tests has got with theirs.
inline void copy_exercises(const std::filesystem::path& source, const std::filesystem::path& tree) {
  namespace fs = std::filesystem;
  fs::create_directories(tree);
  fs::copy(source / "exercises", tree / "exercises", fs::copy_options::recursive);
  for (const auto& entry : fs::directory_iterator(tree / "exercises")) {
    const fs::path stub = entry.path() / ".stub.cu";
    if (!fs::exists(stub)) continue;
    const std::string file = entry.path().filename().string() + ".cu";
    fs::copy_file(stub, entry.path() / file, fs::copy_options::overwrite_existing);
  }
}

inline void copy_solutions(const std::filesystem::path& source, const std::filesystem::path& tree) {
  std::filesystem::copy(source / "solutions", tree / "solutions",
                        std::filesystem::copy_options::recursive);
}

inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::ptrdiff_t count_lines(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

/// In columns, if every letter is one byte.
inline std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  for (std::size_t start = 0, end; start < text.size(); start = end + 1) {
    end = std::min(text.find('\n', start), text.size());
    widest = std::max(widest, end - start);
  }
  return widest;
}

}  // namespace kata::test
