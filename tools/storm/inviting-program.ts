import { setTimeout as pause } from 'node:timers/promises';

const REQUEST_TIMEOUT_MS = 5000;
const RETRY_MS = 300;
const INVITES_EVERY_MS = 1000;

/** What a program knows of the person whom it has invited by one Idempotency-Key. */
export interface Invited {
  /** Also in the metadata of the invitation. */
  readonly key: string;
  /** Of a candidate of the storm; null: a person who never comes. */
  readonly candidate: number | null;
  /** What the responses had: the id of an invitation and its link. */
  readonly ids: Set<string>;
  readonly links: Set<string>;
}

/**
 * Invites people by `POST …/invitations` with a key, and repeats each request with its Idempotency-Key until it
 * has a response, whatever happens to the replicas meanwhile.
 */
export class InvitingProgram {
  readonly invited: Invited[] = [];

  constructor(
    private readonly options: {
      readonly baseUrl: string;
      readonly vacancy: string;
      /** An API key with `invitations:write`. */
      readonly token: string;
      /** Aborts when nobody sends anything any more. */
      readonly present: AbortSignal;
      readonly complaints: string[];
    },
  ) {}

  /** Returns the token of the person's link. */
  async invite(candidate: number | null): Promise<string> {
    const key = `storm-${String(this.invited.length)}`;
    const entry: Invited = { key, candidate, ids: new Set(), links: new Set() };
    this.invited.push(entry);
    await this.send(entry);
    // A program that was restarted sends the same request again.
    if (this.invited.length % 2 === 0) await this.send(entry);
    const [link = ''] = entry.links;
    return link.split('/').at(-1) ?? '';
  }

  /** Invites people who never come, one after the other. */
  async run(writing: AbortSignal): Promise<void> {
    while (!writing.aborted) {
      await this.invite(null);
      await pause(INVITES_EVERY_MS, undefined, { signal: writing }).catch(() => undefined);
    }
  }

  private async send({ key, candidate, ids, links }: Invited): Promise<void> {
    const { baseUrl, vacancy, token, present, complaints } = this.options;
    const name = candidate === null ? 'Nobody' : `Storm ${String(candidate)}`;
    for (;;) {
      const response = await fetch(`${baseUrl}/api/v1/vacancies/${vacancy}/invitations`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify({ name, metadata: { key } }),
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      }).catch(() => null);
      const text = await response?.text().catch(() => null);
      if (response?.status === 201 && typeof text === 'string') {
        const made = JSON.parse(text) as { id: string; link: { web: string } };
        ids.add(made.id);
        links.add(made.link.web);
        return;
      }
      const status = response?.status ?? 0;
      const isRunning = status === 409 && text?.includes('idempotency_running') === true;
      if (status >= 400 && status < 500 && !isRunning) {
        complaints.push(`the invitation ${key} got ${String(status)}: ${text ?? ''}`);
        throw new Error(`the invitation ${key}: ${String(status)}`);
      }
      if (status === 500) complaints.push(`the invitation ${key} got 500: ${text ?? ''}`);
      await pause(RETRY_MS);
      if (present.aborted) throw new Error(`the invitation ${key} had no response until the end`);
    }
  }
}
