// Motions of pieces: polynomials of degree five in time between instants, as planned moves are. They stand in a smooth
// SignalTable that has, instead of one second derivative per time, four numbers per piece: the coefficients of its
// acceleration c0 + c1 s + c2 s² + c3 s³, s from 0 to 1 over the piece. Value and rate are continuous, the acceleration
// may jump between pieces.
#pragma once

#include <array>

#include "lithe/model/model.h"

namespace lithe {

inline constexpr std::size_t numbers_per_piece = 4;
inline bool has_pieces(const SignalTable& table) {
  return table.smooth && table.times.size() > 1 &&
         table.second_derivatives.size() == numbers_per_piece * (table.times.size() - 1);
}

// Coefficients in s, value first, of the quintic over `width` from one state to another.
std::array<double, 6> quintic(const SignalValue& from, const SignalValue& to, double width);
// The state of that quintic at s; rates per unit of the argument that `width` is measured in.
SignalValue quintic_at(const std::array<double, 6>& coefficients, double width, double s);

// A motion that is made piece by piece, without gaps.
class MotionPieces {
 public:
  MotionPieces(double start_time, double start_value);
  // From the end of the last piece to `time`, with these accelerations at its ends; `from` is the state there.
  void add(const SignalValue& from, double time, const SignalValue& to);
  void hold_until(double time);  // at rest
  double end_time() const { return table_.times.back(); }
  double end_value() const { return table_.values.back(); }
  const SignalTable& table() const { return table_; }

 private:
  SignalTable table_;
};

}  // namespace lithe
