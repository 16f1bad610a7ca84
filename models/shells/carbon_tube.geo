// A round tube along x, mm: 600 long, middle surface of radius 20, normals outwards.
length = 600; radius = 20; around = 6; along = 40;
Point(1) = {0, 0, 0};
Point(2) = {0, radius, 0};
Point(3) = {0, 0, radius};
Point(4) = {0, -radius, 0};
Point(5) = {0, 0, -radius};
Circle(1) = {2, 1, 3}; Circle(2) = {3, 1, 4}; Circle(3) = {4, 1, 5}; Circle(4) = {5, 1, 2};
Transfinite Curve{1, 2, 3, 4} = around + 1;
tube[] = {}; far[] = {};
For k In {1:4}
  out[] = Extrude {length, 0, 0} { Curve{k}; Layers{along}; Recombine; };
  tube[] += out[1];
  far[] += out[0];
EndFor
Physical Surface("tube") = tube[];
Physical Curve("near") = {1, 2, 3, 4};
Physical Curve("far") = far[];
