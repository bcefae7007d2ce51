import { Receiver, respondWith } from '../../tools/http-fake/receiver';

/** A real HTTP server that takes alerts; its address has a secret that no log may show. */
export class AlertReceiver extends Receiver {
  override get url(): string {
    return super.url.replace('/hook', '/alerts?secret=hidden');
  }

  /** The status of the responses from now on; null: the connection breaks. */
  set status(status: number | null) {
    this.respond = respondWith(status);
  }

  get bodies(): Record<string, unknown>[] {
    return this.requests.all.map(({ body }) => body);
  }

  /** Resolves when the next alert has come in. */
  async nextBody(): Promise<void> {
    await this.requests.nth(this.requests.all.length + 1);
  }
}
