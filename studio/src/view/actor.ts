// One simulation or recording in the picture: its cloths, its bodies, its ground and its own shadow.

import * as THREE from "three";
import { NO_CORNER, niceStep, toLinear, vertexNormals, type Theme } from "virtual:player";
import type { Vec3 } from "../protocol.ts";
import { bodyVertices, shapeAt } from "./bodies.ts";
import {
  Table, backgroundMaterial, bareGeometry, bodyDepth, bodyMaterial, clothDepth, clothMaterial, drawn, groundMaterial,
  rampTexture, rimMaterial, wireMaterial, type Short, type Uniforms,
} from "./materials.ts";
import { cornersOf, weaveCoordinates, type Model, type ModelBody, type ModelCloth } from "./model.ts";
import { rotate } from "./picking.ts";
import { KEY_LIGHT, Shadow } from "./shadow.ts";
import { Strokes } from "./strokes.ts";

const STRIP = [0, 1, 2, 2, 1, 3]; // two triangles from the four corners that shaders count
const YARNS = 260; // across the largest cloth: coarser than yarns are, so that they can be seen

/** What colours the cloth instead of its dye. */
export interface Colouring {
  values: Float32Array;
  perFace: boolean;
  range: [number, number];
  stops: string[];
}

/** With care; in a hurry; in a hurry over a backdrop that is there already. */
export type Manner = "careful" | "quick" | "over";

export interface Bounds { low: number[]; high: number[]; centre: number[]; radius: number }

export class Actor {
  readonly scene = new THREE.Scene();
  readonly shadowScene = new THREE.Scene();
  /** What stays the same while the camera stands still: background and ground without shadows. */
  readonly backdropScene = new THREE.Scene();
  /** Counts changes of the backdrop. */
  backdropVersion = 0;
  readonly shadow: Shadow;
  /** Over the surfaces, and hidden behind them where they are. */
  readonly marks: Strokes;
  /** Seen through everything. */
  readonly signs: Strokes;
  /** Of this moment, from the stage's origin. */
  readonly positions: Float32Array;
  readonly normals: Float32Array;
  poses: Float32Array;
  /** How far over its nodes something must be to be seen on the thickest cloth (m). */
  lift = 0;
  /** Where these coordinates begin in the world (m). */
  origin: ArrayLike<number> = [0, 0, 0];
  private readonly nodes: Table;
  private readonly normalTable: Table;
  private readonly faceValues: Table;
  private readonly uniforms: Uniforms;
  private readonly wire: THREE.Mesh;
  private readonly bodies: { body: ModelBody; geometry: THREE.BufferGeometry; uniforms: Uniforms; radius: number }[] = [];
  private readonly ground: Uniforms;
  /** What is visible in which manner. */
  private readonly parts: Record<Manner, THREE.Object3D[]> = { careful: [], quick: [], over: [] };
  /** Cloths as they are drawn in a hurry, with their two geometries. */
  private readonly sheets: {
    mesh: THREE.Mesh; byNode: THREE.BufferGeometry; byFace: THREE.BufferGeometry; dyed: THREE.Material; valued: THREE.Material;
  }[] = [];
  private readonly ramps = new Map<string, THREE.DataTexture>();

  constructor(readonly model: Model, shared: Uniforms, software: boolean) {
    this.shadow = new Shadow(software);
    this.positions = new Float32Array(3 * model.nodeCount);
    this.normals = new Float32Array(3 * model.nodeCount);
    this.poses = new Float32Array(7 * model.bodies.length);
    this.nodes = new Table(model.nodeCount, 4);
    this.normalTable = new Table(model.nodeCount, 4);
    this.faceValues = new Table(model.faces.length / 4, 1);
    this.uniforms = {
      ...shared, ...this.shadow.uniforms,
      nodes: { value: this.nodes.texture }, normals: { value: this.normalTable.texture },
      faceValues: { value: this.faceValues.texture }, valuePerFace: { value: false }, byValue: { value: false },
      range: { value: new THREE.Vector2(0, 1) }, ramp: { value: null }, glossy: { value: false },
    };
    this.ground = this.addGround(shared);
    const yarn = clothSize(model) / YARNS;
    const fabric = weaveCoordinates(model);
    for (const cloth of model.cloths) this.addCloth(cloth, fabric, yarn);
    for (const body of model.bodies) this.addBody(body);
    this.wire = this.addWire();
    this.marks = new Strokes(shared, 0.0006);
    this.signs = new Strokes(shared, 1);
    this.scene.add(...this.marks.meshes, ...this.signs.meshes);
  }

