// Drawing with WebGL2: shadow map, background, bodies, cloths, wireframe, ground.

const SHADOW_SIZE = 1536;
const YARNS = 300; // across a square sheet: coarser than yarns are, so that they can be seen
const KEY_LIGHT = unit([-0.4, -0.5, 0.85]);

function compile(gl, vertex, fragment) {
  const program = gl.createProgram();
  for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
    const logs = gl.getAttachedShaders(program).map((shader) => gl.getShaderInfoLog(shader));
    throw new Error(`${gl.getProgramInfoLog(program)} ${logs.join(" ")}`);
  }
  const places = new Map();
  const at = (name) => {
    if (!places.has(name)) places.set(name, gl.getUniformLocation(program, name));
    return places.get(name);
  };
  return { use: () => gl.useProgram(program), at };
}

// A table of numbers that shaders read by index; `channels` numbers per entry.
class Table {
  constructor(gl, unitIndex, count, channels) {
    this.gl = gl;
    this.unit = unitIndex;
    this.height = Math.max(1, Math.ceil(count / TEXTURE_WIDTH));
    this.data = new Float32Array(TEXTURE_WIDTH * this.height * channels);
    [this.format, this.inside] = { 1: [gl.RED, gl.R32F], 3: [gl.RGB, gl.RGB32F], 4: [gl.RGBA, gl.RGBA32F] }[channels];
    this.texture = gl.createTexture();
    gl.activeTexture(gl.TEXTURE0 + this.unit);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, this.inside, TEXTURE_WIDTH, this.height);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  }

  upload() {
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE0 + this.unit);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, TEXTURE_WIDTH, this.height, this.format, gl.FLOAT, this.data);
  }
}

