// The core alone: a pose computed with types whose layout the library and this program must share.
#include <lithe/base/diagnostics.h>
#include <lithe/base/math.h>

#include <iostream>

int main() {
  const lithe::Pose pose{Eigen::AngleAxisd(0.5, lithe::Vector3::UnitZ()).toRotationMatrix(), {1, 2, 3}};
  const double error = (pose * pose.inverse()).position.norm();
  const lithe::InputError message("an error");
  std::cout << message.what() << ", " << error << '\n';
  return error < 1e-14 && message.errors().size() == 1 ? 0 : 1;
}
