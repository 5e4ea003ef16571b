// The shelf: what has been run in this folder, what can be run, and what is running.

import type { App } from "../app/app.ts";
import type { Experiment, Job, ShelfItem } from "../protocol.ts";
import { openDialog } from "../ui/dialog.ts";
import { button, h, toggle } from "../ui/dom.ts";
import { notify } from "../ui/toast.ts";
import { beside } from "./compare.ts";
import { hasResult, resultOf } from "./results.ts";

const KINDS: Record<ShelfItem["kind"], string> = {
  run: "Runs", lab: "Lab", fit: "Fits", sweep: "Sweeps", textile: "Textile tests", comparison: "Comparisons",
};

export class Shelf {
  readonly element = h("div", { class: "panel shelf" });
  private readonly list = h("div", { class: "shelf-list" });
  private readonly jobs = h("section", { class: "jobs", hidden: true });
  private readonly detail = h("div", { class: "detail", hidden: true });
  private readonly front = h("div", { class: "front" });
  private readonly known = new Map<number, Job>();
  private items: ShelfItem[] = [];

  constructor(private readonly app: App) {
    const { readOnly } = app.engine.abilities;
    this.front.append(
      h("div", { class: "bar-row" }, h("h2", {}, "Shelf"),
        h("span", { class: "stretch" }),
        button({ icon: "reset", label: "Look again", class: "icon small" }, () => void this.load())),
      h("div", { class: "actions" },
        !readOnly && button({ label: "Lab experiment: choose one and start it", text: "Lab experiment" }, () => void this.chooseExperiment()),
        !readOnly && button({ label: "Cusick test of the drape of this cloth", text: "Cusick test" }, () => void this.cusick())),
      this.jobs, this.list);
    this.element.append(this.front, this.detail);
    app.engine.listen({ job: (job) => this.takeJob(job) });
    void this.load();
    app.engine.jobs().then((jobs) => jobs.slice(-3).forEach((job) => this.takeJob(job)), () => undefined);
  }

  async load(): Promise<void> {
    try {
      const items = (this.items = await this.app.engine.shelf());
      const kinds = (Object.keys(KINDS) as ShelfItem["kind"][]).filter((kind) => items.some((item) => item.kind === kind));
      this.list.replaceChildren(...kinds.map((kind) => h("section", {}, h("h3", {}, KINDS[kind]),
        items.filter((item) => item.kind === kind).sort((a, b) => b.modified - a.modified).map((item) => this.item(item)))));
      if (items.length === 0)
        this.list.replaceChildren(h("p", { class: "quiet" }, "Nothing yet. `toile run` and the lab leave their results here."));
    } catch (error) {
      this.app.complain(error);
    }
  }

  private item(item: ShelfItem): HTMLElement {
    const { recording, report, thumbnail } = item;
    const open = (): void => {
      if (recording) void this.open(item);
      if (hasResult(item)) void this.showResult(item);
    };
    const picture = thumbnail ? h("img", { src: thumbnail, alt: "", loading: "lazy" }) : h("span", { class: "no-picture" });
    return h("article", { class: "item" },
      h("button", { type: "button", class: "item-main", title: item.path, onclick: open }, picture,
        h("span", { class: "item-words" }, h("b", {}, item.title || item.path),
          h("span", { class: "quiet" }, item.summary), h("span", { class: "quiet" }, when(item.modified)))),
      h("div", { class: "actions" },
        recording && button({ label: `Show ${item.title} beside`, text: "beside" }, () => void beside(this.app, recording, item.title)),
        report && h("a", { class: "link", href: report, target: "_blank", rel: "noopener" }, "report"),
        recording && button({ label: `Export ${item.title}`, text: "export" }, () => this.chooseExport(recording)),
      ));
  }

  /** Numbers and pictures in the place of the list; what is in the picture stays. */
  private async showResult(item: ShelfItem): Promise<void> {
    try {
      const result = await resultOf(this.app, item);
      const back = button({ label: "Back to the shelf", text: "Shelf", icon: "back" }, () => {
        this.detail.hidden = true;
        this.front.hidden = false;
      });
      this.detail.replaceChildren(h("div", { class: "bar-row" }, back, h("span", { class: "stretch" }),
        item.report && h("a", { class: "link", href: item.report, target: "_blank", rel: "noopener" }, "report")),
        h("h2", {}, item.title || item.path), result);
      this.front.hidden = true;
      this.detail.hidden = false;
      this.element.scrollTop = 0;
      back.focus({ preventScroll: true });
    } catch (error) {
      this.app.complain(error);
    }
  }

  private async open(item: ShelfItem): Promise<void> {
    this.app.labels = [item.title];
    await this.app.openRecording(item.recording!);
  }

