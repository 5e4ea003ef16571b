// Pulling at cloth: a grasp at the point under the pointer, led along a plane that faces the viewer.

import type { App } from "../app/app.ts";
import { LiveShow, type Show } from "../app/show.ts";
import { placeOn } from "../view/actor.ts";
import { cornersOf } from "../view/model.ts";
import type { Hit } from "../view/picking.ts";
import { notify } from "../ui/toast.ts";

interface Grasp {
  show: LiveShow;
  /** The engine's number; null until it has answered. */
  id: number | null;
  depth: number;
  target: [number, number, number];
  sent: boolean;
  over: boolean;
}

export class Grasper {
  active: Grasp | null = null;
  /** Times at which targets were sent, for measuring how long the picture takes to follow. */
  readonly sentAt: number[] = [];

  constructor(private readonly app: App) {}

  take(show: LiveShow, hit: Hit, grip: "spring" | "pin" = "spring"): void {
    const { back } = this.app.stage.camera.axes();
    const eye = this.app.stage.camera.eye();
    const depth = -eye.reduce((sum, x, k) => sum + (hit.place[k]! - x) * back[k]!, 0);
    const grasp: Grasp = { show, id: null, depth, target: show.toWorld(hit.place), sent: true, over: false };
    if (grip === "spring") this.active = grasp;
    this.ask(grasp, hit, grip);
  }

  private ask(grasp: Grasp, hit: Hit, grip: "spring" | "pin"): void {
    const { show } = grasp;
    const cloth = clothOf(show, hit.face);
    const face = hit.face - show.model.cloths[cloth]!.firstFace;
    show.session.command({ do: "grasp", cloth, face, weights: hit.weights, grip }).then(
      (answer) => {
        grasp.id = Number(answer.grasp);
        if (grasp.over && grip === "spring") this.release(show, grasp.id);
        else if (!grasp.sent) this.send(grasp);
        // Cloth that is pulled at should follow.
        if (grip === "spring" && !grasp.over && !show.clock.playing) this.app.each((s) => s.play());
      },
      (error) => {
        if (this.active === grasp) this.active = null;
        this.app.complain(error);
      },
    );
  }

  pullTo(x: number, y: number): void {
    const grasp = this.active;
    const ray = this.app.stage.rayAt(x, y)?.ray;
    if (!grasp || !ray) return;
    const { back } = this.app.stage.camera.axes();
    const slope = -ray.along.reduce((sum, a, k) => sum + a * back[k]!, 0);
    if (slope < 1e-3) return;
    const distance = grasp.depth / slope;
    grasp.target = grasp.show.toWorld(ray.from.map((a, k) => a + distance * ray.along[k]!));
    // Once for each picture is enough.
    if (grasp.sent) {
      grasp.sent = false;
      requestAnimationFrame(() => this.send(grasp));
    }
  }

  private send(grasp: Grasp): void {
    if (grasp.id === null || grasp.sent || grasp.over) return;
    grasp.sent = true;
    this.sentAt.push(performance.now());
    if (this.sentAt.length > 200) this.sentAt.shift();
    grasp.show.session.command({ do: "moveGrasp", grasp: grasp.id, to: grasp.target }).catch(() => undefined);
  }

  letGo(): void {
    const grasp = this.active;
    this.active = null;
    if (!grasp) return;
    grasp.over = true;
    if (grasp.id !== null) this.release(grasp.show, grasp.id);
    this.app.stage.request();
  }

  private release(show: LiveShow, id: number): void {
    show.session.command({ do: "release", grasp: id }).catch(() => undefined);
  }

  /** Holds the face at a place for good, or lets go of what is held there. */
  pinOrRelease(show: Show, hit: Hit): void {
    if (!(show instanceof LiveShow)) return notify("A recording cannot be pinned.");
    const corners = cornersOf(show.model.faces, hit.face);
    const held = show.status.grasps.find((g) => g.nodes.some((node) => corners.includes(node)));
    if (held) {
      this.release(show, held.grasp);
      notify("Let go.");
    } else {
      this.take(show, hit, "pin");
      notify("Pinned. P over it lets go, U lets go of everything.");
    }
  }

  releaseAll(): void {
    for (const show of this.app.shows())
      if (show instanceof LiveShow) for (const { grasp } of show.status.grasps) this.release(show, grasp);
  }
}

export function clothOf(show: Show, face: number): number {
  return show.model.cloths.findIndex((cloth) => face >= cloth.firstFace && face < cloth.firstFace + cloth.faceCount);
}

export const middleOf = (show: Show, face: number): [number, number, number] => {
  const corners = cornersOf(show.model.faces, face);
  return placeOn(show.model, show.actor!.positions, face, corners.map(() => 1 / corners.length));
};
