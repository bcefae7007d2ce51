/**
 * What the page knows about the conversation, changed only by `reduce`.
 *
 * - `view` is the last GET /conversation, its status, buffer and progress kept fresh by the stream.
 * - `messages` are stored messages, without doubles, by `place`.
 * - `older` leads to the messages before them, which are read when the candidate asks. `firstPlace` is
 *   where the page began, before any of them was read.
 * - `reply` is the reply being streamed: not stored yet, it may start over under the same id.
 * - `knownSeq` is how far the page has *every* message. The acknowledgement of an own message never
 *   moves it, because messages just before it may still be missing.
 * - `wants` counts the times something was found missing. A change of `refetch` asks the session
 *   to read the conversation again, of `reconnect` to open a fresh stream.
 */
import type { Connection } from '../api/event-stream';
import type {
  ConversationEvent,
  ConversationView,
  QuestionMark,
  ReplyPart,
  StreamEvent,
  TranscriptPage,
  WireMessage,
} from '../api/wire';

export interface TranscriptMessage extends WireMessage {
  /** Its position on the page: its seq, or for a streamed reply the place where it began. */
  place: number;
}

export interface LiveReply {
  messageId: string;
  text: string;
  place: number;
  /** Known before the question itself is written. */
  question: QuestionMark | null;
}

export interface OlderMessages {
  /** Null: the page shows the transcript from its first message. */
  cursor: number | null;
  state: 'idle' | 'loading' | 'failed';
}

export interface ConversationState {
  view: Omit<ConversationView, 'messages' | 'olderCursor'>;
  messages: readonly TranscriptMessage[];
  older: OlderMessages;
  firstPlace: number;
  reply: LiveReply | null;
  /** The interviewer searches the company's documents for a reply. */
  isLookingUp: boolean;
  /** Counts the signs that a person of the team types; 0: none does now. */
  typing: number;
  knownSeq: number;
  connection: Connection;
  wants: { refetch: number; reconnect: number };
}

export type ConversationAction =
  | { type: 'viewed'; view: ConversationView }
  | { type: 'heard'; event: ConversationEvent }
  | { type: 'askedForOlder' | 'olderFailed' }
  | { type: 'olderViewed'; cursor: number; page: TranscriptPage }
  | { type: 'acknowledged'; message: { id: string; text: string; writtenAt: string; seq: number } }
  /** `typing`: the sign after which none has come for some time. */
  | { type: 'typingEnded'; typing: number }
  | { type: 'connection'; connection: Connection };

export function initialState(view: ConversationView): ConversationState {
  const { messages, olderCursor, ...facts } = view;
  return {
    view: facts,
    messages: merge([], messages),
    older: { cursor: olderCursor, state: 'idle' },
    firstPlace: firstSeqOf(messages),
    reply: null,
    isLookingUp: false,
    typing: 0,
    knownSeq: lastSeqOf(messages),
    connection: 'connecting',
    wants: { refetch: 0, reconnect: 0 },
  };
}

/** False: the stream belongs to another conversation or to none; the page has lost its session. */
export function isOf(event: StreamEvent, conversationId: string): event is ConversationEvent {
  if (event.type === 'ended') return false;
  return event.type !== 'hello' || (event.conversationId ?? conversationId) === conversationId;
}

export function reduce(state: ConversationState, action: ConversationAction): ConversationState {
  switch (action.type) {
    case 'viewed':
      return viewed(state, action.view);
    case 'heard':
      return heard(state, action.event);
    case 'askedForOlder':
      return { ...state, older: { ...state.older, state: 'loading' } };
    case 'olderFailed':
      return { ...state, older: { ...state.older, state: 'failed' } };
    case 'olderViewed':
      return olderViewed(state, action.cursor, action.page);
    case 'acknowledged':
      return acknowledged(state, action.message);
    case 'typingEnded':
      return state.typing === action.typing ? { ...state, typing: 0 } : state;
    case 'connection':
      return { ...state, connection: action.connection };
  }
}

