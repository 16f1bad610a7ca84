// Matrices of finite-element programs: one matrix through every format, and what is said of damaged files.
#include "lithe/read/matrices/body_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>

#include "lithe/base/text.h"
#include "lithe/read/matrices/inflate.h"

namespace lithe {
namespace {

// Nodes 7 and 3, three unknowns each.
MatrixX example() {
  std::mt19937 random(5);
  MatrixX half(6, 6);
  for (double& value : half.reshaped()) value = std::uniform_real_distribution(-1.0, 1.0)(random);
  MatrixX matrix = 1e8 * (half + half.transpose());
  matrix(0, 4) = matrix(4, 0) = 0;
  return matrix;
}
std::int64_t node_of(int row) { return row < 3 ? 7 : 3; }

std::string printed(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string right(std::int64_t number, int width) {
  const std::string text = std::to_string(number);
  return std::string(static_cast<std::size_t>(width) - text.size(), ' ') + text;
}

std::string calculix(const MatrixX& m) {
  std::string text;
  for (int j = 0; j < m.cols(); ++j)
    for (int i = 0; i <= j; ++i) text += cat(i + 1, " ", j + 1, " ", printed("%20.13e", m(i, j)), "\n");
  return text;
}

std::string abaqus(const MatrixX& m) {
  std::string text = "** FORMAT=MATRIX INPUT\n*MATRIX\n";
  for (int i = 0; i < m.rows(); ++i)
    for (int j = 0; j <= i; ++j)
      text +=
          cat(node_of(i), ",", i % 3 + 1, ", ", node_of(j), ",", j % 3 + 1, ", ", printed("%22.15e", m(i, j)), "\n");
  return text;
}

std::string dmig(const MatrixX& m, const std::string& name) {
  std::string text = "$ punched\nDMIG    " + name + std::string(8 - name.size(), ' ') +
                     "       0       6       2       0                       6\n";
  for (int j = 0; j < m.cols(); ++j) {
    text +=
        "DMIG*   " + name + std::string(16 - name.size(), ' ') + right(node_of(j), 16) + right(j % 3 + 1, 16) + "\n";
    for (int i = j; i < m.rows(); ++i) {
      std::string value = printed("%16.9E", m(i, j));
      value.replace(value.find('E'), 1, "D");
      text += "*       " + right(node_of(i), 16) + right(i % 3 + 1, 16) + value + "\n";
    }
  }
  return text;
}

enum class Columns { dense, strings, long_strings };

std::string output4(const MatrixX& m, const std::string& name, Columns columns) {
  const auto n = static_cast<int>(m.rows());
  std::string text = right(n, 8) + right(columns == Columns::long_strings ? -n : n, 8) + right(6, 8) + right(2, 8) +
                     name + std::string(8 - name.size(), ' ') + "1P,3E23.16\n";
  const auto values = [&](int row, int count, int column) {
    for (int k = 0; k < count; ++k)
      text += printed("%23.16E", m(row + k, column)) + (k % 3 == 2 || k + 1 == count ? "\n" : "");
  };
  for (int j = 0; j < n; ++j) {
    if (columns == Columns::dense) {
      text += right(j + 1, 8) + right(1, 8) + right(n, 8) + "\n";
      values(0, n, j);
      continue;
    }
    const int heads = columns == Columns::strings ? 1 : 2;
    text += right(j + 1, 8) + right(0, 8) + right(2 * (2 * n / 2) + 2 * heads, 8) + "\n";
    for (const int row : {0, 4}) {  // two strings
      const int count = row == 0 ? 4 : n - 4;
      text += columns == Columns::strings ? right(65536 * (2 * count + 1) + row + 1, 8) + "\n"
                                          : right(2 * count + 1, 8) + right(row + 1, 8) + "\n";
      values(row, count, j);
    }
  }
  return text + right(n + 1, 8) + right(1, 8) + right(1, 8) + "\n 1.0000000000000000E+00\n";
}

std::string harwell_boeing(const MatrixX& m) {
  const auto n = static_cast<int>(m.rows());
  std::string starts, rows, values;
  int count = 0, k = 0;
  for (int j = 0; j <= n; ++j) {
    starts += right(count + 1, 10) + (j % 8 == 7 || j == n ? "\n" : "");
    if (j < n) count += n - j;
  }
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i, ++k) {
      rows += right(i + 1, 10) + (k % 8 == 7 || k + 1 == count ? "\n" : "");
      values += printed("%25.16E", m(i, j)) + (k % 3 == 2 || k + 1 == count ? "\n" : "");
    }
  return "Stiffness matrix" + std::string(56, ' ') + "K\n" + right(20, 14) + right(1, 14) + right(3, 14) +
         right(7, 14) + right(0, 14) + "\nRSA           " + right(n, 14) + right(n, 14) + right(count, 14) +
         right(0, 14) + "\n(8I10)          (8I10)          (3E25.16)           \n" + starts + rows + values;
}

// A number's bytes in either order.
template <class Number>
std::string raw_bytes(Number value, bool big = false) {
  std::string bytes(sizeof(Number), '\0');
  std::memcpy(bytes.data(), &value, sizeof(Number));
  if (big == (std::endian::native == std::endian::little)) std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

struct Output4Kind {
  bool big = false, long_words = false;
  Columns columns = Columns::dense;
  bool single = false;
};

std::string binary_output4(const MatrixX& m, const std::string& name, const Output4Kind& kind) {
  const auto n = static_cast<std::int64_t>(m.rows());
  const auto whole = [&](std::int64_t value) {
    return kind.long_words ? raw_bytes(value, kind.big) : raw_bytes(static_cast<std::int32_t>(value), kind.big);
  };
  const auto record = [&](const std::string& payload) {
    const std::string length = raw_bytes(static_cast<std::uint32_t>(payload.size()), kind.big);
    return length + payload + length;
  };
  const auto values = [&](std::int64_t row, std::int64_t count, std::int64_t column) {
    std::string bytes;
    for (std::int64_t k = 0; k < count; ++k)
      bytes += kind.single ? raw_bytes(static_cast<float>(m(row + k, column)), kind.big)
                           : raw_bytes(m(row + k, column), kind.big);
    return bytes;
  };
  const std::int64_t per_number = kind.long_words || kind.single ? 1 : 2;
  std::string title = name;
  title.resize(kind.long_words ? 16 : 8, ' ');
  std::string text = record(whole(n) + whole(kind.columns == Columns::long_strings ? -n : n) + whole(6) +
                            whole(kind.single ? 1 : 2) + title);
  for (std::int64_t j = 0; j < n; ++j) {
    if (kind.columns == Columns::dense) {
      text += record(whole(j + 1) + whole(1) + whole(per_number * n) + values(0, n, j));
      continue;
    }
    std::string strings;
    for (const std::int64_t row : {0, 4}) {
      const std::int64_t count = row == 0 ? 4 : n - 4, words = per_number * count;
      strings +=
          kind.columns == Columns::strings ? whole(65536 * (words + 1) + row + 1) : whole(words + 1) + whole(row + 1);
      strings += values(row, count, j);
    }
    const auto words = static_cast<std::int64_t>(strings.size()) / (kind.long_words ? 8 : 4);
    text += record(whole(j + 1) + whole(0) + whole(words) + strings);
  }
  return text + record(whole(n + 1) + whole(1) + whole(1) + raw_bytes(1.0, kind.big));
}

std::string numpy_array(const std::string& type, const std::string& shape, const std::string& bytes,
                        bool columns_first = false) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': " + (columns_first ? "True" : "False") +
                       ", 'shape': (" + shape + "), }";
  header.resize(118 - 1, ' ');
  header += '\n';
  return "\x93NUMPY" + std::string("\x01\x00", 2) + raw_bytes(static_cast<std::uint16_t>(header.size())) + header +
         bytes;
}

struct ArchivedFile {
  std::string name, content;
  std::string compressed{};  // where it is
};

// As Python's zipfile writes it; checksums, which nobody reads, are zero.
std::string archive_of(const std::vector<ArchivedFile>& members) {
  std::string files, directory;
  const auto u16 = [](std::size_t value) { return raw_bytes(static_cast<std::uint16_t>(value)); };
  const auto u32 = [](std::size_t value) { return raw_bytes(static_cast<std::uint32_t>(value)); };
  for (const ArchivedFile& member : members) {
    const bool deflated = !member.compressed.empty();
    const std::string& data = deflated ? member.compressed : member.content;
    const std::string same = u16(20) + u16(0) + u16(deflated ? 8 : 0) + u32(0) + u32(0) + u32(data.size()) +
                             u32(member.content.size()) + u16(member.name.size()) + u16(0);
    directory += "PK\x01\x02" + u16(20) + same + u16(0) + u16(0) + u16(0) + u32(0) + u32(files.size()) + member.name;
    files += "PK\x03\x04" + same + member.name + data;
  }
  return files + directory + "PK\x05\x06" + u16(0) + u16(0) + u16(members.size()) + u16(members.size()) +
         u32(directory.size()) + u32(files.size()) + u16(0);
}

std::string bytes_of_matrix(const MatrixX& m, bool columns_first = false) {
  std::string bytes;
  for (int i = 0; i < m.rows(); ++i)
    for (int j = 0; j < m.cols(); ++j) bytes += raw_bytes(columns_first ? m(j, i) : m(i, j));
  return bytes;
}

// scipy.sparse.save_npz of the matrix; csr with 32-bit indices, coo with 64-bit ones, in the lower half alone.
std::string sparse_archive(const MatrixX& m, const std::string& format) {
  std::string data, rows, columns, starts = raw_bytes(std::int32_t(0));
  std::int64_t count = 0;
  for (int i = 0; i < m.rows(); ++i) {
    for (int j = 0; j < m.cols(); ++j) {
      if (m(i, j) == 0 || (format == "coo" && j > i)) continue;
      data += raw_bytes(m(i, j));
      rows += raw_bytes(std::int64_t(i));
      columns += format == "coo" ? raw_bytes(std::int64_t(j)) : raw_bytes(std::int32_t(j));
      ++count;
    }
    starts += raw_bytes(static_cast<std::int32_t>(count));
  }
  const std::string n = std::to_string(m.rows()), length = std::to_string(count) + ",";
  const std::string shape =
      numpy_array("<i8", "2,", raw_bytes(std::int64_t(m.rows())) + raw_bytes(std::int64_t(m.rows())));
  if (format == "coo")
    return archive_of({{"row.npy", numpy_array("<i8", length, rows)},
                       {"col.npy", numpy_array("<i8", length, columns)},
                       {"format.npy", numpy_array("|S3", "", "coo")},
                       {"shape.npy", shape},
                       {"data.npy", numpy_array("<f8", length, data)}});
  return archive_of({{"indices.npy", numpy_array("<i4", length, columns)},
                     {"indptr.npy", numpy_array("<i4", std::to_string(m.rows() + 1) + ",", starts)},
                     {"format.npy", numpy_array("|S3", "", format)},
                     {"shape.npy", shape},
                     {"data.npy", numpy_array("<f8", length, data)}});
}

std::optional<BodyMatrix> read(const std::string& text, const std::string& name, std::string* message = nullptr,
                               MatrixRole role = MatrixRole::stiffness) {
  Diagnostics diagnostics;
  std::optional<BodyMatrix> matrix = read_body_matrix({text, name, role, true}, diagnostics);
  EXPECT_EQ(matrix.has_value(), !diagnostics.any());
  if (message) *message = diagnostics.any() ? diagnostics.errors().front().text() : "";
  return matrix;
}

struct Format {
  const char* name;
  std::string text, file;
  double digits;
  bool named;
};

std::vector<Format> formats() {
  const MatrixX m = example();
  return {
      {"CalculiX", calculix(m), "part.sti", 1e-13, false},
      {"Abaqus", abaqus(m), "part_STIF1.mtx", 1e-15, true},
      {"DMIG", dmig(m, "KAAX"), "part.pch", 1e-9, true},
      {"OUTPUT4", output4(m, "KGG", Columns::dense), "part.op4", 1e-15, false},
      {"OUTPUT4, strings", output4(m, "KGG", Columns::strings), "part.op4", 1e-15, false},
      {"OUTPUT4, long strings", output4(m, "KGG", Columns::long_strings), "part.op4", 1e-15, false},
      {"Harwell-Boeing", harwell_boeing(m), "part.hb", 1e-15, false},
      {"OUTPUT4, binary", binary_output4(m, "KGG", {}), "part.op4", 0, false},
      {"big endian", binary_output4(m, "KGG", {.big = true}), "part.op4", 0, false},
      {"single", binary_output4(m, "KGG", {.single = true}), "part.op4", 1e-7, false},
      {"strings", binary_output4(m, "KGG", {.columns = Columns::strings}), "part.op4", 0, false},
      {"long strings", binary_output4(m, "KGG", {.big = true, .columns = Columns::long_strings}), "part.op4", 0, false},
      {"long words", binary_output4(m, "KGG", {.long_words = true}), "part.op4", 0, false},
      {"long words, strings",
       binary_output4(m, "KGG", {.big = true, .long_words = true, .columns = Columns::long_strings}), "part.op4", 0,
       false},
      {"NumPy", numpy_array("<f8", "6, 6", bytes_of_matrix(m)), "part.npy", 0, false},
      {"NumPy archive",
       archive_of({{"K.npy", numpy_array("<f8", "6, 6", bytes_of_matrix(m, true), true)}, {"M.npy", "junk"}}),
       "part.npz", 0, false},
      {"SciPy csr", sparse_archive(m, "csr"), "part.npz", 0, false},
      {"SciPy csc", sparse_archive(m, "csc"), "part.npz", 0, false},
      {"SciPy coo", sparse_archive(m, "coo"), "part.npz", 0, false}};
}

std::string from_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t k = 0; k + 1 < digits.size(); k += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(k, 2), nullptr, 16));
  return bytes;
}

