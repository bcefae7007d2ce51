/** What the conversation waits for, as the page shows it. */
import type { ConversationView, WireMessage } from '../../web/src/api/wire';
import { initialState, reduce } from '../../web/src/state/conversation';
import type { ConversationState } from '../../web/src/state/conversation';
import { openQuestion, phaseOf, questionAbove } from '../../web/src/state/answer-status';
import { timeline } from '../../web/src/state/timeline';
import { aMessage, aView } from './fake-browser';

const ASKED = aMessage(1, { text: 'Good day. Why us?', question: { id: 'q1', start: 10 } });
const OWN = aMessage(2, { role: 'user', clientId: 'a' });
const AWAY = aMessage(3, { role: 'system', text: 'Unavailable.', notice: 'interviewer_away' });
const PART = aMessage(3, { text: 'Thank you, th', partial: true });

function opened(messages: WireMessage[], facts: Partial<ConversationView> = {}) {
  return initialState(aView({ messages, ...facts }));
}

const phase = (conversation: ConversationState, isFinishing = false) =>
  phaseOf({ conversation, outbox: [], isFinishing });

test.each([
  ['idle', [ASKED], {}],
  ['listening', [ASKED, OWN], { hasBuffer: true }],
  ['taking', [ASKED, OWN], { replying: true }],
  ['away', [ASKED, OWN, AWAY], { replying: true }],
  ['stopped', [ASKED, OWN, PART], {}],
  ['over', [ASKED, OWN], { status: 'completed' }],
] as const)('shows the phase "%s"', (expected, messages, facts) => {
  expect(phase(opened([...messages], facts))).toBe(expected);
});

test('takes the answer from Done until the first word, which can be stopped', () => {
  const collected = opened([ASKED, OWN], { hasBuffer: true });
  expect(phase(collected, true)).toBe('taking');
  const begun = reduce(collected, { type: 'heard', event: { type: 'start', messageId: 'r' } });
  expect(phase(begun, true)).toBe('taking');

  const event = { type: 'delta', messageId: 'r', offset: 0, text: 'Thank' } as const;
  expect(phase(reduce(begun, { type: 'heard', event }), true)).toBe('writing');
});

test('shows no absence after a later reply, or when no reply is expected', () => {
  const reply = aMessage(4);
  expect(phase(opened([ASKED, OWN, AWAY, reply], { hasBuffer: true }))).toBe('listening');
  expect(phase(opened([ASKED, OWN, AWAY]))).toBe('idle');
});

test('is not stopped any more when the candidate has written since, or a person replies', () => {
  const later = aMessage(4, { role: 'user', clientId: 'b' });
  expect(phase(opened([ASKED, OWN, PART, later], { hasBuffer: true }))).toBe('listening');
  expect(phase(opened([ASKED, OWN, PART], { owner: 'asked' }))).toBe('idle');
});

test('the open question is the last one that was asked whole', () => {
  expect(openQuestion(opened([ASKED, OWN, PART]))).toEqual({ messageId: 'm1', text: 'Why us?' });
  expect(openQuestion(opened([OWN]))).toBeNull();
  expect(openQuestion(opened([ASKED], { status: 'completed' }))).toBeNull();
});

test('does not repeat the question above a streaming reply or above the same question', () => {
  const asked = opened([ASKED, OWN]);
  const event = { type: 'start', messageId: 'r' } as const;
  const delta = { type: 'delta', messageId: 'r', offset: 0, text: 'Thank' } as const;
  const begun = reduce(asked, { type: 'heard', event });

  expect(questionAbove(asked, [])).toMatchObject({ text: 'Why us?' });
  expect(questionAbove(reduce(begun, { type: 'heard', event: delta }), [])).toBeNull();
  expect(questionAbove(opened([ASKED, OWN, PART]), [])).toBeNull();
});

test('after a stopped reply the question stands again at the end', () => {
  const shown = timeline(opened([ASKED, OWN, PART]), []);
  expect(shown.at(-1)).toMatchObject({ speaker: 'question', text: 'Why us?' });
  expect(timeline(opened([ASKED, OWN]), []).at(-1)).toMatchObject({ speaker: 'candidate' });
});

test('only the notice of the present outage stands out', () => {
  const isAway = (state: ConversationState) =>
    timeline(state, []).flatMap((group) => (group.speaker === 'system' ? [group.isAway] : []));
  const again = aMessage(6, { role: 'system', notice: 'interviewer_away' });
  const messages = [ASKED, OWN, AWAY, aMessage(4), aMessage(5, { role: 'user' }), again];

  expect(isAway(opened(messages, { replying: true }))).toEqual([false, true]);
  expect(isAway(opened(messages))).toEqual([false, false]);
});
