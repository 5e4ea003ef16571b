// How many pixels a picture gets. While things move it is as many as leave time for 30 pictures a second; when they
// stand still it is all of them.

const GOAL = 30; // ms that a picture may take
const FAST = 20; // ms below which pixels come back
const WINDOW = 8; // pictures between two decisions
const REST = 260; // ms without a picture until all pixels are wanted

export class Pace {
  ratio: number;
  private readonly full: number;
  private readonly most: number;
  private readonly least: number;
  private moving: number;
  private times: number[] = [];
  private timer = 0;

  constructor(software: boolean, screen = globalThis.devicePixelRatio || 1) {
    this.full = software ? 1.25 : Math.min(screen, 2);
    this.most = software ? 1 : this.full;
    this.least = software ? 0.4 : 0.75;
    this.moving = software ? 0.6 : this.full;
    this.ratio = this.full;
  }

  /** A picture is about to be drawn, in motion or alone; says whether the number of pixels changes. */
  tick(moving: boolean): boolean {
    clearTimeout(this.timer);
    const before = this.ratio;
    if (moving) this.ratio = this.moving;
    return this.ratio !== before;
  }

  /** How long a picture took in motion (ms). */
  note(time: number): void {
    this.times.push(Math.min(500, time));
    const terrible = this.times.length >= 2 && this.times.every((t) => t > 3 * GOAL);
    if (this.times.length >= WINDOW || terrible) this.decide();
  }

  private decide(): void {
    const middle = [...this.times].sort((a, b) => a - b)[this.times.length >> 1]!;
    this.times = [];
    // Most of the time goes with the number of pixels, the square of the ratio; half of that step is prudent.
    if (middle > GOAL) this.moving = Math.max(this.least, this.moving * Math.max(0.6, (GOAL / middle) ** 0.35));
    else if (middle < FAST) this.moving = Math.min(this.most, this.moving * 1.1);
  }

  rest(sharpen: () => void): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(sharpen, REST) as unknown as number;
  }

  /** Nothing moves: takes all pixels; says whether that is news. */
  still(): boolean {
    this.times = [];
    const news = this.ratio !== this.full;
    this.ratio = this.full;
    return news;
  }
}