class Renderer {
  constructor(canvas, recording, bounds) {
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false });
    if (!gl) throw new Error("WebGL2 is not available");
    this.gl = gl;
    this.recording = recording;
    this.bounds = bounds;
    this.programs = {
      cloth: compile(gl, CLOTH_VERTEX, SURFACE_FRAGMENT),
      body: compile(gl, BODY_VERTEX, SURFACE_FRAGMENT),
      clothDepth: compile(gl, CLOTH_VERTEX, DEPTH_FRAGMENT),
      bodyDepth: compile(gl, BODY_VERTEX, DEPTH_FRAGMENT),
      rim: compile(gl, RIM_VERTEX, SURFACE_FRAGMENT),
      wire: compile(gl, WIRE_VERTEX, WIRE_FRAGMENT),
      ground: compile(gl, GROUND_VERTEX, GROUND_FRAGMENT),
      background: compile(gl, BACKGROUND_VERTEX, BACKGROUND_FRAGMENT),
    };
    this.empty = gl.createVertexArray();
    this.nodes = new Table(gl, 0, recording.nodeCount, 4);
    this.normals = new Table(gl, 1, recording.nodeCount, 3);
    this.faceValues = new Table(gl, 2, recording.faces.length / 4, 1);
    this.createRamp();
    this.createShadowMap();
    this.createCloths();
    this.bodies = recording.bodies.map((body) => (body.faces.length ? this.createBody(body) : null));
    const level = recording.bodies.find((body) => body.groundHeight !== null);
    this.ground = level
      ? { height: level.groundHeight, solid: true, colour: level.color }
      : { height: bounds.low[2] - 0.02 * bounds.radius, solid: false, colour: [0.5, 0.5, 0.5] };
  }

  createRamp() {
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE3);
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA8, 256, 1);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
  }

  setRamp(stops) {
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE3);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 256, 1, gl.RGBA, gl.UNSIGNED_BYTE, rampPixels(stops));
  }

  createShadowMap() {
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE4);
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    this.shadowTarget = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowTarget);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
    gl.drawBuffers([gl.NONE]);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    const { centre, radius } = this.bounds;
    // Deeper than the scene, because shadows fall onto the ground behind it.
    const view = lookFrom(centre, add(centre, KEY_LIGHT, -1), [0, 0, 1]);
    this.toLight = multiply(orthographic(radius, 4 * radius), view);
    this.shadowTexel = (2 * radius) / SHADOW_SIZE;
  }

  // Quads are cut into triangles here and nowhere else.
  createCloths() {
    const { gl, recording } = this;
    const { faces, edges, cloths } = recording;
    const corners = [];
    this.cloths = cloths.map((cloth) => {
      const first = corners.length / 2;
      for (let f = cloth.firstFace; f < cloth.firstFace + cloth.faceCount; f++) {
        const [a, b, c, d] = faces.subarray(4 * f, 4 * f + 4);
        corners.push(a, f, b, f, c, f);
        if (d !== NO_CORNER) corners.push(a, f, c, f, d, f);
      }
      const colours = cloth.colors.map(toLinear);
      // Thin enough to vanish in a picture, cloth gets an edge that can still be seen.
      const half = cloth.thickness > 0 ? 0.5 * Math.max(cloth.thickness, 0.0006 * this.bounds.radius) : 0;
      const areas = recording.restAreas.subarray(cloth.firstFace, cloth.firstFace + cloth.faceCount);
      const yarn = Math.sqrt(areas.reduce((sum, area) => sum + area, 0)) / YARNS;
      return { first, count: corners.length / 2 - first, colours, half, yarn, rim: half > 0 ? this.createRim(cloth) : null };
    });
    this.clothArray = gl.createVertexArray();
    gl.bindVertexArray(this.clothArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Uint32Array(corners), gl.STATIC_DRAW);
    for (const place of [0, 1]) {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribIPointer(place, 1, gl.UNSIGNED_INT, 8, 4 * place);
    }
    this.woven = recording.threads.length > 0;
    if (this.woven) {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, this.threadsOfCorners(), gl.STATIC_DRAW);
      gl.enableVertexAttribArray(2);
      gl.vertexAttribPointer(2, 2, gl.FLOAT, false, 8, 0);
    }
    this.wireArray = gl.createVertexArray();
    gl.bindVertexArray(this.wireArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, edges, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribIPointer(0, 2, gl.UNSIGNED_INT, 8, 0);
    gl.vertexAttribDivisor(0, 1);
  }

  // In the order in which `createCloths` cuts the faces.
  threadsOfCorners() {
    const { faces, threads, cloths } = this.recording;
    const out = [];
    for (const cloth of cloths)
      for (let f = cloth.firstFace; f < cloth.firstFace + cloth.faceCount; f++) {
        const at = (k) => [threads[8 * f + 2 * k], threads[8 * f + 2 * k + 1]];
        const order = faces[4 * f + 3] === NO_CORNER ? [0, 1, 2] : [0, 1, 2, 0, 2, 3];
        for (const k of order) out.push(...at(k));
      }
    return new Float32Array(out);
  }

  // The sides that belong to one face alone, as a band from one side of the cloth to the other.
  createRim(cloth) {
    const { gl, recording } = this;
    const { faces, nodeCount } = recording;
    const sides = new Map();
    for (let f = cloth.firstFace; f < cloth.firstFace + cloth.faceCount; f++) {
      const corners = [...faces.subarray(4 * f, 4 * f + 4)].filter((node) => node !== NO_CORNER);
      corners.forEach((a, k) => {
        const b = corners[(k + 1) % corners.length];
        const key = Math.min(a, b) * nodeCount + Math.max(a, b);
        sides.set(key, sides.has(key) ? null : [a, b, corners[(k + 2) % corners.length], corners[(k + corners.length - 1) % corners.length]]);
      });
    }
    const bytes = [];
    for (const side of sides.values()) {
      if (!side) continue;
      const [a, b, afterB, beforeA] = side;
      const ends = [[a, beforeA], [b, afterB]];
      for (const [end, sign] of [[0, 1], [0, -1], [1, 1], [1, 1], [0, -1], [1, -1]]) bytes.push([...ends[end], sign]);
    }
    const data = new DataView(new ArrayBuffer(12 * bytes.length));
    bytes.forEach(([node, opposite, sign], k) => {
      data.setUint32(12 * k, node, true);
      data.setUint32(12 * k + 4, opposite, true);
      data.setFloat32(12 * k + 8, sign, true);
    });
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, data.buffer, gl.STATIC_DRAW);
    for (const place of [0, 1, 2]) gl.enableVertexAttribArray(place);
    for (const place of [0, 1]) gl.vertexAttribIPointer(place, 1, gl.UNSIGNED_INT, 12, 4 * place);
    gl.vertexAttribPointer(2, 1, gl.FLOAT, false, 12, 8);
    return { array, count: bytes.length };
  }

  createBody({ positions, faces, smooth, color }) {
    const { gl } = this;
    const numbers = bodyVertices(positions, faces, smooth);
    const array = gl.createVertexArray();
    const buffer = gl.createBuffer();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.STATIC_DRAW);
    for (const place of [0, 1]) {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 24, 12 * place);
    }
    return { array, buffer, count: numbers.length / 6, colour: toLinear(color) };
  }

  // Puts a body that deforms where it is now.
  reshapeBody(index, positions) {
    const { gl } = this;
    const { faces, smooth } = this.recording.bodies[index];
    gl.bindBuffer(gl.ARRAY_BUFFER, this.bodies[index].buffer);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, bodyVertices(positions, faces, smooth));
  }

  // Takes over a moment of the motion.
  upload(motion, kind) {
    const { nodes, normals, faceValues, recording } = this;
    const perFace = kind !== "cloth" && MEASURES[kind].perFace;
    for (let k = 0; k < recording.nodeCount; k++) {
      nodes.data[4 * k] = motion.positions[3 * k];
      nodes.data[4 * k + 1] = motion.positions[3 * k + 1];
      nodes.data[4 * k + 2] = motion.positions[3 * k + 2];
      nodes.data[4 * k + 3] = motion.measured[k];
    }
    nodes.upload();
    normals.data.set(motion.normals);
    normals.upload();
    if (perFace) {
      faceValues.data.set(motion.measured.subarray(0, recording.faces.length / 4));
      faceValues.upload();
    }
    this.poses = motion.poses;
    motion.surfaces?.forEach((positions, index) => {
      if (positions && this.bodies[index]) this.reshapeBody(index, positions);
    });
  }

  draw({ camera, theme, kind, range, wire }) {
    const { gl } = this;
    this.view = { camera, theme, kind, range, toClip: camera.matrix(), eye: camera.eye() };
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowTarget);
    gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.drawSurfaces(this.programs.clothDepth, this.programs.bodyDepth, this.toLight);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.drawBackground();
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1, 1);
    this.drawSurfaces(this.programs.cloth, this.programs.body, this.view.toClip);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    gl.polygonOffset(2, 4); // a cloth that lies on the ground must win
    this.drawGround();
    gl.disable(gl.POLYGON_OFFSET_FILL);
    if (wire) this.drawWire();
    gl.depthMask(true);
  }

  drawBackground() {
    const { gl, view } = this;
    const { use, at } = this.programs.background;
    use();
    gl.uniform3fv(at("top"), view.theme.top);
    gl.uniform3fv(at("bottom"), view.theme.bottom);
    gl.bindVertexArray(this.empty);
    gl.depthMask(false);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.depthMask(true);
  }

  setLight({ at }) {
    const { gl } = this;
    gl.uniform1i(at("shadowMap"), 4);
    gl.uniformMatrix4fv(at("toLight"), false, this.toLight);
    gl.uniform3fv(at("keyLight"), KEY_LIGHT);
    gl.uniform1f(at("shadowTexel"), this.shadowTexel);
    gl.uniform3fv(at("eye"), this.view.eye);
  }

  // Both the picture and the shadow map; uniforms that a program does not have are ignored by WebGL.
  drawSurfaces(clothProgram, bodyProgram, toClip) {
    const { gl } = this;
    const { at } = clothProgram;
    const lit = clothProgram === this.programs.cloth;
    const byValue = this.view.kind !== "cloth";
    // The shadow is that of the middle; the picture shows the side that is seen, half the thickness before it.
    this.setCloth(clothProgram, toClip, lit, byValue);
    gl.bindVertexArray(this.clothArray);
    for (const cloth of this.cloths) {
      if (!cloth.count) continue;
      gl.uniform1f(at("yarn"), this.woven && !byValue ? cloth.yarn : 0);
      gl.uniform3fv(at("front"), cloth.colours[0]);
      gl.uniform3fv(at("back"), cloth.colours[1]);
      gl.uniform1f(at("raise"), lit ? cloth.half : 0);
      gl.drawArrays(gl.TRIANGLES, cloth.first, cloth.count);
    }
    if (lit) this.drawRims(toClip, byValue);
    this.drawBodies(bodyProgram, toClip, lit);
  }

  setCloth(program, toClip, lit, byValue) {
    const { gl } = this;
    const { kind, range, theme } = this.view;
    const { at } = program;
    program.use();
    gl.uniformMatrix4fv(at("toClip"), false, toClip);
    gl.uniform1i(at("nodes"), 0);
    gl.uniform1i(at("normals"), 1);
    gl.uniform1i(at("faceValues"), 2);
    gl.uniform1i(at("valuePerFace"), byValue && MEASURES[kind].perFace ? 1 : 0);
    if (!lit) return;
    this.setLight(program);
    gl.uniform1i(at("ramp"), 3);
    gl.uniform1i(at("byValue"), byValue ? 1 : 0);
    gl.uniform1i(at("glossy"), 0);
    gl.uniform2f(at("range"), byValue && MEASURES[kind].signed ? -range : 0, range);
    gl.uniform1f(at("ambient"), theme.dark ? 0.32 : 0.38);
  }

  // Cut edges. Values of faces are not known along them, so that they are left out there.
  drawRims(toClip, byValue) {
    const { gl } = this;
    const { rim } = this.programs;
    if (byValue && MEASURES[this.view.kind].perFace) return;
    this.setCloth(rim, toClip, true, byValue);
    gl.uniform1f(rim.at("yarn"), 0);
    for (const cloth of this.cloths) {
      if (!cloth.rim) continue;
      // Both sides and some of what is not dyed.
      const colour = cloth.colours[0].map((c, k) => 0.85 * 0.5 * (c + cloth.colours[1][k]) + 0.15);
      gl.uniform3fv(rim.at("front"), colour);
      gl.uniform3fv(rim.at("back"), colour);
      gl.uniform1f(rim.at("lift"), cloth.half);
      gl.bindVertexArray(cloth.rim.array);
      gl.drawArrays(gl.TRIANGLES, 0, cloth.rim.count);
    }
  }

  drawBodies(program, toClip, lit) {
    const { gl } = this;
    const { at } = program;
    program.use();
    gl.uniformMatrix4fv(at("toClip"), false, toClip);
    if (lit) {
      this.setLight(program);
      gl.uniform1i(at("ramp"), 3);
      gl.uniform1i(at("byValue"), 0);
      gl.uniform1i(at("glossy"), 1);
      gl.uniform1f(at("yarn"), 0);
      gl.uniform1f(at("ambient"), this.view.theme.dark ? 0.32 : 0.38);
    }
    this.bodies.forEach((body, index) => {
      if (!body || !this.poses) return;
      const pose = this.poses[index];
      gl.uniform3fv(at("translation"), pose.subarray(0, 3));
      gl.uniform4fv(at("rotation"), pose.subarray(3, 7));
      gl.uniform3fv(at("front"), body.colour);
      gl.uniform3fv(at("back"), body.colour);
      gl.bindVertexArray(body.array);
      gl.drawArrays(gl.TRIANGLES, 0, body.count);
    });
  }

  drawGround() {
    const { gl, view, ground, bounds } = this;
    const { use, at } = this.programs.ground;
    use();
    this.setLight(this.programs.ground);
    // The scene's ground colour only tints the theme's, so that it suits light and dark pages.
    const tint = view.theme.ground.map((c, k) => c * (0.86 + 0.14 * 2 * ground.colour[k]));
    gl.uniformMatrix4fv(at("toClip"), false, view.toClip);
    gl.uniform4f(at("plane"), bounds.centre[0], bounds.centre[1], ground.height, 7 * bounds.radius);
    gl.uniform3fv(at("ground"), tint.map((c) => Math.min(c, 1)));
    gl.uniform3fv(at("grid"), view.theme.grid);
    gl.uniform1f(at("cell"), niceStep(bounds.radius, 6));
    gl.uniform1i(at("solid"), ground.solid ? 1 : 0);
    gl.uniform1f(at("shade"), view.theme.dark ? 0.55 : 0.28);
    gl.bindVertexArray(this.empty);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  drawWire() {
    const { gl, view, recording } = this;
    const { use, at } = this.programs.wire;
    use();
    gl.uniformMatrix4fv(at("toClip"), false, view.toClip);
    gl.uniform1i(at("nodes"), 0);
    gl.uniform1i(at("normals"), 1);
    gl.uniform3fv(at("eye"), view.eye);
    gl.uniform1f(at("pixels"), gl.drawingBufferHeight / FIELD_OF_VIEW);
    gl.uniform2f(at("viewport"), gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.uniform1f(at("width"), Math.min(devicePixelRatio || 1, 2));
    const strength = 0.55;
    gl.uniform4f(at("ink"), 0.05 * strength, 0.06 * strength, 0.09 * strength, strength);
    gl.bindVertexArray(this.wireArray);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, recording.edges.length / 2);
  }
}

