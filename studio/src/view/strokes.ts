// Lines and dots over the picture: pins, grasps and their forces, contacts, arrows of warp and weft, seams. Widths are
// in pixels of the screen, so that they read the same from near and far.

import * as THREE from "three";
import { bareGeometry, drawn, type Uniforms } from "./materials.ts";

const STROKE_VERTEX = `
precision highp float;
layout(location = 0) in vec3 start;
layout(location = 1) in vec3 end;
layout(location = 2) in vec4 ink;   // and the width in pixels
uniform mat4 toClip;
uniform vec2 viewport;
uniform float forward;
out vec4 colour;
out float across;
void main() {
  vec4 a = toClip * vec4(start, 1.0);
  vec4 b = toClip * vec4(end, 1.0);
  vec2 along = (b.xy / b.w - a.xy / a.w) * viewport;
  vec2 side = normalize(vec2(-along.y, along.x) + 1e-9) / viewport;
  across = (gl_VertexID & 1) == 0 ? -1.0 : 1.0;
  vec4 point = gl_VertexID < 2 ? a : b;
  point.xy += side * across * (ink.w + 1.0) * point.w;
  point.z -= forward * point.w;
  colour = vec4(ink.rgb, ink.w);
  gl_Position = point;
}`;

const STROKE_FRAGMENT = `
precision highp float;
in vec4 colour;
in float across;
out vec4 result;
void main() {
  float coverage = clamp((1.0 - abs(across)) * (colour.a + 1.0) * 0.7, 0.0, 1.0);
  result = vec4(colour.rgb, 1.0) * coverage;
}`;

const DOT_VERTEX = `
precision highp float;
layout(location = 0) in vec3 place;
layout(location = 1) in vec4 ink;   // and the diameter in pixels
uniform mat4 toClip;
uniform float pixelRatio;
uniform float forward;
out vec4 colour;
void main() {
  gl_Position = toClip * vec4(place, 1.0);
  gl_Position.z -= forward * gl_Position.w;
  gl_PointSize = (ink.w + 3.0) * pixelRatio;
  colour = vec4(ink.rgb, gl_PointSize);
}`;

const DOT_FRAGMENT = `
precision highp float;
in vec4 colour;
uniform vec3 paper;
uniform float pixelRatio;
out vec4 result;
void main() {
  float radius = length(gl_PointCoord - 0.5) * colour.a;
  float edge = 0.5 * colour.a;
  float inside = clamp(edge - radius, 0.0, 1.0);
  float core = clamp(edge - 1.5 * min(pixelRatio, 1.0) - radius, 0.0, 1.0);
  result = vec4(mix(paper, colour.rgb, core), 1.0) * inside;
}`;

const veil: THREE.ShaderMaterialParameters = {
  glslVersion: THREE.GLSL3, transparent: true, depthWrite: false, blending: THREE.CustomBlending,
  blendSrc: THREE.OneFactor, blendDst: THREE.OneMinusSrcAlphaFactor, side: THREE.DoubleSide,
};

/** A growing list of strokes and dots, thrown away and made anew when something moves. */
export class Strokes {
  readonly meshes: THREE.Object3D[];
  private lines: number[] = [];
  private dots: number[] = [];
  private readonly lineGeometry = new THREE.InstancedBufferGeometry();
  private readonly dotGeometry = bareGeometry(0);

  /** `forward`: how far in front of the surfaces, in depth; large enough to show through them. */
  constructor(uniforms: Uniforms, forward: number) {
    const own = { ...uniforms, forward: { value: forward } };
    const depthTest = forward < 0.5;
    const line = new THREE.RawShaderMaterial({
      ...veil, vertexShader: STROKE_VERTEX, fragmentShader: STROKE_FRAGMENT, uniforms: own, depthTest,
    });
    const dot = new THREE.RawShaderMaterial({
      ...veil, vertexShader: DOT_VERTEX, fragmentShader: DOT_FRAGMENT, uniforms: own, depthTest,
    });
    this.lineGeometry.setIndex([0, 1, 2, 2, 1, 3]);
    const points = new THREE.Points(this.dotGeometry, dot);
    points.frustumCulled = false;
    points.renderOrder = 6;
    this.meshes = [drawn(this.lineGeometry, line, 5), points];
    this.flush();
  }

  clear(): void {
    this.lines.length = 0;
    this.dots.length = 0;
  }

  line(from: ArrayLike<number>, to: ArrayLike<number>, colour: ArrayLike<number>, width = 1.5): void {
    this.lines.push(from[0]!, from[1]!, from[2]!, to[0]!, to[1]!, to[2]!, colour[0]!, colour[1]!, colour[2]!, width);
  }

  dot(at: ArrayLike<number>, colour: ArrayLike<number>, size = 7): void {
    this.dots.push(at[0]!, at[1]!, at[2]!, colour[0]!, colour[1]!, colour[2]!, size);
  }

  /** A line with a head, seen from any side. */
  arrow(from: number[], along: number[], colour: ArrayLike<number>, width = 2): void {
    const to = from.map((x, k) => x + along[k]!);
    this.line(from, to, colour, width);
    const length = Math.hypot(...along);
    if (length < 1e-9) return;
    const helper = Math.abs(along[2]!) < 0.8 * length ? [0, 0, 1] : [1, 0, 0];
    const side = [
      along[1]! * helper[2]! - along[2]! * helper[1]!,
      along[2]! * helper[0]! - along[0]! * helper[2]!,
      along[0]! * helper[1]! - along[1]! * helper[0]!,
    ];
    const scale = (0.09 * length) / (Math.hypot(...side) || 1);
    for (const sign of [-1, 1])
      this.line(to, to.map((x, k) => x - 0.22 * along[k]! + sign * scale * side[k]!), colour, width);
  }

  flush(): void {
    const lines = new THREE.InstancedInterleavedBuffer(new Float32Array(this.lines), 10);
    this.lineGeometry.setAttribute("start", new THREE.InterleavedBufferAttribute(lines, 3, 0));
    this.lineGeometry.setAttribute("end", new THREE.InterleavedBufferAttribute(lines, 3, 3));
    this.lineGeometry.setAttribute("ink", new THREE.InterleavedBufferAttribute(lines, 4, 6));
    this.lineGeometry.instanceCount = this.lines.length / 10;
    const dots = new THREE.InterleavedBuffer(new Float32Array(this.dots), 7);
    this.dotGeometry.setAttribute("place", new THREE.InterleavedBufferAttribute(dots, 3, 0));
    this.dotGeometry.setAttribute("ink", new THREE.InterleavedBufferAttribute(dots, 4, 3));
    this.dotGeometry.setDrawRange(0, this.dots.length / 7);
    this.meshes[0]!.visible = this.lines.length > 0;
    this.meshes[1]!.visible = this.dots.length > 0;
  }
}
