import type { ConversationSnapshot, MessageRow } from '../../../interview';
import type { ReplyPart, StoredReply } from '../../../streams';
import { messageJson, progressJson, timeJson, conversation, message } from '../conversation.dto';
import { z } from 'zod';

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
  dueInMs: z.int().nullable().describe('Milliseconds from now until `dueAt`.'),
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
    summary: 'The reply is stored and gets no more text; partial: it was stopped.',
    hasId: false,
    data: z.object({
      messageId,
      seq: z.int(),
      createdAt: time,
      partial: z.literal(true).optional().describe('It was stopped.'),
      question: question.optional(),
    }),
  },
  typing: {
    summary:
      'Somebody types now; it says nothing once a few seconds have passed, and is not repeated to whoever reconnects.',
    hasId: false,
    data: z.object({
      from: z
        .enum(['candidate', 'team'])
        .describe(
          '`team`: a person of the hiring team, who writes to the candidate. Only those who watch get `candidate`.',
        ),
    }),
  },
  ended: {
    summary:
      'The session or the key has ended, or the interview was erased. Do not open the stream again.',
    hasId: false,
    data: z.object({
      reason: z
        .enum(['session_ended', 'erased', 'key_revoked', 'key_expired', 'rights_changed'])
        .describe(
          'All but the first are for those who watch: the session of a candidate ends with the erasure. ' +
            '`rights_changed`: the role or the vacancies of the user who watches; opening it again is allowed or refused.',
        ),
    }),
  },
} as const;

export type EventName = keyof typeof EVENTS;
export type EventData<Name extends EventName> = z.input<(typeof EVENTS)[Name]['data']>;

/**
 * The frames of `/events` and their ids. Only frames of a reply carry an id, because a reader resumes
 * only inside a reply.
 *
 * An id is `<turn>.<epoch>.<offset in UTF-16 units>.<number of the last message that was sent>`. The
 * turn's id is unique, so an id of another conversation never names a place in this one. The last part
 * is needed because the text of a new reply can be sent before the messages that were stored before it.
 */
export interface EventId {
  readonly turnId: string;
  readonly epoch: number;
  readonly offset: number;
  readonly lastSeq: number;
}

/** 18 digits fit a bigint; 9 digits fit a PostgreSQL int. */
const FORM = /^([1-9]\d{0,17})\.(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/;

function formatEventId(place: ReplyPlace, offset: number, lastSeq: number): string {
  return `${place.turnId}.${place.epoch}.${offset}.${lastSeq}`;
}

/** Undefined for anything that this server cannot have sent. */
export function parseEventId(raw: string | undefined): EventId | undefined {
  const [, turnId, epoch, offset, lastSeq] = FORM.exec(raw ?? '') ?? [];
  if (turnId === undefined) return undefined;
  return {
    turnId,
    epoch: Number(epoch),
    offset: Number(offset),
    lastSeq: Number(lastSeq),
  };
}

/** One generation of a reply's text. */
export interface ReplyPlace {
  readonly messageId: string;
  readonly turnId: string;
  readonly epoch: number;
}

export function helloFrame(conversationId: string, snapshot: ConversationSnapshot): string {
  const { lastSeq } = snapshot;
  return frame('hello', { conversationId, lastSeq, ...stateOf(snapshot) });
}

export function stateFrame(snapshot: ConversationSnapshot): string {
  return frame('state', stateOf(snapshot));
}

export function messageFrame(line: MessageRow): string {
  return frame('message', messageJson(line));
}

/** A reply begins. For a message that has begun before: it begins again, without its earlier text. */
export function startFrame(place: ReplyPlace, lastSeq: number): string {
  const { messageId, turnId, epoch } = place;
  const data = { messageId, turnSeq: Number(turnId), epoch };
  return frame('start', data, formatEventId(place, 0, lastSeq));
}

export function deltaFrame(
  place: ReplyPlace,
  offset: number,
  text: string,
  lastSeq: number,
): string {
  if (text === '') return '';
  const id = formatEventId(place, offset + text.length, lastSeq);
  return frame('delta', { messageId: place.messageId, offset, text }, id);
}

/**
 * The agent that speaks, a tool call or its result: the reply may not have begun yet. Or which part of
 * the text is a question of the plan: after `start`, before that part is written.
 */
export function partFrame({ messageId }: ReplyPlace, part: ReplyPart): string {
  return frame('part', { messageId, ...part });
}

/** Only for a stored reply: its text is complete. */
export function finishFrame(messageId: string, stored: StoredReply): string {
  const { seq, createdAt, isPartial, question } = stored;
  return frame('finish', {
    messageId,
    seq,
    createdAt: createdAt.toISOString(),
    ...(isPartial ? { partial: true } : {}),
    ...(question === null ? {} : { question }),
  });
}

export function typingFrame(from: EventData<'typing'>['from']): string {
  return frame('typing', { from });
}

/** The last frame: the reader's session has ended, or what it watched is erased. */
export function endedFrame(reason: EventData<'ended'>['reason']): string {
  return frame('ended', { reason });
}

function stateOf(snapshot: ConversationSnapshot): EventData<'state'> {
  const { lastSeq: _, dueAt, progress, ...state } = snapshot;
  return { ...state, progress: progressJson(progress), dueAt: timeJson(dueAt) };
}

function frame<Name extends EventName>(event: Name, data: EventData<Name>, id?: string): string {
  return eventFrame(event, data, id);
}

/**
 * The id is the last field: some clients count it as soon as its line is complete, and a cut before the
 * end of the frame would lose the frame's text for good.
 */
export function eventFrame(event: string, data: unknown, id?: string): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n${idLine}\n`;
}
