// NumPy's arrays (.npy) and archives of them (.npz): scipy.sparse.save_npz (csr, csc, coo), and dense matrices by name.
#include <algorithm>
#include <charconv>
#include <map>

#include "lithe/base/in_quotes.h"
#include "lithe/read/matrices/bytes.h"
#include "lithe/read/matrices/inflate.h"
#include "lithe/read/matrices/matrix_lines.h"

namespace lithe {
namespace {

constexpr std::string_view array_mark = "\x93NUMPY";
constexpr std::string_view archive_mark = "PK\x03\x04";

// Past what one file may hold by itself: an archive may announce anything.
constexpr std::size_t largest_array = std::size_t{1} << 30;  // bytes

[[noreturn]] void fail(const std::string& message) { throw MatrixFileError{0, message}; }

struct Array {
  char kind = 'f';  // f: real, i and u: whole, S and U: text
  std::size_t width = 8;
  bool big_endian = false, columns_first = false;
  std::vector<std::size_t> shape;
  std::string_view bytes;

  std::size_t count() const {
    std::size_t result = 1;
    for (const std::size_t extent : shape) result *= extent;
    return result;
  }
};

// What stands behind a key of the header, a dictionary in Python's notation.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::size_t found = header.find(cat("'", key, "':"));
  if (found == header.npos) fail(cat("the header of an array has no '", key, "'"));
  return trimmed(header.substr(found + key.size() + 3));
}

void read_type(std::string_view text, Array& array) {
  // '<f8': byte order, kind, width
  if (text.size() < 5 || text[0] != '\'') fail("arrays of records are not read");
  const std::size_t end = text.find('\'', 1);
  const std::string_view type = text.substr(1, end == text.npos ? 0 : end - 1);
  std::int64_t width = 0;
  if (type.size() < 3 || !parse_whole(type.substr(2), width)) fail("the type of an array is not known");
  array.big_endian = type[0] == '>';
  array.kind = type[1];
  array.width = static_cast<std::size_t>(width);
  const bool number = (array.kind == 'f' || array.kind == 'i' || array.kind == 'u') && (width == 4 || width == 8);
  const bool text_type = (array.kind == 'S' || array.kind == 'U') && width > 0 && width <= 64;
  if (array.kind == 'c') fail("an array is complex; matrices must be real");
  if (!number && !text_type) fail("an array must be of real numbers of 4 or 8 bytes");
}

void read_shape(std::string_view text, Array& array) {
  const std::size_t end = text.find(')');
  if (text.empty() || text[0] != '(' || end == text.npos) fail("an array has no shape");
  for (const std::string_view field : matrix_fields(text.substr(1, end - 1), " ,")) {
    std::int64_t extent = 0;
    if (!parse_whole(field, extent) || extent < 0 || extent > static_cast<std::int64_t>(largest_array))
      fail("the shape of an array is not possible");
    array.shape.push_back(static_cast<std::size_t>(extent));
  }
  if (array.shape.size() > 2) fail("an array has more than two dimensions");
}

Array parse_array(std::string_view bytes) {
  Bytes reader(bytes, false);
  if (reader.take(std::min<std::size_t>(6, bytes.size())) != array_mark) fail("an array does not begin as NumPy's do");
  const int version = static_cast<unsigned char>(reader.take(2)[0]);
  const std::size_t length = version == 1 ? reader.number<std::uint16_t>() : reader.number<std::uint32_t>();
  const std::string_view header = reader.take(length);
  Array array;
  read_type(value_of(header, "descr"), array);
  array.columns_first = value_of(header, "fortran_order").starts_with("True");
  read_shape(value_of(header, "shape"), array);
  if (array.shape.size() == 2 && array.shape[1] > 0 && array.shape[0] > largest_array / array.shape[1])
    fail("the shape of an array is not possible");
  if (array.count() > reader.left() / array.width) fail("an array is shorter than its shape says");
  array.bytes = reader.take(array.count() * array.width);
  return array;
}

// A file of an archive, by its place in the directory at the end of it.
struct Member {
  std::size_t method = 0, compressed = 0, size = 0, header = 0;
};

std::map<std::string, Member> members_of(std::string_view text) {
  constexpr std::string_view end_mark("PK\x05\x06", 4), entry_mark("PK\x01\x02", 4);
  const std::size_t end = text.rfind(end_mark);
  if (end == text.npos) fail("the archive is not whole: its directory is missing");
  Bytes reader(text, false);
  reader.move_to(end + 10);
  const auto count = reader.number<std::uint16_t>();
  reader.take(4);
  reader.move_to(reader.number<std::uint32_t>());
  std::map<std::string, Member> members;
  for (int k = 0; k < count; ++k) {
    if (reader.take(4) != entry_mark) fail("the archive's directory is damaged");
    reader.take(6);
    Member member;
    member.method = reader.number<std::uint16_t>();
    reader.take(8);
    member.compressed = reader.number<std::uint32_t>();
    member.size = reader.number<std::uint32_t>();
    const std::size_t name = reader.number<std::uint16_t>(), extra = reader.number<std::uint16_t>(),
                      comment = reader.number<std::uint16_t>();
    reader.take(8);
    member.header = reader.number<std::uint32_t>();
    std::string file(reader.take(name));
    reader.take(extra + comment);
    if (file.ends_with(".npy")) file.resize(file.size() - 4);
    members[file] = member;
  }
  return members;
}

std::string content_of(std::string_view text, const Member& member) {
  Bytes reader(text, false);
  reader.move_to(member.header);
  if (reader.take(4) != archive_mark) fail("the archive's directory points to no file");
  reader.take(22);
  const std::size_t name = reader.number<std::uint16_t>(), extra = reader.number<std::uint16_t>();
  reader.take(name + extra);
  const std::string_view data = reader.take(member.compressed);
  if (member.method == 0) return std::string(data);
  if (member.method != 8) fail("the archive is compressed in a way that is not read; write it with np.savez");
  if (member.size > largest_array) fail(cat("an array of ", member.size, " bytes is too large"));
  return inflate(data, member.size);
}

class Archive {
 public:
  explicit Archive(const MatrixFile& file) : file_(file), members_(members_of(file.text)) {}

