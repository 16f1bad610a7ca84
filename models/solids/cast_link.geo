// A cast link, mm: two bosses with bores along z, 200 mm apart, joined by a web with a hole. Its centre plane is z = 0.
SetFactory("OpenCASCADE");
length = 200; boss = 22; bore = 10; half = 15; web = 6;
Cylinder(1) = {0, 0, -half, 0, 0, 2 * half, boss};
Cylinder(2) = {length, 0, -half, 0, 0, 2 * half, boss};
Box(3) = {0, -14, -web, length, 28, 2 * web};
Cylinder(4) = {0, 0, -half, 0, 0, 2 * half, bore};
Cylinder(5) = {length, 0, -half, 0, 0, 2 * half, bore};
Cylinder(6) = {length / 2, 0, -web, 0, 0, 2 * web, 8};
BooleanUnion(7) = { Volume{1}; Delete; }{ Volume{2, 3}; Delete; };
BooleanDifference(8) = { Volume{7}; Delete; }{ Volume{4, 5, 6}; Delete; };
Physical Volume("body") = {8};
e = 0.01;
Physical Surface("near") = Surface In BoundingBox{-bore - e, -bore - e, -half - e, bore + e, bore + e, half + e};
Physical Surface("far") = Surface In BoundingBox{length - bore - e, -bore - e, -half - e, length + bore + e, bore + e, half + e};
Mesh.MeshSizeMax = 14;
Mesh.MeshSizeMin = 6;
Mesh.ElementOrder = 2;
