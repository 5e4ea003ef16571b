// Types of the player's scripts (crates/toile-scene/src/report/*.js), which the build joins into one module.

declare const __STATIC__: boolean;

declare module "virtual:player" {
  type Vector = number[];

  export const FIELD_OF_VIEW: number;
  export const NO_CORNER: number;
  export const TEXTURE_WIDTH: number;

  export interface Held { points: Vector[]; radius: number }
  export function cornersOfBox(low: Vector, high: Vector): Vector[];
  export class Camera {
    constructor(bounds: Held, opening?: { azimuth: number; elevation: number; zoom: number });
    points: Vector[];
    radius: number;
    aspect: number;
    azimuth: number;
    elevation: number;
    distance: number;
    target: Vector;
    moved: boolean;
    hold(bounds: Held): void;
    reset(): void;
    fit(): void;
    setAspect(aspect: number): void;
    axes(): { back: Vector; right: Vector; up: Vector };
    turn(dx: number, dy: number): void;
    pan(dx: number, dy: number): void;
    zoom(factor: number): void;
    eye(): Vector;
    matrix(): Float32Array;
  }
  export function attachGestures(canvas: HTMLElement, camera: Camera, changed: () => void): void;
  export function add(a: Vector, b: Vector, scale?: number): Vector;
  export function dot(a: Vector, b: Vector): number;
  export function cross(a: Vector, b: Vector): Vector;
  export function unit(a: Vector): Vector;
  export function multiply(a: Float32Array, b: Float32Array): Float32Array;
  export function lookFrom(eye: Vector, target: Vector, up: Vector): Float32Array;
  export function orthographic(radius: number, depth: number): Float32Array;
  export function perspective(aspect: number, near: number, far: number): Float32Array;

  export const RAMPS: { diverging: string[]; sequential: string[] };
  export function parseColour(text: string): Vector;
  export function rampPixels(stops: string[]): Uint8Array;
  export function toLinear(colour: Vector): Vector;
  export function readTheme(): Theme;
  export interface Theme { top: Vector; bottom: Vector; ground: Vector; grid: Vector; dark: boolean }

  export interface Surface {
    nodeCount: number;
    faces: Uint32Array;
    edges: Uint32Array;
    restLengths: Float32Array;
    restAreas: Float32Array;
  }
  export interface Measure {
    title: string;
    signed: boolean;
    perFace: boolean;
    compute(surface: Surface, positions: Float32Array, out: Float32Array): void;
  }
  export const MEASURES: Record<"stretch" | "magnitude" | "area", Measure>;
  export function vertexNormals(faces: Uint32Array, positions: Float32Array, out: Float32Array): void;
  export function mix(a: Float32Array, b: Float32Array, blend: number, out: Float32Array): void;
  export function locate(times: ArrayLike<number>, time: number): { index: number; blend: number };
  export function nearestIndex(times: ArrayLike<number>, time: number): number;
  export function niceCeiling(value: number): number;
  export function niceStep(span: number, count: number): number;
  export function readable(value: number): string;
  export function unitScale(unit: string, size: number): { unit: string; scale: number };

  export const CLOTH_VERTEX: string;
  export const BODY_VERTEX: string;
  export const RIM_VERTEX: string;
  export const DEPTH_FRAGMENT: string;
  export const SURFACE_FRAGMENT: string;
  export const WIRE_VERTEX: string;
  export const WIRE_FRAGMENT: string;
  export const GROUND_VERTEX: string;
  export const GROUND_FRAGMENT: string;
  export const BACKGROUND_VERTEX: string;
  export const BACKGROUND_FRAGMENT: string;
}
