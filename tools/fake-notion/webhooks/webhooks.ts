import { setMaxListeners } from 'node:events';
import { createHmac, randomBytes } from 'node:crypto';
import type { WorkspaceState } from '../state/workspace-state';
import { Feed } from './feed';
import type { WebhookEvent } from './payload';
import { post } from './post';

/** One request to the webhook. */
export interface WebhookAttempt {
  readonly at: Date;
  readonly event: WebhookEvent;
  /** From 1 to 8. */
  readonly attempt: number;
  /** Null: no complete response. */
  readonly status: number | null;
}

const MOST_ATTEMPTS = 8;
/** By the documentation there are eight attempts within a day, with growing waits. */
const FIRST_RETRY_MS = 60_000;
const RETRY_FACTOR = 3;

/** A connection's webhook: signed requests with ids. */
export class Webhooks {
  /** The key of the signatures; the handshake sends it. */
  readonly token = `secret_${randomBytes(24).toString('base64url')}`;
  readonly attempts: WebhookAttempt[] = [];
  readonly feed: Feed;
  private url: string | null = null;
  private open = 0;
  /** First attempts are made one after another, so that their order is known. */
  private line: Promise<void> = Promise.resolve();
  private readonly closing = new AbortController();

  constructor(private readonly state: WorkspaceState) {
    // Every event that waits for its next attempt listens to it.
    setMaxListeners(0, this.closing.signal);
    this.feed = new Feed(state, (event) => {
      this.line = this.line.then(() => this.deliver(event));
    });
    state.onChange((change) => {
      if (this.url !== null) this.feed.take(change);
    });
  }

  /** Requests that are open. */
  get inFlight(): number {
    return this.open;
  }

  /** Where further events are sent; null: nowhere. */
  sendTo(url: string | null): void {
    this.url = url;
  }

  /** Sends the verification token, unsigned, as Notion does for a new address; returns the status. */
  shakeHands(url: string): Promise<number | null> {
    return this.post(url, Buffer.from(JSON.stringify({ verification_token: this.token })), {});
  }

  /** Sends an event again unchanged, which a subscriber has to expect. */
  async repeat(event: WebhookEvent): Promise<number | null> {
    return this.attempt(event, event.attempt_number);
  }

  close(): void {
    this.closing.abort();
    this.feed.close();
  }

  private async deliver(event: WebhookEvent): Promise<void> {
    if (this.closing.signal.aborted) return;
    if (!isAccepted(await this.attempt(event, 1))) void this.tryAgain(event);
  }

  private async tryAgain(event: WebhookEvent): Promise<void> {
    let waitMs = FIRST_RETRY_MS;
    for (let attempt = 2; attempt <= MOST_ATTEMPTS; attempt += 1) {
      await this.state.clock.sleep(waitMs, this.closing.signal);
      if (this.closing.signal.aborted) return;
      if (isAccepted(await this.attempt(event, attempt))) return;
      waitMs *= RETRY_FACTOR;
    }
  }

  private async attempt(event: WebhookEvent, attempt: number): Promise<number | null> {
    const { url } = this;
    if (url === null) return null;
    const at = this.state.clock.now();
    const sent = { ...event, attempt_number: attempt };
    const body = Buffer.from(JSON.stringify(sent));
    const signature = createHmac('sha256', this.token).update(body).digest('hex');
    const status = await this.post(url, body, { 'x-notion-signature': `sha256=${signature}` });
    this.attempts.push({ at, event: sent, attempt, status });
    this.state.changes.notify();
    return status;
  }

  private async post(
    url: string,
    body: Buffer,
    headers: Readonly<Record<string, string>>,
  ): Promise<number | null> {
    this.open += 1;
    const status = await post(url, headers, body, this.state.clock, this.closing.signal);
    this.open -= 1;
    return status;
  }
}

function isAccepted(status: number | null): boolean {
  return status !== null && status >= 200 && status <= 299;
}
