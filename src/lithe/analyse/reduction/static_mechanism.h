// A mechanism whose links have static shapes alone, in its own natural modes, with the fixed-interface modes that may
// join them (docs/theory/reduction.md, "Automatic choice").
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lithe/base/math.h"
#include "lithe/model/model.h"

namespace lithe {

// A sensor as rows over the modes; y = rows · (η, η̇ or η̈) + what prescribed motion adds + offset.
struct ModalReading {
  std::string name;
  int level = 0;              // 0: a place, 1: a speed, 2: an acceleration, or a force that it stands for
  double largest_travel = 0;  // no rigid motion is counted beyond it; 0: elastic, there is none
  int component = -1;         // that is shown; -1: all
  double floor = 0;           // a smaller peak counts as so much
  MatrixX rows;               // components x modes
  MatrixX direct;             // components x inputs: of the value of prescribed motions
  VectorX offset;             // before anything moves
};

struct ModalInput {
  const Signal* signal = nullptr;  // of the model; null: a unit step
  bool prescribed = false;         // its acceleration acts, not its value
};

struct StaticMechanism {
  // η̈ + C η̇ + Ω η = p + P u(t)
  VectorX squared_frequencies, initial_speed, initial_force;
  MatrixX damping, input_force;
  MatrixX step_force;  // modes x inputs of linear models and actuators of controllers: unit steps to judge by
  // q̈_k + c_k q̇_k + ω_k² q_k + B_kᵀ η̈ = s_k + S u(t), ascending in frequency; and B q̈ joins the first equation
  VectorX candidate_squared, candidate_damping, candidate_force;
  MatrixX coupling, candidate_input_force;  // B: modes x candidates; S: candidates x inputs
  std::vector<int> candidate_link;          // index into the given links
  std::vector<int> num_available;           // fixed-interface modes of each given link
  std::vector<ModalInput> inputs;
  std::vector<ModalReading> readings;

  Eigen::Index size() const { return squared_frequencies.size(); }
  Eigen::Index num_candidates() const { return candidate_squared.size(); }
};

// Makes them for the configurations of a model; `links`: those whose modes are to be chosen.
class StaticMechanisms {
 public:
  // Throws InputError where the mechanism cannot be built or does not start. The model must outlive this.
  StaticMechanisms(const Model& model, const std::vector<int>& links);
  ~StaticMechanisms();
  // As the mechanism starts. Throws InputError.
  StaticMechanism at_start();
  // In configurations that its motion passes until `duration`, links taken as rigid: the same forces act there. Empty
  // where that motion is not known: controllers act, or the rigid mechanism does not move.
  std::vector<StaticMechanism> along_motion(double duration, int count);

 private:
  class Builder;
  std::unique_ptr<Builder> builder_;
};

}  // namespace lithe
