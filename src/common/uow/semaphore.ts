/** Lets at most `free` pieces of work run at a time; the others wait for their turn, in order. */
export class Semaphore {
  private readonly queue: (() => void)[] = [];

  constructor(private free: number) {}

  /** Pieces of work that wait for their turn. */
  get waiting(): number {
    return this.queue.length;
  }

  async within<T>(work: () => Promise<T>): Promise<T> {
    await this.take();
    try {
      return await work();
    } finally {
      this.giveBack();
    }
  }

  private take(): Promise<void> {
    if (this.free === 0) return new Promise((resolve) => this.queue.push(resolve));
    this.free -= 1;
    return Promise.resolve();
  }

  private giveBack(): void {
    const next = this.queue.shift();
    if (next === undefined) this.free += 1;
    else next();
  }
}
