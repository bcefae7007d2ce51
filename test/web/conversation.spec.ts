/** The page's state of a conversation: what each frame of the stream changes, and what it does not. */
import type { ConversationView, ConversationEvent, WireMessage } from '../../web/src/api/wire';
import { initialState, reduce } from '../../web/src/state/conversation';
import type { ConversationState } from '../../web/src/state/conversation';
import { aMessage, aView } from './fake-browser';

function hear(state: ConversationState, ...events: ConversationEvent[]): ConversationState {
  return events.reduce((next, event) => reduce(next, { type: 'heard', event }), state);
}

function opened(messages: WireMessage[] = [], facts: Partial<ConversationView> = {}) {
  return initialState(aView({ messages, ...facts }));
}

const texts = (state: ConversationState) => state.messages.map(({ text }) => text);
const start = (messageId: string): ConversationEvent => ({ type: 'start', messageId });
const delta = (messageId: string, offset: number, text: string): ConversationEvent => ({
  type: 'delta',
  messageId,
  offset,
  text,
});
const finish = (messageId: string, seq: number): ConversationEvent => ({
  type: 'finish',
  messageId,
  seq,
  createdAt: '2026-01-01T10:00:00Z',
});
const hello = (lastSeq: number, facts: Partial<ConversationView> = {}): ConversationEvent => ({
  type: 'hello',
  lastSeq,
  status: 'active',
  owner: 'model',
  hasBuffer: false,
  replying: false,
  ...facts,
});

describe('a person who types', () => {
  const types: ConversationEvent = { type: 'typing', from: 'team' };

  test('is shown until their message comes', () => {
    const typing = hear(opened(), types);
    expect(typing.typing).toBe(1);

    const said = aMessage(3, { fromPerson: true });
    expect(hear(typing, { type: 'message', message: said }).typing).toBe(0);
  });

  test('is shown no more some time after the last sign, and not before', () => {
    const typing = hear(opened(), types, types);

    const early = reduce(typing, { type: 'typingEnded', typing: 1 });
    expect(early.typing).toBe(2);
    expect(reduce(early, { type: 'typingEnded', typing: 2 }).typing).toBe(0);
  });

  test('is no candidate, whose own typing changes nothing', () => {
    expect(hear(opened(), { type: 'typing', from: 'candidate' }).typing).toBe(0);
  });
});

describe('a streamed reply', () => {
  test('grows by its deltas and becomes a message when it is finished', () => {
    const state = hear(opened(), start('r'), delta('r', 0, 'Good '), delta('r', 5, 'day.'));
    expect(state.reply?.text).toBe('Good day.');

    const after = hear(state, finish('r', 4));

    expect(after.reply).toBeNull();
    expect(texts(after)).toEqual(['Good day.']);
    expect(after.knownSeq).toBe(4);
  });

  test('knows its question from the mark, and keeps it when it is finished', () => {
    const mark = { id: 'q2', start: 8 };
    const part = { type: 'question', messageId: 'r', ...mark };
    const streamed = hear(opened(), start('r'), { type: 'part', part }, delta('r', 0, 'Thanks. '));
    expect(streamed.reply?.question).toEqual(mark);
    expect(hear(streamed, start('r')).reply?.question).toBeNull();

    const end = { ...finish('r', 4), question: mark } as ConversationEvent;
    expect(hear(streamed, delta('r', 8, 'Why?'), end).messages).toMatchObject([
      { text: 'Thanks. Why?', question: mark },
    ]);
  });

  test('leaves nothing being written when it ends', () => {
    const streamed = hear(opened([], { replying: true }), start('r'), delta('r', 0, 'Good day.'));

    expect(hear(streamed, finish('r', 4)).view.replying).toBe(false);
    expect(
      hear(streamed, { type: 'message', message: aMessage(4, { id: 'r' }) }).view.replying,
    ).toBe(false);
  });

  test('ignores what a delta repeats', () => {
    const state = hear(
      opened(),
      start('r'),
      delta('r', 0, 'Good day'),
      delta('r', 0, 'Good'),
      delta('r', 5, 'day. And'),
    );
    expect(state.reply?.text).toBe('Good day. And');
    expect(state.wants).toEqual({ refetch: 0, reconnect: 0 });
  });

  test('asks for a fresh stream instead of showing a text with a hole', () => {
    const state = hear(opened(), start('r'), delta('r', 0, 'Good'), delta('r', 9, 'there'));
    expect(state.reply?.text).toBe('Good');
    expect(state.wants.reconnect).toBe(1);
  });

  test('asks for a fresh stream when a delta of an unknown reply arrives', () => {
    expect(hear(opened(), delta('r', 3, 'x')).wants.reconnect).toBe(1);
  });

  test('starts over under the same id, in the same place', () => {
    const state = hear(opened([aMessage(1)]), start('r'), delta('r', 0, 'First try'), start('r'));
    expect(state.reply).toEqual({ messageId: 'r', text: '', place: 1.5, question: null });
  });

  test('is not doubled when the stored message arrives as well', () => {
    const state = hear(opened(), start('r'), delta('r', 0, 'Hello'), finish('r', 1), {
      type: 'message',
      message: aMessage(1, { id: 'r', text: 'Hello' }),
    });
    expect(texts(state)).toEqual(['Hello']);
  });

  test('is not opened again by frames replayed after it was stored', () => {
    const state = hear(
      opened([aMessage(1, { id: 'r', text: 'Hello' })]),
      start('r'),
      delta('r', 0, 'Hello'),
      finish('r', 1),
    );
    expect(state.reply).toBeNull();
    expect(texts(state)).toEqual(['Hello']);
    expect(state.wants).toEqual({ refetch: 0, reconnect: 0 });
  });

  test('keeps its place above what was written while it was running', () => {
    const meanwhile = aMessage(2, { role: 'user', clientId: 'c2', text: 'meanwhile' });
    const state = hear(
      opened([aMessage(1, { text: 'before' })]),
      start('r'),
      delta('r', 0, 'reply'),
      { type: 'message', message: meanwhile },
      finish('r', 3),
    );
    expect(texts(state)).toEqual(['before', 'reply', 'meanwhile']);
  });

  test('that finished unseen is read from the conversation', () => {
    expect(hear(opened(), finish('r', 1)).wants.refetch).toBe(1);
  });

  test('is marked as stopped when it is partial', () => {
    const state = hear(opened(), start('r'), delta('r', 0, 'Half'), {
      ...(finish('r', 1) as Extract<ConversationEvent, { type: 'finish' }>),
      partial: true,
    });
    expect(state.messages[0]?.partial).toBe(true);
  });

  test('that is neither stored nor running after a fresh read disappears', () => {
    const running = hear(opened(), start('r'), delta('r', 0, 'lost'));
    const state = reduce(running, { type: 'viewed', view: aView({ replying: false }) });
    expect(state.reply).toBeNull();
  });
});

