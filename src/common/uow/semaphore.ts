/** Lets at most `free` pieces of work run at a time; the others wait for their turn, in order. */
export class Semaphore {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  async within<T>(work: () => Promise<T>): Promise<T> {
    await this.take();
    try {
      return await work();
    } finally {
      this.giveBack();
    }
  }

  private take(): Promise<void> {
    if (this.free === 0) return new Promise((resolve) => this.waiting.push(resolve));
    this.free -= 1;
    return Promise.resolve();
  }

  private giveBack(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.free += 1;
    else next();
  }
}
