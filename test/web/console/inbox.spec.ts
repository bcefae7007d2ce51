/** What a watcher of an interview knows of it, and the small decisions of the inbox. */
import type { StreamEvent, WireMessage } from '../../../web/src/api/wire';
import {
  forgetDraft,
  forgetDrafts,
  forgetDraftsOf,
  hasDrafts,
  keepDraft,
  keptDraft,
  triedDraft,
} from '../../../web/console/inbox/drafts';
import { closingInWords } from '../../../web/console/inbox/closing-in-words';
import { en } from '../../../web/console/inbox/en';
import { inboxFiltersOf, inboxSearchOf } from '../../../web/console/inbox/filters';
import { holderOf } from '../../../web/console/inbox/holder';
import {
  type LiveLines,
  heard,
  liveLinesOf,
  readAgain,
  withOlder,
} from '../../../web/console/inbox/live-lines';
import type { Transcript } from '../../../web/console/inbox/calls';
import { durationOf } from '../../../web/console/moments';

const AT = '2026-11-25T09:30:00.000Z';

function line(seq: number, text = `line ${String(seq)}`): Transcript['lines'][number] {
  return {
    id: `m${String(seq)}`,
    seq,
    number: seq,
    role: 'user',
    channel: 'web',
    text,
    at: AT,
    editedAt: null,
    amendsSeq: null,
    amendsNumber: null,
    isPartial: false,
    isFromPerson: false,
    author: null,
    repliesTo: null,
    attachment: null,
    voice: null,
    file: null,
    label: null,
    origin: null,
    touchedIn: null,
  };
}

const transcript = (seqs: readonly number[], olderCursor: number | null = null) =>
  ({ lines: seqs.map((seq) => line(seq)), olderCursor }) as Transcript;

const STATE = {
  status: 'active',
  owner: 'model',
  hasBuffer: false,
  replying: true,
  progress: { question: 1, of: 3 },
} as const;
const state = (facts: object): StreamEvent => ({ type: 'state', ...STATE, ...facts });
const hello = (lastSeq: number): StreamEvent => ({ type: 'hello', lastSeq, ...STATE });
const start: StreamEvent = { type: 'start', messageId: 'r' };
const delta = (offset: number, text: string): StreamEvent => ({
  type: 'delta',
  messageId: 'r',
  offset,
  text,
});
const finish: StreamEvent = { type: 'finish', messageId: 'r', seq: 3, createdAt: AT };
const message = (id: string, seq: number, facts: Partial<WireMessage> = {}): StreamEvent => ({
  type: 'message',
  message: {
    id,
    clientId: null,
    seq,
    role: 'assistant',
    contentType: 'TEXT',
    text: id,
    createdAt: AT,
    ...facts,
  },
});

const hear = (live: LiveLines, ...events: readonly StreamEvent[]): LiveLines =>
  events.reduce(heard, live);
const textsOf = ({ lines }: LiveLines) => lines.map(({ text }) => text);
const opened = () => liveLinesOf(transcript([1, 2]));

test('a reply grows as it is written, and becomes a line when it is stored', () => {
  const written = hear(opened(), start, delta(0, 'Good '), delta(5, 'day.'));
  expect(written.reply?.text).toBe('Good day.');
  expect(written.lines).toHaveLength(2);

  const stored = hear(written, finish);

  expect(stored.reply).toBeNull();
  expect(textsOf(stored)).toEqual(['line 1', 'line 2', 'Good day.']);
});

test('a reply that begins again replaces what was written of it', () => {
  const again = hear(opened(), start, delta(0, 'Half'), start, delta(0, 'Whole.'));
  expect(again.reply?.text).toBe('Whole.');
});

test('a reply that a person has cut off is gone, and their message is the last line', () => {
  const taken = hear(
    opened(),
    start,
    delta(0, 'Half'),
    message('p', 3, { fromPerson: true }),
    state({ owner: 'person', replying: false }),
  );

  expect(taken.reply).toBeNull();
  expect(taken.owner).toBe('person');
  expect(taken.lines.at(-1)).toMatchObject({ text: 'p', isFromPerson: true });
});

test.each([
  ['a piece of an unknown reply', [delta(0, 'x')]],
  ['a piece with a gap before it', [start, delta(0, 'a'), delta(5, 'b')]],
  ['the end of an unknown reply', [finish]],
  ['a greeting that counts more lines', [hello(9)]],
])('%s makes the watcher read again', (_what, events) => {
  expect(hear(opened(), ...events).isBehind).toBe(true);
});

test('what was read again is no double, and keeps the lines before it', () => {
  const behind = hear(opened(), hello(3));

  const fresh = readAgain(behind, transcript([2, 3], 2));

  expect(fresh.isBehind).toBe(false);
  expect(textsOf(fresh)).toEqual(['line 1', 'line 2', 'line 3']);
  expect(hear(fresh, message('m3', 3, { text: 'line 3' })).lines).toHaveLength(3);
});

