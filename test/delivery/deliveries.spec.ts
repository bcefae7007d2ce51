import { CandidateRepository } from '../../src/candidates';
import { DomainEvents } from '../../src/common/events';
import { newId } from '../../src/common/ids';
import type { Tx } from '../../src/common/uow';
import type { DeliveryService } from '../../src/delivery';
import { VacancyRepository } from '../../src/vacancies';
import { ConversationRepository } from '../../src/interview/conversation.repository';
import { MessageRepository } from '../../src/interview/transcript/message.repository';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import { vacancyDraft } from '../support/vacancies';
import { FakeChannel } from './fake-channel';
import { deliveryProcess } from './process';

let database: TestDatabase;
let deliveries: DeliveryService;

beforeAll(async () => {
  database = await openTestDatabase();
  ({ deliveries } = deliveryProcess(database, new FakeChannel()));
});

afterAll(() => database.close());

function inCommit<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.units.run('test', (uow) => uow.commit('test', work));
}

/** Stores a message of the interviewer. */
async function line(tx: Tx, text: string): Promise<{ conversationId: string; messageId: string }> {
  const { clock } = database;
  const { vacancy } = await new VacancyRepository(clock, new DomainEvents()).upsert(
    tx,
    vacancyDraft(),
  );
  const { id: candidateId } = await new CandidateRepository(clock).create(tx);
  const conversationId = newId();
  await new ConversationRepository(clock, new DomainEvents()).create(tx, {
    id: conversationId,
    vacancyId: vacancy.id,
    candidateId,
    invitationId: null,
    language: 'en',
    plan: vacancy.plan,
    state: {},
  });
  const messageId = newId();
  await new MessageRepository(clock).add(tx, {
    id: messageId,
    conversationId,
    role: 'assistant',
    externalId: 'x',
    text,
  });
  return { conversationId, messageId };
}

function add(tx: Tx, of: { conversationId: string; messageId: string }, text: string) {
  return deliveries.add(tx, {
    ...of,
    turnId: null,
    kind: 'reply',
    channel: 'web',
    text,
  });
}

test('storing a message delivers it to the web page, and its part stores no text', async () => {
  const rows = await inCommit(async (tx) => {
    const of = await line(tx, 'Hello');
    expect(await add(tx, of, 'Hello')).toEqual({ isDelivered: true });
    return tx.query('select part, text, plain, state, confirmed, sent_at from delivery');
  });

  expect(rows).toEqual([
    {
      part: 0,
      text: null,
      plain: null,
      state: 'sent',
      confirmed: true,
      sent_at: database.clock.now(),
    },
  ]);
});

test('adding the parts of one message twice is refused', async () => {
  await expect(
    inCommit(async (tx) => {
      const of = await line(tx, 'Hello');
      await add(tx, of, 'Hello');
      await add(tx, of, 'Hello');
    }),
  ).rejects.toMatchObject({ code: '23505' });
});
