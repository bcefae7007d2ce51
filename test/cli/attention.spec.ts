import { CandidateRepository } from '../../src/candidates';
import { DomainEvents } from '../../src/common/events';
import { newId } from '../../src/common/ids';
import { ConversationRepository } from '../../src/interview/conversation.repository';
import { initialState } from '../../src/interview/plan/state';
import { VacancyRepository } from '../../src/vacancies';
import { attentionRig } from '../support/attention';
import { vacancyDraft } from '../support/vacancies';
import { cli, clock, inCommit } from './cli-database';

const { attention } = attentionRig(clock);

/** An interview in which the candidate asked something that no document covers. */
async function asked(question: string): Promise<{ id: string; itemId: string }> {
  const id = newId();
  const itemId = await inCommit(async (tx) => {
    const { vacancy } = await new VacancyRepository(clock, new DomainEvents()).upsert(
      tx,
      vacancyDraft(),
    );
    const candidate = await new CandidateRepository(clock).create(tx, {
      name: 'Bo',
      contact: 'b@x.org',
    });
    const state = initialState(vacancy.plan);
    const of = { id, vacancyId: vacancy.id, candidateId: candidate.id, invitationId: null };
    const plan = vacancy.plan;
    await new ConversationRepository(clock, new DomainEvents()).create(tx, {
      ...of,
      language: 'en',
      plan,
      state: { ...state },
    });
    await tx.query(`update conversation set status = 'active', last_seq = 1 where id = $1`, [id]);
    await tx.query(
      `insert into message (id, conversation_id, seq, role, external_id, channel, content_type, text, received_at)
       values ($1, $2, 1, 'user', 'q', 'web', 'TEXT', $3, now() - interval '1 second')`,
      [newId(), id, question],
    );
    const subject = `turn:${id}`;
    await attention.raise(tx, {
      kind: 'question',
      subject,
      conversationId: id,
      reason: 'not covered',
    });
    return (await attention.list(tx)).at(-1)?.id ?? '';
  });
  return { id, itemId };
}

test('attention names the person, the vacancy and the question, and how to answer it', async () => {
  const { id, itemId } = await asked('Is there a canteen?');

  const { out } = await cli(['attention']);

  expect(out).toContain(`Bo, Baker  conversation …${id.slice(-8)}`);
  expect(out).toContain('asked: Is there a canteen?');
  expect(out).toContain(`./colloquy attention answer ${itemId} --by NAME --text TEXT`);
  const read = await inCommit((tx) => tx.query(`select action from audit_event`));
  expect(read).toEqual([{ action: 'transcript.read' }]);
});

test('one command answers the question and closes its item, and the interview goes on', async () => {
  const { id, itemId } = await asked('Is there a canteen?');

  const run = await cli(['attention', 'answer', id.slice(-6), '--by', 'Nora', '--text', 'Yes.']);

  expect(run).toMatchObject({ code: 0, err: '' });
  const item = await inCommit((tx) => attention.get(tx, itemId));
  expect(item).toMatchObject({ closedBy: 'Nora', resolution: 'answered' });
  const [row] = await inCommit((tx) =>
    tx.query(
      `select c.status, c.owner, m.text from conversation c
       join message m on m.conversation_id = c.id and m.role = 'assistant' where c.id = $1`,
      [id],
    ),
  );
  expect(row).toEqual({ status: 'active', owner: 'model', text: 'Yes.' });
});

test('an answer leaves the item open that stands for an interview with a person', async () => {
  const { id } = await asked('Is there a canteen?');
  const itemId = await inCommit(async (tx) => {
    const of = { subject: `conversation:${id}`, conversationId: id, reason: 'A test.' };
    await attention.raise(tx, { kind: 'handed_over', ...of });
    return (await attention.list(tx)).at(-1)?.id ?? '';
  });

  const run = await cli(['attention', 'answer', itemId, '--by', 'Nora', '--text', 'Yes.']);

  expect(run).toMatchObject({ code: 0, err: '' });
  expect(run.out).toContain('stays open');
  expect(await inCommit((tx) => attention.get(tx, itemId))).toMatchObject({ closedAt: null });
});

test('refuses the end of an id when several open items are about the conversation', async () => {
  const { id, itemId } = await asked('Is there a canteen?');
  await inCommit((tx) =>
    attention.raise(tx, {
      kind: 'full',
      subject: `full:${id}`,
      conversationId: id,
      reason: 'no room',
    }),
  );

  const run = await cli(['attention', 'show', id.slice(-6)]);

  expect(run).toMatchObject({ code: 2, out: '' });
  expect(run.err).toContain(`More than one open item`);
  expect(run.err).toContain(`  ${itemId}  `);
});

test('decision list shows who decided what about whom', async () => {
  const { id } = await asked('Is there a canteen?');
  const found = await inCommit((tx) =>
    new ConversationRepository(clock, new DomainEvents()).find(tx, id),
  );
  const candidate = ['--candidate', found?.candidateId ?? ''];
  await cli(['decision', 'record', ...candidate, '--by', 'Nora', '--reason', 'Invited.']);

  const run = await cli(['decision', 'list']);

  expect(run.out).toMatch(/UTC {2}Bo {2}by Nora {2}Invited\./);
  expect((await cli(['decision', 'list', '--candidate', newId()])).out).toBe(
    'No decisions are recorded.\n',
  );
});

test('candidate list shows who was invited and how far each is', async () => {
  const { id } = await asked('Is there a canteen?');
  await cli(['invite', 'baker', '--name', 'Ada']);

  const { out } = await cli(['candidate', 'list', '--vacancy', 'baker']);

  expect(out).toMatch(/Ada {2}invited .* UTC {2}not opened/);
  expect(out).toContain(`Bo  by the open link  active, question 1 of `);
  expect(out).toContain(`conversation …${id.slice(-8)}`);
});
