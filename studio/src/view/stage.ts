// The picture: one canvas, one camera, and one or two actors beside each other in it.

import * as THREE from "three";
import { Camera, FIELD_OF_VIEW, cornersOfBox, perspective, readTheme, type Theme } from "virtual:player";
import { Actor, type Bounds } from "./actor.ts";
import { Backdrop } from "./backdrop.ts";
import type { Uniforms } from "./materials.ts";
import type { Model } from "./model.ts";
import type { Ray } from "./picking.ts";
import type { Vec3 } from "../protocol.ts";
import { Pace } from "./pace.ts";

export interface Pane { x: number; y: number; width: number; height: number }

export class Stage {
  readonly camera = new Camera({ points: cornersOfBox([-1, -1, 0], [1, 1, 1]), radius: 1.5 });
  /** The same camera as three.js wants it, for its gizmo. */
  readonly eye = new THREE.PerspectiveCamera();
  readonly actors: Actor[] = [];
  readonly software: boolean;
  theme: Theme = readTheme();
  pictures = 0;
  private readonly renderer: THREE.WebGLRenderer;
  private readonly shared: Uniforms;
  private readonly pace: Pace;
  private requested = false;
  /** Whether things move, though no picture is wanted at this moment. */
  isMoving: () => boolean = () => false;
  private moving = false;
  private hurried = false;
  private readonly backdrops = new Map<Actor, Backdrop>();
  private fence: WebGLSync | null = null;
  private bounds: Bounds | null = null;
  private readonly before: ((now: number) => boolean)[] = [];
  private readonly after: (() => void)[] = [];

