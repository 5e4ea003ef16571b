// three.js materials around the player's shaders, so that cloth looks the same here and in report.html.

import * as THREE from "three";
import {
  BACKGROUND_FRAGMENT, BACKGROUND_VERTEX, BODY_VERTEX, CLOTH_VERTEX, DEPTH_FRAGMENT, GROUND_FRAGMENT, GROUND_VERTEX,
  RIM_VERTEX, SURFACE_FRAGMENT, TEXTURE_WIDTH, WIRE_FRAGMENT, WIRE_VERTEX, rampPixels,
} from "virtual:player";

export type Uniforms = Record<string, THREE.IUniform>;

// three.js writes the version line itself.
const source = (glsl: string): string => glsl.replace("#version 300 es\n", "");

/** What the shaders may be told to leave out, or to take for granted. */
export type Short = "QUICK" | "BY_VALUE" | "WITHOUT_SHADOW" | "SHADOW_ALONE";

interface Parameters extends THREE.ShaderMaterialParameters {
  short?: Short[];
}

function material(vertex: string, fragment: string, uniforms: Uniforms, { short, ...rest }: Parameters = {}) {
  return new THREE.RawShaderMaterial({
    glslVersion: THREE.GLSL3, vertexShader: source(vertex), fragmentShader: source(fragment), uniforms,
    defines: Object.fromEntries((short ?? []).map((name) => [name, 1])), ...rest,
  });
}

const offset = { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 };

/** One face of a cloth: its front is lifted to one side, its back to the other, and the rim closes what is between. */
export const clothMaterial = (uniforms: Uniforms, side: THREE.Side, short: Short[] = []) =>
  material(CLOTH_VERTEX, SURFACE_FRAGMENT, uniforms, { side, short, ...offset });
export const rimMaterial = (uniforms: Uniforms) =>
  material(RIM_VERTEX, SURFACE_FRAGMENT, uniforms, { side: THREE.DoubleSide, ...offset });
export const bodyMaterial = (uniforms: Uniforms, short: Short[] = []) =>
  material(BODY_VERTEX, SURFACE_FRAGMENT, uniforms, { side: THREE.DoubleSide, short, ...offset });
export const clothDepth = (uniforms: Uniforms) =>
  material(CLOTH_VERTEX, DEPTH_FRAGMENT, uniforms, { side: THREE.DoubleSide, colorWrite: false });
export const bodyDepth = (uniforms: Uniforms) =>
  material(BODY_VERTEX, DEPTH_FRAGMENT, uniforms, { side: THREE.DoubleSide, colorWrite: false });

const veil: THREE.ShaderMaterialParameters = {
  transparent: true, depthWrite: false, blending: THREE.CustomBlending, blendEquation: THREE.AddEquation,
  blendSrc: THREE.OneFactor, blendDst: THREE.OneMinusSrcAlphaFactor,
};

export const groundMaterial = (uniforms: Uniforms, short: Short[] = []) =>
  material(GROUND_VERTEX, GROUND_FRAGMENT, uniforms, {
    ...veil, short, side: THREE.DoubleSide, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 4,
  });
export const wireMaterial = (uniforms: Uniforms) =>
  material(WIRE_VERTEX, WIRE_FRAGMENT, uniforms, { ...veil, side: THREE.DoubleSide });
export const backgroundMaterial = (uniforms: Uniforms, short: Short[] = []) =>
  material(BACKGROUND_VERTEX, BACKGROUND_FRAGMENT, uniforms, { short, depthWrite: false, depthTest: false });

/** Numbers that shaders read by index, four for each entry. */
export class Table {
  readonly data: Float32Array<ArrayBuffer>;
  readonly texture: THREE.DataTexture;

  constructor(count: number, private readonly channels: 1 | 4) {
    const height = Math.max(1, Math.ceil(count / TEXTURE_WIDTH));
    this.data = new Float32Array(TEXTURE_WIDTH * height * channels);
    const format = channels === 4 ? THREE.RGBAFormat : THREE.RedFormat;
    this.texture = new THREE.DataTexture(this.data, TEXTURE_WIDTH, height, format, THREE.FloatType);
    this.texture.needsUpdate = true;
  }

  /** Takes vectors (three numbers each) or single numbers, and a fourth number for each vector. */
  fill(numbers: Float32Array, fourth: Float32Array | null = null): void {
    const { data } = this;
    if (this.channels === 1) data.set(numbers.subarray(0, data.length));
    else
      for (let k = 0, from = 0, to = 0; from < numbers.length; k++, from += 3, to += 4) {
        data[to] = numbers[from]!;
        data[to + 1] = numbers[from + 1]!;
        data[to + 2] = numbers[from + 2]!;
        data[to + 3] = fourth ? fourth[k]! : 0;
      }
    this.texture.needsUpdate = true;
  }

  dispose(): void {
    this.texture.dispose();
  }
}

/** A colour map as a texture. */
export function rampTexture(stops: string[]): THREE.DataTexture {
  const texture = new THREE.DataTexture(new Uint8Array(rampPixels(stops)), 256, 1, THREE.RGBAFormat);
  texture.minFilter = THREE.LinearFilter;
  texture.magFilter = THREE.LinearFilter;
  texture.needsUpdate = true;
  return texture;
}

/** Geometry that has no attribute called `position`; its shaders find places by themselves. */
export function bareGeometry(count: number, index?: number[]): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  if (index) geometry.setIndex(index);
  geometry.setDrawRange(0, index ? index.length : count);
  return geometry;
}

export function drawn(geometry: THREE.BufferGeometry, material: THREE.Material, order = 0): THREE.Mesh {
  const mesh = new THREE.Mesh(geometry, material);
  mesh.frustumCulled = false;
  mesh.renderOrder = order;
  mesh.matrixAutoUpdate = false;
  return mesh;
}