  BodyMatrix read() {
    if (members_.count("indices") + members_.count("row") > 0) return sparse();
    std::string chosen;
    std::size_t wanted = 0;
    for (const auto& [name, member] : members_)
      if (upper(name).starts_with(file_.role == MatrixRole::mass ? "M" : "K")) chosen = name, ++wanted;
    if (members_.size() == 1) chosen = members_.begin()->first;
    if (chosen.empty() || wanted > 1)
      fail(cat("the archive has ", members_.size(), " arrays; exactly one must have a name that begins with ",
               file_.role == MatrixRole::mass ? "M" : "K"));
    return dense(array(chosen));
  }

  static BodyMatrix dense(const Array& array) {
    if (array.shape.size() != 2) fail("a matrix must have two dimensions");
    check_size(array.shape[0], array.shape[1]);
    const std::size_t size = array.shape[0];
    const std::vector<double> values = reals(array);
    MatrixTriplets triplets;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const auto first = static_cast<int>(k / size), second = static_cast<int>(k % size);
      if (values[k] == 0) continue;
      if (array.columns_first)
        triplets.emplace_back(second, first, values[k]);
      else
        triplets.emplace_back(first, second, values[k]);
    }
    return {completed_matrix(static_cast<int>(size), triplets), {}};
  }

 private:
  static void check_size(std::size_t rows, std::size_t columns) {
    if (rows != columns) fail(cat("the matrix is ", rows, " x ", columns, ", not square"));
    if (rows < 1 || rows > static_cast<std::size_t>(MatrixLines::largest_index))
      fail("the matrix has no possible size");
  }

  Array array(const std::string& name) {
    const auto found = members_.find(name);
    if (found == members_.end()) fail(cat("the archive has no array '", name, "'"));
    contents_.push_back(std::make_unique<std::string>(content_of(file_.text, found->second)));
    return parse_array(*contents_.back());
  }