// The same words as in the two examples below, which Python's zlib compressed.
std::string repeated_words(std::size_t length) {
  std::string text;
  for (std::uint64_t state = 12345; text.size() < length;) {
    state = (state * 1103515245u + 12345u) & 0x7fffffffu;
    text += cat("row ", (state >> 16) % 50, " of ", (state >> 20) % 7, "; ");
  }
  return text.substr(0, length);
}

TEST(BodyMatrices, CompressedDataComesBack) {
  const std::string fixed = from_hex(
      "2bca2f5730b450c84f5330b1562802728cc11c4308c7d01cc43186704c90658cc0320650195324191343646546c8a61920f40000");
  EXPECT_EQ(inflate(fixed, 120), repeated_words(120));
  const std::string dynamic = from_hex(
      "85944b6e04210c44afd247c01fa051ee93ed48b3c9f5336937d2b3a0951d96b15d55febc5f3f879cc7ebfbf0afe3fd31ec32240ce97f86"
      "85e1f4e8e529b7a7c2e3c26fca6c05312248ad780fbc4f045867deca54e99bb1e295b8b2e24dd31bf10bb35da9db5d87282366ea449ae1"
      "51169d1e4782c4599c700c4529933632c02773388c3c950a841c135923b5c1fabac4c8a6b75167aad61f95ae3022b53375dd894bd2469d"
      "ea02ba72222603aa7652a842050ae3d31011c0e040117e27b10a8fa6a67120d5211311739dd2fc0c12e66e164249053be2d3023eb7dcb8"
      "019bc63ae54f27e0366c10348b266cce66b09746471c8a34dbf6dfda26656d3cf59cdaa6f9491b4466ca7b4065b88c6d51ac12896f303a"
      "49c665d8321e0b625f6fa32cc728edff07d92f");
  EXPECT_EQ(inflate(dynamic, 1500), repeated_words(1500));
  const std::string stored = std::string("\x01\x05\x00\xfa\xff", 5) + "hello";
  EXPECT_EQ(inflate(stored, 5), "hello");
  for (const std::string& damaged : {dynamic.substr(0, 200), std::string("\x07"), std::string()})
    EXPECT_THROW(inflate(damaged, 1500), MatrixFileError);
  for (const std::size_t wrong_size : {0, 1499, 1501}) EXPECT_THROW(inflate(dynamic, wrong_size), MatrixFileError);
}

