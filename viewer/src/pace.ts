// How many pixels to draw while things move: a picture that keeps up says more than a sharp one that lags. Weak graphics
// (a processor without a graphics card, a large screen) get fewer of them if that helps; when motion stops, all of them return.
const slow = 24; // ms between frames: one screen refresh in three is missed
const settle = 8; // frames after a change before the next
const pause = 300; // ms without a frame: nothing moves
const least = 0.5, step = 0.75;
const worthwhile = 0.92; // of the time between frames: fewer pixels that do not help only blur

export class Pace {
  scale = 1; // of both sides of the picture
  private moving = 1; // the scale that keeps up
  private last = -Infinity;
  private average = 0;
  private frames = 0;
  private before = 0; // ms between frames before the last step, while it is on trial
  private tried = false; // fewer pixels do not help

  // `sharp`: the scale of a picture at rest; more than 1 where edges are smoothed by drawing more pixels.
  constructor(private readonly sharp = 1) {}

  // A frame was drawn; true when the next one should have another size.
  drawn(now: number): boolean {
    const interval = now - this.last;
    this.last = now;
    if (interval > 1000) { // the first after a pause
      this.frames = 0;
      return false;
    }
    if (this.scale !== this.moving) {
      this.scale = this.moving;
      this.frames = 0;
      return true;
    }
    this.average = this.frames === 0 ? interval : this.average + 0.2 * (interval - this.average);
    if (++this.frames < settle) return false;
    if (this.before > 0 && this.average > worthwhile * this.before) {
      this.tried = true;
      return this.change(this.moving / step, 0);
    }
    this.before = 0;
    if (this.tried || this.average < slow || this.moving <= least) return false;
    return this.change(this.moving * step, this.average);
  }

  private change(scale: number, before: number): true {
    this.scale = this.moving = Math.min(1, Math.max(least, scale));
    this.before = before;
    this.frames = 0;
    return true;
  }

  // Nothing was drawn; true when the picture should be drawn once more, sharp.
  rested(now: number): boolean {
    if (this.scale === this.sharp || now - this.last < pause) return false;
    this.scale = this.sharp;
    this.frames = 0;
    this.before = 0;
    this.tried = false;
    return true;
  }
}
