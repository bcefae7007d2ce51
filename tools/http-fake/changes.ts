/** Wakes everything that waits for a change. */
export class Changes {
  private readonly listeners = new Set<() => void>();

  notify(): void {
    for (const listener of [...this.listeners]) listener();
  }

  /** Calls back at each change until the returned function is called. */
  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Resolves when `isSo` holds; rejects with `what` after `withinMs` of real time. */
  until(what: string, isSo: () => boolean, withinMs = 10_000): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        if (!isSo()) return;
        done();
        resolve();
      };
      const stop = this.listen(check);
      const timer = setTimeout(() => {
        done();
        reject(new Error(`never happened: ${what}`));
      }, withinMs);
      const done = (): void => {
        stop();
        clearTimeout(timer);
      };
      check();
    });
  }
}