describe('a search in the documents', () => {
  const part = (type: string): ConversationEvent => ({
    type: 'part',
    part: { type, messageId: 'r' },
  });
  const replying = () => hear(opened(), hello(0, { replying: true }));

  test('is shown from its call to its result', () => {
    const searching = hear(replying(), part('agent'), part('call'));
    expect(searching.isLookingUp).toBe(true);
    expect(hear(searching, part('result')).isLookingUp).toBe(false);
  });

  test.each([
    ['the reply begins', start('r')],
    ['the connection was cut and comes back', hello(0, { replying: true })],
  ])('is over when %s', (_, event) => {
    expect(hear(replying(), part('call'), event).isLookingUp).toBe(false);
  });

  test('is over when no reply runs', () => {
    const searching = hear(replying(), part('call'));
    const read = reduce(searching, { type: 'viewed', view: aView({ replying: false }) });
    expect(read.isLookingUp).toBe(false);
  });
});

describe('an own message', () => {
  test('is shown once, although it is acknowledged and comes by the stream', () => {
    const acknowledged = reduce(opened(), {
      type: 'acknowledged',
      message: { id: 'c1', text: 'mine', writtenAt: '2026-01-01T10:00:00Z', seq: 1 },
    });
    const state = hear(acknowledged, {
      type: 'message',
      message: aMessage(1, { role: 'user', clientId: 'c1', text: 'mine' }),
    });
    expect(texts(acknowledged)).toEqual(['mine']);
    expect(texts(state)).toEqual(['mine']);
  });

  test('does not hide, once acknowledged, that an earlier message was missed', () => {
    const acknowledged = reduce(opened([aMessage(1)]), {
      type: 'acknowledged',
      message: { id: 'c1', text: 'mine', writtenAt: '2026-01-01T10:00:00Z', seq: 3 },
    });
    expect(hear(acknowledged, hello(3)).wants.refetch).toBe(1);
  });
});

describe('after a reconnect', () => {
  test('nothing is read again when nothing was missed', () => {
    expect(hear(opened([aMessage(1), aMessage(2)]), hello(2)).wants.refetch).toBe(0);
  });

  test('the conversation is read again when the server is ahead', () => {
    expect(hear(opened([aMessage(1)]), hello(2)).wants.refetch).toBe(1);
  });

  test('the conversation is read again when a reply ended unseen', () => {
    const state = hear(opened(), start('r'), delta('r', 0, 'Half'), hello(0));
    expect(state.wants.refetch).toBe(1);
  });

  test('a changed status is read with everything that belongs to it', () => {
    const state = hear(opened(), hello(0, { status: 'handed_over' }));
    expect(state.view.status).toBe('handed_over');
    expect(state.wants.refetch).toBe(1);
  });
});
