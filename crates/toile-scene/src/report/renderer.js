// Drawing with WebGL2: shadow map, background, bodies, cloths, wireframe, ground.

const SHADOW_SIZE = 1536;
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
      return { first, count: corners.length / 2 - first, colours: cloth.colors.map(toLinear) };
    });
    this.clothArray = gl.createVertexArray();
    gl.bindVertexArray(this.clothArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Uint32Array(corners), gl.STATIC_DRAW);
    for (const place of [0, 1]) {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribIPointer(place, 1, gl.UNSIGNED_INT, 8, 4 * place);
    }
    this.wireArray = gl.createVertexArray();
    gl.bindVertexArray(this.wireArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, edges, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribIPointer(0, 2, gl.UNSIGNED_INT, 8, 0);
    gl.vertexAttribDivisor(0, 1);
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
    const { kind, range, theme } = this.view;
    const { at } = clothProgram;
    const lit = clothProgram === this.programs.cloth;
    const byValue = kind !== "cloth";
    clothProgram.use();
    gl.uniformMatrix4fv(at("toClip"), false, toClip);
    gl.uniform1i(at("nodes"), 0);
    gl.uniform1i(at("normals"), 1);
    gl.uniform1i(at("faceValues"), 2);
    gl.uniform1i(at("valuePerFace"), byValue && MEASURES[kind].perFace ? 1 : 0);
    if (lit) {
      this.setLight(clothProgram);
      gl.uniform1i(at("ramp"), 3);
      gl.uniform1i(at("byValue"), byValue ? 1 : 0);
      gl.uniform1i(at("glossy"), 0);
      gl.uniform2f(at("range"), byValue && MEASURES[kind].signed ? -range : 0, range);
      gl.uniform1f(at("ambient"), theme.dark ? 0.32 : 0.38);
    }
    gl.bindVertexArray(this.clothArray);
    for (const cloth of this.cloths) {
      gl.uniform3fv(at("front"), cloth.colours[0]);
      gl.uniform3fv(at("back"), cloth.colours[1]);
      if (cloth.count) gl.drawArrays(gl.TRIANGLES, cloth.first, cloth.count);
    }
    this.drawBodies(bodyProgram, toClip, lit);
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

// The box around all nodes of all frames and, if they are not enormous, the bodies; and its sphere.
function sceneBounds(recording) {
  const { frames, bodies, times, poses } = recording;
  const most = frames.fine ? 0xffff * 256 - 1 : 0xffff - 1;
  const low = [...frames.low];
  const high = low.map((x, k) => x + frames.step[k] * most);
  const reach = recording.nodeCount ? 2 * Math.hypot(...add(high, low, -1)) : Infinity;
  const middle = add(low, high).map((x) => x / 2);
  bodies.forEach((body, index) => {
    let size = 0;
    for (let k = 0; k < body.positions.length; k += 3) size = Math.max(size, Math.hypot(...body.positions.subarray(k, k + 3)));
    if (size === 0 || size > reach) return;
    for (let frame = 0; frame < times.length; frame++) {
      const at = 7 * (frame * bodies.length + index);
      if (Math.hypot(...add(middle, poses.subarray(at, at + 3), -1)) > reach) continue; // it has left the scene
      for (let k = 0; k < 3; k++) {
        low[k] = Math.min(low[k], poses[at + k] - size);
        high[k] = Math.max(high[k], poses[at + k] + size);
      }
    }
  });
  const level = bodies.find((body) => body.groundHeight !== null);
  if (level && level.groundHeight < low[2] && low[2] - level.groundHeight < reach) low[2] = level.groundHeight;
  const radius = Math.max(0.5 * Math.hypot(...add(high, low, -1)), 1e-6);
  return { low, high, radius, centre: add(low, high).map((x) => x / 2) };
}
