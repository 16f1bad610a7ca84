// Matrices of finite-element programs: one matrix through every format, and what is said of damaged files.
#include "lithe/read/matrices/body_matrix.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "lithe/base/text.h"

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
  return {{"CalculiX", calculix(m), "part.sti", 1e-13, false},
          {"Abaqus", abaqus(m), "part_STIF1.mtx", 1e-15, true},
          {"DMIG", dmig(m, "KAAX"), "part.pch", 1e-9, true},
          {"OUTPUT4", output4(m, "KGG", Columns::dense), "part.op4", 1e-15, false},
          {"OUTPUT4, strings", output4(m, "KGG", Columns::strings), "part.op4", 1e-15, false},
          {"OUTPUT4, long strings", output4(m, "KGG", Columns::long_strings), "part.op4", 1e-15, false},
          {"Harwell-Boeing", harwell_boeing(m), "part.hb", 1e-15, false}};
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

TEST(BodyMatrices, OfOneFileAreToldByTheirNames) {
  const MatrixX k = example(), m = 1e-8 * k;
  for (const auto& [text, file] :
       {std::pair{dmig(k, "K2GG") + dmig(m, "M2GG"), "both.bdf"},
        std::pair{output4(k, "KGG", Columns::dense) + output4(m, "MGG", Columns::strings), "both.op4"}}) {
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
