// From rounded frames to what is drawn at a moment: positions, normals, and stretch or area change.

const NO_CORNER = 0xffffffff; // fourth corner of a triangle

// Keeps the two frames around the present moment, so that playing forward decodes each frame once.
class FrameCache {
  constructor(length, compute) {
    this.compute = compute;
    this.slots = [0, 1].map(() => ({ key: null, values: new Float32Array(length) }));
  }

  get(index, kind, keepIndex) {
    const key = kind + index;
    const hit = this.slots.find((slot) => slot.key === key);
    if (hit) return hit.values;
    const slot = this.slots.find((s) => s.key !== kind + keepIndex) || this.slots[0];
    this.compute(index, kind, slot.values);
    slot.key = key;
    return slot.values;
  }
}

class Motion {
  constructor(recording) {
    this.recording = recording;
    const nodes = recording.nodeCount;
    const faces = recording.faces.length / 4;
    this.frames = new FrameCache(3 * nodes, (index, _, out) => recording.decodeFrame(index, out));
    this.values = new FrameCache(Math.max(nodes, faces), (index, kind, out) => {
      MEASURES[kind].compute(recording, this.frames.get(index, "", index), out);
    });
    this.positions = new Float32Array(3 * nodes);
    this.normals = new Float32Array(3 * nodes);
    this.around = new Float32Array(3 * nodes);
    this.measured = new Float32Array(Math.max(nodes, faces));
  }

  // Moves everything to `time`. Measures are taken at the recorded frames and then blended: between two
  // frames the blended positions of a swinging cloth are a little short, and its stretch would flicker.
  moveTo(time, kind, interpolate) {
    const { times } = this.recording;
    if (times.length === 0) return;
    let { index, blend } = locate(times, time);
    if (!interpolate) [index, blend] = [nearestIndex(times, time), 0];
    const next = blend > 0 ? index + 1 : index;
    this.index = index;
    mix(this.frames.get(index, "", next), this.frames.get(next, "", index), blend, this.positions);
    vertexNormals(this.recording.faces, this.positions, this.normals);
    smoothNormals(this.recording.faces, this.normals, this.around);
    if (kind !== "cloth") {
      const [a, b] = [this.values.get(index, kind, next), this.values.get(next, kind, index)];
      mix(a, b, blend, this.measured);
    }
    this.poses = this.recording.bodies.map((_, body) => this.pose(body, index, next, blend));
    const moment = times[index] + blend * (times[next] - times[index]);
    this.surfaces = this.recording.bodies.map((body) => (body.morph ? morphed(body, moment) : null));
  }

  pose(body, index, next, blend) {
    const { poses, bodies } = this.recording;
    const at = (frame) => poses.subarray(7 * (frame * bodies.length + body), 7 * (frame * bodies.length + body) + 7);
    const [a, b] = [at(index), at(next)];
    // A quaternion and its negative are the same rotation; take the short way.
    const dot = a[3] * b[3] + a[4] * b[4] + a[5] * b[5] + a[6] * b[6];
    const pose = new Float32Array(7);
    for (let k = 0; k < 7; k++) pose[k] = a[k] + ((k > 2 && dot < 0 ? -b[k] : b[k]) - a[k]) * blend;
    const length = Math.hypot(pose[3], pose[4], pose[5], pose[6]) || 1;
    for (let k = 3; k < 7; k++) pose[k] /= length;
    return pose;
  }

  // Smallest and largest value of this moment.
  extent(kind) {
    const count = MEASURES[kind].perFace ? this.recording.faces.length / 4 : this.recording.nodeCount;
    let [low, high] = [Infinity, -Infinity];
    for (let k = 0; k < count; k++) {
      const value = this.measured[k];
      if (value < low) low = value;
      if (value > high) high = value;
    }
    return [low, high];
  }
}

function mix(a, b, blend, out) {
  if (blend === 0) out.set(a);
  else for (let k = 0; k < out.length; k++) out[k] = a[k] + (b[k] - a[k]) * blend;
}

// The loops below run for every node or face in every frame; they use plain variables throughout, because
// unpacking arrays costs more here than the arithmetic.

// Normals halfway to those of the faces around: folds too small for the mesh run from node to node in teeth.
function smoothNormals(faces, normals, around) {
  around.fill(0);
  for (let f = 0; f < faces.length; f += 4) {
    const last = faces[f + 3] === NO_CORNER ? 3 : 4;
    for (let axis = 0; axis < 3; axis++) {
      let sum = 0;
      for (let k = 0; k < last; k++) sum += normals[3 * faces[f + k] + axis];
      for (let k = 0; k < last; k++) around[3 * faces[f + k] + axis] += sum;
    }
  }
  for (let n = 0; n < normals.length; n += 3) {
    const scale = 1 / (Math.hypot(around[n], around[n + 1], around[n + 2]) || 1);
    const x = normals[n] + around[n] * scale, y = normals[n + 1] + around[n + 1] * scale, z = normals[n + 2] + around[n + 2] * scale;
    const length = Math.hypot(x, y, z) || 1;
    normals[n] = x / length; normals[n + 1] = y / length; normals[n + 2] = z / length;
  }
}

