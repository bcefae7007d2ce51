import { CandidateRepository, ContinuationRepository } from '../../src/candidates';
import type { ChannelName } from '../../src/channels';
import { DomainEvents } from '../../src/common/events';
import { newId, newToken } from '../../src/common/ids';
import type { Tx } from '../../src/common/uow';
import { VacancyRepository } from '../../src/vacancies';
import { ConversationRepository } from '../../src/interview/conversation.repository';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import { vacancyDraft } from '../support/vacancies';

const DAY_MS = 24 * 3_600_000;

let database: TestDatabase;
let continuations: ContinuationRepository;
let conversationId: string;

beforeEach(async () => {
  database = await openTestDatabase();
  continuations = new ContinuationRepository(database.clock);
  conversationId = await inCommit(newConversation);
});

afterEach(async () => {
  await database.close();
});

function inCommit<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.units.run('test', (uow) => uow.commit('test.commit', work));
}

async function newConversation(tx: Tx): Promise<string> {
  const { vacancy } = await new VacancyRepository(database.clock, new DomainEvents()).upsert(
    tx,
    vacancyDraft(),
  );
  const { id: candidateId } = await new CandidateRepository(database.clock).create(tx);
  const id = newId();
  await new ConversationRepository(database.clock, new DomainEvents()).create(tx, {
    id,
    vacancyId: vacancy.id,
    candidateId,
    invitationId: null,
    language: 'en',
    plan: vacancy.plan,
    state: {},
  });
  return id;
}

async function create(channel: ChannelName): Promise<{ token: string; expiresAt: Date }> {
  const token = newToken();
  const expiresAt = await inCommit((tx) =>
    continuations.create(tx, { conversationId, channel, token }),
  );
  return { token, expiresAt };
}

function redeem(token: string, channel: ChannelName) {
  return inCommit((tx) => continuations.redeem(tx, token, channel));
}

function find(token: string, channel: ChannelName) {
  return inCommit((tx) => continuations.find(tx, token, channel));
}

describe('a continuation', () => {
  test('leads to its conversation once', async () => {
    const { token } = await create('telegram');

    const looked = await find(token, 'telegram');
    const redeemed = [await redeem(token, 'telegram'), await redeem(token, 'telegram')];

    expect(looked).toEqual({ conversationId, state: 'ok' });
    expect(redeemed).toEqual([{ conversationId }, 'used']);
    await expect(find(token, 'telegram')).resolves.toEqual({ conversationId, state: 'used' });
  });

  test('is used by exactly one of several at once', async () => {
    for (let race = 0; race < 10; race += 1) {
      const { token } = await create('web');

      const redeemed = await Promise.all(Array.from({ length: 4 }, () => redeem(token, 'web')));

      const winners = redeemed.filter((one) => typeof one === 'object');
      expect(winners).toEqual([{ conversationId }]);
      expect(redeemed.filter((one) => one === 'used')).toHaveLength(3);
    }
  });

  test('is valid for 24 hours', async () => {
    const first = await create('web');
    const second = await create('web');

    database.clock.advance(DAY_MS - 1);
    await expect(redeem(first.token, 'web')).resolves.toEqual({ conversationId });
    database.clock.advance(1);

    await expect(redeem(second.token, 'web')).resolves.toBe('expired');
    await expect(find(second.token, 'web')).resolves.toEqual({ conversationId, state: 'expired' });
    await expect(redeem(first.token, 'web')).resolves.toBe('used');
    expect(second.expiresAt).toEqual(database.clock.now());
  });

  test('works only on its channel, and an attempt on another does not use it up', async () => {
    const { token } = await create('telegram');

    await expect(redeem(token, 'web')).resolves.toBe('unknown');
    await expect(find(token, 'web')).resolves.toBeNull();
    await expect(redeem(token, 'telegram')).resolves.toEqual({ conversationId });
  });

  test('is not used up by a commit that fails', async () => {
    const { token } = await create('web');

    const failed = inCommit(async (tx) => {
      await continuations.redeem(tx, token, 'web');
      throw new Error('and then the power went');
    });

    await expect(failed).rejects.toThrow('the power');
    await expect(redeem(token, 'web')).resolves.toEqual({ conversationId });
  });

  test('is stored without its token and deleted with its conversation', async () => {
    const { token } = await create('web');

    const rows = await inCommit((tx) => tx.query('select * from continuation'));
    await inCommit((tx) => tx.query('delete from conversation'));

    expect(JSON.stringify(rows)).not.toContain(token);
    await expect(redeem(token, 'web')).resolves.toBe('unknown');
  });

  test.each(['', 'nobody', newToken(), 'a\0'.repeat(16)])(
    'with an unknown token is unknown: %#',
    async (token) => {
      await expect(redeem(token, 'web')).resolves.toBe('unknown');
      await expect(find(token, 'web')).resolves.toBeNull();
    },
  );
});
