import type { ModelReply } from '../../tools/fake-model/model-server';
import { streamCalls } from '../../tools/fake-model/tool-replies';
import { PROCESS_TIMEOUT_MS, until } from '../support/until';
import type { MatrixPerson } from './matrix-person';
import type { Deployment } from './deployment';

export const ANSWER = 'I have baked rye bread for nine years.';
export const QUESTION = 'May I work from home?';
const VOICE = Buffer.from('OggS, a voice');
/** The transcript of VOICE that the model server returns. */
export const HEARD = 'I know bread.';
export const HALF: ModelReply = {
  kind: 'hold',
  content: '{"verdict":"answered","text":"Half a ',
  rest: 'reply, and the rest of it."}',
};

/**
 * Points of a candidate's question: the model is called, the documents are searched, and the model is called
 * again. Its reply then names no source, so the candidate is told that the question is open.
 */
export const SEARCHED: readonly string[] = ['in the reply after a search', 'in retrieval'];

type Reach = (deployment: Deployment, person: MatrixPerson) => Promise<void>;

/**
 * Where a person's answer can be when its process is told to end. People are brought to these points in
 * this order, so that what delays one person does not delay the next one. Each point is held by a
 * peer of the process: the model server, Telegram, or a lock in the database.
 */
export const POINTS = {
  'in the reply after a search': async ({ model }, person) => {
    const asked = model.requests.length;
    model.next(streamCalls(['search_knowledge', { query: QUESTION }]), heldReply());
    await person.answers(QUESTION);
    await model.request(asked + 2);
  },

  'in retrieval': async ({ model }, person) => {
    const asked = model.embeddings.requests.length;
    model.embeddings.hold();
    model.next(streamCalls(['search_knowledge', { query: QUESTION }]));
    await person.answers(QUESTION);
    await model.embeddings.request(asked + 1);
  },

  'in the model stream': async ({ model }, person) => {
    const asked = model.requests.length;
    model.next(HALF);
    await person.answers(ANSWER);
    await model.request(asked + 1);
  },

  'between the commit of the reply and its delivery': async ({ gatekeeper }, person) => {
    await person.sends(ANSWER);
    await gatekeeper.close(person.chatId);
    await person.endWindow();
    await gatekeeper.isWaitedFor(person.chatId);
  },

  'in a delivery that has not arrived': async (deployment, person) => {
    await hangs(deployment, person, 'before', () => person.answers(ANSWER));
  },

  'in a delivery that has arrived': async (deployment, person) => {
    await hangs(deployment, person, 'after', () => person.answers(ANSWER));
  },

  'in the reply to a command': async (deployment, person) => {
    await person.sends(ANSWER);
    await hangs(deployment, person, 'before', () => {
      person.user.writes('/help');
      return Promise.resolve();
    });
  },

  'in the download of a voice': async ({ telegram }, person) => {
    const waiting = telegram.faults.waiting;
    telegram.faults.on('downloadFile', { kind: 'hang' });
    person.user.sendsVoice(VOICE);
    await telegram.until('the download hangs', () => telegram.faults.waiting > waiting);
  },

  'in transcription': async ({ model }, person) => {
    const asked = model.transcriptions.requests.length;
    model.transcriptions.hold();
    person.user.sendsVoice(VOICE);
    await model.transcriptions.request(asked + 1);
  },

  'in the debounce window': (_stage, person) => person.sends(ANSWER),

  // The last point, because in polling the updates of all people wait behind this one.
  'before the commit of an update': async ({ gatekeeper }, person) => {
    await gatekeeper.close(person.chatId);
    person.writes(ANSWER);
    await gatekeeper.isWaitedFor(person.chatId);
  },
} as const satisfies Record<string, Reach>;

export type Point = keyof typeof POINTS;
export const ALL_POINTS = Object.keys(POINTS) as Point[];

/** Work that a process finishes before it ends. */
export const IN_WORK = [
  'in the reply after a search',
  'in retrieval',
  'in the model stream',
  'between the commit of the reply and its delivery',
  'in a delivery that has not arrived',
  'in a delivery that has arrived',
] as const satisfies readonly Point[];
export const VOICES = [
  'in the download of a voice',
  'in transcription',
] as const satisfies readonly Point[];
/** Points at which the answer is still being collected: its quiet time continues. */
export const COLLECTED = [
  'in the reply to a command',
  'in the debounce window',
  'before the commit of an update',
] as const satisfies readonly Point[];

/** Brings each person to their point, all in the same process. */
export async function reachAll(
  deployment: Deployment,
  people: ReadonlyMap<Point, MatrixPerson>,
  points: readonly Point[],
): Promise<void> {
  for (const point of ALL_POINTS) {
    const person = people.get(point);
    if (person !== undefined && points.includes(point)) await POINTS[point](deployment, person);
  }
}

/** Lets everything continue that the peers hold. */
export async function letAllGo(deployment: Deployment): Promise<void> {
  await letPeersGo(deployment);
  deployment.telegram.faults.release();
}

/** As `letAllGo`, without Telegram: a call that hangs there would arrive although its caller is gone. */
export async function letPeersGo({ model, gatekeeper }: Deployment): Promise<void> {
  await gatekeeper.openAll();
  model.embeddings.release();
  model.transcriptions.release();
  model.release();
}

/** `begin` causes a message to the person; returns when that message hangs in Telegram. */
async function hangs(
  { telegram }: Deployment,
  { chatId }: MatrixPerson,
  when: 'before' | 'after',
  begin: () => Promise<void>,
): Promise<void> {
  const waiting = telegram.faults.waiting;
  telegram.faults.on(
    'sendMessage',
    { kind: 'hang', when },
    { matching: (params) => params.chat_id === chatId },
  );
  await begin();
  await until('the send hangs', () => telegram.faults.waiting > waiting, PROCESS_TIMEOUT_MS);
}

/** A reply without a source that is complete only after `release`. */
export function heldReply(): ModelReply {
  return { kind: 'hold', content: '{"verdict":"question",', rest: '"sources":"","text":""}' };
}