TEST(BodyMatrices, AreTheSameThroughEveryFormat) {
  const MatrixX wanted = example();
  for (const Format& format : formats()) {
    std::string message;
    const std::optional<BodyMatrix> found = read(format.text, format.file, &message);
    ASSERT_TRUE(found) << format.name << ": " << message;
    ASSERT_EQ(found->entries.rows(), 6) << format.name;
    EXPECT_EQ(!found->unknowns.empty(), format.named) << format.name;
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) {
        int row = i, column = j;
        for (int k = 0; k < 6 && format.named; ++k) {
          const MatrixUnknown& unknown = found->unknowns[static_cast<std::size_t>(k)];
          if (unknown == MatrixUnknown{node_of(i), i % 3}) row = k;
          if (unknown == MatrixUnknown{node_of(j), j % 3}) column = k;
        }
        EXPECT_NEAR(found->entries.coeff(row, column), wanted(i, j), format.digits * 1e9) << format.name;
      }
  }
}

// By SciPy 1.17 and NumPy 2: the entries 1000/(1 + i + j), zero where 3 does not divide i - j.
TEST(BodyMatrices, OfFilesThatOtherProgramsWroteAreRead) {
  for (const char* name : {"scipy_csr.npz", "scipy_csc_plain.npz", "scipy_coo.npz", "numpy_both.npz", "numpy_dense.npy",
                           "output4_little.op4", "output4_big.op4"}) {
    std::ifstream file(std::string(LITHE_TESTS_DIR "/unit/read/matrices/") + name, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    std::string message;
    const std::optional<BodyMatrix> found = read(text.str(), name, &message);
    ASSERT_TRUE(found) << name << ": " << message;
    ASSERT_EQ(found->entries.rows(), 6) << name;
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j)
        EXPECT_EQ(found->entries.coeff(i, j), (i - j) % 3 == 0 ? 1e3 / (1 + i + j) : 0)
            << name << " " << i << ", " << j;
  }
}

