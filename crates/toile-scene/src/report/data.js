// Reading the page's own data: the manifest (JSON) and the block of bytes (base64).

function readRecording() {
  const manifest = JSON.parse(document.getElementById("manifest").textContent);
  const element = document.getElementById("data");
  const buffer = decodeBase64(element.textContent);
  element.textContent = ""; // the text is a third larger than the bytes and no longer needed
  const take = (Type, place) => new Type(buffer, place.offset, place.length);
  const nodeCount = manifest.nodeCount;
  return {
    title: manifest.title,
    opening: manifest.opening,
    nodeCount,
    cloths: manifest.cloths,
    faces: take(Uint32Array, manifest.faces),
    threads: take(Float32Array, manifest.threads),
    restAreas: take(Float32Array, manifest.restAreas),
    edges: take(Uint32Array, manifest.edges),
    restLengths: take(Float32Array, manifest.restLengths),
    bodies: manifest.bodies.map((body) => ({
      ...body,
      positions: take(Float32Array, body.positions),
      faces: take(Uint32Array, body.faces),
      morph: body.morph && {
        times: take(Float64Array, body.morph.times),
        positions: take(Float32Array, body.morph.positions),
      },
    })),
    times: take(Float64Array, manifest.times),
    poses: take(Float32Array, manifest.poses),
    frames: manifest.frames,
    metrics: readMetrics(manifest, take),
    decodeFrame: (index, out) => decodeFrame(buffer, manifest.frames, nodeCount, index, out),
  };
}

// Every line decodes on its own, so no second copy of the whole text is made.
function decodeBase64(text) {
  const lines = text.split("\n").filter((line) => line.length > 0);
  const padding = (line) => (line.endsWith("==") ? 2 : line.endsWith("=") ? 1 : 0);
  const total = lines.reduce((sum, line) => sum + (line.length / 4) * 3 - padding(line), 0);
  const bytes = new Uint8Array(total);
  let at = 0;
  for (const line of lines) {
    const binary = atob(line);
    for (let k = 0; k < binary.length; k++) bytes[at++] = binary.charCodeAt(k);
  }
  return bytes.buffer;
}

function readMetrics(manifest, take) {
  const times = take(Float64Array, manifest.metricTimes);
  const values = take(Float32Array, manifest.metricValues);
  const rows = times.length;
  const columns = manifest.columns.slice(1).map((name, k) => ({
    name,
    values: values.subarray(k * rows, (k + 1) * rows),
  }));
  return { times, columns };
}

function decodeFrame(buffer, frames, nodeCount, index, out) {
  const count = 3 * nodeCount;
  const offset = frames.offset + index * frames.stride;
  const coarse = new Uint16Array(buffer, offset, count);
  const fine = frames.fine ? new Uint8Array(buffer, offset + 2 * count, count) : null;
  for (let axis = 0; axis < 3; axis++) {
    const low = frames.low[axis];
    const step = frames.step[axis];
    for (let k = axis; k < count; k += 3) {
      const steps = fine ? coarse[k] * 256 + fine[k] : coarse[k];
      out[k] = low + steps * step;
    }
  }
}

// The frame at or before `time` and how far the next one is away, from 0 to 1.
function locate(times, time) {
  if (times.length < 2 || !(time > times[0])) return { index: 0, blend: 0 };
  if (time >= times[times.length - 1]) return { index: times.length - 1, blend: 0 };
  let low = 0;
  let high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle;
  }
  const span = times[high] - times[low];
  return { index: low, blend: span > 0 ? (time - times[low]) / span : 0 };
}

function nearestIndex(times, time) {
  const { index, blend } = locate(times, time);
  return blend > 0.5 ? index + 1 : index;
}
