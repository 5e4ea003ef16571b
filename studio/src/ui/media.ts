// Pictures and videos of what is on the canvas.

import type { App } from "../app/app.ts";
import { fileName, saveBlob } from "./dom.ts";
import { notify } from "./toast.ts";

export function savePicture(app: App): void {
  const { stage } = app;
  stage.drawFine(); // and at once: WebGL keeps a picture only until the browser has shown it
  const title = app.a.value?.title ?? "toile";
  const time = app.a.value?.clock.time ?? 0;
  stage.canvas.toBlob((blob) => {
    if (blob) saveBlob(blob, `${fileName(title)}-${time.toFixed(3)}s.png`);
    else notify("The picture could not be made.", "error");
  });
}

const KINDS = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];

export class Recorder {
  private recorder: MediaRecorder | null = null;
  onChange: (recording: boolean) => void = () => undefined;

  constructor(private readonly app: App) {}

  static get possible(): boolean {
    return typeof MediaRecorder !== "undefined" && KINDS.some((kind) => MediaRecorder.isTypeSupported(kind));
  }

  toggle(): void {
    if (this.recorder) this.recorder.stop();
    else this.start();
  }

  private start(): void {
    const mimeType = KINDS.find((kind) => MediaRecorder.isTypeSupported(kind));
    const stream = this.app.stage.canvas.captureStream(30);
    const recorder = new MediaRecorder(stream, { mimeType, videoBitsPerSecond: 12_000_000 });
    const parts: Blob[] = [];
    recorder.ondataavailable = (event) => parts.push(event.data);
    recorder.onstop = () => {
      for (const track of stream.getTracks()) track.stop();
      this.recorder = null;
      this.onChange(false);
      const blob = new Blob(parts, { type: "video/webm" });
      if (blob.size === 0) return notify("Nothing was recorded: no picture was drawn meanwhile.", "warning");
      saveBlob(blob, `${fileName(this.app.a.value?.title ?? "toile")}.webm`);
      notify(`Saved a video of ${(blob.size / 1e6).toFixed(1)} MB.`);
    };
    recorder.start(500);
    this.recorder = recorder;
    this.onChange(true);
    this.app.stage.request(); // the first picture, also when nothing moves
  }
}
