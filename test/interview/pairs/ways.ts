import { randomUUID } from 'node:crypto';
import { AttentionService } from '../../../src/attention';
import { ColloquyError } from '../../../src/common/errors';
import type { Tx } from '../../../src/common/uow';
import { InterviewService, Takeovers, VoiceService } from '../../../src/interview';
import type { ModelReply } from '../../../tools/fake-model/model-server';
import { replyDataOf } from '../../../tools/fake-model/reply-data';
import type { TestApp } from '../../support/app';
import { type Interviewee, newCandidate, newStranger } from '../interviewee';
import { pause, words, work } from '../interviews';

/** What happens to an interview: by its candidate, by a person of the team, or by time. */
export interface Way {
  readonly name: string;
  /** One after the other; whatever is due is done in between. */
  readonly steps: readonly Step[];
  /** What comes only after the other way of a pair: the transcript of a voice, the replay of an answer. */
  readonly late?: Step;
  /** Whose words the reply to its message begins with; left out: no model is asked about it. */
  readonly speaker?: 'model' | 'code';
  /** How long the candidate is silent. */
  readonly days?: number;
  /** What it is while a reply is being written, when no days can pass; null: it cannot happen then. */
  readonly atOnce?: Step | null;
}

type Step = (of: Play) => Promise<unknown>;

/** One interview in which two ways meet. Its candidate has answered the first of four questions. */
export class Play {
  /** Codes of what was refused. */
  readonly refused: string[] = [];
  readonly voiceIds: string[] = [];
  readonly failedIds: string[] = [];

  private constructor(
    readonly app: TestApp,
    readonly candidate: Interviewee,
    readonly first: Way,
    readonly second: Way,
  ) {}

  static async begin(app: TestApp, { first, second }: Pair): Promise<Play> {
    const candidate = await (first === STRANGER ? newStranger(app) : newCandidate(app));
    return new Play(app, candidate, first, second);
  }

  get id(): string {
    return this.candidate.id;
  }

  async do(step: Step | undefined): Promise<void> {
    try {
      await step?.(this);
    } catch (error) {
      if (!(error instanceof ColloquyError)) throw error;
      this.refused.push(error.code);
    }
  }

  commit<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.app.commit(work);
  }
}

export interface Pair {
  readonly first: Way;
  readonly second: Way;
}

/** Does whatever is due after the quiet time. */
export async function settle(app: TestApp): Promise<void> {
  pause(app);
  while ((await work(app)) > 0);
}

/** What candidates say by the name of the way; whatever else they write is an answer. */
const SAID = {
  pauses: "I'd like to continue in ten days",
  leaves: 'I want to stop',
  yes: 'Yes',
  person: 'I want to talk to a person',
  abuse: 'You are an idiot',
  skips: 'Skip this question',
  objects: 'I object to automated processing',
  russian: 'Давайте по-русски',
} as const;

/** What the model takes each for. */
const TAKEN_FOR = {
  [SAID.leaves]: 'leave',
  [SAID.person]: 'human',
  [SAID.abuse]: 'abusive',
  [SAID.skips]: 'refusal',
  [SAID.objects]: 'objection',
  [SAID.russian]: 'clarify',
};

function verdictOn(answer: string): string {
  return new Map(Object.entries(TAKEN_FOR)).get(answer) ?? 'answered';
}

/** The model of these interviews. */
export const MODEL: ModelReply = {
  kind: 'completion',
  content: ({ messages }) =>
    JSON.stringify({
      verdict: verdictOn(replyDataOf(messages.at(-1)?.content).answer),
      sources: '',
      text: 'Noted.',
    }),
};

/** The same, but the end of the reply waits for `release`. */
export function heldReplyTo({ name }: Way): ModelReply {
  const said = new Map(Object.entries(SAID)).get(name) ?? '';
  const content = `{"verdict":"${verdictOn(said)}","sources":"","text":"Noted. W`;
  return { kind: 'hold', content, rest: 'ell."}' };
}

function says(text?: string): Step {
  return ({ candidate }) => candidate.say(text ?? words());
}

async function makeDue(
  { app }: Play,
  queue: string,
  key: string,
  at = app.clock.now(),
): Promise<void> {
  const set = `update job set due_at = $3 where queue = $1 and key = $2 and state = 'open'`;
  await app.sql(set, [queue, key, at]);
}

