import { type Server, startServer } from '../lib/processes';

/** Candidates in a process of their own (bench/servers/candidates.ts). */
export class Candidates {
  private constructor(private readonly server: Server<object>) {}

  static async start(): Promise<Candidates> {
    return new Candidates(await startServer<object>('candidates.ts', {}));
  }

  /** Throws what has failed there. */
  async ask<T>(request: object): Promise<T> {
    const response = await this.server.ask<{ done: T } | { failed: string }>(
      JSON.stringify(request),
    );
    if ('failed' in response) throw new Error(response.failed);
    return response.done;
  }

  stop(): Promise<void> {
    return this.server.stop();
  }
}
