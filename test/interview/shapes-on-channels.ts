import { ReplyReader } from '../../src/interview/turn/reply-reader';
import { ModelFailure } from '../../src/llm';
import { type ModelReply, replyWith } from '../../tools/fake-model/model-server';
import { begunPerson } from '../channels/telegram/telegram-person';
import { closeReaders, readEvents } from '../channels/web/event-source';
import { type TestApp, startTestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';
import { ADMIN_TOKEN } from '../support/secrets';
import { callSearch, fromPassage, storeDocuments } from './knowledge-turns';
import { type OutputShape, QUERY, REPLY, SECRET } from './output-shapes';

export const CHANNELS = ['page', 'Telegram'] as const;
type ShapeChannel = (typeof CHANNELS)[number];

/** Words and marks of the shapes that no reply, text of the plan or prompt contains. */
const NEVER_SHOWN = [
  SECRET,
  'full transcript',
  'I ask again',
  'I asked again',
  'I look that up',
  'Then again',
  'brilliant',
  '<think',
  '[THINK',
  '◁',
  '<|',
  '<｜',
  '```',
  '<tool_call',
];

const QUESTION = 'Can I work from home?';
const ANSWER = 'I baked rye bread last.';
/** Fake time between two looks. */
const LOOK_MS = 50;
/** Telegram gets at most one draft in this time. */
const DRAFT_MS = 1000;

/** What one answer led to, as everybody saw it who may see something. */
interface Outcome {
  /** What the candidate sees in the end: the text of the reply, or the messages of the bot. */
  readonly replies: readonly string[];
  /** The texts of the reply while it was written: of each generation, as far as it came. */
  readonly grown: readonly string[];
  /** All that left the process for the candidate. */
  readonly sent: string;
  /** The lines of the team's transcript. */
  readonly transcript: string;
  /** The messages of all requests to the model, also of the next answer. */
  readonly prompts: string;
  /** How the attempts ended, without those of the next answer. */
  readonly attempts: readonly string[];
  readonly attention: readonly string[];
}

/** One application on fake time with a page, a bot, a model and a document to search in. */
export async function startChannels(): Promise<TestApp> {
  const app = await startTestApp({
    clock: 'fake',
    telegram: true,
    model: true,
    env: {
      ADMIN_TOKEN,
      INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT: '0.5',
      JOB_LEASE: '60',
      OPENAI_FIRST_BYTE_TIMEOUT: '600',
      OPENAI_IDLE_TIMEOUT: '600',
    },
  });
  await storeDocuments(app, { 'remote.en.md': '# Remote work policy\n\nTwo days from home.' });
  return app;
}

/** What a model writes in pieces of this many characters; its last character waits for a release. */
function inPieces({ output }: Pick<OutputShape, 'output'>, chunkSize: number): ModelReply {
  return { kind: 'hold', content: output.slice(0, -1), rest: output.slice(-1), chunkSize };
}

/** What a server writes that knows the family: the reply alone, a real call, nothing. */
const PLAIN: Readonly<Record<OutputShape['is'], ModelReply>> = {
  reply: inPieces({ output: REPLY }, 7),
  call: callSearch(QUERY),
  nothing: inPieces({ output: '{}' }, 7),
};

/** A candidate answers while the model writes this, and once more with a plain reply. */
function answered(
  app: TestApp,
  channel: ShapeChannel,
  is: OutputShape['is'],
  writes: ModelReply,
): Promise<Outcome> {
  const isAsked = is === 'call';
  app.model.next(...(isAsked ? [writes, fromPassage('Two days from home.')] : [writes]));
  if (is === 'nothing') app.model.next(writes, writes);
  app.model.next(replyWith('answered', 'Fine.'));
  const said = isAsked ? QUESTION : ANSWER;
  return channel === 'page' ? onPage(app, said, writes) : onTelegram(app, said, writes);
}

async function onPage(app: TestApp, said: string, writes: ModelReply): Promise<Outcome> {
  const candidate = await TestCandidate.begin(app);
  const reader = await readEvents(candidate);
  const seen = (): boolean => reader.text !== '';
  const turns = new Turns(app, candidate.conversationId);
  await candidate.send('m1', said);
  await turns.play(writes, seen);
  await app.until('the reply is finished', () => reader.of('finish').length > 0);
  const replies = [reader.text];
  const grown: string[] = [];
  for (const { event, data } of reader.frames) {
    if (event === 'start') grown.push('');
    if (event === 'delta') grown.push((grown.pop() ?? '') + String(data.text));
  }
  await candidate.send('m2', ANSWER);
  await turns.play(writes, seen);
  const sent = JSON.stringify([reader.frames, await candidate.view()]);
  closeReaders();
  return { replies, grown, sent, ...(await turns.outcome()) };
}

async function onTelegram(app: TestApp, said: string, writes: ModelReply): Promise<Outcome> {
  const person = await begunPerson(app);
  const { journal } = app.telegram;
  const before = journal.all.length;
  const drafts = (): string[] =>
    journal.all
      .slice(before)
      .filter(({ method }) => method === 'sendMessageDraft')
      .map(({ params }) => String((params as { text?: unknown }).text));
  const turns = new Turns(app, (await person.conversationId()) ?? '');
  await person.writes(said);
  await turns.play(writes, () => drafts().length > 0);
  await app.settle();
  const [replies, grown] = [[...person.heard], drafts()];
  await person.writes(ANSWER);
  await turns.play(writes, () => true);
  await app.settle();
  const sent = JSON.stringify(journal.all.slice(before).map(({ params }) => params));
  return { replies, grown, sent, ...(await turns.outcome()) };
}

/** The turns of one conversation. */
class Turns {
  private readonly from: number;
  private played = 0;
  private attempts: readonly string[] = [];

  constructor(
    private readonly app: TestApp,
    private readonly conversationId: string,
  ) {
    this.from = app.model.requests.length;
  }

  /** Lets the model write until the next turn is over; `seen` is true when its text is shown. */
  async play(writes: ModelReply, seen: () => boolean): Promise<void> {
    const { app } = this;
    this.played += 1;
    for (let n = app.model.requests.length + 1; ; n += 1) {
      await app.until('a request, or the end of the turn', async () => {
        app.clock.advance(LOOK_MS);
        return app.model.requests.length >= n || (await this.isOver());
      });
      if (app.model.requests.length < n) break;
      if (this.played === 1) await this.shown(writes, seen);
      app.model.release();
    }
    if (this.played === 1) this.attempts = await this.list('a.outcome', ATTEMPTS);
  }

  async outcome(): Promise<Pick<Outcome, 'transcript' | 'prompts' | 'attempts' | 'attention'>> {
    const { app, conversationId: id } = this;
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const url = `${app.url}/api/v1/admin/conversations/${id}/transcript`;
    const transcript = await (await fetch(url, { headers })).text();
    const prompts = JSON.stringify(
      app.model.requests.slice(this.from).map(({ body }) => body.messages),
    );
    const attention = await this.list('kind', 'attention where conversation_id = $1 order by id');
    return { transcript, prompts, attempts: this.attempts, attention };
  }

  /** Time for whatever a channel may show of an unfinished output. */
  private async shown(writes: ModelReply, seen: () => boolean): Promise<void> {
    const { app } = this;
    if (writes.kind !== 'hold') return;
    if (isStreamed(writes.content)) await app.until('the growing text is shown', seen);
    for (const _ of [1, 2]) {
      app.clock.advance(DRAFT_MS);
      await app.settle('flush');
    }
  }

  private async isOver(): Promise<boolean> {
    const [turns] = await this.list(
      'count(*)::text',
      "turn where conversation_id = $1 and state = 'delivered'",
    );
    return Number(turns) >= this.played;
  }

  private async list(what: string, from: string): Promise<string[]> {
    const rows = await this.app.sql<{ one: string }>(`select ${what} as one from ${from}`, [
      this.conversationId,
    ]);
    return rows.map(({ one }) => one);
  }
}

/** Whether a whole word of the output is shown before its end; not of one that fails. */
function isStreamed(content: string): boolean {
  try {
    const events = new ReplyReader().push(content);
    return events.some((event) => event.type === 'delta' && event.text.includes(' '));
  } catch (error) {
    if (error instanceof ModelFailure) return false;
    throw error;
  }
}

const ATTEMPTS = `llm_attempt a join llm_request r on r.id = a.request_id
  join turn t on r.subject = 'flush:' || t.answer_id where t.conversation_id = $1 order by a.id`;

const plain = new Map<string, Promise<Outcome>>();

/** Asserts that everybody sees exactly what they see of a server that knows the model's family. */
export async function expectOnlyItsReply(
  app: TestApp,
  channel: ShapeChannel,
  shape: OutputShape,
  chunkSize: number,
): Promise<void> {
  const { is } = shape;
  const wanted = plain.get(channel + is) ?? answered(app, channel, is, PLAIN[is]);
  plain.set(channel + is, wanted);
  const { replies, attempts, attention } = await wanted;
  const outcome = await answered(app, channel, is, inPieces(shape, chunkSize));

  expect(outcome).toMatchObject({ replies, attention });
  expect(outcome.attempts.map((one) => (one === 'empty' ? 'malformed' : one))).toEqual(attempts);
  for (const text of outcome.grown) expect(replies.at(-1)?.startsWith(text)).toBe(true);
  for (const place of [outcome.sent, outcome.transcript, outcome.prompts]) {
    expect(NEVER_SHOWN.filter((words) => place.includes(words))).toEqual([]);
  }
  if (is === 'call') expect(outcome.prompts).toContain('Two days from home.');
  if (is === 'nothing') {
    expect(attempts).toEqual(['malformed', 'malformed', 'malformed']);
    expect(replies.at(-1)).toContain('Why bread?');
    expect(attention).not.toEqual([]);
  }
}

/** Asserts that the words are stored only as a model's output, for operators who replay a request. */
export async function expectStoredAsOutputOnly(app: TestApp): Promise<void> {
  const rows = await app.rowsWith(NEVER_SHOWN);
  expect(rows.filter((row) => !row.startsWith('reply_request '))).toEqual([]);
  expect(rows).not.toEqual([]);
}
