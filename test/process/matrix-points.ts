import type { ModelReply } from '../../tools/fake-model/model-server';
import { callTools, streamCalls } from '../../tools/fake-model/tool-replies';
import { until } from '../support/postgres/processes';
import type { MatrixPerson } from './matrix-person';
import type { MatrixStage } from './matrix-stage';

export const ANSWER = 'I have baked rye bread for nine years.';
export const QUESTION = 'May I work from home?';
const VOICE = Buffer.from('OggS, a voice');
/** What the model server hears in it. */
export const HEARD = 'I know bread.';
export const HALF: ModelReply = {
  kind: 'hold',
  content: '{"verdict":"answered","text":"Half a ',
  rest: 'reply, and the rest of it."}',
};

type Reach = (stage: MatrixStage, person: MatrixPerson) => Promise<void>;

/**
 * Where a person's answer can be when its process is told to end, in the order in which people are
 * brought there: what holds one of them up must not meet another on the way. Every process is held
 * by one of its peers: the model server, Telegram, or a lock in the database.
 */
export const POINTS = {
  'in reranking': async ({ model }, person) => {
    const asked = model.requests.length;
    model.next(streamCalls(['search_knowledge', { query: QUESTION }]), heldChoice());
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

  'in a delivery that has not arrived': async (stage, person) => {
    await hangs(stage, person, 'before', () => person.answers(ANSWER));
  },

  'in a delivery that has arrived': async (stage, person) => {
    await hangs(stage, person, 'after', () => person.answers(ANSWER));
  },

  'in the answer to a command': async (stage, person) => {
    await person.sends(ANSWER);
    await hangs(stage, person, 'before', () => {
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

  // The last one: in polling, everybody's updates wait behind it.
  'before the commit of an update': async ({ gatekeeper }, person) => {
    await gatekeeper.close(person.chatId);
    person.writes(ANSWER);
    await gatekeeper.isWaitedFor(person.chatId);
  },
} as const satisfies Record<string, Reach>;

export type Point = keyof typeof POINTS;
export const ALL_POINTS = Object.keys(POINTS) as Point[];

/** Work of the process that is told to end: it finishes it. */
export const IN_WORK = [
  'in reranking',
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
/** An answer that is not complete: its quiet time goes on. */
export const COLLECTED = [
  'in the answer to a command',
  'in the debounce window',
  'before the commit of an update',
] as const satisfies readonly Point[];

/** Everybody at their own point of the same process. */
export async function reachAll(
  stage: MatrixStage,
  people: ReadonlyMap<Point, MatrixPerson>,
  points: readonly Point[],
): Promise<void> {
  for (const point of ALL_POINTS) {
    const person = people.get(point);
    if (person !== undefined && points.includes(point)) await POINTS[point](stage, person);
  }
}

/** What the peers hold up goes on. */
export async function letAllGo(stage: MatrixStage): Promise<void> {
  await letPeersGo(stage);
  stage.telegram.faults.release();
}

/** All but Telegram: a call that hangs there would arrive, though its caller has gone. */
export async function letPeersGo({ model, gatekeeper }: MatrixStage): Promise<void> {
  await gatekeeper.openAll();
  model.embeddings.release();
  model.transcriptions.release();
  model.release();
}

/** `do` leads to a message to the person, which hangs on Telegram's side. */
async function hangs(
  { telegram }: MatrixStage,
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
  await until('the send hangs', () => telegram.faults.waiting > waiting);
}

export function heldChoice(): ModelReply {
  const choice = callTools(['select', { ids: ['p1'] }]);
  if (choice.kind !== 'body') throw new Error('a choice is one whole body');
  return { ...choice, isHeld: true };
}
