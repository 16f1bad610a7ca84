// How many pixels to draw while things move: a picture that keeps up says more than a sharp one that lags. Weak graphics
// (a processor without a graphics card, a large screen) get fewer of them; when motion stops, all of them return.
const slow = 24; // ms between frames: one screen refresh in three is missed
const settle = 8; // frames after a change before the next
const pause = 300; // ms without a frame: nothing moves
const least = 0.5;

export class Pace {
  scale = 1; // of both sides of the picture
  private last = -Infinity;
  private average = 0;
  private frames = 0;

  // A frame was drawn; true when the next one should have another size.
  drawn(now: number): boolean {
    const interval = now - this.last;
    this.last = now;
    if (interval > 1000) { // the first after a pause
      this.frames = 0;
      return false;
    }
    this.average = this.frames === 0 ? interval : this.average + 0.2 * (interval - this.average);
    if (++this.frames < settle || this.average < slow || this.scale <= least) return false;
    this.scale = Math.max(least, 0.75 * this.scale);
    this.frames = 0;
    return true;
  }

  // Nothing was drawn; true when the picture should be drawn once more, sharp.
  rested(now: number): boolean {
    if (this.scale === 1 || now - this.last < pause) return false;
    this.scale = 1;
    this.frames = 0;
    return true;
  }
}
