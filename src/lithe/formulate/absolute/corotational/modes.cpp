// Coordinates of a link's modes from the strains of its corotational beams, for damping of modes.
#include "lithe/formulate/absolute/corotational/work.h"

namespace lithe {

// With strains T q of the modes at rest and stresses S T q: q = ω⁻² Tᵀ S e, as Tᵀ S T = diag(ω²).
void CorotationalBody::set_damped_modes(const ReducedBody& body) {
  const Eigen::Index d = body.num_modes();
  mode_strains_.resize(7 * static_cast<Eigen::Index>(elements_.size()), d);
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const CorotationalElement& element = elements_[k];
    const ElementState state = element_state<double>(element, {positions_[element.a], Matrix3::Identity()},
                                                     {positions_[element.b], Matrix3::Identity()});
    MatrixX ends(12, d);
    for (int i = 0; i < 2; ++i) {
      const int node = i == 0 ? element.a : element.b;
      ends.middleRows<3>(6 * i) = body.translation_shapes.middleRows<3>(3 * node);
      ends.middleRows<3>(6 * i + 3) = body.rotation_shapes.middleRows<3>(3 * node);
    }
    mode_strains_.middleRows<7>(7 * static_cast<Eigen::Index>(k)) = element.stiffness * (state.rate * ends);
  }
  const double least = 1e-9 * (d > 0 ? body.squared_frequencies.maxCoeff() : 0.0);
  for (Eigen::Index k = 0; k < d; ++k) {
    const double squared = body.squared_frequencies(k);
    mode_strains_.col(k) *= squared > least ? 1 / squared : 0.0;
  }
}

void CorotationalBody::mode_rates(const Work& base, Eigen::Ref<VectorX> rates) const {
  const BeamWork& work = static_cast<const BeamWork&>(base);
  rates.setZero();
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const Vector7Of<double> rate = work.elements[k].rate * of_nodes(elements_[k], work.speeds);
    rates.noalias() += mode_strains_.middleRows<7>(7 * static_cast<Eigen::Index>(k)).transpose() * rate;
  }
}

void CorotationalBody::add_mode_forces(const Work& base, const Eigen::Ref<const VectorX>& forces,
                                       Eigen::Ref<VectorX> generalised) const {
  const BeamWork& work = static_cast<const BeamWork&>(base);
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const Vector7Of<double> stress = mode_strains_.middleRows<7>(7 * static_cast<Eigen::Index>(k)) * forces;
    const Vector12 own = work.elements[k].rate.transpose() * stress;
    generalised.segment<6>(6 * elements_[k].a) += own.head<6>();
    generalised.segment<6>(6 * elements_[k].b) += own.tail<6>();
  }
}

void CorotationalBody::mode_map(const Work& base, Eigen::Ref<MatrixX> map) const {
  const BeamWork& work = static_cast<const BeamWork&>(base);
  map.setZero();
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const MatrixX own =
        mode_strains_.middleRows<7>(7 * static_cast<Eigen::Index>(k)).transpose() * work.elements[k].rate;
    map.middleCols<6>(6 * elements_[k].a) += own.leftCols<6>();
    map.middleCols<6>(6 * elements_[k].b) += own.rightCols<6>();
  }
}

}  // namespace lithe