  private addGround(shared: Uniforms): Uniforms {
    const ground: Uniforms = {
      ...shared, ...this.shadow.uniforms,
      plane: { value: new THREE.Vector4() }, ground: { value: new THREE.Vector3() },
      region: { value: new THREE.Vector4() }, grid: { value: new THREE.Vector3() }, cell: { value: 1 }, solid: { value: false }, shade: { value: 0.3 },
    };
    const background = (short: Short[]): THREE.Mesh => drawn(bareGeometry(3), backgroundMaterial(shared, short), -10);
    const floor = (short: Short[]): THREE.Mesh => drawn(bareGeometry(4, STRIP), groundMaterial(ground, short), 2);
    this.add(["careful"], background([]), floor([]));
    this.add(["quick"], background(["QUICK"]), floor(["QUICK"]));
    this.backdropScene.add(background([]), floor(["WITHOUT_SHADOW"]));
    // Over all that is there already, so before the cloth.
    const shadow = floor(["QUICK", "SHADOW_ALONE"]);
    shadow.renderOrder = -5;
    this.add(["over"], shadow);
    return ground;
  }

  private add(manners: Manner[], ...meshes: THREE.Mesh[]): void {
    for (const manner of manners) this.parts[manner].push(...meshes);
    for (const mesh of meshes) mesh.visible = manners.includes("careful");
    this.scene.add(...meshes);
  }

  private addCloth(cloth: ModelCloth, fabric: Float32Array, yarn: number): void {
    const { model } = this;
    const colours = cloth.colours.map((c) => new THREE.Vector3(...(toLinear(c) as Vec3)));
    // Thin enough to vanish in a picture, cloth gets an edge that can still be seen.
    const half = 0.5 * Math.max(cloth.thickness, 0.0012 * clothSize(model));
    this.lift = Math.max(this.lift, 1.6 * half);
    const own = (sign: number): Uniforms => ({
      ...this.uniforms, front: { value: colours[0] }, back: { value: colours[1] },
      lift: { value: sign * half }, yarn: { value: yarn },
    });
    const geometry = clothGeometry(model, cloth, fabric);
    const front = drawn(geometry, clothMaterial(own(1), THREE.FrontSide));
    const back = drawn(geometry, clothMaterial(own(-1), THREE.FrontSide));
    // Front faces left out instead of back ones, without telling the shader that front and back changed places.
    back.onBeforeRender = (renderer) => {
      const gl = renderer.getContext();
      gl.cullFace(gl.FRONT);
    };
    back.onAfterRender = (renderer) => {
      const gl = renderer.getContext();
      gl.cullFace(gl.BACK);
    };
    const rim = drawn(rimGeometry(model, cloth), rimMaterial({ ...own(1), yarn: { value: 0 } }));
    // In a hurry both sides are one, and have no thickness, and each node is worked out once.
    const byNode = nodeGeometry(model, cloth);
    const flat = { ...own(0), yarn: { value: 0 } };
    const dyed = clothMaterial(flat, THREE.DoubleSide, ["QUICK"]);
    const valued = clothMaterial(flat, THREE.DoubleSide, ["QUICK", "BY_VALUE"]);
    const both = drawn(byNode, dyed);
    this.add(["careful"], front, back, rim);
    this.add(["quick", "over"], both);
    this.sheets.push({ mesh: both, byNode, byFace: geometry, dyed, valued });
    this.shadowScene.add(drawn(byNode, clothDepth({ ...own(0), toClip: this.shadow.uniforms.toLight! })));
  }

  private addBody(body: ModelBody): void {
    const colour = new THREE.Vector3(...(toLinear(body.colour) as Vec3));
    const uniforms: Uniforms = {
      ...this.uniforms, front: { value: colour }, back: { value: colour }, byValue: { value: false },
      glossy: { value: true }, yarn: { value: 0 },
      translation: { value: new THREE.Vector3() }, rotation: { value: new THREE.Vector4(0, 0, 0, 1) },
    };
    const geometry = new THREE.BufferGeometry();
    this.bodies.push({ body, geometry, uniforms, radius: reachOf(body) });
    if (body.faces.length === 0) return;
    fillBody(geometry, body, body.positions);
    this.add(["careful"], drawn(geometry, bodyMaterial(uniforms)));
    this.add(["quick", "over"], drawn(geometry, bodyMaterial(uniforms, ["QUICK"])));
    this.shadowScene.add(drawn(geometry, bodyDepth({ ...uniforms, toClip: this.shadow.uniforms.toLight! })));
  }

