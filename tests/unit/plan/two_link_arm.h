// An arm of two rigid links in the plane. The table of its last joint is open: keys may follow.
#pragma once

#include <string>

namespace lithe {

inline const std::string two_link_arm = R"(
lithe = 1
gravity = [0, -9.81, 0]
[[links]]
name = "upper"
type = "rigid"
nodes = {in = [0, 0, 0], out = [0.4, 0, 0]}
mass = 3
centre = [0.2, 0, 0]
inertia = [0.05, 0.05, 0.05]
[[links]]
name = "fore"
type = "rigid"
nodes = {in = [0, 0, 0], tool = [0.3, 0, 0]}
mass = 2
centre = [0.1, 0, 0]
inertia = [0.02, 0.02, 0.02]
[[joints]]
name = "j1"
child = "upper"
child_node = "in"
value = 0.3
[[joints]]
name = "j2"
parent = "upper"
parent_node = "out"
child = "fore"
child_node = "in"
value = 1.1
)";

}  // namespace lithe
