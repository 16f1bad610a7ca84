// Two report pages in one, which shows their results beside each other.
#pragma once

#include <filesystem>
#include <string>

namespace lithe::app {

struct PagePair {
  std::filesystem::path first, second;
  std::string first_name, second_name;  // what tells them apart: folders, else files
};

PagePair page_pair(const std::filesystem::path& first, const std::filesystem::path& second);

// The page of both. By default it lies beside the first one's folder, so that it is never the newest page in it. Throws
// InputError where a page holds no report of Lithe.
std::filesystem::path write_page_of_both(const PagePair& pair, const std::string& output);

}  // namespace lithe::app
