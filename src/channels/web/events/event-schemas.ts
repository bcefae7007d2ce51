import { z } from 'zod';
import { conversation, message } from '../conversation.dto';

/**
 * The events of `/events` with the data of each. The frames are typed by these schemas, and
 * /docs/asyncapi.json is made from them.
 */

const time = z.iso.datetime();
const { status, owner, interviewStep, progress, hasBuffer, replying } = conversation.shape;
const { transcribing, filesArriving } = conversation.shape;

const state = z.object({
  status,
  owner,
  interviewStep,
  progress,
  hasBuffer: hasBuffer.describe('An answer is being collected.'),
  dueAt: time.nullable().describe('When the answer counts as complete; null: nothing is due.'),
  dueInMs: z.int().nullable().describe('The same from now on, in milliseconds.'),
  replying: replying.describe('A reply is being written.'),
  transcribing: transcribing.describe('Voice messages without a transcript yet.'),
  filesArriving: filesArriving.describe('Files of another channel that are being fetched.'),
});

const messageId = z.string().describe('The id that the reply has in the transcript.');
const question = z
  .object({ id: z.string(), start: z.int() })
  .describe('The text from `start` on (UTF-16 units) is this question of the plan.');

const part = z.discriminatedUnion('type', [
  z.object({
    messageId,
    type: z.literal('agent'),
    agent: z.string(),
    from: z.string().optional().describe('The agent that hands over to it.'),
  }),
  z.object({
    messageId,
    type: z.literal('call'),
    callId: z.string(),
    tool: z.string(),
    input: z.unknown(),
  }),
  z.object({ messageId, type: z.literal('result'), callId: z.string(), output: z.unknown() }),
  z.object({ messageId, type: z.literal('question'), ...question.shape, text: z.string() }),
]);

export const EVENTS = {
  hello: {
    summary: 'The first event of a connection: the state, and the number of the newest message.',
    hasId: false,
    data: z.object({ conversationId: z.string(), lastSeq: z.int(), ...state.shape }),
  },
  state: { summary: 'The state has changed.', hasId: false, data: state },
  message: {
    summary: 'A message is stored that was not shown as a reply of this stream.',
    hasId: false,
    data: message,
  },
  part: {
    summary: 'The agent that speaks, a tool call, its result, or where the question begins.',
    hasId: false,
    data: part,
  },
  start: {
    summary: 'A reply begins, or begins again under the same id: its earlier text is void.',
    hasId: true,
    data: z.object({
      messageId,
      turnSeq: z.int(),
      epoch: z.int().describe('The attempt to write the reply.'),
    }),
  },
  delta: {
    summary: 'The next piece of the reply.',
    hasId: true,
    data: z.object({
      messageId,
      offset: z.int().describe('Where the piece begins in the text, in UTF-16 units.'),
      text: z.string(),
    }),
  },
  finish: {
    summary: 'The reply is stored and complete.',
    hasId: false,
    data: z.object({
      messageId,
      seq: z.int(),
      createdAt: time,
      partial: z.literal(true).optional().describe('It was stopped.'),
      question: question.optional(),
    }),
  },
  ended: {
    summary: 'The session has ended. The stream closes; do not open it again.',
    hasId: false,
    data: z.object({ reason: z.literal('session_ended') }),
  },
} as const;

export type EventName = keyof typeof EVENTS;
export type EventData<Name extends EventName> = z.input<(typeof EVENTS)[Name]['data']>;