  private addWire(): THREE.Mesh {
    const geometry = new THREE.InstancedBufferGeometry();
    geometry.setIndex(STRIP);
    geometry.setAttribute("edge", new THREE.InstancedBufferAttribute(this.model.edges, 2));
    geometry.instanceCount = this.model.edges.length / 2;
    const mesh = drawn(geometry, wireMaterial(this.uniforms), 4);
    mesh.visible = false;
    this.scene.add(mesh);
    return mesh;
  }

  /** Takes over a moment. Positions are from `origin`, the stage's own is `from`. */
  move(positions: Float32Array, poses: Float32Array, shift: number[], time: number): void {
    for (let k = 0; k < this.positions.length; k += 3)
      for (let axis = 0; axis < 3; axis++) this.positions[k + axis] = positions[k + axis]! + shift[axis]!;
    vertexNormals(this.model.faces, this.positions, this.normals);
    this.normalTable.fill(this.normals);
    this.nodes.fill(this.positions, this.values);
    this.poses = poses.slice();
    this.bodies.forEach(({ body, geometry, uniforms }, index) => {
      const pose = poses.subarray(7 * index, 7 * index + 7);
      for (let axis = 0; axis < 3; axis++) this.poses[7 * index + axis] = pose[axis]! + shift[axis]!;
      (uniforms.translation!.value as THREE.Vector3).fromArray(this.poses, 7 * index);
      (uniforms.rotation!.value as THREE.Vector4).fromArray(this.poses, 7 * index + 3);
      if (body.morph) fillBody(geometry, body, shapeAt(body, time));
    });
  }

  private values: Float32Array | null = null;

  colourBy(colouring: Colouring | null): void {
    this.uniforms.byValue!.value = colouring !== null;
    this.values = colouring && !colouring.perFace ? colouring.values : null;
    for (const { mesh, byNode, byFace, dyed, valued } of this.sheets)
      Object.assign(mesh, { material: colouring ? valued : dyed, geometry: colouring?.perFace ? byFace : byNode });
    if (!colouring) return;
    if (colouring.perFace) this.faceValues.fill(colouring.values);
    else this.nodes.fill(this.positions, this.values);
    this.uniforms.valuePerFace!.value = colouring.perFace;
    (this.uniforms.range!.value as THREE.Vector2).set(...colouring.range);
    this.uniforms.ramp!.value = this.rampOf(colouring.stops);
  }

  private rampOf(stops: string[]): THREE.DataTexture {
    const key = stops.join();
    if (!this.ramps.has(key)) this.ramps.set(key, rampTexture(stops));
    return this.ramps.get(key)!;
  }

  /** How the next picture is drawn; in a hurry only what is seen at a glance, where there is no graphics card. */
  set manner(manner: Manner) {
    for (const parts of Object.values(this.parts)) for (const part of parts) part.visible = false;
    for (const part of this.parts[manner]) part.visible = true;
    if (manner === "over") this.shade();
  }

  /** Whether the ground hides nothing of the scene, so that it can be drawn before it. */
  isOver(eye: ArrayLike<number>): boolean {
    return eye[2]! > (this.ground.plane!.value as THREE.Vector4).z;
  }

  // Where on the ground the shadows of this moment can be.
  private shade(): void {
    const height = (this.ground.plane!.value as THREE.Vector4).z;
    const [low, high] = [[Infinity, Infinity], [-Infinity, -Infinity]];
    const take = (x: number, y: number, z: number, radius: number): void => {
      const along = (z - height) / KEY_LIGHT[2]!;
      [x - KEY_LIGHT[0]! * along, y - KEY_LIGHT[1]! * along].forEach((at, axis) => {
        low[axis] = Math.min(low[axis]!, at - radius);
        high[axis] = Math.max(high[axis]!, at + radius);
      });
    };
    const { positions, poses } = this;
    const margin = 8 * (this.shadow.uniforms.shadowTexel!.value as number);
    for (let k = 0; k < positions.length; k += 3) take(positions[k]!, positions[k + 1]!, positions[k + 2]!, margin);
    this.bodies.forEach(({ radius }, k) => {
      if (radius > 0) take(poses[7 * k]!, poses[7 * k + 1]!, poses[7 * k + 2]!, radius / KEY_LIGHT[2]! + margin);
    });
    const solid = this.ground.solid!.value as boolean;
    const half = solid ? high.map((x, axis) => Math.max(0, (x - low[axis]!) / 2)) : [0, 0];
    (this.ground.region!.value as THREE.Vector4).set(low[0]! + half[0]!, low[1]! + half[1]!, half[0]!, half[1]!);
  }

