// The shadow map: depths as the key light sees them, around a sphere that holds the scene.

import * as THREE from "three";
import { add, lookFrom, multiply, orthographic, unit } from "virtual:player";
import type { Uniforms } from "./materials.ts";

const FINE = 1536;
const COARSE = 640; // without a graphics card
export const KEY_LIGHT = unit([-0.4, -0.5, 0.85]);

export class Shadow {
  readonly target: THREE.WebGLRenderTarget;
  readonly uniforms: Uniforms;

  isDrawn = false;
  private readonly size: number;

  constructor(software: boolean) {
    this.size = software ? COARSE : FINE;
    const depth = new THREE.DepthTexture(this.size, this.size, THREE.UnsignedIntType);
    depth.compareFunction = THREE.LessEqualCompare;
    depth.minFilter = THREE.LinearFilter;
    depth.magFilter = THREE.LinearFilter;
    this.target = new THREE.WebGLRenderTarget(this.size, this.size, { depthTexture: depth, depthBuffer: true });
    this.uniforms = {
      shadowMap: { value: depth },
      toLight: { value: new THREE.Matrix4() },
      keyLight: { value: new THREE.Vector3(...KEY_LIGHT) },
      shadowTexel: { value: 0.01 },
    };
  }

  /** Looks at a sphere; it looks deeper than the sphere, because shadows fall onto the ground behind it. */
  aim(centre: number[], radius: number): void {
    const view = lookFrom(centre, add(centre, KEY_LIGHT, -1), [0, 0, 1]);
    (this.uniforms.toLight!.value as THREE.Matrix4).fromArray(multiply(orthographic(radius, 4 * radius), view));
    this.uniforms.shadowTexel!.value = (2 * radius) / this.size;
  }

  dispose(): void {
    this.target.depthTexture?.dispose();
    this.target.dispose();
  }
}
