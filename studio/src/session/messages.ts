// What a server and an engine in the page have in common: asks with numbers, answers to them, and events.

import { KIND_FRAME, KIND_WORLD, type Answer, type Ask, type Event } from "../protocol.ts";
import { Emitter } from "./emitter.ts";
import { RefusedError, type EngineEvents } from "./session.ts";
import { kindOf, readFrame, readWorld } from "./wire.ts";

interface Waiting {
  resolve: (answer: Record<string, unknown>) => void;
  reject: (error: Error) => void;
}

export abstract class Messages {
  protected readonly events = new Emitter<EngineEvents>();
  private readonly waiting = new Map<number, Waiting>();
  private asks = 0;

  /** Brings a message to the engine; false if there is no way to it now. */
  protected abstract send(message: Record<string, unknown>): boolean;

  listen(events: Partial<EngineEvents>): () => void {
    return this.events.listen(events);
  }

  ask(ask: Ask): Promise<Record<string, unknown>> {
    return this.request(ask);
  }

  protected request(message: object): Promise<Record<string, unknown>> {
    const number = ++this.asks;
    if (!this.send({ ...message, ask: number })) return Promise.reject(new Error("There is no connection to the engine."));
    return new Promise((resolve, reject) => this.waiting.set(number, { resolve, reject }));
  }

  taken(session: number, frame: number): void {
    this.send({ op: "taken", session, frame, ask: 0 });
  }

  protected receive(data: string | ArrayBuffer): void {
    if (typeof data !== "string") {
      if (kindOf(data) === KIND_FRAME) this.events.emit("frame", readFrame(data));
      else if (kindOf(data) === KIND_WORLD) this.events.emit("world", readWorld(data));
      return;
    }
    const message = JSON.parse(data) as Answer | Event;
    if ("answer" in message) this.settle(message);
    else this.announce(message);
  }

  private settle(answer: Answer): void {
    const waiting = this.waiting.get(answer.answer);
    this.waiting.delete(answer.answer);
    if (!waiting) return;
    if (answer.ok) waiting.resolve(answer);
    else waiting.reject(new RefusedError(answer.error));
  }

  private announce(event: Event): void {
    switch (event.event) {
      case "status": return this.events.emit("status", event.session, event);
      case "numbers": return this.events.emit("numbers", event.session, event);
      case "failed": return this.events.emit("failed", event.session, event.message, event.time);
      case "closed": return this.events.emit("closed", event.session, event.why);
      case "job": return this.events.emit("job", event.job);
    }
  }

  /** Nothing that was asked will be answered any more. */
  protected forsake(why: string): void {
    for (const { reject } of this.waiting.values()) reject(new Error(why));
    this.waiting.clear();
  }
}