// Node normals: the vector areas of the faces around a node, summed. Large faces count more.
function vertexNormals(faces, p, out) {
  out.fill(0);
  for (let f = 0; f < faces.length; f += 4) {
    const quad = faces[f + 3] !== NO_CORNER;
    const a = 3 * faces[f];
    const b = 3 * faces[f + 1];
    const c = 3 * faces[f + 2];
    // Diagonals of a quad; for a triangle two sides, which is the same with the last corner on the first.
    const d = quad ? 3 * faces[f + 3] : a;
    const ux = p[c] - p[a], uy = p[c + 1] - p[a + 1], uz = p[c + 2] - p[a + 2];
    const vx = p[d] - p[b], vy = p[d + 1] - p[b + 1], vz = p[d + 2] - p[b + 2];
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    out[a] += nx; out[a + 1] += ny; out[a + 2] += nz;
    out[b] += nx; out[b + 1] += ny; out[b + 2] += nz;
    out[c] += nx; out[c + 1] += ny; out[c + 2] += nz;
    if (quad) { out[d] += nx; out[d + 1] += ny; out[d + 2] += nz; }
  }
  for (let k = 0; k < out.length; k += 3) {
    const x = out[k], y = out[k + 1], z = out[k + 2];
    const scale = 1 / (Math.sqrt(x * x + y * y + z * z) || 1);
    out[k] = x * scale; out[k + 1] = y * scale; out[k + 2] = z * scale;
  }
}

const degreeCache = new WeakMap();

function edgeDegrees({ edges, nodeCount }) {
  if (!degreeCache.has(edges)) {
    const degrees = new Uint16Array(nodeCount);
    for (const node of edges) degrees[node]++;
    degreeCache.set(edges, degrees);
  }
  return degreeCache.get(edges);
}

// Mean over the edges at each node of l / rest − 1, or of its magnitude.
function nodeStretch(recording, p, signed, out) {
  const { edges, restLengths } = recording;
  out.fill(0);
  for (let e = 0; e < restLengths.length; e++) {
    const i = edges[2 * e], j = edges[2 * e + 1];
    const a = 3 * i, b = 3 * j;
    const dx = p[b] - p[a], dy = p[b + 1] - p[a + 1], dz = p[b + 2] - p[a + 2];
    let stretch = Math.sqrt(dx * dx + dy * dy + dz * dz) / restLengths[e] - 1;
    if (!signed) stretch = Math.abs(stretch);
    out[i] += stretch;
    out[j] += stretch;
  }
  const degrees = edgeDegrees(recording);
  for (let k = 0; k < degrees.length; k++) if (degrees[k] > 1) out[k] /= degrees[k];
}

// Area of each face over its area at rest, minus one.
function faceAreaChange({ faces, restAreas }, p, out) {
  for (let f = 0, k = 0; f < faces.length; f += 4, k++) {
    const a = 3 * faces[f], b = 3 * faces[f + 1], c = 3 * faces[f + 2];
    const d = faces[f + 3] === NO_CORNER ? a : 3 * faces[f + 3];
    const ux = p[c] - p[a], uy = p[c + 1] - p[a + 1], uz = p[c + 2] - p[a + 2];
    const vx = p[d] - p[b], vy = p[d + 1] - p[b + 1], vz = p[d + 2] - p[b + 2];
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    out[k] = (0.5 * Math.sqrt(nx * nx + ny * ny + nz * nz)) / restAreas[k] - 1;
  }
}

const MEASURES = {
  stretch: {
    title: "Edge stretch at the nodes",
    signed: true,
    perFace: false,
    compute: (recording, positions, out) => nodeStretch(recording, positions, true, out),
  },
  magnitude: {
    title: "Edge stretch, absolute",
    signed: false,
    perFace: false,
    compute: (recording, positions, out) => nodeStretch(recording, positions, false, out),
  },
  area: {
    title: "Area change of the faces",
    signed: true,
    perFace: true,
    compute: faceAreaChange,
  },
};

// How much the rounding of positions can blur a measure: twice the error over a typical edge.
function roundingBlur({ frames, restLengths }) {
  if (restLengths.length === 0) return 0;
  const typical = Float32Array.from(restLengths).sort()[restLengths.length >> 1];
  return Math.max(...frames.step) / typical;
}

// A range that holds nearly all values of the whole recording, so that colours mean the same in every frame.
function automaticRange(recording, kind) {
  const nodes = recording.nodeCount;
  const faces = recording.faces.length / 4;
  const count = MEASURES[kind].perFace ? faces : nodes;
  const samples = Math.min(recording.times.length, 24);
  const positions = new Float32Array(3 * nodes);
  const values = new Float32Array(Math.max(nodes, faces));
  const stride = Math.max(1, Math.floor((count * samples) / 200000));
  const sizes = new Float32Array(samples * Math.ceil(count / stride));
  let found = 0;
  for (let s = 0; s < samples; s++) {
    const index = samples > 1 ? Math.round((s * (recording.times.length - 1)) / (samples - 1)) : 0;
    recording.decodeFrame(index, positions);
    MEASURES[kind].compute(recording, positions, values);
    for (let k = 0; k < count; k += stride) if (Number.isFinite(values[k])) sizes[found++] = Math.abs(values[k]);
  }
  const sorted = sizes.subarray(0, found).sort();
  const most = found ? sorted[Math.floor((found - 1) * 0.997)] : 0;
  return niceCeiling(Math.max(most, 4 * roundingBlur(recording), 1e-4));
}

// The next short number times a power of ten.
function niceCeiling(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((digit) => digit * power >= value * 0.999);
}

// The surface of a body that deforms at a time, between its own frames.
function morphed({ morph, positions }, time) {
  const { index, blend } = locate(morph.times, time);
  const at = (frame) => morph.positions.subarray(frame * positions.length, (frame + 1) * positions.length);
  const out = new Float32Array(positions.length);
  mix(at(index), at(blend > 0 ? index + 1 : index), blend, out);
  return out;
}
