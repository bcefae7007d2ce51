import type { TestCandidate } from '../support/candidate';
import { until } from '../support/postgres/processes';

interface Event {
  readonly name: string;
  readonly data: { readonly text?: string };
}

/** One open `/events` connection and the events that it received. */
export class EventStream {
  readonly events: Event[] = [];
  /** Resolves when the connection has ended or was cut. */
  readonly ended: Promise<void>;
  private rest = '';

  private constructor(
    readonly status: number,
    body: ReadableStream<Uint8Array>,
  ) {
    this.ended = this.read(body).catch(() => undefined);
  }

  static async open(candidate: TestCandidate): Promise<EventStream> {
    const response = await candidate.get('/api/v1/conversation/events');
    if (response.body === null) throw new Error('no stream');
    const stream = new EventStream(response.status, response.body);
    await stream.until('hello');
    return stream;
  }

  names(): string[] {
    return this.events.map(({ name }) => name);
  }

  /** The text of all deltas. */
  text(): string {
    return this.events.map(({ name, data }) => (name === 'delta' ? data.text : '')).join('');
  }

  async until(name: string): Promise<void> {
    await until(`the event ${name} comes`, () => this.names().includes(name));
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of body) {
      this.rest += decoder.decode(chunk, { stream: true });
      const frames = this.rest.split('\n\n');
      this.rest = frames.pop() ?? '';
      for (const frame of frames) this.take(frame);
    }
  }

  private take(frame: string): void {
    const name = /^event: (.*)$/m.exec(frame)?.[1];
    const data = /^data: (.*)$/m.exec(frame)?.[1];
    if (name === undefined || data === undefined) return;
    this.events.push({ name, data: JSON.parse(data) as Event['data'] });
  }
}
