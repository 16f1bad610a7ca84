// How many pixels to draw while things move: a picture that keeps up says more than a sharp one that lags. Weak graphics
// (a processor without a graphics card, a large screen) get fewer of them if that helps, and more again when there is time
// for them; when motion stops, all of them return.
const late = 19, inTime = 17.3; // ms between frames, around the 16.7 of 60 frames/s
const together = 20, few = 6; // frames that are judged together; few if they take very long
const settle = 4; // frames after a change that are not
const start = 16; // nor these, of a motion that begins: programs for the graphics card are made then
const long = 300; // ms that waiting for enough frames may take
const pause = 300; // ms without a frame: nothing moves
const least = 0.5, step = 2 ** -0.25, leap = 0.6; // the smallest and the largest fall
const worthwhile = 0.92; // of the time between frames: half the pixels that do not help only blur
const giveUp = 90; // windows until fewer pixels are tried again

export class Pace {
  scale: number; // of both sides of the picture
  private last = -Infinity;
  private idle = true;
  private skipped = start;
  private since = 0; // ms, when skipping began
  private count = 0;
  private sum = 0;
  private longest = 0;
  private fall: {scale: number; time: number} | null = null; // where the present fall began
  private hopeless = 0; // windows for which fewer pixels are not tried
  private calm = 0; // windows in time, one after the other
  private patience = 6; // of them before more pixels are tried
  private raised = 0; // windows in which a rise is still on trial

  // `sharp`: the scale of a picture at rest; more than 1 where edges are smoothed by drawing more pixels. `moving`: the one that
  // is likely to keep up.
  constructor(private readonly sharp = 1, private moving = 1) {
    this.scale = moving;
  }

  // A frame was drawn; true when the next one should have another size.
  drawn(now: number): boolean {
    const interval = now - this.last, single = this.idle;
    this.last = now;
    this.idle = false;
    if (interval > 1000 || (single && interval > pause)) {
      this.restart(start);
      return false;
    }
    if (this.scale !== this.moving) return this.change(this.moving);
    if (single || (this.skipped > 0 && now - this.since < long)) {
      this.skipped -= single ? 0 : 1;
      return false;
    }
    this.skipped = 0;
    return this.gather(interval);
  }

  private gather(interval: number): boolean {
    this.sum += interval;
    this.longest = Math.max(this.longest, interval);
    if (++this.count < (this.sum > long ? few : together)) return false;
    const time = (this.sum - this.longest) / (this.count - 1); // one hiccup says nothing
    this.restart(0);
    return this.judge(time);
  }

  private judge(time: number): boolean {
    this.hopeless = Math.max(0, this.hopeless - 1);
    if (time > late) return this.tooSlow(time);
    this.raised = Math.max(0, this.raised - 1);
    this.fall = null;
    this.calm = time < inTime ? this.calm + 1 : 0;
    if (this.calm < this.patience || this.moving >= 1) return false;
    this.raised = 6;
    return this.change(this.moving / step);
  }

  private tooSlow(time: number): boolean {
    this.calm = 0;
    if (this.raised > 0) { // that rise was too much: the next one has to wait longer
      this.raised = 0;
      this.patience = Math.min(64, 2 * this.patience);
      return this.change(this.moving * step);
    }
    if (this.hopeless > 0) return false;
    this.fall ??= {scale: this.moving, time};
    const judged = this.moving < this.fall.scale && (this.moving <= least || this.moving < 0.72 * this.fall.scale);
    if (judged && time > worthwhile * this.fall.time) {
      const {scale} = this.fall;
      this.fall = null;
      this.hopeless = giveUp;
      return this.change(scale);
    }
    return this.moving > least && this.change(this.moving * Math.min(step, Math.max(leap, Math.sqrt(inTime / time))));
  }

  private change(scale: number): true {
    this.scale = this.moving = Math.min(1, Math.max(least, Math.abs(scale - 1) < 0.01 ? 1 : scale));
    this.restart(settle);
    this.calm = 0;
    return true;
  }
  private restart(skipped: number): void {
    this.skipped = skipped;
    this.since = this.last;
    this.count = this.sum = this.longest = 0;
  }

  // Nothing was drawn; true when the picture should be drawn once more, sharp.
  rested(now: number): boolean {
    this.idle = true;
    if (this.scale === this.sharp || now - this.last < pause) return false;
    this.scale = this.sharp;
    this.fall = null;
    return true;
  }
}