// Position and normal of every corner of every triangle.
function bodyVertices(positions, faces, smooth) {
  const normals = new Float32Array(positions.length);
  vertexNormals(faces, positions, normals);
  const numbers = [];
  const corner = (node, flat) => numbers.push(
    ...positions.subarray(3 * node, 3 * node + 3),
    ...(flat || normals.subarray(3 * node, 3 * node + 3)),
  );
  const point = (node) => [...positions.subarray(3 * node, 3 * node + 3)];
  for (let f = 0; f < faces.length; f += 4) {
    const [a, b, c, d] = faces.subarray(f, f + 4);
    const flat = smooth ? null : unit(cross(add(point(b), point(a), -1), add(point(c), point(a), -1)));
    for (const node of d === NO_CORNER ? [a, b, c] : [a, b, c, a, c, d]) corner(node, flat);
  }
  return new Float32Array(numbers);
}

// What the player holds in view: the box around the cloth in all frames, the boxes of bodies that move, and of bodies that stand what is
// near. Bodies that are somewhere else do not count.
function sceneBounds(recording) {
  const { frames, bodies, times } = recording;
  const most = frames.fine ? 0xffff * 256 - 1 : 0xffff - 1;
  const cloth = new Box();
  if (recording.nodeCount) {
    cloth.add([...frames.low]);
    cloth.add(frames.low.map((x, k) => x + frames.step[k] * most));
  }
  const reach = recording.nodeCount ? 2 * cloth.size() : Infinity;
  const near = (box) => Math.hypot(...add(box.middle(), cloth.isEmpty() ? box.middle() : cloth.middle(), -1)) < reach && box.size() < 2 * reach;
  const seen = new Box(cloth);
  const standing = [];
  const looks = Math.min(times.length, 60);
  bodies.forEach((body, index) => {
    const own = new Box();
    const { positions } = body.morph ?? body;
    for (let k = 0; k < positions.length; k += 3) own.add([positions[k], positions[k + 1], positions[k + 2]]);
    if (own.isEmpty()) return;
    const places = Array.from({ length: looks }, (_, k) => {
      const frame = looks > 1 ? Math.round((k * (times.length - 1)) / (looks - 1)) : 0;
      return own.placed(recording.poses.subarray(7 * (frame * bodies.length + index), 7 * (frame * bodies.length + index) + 7));
    });
    const still = places.every((box) => Math.hypot(...add(box.middle(), places[0].middle(), -1)) < 1e-6);
    if (still && !body.morph) standing.push(...places.slice(0, 1));
    else places.filter(near).forEach((box) => seen.include(box));
  });
  const margin = 0.12 * seen.size();
  for (const box of standing) seen.include(seen.isEmpty() ? box : box.within(cloth.isEmpty() ? seen : cloth, Math.max(margin, 0)));
  if (seen.isEmpty()) seen.add([0, 0, 0]);
  const radius = Math.max(0.5 * seen.size(), 1e-6);
  return { low: seen.low, high: seen.high, radius, centre: seen.middle(), points: seen.corners() };
}

