// An engine of a few lines, for working on the page without a server: a sheet of springs that hangs by two corners.

import { COLUMNS, type ArrayRef, type Ask, type Status, type Vec3, type World } from "../../src/protocol.ts";
import { Emitter } from "../../src/session/emitter.ts";
import type { Engine, EngineEvents } from "../../src/session/session.ts";
import type { Frame, WorldMessage } from "../../src/session/wire.ts";

const N = 41;
const STEP = 0.02;

export class MockEngine {
  readonly abilities = { folder: true, readOnly: false };
  private readonly events = new Emitter<EngineEvents>();
  private readonly sims = new Map<number, Sim>();

  constructor() {
    setTimeout(() => {
      this.events.emit("connection", "open");
      this.events.emit("welcome", { protocol: 1, version: "0", server: "mock", readOnly: false });
    });
  }

  listen = (events: Partial<EngineEvents>) => this.events.listen(events);
  taken = (): void => undefined;
  about = async () => ({ scene: null, folder: "scenes", limits: { sessions: 4, uploadBytes: 1e8, sceneBytes: 1e6 } });
  schema = async () => ({});
  templates = async () => [{ name: "hello", title: "Hanging sheet", text: 'title = "Hanging sheet"\n\n[cloth.sheet]\ndamping = 0.6\n' }];
  fabrics = async () => [];
  shelf = async () => [];
  scenes = async () => [];
  experiments = async () => [];
  jobs = async () => [];
  check = async () => ({ ok: true, problems: [], warnings: [], world: null });

  async ask(ask: Ask): Promise<Record<string, unknown>> {
    if (ask.op === "open") {
      const id = this.sims.size + 1;
      const sim = new Sim(id, this.events);
      this.sims.set(id, sim);
      setTimeout(() => sim.begin());
      return { session: id, title: "Hanging sheet", path: null, nodes: N * N, status: sim.status() };
    }
    const sim = "session" in ask ? this.sims.get(ask.session) : undefined;
    return sim?.obey(ask) ?? {};
  }
}

class Sim {
  p = new Float32Array(3 * N * N);
  v = new Float32Array(3 * N * N);
  frame = 0;
  playing = false;
  grasps: { id: number; node: number; to: Vec3 }[] = [];
  rows: number[][] = [];

  constructor(readonly id: number, readonly events: Emitter<EngineEvents>) {
    this.rest();
    setInterval(() => this.playing && this.step(), 1000 * STEP);
  }

  rest(): void {
    for (let k = 0; k < N * N; k++) this.p.set([(k % N) / (N - 1) - 0.5, Math.floor(k / N) / (N - 1) - 0.5, 1.2], 3 * k);
    this.v.fill(0);
    this.frame = 0;
  }

  begin(): void {
    this.events.emit("world", this.world());
    this.send();
  }

  obey(ask: Ask): Record<string, unknown> {
    if (ask.op === "play") this.playing = true;
    if (ask.op === "pause") this.playing = false;
    if (ask.op === "step") this.step();
    if (ask.op === "reset") { this.playing = false; this.rest(); this.send(); }
    if (ask.op === "command") {
      const { command } = ask;
      if (command.do === "grasp") {
        const quad = [command.face % (N - 1), Math.floor(command.face / (N - 1))] as const;
        const node = quad[1] * N + quad[0];
        this.grasps.push({ id: this.grasps.length + 1, node, to: [...this.p.subarray(3 * node, 3 * node + 3)] as Vec3 });
        return { grasp: this.grasps.length };
      }
      if (command.do === "moveGrasp") this.grasps.find((g) => g.id === command.grasp)!.to = command.to;
      if (command.do === "release") this.grasps = this.grasps.filter((g) => g.id !== command.grasp);
    }
    this.events.emit("status", this.id, this.status());
    return {};
  }

  status(): Status {
    return {
      playing: this.playing, frame: this.frame, time: this.frame * STEP, last: this.frame, stride: 1, factor: this.playing ? 0.98 : null,
      pace: 1, milliseconds: 3.2, stage: null, grasps: [], gravity: [0, 0, -9.81], wind: [0, 0, 0], settings: {},
    };
  }