test('after a long absence only the newest lines are shown, and the older ones can be asked for', () => {
  const fresh = readAgain(opened(), transcript([50, 51], 50));

  expect(textsOf(fresh)).toEqual(['line 50', 'line 51']);
  expect(fresh.olderCursor).toBe(50);
  const more = withOlder(fresh, transcript([48, 49], null));
  expect(textsOf(more)).toEqual(['line 48', 'line 49', 'line 50', 'line 51']);
  expect(more.olderCursor).toBeNull();
});

test('the address has the filters, and what it cannot mean is left out', () => {
  const filters = { kind: 'question', vacancy: 'night-baker' } as const;

  expect(inboxFiltersOf(inboxSearchOf(filters))).toEqual(filters);
  expect(inboxSearchOf({ kind: null, vacancy: null })).toBe('');
  expect(inboxFiltersOf('?kind=everything&vacancy=')).toEqual({ kind: null, vacancy: null });
});

test.each([
  [null, { kind: 'nobody' }],
  ['user Ada', { kind: 'you' }],
  ['user Ada Lovelace', { kind: 'other', name: 'Ada Lovelace' }],
  ['key Ada', { kind: 'other', name: 'Ada' }],
])('a claim of %j is of %j for Ada', (heldBy, expected) => {
  const claim = heldBy === null ? null : { heldBy, since: AT, until: AT };
  expect(holderOf({ claim }, 'Ada')).toMatchObject(expected);
});

test.each([
  [30_000, '1 minute', '1 минута'],
  [12 * 60_000, '12 minutes', '12 минут'],
  [3 * 3_600_000, '3 hours', '3 часа'],
  [49 * 3_600_000, '2 days', '2 дня'],
])('%i ms is said as %j and %j', (ms, en, ru) => {
  expect([durationOf(ms, 'en'), durationOf(ms, 'ru')]).toEqual([en, ru]);
});

const ITEM = { id: '1', conversationId: 'i' };

test('a draft belongs to one person and one item, and goes when it is sent or somebody signs out', () => {
  const draft = { text: 'Hello', question: null, messageId: 'm', tried: null };
  keepDraft('ada', ITEM, draft);
  keepDraft('bob', ITEM, { ...draft, text: 'Mine' });

  expect(keptDraft('ada', '1')).toEqual(draft);
  expect(keptDraft('ada', '2').text).toBe('');
  forgetDraft('ada', '1');
  expect(keptDraft('ada', '1').text).toBe('');
  expect(keptDraft('bob', '1').text).toBe('Mine');
  forgetDrafts();
  expect(keptDraft('bob', '1').text).toBe('');
});

test('a draft goes with the interview whose candidate is erased', () => {
  const draft = { text: 'Hello', question: null, messageId: 'm', tried: null };
  keepDraft('ada', ITEM, draft);
  keepDraft('ada', { id: '2', conversationId: 'other' }, draft);

  forgetDraftsOf('i');

  expect(keptDraft('ada', '1').text).toBe('');
  expect(keptDraft('ada', '2').text).toBe('Hello');
  forgetDrafts();
  expect(hasDrafts()).toBe(false);
});

test('the id of a message needs no randomUUID, which a page over plain HTTP does not have', () => {
  const own = Object.getOwnPropertyDescriptor(crypto, 'randomUUID');
  Object.defineProperty(crypto, 'randomUUID', { value: undefined, configurable: true });
  try {
    expect(keptDraft('ada', 'new').messageId).toMatch(
      /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    );
  } finally {
    if (own === undefined) Reflect.deleteProperty(crypto, 'randomUUID');
    else Object.defineProperty(crypto, 'randomUUID', own);
  }
});

test.each([
  ['colloquy', 'the link is under its caps again', ['Closed by itself', null]],
  ['user Ada Lovelace', 'Called them.', ['Closed by Ada Lovelace', 'Called them.']],
  ['user Ada', 'returned by user Ada', ['Closed by Ada', 'The interview was handed back.']],
  ['key crm', 'closed by key crm', ['Closed by crm (program)', 'The interview was closed.']],
])('an item that %s has closed (%s) says %j', (closedBy, resolution, said) => {
  const { who, words } = closingInWords({ closedBy, resolution }, en);
  expect([who, words]).toEqual(said);
});

test('an emptied draft is forgotten, and the next one has an id of its own', () => {
  keepDraft('ada', ITEM, { text: 'Hello', question: null, messageId: 'm', tried: null });
  keepDraft('ada', ITEM, { text: '', question: '', messageId: 'm', tried: null });

  const [one, other] = [keptDraft('ada', '1'), keptDraft('ada', '1')];

  expect(one.messageId).not.toBe('m');
  expect(one.messageId).not.toBe(other.messageId);
});

test('a second try of the same text has the same id, and another text another one', () => {
  const first = triedDraft({ text: 'Hello ', question: null, messageId: 'm', tried: null });

  expect(first.messageId).toBe('m');
  expect(triedDraft({ ...first, text: 'Hello' }).messageId).toBe('m');
  expect(triedDraft({ ...first, text: 'Hello, Ada' }).messageId).not.toBe('m');
});
