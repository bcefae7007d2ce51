import { DomainEvents } from '../../src/common/events';
import { VacancyRepository } from '../../src/vacancies';
import { CandidateRepository } from '../../src/candidates';
import { newId } from '../../src/common/ids';
import { ConversationEventRepository } from '../../src/interview/transcript/conversation-event.repository';
import { ConversationRepository } from '../../src/interview/conversation.repository';
import { MessageRepository } from '../../src/interview/transcript/message.repository';
import { vacancyDraft } from '../support/vacancies';
import { cli, clock, inCommit } from './cli-database';

const vacancies = new VacancyRepository(clock, new DomainEvents());

async function conversation(text: string, id: string = newId()): Promise<string> {
  await inCommit(async (tx) => {
    const { vacancy } = await vacancies.upsert(tx, vacancyDraft());
    const candidate = await new CandidateRepository(clock).create(tx, {
      name: 'Bo',
      contact: 'bo@x.org',
    });
    await new ConversationRepository(clock, new DomainEvents()).create(tx, {
      id,
      vacancyId: vacancy.id,
      candidateId: candidate.id,
      invitationId: null,
      language: 'en',
      plan: vacancy.plan,
      state: {},
    });
    const say = { conversationId: id, role: 'assistant' as const };
    await new MessageRepository(clock).add(tx, {
      ...say,
      id: newId(),
      externalId: 'a',
      text: 'Hello',
    });
    await new MessageRepository(clock).add(tx, { ...say, id: newId(), externalId: 'b', text });
  });
  return id;
}

async function candidateOf(id: string): Promise<string> {
  const found = await inCommit((tx) =>
    new ConversationRepository(clock, new DomainEvents()).find(tx, id),
  );
  return found?.candidateId ?? '';
}

test('shows the candidate, the state and every line in order', async () => {
  const id = await conversation('Why bread?');

  const run = await cli(['transcript', id]);

  expect(run).toMatchObject({ code: 0, err: '' });
  const times = /\d{4}-\d\d-\d\d \d\d:\d\d UTC/g;
  expect(run.out.replace(times, 'TIME')).toBe(
    [
      'Baker, Crumb',
      'Candidate     Bo, bo@x.org',
      `Candidate id  ${await candidateOf(id)}`,
      `Conversation  ${id}, new, replies: 0`,
      'Consent       no answer yet',
      '',
      'TIME  No. 1  Interviewer',
      '  Hello',
      '',
      'TIME  No. 2  Interviewer',
      '  Why bread?',
      '',
    ].join('\n'),
  );
});

test.each([
  [{ author: { how: 'forwarded', name: 'Teacher' } }, 'forwarded from Teacher'],
  [{ author: { how: 'bot', name: 'gif' } }, 'written by the bot gif'],
  [{ reference: { seq: 1, quote: 'Hello' } }, 'replies to No. 1 “Hello”'],
  [{ reference: { seq: null, quote: 'elsewhere' } }, 'replies to “elsewhere”'],
])('marks what a message carries beside its text: %j', async (attachment, mark) => {
  const id = await conversation('Because.');
  await inCommit((tx) =>
    tx.query('update message set attachment = $2 where conversation_id = $1 and seq = 2', [
      id,
      JSON.stringify({ kind: 'text', ...attachment }),
    ]),
  );

  const run = await cli(['transcript', id]);

  expect(run.out).toContain(`No. 2  Interviewer (${mark})\n  Because.`);
});

test.each([
  ['web', ''],
  ['telegram', ' (Telegram)'],
  ['whatsapp', ' (whatsapp)'],
])('marks the lines of every channel except the web page: %s', async (channel, mark) => {
  const id = await conversation('Why bread?');
  await inCommit((tx) =>
    tx.query('update message set channel = $2 where conversation_id = $1', [id, channel]),
  );

  const run = await cli(['transcript', id]);

  expect(run).toMatchObject({ code: 0, err: '' });
  expect(run.out).toContain(`No. 2  Interviewer${mark}\n  Why bread?`);
});

test('shows changes of agents and searches where they happened', async () => {
  const id = await conversation('Why bread?');
  await inCommit(async (tx) => {
    await new ConversationEventRepository(clock).add(
      tx,
      { id: '1', conversationId: id },
      'answers',
      [
        { type: 'agent', agent: 'answers', from: 'technical' },
        { type: 'call', callId: 'c', tool: 'search_knowledge', input: { query: 'early shift' } },
        {
          type: 'result',
          callId: 'c',
          output: {},
          passages: [{ id: 'p', document: 'shifts.md', headings: [], text: 'At four.' }],
        },
      ],
    );
    const say = { conversationId: id, role: 'assistant' as const };
    await new MessageRepository(clock).add(tx, {
      ...say,
      id: newId(),
      externalId: 'c',
      text: 'At four.',
    });
  });

  const run = await cli(['transcript', id]);

  const lines = run.out.split('\n').filter((line) => line !== '');
  expect(lines.slice(-5).map((line) => line.replace(/^.*UTC {2}/, ''))).toEqual([
    '(answers takes over from technical)',
    '(search_knowledge: early shift)',
    '(found in shifts.md)',
    'No. 3  Interviewer',
    '  At four.',
  ]);
});

test('lists the latest conversations when none is named', async () => {
  const id = await conversation('Why bread?');

  const run = await cli(['transcript']);

  expect(run.out).toMatch(new RegExp(`^${id}  .* UTC  new  baker  Bo\n$`));
});

test("takes the last characters of an id, and shows the candidate's id", async () => {
  const id = await conversation('Why bread?');

  const run = await cli(['transcript', id.slice(-6)]);

  expect(run).toMatchObject({ code: 0, err: '' });
  expect(run.out).toContain(`Conversation  ${id}, `);
  expect(run.out).toMatch(/Candidate id {2}[0-9a-f]{8}-/);
});

test('names the conversations, persons and vacancies when several end so', async () => {
  const ending = (): string => `${newId().slice(0, -6)}abcdef`;
  const ids = [await conversation('One.', ending()), await conversation('Two.', ending())];

  const run = await cli(['transcript', 'abcdef']);

  expect(run).toMatchObject({ code: 2, out: '' });
  for (const id of ids) expect(run.err).toContain(`${id}  Bo, Baker`);
});

test('shows no character that controls the terminal', async () => {
  const id = await conversation('clear \u001b[2J this\u202e\r\nnext');

  const run = await cli(['transcript', id]);

  expect(run.out).toContain('  clear \uFFFD[2J this\uFFFD\n  next\n');
});

test.each([
  [['x'], 2, 'x is not the id of a conversation, nor its last four or more characters.'],
  [['0000'], 4, 'There is no conversation whose id ends with 0000.'],
  [[newId()], 4, 'There is no conversation'],
])('refuses %j in one sentence', async (args, code, sentence) => {
  const run = await cli(['transcript', ...args]);

  expect(run).toMatchObject({ code, out: '' });
  expect(run.err).toContain(sentence);
});
