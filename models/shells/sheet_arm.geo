// A channel of sheet metal, mm: a web in the plane z = 0 with two round holes for bearings, and two flanges folded up.
length = 240; half = 25; height = 18; bore = 9; margin = 25; size = 7;
Point(1) = {-margin, -half, 0, size};
Point(2) = {length + margin, -half, 0, size};
Point(3) = {length + margin, half, 0, size};
Point(4) = {-margin, half, 0, size};
Point(5) = {-margin, -half, height, size};
Point(6) = {length + margin, -half, height, size};
Point(7) = {length + margin, half, height, size};
Point(8) = {-margin, half, height, size};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Line(5) = {1, 5}; Line(6) = {5, 6}; Line(7) = {6, 2};
Line(8) = {3, 7}; Line(9) = {7, 8}; Line(10) = {8, 4};
For k In {0:1}
  Point(20 + 5 * k) = {k * length, 0, 0, size};
  Point(21 + 5 * k) = {k * length + bore, 0, 0, size};
  Point(22 + 5 * k) = {k * length, bore, 0, size};
  Point(23 + 5 * k) = {k * length - bore, 0, 0, size};
  Point(24 + 5 * k) = {k * length, -bore, 0, size};
  Circle(20 + 4 * k) = {21 + 5 * k, 20 + 5 * k, 22 + 5 * k};
  Circle(21 + 4 * k) = {22 + 5 * k, 20 + 5 * k, 23 + 5 * k};
  Circle(22 + 4 * k) = {23 + 5 * k, 20 + 5 * k, 24 + 5 * k};
  Circle(23 + 4 * k) = {24 + 5 * k, 20 + 5 * k, 21 + 5 * k};
  Curve Loop(10 + k) = {20 + 4 * k, 21 + 4 * k, 22 + 4 * k, 23 + 4 * k};
EndFor
Curve Loop(1) = {1, 2, 3, 4};
Curve Loop(2) = {1, -7, -6, -5};
Curve Loop(3) = {3, -10, -9, -8};
Plane Surface(1) = {1, 10, 11};
Plane Surface(2) = {2};
Plane Surface(3) = {3};
Physical Surface("sheet") = {1, 2, 3};
Physical Curve("near") = {20, 21, 22, 23};
Physical Curve("far") = {24, 25, 26, 27};
Mesh.RecombineAll = 1;
Mesh.Algorithm = 6;