/** A voice whose transcript waits for `makeDue`. */
async function speaks(of: Play): Promise<void> {
  const voice = {
    conversationId: of.id,
    channel: 'web',
    externalId: randomUUID(),
    audio: { kind: 'bytes', bytes: Buffer.from('OggS'), mimeType: 'audio/ogg' },
    durationS: 3,
  } as const;
  const { messageId } = await of.commit((tx) => of.app.get(VoiceService).receive(tx, voice));
  of.voiceIds.push(messageId);
  await makeDue(of, 'transcribe', messageId, new Date('2100-01-01'));
}

async function isHeard(of: Play): Promise<void> {
  for (const messageId of of.voiceIds) await makeDue(of, 'transcribe', messageId);
}

/** An answer on which every worker crashes. */
async function fails(of: Play): Promise<void> {
  const jobId = await of.candidate.say(words());
  of.failedIds.push(jobId);
  await of.app.sql(
    `update job set state = 'running', claim_no = 1, failures = 5, due_at = $2 where id = $1`,
    [jobId, of.app.clock.now()],
  );
}

async function isReplayed(of: Play): Promise<void> {
  const items = await of.app.sql<{ id: string }>(
    `select id from attention where kind = 'dead' and job_id = any($1) and closed_at is null
     order by id`,
    [of.failedIds],
  );
  for (const { id } of items) {
    await of.commit((tx) => of.app.get(AttentionService).replay(tx, id, 'Nora'));
  }
}

function byTeam(act: (takeovers: Takeovers, tx: Tx, id: string) => Promise<unknown>): Step {
  return (of) => of.commit((tx) => act(of.app.get(Takeovers), tx, of.id));
}

async function takesBack(of: Play): Promise<void> {
  const isTaken = await of.commit((tx) => of.app.get(Takeovers).takeBack(tx, of.id));
  if (!isTaken) of.refused.push('conversation_with_person');
}

async function choosesRussian(of: Play): Promise<void> {
  await of.commit((tx) => of.app.get(InterviewService).setLanguage(tx, of.id, 'ru'));
}

/** The job that reminds, and that ends an interview, is due. */
function isLookedAt(of: Play): Promise<void> {
  return makeDue(of, 'remind', of.id);
}

/** Nothing has happened yet, and the candidate has not agreed to anything. */
export const STRANGER: Way = { name: 'stranger', steps: [] };

/** Whatever is added here needs its row and its column in the tables of pairs. */
export const WAYS: readonly Way[] = [
  { name: 'answers', steps: [says()], speaker: 'model' },
  { name: 'finishes', steps: [says(), says(), says()], atOnce: null },
  { name: 'pauses', steps: [says(SAID.pauses)] },
  { name: 'leaves', steps: [says(SAID.leaves)], speaker: 'code' },
  { name: 'yes', steps: [says(SAID.yes)], speaker: 'model' },
  { name: 'withdraws', steps: [({ candidate }) => candidate.withdraw()] },
  { name: 'person', steps: [says(SAID.person)], speaker: 'code' },
  { name: 'calls', steps: [({ candidate }) => candidate.askForPerson()] },
  { name: 'back', steps: [takesBack] },
  { name: 'abuse', steps: [says(SAID.abuse)], speaker: 'code' },
  { name: 'edits', steps: [({ candidate }) => candidate.edit(words())], speaker: 'model' },
  { name: 'voice', steps: [speaks], late: isHeard },
  { name: 'taken', steps: [byTeam((by, tx, id) => by.reply(tx, id, 'Nora here.'))] },
  { name: 'returned', steps: [byTeam((by, tx, id) => by.returnToModel(tx, id, 'Nora'))] },
  { name: 'replay', steps: [fails], late: isReplayed, atOnce: null },
  { name: 'skips', steps: [says(SAID.skips)], speaker: 'model' },
  { name: 'objects', steps: [says(SAID.objects)], speaker: 'code' },
  { name: 'russian', steps: [says(SAID.russian)], speaker: 'code' },
  { name: 'chooses', steps: [choosesRussian] },
  { name: 'reminder', steps: [], days: 2, atOnce: isLookedAt },
  { name: 'expiry', steps: [], days: 10, atOnce: isLookedAt },
];