TEST(BodyMatrices, OfOneFileAreToldByTheirNames) {
  const MatrixX k = example(), m = 1e-8 * k;
  for (const auto& [text, file] :
       {std::pair{dmig(k, "K2GG") + dmig(m, "M2GG"), "both.bdf"},
        std::pair{output4(k, "KGG", Columns::dense) + output4(m, "MGG", Columns::strings), "both.op4"},
        std::pair{binary_output4(k, "KGG", {}) + binary_output4(m, "MGG", {.columns = Columns::strings}), "both.op4"},
        std::pair{archive_of({{"K.npy", numpy_array("<f8", "6, 6", bytes_of_matrix(k))},
                              {"mass.npy", numpy_array("<f8", "6, 6", bytes_of_matrix(m))}}),
                  "both.npz"}}) {
    const auto stiffness = read(text, file), mass = read(text, file, nullptr, MatrixRole::mass);
    ASSERT_TRUE(stiffness && mass);
    EXPECT_NEAR(stiffness->entries.coeff(1, 1), k(1, 1), 1);
    EXPECT_NEAR(mass->entries.coeff(1, 1), m(1, 1), 1e-8);
  }
}

TEST(BodyMatrices, UnknownsAreReadFromTheirFiles) {
  for (const auto& [text, name] : {std::pair{"7.1\n7.2\n3.3\n", "part.dof"},
                                   std::pair{"Matrix Eqn  Node  DOF\n 1 7 UX\n 2 7 UY\n 3 3 UZ\n", "K.mapping"},
                                   std::pair{"node,direction\n7,1\n7,2\n3,3\n", "rows.csv"}}) {
    Diagnostics diagnostics;
    const auto unknowns = read_matrix_unknowns({text, name, MatrixRole::mass, true}, diagnostics);
    ASSERT_TRUE(unknowns) << name;
    EXPECT_EQ(*unknowns, (std::vector<MatrixUnknown>{{7, 0}, {7, 1}, {3, 2}})) << name;
  }
  for (const auto& [text, part] :
       {std::pair{"7.1\n7.9\n", "d:2:1: error: a direction is 1 to 6"}, std::pair{"", "names no unknowns"},
        std::pair{"1 7 UX\n3 7 UY\n", "equation 2 expected"}, std::pair{"7.1\nx\n", "d:2:1: error: node.direction"}}) {
    Diagnostics diagnostics;
    EXPECT_FALSE(read_matrix_unknowns({text, "d", MatrixRole::mass, true}, diagnostics));
    EXPECT_NE(diagnostics.errors().front().text().find(part), std::string::npos) << diagnostics.errors().front().text();
  }
}