  set wireframe(on: boolean) {
    this.wire.visible = on;
  }

  /** Puts ground and light around the scene. */
  frame(bounds: Bounds, theme: Theme): void {
    const { centre, radius, low } = bounds;
    const level = this.model.bodies.find((body) => body.ground !== null);
    const height = this.groundHeight();
    this.shadow.aim(centre, 1.25 * radius);
    (this.ground.plane!.value as THREE.Vector4).set(
      centre[0]!, centre[1]!, height ?? low[2]! - 0.02 * radius, 7 * radius,
    );
    const tint = level?.colour ?? [0.5, 0.5, 0.5];
    (this.ground.ground!.value as THREE.Vector3).fromArray(
      theme.ground.map((c, k) => Math.min(1, c * (0.86 + 0.28 * tint[k]!))),
    );
    (this.ground.grid!.value as THREE.Vector3).fromArray(theme.grid);
    this.ground.cell!.value = niceStep(radius, 6);
    this.ground.solid!.value = level !== undefined;
    this.ground.shade!.value = theme.dark ? 0.55 : 0.28;
    this.backdropVersion++;
  }

  private groundHeight(): number | null {
    const level = this.model.bodies.find((body) => body.ground !== null);
    return level ? level.ground! - this.origin[2]! : null;
  }

  /** Box around what is there now. Enormous bodies do not count. */
  bounds(): Bounds {
    const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
    const take = (point: ArrayLike<number>, at = 0): void => {
      for (let axis = 0; axis < 3; axis++) {
        low[axis] = Math.min(low[axis]!, point[at + axis]!);
        high[axis] = Math.max(high[axis]!, point[at + axis]!);
      }
    };
    for (let k = 0; k < this.positions.length; k += 3) take(this.positions, k);
    const reach = this.positions.length ? 2.5 * Math.hypot(...high.map((x, k) => x - low[k]!)) : Infinity;
    this.bodies.forEach(({ body }, index) => {
      const pose = this.poses.subarray(7 * index, 7 * index + 7);
      const points = [];
      for (let k = 0; k < body.positions.length; k += 3) {
        const turned = rotate(pose.subarray(3), body.positions.subarray(k, k + 3));
        points.push(turned.map((x, axis) => x + pose[axis]!));
      }
      const size = Math.max(0, ...points.map((p) => Math.hypot(...p.map((x, k) => x - (low[k]! + high[k]!) / 2))));
      if (size < reach) points.forEach((p) => take(p));
    });
    const ground = this.groundHeight();
    if (ground !== null && ground < low[2]! && low[2]! - ground < reach) low[2] = ground;
    const centre = low.map((x, k) => (x + high[k]!) / 2);
    return { low, high, centre, radius: Math.max(0.5 * Math.hypot(...high.map((x, k) => x - low[k]!)), 1e-6) };
  }

  dispose(): void {
    for (const scene of [this.scene, this.shadowScene, this.backdropScene])
      scene.traverse((object) => {
        if (!(object instanceof THREE.Mesh || object instanceof THREE.Points)) return;
        object.geometry.dispose();
        (object.material as THREE.Material).dispose();
      });
    for (const { byNode, byFace, dyed, valued } of this.sheets) for (const one of [byNode, byFace, dyed, valued]) one.dispose();
    for (const table of [this.nodes, this.normalTable, this.faceValues]) table.dispose();
    for (const ramp of this.ramps.values()) ramp.dispose();
    this.shadow.dispose();
  }
}

/** How far from its origin a body reaches, in any of its shapes (m). */
function reachOf(body: ModelBody): number {
  const places = [body.positions, ...(body.morph ? [body.morph.positions] : [])];
  let most = 0;
  for (const list of places) for (let k = 0; k < list.length; k += 3) most = Math.max(most, Math.hypot(list[k]!, list[k + 1]!, list[k + 2]!));
  return most;
}

