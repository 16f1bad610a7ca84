// Standard input data: the same link by its mesh and by a file as other multibody programs write it.
#include <gtest/gtest.h>

#include <sstream>

#include "lithe/base/diagnostics.h"
#include "lithe/formulate/links/modal_link.h"
#include "lithe/read/matrices/sid_file.h"
#include "lithe/reduce/reduce.h"
#include "support/formulations.h"
#include "support/solid_bar.h"

namespace lithe {
namespace {

Model bar() {
  Model model;
  model.name = "bar";
  model.gravity = {0.3, -9.81, 1};
  model.links = {test::link_of({.shape = ElementShape::hex8, .count = {8, 1, 2}, .skew = 0.1})};
  model.links[0].reduction.method = ReductionMethod::craig_bampton;
  model.links[0].reduction.num_internal_modes = 3;
  Joint joint;
  joint.name = "hinge";
  joint.child = 0;
  joint.child_node = 0;
  joint.set_type(JointType::revolute);
  joint.initial_speed = {3};
  model.joints = {joint};
  Load load;
  load.name = "push";
  load.node = 1;
  load.direction = Vector3::UnitY();
  load.signal = SignalSine{5, 3, 0, 1, 0};
  model.loads = {load};
  return model;
}

// Writes by the definitions of Wallrapp's standard, rows from 1 on.
class SidText {
 public:
  explicit SidText(const ModalLink& link) : link_(link), d_(link.num_modes) {}

  std::string text(bool products) {
    out_.precision(17);
    out_ << "  2  " << d_ << " :No. nodes, No. modes: test\n part \n  new modal =\n  refmod\n   mass = " << link_.mass
         << "\n   nelastq = " << d_ << "\n   ielastq (   1) = Eigen Mode 1 : 8.4 Hz\n  end refmod\n  frame\n";
    for (std::size_t node = 0; node < 2; ++node) add_node(node);
    out_ << "  end frame\n";
    begin("mdCM", 3, 1, 0, 3);
    for (int a = 0; a < 3; ++a) m0(a, 0, link_.first_moment[a]);
    end("mdCM");
    add_inertia();
    add_couplings();
    begin("Me", d_, d_, 0, 4);
    end("Me");
    if (products) add_products();
    begin("Ke", d_, d_, 0, 1);
    for (int k = 0; k < d_; ++k) m0(k, k, link_.squared_frequencies(k));
    end("Ke");
    begin("De", d_, d_, 0, 0);
    end("De");
    out_ << "  end modal\n end part\n";
    return out_.str();
  }

 private:
  void begin(const char* name, int rows, int columns, int order, int structure) {
    out_ << "   " << name << "\n    order = " << order << "\n    nrow = " << rows << "\n    ncol = " << columns
         << "\n    nq = " << d_ << "\n    nqn = 0\n    structure = " << structure << "\n";
  }
  void end(const char* name) { out_ << "   end " << name << "\n"; }
  void m0(int row, int column, double value) {
    out_ << "    m0( " << row + 1 << ", " << column + 1 << ")  = " << value << "\n";
  }
  void m1(int row, int mode, int column, double value) {
    out_ << "    m1( " << row + 1 << ", " << mode + 1 << ", " << column + 1 << ")  = " << value << "\n";
  }

  void add_node(std::size_t node) {
    out_ << "   new node = " << (node == 0 ? 6022 : 17) << "\n    rframe = body ref\n";
    begin("origin", 3, 1, 1, 3);
    for (int a = 0; a < 3; ++a) m0(a, 0, link_.node_positions[node][a]);
    end("origin");
    for (const bool turn : {false, true}) {
      const char* name = turn ? "psi" : "phi";
      begin(name, 3, d_, 0, 3);
      for (int a = 0; a < 3; ++a)
        for (int k = 0; k < d_; ++k) m0(a, k, (turn ? link_.rotation_shapes : link_.translation_shapes)[node](a, k));
      end(name);
    }
    begin("AP", 3, 3, 1, 4);
    end("AP");
    out_ << "   end node\n";
  }

  // J, as xx, yy, zz, xy, xz, yz, with its derivatives: ∫ρ (2 s·φ 1 - s φᵀ - φ sᵀ).
  void add_inertia() {
    static constexpr int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    begin("J", 6, 1, 1, 3);
    for (int r = 0; r < 6; ++r) m0(r, 0, link_.inertia(pairs[r][0], pairs[r][1]));
    for (int r = 0; r < 6; ++r)
      for (int k = 0; k < d_; ++k) {
        const int a = pairs[r][0], b = pairs[r][1];
        double value = -link_.position_mode[a][b](k) - link_.position_mode[b][a](k);
        for (int c = 0; c < 3 && a == b; ++c) value += 2 * link_.position_mode[c][c](k);
        m1(r, k, 0, value);
      }
    end("J");
  }

  void add_couplings() {
    begin("Ct", d_, 3, 0, 3);
    for (int k = 0; k < d_; ++k)
      for (int a = 0; a < 3; ++a) m0(k, a, link_.mode_momentum(a, k));
    end("Ct");
    begin("Cr", d_, 3, 0, 3);
    for (int k = 0; k < d_; ++k)
      for (int a = 0; a < 3; ++a) m0(k, a, link_.mode_angular_momentum(a, k));
    end("Cr");
  }

  double product(int a, int b, int i, int k) const { return link_.mode_mode_stack((3 * a + b) * d_ + i, k); }

