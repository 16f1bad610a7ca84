// Of the installed package: who uses the library compiles Eigen as it is. Inside the library some of its inner loops
// are compiled once, which is nobody else's concern.
#pragma once
