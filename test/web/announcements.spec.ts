/** What a screen reader hears of a streamed reply. */
import { announce, silentStart, wholeSentencesLength } from '../../web/src/state/announcements';
import type { Announcer } from '../../web/src/state/announcements';
import { initialState, reduce } from '../../web/src/state/conversation';
import type { ConversationState } from '../../web/src/state/conversation';
import { aMessage, aView } from './fake-browser';

const heard = (announcer: Announcer) => announcer.recent.map(({ text }) => text);

function streamed(words: string[]) {
  let state: ConversationState = reduce(initialState(aView()), {
    type: 'heard',
    event: { type: 'start', messageId: 'r' },
  });
  let announcer = silentStart(state);
  const steps: string[][] = [];
  let offset = 0;
  for (const text of words) {
    state = reduce(state, {
      type: 'heard',
      event: { type: 'delta', messageId: 'r', offset, text },
    });
    offset += text.length;
    announcer = announce(announcer, state);
    steps.push(heard(announcer));
  }
  return { state, announcer, steps };
}

describe('announcements', () => {
  test('come by whole sentences, each once', () => {
    const { steps } = streamed(['Thank ', 'you. ', 'And ', 'now? ', 'Next']);
    expect(steps).toEqual([
      [],
      ['Thank you.'],
      ['Thank you.'],
      ['Thank you.', 'And now?'],
      ['Thank you.', 'And now?'],
    ]);
  });

  test('end with the rest of the reply when it is finished', () => {
    const { state, announcer } = streamed(['Thank you. ', 'What next?']);
    const finished = reduce(state, {
      type: 'heard',
      event: { type: 'finish', messageId: 'r', seq: 1, createdAt: '2026-01-01T10:00:00Z' },
    });
    expect(heard(announce(announcer, finished))).toEqual(['Thank you.', 'What next?']);
  });

  test('skip what was there when the page opened, and own messages', () => {
    const state = initialState(aView({ messages: [aMessage(1)] }));
    const announcer = silentStart(state);
    const later = reduce(state, {
      type: 'heard',
      event: { type: 'message', message: aMessage(2, { role: 'user', clientId: 'c' }) },
    });
    expect(heard(announce(announcer, later))).toEqual([]);
  });

  test('include the notes of the system', () => {
    const state = initialState(aView());
    const later = reduce(state, {
      type: 'heard',
      event: { type: 'message', message: aMessage(1, { role: 'system', text: 'A note' }) },
    });
    expect(heard(announce(silentStart(state), later))).toEqual(['A note']);
  });

  test('name a person as the writer of a message', () => {
    const state = initialState(aView());
    const message = aMessage(1, { text: 'Shall we talk?', fromPerson: true });
    const later = reduce(state, { type: 'heard', event: { type: 'message', message } });
    const after = reduce(later, {
      type: 'heard',
      event: { type: 'message', message: aMessage(2) },
    });

    expect(announce(silentStart(state), after).recent).toMatchObject([
      { text: 'Shall we talk?', isFromPerson: true },
      { text: 'message 2', isFromPerson: false },
    ]);
  });

  test.each([
    ['No end yet', 0],
    ['One. Two', 5],
    ['«Да?» Потом', 6],
    ['3.5 years', 0],
    ['A line\nanother', 7],
  ])('know where the last whole sentence of %j ends', (text, length) => {
    expect(wholeSentencesLength(text)).toBe(length);
  });
});
