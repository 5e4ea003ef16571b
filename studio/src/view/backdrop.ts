// Background and ground, kept as they are for as long as the camera stands still. Without a graphics card they cost more
// than the cloth, because they fill the picture.

import * as THREE from "three";
import type { Actor } from "./actor.ts";

export class Backdrop {
  private readonly target = new THREE.WebGLRenderTarget(1, 1, { depthBuffer: false });
  private key = "";
  private isMade = false;

  /** Puts it into the picture, in these pixels; false if it is worth nothing yet, because the view changes. */
  draw(renderer: THREE.WebGLRenderer, actor: Actor, eye: THREE.Camera, view: string, [x, y, width, height]: number[]): boolean {
    const key = [view, width, height, actor.backdropVersion].join();
    if (key !== this.key) {
      this.key = key;
      this.isMade = false;
      return false;
    }
    if (!this.isMade) this.make(renderer, actor, eye, width!, height!);
    const gl = renderer.getContext() as WebGL2RenderingContext;
    const own = (renderer.properties.get(this.target) as { __webglFramebuffer: WebGLFramebuffer }).__webglFramebuffer;
    renderer.state.bindFramebuffer(gl.READ_FRAMEBUFFER, own);
    gl.blitFramebuffer(0, 0, width!, height!, x!, y!, x! + width!, y! + height!, gl.COLOR_BUFFER_BIT, gl.NEAREST);
    renderer.state.bindFramebuffer(gl.READ_FRAMEBUFFER, null);
    return true;
  }

  private make(renderer: THREE.WebGLRenderer, actor: Actor, eye: THREE.Camera, width: number, height: number): void {
    this.target.setSize(width, height);
    renderer.setRenderTarget(this.target);
    renderer.setScissorTest(false);
    renderer.clear(true, false, false);
    renderer.render(actor.backdropScene, eye);
    renderer.setRenderTarget(null);
    this.isMade = true;
  }

  dispose(): void {
    this.target.dispose();
  }
}