function heard(state: ConversationState, event: ConversationEvent): ConversationState {
  switch (event.type) {
    case 'hello':
      return hello(state, event);
    case 'state': {
      const { status, owner, hasBuffer, replying, progress } = event;
      const view = { ...state.view, status, owner, hasBuffer, replying, progress };
      const next = { ...state, view, isLookingUp: replying && state.isLookingUp };
      // Consent, profile and the state of a voice or a file come only with the whole conversation.
      const isWhole = status === state.view.status && !hasArrived(state, event);
      return isWhole ? next : wanting(next, 'refetch');
    }
    case 'message':
      return {
        ...state,
        view: replied(state.view, event.message.role),
        messages: merge(state.messages, [event.message]),
        reply: state.reply?.messageId === event.message.id ? null : state.reply,
        typing: event.message.fromPerson === true ? 0 : state.typing,
        knownSeq: Math.max(state.knownSeq, event.message.seq),
      };
    case 'typing':
      return event.from === 'team' ? { ...state, typing: state.typing + 1 } : state;
    case 'part':
      return withPart(state, event.part);
    case 'start':
      return started({ ...state, isLookingUp: false }, event.messageId);
    case 'delta':
      return extended(state, event);
    case 'finish':
      return finished(state, event);
  }
}

function hello(
  state: ConversationState,
  event: Extract<ConversationEvent, { type: 'hello' }>,
): ConversationState {
  const { status, owner, hasBuffer, replying } = event;
  const view = { ...state.view, status, owner, hasBuffer, replying };
  const next = { ...state, view, isLookingUp: false };
  const replyEndedUnheard = state.reply !== null && !replying;
  const isBehind = event.lastSeq > state.knownSeq || status !== state.view.status;
  const isMissed = isBehind || replyEndedUnheard || hasArrived(state, event);
  return isMissed ? wanting(next, 'refetch') : next;
}

function viewed(state: ConversationState, view: ConversationView): ConversationState {
  const { messages, olderCursor, ...facts } = view;
  const reply = state.reply;
  const isReplyStored = messages.some((message) => message.id === reply?.messageId);
  // A whole page has come in between: what was shown is read again when it is asked for.
  const isTornOff = olderCursor !== null && olderCursor > state.knownSeq;
  return {
    ...state,
    view: facts,
    messages: merge(isTornOff ? [] : state.messages, messages, reply),
    older: isTornOff ? { cursor: olderCursor, state: 'idle' } : state.older,
    firstPlace: isTornOff ? firstSeqOf(messages) : state.firstPlace,
    reply: isReplyStored || !facts.replying ? null : reply,
    isLookingUp: facts.replying && state.isLookingUp,
    knownSeq: Math.max(state.knownSeq, lastSeqOf(messages)),
  };
}

/** Ignores a response to an earlier request than the last. */
function olderViewed(
  state: ConversationState,
  cursor: number,
  page: TranscriptPage,
): ConversationState {
  if (state.older.cursor !== cursor) return state;
  return {
    ...state,
    messages: merge(state.messages, page.messages),
    older: { cursor: page.olderCursor, state: 'idle' },
  };
}

function acknowledged(
  state: ConversationState,
  message: { id: string; text: string; writtenAt: string; seq: number },
): ConversationState {
  if (state.messages.some(({ clientId }) => clientId === message.id)) return state;
  const sent: WireMessage = {
    id: `sent:${message.id}`,
    clientId: message.id,
    seq: message.seq,
    role: 'user',
    contentType: 'TEXT',
    text: message.text,
    createdAt: message.writtenAt,
  };
  // The stream says so a moment later; until then the page would show that nothing is expected.
  const view = state.view.status === 'active' ? { ...state.view, hasBuffer: true } : state.view;
  return { ...state, view, messages: merge(state.messages, [sent]) };
}

function withPart(state: ConversationState, part: ReplyPart): ConversationState {
  if (part.type !== 'question') return { ...state, isLookingUp: part.type === 'call' };
  const { reply } = state;
  if (reply?.messageId !== part.messageId || part.start === undefined) return state;
  const question = { id: part.id ?? '', start: part.start };
  return { ...state, reply: { ...reply, question } };
}

/** Nothing is written after a reply, although the event that says so comes a moment later. */
function replied(
  view: ConversationState['view'],
  role: WireMessage['role'],
): ConversationState['view'] {
  return role === 'assistant' ? { ...view, replying: false } : view;
}

function started(state: ConversationState, messageId: string): ConversationState {
  if (isStored(state, messageId)) return state;
  const isStartingOver = state.reply?.messageId === messageId;
  const place = isStartingOver && state.reply ? state.reply.place : lastPlaceOf(state) + 0.5;
  return { ...state, reply: { messageId, text: '', place, question: null } };
}

