// What must happen before the program's libraries begin, and is taken back in main().
#pragma once

namespace lithe::app {

// Call it first in main(): until then the program sees one processor. An OpenBLAS with threads starts one per processor
// before main(). Each asks for 128 MB, without an end where it gets none, and the end of the program waits for them;
// only factors of large bodies have work for them, and start them then.
void see_all_processors();

}  // namespace lithe::app
