// A camera that turns around a point, z up, and the gestures that move it.

const FIELD_OF_VIEW = (32 * Math.PI) / 180;
const HOME = { azimuth: -58, elevation: 20, zoom: 1 };

const add = (a, b, scale = 1) => a.map((x, k) => x + b[k] * scale);
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => a.map((x) => x / (Math.hypot(...a) || 1));

// Matrices are columns one after the other, as WebGL wants them.
function multiply(a, b) {
  const out = new Float32Array(16);
  for (let column = 0; column < 4; column++)
    for (let row = 0; row < 4; row++)
      for (let k = 0; k < 4; k++) out[4 * column + row] += a[4 * k + row] * b[4 * column + k];
  return out;
}

function lookFrom(eye, target, up) {
  const back = unit(add(eye, target, -1));
  const right = unit(cross(up, back));
  const top = cross(back, right);
  const axes = [right, top, back];
  const columns = [0, 1, 2].flatMap((k) => [right[k], top[k], back[k], 0]);
  return new Float32Array([...columns, ...axes.map((axis) => -dot(axis, eye)), 1]);
}

function perspective(aspect, near, far) {
  const f = 1 / Math.tan(FIELD_OF_VIEW / 2);
  const depth = near - far;
  return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / depth, -1, 0, 0, (2 * far * near) / depth, 0]);
}

function orthographic(radius, depth) {
  return new Float32Array([1 / radius, 0, 0, 0, 0, 1 / radius, 0, 0, 0, 0, -1 / depth, 0, 0, 0, 0, 1]);
}

// The corners of a box.
function cornersOfBox(low, high) {
  return Array.from({ length: 8 }, (_, corner) => [0, 1, 2].map((k) => ((corner >> k) & 1 ? high : low)[k]));
}

class Camera {
  // Holds points in view, within a radius of their middle, from where the scene says (degrees).
  constructor(bounds, { azimuth, elevation, zoom } = HOME) {
    const steepest = 0.495 * Math.PI;
    this.home = {
      azimuth: (azimuth * Math.PI) / 180,
      elevation: Math.max(-steepest, Math.min(steepest, (elevation * Math.PI) / 180)),
      zoomed: zoom > 0 ? zoom : 1,
    };
    this.aspect = 1;
    this.hold(bounds);
    this.reset();
  }

  hold({ points, radius }) {
    Object.assign(this, { points, radius });
  }

  reset() {
    Object.assign(this, this.home);
    this.moved = false;
    this.fit();
  }

  setAspect(aspect) {
    this.aspect = aspect;
    if (!this.moved) this.fit();
  }

  axes() {
    const [ca, sa] = [Math.cos(this.azimuth), Math.sin(this.azimuth)];
    const [ce, se] = [Math.cos(this.elevation), Math.sin(this.elevation)];
    return { back: [ca * ce, sa * ce, se], right: [-sa, ca, 0], up: [-ca * se, -sa * se, ce] };
  }

  // The nearest place from which all points are seen. Each border of the picture is a plane through the eye: the farthest point beyond
  // it says how far the eye must stand back and aside.
  fit() {
    const { back, right, up } = this.axes();
    const slope = 0.9 * Math.tan(FIELD_OF_VIEW / 2);
    const reach = (axis, tangent, sign) => {
      let most = -Infinity;
      for (const point of this.points) most = Math.max(most, sign * dot(point, axis) + tangent * dot(point, back));
      return most;
    };
    const [wide, high] = [slope * this.aspect, slope];
    const [east, west] = [reach(right, wide, 1), reach(right, wide, -1)];
    const [north, south] = [reach(up, high, 1), reach(up, high, -1)];
    const away = Math.max((east + west) / (2 * wide), (north + south) / (2 * high));
    // The eye is at this height over each axis; the target is in the middle of what is seen.
    const eye = [right, up, back].reduce((sum, axis, k) => add(sum, axis, [(east - west) / 2, (north - south) / 2, away][k]), [0, 0, 0]);
    const depths = this.points.map((point) => dot(point, back));
    const middle = (Math.min(...depths) + Math.max(...depths)) / 2;
    const distance = Math.max(away - middle, 0.2 * this.radius);
    this.target = add(eye, back, middle - away);
    this.distance = distance / this.zoomed;
  }

  turn(dx, dy) {
    const limit = 0.495 * Math.PI;
    this.azimuth -= dx;
    this.elevation = Math.max(-limit, Math.min(limit, this.elevation + dy));
    this.moved = true;
  }

  // Moves the target so that the scene follows the pointer; `dx`, `dy` in heights of the picture.
  pan(dx, dy) {
    const { right, up } = this.axes();
    const size = 2 * this.distance * Math.tan(FIELD_OF_VIEW / 2);
    this.target = add(add(this.target, right, -dx * size), up, dy * size);
    this.moved = true;
  }

  zoom(factor) {
    const distance = this.distance * factor;
    this.distance = Math.max(0.02 * this.radius, Math.min(60 * this.radius, distance));
    this.moved = true;
  }

  eye() {
    return add(this.target, this.axes().back, this.distance);
  }

  matrix() {
    const { up } = this.axes();
    const near = Math.max(0.02 * this.distance, this.distance - 8 * this.radius);
    const far = this.distance + 30 * this.radius;
    return multiply(perspective(this.aspect, near, far), lookFrom(this.eye(), this.target, up));
  }
}

// Mouse, pen and fingers. Calls `changed` after every movement.
function attachGestures(canvas, camera, changed) {
  const pointers = new Map();
  const height = () => canvas.clientHeight || 1;
  let lastScroll = 0;

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    canvas.classList.add("grabbed");
  });

  canvas.addEventListener("pointermove", (event) => {
    const pointer = pointers.get(event.pointerId);
    if (!pointer) return;
    const [dx, dy] = [event.clientX - pointer.x, event.clientY - pointer.y];
    if (pointers.size === 1) {
      const panning = event.shiftKey || (event.buttons & 6) !== 0;
      if (panning) camera.pan(dx / height(), dy / height());
      else camera.turn((dx * 4) / height(), (dy * 4) / height());
      [pointer.x, pointer.y] = [event.clientX, event.clientY];
    } else {
      // Two fingers: their middle moves the scene, their distance zooms.
      const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
      const before = Math.hypot(pointer.x - other.x, pointer.y - other.y);
      [pointer.x, pointer.y] = [event.clientX, event.clientY];
      const after = Math.hypot(pointer.x - other.x, pointer.y - other.y);
      camera.pan((0.5 * dx) / height(), (0.5 * dy) / height());
      if (before > 10 && after > 10) camera.zoom(before / after);
    }
    changed();
  });

  const release = (event) => {
    pointers.delete(event.pointerId);
    if (pointers.size === 0) canvas.classList.remove("grabbed");
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("dblclick", () => {
    camera.reset();
    changed();
  });

  // A page that is just being scrolled past the player must not stop on it and zoom.
  addEventListener("scroll", () => (lastScroll = performance.now()), { passive: true });
  canvas.addEventListener("wheel", (event) => {
    if (performance.now() - lastScroll < 250) return;
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1;
    camera.zoom(Math.exp(Math.max(-120, Math.min(120, event.deltaY * lines)) * 0.0016));
    changed();
  }, { passive: false });
}