class Box {
  constructor(other) {
    this.low = other ? [...other.low] : [Infinity, Infinity, Infinity];
    this.high = other ? [...other.high] : [-Infinity, -Infinity, -Infinity];
  }

  isEmpty() {
    return !(this.low[0] <= this.high[0]);
  }

  add(point) {
    for (let k = 0; k < 3; k++) {
      this.low[k] = Math.min(this.low[k], point[k]);
      this.high[k] = Math.max(this.high[k], point[k]);
    }
  }

  include(box) {
    if (box.isEmpty()) return;
    this.add(box.low);
    this.add(box.high);
  }

  // From corner to corner.
  size() {
    return this.isEmpty() ? 0 : Math.hypot(...add(this.high, this.low, -1));
  }

  middle() {
    return add(this.low, this.high).map((x) => x / 2);
  }

  corners() {
    return cornersOfBox(this.low, this.high);
  }

  // The box around it where a body is.
  placed(pose) {
    const [x, y, z, w] = pose.subarray(3, 7);
    const box = new Box();
    for (const v of this.corners()) {
      const u = [x, y, z];
      const turned = add(v, cross(u, add(cross(u, v), v, w)), 2);
      box.add(add(turned, [...pose.subarray(0, 3)]));
    }
    return box;
  }

  // What of it is no farther from another than so.
  within(other, margin) {
    const box = new Box(this);
    for (let k = 0; k < 3; k++) {
      box.low[k] = Math.max(box.low[k], other.low[k] - margin);
      box.high[k] = Math.min(box.high[k], other.high[k] + margin);
    }
    return [0, 1, 2].every((k) => box.low[k] <= box.high[k]) ? box : new Box();
  }
}
