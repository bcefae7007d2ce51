/**
 * What the process is for. A server claims jobs, listens, and runs intervals. A command does none of it: it
 * reads and writes rows, so it is safe beside a running server.
 */
export class RunMode {
  static readonly server = new RunMode(true);
  static readonly command = new RunMode(false);

  private constructor(readonly isServing: boolean) {}
}
