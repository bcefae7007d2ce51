/**
 * Reads what the page shows, one read at a time. What is asked for during a read is read after it,
 * because the running read may have begun too early. A failed read is not repeated here.
 */
export class Reader {
  private running: Promise<void> | null = null;
  private isWanted = false;
  private hasFailed = false;

  /** `read` returns whether it has succeeded. */
  constructor(private readonly read: () => Promise<boolean>) {}

  /** Something may be missing on the page. */
  get isStale(): boolean {
    return this.hasFailed;
  }

  /** Resolves when a read that began after this call has ended. */
  again(): Promise<void> {
    this.isWanted = true;
    this.running ??= this.readWhileWanted();
    return this.running;
  }

  private async readWhileWanted(): Promise<void> {
    while (this.isWanted) {
      this.isWanted = false;
      this.hasFailed = !(await this.read());
    }
    this.running = null;
  }
}