function extended(
  state: ConversationState,
  event: { messageId: string; offset: number; text: string },
): ConversationState {
  if (isStored(state, event.messageId)) return state;
  const reply = state.reply;
  if (reply?.messageId !== event.messageId) return wanting(state, 'reconnect');
  const overlap = reply.text.length - event.offset;
  if (overlap < 0) return wanting(state, 'reconnect');
  if (overlap >= event.text.length) return state;
  return { ...state, reply: { ...reply, text: reply.text + event.text.slice(overlap) } };
}

function finished(
  state: ConversationState,
  event: Extract<ConversationEvent, { type: 'finish' }>,
): ConversationState {
  if (isStored(state, event.messageId)) return state;
  const reply = state.reply;
  if (reply?.messageId !== event.messageId) return wanting(state, 'refetch');
  const message: TranscriptMessage = {
    id: reply.messageId,
    clientId: null,
    seq: event.seq,
    role: 'assistant',
    contentType: 'TEXT',
    text: reply.text,
    createdAt: event.createdAt,
    place: reply.place,
    ...(event.partial ? { partial: true } : {}),
    ...(event.question ? { question: event.question } : {}),
  };
  return {
    ...state,
    view: replied(state.view, 'assistant'),
    messages: byPlace([...state.messages, message]),
    reply: null,
    knownSeq: Math.max(state.knownSeq, event.seq),
  };
}

/** Fewer voices wait to be heard, or fewer files are on their way, than the page shows. */
function hasArrived(
  { messages }: ConversationState,
  { transcribing, filesArriving }: { transcribing?: number; filesArriving?: number },
): boolean {
  const voices = messages.filter((message) => message.transcribing === true).length;
  const files = messages.filter(({ file }) => file?.state === 'announced').length;
  return (transcribing ?? voices) < voices || (filesArriving ?? files) < files;
}

function wanting(
  state: ConversationState,
  what: keyof ConversationState['wants'],
): ConversationState {
  return { ...state, wants: { ...state.wants, [what]: state.wants[what] + 1 } };
}

/** Adds what is new and replaces what is known, which keeps its place on the page. */
function merge(
  known: readonly TranscriptMessage[],
  arrived: readonly WireMessage[],
  reply: LiveReply | null = null,
): TranscriptMessage[] {
  const result = [...known];
  for (const message of arrived) {
    const index = result.findIndex((other) => isSame(other, message));
    const before = result[index];
    if (before) result[index] = { ...message, place: before.place };
    else {
      const place = reply?.messageId === message.id ? reply.place : message.seq;
      result.push({ ...message, place });
    }
  }
  return byPlace(result);
}

function isSame(a: WireMessage, b: WireMessage): boolean {
  return a.id === b.id || (a.clientId !== null && a.clientId === b.clientId);
}

function isStored(state: ConversationState, messageId: string): boolean {
  return state.messages.some(({ id }) => id === messageId);
}

function byPlace(messages: TranscriptMessage[]): TranscriptMessage[] {
  return messages.sort((a, b) => a.place - b.place || a.seq - b.seq);
}

function firstSeqOf(messages: readonly WireMessage[]): number {
  return messages.length === 0 ? 0 : Math.min(...messages.map(({ seq }) => seq));
}

function lastSeqOf(messages: readonly WireMessage[]): number {
  return messages.reduce((last, { seq }) => Math.max(last, seq), 0);
}

function lastPlaceOf(state: ConversationState): number {
  return state.messages.reduce((last, { place }) => Math.max(last, place), state.knownSeq);
}

/**
 * The candidate's newest message that the server has. `lastUpload`: the last voice or file that it has
 * acknowledged, which may not be shown yet.
 */
export function newestOwnId(
  { messages }: Pick<ConversationState, 'messages'>,
  lastUpload: string | null,
): string | null {
  const own = messages.filter(({ role }) => role === 'user');
  const isShown = own.some(({ clientId }) => clientId === lastUpload);
  if (lastUpload !== null && !isShown) return lastUpload;
  const newest = own.reduce<(typeof own)[number] | null>(
    (last, message) => (last === null || message.seq > last.seq ? message : last),
    null,
  );
  return newest?.clientId ?? null;
}
