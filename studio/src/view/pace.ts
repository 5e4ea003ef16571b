// How many pixels a picture gets. While things move it is as many as leave time for 30 pictures a second; when they
// stand still it is all of them.

const SLOW = 34; // ms between pictures, above which pixels are given up
const FAST = 19; // and below which some come back
const WINDOW = 12; // pictures between two decisions
const REST = 220; // ms without a picture until all pixels are wanted

export class Pace {
  ratio: number;
  private readonly full: number;
  private readonly most: number;
  private readonly least: number;
  private moving: number;
  private last: number | null = null;
  private times: number[] = [];
  private timer = 0;

  constructor(software: boolean, screen = globalThis.devicePixelRatio || 1) {
    this.full = software ? 1.5 : Math.min(screen, 2);
    this.most = software ? 1 : this.full;
    this.least = software ? 0.5 : 0.75;
    this.moving = software ? 0.75 : this.full;
    this.ratio = this.full;
  }

  /** A picture is about to be drawn; says whether the number of pixels changes. */
  tick(now: number): boolean {
    clearTimeout(this.timer);
    if (this.last !== null && now - this.last < 400) this.times.push(now - this.last);
    this.last = now;
    const before = this.ratio;
    if (this.times.length >= WINDOW) this.decide();
    // A single picture, after a click, may be a slow one.
    if (this.times.length > 1 || this.ratio !== this.full) this.ratio = this.moving;
    return this.ratio !== before;
  }

  private decide(): void {
    const middle = this.times.sort((a, b) => a - b)[this.times.length >> 1]!;
    this.times = this.times.slice(0, 2);
    if (middle > SLOW) this.moving = Math.max(this.least, this.moving * 0.85);
    else if (middle < FAST) this.moving = Math.min(this.most, this.moving * 1.1);
  }

  rest(sharpen: () => void): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(sharpen, REST) as unknown as number;
  }

  /** Nothing moves: takes all pixels; says whether that is news. */
  still(): boolean {
    this.last = null;
    this.times = [];
    const news = this.ratio !== this.full;
    this.ratio = this.full;
    return news;
  }
}