  constructor(readonly canvas: HTMLCanvasElement) {
    this.software = drawsInSoftware();
    document.documentElement.toggleAttribute("data-software", this.software);
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !this.software, powerPreference: "high-performance" });
    this.renderer.autoClear = false;
    this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace; // the shaders write what the screen wants
    this.renderer.info.autoReset = false;
    this.pace = new Pace(this.software);
    this.shared = {
      toClip: { value: new THREE.Matrix4() }, eye: { value: new THREE.Vector3() },
      viewport: { value: new THREE.Vector2(1, 1) }, width: { value: 1 }, pixels: { value: 1 },
      pixelRatio: { value: 1 }, ink: { value: new THREE.Vector4() }, ambient: { value: 0.38 },
      top: { value: new THREE.Vector3() }, bottom: { value: new THREE.Vector3() },
      paper: { value: new THREE.Vector3(1, 1, 1) },
    };
    this.eye.up.set(0, 0, 1);
    this.eye.matrixAutoUpdate = true;
    new ResizeObserver(() => this.resized()).observe(canvas);
    canvas.addEventListener("webglcontextrestored", () => this.request());
    this.retheme();
  }

  /** Called before each picture; says whether the next one is wanted right away. */
  onBefore(listener: (now: number) => boolean): void {
    this.before.push(listener);
  }

  /** Called after each picture, so that labels can follow it. */
  onAfter(listener: () => void): void {
    this.after.push(listener);
  }

  add(model: Model): Actor {
    const actor = new Actor(model, this.shared, this.software);
    this.repane(() => this.actors.push(actor));
    return actor;
  }

  // Panes of another shape: what was seen from side to side still is.
  private repane(change: () => void): void {
    const aspect = (): number => this.panes()[0]!.width / this.panes()[0]!.height;
    const before = aspect();
    change();
    if (this.camera.moved) this.camera.distance *= before / aspect();
    this.request();
  }

  remove(actor: Actor): void {
    const index = this.actors.indexOf(actor);
    if (index < 0) return;
    this.repane(() => this.actors.splice(index, 1));
    this.backdrops.get(actor)?.dispose();
    this.backdrops.delete(actor);
    actor.dispose();
    this.request();
  }

  /** Looks at all that is there. Leaves the camera where it is if somebody has turned it and `keep` is set. */
  surround(keep = false): void {
    const all = this.actors.map((actor) => actor.bounds());
    if (all.length === 0) return;
    const low = [0, 1, 2].map((k) => Math.min(...all.map((b) => b.low[k]!)));
    const high = [0, 1, 2].map((k) => Math.max(...all.map((b) => b.high[k]!)));
    const radius = Math.max(0.5 * Math.hypot(...high.map((x, k) => x - low[k]!)), 1e-6);
    this.bounds = { low, high, radius, centre: low.map((x, k) => (x + high[k]!) / 2) };
    this.camera.hold({ points: cornersOfBox(low, high), radius });
    if (!(keep && this.camera.moved)) this.camera.reset();
    this.reframe();
  }

  /** Light and ground reach as far as things have gone. */
  widen(): void {
    if (!this.bounds) return;
    const reach = 1.2 * this.bounds.radius;
    for (const actor of this.actors) {
      const b = actor.bounds();
      if (Math.hypot(...b.centre.map((x, k) => x - this.bounds!.centre[k]!)) + b.radius > reach) return this.surround(true);
    }
  }

  private reframe(): void {
    if (this.bounds) for (const actor of this.actors) actor.frame(this.bounds, this.theme);
    this.request();
  }

  retheme(): void {
    this.theme = readTheme();
    const { top, bottom, dark } = this.theme;
    (this.shared.top!.value as THREE.Vector3).fromArray(top);
    (this.shared.bottom!.value as THREE.Vector3).fromArray(bottom);
    this.shared.ambient!.value = dark ? 0.32 : 0.38;
    const ink = dark ? [0.02, 0.03, 0.05, 0.5] : [0.03, 0.035, 0.05, 0.55];
    (this.shared.ink!.value as THREE.Vector4).set(...(ink as [number, number, number, number]));
    (this.shared.paper!.value as THREE.Vector3).setScalar(dark ? 0.1 : 1);
    this.reframe();
  }

  private resized(): void {
    this.applySize();
    this.draw(); // at once: setting the size has cleared the picture
  }

  private applySize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.renderer.setPixelRatio(this.pace.ratio);
    this.renderer.setSize(Math.max(1, width), Math.max(1, height), false);
  }

  panes(): Pane[] {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const count = Math.max(1, this.actors.length);
    const upright = count > 1 && width < height; // on a phone one above the other
    return Array.from({ length: count }, (_, k) =>
      upright ? { x: 0, y: (k * height) / count, width, height: height / count }
        : { x: (k * width) / count, y: 0, width: width / count, height });
  }

  /** Which actor is under a point of the canvas (CSS pixels), and the ray through it. */
  rayAt(x: number, y: number): { actor: Actor; ray: Ray } | null {
    const panes = this.panes();
    const index = panes.findIndex((p) => x >= p.x && x <= p.x + p.width && y >= p.y && y <= p.y + p.height);
    const [actor, pane] = [this.actors[index], panes[index]];
    if (!actor || !pane) return null;
    const { back, right, up } = this.camera.axes();
    const slope = Math.tan(FIELD_OF_VIEW / 2);
    const sx = ((2 * (x - pane.x)) / pane.width - 1) * slope * (pane.width / pane.height);
    const sy = (1 - (2 * (y - pane.y)) / pane.height) * slope;
    const along = [0, 1, 2].map((k) => sx * right[k]! + sy * up[k]! - back[k]!);
    const length = Math.hypot(...along);
    return { actor, ray: { from: this.camera.eye() as Vec3, along: along.map((a) => a / length) as Vec3 } };
  }

  /** Where a point of an actor is on the canvas (CSS pixels). */
  project(actor: Actor, point: ArrayLike<number>): { x: number; y: number; ahead: boolean } {
    const pane = this.panes()[this.actors.indexOf(actor)] ?? this.panes()[0]!;
    this.camera.aspect = pane.width / pane.height;
    const m = this.camera.matrix();
    const at = (row: number): number =>
      m[row]! * point[0]! + m[4 + row]! * point[1]! + m[8 + row]! * point[2]! + m[12 + row]!;
    const w = at(3);
    return {
      x: pane.x + (0.5 + (0.5 * at(0)) / w) * pane.width,
      y: pane.y + (0.5 - (0.5 * at(1)) / w) * pane.height,
      ahead: w > 0,
    };
  }

  /** At most one picture per refresh of the screen. */
  request(): void {
    if (this.requested) return;
    this.requested = true;
    requestAnimationFrame((now) => {
      this.requested = false;
      let more = false;
      for (const listener of this.before) more = listener(now) || more;
      const moving = more || this.isMoving();
      if (this.pace.tick(this.moving || moving)) this.applySize();
      this.moving = moving;
      this.hurry(this.software && moving);
      this.draw();
      if (moving) this.time();
      if (more) this.request();
      if (!moving) this.pace.rest(() => this.sharpen());
    });
  }

  // How long the drawing takes, which a browser does not wait for: until a fence behind it has been reached.
  private time(): void {
    if (this.fence) return;
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    const began = performance.now();
    this.fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    const look = (): void => {
      if (!this.fence) return;
      const late = performance.now() - began > 1000; // a context that was lost never gets there
      if (gl.clientWaitSync(this.fence, 0, 0) === gl.TIMEOUT_EXPIRED && !late) return void setTimeout(look, 2);
      this.pace.note(performance.now() - began);
      gl.deleteSync(this.fence);
      this.fence = null;
    };
    setTimeout(look, 2);
  }

  // When nothing moves any more, the picture gets all its pixels.
  private sharpen(): void {
    if (!this.requested && !this.isMoving()) this.drawFine();
  }

  /** One picture with all pixels and all care, whatever moves: to be kept. */
  drawFine(): void {
    this.hurry(false);
    this.pace.still();
    this.applySize();
    this.draw();
  }

  private hurry(on: boolean): void {
    this.hurried = on;
  }

  draw(): void {
    const ratio = this.renderer.getPixelRatio();
    const panes = this.panes();
    this.shared.pixelRatio!.value = ratio;
    this.shared.width!.value = Math.max(0.6, Math.min(ratio, 2));
    for (const [k, pane] of panes.entries()) {
      const actor = this.actors[k];
      if (actor) this.drawActor(actor, pane, ratio);
      else this.renderer.clear();
    }
    this.pictures++;
    this.renderer.info.reset();
    for (const listener of this.after) listener();
  }

  private drawActor(actor: Actor, pane: Pane, ratio: number): void {
    const { renderer, shared, camera } = this;
    camera.setAspect(pane.width / pane.height);
    (shared.toClip!.value as THREE.Matrix4).fromArray(camera.matrix());
    (shared.eye!.value as THREE.Vector3).fromArray(camera.eye());
    (shared.viewport!.value as THREE.Vector2).set(pane.width * ratio, pane.height * ratio);
    shared.pixels!.value = (pane.height * ratio) / FIELD_OF_VIEW;
    this.followCamera(pane);
    // In a hurry shadows may be a picture late.
    if (!this.hurried || !actor.shadow.isDrawn || this.pictures % 2 === 0) {
      renderer.setRenderTarget(actor.shadow.target);
      renderer.clear(false, true, false);
      renderer.render(actor.shadowScene, this.eye);
      renderer.setRenderTarget(null);
      actor.shadow.isDrawn = true;
    }
    const bottom = this.canvas.clientHeight - pane.y - pane.height;
    renderer.setViewport(pane.x, bottom, pane.width, pane.height);
    renderer.setScissor(pane.x, bottom, pane.width, pane.height);
    renderer.setScissorTest(true);
    renderer.clear(true, true, false);
    actor.manner = !this.hurried ? "careful" : this.hasBackdrop(actor, [pane.x, bottom, pane.width, pane.height], ratio) ? "over" : "quick";
    renderer.render(actor.scene, this.eye);
    renderer.setScissorTest(false);
  }

  // Draws it in passing, if there is one.
  private hasBackdrop(actor: Actor, place: number[], ratio: number): boolean {
    const { renderer, camera } = this;
    if (!actor.isOver(camera.eye())) return false;
    if (!this.backdrops.has(actor)) this.backdrops.set(actor, new Backdrop());
    const pixels = place.map((x) => Math.round(x * ratio));
    const before = [renderer.getViewport(new THREE.Vector4()), renderer.getScissor(new THREE.Vector4())] as const;
    const drawn = this.backdrops.get(actor)!.draw(renderer, actor, this.eye, camera.matrix().join(), pixels);
    renderer.setViewport(before[0]);
    renderer.setScissor(before[1]);
    renderer.setScissorTest(true);
    return drawn;
  }

  private followCamera(pane: Pane): void {
    const { camera, eye } = this;
    const near = Math.max(0.02 * camera.distance, camera.distance - 8 * camera.radius);
    const far = camera.distance + 30 * camera.radius;
    Object.assign(eye, { aspect: pane.width / pane.height, fov: (FIELD_OF_VIEW * 180) / Math.PI, near, far });
    eye.projectionMatrix.fromArray(perspective(eye.aspect, near, far));
    eye.projectionMatrixInverse.copy(eye.projectionMatrix).invert();
    eye.position.fromArray(camera.eye());
    eye.lookAt(...(camera.target as Vec3));
    eye.updateMatrixWorld();
  }

  get pixelRatio(): number {
    return this.pace.ratio;
  }
}

function drawsInSoftware(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl) throw new Error("WebGL2 is not available");
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  const name = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}