  // Ge = 2 ∫ρ φ_k × φ_i; Oe = ∫ρ φ_iᵀ ω̃ ω̃ (s + φ_k q_k) by ω_x², ω_y², ω_z², ω_x ω_y, ω_y ω_z, ω_x ω_z.
  void add_products() {
    begin("Ge", d_, 3 * d_, 0, 3);
    for (int i = 0; i < d_; ++i)
      for (int k = 0; k < d_; ++k)
        for (int c = 0; c < 3; ++c) {
          const int a = (c + 1) % 3, b = (c + 2) % 3;
          m0(i, 3 * k + c, 2 * (product(b, a, i, k) - product(a, b, i, k)));
        }
    end("Ge");
    static constexpr int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};
    begin("Oe", d_, 6, 1, 3);
    for (int i = 0; i < d_; ++i)
      for (int c = 0; c < 6; ++c) {
        const int a = pairs[c][0], b = pairs[c][1];
        double constant = link_.position_mode[a][b](i) + link_.position_mode[b][a](i);
        if (a == b) constant = link_.position_mode[a][a](i);
        for (int e = 0; e < 3 && a == b; ++e) constant -= link_.position_mode[e][e](i);
        m0(i, c, constant);
        for (int k = 0; k < d_; ++k) {
          double value = a == b ? product(a, a, i, k) : product(a, b, i, k) + product(b, a, i, k);
          for (int e = 0; e < 3 && a == b; ++e) value -= product(e, e, i, k);
          m1(i, k, c, value);
        }
      }
    end("Oe");
  }

  const ModalLink& link_;
  int d_;
  std::ostringstream out_;
};

std::string sid_of(const Model& model, bool products) {
  return SidText(modal_link(reduce(model).bodies[0], 0, Vector3::Zero())).text(products);
}

Model with_file(const Model& model, const SidBody& part) {
  Model result = model;
  Link& link = result.links[0];
  link.mesh = nullptr;
  link.spiders.clear();
  link.reduction = {};
  link.nodes = part.nodes;
  link.imported = std::make_shared<const FiniteElementBody>(part.body);
  return result;
}

TEST(StandardInputData, IsTheLinkThatItWasMadeOf) {
  for (const bool with_mass : {false, true}) {
    Model model = bar();
    const SidBody part = parse_sid_file(sid_of(model, true), true);
    EXPECT_TRUE(part.warnings.empty()) << part.warnings.front();
    ASSERT_EQ(part.nodes.size(), 2u);
    EXPECT_EQ(part.nodes[0].name, "6022");
    Model other = with_file(model, part);
    if (with_mass)
      for (Model* of : {&model, &other})
        of->links[0].lumped_masses = {{1, 0.7, Vector3(1e-3, 2e-3, 3e-3).asDiagonal()}};
    for (const char* formulation : {"erls-cms", "floating-frame"}) {
      testing::Formulated first(model, {.formulation = formulation}), second(other, {.formulation = formulation});
      for (auto* system : {&first, &second}) system->evaluate();
      for (const int node : {0, 1}) {
        const NodeMotion x = first.node(0, node), y = second.node(0, node);
        EXPECT_LT((x.acceleration - y.acceleration).norm(), 1e-7 * (1 + x.acceleration.norm())) << formulation;
        EXPECT_LT((x.angular_acceleration - y.angular_acceleration).norm(), 1e-7 * (1 + x.angular_acceleration.norm()));
      }
      EXPECT_NEAR(first.energies().kinetic, second.energies().kinetic, 1e-9 * first.energies().kinetic) << formulation;
      EXPECT_NEAR(first.energies().gravity, second.energies().gravity, 1e-9) << formulation;
    }
    const Trajectory a = testing::run(testing::with_tips(model), {}, 0.02, {.tolerance = 1e-8, .samples = 10});
    const Trajectory b = testing::run(testing::with_tips(other), {}, 0.02, {.tolerance = 1e-8, .samples = 10});
    EXPECT_LT(testing::largest_difference(a, b), 1e-7);
  }
}

// Linear motion about rest needs no products of modes: Me, Ct, Cr and Ke say all.
TEST(StandardInputData, HasItsFrequenciesWithoutProductsOfModes) {
  const Model model = bar();
  const SidBody part = parse_sid_file(sid_of(model, false), true);
  EXPECT_EQ(part.warnings.size(), 1u);
  const VectorX a = reduce(model).bodies[0].squared_frequencies,
                b = reduce(with_file(model, part)).bodies[0].squared_frequencies;
  ASSERT_EQ(a.size(), b.size());
  for (Eigen::Index k = 0; k < a.size(); ++k) EXPECT_NEAR(b(k) / a(k), 1, 1e-8) << k;
}

std::string refusal(const std::string& text) {
  try {
    parse_sid_file(text, true);
  } catch (const InputError& error) {
    return error.errors().empty() ? error.what() : error.errors().front().message;
  }
  return {};
}

TEST(StandardInputData, ThatCannotBeIsRefusedWithItsLine) {
  const std::string good = sid_of(bar(), true);
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return refusal(text);
  };
  EXPECT_EQ(refusal(good), "");
  EXPECT_TRUE(is_sid_file(good));
  EXPECT_NE(refusal(good.substr(0, good.size() / 2)).find("the file ends within"), std::string::npos);
  EXPECT_NE(changed("nrow = 3", "nrow = 300000").find("too large for"), std::string::npos);
  EXPECT_NE(changed("m0( 1, 1)  = 0", "m0( 4, 1)  = 0").find("lies outside of its 3 x 1"), std::string::npos);
  EXPECT_NE(changed("mass = ", "mass = -").find("'mass' of 'refmod'"), std::string::npos);
  EXPECT_NE(changed("   Ct", "   Cx").find("'ct' is missing"), std::string::npos);
  EXPECT_NE(changed("nelastq = ", "nelastq = x").find("a whole number expected"), std::string::npos);
}

}  // namespace
}  // namespace lithe
