import { STREAM_LIMITS } from '../../../src/channels/web/events/sse-response';
import type { TestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { withConstants } from '../../support/constants';
import { rowsOf } from '../../support/outside';
import { ADMIN_TOKEN } from '../../support/secrets';
import type { ModelReply } from '../../../tools/fake-model/model-server';
import { type EventSourceReader, readEvents } from './event-source';

export const BEFORE = 'Спасибо, 👩‍🚀 that is clear.';
export const AFTER = ' Дальше…';

/** The application with a model and long replies. */
export const STREAMS = {
  model: true,
  env: { OPENAI_MAX_OUTPUT_TOKENS: '16000', ADMIN_TOKEN },
} as const;

/** As many readers as a test of this file opens. */
export function withManyReaders(): void {
  withConstants(STREAM_LIMITS, { perSession: 1000 });
}

/**
 * A model's reply that stops after `before` until the server is told to release it. A sentence is shown when the
 * next one begins, so the stop comes behind two characters of `after`.
 */
export function heldReply(before: string, after: string): ModelReply {
  const head = JSON.stringify({ verdict: 'answered', text: before + after.slice(0, 2) }).slice(
    0,
    -2,
  );
  const rest = JSON.stringify(after.slice(2)).slice(1);
  return { kind: 'hold', content: head, rest: `${rest}}` };
}

/** A candidate whose reply is held after its first half, and a reader who has all of it. */
export async function beginMidReply(
  app: TestApp,
): Promise<{ candidate: TestCandidate; reader: EventSourceReader }> {
  const candidate = await TestCandidate.begin(app);
  const reader = await readEvents(candidate);
  app.model.next(heldReply(BEFORE, AFTER));
  await candidate.send('m1', 'Rye.');
  await reader.until(({ text }) => text === BEFORE);
  return { candidate, reader };
}

export async function storedReply(
  candidate: TestCandidate,
): Promise<{ id: string; seq: number; text: string }> {
  const view = await candidate.waitFor(({ interviewStep, replying }) => {
    return interviewStep === 1 && !replying;
  });
  const reply = view.messages.at(-1);
  if (reply?.role !== 'assistant') throw new Error('no reply');
  return reply;
}

/** The id of an event in a reply that is being read. */
export interface Place {
  readonly turn: string;
  readonly epoch: number;
  /** The number of the last message that was sent before. */
  readonly lastSeq: number;
}

/** Where the reply that is being read has got to, as ids of frames say it. */
export function placeOf(reader: EventSourceReader): Place {
  const [turn = '', epoch, , lastSeq] = (reader.of('delta').at(-1)?.id ?? '').split('.');
  return { turn, epoch: Number(epoch), lastSeq: Number(lastSeq) };
}

export function idAt({ turn, epoch, lastSeq }: Place, offset: number): string {
  return `${turn}.${epoch}.${offset}.${lastSeq}`;
}

/** Stores messages of the system in a commit of which no reader gets a signal. */
export function storeLines(app: TestApp, conversationId: string, count: number): Promise<unknown> {
  return rowsOf(
    app.databaseUrl,
    `with numbered as (
       update conversation set last_seq = last_seq + $2 where id = $1 returning last_seq - $2 as seq)
     insert into message (id, conversation_id, seq, role, channel, external_id, text, received_at)
     select gen_random_uuid(), $1, seq + n, 'system', 'code', 'line ' || n, 'line ' || n, now()
     from numbered, generate_series(1, $2) as n`,
    [conversationId, count],
  );
}

/** Stores a reply with this id as another replica does whose notice is lost. */
export function storeReply(app: TestApp, conversationId: string, id: string): Promise<unknown> {
  return rowsOf(
    app.databaseUrl,
    `with numbered as (
       update conversation set last_seq = last_seq + 1 where id = $1 returning last_seq as seq)
     insert into message (id, conversation_id, seq, role, channel, external_id, text, received_at)
     select $2::uuid, $1, seq, 'assistant', 'web', $2::text, 'Half of it is stored elsewhere', now()
     from numbered`,
    [conversationId, id],
  );
}
