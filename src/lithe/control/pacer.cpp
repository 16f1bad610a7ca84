#include "lithe/control/pacer.h"

#include <algorithm>
#include <thread>

namespace lithe {

// Times are absolute: after a missed sample the run catches up, it does not shift.
void Pacer::wait_for(double time) {
  using Seconds = std::chrono::duration<double>;
  constexpr Seconds slice(0.05);  // between looks at `cancel`
  Clock::time_point now = Clock::now();
  if (report_.samples++ == 0) {
    begin_ = now;
    begin_time_ = time;
    return;
  }
  const Clock::time_point due =
      begin_ + std::chrono::duration_cast<Clock::duration>(Seconds((time - begin_time_) / speed_));
  if (now > due) {
    ++report_.missed;
    const double late = Seconds(now - due).count();
    if (late > report_.worst) {
      report_.worst = late;
      report_.worst_time = time;
    }
  } else {
    const Clock::time_point before = now;
    while (now < due && !(cancel_ && *cancel_)) {
      std::this_thread::sleep_for(std::min<Seconds>(slice, due - now));
      now = Clock::now();
    }
    report_.waited += Seconds(now - before).count();
    if (now > due) report_.worst_wake_up = std::max(report_.worst_wake_up, Seconds(now - due).count());
  }
  report_.elapsed = Seconds(now - begin_).count();
}

}  // namespace lithe