  step(): void {
    const { p, v } = this;
    const small = STEP / 40;
    for (let s = 0; s < 40; s++) {
      for (let k = 0; k < N * N; k++) v[3 * k + 2]! -= 9.81 * small;
      for (let j = 0; j < N; j++) for (let i = 0; i < N; i++) {
        const a = j * N + i;
        for (const [di, dj] of [[1, 0], [0, 1], [1, 1], [-1, 1], [2, 0], [0, 2]] as const)
          if (i + di >= 0 && i + di < N && j + dj < N) this.spring(a, (j + dj) * N + i + di, Math.hypot(di, dj) / (N - 1), small);
      }
      for (const grasp of this.grasps) for (let c = 0; c < 3; c++)
        v[3 * grasp.node + c]! += (grasp.to[c]! - p[3 * grasp.node + c]!) * 4000 * small;
      for (let k = 0; k < 3 * N * N; k++) v[k]! *= 0.9985;
      for (const pin of [N * (N - 1), N * N - 1]) v.fill(0, 3 * pin, 3 * pin + 3);
      for (let k = 0; k < 3 * N * N; k++) p[k]! += v[k]! * small;
    }
    this.frame++;
    const row: number[] = COLUMNS.map((_, k) => [this.frame, this.frame * STEP][k] ?? Math.abs(Math.sin(this.frame / 9 + k)));
    this.events.emit("numbers", this.id, { from: this.frame, rows: [row] });
    this.events.emit("status", this.id, this.status());
    this.send();
  }

  spring(a: number, b: number, rest: number, dt: number): void {
    const { p, v } = this;
    const d = [0, 1, 2].map((c) => p[3 * b + c]! - p[3 * a + c]!);
    const l = Math.hypot(...d);
    const f = (9000 * (l - rest)) / l * dt;
    for (let c = 0; c < 3; c++) { v[3 * a + c]! += f * d[c]!; v[3 * b + c]! -= f * d[c]!; }
  }

  send(): void {
    const frame: Frame = {
      session: this.id, frame: this.frame, past: false, cut: false, time: this.frame * STEP, origin: [0, 0, 0],
      poses: new Float32Array([0.2, 0.1, 0.3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1]), positions: this.p.slice(), field: "none", range: [0, 1], values: null, bytes: 0,
      grasps: this.grasps.map((g) => ({ id: g.id, to: g.to, at: [...this.p.subarray(3 * g.node, 3 * g.node + 3)] as Vec3, force: [0, 0.3, 1.2] })),
    };
    this.events.emit("frame", frame);
  }

  world(): WorldMessage {
    const [faces, rest, edges, lengths, pattern]: number[][] = [[], [], [], [], []];
    const h = 1 / (N - 1);
    for (let j = 0; j < N; j++) for (let i = 0; i < N; i++) {
      const a = j * N + i;
      pattern!.push(i * h - 0.5, j * h - 0.5, 0);
      if (i + 1 < N) { edges!.push(a, a + 1); lengths!.push(h); }
      if (j + 1 < N) { edges!.push(a, a + N); lengths!.push(h); }
      if (i + 1 < N && j + 1 < N) { faces!.push(a, a + 1, a + N + 1, a + N); rest!.push(0, 0, h, 0, h, h, 0, h); }
    }
    const { places, quads } = ball(0.12);
    const lists = [faces!, rest!, edges!, lengths!, pattern!, [N * (N - 1), N * N - 1], places, quads];
    const ref = (k: number): ArrayRef => ({ offset: k, count: lists[k]!.length, type: "f32" });
    const world = {
      title: "Hanging sheet", step: STEP, duration: 3, nodes: N * N, live: true, hasAir: true, columns: [...COLUMNS], warnings: [], resolved: "", seams: null,
      cloths: [{ name: "sheet", firstNode: 0, nodeCount: N * N, faces: ref(0), rest: ref(1), edges: ref(2), restLengths: ref(3), pattern: ref(4),
        colors: [[0.16, 0.42, 0.62], [0.87, 0.72, 0.45]], thickness: 0.002, density: 0.15, stretchLimit: null }],
      bodies: [
        { name: "ball", positions: ref(6), faces: ref(7), smooth: true, ground: null, color: [0.8, 0.55, 0.35], movable: true, morph: null },
        { name: "floor", positions: { offset: 5, count: 0, type: "f32" }, faces: { offset: 5, count: 0, type: "u32" }, smooth: false, ground: 0, color: [0.5, 0.5, 0.5], movable: false, morph: null },
      ],
      pins: [{ nodes: ref(5), moves: false }],
    } as unknown as World;
    return {
      session: this.id, world,
      arrays: {
        floats: (r) => new Float32Array(r && r.count ? lists[r.offset]! : []),
        integers: (r) => new Uint32Array(r && r.count ? lists[r.offset]! : []),
      },
    };
  }
}

function ball(radius: number): { places: number[]; quads: number[] } {
  const [places, quads]: number[][] = [[], []];
  for (let j = 0; j <= 16; j++) for (let i = 0; i <= 32; i++) {
    const [t, f] = [(Math.PI * j) / 16, (2 * Math.PI * i) / 32];
    places!.push(radius * Math.sin(t) * Math.cos(f), radius * Math.sin(t) * Math.sin(f), radius * Math.cos(t));
    if (i < 32 && j < 16) quads!.push(33 * j + i, 33 * (j + 1) + i, 33 * (j + 1) + i + 1, 33 * j + i + 1);
  }
  return { places: places!, quads: quads! };
}

export const mockEngine = (): Engine => new MockEngine() as unknown as Engine;
