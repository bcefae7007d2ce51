import type { UIMessage } from 'ai';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { CHAT, lastReply, textOf } from './chat-client';
import { heldReply } from './mid-reply';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';

const BEFORE = 'Thank you, 👩‍🚀 that is clear.';
const AFTER = ' Noted.';

/** A client in a process of its own: `ai` 7 is made of modules that Jest cannot load. */
class Ai7Client {
  /** Every state of the reply that it showed; null: there was nothing to resume. */
  readonly states: (UIMessage | null)[] = [];
  private readonly exitCode: Promise<number | null>;
  private isOpen = false;
  private isOver = false;
  private wake = (): void => undefined;

  private constructor(private readonly child: ChildProcessByStdio<null, Readable, null>) {
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => {
      if (line === 'open') this.isOpen = true;
      else this.states.push(JSON.parse(line) as UIMessage | null);
      this.wake();
    });
    this.exitCode = new Promise((resolve) => {
      child.once('close', (code) => {
        this.isOver = true;
        this.wake();
        resolve(code);
      });
    });
  }

  static sending(candidate: TestCandidate, text: string): Ai7Client {
    return Ai7Client.of(candidate, [text]);
  }

  static resuming(candidate: TestCandidate): Ai7Client {
    return Ai7Client.of(candidate, []);
  }

  get text(): string {
    return textOf(this.states.at(-1) ?? undefined);
  }

  shows(text: string): Promise<void> {
    return this.until(() => this.text === text);
  }

  isAnswered(): Promise<void> {
    return this.until(() => this.isOpen);
  }

  /** What it showed last, when it has ended without an error. */
  async end(): Promise<UIMessage | null | undefined> {
    expect(await this.exitCode).toBe(0);
    return this.states.at(-1);
  }

  /** The page is closed in the middle. */
  async leave(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exitCode;
  }

  private async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      if (this.isOver) throw new Error(`ended with ${JSON.stringify(this.states.at(-1))}`);
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  private static of(candidate: TestCandidate, text: readonly string[]): Ai7Client {
    const { app, token, conversationId } = candidate;
    const program = path.join(__dirname, 'ai-7-client.mjs');
    const args = [program, `${app.url}/api/chat`, token, conversationId, ...text];
    return new Ai7Client(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] }));
  }
}

const isNewEnough = Number.parseInt(process.versions.node) >= 22;
const transport = 'the transport of `ai` 7, unmodified,';
const title = isNewEnough
  ? transport
  : `(skipped: \`ai\` 7 wants Node 22 or newer, and this is ${process.version}) ${transport}`;

(isNewEnough ? describe : describe.skip)(title, () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp(CHAT);
  });

  afterEach(() => {
    app.model.release();
  });

  afterAll(() => app.close());

  async function sendAndShowHalf(): Promise<{ candidate: TestCandidate; client: Ai7Client }> {
    const candidate = await TestCandidate.begin(app);
    app.model.next(heldReply(BEFORE, AFTER));
    const client = Ai7Client.sending(candidate, 'Rye.');
    await client.shows(BEFORE);
    return { candidate, client };
  }

  test('sends a message and shows the reply as it grows, then as it is stored', async () => {
    const { candidate, client } = await sendAndShowHalf();
    app.model.release();

    const message = await client.end();

    const stored = await lastReply(candidate);
    expect([message?.id, client.text]).toEqual([stored.id, stored.text]);
    expect(stored.text.startsWith(BEFORE + AFTER)).toBe(true);
    expect((await candidate.view()).messages.at(-2)).toMatchObject({ role: 'user', text: 'Rye.' });
  });

  test('resumes during a reply with the whole text under the same id', async () => {
    const { candidate, client } = await sendAndShowHalf();
    await client.leave();

    const resumed = Ai7Client.resuming(candidate);
    await resumed.shows(BEFORE);
    app.model.release();
    const message = await resumed.end();

    const stored = await lastReply(candidate);
    expect(client.states.at(-1)?.id).toBe(stored.id);
    expect([message?.id, resumed.text]).toEqual([stored.id, stored.text]);
  });

  test('resumes before the first word, and waits until it comes', async () => {
    const candidate = await TestCandidate.begin(app);
    const asked = app.model.requests.length;
    app.model.next(heldReply('', AFTER));
    await candidate.send('m1', 'Rye.');
    const client = Ai7Client.resuming(candidate);
    await client.isAnswered();
    await app.model.request(asked + 1);
    expect(client.states).toEqual([]);
    app.model.release();

    const message = await client.end();

    const stored = await lastReply(candidate);
    expect([message?.id, client.text]).toEqual([stored.id, stored.text]);
  });

  test('resumes nothing when nothing is pending', async () => {
    const candidate = await TestCandidate.begin(app);
    const client = Ai7Client.resuming(candidate);

    expect(await client.end()).toBeNull();
    expect(client.states).toEqual([null]);
  });

  test('ends at a Stop with the text so far, which is stored', async () => {
    const { candidate, client } = await sendAndShowHalf();

    const stop = await fetch(`${app.url}/api/chat/${candidate.conversationId}/stop`, {
      method: 'POST',
      headers: candidate.headers,
    });
    const message = await client.end();

    expect(stop.status).toBe(202);
    expect(textOf(message ?? undefined)).toBe(BEFORE);
    const view = await candidate.waitFor(({ replying }) => !replying);
    expect(view.messages.at(-1)).toMatchObject({ id: message?.id, text: BEFORE, partial: true });
  });
});