export function clothSize(model: Model): number {
  let largest = 0;
  for (const cloth of model.cloths) {
    let area = 0;
    for (let f = cloth.firstFace; f < cloth.firstFace + cloth.faceCount; f++) area += model.restAreas[f] || 0;
    largest = Math.max(largest, area);
  }
  return Math.sqrt(largest) || 1;
}

function clothGeometry(model: Model, cloth: ModelCloth, fabric: Float32Array): THREE.BufferGeometry {
  const [nodes, faces, threads]: number[][] = [[], [], []];
  for (let f = cloth.firstFace; f < cloth.firstFace + cloth.faceCount; f++) {
    const slots = model.faces[4 * f + 3] === NO_CORNER ? [0, 1, 2] : [0, 1, 2, 0, 2, 3];
    for (const slot of slots) {
      nodes!.push(model.faces[4 * f + slot]!);
      faces!.push(f);
      threads!.push(fabric[8 * f + 2 * slot] || 0, fabric[8 * f + 2 * slot + 1] || 0);
    }
  }
  const geometry = bareGeometry(nodes!.length);
  geometry.setAttribute("node", new THREE.Uint32BufferAttribute(nodes!, 1));
  geometry.setAttribute("face", new THREE.Uint32BufferAttribute(faces!, 1));
  geometry.setAttribute("fabric", new THREE.Float32BufferAttribute(threads!, 2));
  return geometry;
}

// The same without what differs from face to face: corners that faces share are one.
function nodeGeometry(model: Model, cloth: ModelCloth): THREE.BufferGeometry {
  const index: number[] = [];
  for (let f = cloth.firstFace; f < cloth.firstFace + cloth.faceCount; f++) {
    const slots = model.faces[4 * f + 3] === NO_CORNER ? [0, 1, 2] : [0, 1, 2, 0, 2, 3];
    for (const slot of slots) index.push(model.faces[4 * f + slot]! - cloth.firstNode);
  }
  const geometry = bareGeometry(index.length, index);
  const nodes = Uint32Array.from({ length: cloth.nodeCount }, (_, k) => cloth.firstNode + k);
  geometry.setAttribute("node", new THREE.BufferAttribute(nodes, 1));
  geometry.setAttribute("face", new THREE.BufferAttribute(new Uint32Array(cloth.nodeCount), 1));
  geometry.setAttribute("fabric", new THREE.BufferAttribute(new Float32Array(2 * cloth.nodeCount), 2));
  return geometry;
}

// The band along the rim, wound so that it is seen from outside.
function rimGeometry(model: Model, cloth: ModelCloth): THREE.BufferGeometry {
  const [nodes, opposites, sides]: number[][] = [[], [], []];
  const last = cloth.firstNode + cloth.nodeCount;
  for (let k = 0; k < model.rim.length; k += 3) {
    const [from, to, opposite] = [model.rim[k]!, model.rim[k + 1]!, model.rim[k + 2]!];
    if (from < cloth.firstNode || from >= last) continue;
    const corners: [number, number][] = [[from, -1], [to, -1], [to, 1], [from, -1], [to, 1], [from, 1]];
    for (const [node, side] of corners) {
      nodes!.push(node);
      opposites!.push(opposite);
      sides!.push(side);
    }
  }
  const geometry = bareGeometry(nodes!.length);
  geometry.setAttribute("node", new THREE.Uint32BufferAttribute(nodes!, 1));
  geometry.setAttribute("opposite", new THREE.Uint32BufferAttribute(opposites!, 1));
  geometry.setAttribute("side", new THREE.Float32BufferAttribute(sides!, 1));
  return geometry;
}

function fillBody(geometry: THREE.BufferGeometry, body: ModelBody, positions: Float32Array): void {
  const { places, directions } = bodyVertices(positions, body.faces, body.smooth);
  geometry.setAttribute("position", new THREE.BufferAttribute(places, 3));
  geometry.setAttribute("direction", new THREE.BufferAttribute(directions, 3));
}

/** Where a point of a face is, from its weights. */
export function placeOn(model: Model, positions: Float32Array, face: number, weights: number[]): Vec3 {
  const place: Vec3 = [0, 0, 0];
  cornersOf(model.faces, face).forEach((node, k) => {
    for (let axis = 0; axis < 3; axis++) place[axis]! += weights[k]! * positions[3 * node + axis]!;
  });
  return place;
}
