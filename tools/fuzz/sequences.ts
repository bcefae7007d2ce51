import type { People } from './people';

type Sequence = (people: People) => Promise<void>;

/** A session that ended, or whose interview is erased, reads and writes nothing. */
const GONE = [401, 404];

async function eraseThenRead(people: People): Promise<void> {
  const person = await people.beginAndSend();
  const [messageId = ''] = person.files;
  const json = { confirm: 'erase' };
  await people.call('POST /api/v1/conversation/forget', { person, json, expected: [204] });
  // Nothing of it may come back, also to its own candidate.
  const erased = { person: { ...person, marker: 'erased' }, expected: GONE };
  await people.call('GET /api/v1/conversation', erased);
  await people.call('GET /api/v1/conversation/mydata', erased);
  await people.call('GET /api/v1/conversation/messages', erased);
  await people.call('GET /api/v1/conversation/files/{messageId}', {
    ...erased,
    params: { messageId },
  });
  await people.call('POST /api/v1/conversation/messages', {
    ...erased,
    json: { id: 'late', text: 'late' },
  });
  await people.call('POST /api/v1/conversation/forget', { ...erased, json });
  await people.call('GET /api/v1/admin/conversations/{id}/transcript', {
    ...erased,
    params: { id: person.conversationId },
  });
}

async function writeBetweenConsentAndErasure(people: People): Promise<void> {
  const person = await people.arrive();
  const text = `before consent ${person.marker}`;
  await people.call('POST /api/v1/conversation/messages', {
    person,
    json: { id: 'early', text },
    expected: [409],
  });
  const version = await people.versionFor(person);
  const decline = { person, json: { version, accepted: false } };
  await people.call('POST /api/v1/conversation/consent', { ...decline, expected: [200] });
  const accept = { person, json: { version, accepted: true } };
  await people.call('POST /api/v1/conversation/consent', { ...accept, expected: [200] });
  const profile = { name: `Ada ${person.marker}`, contact: person.marker };
  await people.call('POST /api/v1/conversation/profile', { person, json: profile });
  await people.write(person);
  const json = { confirm: 'erase' };
  const forget = { person, json };
  // The answer may be replied to at this moment.
  await Promise.all([
    people.call('POST /api/v1/conversation/forget', { ...forget, expected: [204, ...GONE] }),
    people.write(person, [202, 409, ...GONE]),
    people.call('GET /api/v1/conversation/events', { person, expected: [200, ...GONE] }),
  ]);
  await people.call('GET /api/v1/conversation', {
    person: { ...person, marker: 'erased' },
    expected: GONE,
  });
}

async function finishTwice(people: People): Promise<void> {
  const person = await people.begin();
  await people.write(person);
  const done = { person, json: { lastMessageId: person.sent.at(-1) }, expected: [202] };
  await Promise.all([
    people.call('POST /api/v1/conversation/done', done),
    people.call('POST /api/v1/conversation/done', done),
  ]);
  await people.call('POST /api/v1/conversation/done', { ...done, json: {} });
}

async function sendTheSameIdTwice(people: People): Promise<void> {
  const person = await people.begin();
  const send = (text: string, expected: readonly number[]): Promise<{ messageId: string } | null> =>
    people.call('POST /api/v1/conversation/messages', {
      person,
      json: { id: 'same', text },
      expected,
    });
  await Promise.all([send('one text', [202]), send('one text', [202])]);
  await send('another text', [409]);
}

async function writeAfterWithdrawal(people: People): Promise<void> {
  const person = await people.begin();
  const call = { person, expected: [202] };
  await people.call('POST /api/v1/conversation/withdraw', call);
  await people.call('POST /api/v1/conversation/withdraw', call);
  await people.write(person, [409]);
  const version = await people.versionFor(person);
  const again = { person, json: { version, accepted: true }, expected: [200, 409] };
  await people.call('POST /api/v1/conversation/consent', again);
  // Neither a new consent nor a person opens it again.
  await people.write(person, [409]);
}

async function readAfterLeaving(people: People): Promise<void> {
  const person = await people.begin();
  await people.call('DELETE /api/v1/sessions/current', { person, expected: [204] });
  await people.call('GET /api/v1/conversation', { person, expected: [401] });
  await people.call('DELETE /api/v1/sessions/current', { person, expected: [401] });
}

async function passBetweenPersonAndInterviewer(people: People): Promise<void> {
  const person = await people.handOver();
  await people.call('POST /api/v1/conversation/resume', { person, expected: [202] });
  const waiting = await people.handOver();
  const id = waiting.attentionId ?? 'missing';
  const of = { person: waiting, params: { id } };
  const reply = { ...of, json: { text: 'A person writes.' }, expected: [200] };
  await people.call('POST /api/v1/admin/attention/{id}/reply', reply);
  await people.call('POST /api/v1/conversation/resume', { person: waiting, expected: [409] });
  const giveBack = { ...of, json: { by: 'Grace' } };
  await people.call('POST /api/v1/admin/attention/{id}/return', { ...giveBack, expected: [200] });
  await people.call('POST /api/v1/admin/attention/{id}/return', { ...giveBack, expected: [409] });
  const close = { ...of, json: { by: 'Grace', resolution: 'done' }, expected: [200, 409] };
  await people.call('POST /api/v1/admin/attention/{id}/close', close);
  await people.call('POST /api/v1/admin/attention/{id}/close', { ...close, expected: [409] });
}

async function readFilesOfAnother(people: People): Promise<void> {
  const [one, other] = [await people.begin(), await people.begin()];
  await people.attach(one);
  await people.speak(one);
  const [messageId = ''] = one.files;
  const read = 'GET /api/v1/conversation/files/{messageId}';
  await people.call(read, { person: one, params: { messageId }, expected: [200] });
  await people.call(read, { person: other, params: { messageId }, expected: [404] });
  await people.call('GET /api/v1/admin/conversations/{id}/files/{messageId}/content', {
    person: other,
    params: { id: other.conversationId, messageId },
    expected: [404],
  });
  await people.call('POST /api/v1/conversation/messages/{id}/correction', {
    person: other,
    params: { id: one.voices[0] ?? '' },
    json: { text: 'not mine' },
    expected: [404],
  });
}

async function chatAndErase(people: People): Promise<void> {
  const person = await people.begin();
  const id = person.conversationId;
  const parts = [{ type: 'text', text: `Chat of ${person.marker}` }];
  const json = { id, messages: [{ id: 'chat-1', role: 'user', parts }] };
  await people.call('POST /api/chat', { person, json, expected: [200] });
  await people.call('GET /api/chat/{id}/stream', {
    person,
    params: { id },
    expected: [200, 204],
  });
  await people.call('POST /api/chat/{id}/stop', { person, params: { id }, expected: [202] });
  const forget = { person, json: { confirm: 'erase' } };
  await people.call('POST /api/v1/conversation/forget', { ...forget, expected: [204] });
  await people.call('POST /api/chat', {
    person: { ...person, marker: 'erased' },
    json,
    expected: GONE,
  });
}

/** Calls whose order matters, with the statuses that each has to get. */
export const SEQUENCES: readonly Sequence[] = [
  eraseThenRead,
  writeBetweenConsentAndErasure,
  finishTwice,
  sendTheSameIdTwice,
  writeAfterWithdrawal,
  readAfterLeaving,
  passBetweenPersonAndInterviewer,
  readFilesOfAnother,
  chatAndErase,
];
