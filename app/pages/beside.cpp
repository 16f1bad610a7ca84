#include "app/pages/beside.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/read/tables/files_of_run.h"
#include "lithe/read/tables/input_file.h"
#include "lithe/results/files/file_set.h"
#include "lithe/view/drawing.h"
#include "lithe/view/page_template.h"

namespace lithe::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view data_begin = "<script type=\"application/json\" id=\"lithe-data\">";
constexpr std::string_view other_mark = "<script type=\"application/json\" id=\"lithe-other\"";
constexpr std::string_view data_end = "</script>";

// What a page shows. Of a page of two results, the first one.
std::string data_of(const fs::path& page) {
  std::string problem;
  const std::optional<std::string> text = read_regular_file(page, largest_table_file, problem);
  note_in_run(page);
  if (!text) throw InputError(cat(page.string(), ": ", problem));
  const std::size_t mark = text->find(data_begin);
  const std::size_t from = mark == std::string::npos ? mark : mark + data_begin.size();
  const std::size_t to = text->find(data_end, std::min(from, text->size()));
  if (to == std::string::npos) throw InputError(cat(page.string(), ": this is no report page of Lithe"));
  std::string data = text->substr(from, to - from);
  // The program writes no markup into data: whoever does means something else.
  if (data.find('<') != std::string::npos || !nlohmann::json::accept(data))
    throw InputError(cat(page.string(), ": its data are damaged"));
  return data;
}

// Pages of commands are not replaced, nor what is no page at all.
void require_page_of_two(const fs::path& target) {
  std::error_code missing;
  if (!fs::is_regular_file(target, missing)) return;
  std::string problem;
  const std::optional<std::string> text = read_regular_file(target, largest_table_file, problem);
  if (!text || text->find(other_mark) == std::string::npos)
    throw InputError(
        cat(target.string(), ": there is such a file already, and it is no page of two results; choose another name"));
}

fs::path folder_of(const fs::path& page) { return fs::absolute(page).lexically_normal().parent_path(); }

}  // namespace

PagePair page_pair(const fs::path& first, const fs::path& second) {
  PagePair pair{first, second, folder_of(first).filename().string(), folder_of(second).filename().string()};
  if (folder_of(first) == folder_of(second)) {
    pair.first_name = first.stem().string();
    pair.second_name = second.stem().string();
  } else if (pair.first_name == pair.second_name) {
    pair.first_name = first.parent_path().string();
    pair.second_name = second.parent_path().string();
  }
  return pair;
}

fs::path write_page_of_both(const PagePair& pair, const std::string& output) {
  const auto file_name = [](const std::string& name) { return fs::path(name).filename().string(); };
  const fs::path target = output.empty()
                              ? folder_of(pair.first).parent_path() /
                                    cat(file_name(pair.first_name), "_and_", file_name(pair.second_name), ".html")
                              : fs::path(output);
  require_page_of_two(target);
  const std::string_view page = page_template();
  const std::size_t marker = page.find(data_marker);
  const std::string text =
      cat(page.substr(0, marker), data_of(pair.first), data_end, "\n", other_mark, " data-first=\"",
          xml_text(pair.first_name), "\" data-second=\"", xml_text(pair.second_name), "\">", data_of(pair.second),
          page.substr(marker + data_marker.size()));
  FileSet files(target.parent_path().empty() ? fs::path(".") : target.parent_path());
  files.write(target.filename().string(), text);
  files.commit();
  return target;
}

}  // namespace lithe::app
