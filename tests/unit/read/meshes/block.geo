// A block, mm, of 20-node bricks and 15-node wedges side by side, with its ends as groups. `make_meshes` writes it in
// every format.
SetFactory("Built-in");
Point(1) = {0, 0, 0}; Point(2) = {20, 0, 0}; Point(3) = {20, 10, 0}; Point(4) = {0, 10, 0};
Point(5) = {40, 0, 0}; Point(6) = {40, 10, 0};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Line(5) = {2, 5}; Line(6) = {5, 6}; Line(7) = {6, 3};
Curve Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};
Curve Loop(2) = {5, 6, 7, -2}; Plane Surface(2) = {2};
Transfinite Curve{1, 3, 5, 7} = 3; Transfinite Curve{2, 4, 6} = 2; Transfinite Surface{1}; Transfinite Surface{2};
Recombine Surface{1};
a[] = Extrude {0, 0, 8} { Surface{1}; Layers{1}; Recombine; };
b[] = Extrude {0, 0, 8} { Surface{2}; Layers{1}; Recombine; };
Physical Volume("bricks") = {a[1]};
Physical Volume("wedges") = {b[1]};
Physical Surface("left") = {a[5]};
Physical Surface("right") = {b[3]};
Mesh.ElementOrder = 2;
Mesh.SecondOrderIncomplete = 1;
