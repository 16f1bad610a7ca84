#include "lithe/model/motion_pieces.h"

namespace lithe {

std::array<double, 6> quintic(const SignalValue& from, const SignalValue& to, double width) {
  const double c1 = width * from.rate, c2 = width * width * from.acceleration / 2;
  const double value = to.value - from.value - c1 - c2, rate = width * to.rate - c1 - 2 * c2,
               bend = width * width * to.acceleration - 2 * c2;
  return {from.value,
          c1,
          c2,
          10 * value - 4 * rate + bend / 2,
          -15 * value + 7 * rate - bend,
          6 * value - 3 * rate + bend / 2};
}

SignalValue quintic_at(const std::array<double, 6>& c, double width, double s) {
  return {c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * (c[4] + s * c[5])))),
          (c[1] + s * (2 * c[2] + s * (3 * c[3] + s * (4 * c[4] + s * 5 * c[5])))) / width,
          (2 * c[2] + s * (6 * c[3] + s * (12 * c[4] + s * 20 * c[5]))) / (width * width)};
}

MotionPieces::MotionPieces(double start_time, double start_value) {
  table_.smooth = true;
  table_.times = {start_time};
  table_.values = {start_value};
}

void MotionPieces::add(const SignalValue& from, double time, const SignalValue& to) {
  const double width = time - table_.times.back();
  const std::array<double, 6> c = quintic(from, to, width);
  for (int k = 0; k < static_cast<int>(numbers_per_piece); ++k)
    table_.second_derivatives.push_back((k + 2) * (k + 1) * c[static_cast<std::size_t>(k) + 2] / (width * width));
  table_.times.push_back(time);
  table_.values.push_back(to.value);
}

void MotionPieces::hold_until(double time) {
  if (!(time > end_time())) return;
  const SignalValue rest{end_value(), 0, 0};
  add(rest, time, rest);
}

}  // namespace lithe
