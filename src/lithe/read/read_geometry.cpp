// Inertias and orientations: values with a structure of their own.

#include "lithe/base/decompositions.h"
#include "lithe/base/text.h"
#include "lithe/read/tables/table_reader.h"

namespace lithe {
namespace {

// The rows of a 3 x 3 array, or the diagonal; anything else is reported by the caller.
bool has_matrix_shape(const Value& value) {
  if (value.kind != ValueKind::array || value.items.size() != 3) return false;
  int rows = 0;
  for (const Value& item : value.items) rows += item.kind == ValueKind::array && item.items.size() == 3 ? 1 : 0;
  const bool none_is_array = value.items[0].kind != ValueKind::array && value.items[1].kind != ValueKind::array &&
                             value.items[2].kind != ValueKind::array;
  return rows == 3 || none_is_array;
}

}  // namespace

// `physical`: moments of a real body obey Ixx + Iyy >= Izz. A lumped inertia on one rotation alone (a motor's rotor)
// need not.
std::optional<Matrix3> TableReader::inertia(std::string_view key, bool physical) const {
  const Value* value = find(key);
  if (!value) return Matrix3(Matrix3::Zero());
  const std::string about = owner_ + ": " + label(key);
  if (!has_matrix_shape(*value)) {
    error(key, cat(label(key), " must be [Ixx, Iyy, Izz] or a 3 x 3 matrix, got ", display(*value)));
    return std::nullopt;
  }
  Matrix3 result = Matrix3::Zero();
  bool good = true;
  const auto entry = [&](const Value& item) {
    const std::optional<double> number = read_number(reading_, item, spec(key).unit, any_value, path_of(key), about);
    good = good && number;
    return number.value_or(0);
  };
  for (int i = 0; i < 3; ++i) {
    const Value& item = value->items[static_cast<std::size_t>(i)];
    if (item.kind != ValueKind::array) {
      result(i, i) = entry(item);
      continue;
    }
    for (int j = 0; j < 3; ++j) result(i, j) = entry(item.items[static_cast<std::size_t>(j)]);
  }
  if (!good) return std::nullopt;
  const double rounding = 1e-9 * result.cwiseAbs().maxCoeff();
  if ((result - result.transpose()).cwiseAbs().maxCoeff() > rounding) {
    error(key, cat(label(key), " must be symmetric, got ", display(*value)));
    return std::nullopt;
  }
  const Vector3 moments = symmetric_values(result).values;
  if (moments[0] < -rounding) {
    error(key, cat(label(key), " must not have a negative principal moment, got ", moments[0], " kg m^2"));
    return std::nullopt;
  }
  // In the plane the moment about z is all that counts.
  const bool about_z_alone = reading_.model.space == Space::planar && result.topRows<2>().isZero();
  if (physical && !about_z_alone && moments[0] + moments[1] < moments[2] - rounding) {
    error(key, cat(label(key), " is not that of a body: the principal moments ", moments[0], " + ", moments[1],
                   " are less than ", moments[2], " kg m^2"));
    return std::nullopt;
  }
  return Matrix3((result + result.transpose()) / 2);
}

std::optional<Matrix3> TableReader::orientation(std::string_view key) const {
  const Value* value = find(key);
  if (!value) return std::nullopt;
  Value wrapped;  // [a, b, c] is short for {rotation = [a, b, c]}
  if (value->kind == ValueKind::array) {
    wrapped.line = value->line;
    wrapped.column = value->column;
    wrapped.members.push_back({"rotation", value->line, value->column, *value});
    value = &wrapped;
  }
  if (value->kind != ValueKind::table) {
    error(key, cat(label(key), " must be a rotation vector, {rpy} or {axis, angle}, got ", display(*value)));
    return std::nullopt;
  }
  const TableReader reader(reading_, orientation_table(), *value, path_of(key), owner_ + ": " + label(key));
  const int ways = reader.has("rotation") + reader.has("rpy") + (reader.has("axis") || reader.has("angle"));
  if (ways != 1 || reader.has("axis") != reader.has("angle")) {
    error(key, cat(label(key), " needs either rotation, or rpy, or axis and angle, got ", display(*value)));
    return std::nullopt;
  }
  if (reader.has("axis")) {
    const std::optional<Vector3> axis = reader.direction("axis");
    const std::optional<double> angle = reader.number("angle");
    if (!axis || !angle) return std::nullopt;
    return Eigen::AngleAxisd(*angle, *axis).toRotationMatrix();
  }
  const std::optional<Vector3> angles = reader.vector(reader.has("rpy") ? "rpy" : "rotation");
  if (!angles) return std::nullopt;
  if (reader.has("rotation")) {
    const double angle = angles->norm();
    if (angle == 0) return Matrix3(Matrix3::Identity());
    return Eigen::AngleAxisd(angle, *angles / angle).toRotationMatrix();
  }
  return (Eigen::AngleAxisd((*angles)[2], Vector3::UnitZ()) * Eigen::AngleAxisd((*angles)[1], Vector3::UnitY()) *
          Eigen::AngleAxisd((*angles)[0], Vector3::UnitX()))
      .toRotationMatrix();
}

}  // namespace lithe