  private chooseExport(path: string): void {
    const { body, close } = openDialog("Export");
    const formats: ["glb" | "usda" | "vtu" | "csv", string][] = [
      ["glb", "glTF with motion, for viewers and engines"], ["usda", "USD, for film tools"],
      ["vtu", "VTK, for ParaView"], ["csv", "the numbers as a table"],
    ];
    body.append(h("div", { class: "choices one" }, formats.map(([format, what]) =>
      h("a", { class: "choice", href: this.app.engine.exportAddress(path, format), download: "", onclick: close },
        h("b", {}, format), h("span", { class: "quiet" }, what)))));
  }

  private async chooseExperiment(): Promise<void> {
    try {
      const experiments = await this.app.engine.experiments();
      const { body, close } = openDialog("Lab experiments", true);
      const short = toggle("Short version, with the same verdicts", true, () => undefined);
      body.append(short, h("div", { class: "choices" }, experiments.map((experiment: Experiment) =>
        h("button", { type: "button", class: "choice", onclick: () => {
          close();
          void this.start({ kind: "lab", experiment: experiment.name, quick: short.querySelector("input")!.checked });
        } }, h("b", {}, experiment.title), h("span", { class: "quiet" }, experiment.about)))));
    } catch (error) {
      this.app.complain(error);
    }
  }

  private async cusick(): Promise<void> {
    const { text } = this.app.draft.value;
    await this.start({ kind: "cusick", text, cloth: this.app.cloth.value ?? undefined });
  }

  private async start(order: Parameters<App["engine"]["startJob"]>[0]): Promise<void> {
    try {
      this.takeJob(await this.app.engine.startJob(order));
    } catch (error) {
      this.app.complain(error);
    }
  }

  private takeJob(job: Job): void {
    const before = this.known.get(job.id);
    this.known.set(job.id, job);
    // Every second: only what changes, so that a button that has the focus keeps it.
    const shown = this.jobs.querySelector<HTMLElement>(`[data-job="${job.id}"]`);
    if (shown && job.state === "running") this.follow(shown, job);
    else this.showJobs();
    if (before?.state === "running" && job.state !== "running") {
      notify(`${job.title}: ${job.state}`, job.state === "failed" ? "error" : "note");
      void this.load();
    }
  }

  private showJobs(): void {
    this.jobs.hidden = this.known.size === 0;
    this.jobs.replaceChildren(h("h3", {}, "Jobs"), ...[...this.known.values()].map((one) => this.job(one)));
  }

  private job(job: Job): HTMLElement {
    const running = job.state === "running";
    const dismiss = (): void => {
      this.known.delete(job.id);
      this.showJobs();
    };
    const element = h("div", { class: "job", "data-job": job.id },
      h("div", { class: "bar-row" }, h("b", {}, job.title), h("span", { class: "stretch" }),
        running
          ? button({ label: `Stop ${job.title}`, text: "stop" }, () =>
            void this.app.engine.stopJob(job.id).catch((error) => this.app.complain(error)))
          : button({ icon: "close", label: `Forget ${job.title}`, class: "icon small" }, dismiss)),
      h("p", { class: "quiet" }),
      running && h("progress", { max: 1, "aria-label": `Progress of ${job.title}` }),
      job.state !== "done" && h("pre", { class: "lines" }),
      job.result !== null && h("div", { class: "actions" },
        button({ label: `Show the result of ${job.title}`, text: "Show the result", class: "primary" }, () => void this.showJob(job))));
    this.follow(element, job);
    return element;
  }

  private follow(element: HTMLElement, job: Job): void {
    const share = job.progress === null || job.state !== "running" ? "" : `, about ${Math.round(100 * job.progress)} %`;
    element.querySelector("p")!.textContent = `${job.state}${share}, ${duration(job.seconds)}`;
    const lines = element.querySelector("pre");
    if (lines) lines.textContent = job.lines.slice(-3).join("\n");
    const bar = element.querySelector("progress");
    if (bar && job.progress !== null) bar.value = job.progress;
  }

  private async showJob(job: Job): Promise<void> {
    await this.load();
    const item = this.items.find(({ path }) => path === job.result);
    if (!item) return notify(`${job.result} is not on the shelf any more.`, "warning");
    if (item.recording) void this.open(item);
    await this.showResult(item);
  }
}

function duration(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

function when(seconds: number): string {
  const age = Date.now() / 1000 - seconds;
  if (age < 90) return "just now";
  if (age < 5400) return `${Math.round(age / 60)} minutes ago`;
  if (age < 129_600) return `${Math.round(age / 3600)} hours ago`;
  return new Date(1000 * seconds).toLocaleDateString();
}
