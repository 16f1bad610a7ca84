// Damping of modes that couples bodies, or the elements of one: forces -Bᵀ C B ν with q̇ = B ν the rates of the links'
// modes (docs/theory/modal_body.md, "Damping").
#include "lithe/formulate/absolute/derivatives.h"
#include "lithe/formulate/absolute/work.h"

namespace lithe {

void AbsoluteEquations::find_mode_rates(Work& work) const {
  work.mode_rates.setZero(mode_damping_.rows());
  Eigen::Index first = 0;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const Eigen::Index d = bodies_[b]->num_damped_modes();
    if (d > 0) bodies_[b]->mode_rates(*work.bodies[b], work.mode_rates.segment(first, d));
    first += d;
  }
}

void AbsoluteEquations::add_mode_damping(Work& work) const {
  find_mode_rates(work);
  work.mode_forces.noalias() = -mode_damping_ * work.mode_rates;
  Eigen::Index first = 0;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const Eigen::Index d = bodies_[b]->num_damped_modes();
    if (d > 0)
      bodies_[b]->add_mode_forces(*work.bodies[b], work.mode_forces.segment(first, d),
                                  work.force.segment(plan_.first_coordinate[b], bodies_[b]->num_speeds()));
    first += d;
  }
}

MatrixX AbsoluteEquations::mode_map(const Work& work) const {
  MatrixX map = MatrixX::Zero(mode_damping_.rows(), plan_.num_coordinates);
  Eigen::Index first = 0;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const Eigen::Index d = bodies_[b]->num_damped_modes();
    if (d > 0)
      bodies_[b]->mode_map(*work.bodies[b], map.block(first, plan_.first_coordinate[b], d, bodies_[b]->num_speeds()));
    first += d;
  }
  return map;
}

// Of Bᵀ C B ν: by speeds Bᵀ C B; by places Bᵀ C ∂(B ν) + ∂Bᵀ (C B ν).
void AbsoluteEquations::differentiate_mode_damping(Work& work, AbsoluteDerivatives& result) const {
  const MatrixX map = mode_map(work);
  find_mode_rates(work);
  work.mode_forces.noalias() = mode_damping_ * work.mode_rates;
  MatrixX rates_by_place = MatrixX::Zero(map.rows(), map.cols());
  Eigen::Index first = 0;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const Eigen::Index d = bodies_[b]->num_damped_modes(), o = plan_.first_coordinate[b],
                       size = bodies_[b]->num_speeds();
    if (d > 0)
      bodies_[b]->add_mode_derivatives(*work.bodies[b], work.mode_forces.segment(first, d),
                                       rates_by_place.block(first, o, d, size),
                                       result.by_place.block(o, o, size, size));
    first += d;
  }
  result.by_speed.noalias() += map.transpose() * mode_damping_ * map;
  result.by_place.noalias() += map.transpose() * mode_damping_ * rates_by_place;
}

}  // namespace lithe
