// L-bracket with a bore at each end, mm: the pivot at the origin, the tip at (150, 120). Bores along z.
SetFactory("OpenCASCADE");
thickness = 20; width = 30; bore = 8; long = 150; tall = 120;
Box(1) = {-width / 2, -width / 2, 0, long + width, width, thickness};
Box(2) = {long - width / 2, -width / 2, 0, width, tall + width, thickness};
Cylinder(3) = {0, 0, 0, 0, 0, thickness, bore};
Cylinder(4) = {long, tall, 0, 0, 0, thickness, bore};
BooleanUnion(5) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
BooleanDifference(6) = { Volume{5}; Delete; }{ Volume{3, 4}; Delete; };
Physical Volume("body") = {6};
e = 0.01;
Physical Surface("pivot") = Surface In BoundingBox{-bore - e, -bore - e, -e, bore + e, bore + e, thickness + e};
Physical Surface("tip") = Surface In BoundingBox{long - bore - e, tall - bore - e, -e, long + bore + e, tall + bore + e, thickness + e};
Mesh.MeshSizeMax = 11;
Mesh.MeshSizeMin = 5;
Mesh.ElementOrder = 2;
