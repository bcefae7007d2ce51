import type { IncomingMessage } from 'node:http';

/** The requests of a fake server, oldest first; a test waits for the n-th instead of sleeping. */
export class Requests<Received> {
  readonly all: Received[] = [];
  private waiters: (() => void)[] = [];

  add(received: Received): void {
    this.all.push(received);
    for (const wake of this.waiters.splice(0)) wake();
  }

  /** Resolves with the n-th request (from 1) when it has come in. */
  async nth(n: number): Promise<Received> {
    for (;;) {
      const found = this.all[n - 1];
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.waiters.push(resolve));
    }
  }
}

export async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
