// A model as the tree of links that the writers of robot descriptions put into words.
#pragma once

#include <map>
#include <string>

#include "lithe/export/robot_text.h"
#include "lithe/read/urdf/robot_description.h"

namespace lithe {

struct ExportedRobot {
  RobotDescription robot;               // its root is the link "world"; types as of GraphJoint
  std::map<std::string, double> start;  // initial value of joints of one degree of freedom
  bool start_elsewhere = false;         // spherical or free joints do not start at zero
};

ExportedRobot exported_robot(const Model& model, const std::vector<DriveTrain>& drive_trains, RobotFormat format,
                             const std::vector<DrawnShape>& shapes);

std::string urdf_text(const ExportedRobot& exported);
std::string mjcf_text(const ExportedRobot& exported, const Vector3& gravity);

// For attributes in double quotes.
std::string xml_attribute(const std::string& text);
std::string xml_numbers(const Vector3& v);       // without what rounding leaves of a zero
std::string xml_colour(const LinkShape& shape);  // red, green, blue, opacity; grey where it has none
// Of links and points, which share one space of names in URDF, sites in MJCF: LINK/POINT where POINT is not unique.
std::vector<std::vector<std::string>> names_of_points(const RobotDescription& robot);

}  // namespace lithe
