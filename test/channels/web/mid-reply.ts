import type { TestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { ADMIN_TOKEN } from '../../support/secrets';
import type { ModelReply } from '../../../tools/fake-model/model-server';
import { type EventSourceReader, readEvents } from './event-source';

export const BEFORE = 'Спасибо, 👩‍🚀 that is ';
export const AFTER = 'clear. Дальше…';

/** The application with a model, long replies and as many readers as a test opens. */
export const STREAMS = {
  model: true,
  env: { OPENAI_MAX_OUTPUT_TOKENS: '16000', SSE_STREAMS_PER_SESSION: '1000', ADMIN_TOKEN },
} as const;

/** A model's reply that stops after `before` until the server is told to release it. */
export function heldReply(before: string, after: string): ModelReply {
  const head = JSON.stringify({ verdict: 'answered', text: before }).slice(0, -2);
  const rest = JSON.stringify(after).slice(1);
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

/** Where the reply that is being read has got to, as ids of frames say it. */
export function placeOf(reader: EventSourceReader): { turn: string; epoch: number } {
  const [turn = '', epoch] = (reader.of('delta').at(-1)?.id ?? '').split('.');
  return { turn, epoch: Number(epoch) };
}