TEST(BodyMatrices, SayWhatIsWrongAndWhere) {
  const MatrixX m = example();
  const std::string op4 = output4(m, "KGG", Columns::dense), hb = harwell_boeing(m);
  const std::string binary = binary_output4(m, "KGG", {}), npz = sparse_archive(m, "csr");
  const auto changed = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  const std::tuple<std::string, std::string, std::string> cases[] = {
      {"1 1\n", "a.sti", "a.sti:1:1: error: this is no matrix of a known format"},
      {"1 1 2\n1 2\n", "a.sti", "a.sti:2:1: error: row, column and value expected"},
      {"1 1 2\n0 2 1\n", "a.sti", "a row is not possible, got '0'"},
      {"1 1 2\n2 99999999999 1\n", "a.sti", "a column is not possible"},
      {"1 1 nan\n", "a.sti", "a number expected for an entry, got 'nan'"},
      {"7,1,7,1,2\n7,1,7,8,1\n", "a.mtx", "a.mtx:2:1: error: a direction is 1 to 6, got '8'"},
      {"*USER ELEMENT, NODES=2, LINEAR\n", "a.mtx", "substructures (*USER ELEMENT) are not read"},
      {"", "a.mtx", "no matrix of a known format"},
      {changed(dmig(m, "KAAX"), "       2       0   ", "       3       0   "), "a.pch", "must be real"},
      {"$ nothing\n", "a.pch", "the file has no DMIG matrix"},
      {op4.substr(0, 200), "a.op4", "a.op4:4:1: error: the file ends where a column should be"},
      {op4.substr(0, op4.size() - 60), "a.op4", "the file ends where a column should be"},
      {changed(op4, "1P,3E23.16", "          "), "a.op4", "the format of the entries"},
      {changed(hb, "RSA", "CSA"), "a.hb",
       "a.hb:3:1: error: the matrix must be real and assembled (RSA or RUA), got 'CSA'"},
      {hb.substr(0, 300), "a.hb", "error"},
      {binary.substr(0, 100), "a.op4", "a.op4: error: the file ends before what it announces, at byte"},
      {changed(binary, raw_bytes(std::int32_t(6)), raw_bytes(std::int32_t(5))), "a.op4",
       "the matrix is 6 x 5, not square"},
      {changed(npz, "csr", "bsr"), "a.npz", "sparse matrices of the format 'bsr' are not read"},
      {npz.substr(0, npz.size() - 30), "a.npz", "its directory is missing"},
      {changed(npz, "(7,)", "(9,)"), "a.npz", "an array is shorter than its shape says"},
      {changed(npz, "<f8", "<c8"), "a.npz", "an array is complex"},
      {archive_of({{"a.npy", ""}, {"b.npy", ""}}), "a.npz", "exactly one must have a name that begins with K"},
      {numpy_array("<f8", "2, 3", std::string(48, '\0')), "a.npy", "the matrix is 2 x 3, not square"},
      {changed(hb, "(3E25.16)", "(xxxxxxx)"), "a.hb", "a Fortran format such as (4E20.12) expected"}};
  for (const auto& [text, name, part] : cases) {
    std::string message;
    EXPECT_FALSE(read(text, name, &message)) << part;
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

TEST(BodyMatrices, SurviveDamage) {
  std::mt19937 random(11);
  const std::vector<Format> all = formats();
  for (int i = 0; i < 2000; ++i) {
    const Format& format = all[random() % all.size()];
    std::string text = format.text;
    for (unsigned k = 0; k <= random() % 5; ++k) {
      const std::size_t at = random() % text.size();
      if (random() % 2 == 0)
        text[at] = static_cast<char>(random() % 3 == 0 ? random() : '0' + random() % 10);
      else
        text.erase(at, random() % 12);
      if (text.empty()) break;
    }
    read(text, format.file);  // reads or refuses
  }
}

}  // namespace
}  // namespace lithe
