// Listeners by name, with types.

type Listeners<E> = { [K in keyof E]?: E[K] };

export class Emitter<E extends { [K in keyof E]: (...values: never[]) => void }> {
  private readonly all = new Set<Listeners<E>>();

  listen(listeners: Listeners<E>): () => void {
    this.all.add(listeners);
    return () => void this.all.delete(listeners);
  }

  emit<K extends keyof E>(name: K, ...values: Parameters<E[K]>): void {
    for (const listeners of [...this.all]) listeners[name]?.(...values);
  }
}
