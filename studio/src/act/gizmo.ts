// Moving bodies by hand: a click takes one, arrows and rings around it lead it.

import * as THREE from "three";
import { TransformControls } from "three/addons/controls/TransformControls.js";
import type { App } from "../app/app.ts";
import type { LiveShow } from "../app/show.ts";
import { shapeAt } from "../view/bodies.ts";
import { pick, rotate, type Ray } from "../view/picking.ts";
import type { Vec3 } from "../protocol.ts";

export class BodyHandle {
  selected: { show: LiveShow; body: number } | null = null;
  onSelect: () => void = () => undefined;
  private readonly controls: TransformControls;
  private readonly proxy = new THREE.Object3D();
  private dragging = false;
  private over = false;
  private sending = false;

  constructor(private readonly app: App) {
    const { stage } = app;
    this.controls = new TransformControls(stage.eye, stage.canvas);
    this.controls.setSize(0.7);
    this.controls.addEventListener("change", () => stage.request());
    this.controls.addEventListener("dragging-changed", (event) => (this.dragging = Boolean(event.value)));
    this.controls.addEventListener("axis-changed", (event) => (this.over = Boolean(event.value)));
    this.controls.addEventListener("objectChange", () => this.lead());
    stage.onBefore(() => {
      this.follow();
      return false;
    });
    app.a.on(() => this.drop());
    app.b.on(() => this.drop());
  }

  /** The pointer is on the handles, or leads them. */
  get busy(): boolean {
    return this.selected !== null && (this.dragging || this.over);
  }

  private hit(show: LiveShow, ray: Ray): { body: number; distance: number } | null {
    let best: { body: number; distance: number } | null = null;
    show.model.bodies.forEach((body, index) => {
      if (body.faces.length === 0) return;
      const pose = show.actor!.poses.subarray(7 * index, 7 * index + 7);
      const q = [-pose[3]!, -pose[4]!, -pose[5]!, pose[6]!];
      const from = rotate(q, ray.from.map((x, k) => x - pose[k]!));
      const found = pick(body.faces, shapeAt(body, show.clock.time), { from, along: rotate(q, ray.along) });
      if (found && found.distance < (best?.distance ?? Infinity)) best = { body: index, distance: found.distance };
    });
    return best;
  }

  distance(show: LiveShow, ray: Ray): number {
    return this.hit(show, ray)?.distance ?? Infinity;
  }

  choose(show: LiveShow, ray: Ray): void {
    const hit = this.hit(show, ray);
    const cloth = pick(show.model.faces, show.actor!.positions, ray);
    if (!hit || (cloth && cloth.distance < hit.distance) || !show.model.bodies[hit.body]!.movable) return this.drop();
    this.take(show, hit.body);
  }

  take(show: LiveShow, body: number): void {
    this.drop();
    this.selected = { show, body };
    this.follow();
    show.actor!.scene.add(this.proxy, this.controls.getHelper());
    this.controls.attach(this.proxy);
    this.onSelect();
    this.app.stage.request();
  }

  drop(): void {
    if (!this.selected) return;
    this.controls.detach();
    this.controls.getHelper().removeFromParent();
    this.proxy.removeFromParent();
    this.selected = null;
    this.dragging = false;
    this.over = false;
    this.onSelect();
    this.app.stage.request();
  }

  /** The body goes its own way again. */
  release(): void {
    const { selected } = this;
    this.drop();
    if (selected)
      selected.show.session.command({ do: "releaseBody", body: selected.body }).catch((error) => this.app.complain(error));
  }

  get mode(): "translate" | "rotate" {
    return this.controls.mode as "translate" | "rotate";
  }

  set mode(mode: "translate" | "rotate") {
    this.controls.setMode(mode);
    this.onSelect();
    this.app.stage.request();
  }

  private follow(): void {
    if (!this.selected || this.dragging) return;
    const { show, body } = this.selected;
    const poses = show.actor?.poses;
    if (!poses) return;
    this.proxy.position.fromArray(poses, 7 * body);
    this.proxy.quaternion.fromArray(poses, 7 * body + 3);
    this.proxy.updateMatrixWorld();
  }

  private lead(): void {
    if (this.sending || !this.selected) return;
    this.sending = true;
    requestAnimationFrame(() => {
      this.sending = false;
      if (!this.selected) return;
      const { show, body } = this.selected;
      const { x, y, z, w } = this.proxy.quaternion;
      const translation = show.toWorld(this.proxy.position.toArray()) as Vec3;
      show.session.command({ do: "moveBody", body, translation, rotation: [x, y, z, w] })
        .catch((error) => this.app.complain(error));
    });
  }
}