  static std::vector<double> reals(const Array& array) {
    if (array.kind != 'f' && array.kind != 'i' && array.kind != 'u') fail("an array of numbers expected");
    if (array.kind != 'f') {
      const std::vector<std::int64_t> whole = wholes(array);
      return {whole.begin(), whole.end()};
    }
    Bytes reader(array.bytes, array.big_endian);
    std::vector<double> result(array.count());
    for (double& value : result) value = reader.real(array.width);
    return result;
  }
  static std::vector<std::int64_t> wholes(const Array& array) {
    if (array.kind != 'i' && array.kind != 'u') fail("an array of whole numbers expected");
    Bytes reader(array.bytes, array.big_endian);
    std::vector<std::int64_t> result(array.count());
    for (std::int64_t& value : result) value = reader.whole(array.width);
    return result;
  }

  // csr, csc, coo, ...: of texts in UTF-32 each fourth byte counts.
  std::string format() {
    const Array text = array("format");
    if (text.kind != 'S' && text.kind != 'U') fail("the array 'format' is no text");
    std::string result;
    for (const char c : text.bytes)
      if (c != '\0') result += c;
    return result;
  }

  BodyMatrix sparse() {
    const std::string kind = format();
    const std::vector<std::int64_t> shape = wholes(array("shape"));
    if (shape.size() != 2 || shape[0] < 0 || shape[1] < 0) fail("the array 'shape' must have two numbers");
    check_size(static_cast<std::size_t>(shape[0]), static_cast<std::size_t>(shape[1]));
    const std::vector<double> values = reals(array("data"));
    std::vector<std::int64_t> rows, columns;
    if (kind == "coo") {
      rows = wholes(array("row"));
      columns = wholes(array("col"));
    } else if (kind == "csr" || kind == "csc") {
      columns = wholes(array("indices"));
      rows = expanded(wholes(array("indptr")), static_cast<std::size_t>(shape[0]), columns.size());
      if (kind == "csc") std::swap(rows, columns);
    } else {
      fail(cat("sparse matrices of the format ", file_.quotes_content ? in_quotes(kind) : "of this file",
               " are not read; write csr, csc or coo"));
    }
    if (rows.size() != values.size() || columns.size() != values.size())
      fail("the arrays of the matrix differ in length");
    MatrixTriplets triplets;
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (rows[k] < 0 || rows[k] >= shape[0] || columns[k] < 0 || columns[k] >= shape[0])
        fail(cat("entry ", k + 1, " lies outside the matrix"));
      triplets.emplace_back(static_cast<int>(rows[k]), static_cast<int>(columns[k]), values[k]);
    }
    return {completed_matrix(static_cast<int>(shape[0]), triplets), {}};
  }

  // The row of every entry, from where each row starts.
  static std::vector<std::int64_t> expanded(const std::vector<std::int64_t>& starts, std::size_t size,
                                            std::size_t count) {
    if (starts.size() != size + 1 || starts.front() != 0 || starts.back() != static_cast<std::int64_t>(count))
      fail("the array 'indptr' does not fit the matrix");
    std::vector<std::int64_t> rows;
    for (std::size_t row = 0; row < size; ++row) {
      if (starts[row + 1] < starts[row] || starts[row + 1] > static_cast<std::int64_t>(count))
        fail("the array 'indptr' does not fit the matrix");
      rows.insert(rows.end(), static_cast<std::size_t>(starts[row + 1] - starts[row]), static_cast<std::int64_t>(row));
    }
    return rows;
  }

  const MatrixFile& file_;
  std::map<std::string, Member> members_;
  std::vector<std::unique_ptr<std::string>> contents_;
};

}  // namespace

bool is_numpy(std::string_view text) { return text.starts_with(array_mark) || text.starts_with(archive_mark); }

BodyMatrix read_numpy(const MatrixFile& file) {
  if (file.text.starts_with(array_mark)) return Archive::dense(parse_array(file.text));
  return Archive(file).read();
}

}  // namespace lithe
