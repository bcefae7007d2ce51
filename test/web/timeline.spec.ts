/** The transcript as the page shows it. */
import { initialState, reduce } from '../../web/src/state/conversation';
import type { OutboxItem } from '../../web/src/state/outbox';
import { timeline } from '../../web/src/state/timeline';
import { aMessage, aView } from './fake-browser';

function unsent(id: string, state: OutboxItem['state'] = 'waiting'): OutboxItem {
  return { id, text: id, writtenAt: '2026-01-01T10:00:00Z', state, code: '' };
}

describe('the timeline', () => {
  test('gathers the messages of one burst, sent and unsent, into one group', () => {
    const state = initialState(
      aView({
        messages: [
          aMessage(1),
          aMessage(2, { role: 'user', clientId: 'a' }),
          aMessage(3, { role: 'user', clientId: 'b' }),
        ],
      }),
    );
    const groups = timeline(state, [unsent('c')]);
    expect(groups.map(({ speaker }) => speaker)).toEqual(['interviewer', 'candidate']);
    expect(groups[1]).toMatchObject({
      lines: [{ state: 'sent' }, { state: 'sent' }, { state: 'waiting' }],
    });
  });

  test('shows a message once while it is both acknowledged and still in the outbox', () => {
    const state = initialState(aView({ messages: [aMessage(1, { role: 'user', clientId: 'a' })] }));
    expect(timeline(state, [unsent('a', 'sending')])).toMatchObject([
      { lines: [{ key: 'a', state: 'sent' }] },
    ]);
  });

  test('groups the messages of a person apart from those of the interviewer', () => {
    const state = initialState(
      aView({
        messages: [
          aMessage(1),
          aMessage(2, { fromPerson: true }),
          aMessage(3, { fromPerson: true }),
          aMessage(4),
        ],
      }),
    );

    expect(timeline(state, []).map(({ speaker, key }) => [speaker, key])).toEqual([
      ['interviewer', 'm1'],
      ['person', 'm2'],
      ['interviewer', 'm4'],
    ]);
  });

  test('shows the running reply before what was written after its start', () => {
    let state = initialState(aView({ messages: [aMessage(1, { role: 'user', clientId: 'a' })] }));
    state = reduce(state, { type: 'heard', event: { type: 'start', messageId: 'r' } });
    expect(timeline(state, []).map(({ speaker }) => speaker)).toEqual(['candidate']);

    const delta = { type: 'delta', messageId: 'r', offset: 0, text: 'Well' } as const;
    state = reduce(state, { type: 'heard', event: delta });
    const message = aMessage(2, { role: 'user', clientId: 'b' });
    state = reduce(state, { type: 'heard', event: { type: 'message', message } });

    expect(timeline(state, [unsent('c')])).toMatchObject([
      { speaker: 'candidate', lines: [{ key: 'a' }] },
      { speaker: 'interviewer', lines: [{ key: 'r', isBeingWritten: true }] },
      { speaker: 'candidate', lines: [{ key: 'b' }, { key: 'c' }] },
    ]);
  });
});

test('shows a message of an unknown kind as a placeholder, not as a text', () => {
  const strange = aMessage(3, {
    role: 'colleague' as never,
    contentType: 'SKETCH' as never,
    text: '',
  });
  const unknown = aMessage(4, { role: 'user', contentType: 'SKETCH' as never, text: '' });
  const shown = initialState(aView({ messages: [strange, unknown] }));

  expect(timeline(shown, [])).toMatchObject([
    { speaker: 'system', key: 'm3', text: '' },
    { speaker: 'candidate', lines: [{ text: '', voice: null, file: null }] },
  ]);
});

test('a group keeps its key, and so what is open in it, when older or new lines join it', () => {
  const own = (seq: number) => aMessage(seq, { role: 'user', clientId: `c${String(seq)}` });
  const older = (cursor: number, olderCursor: number | null, ...seqs: number[]) => {
    const page = { messages: seqs.map(own), olderCursor };
    return { type: 'olderViewed', cursor, page } as const;
  };
  const keysOf = (state: ReturnType<typeof initialState>) =>
    timeline(state, []).map(({ key }) => key);
  const opened = initialState(aView({ messages: [own(7), own(8)], olderCursor: 7 }));
  const [key] = keysOf(opened);

  const withOlder = reduce(opened, older(7, 5, 5, 6));
  const withNew = reduce(withOlder, {
    type: 'heard',
    event: { type: 'message', message: own(9) },
  });

  expect([keysOf(withOlder), keysOf(withNew)]).toEqual([[key], [key]]);
  // Pages of older lines alone, which an interviewer's line keeps apart from the newest.
  const asked = initialState(aView({ messages: [aMessage(7), own(8)], olderCursor: 7 }));
  const one = reduce(asked, older(7, 5, 5, 6));
  expect(keysOf(reduce(one, older(5, 3, 3, 4)))).toEqual(keysOf(one));
});
