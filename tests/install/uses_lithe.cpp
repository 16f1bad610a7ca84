// The whole library, results included.
#include <lithe/results/file_set.h>

#include <filesystem>
#include <fstream>

int main(int, char** argv) {
  const std::filesystem::path folder = std::filesystem::path(argv[0]).parent_path() / "results";
  lithe::FileSet files(folder);
  std::ofstream(files.add("a.txt")) << "a\n";
  files.commit();
  return std::filesystem::exists(folder / "a.txt") ? 0 : 1;
}
