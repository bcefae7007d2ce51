import { DomainEvents } from '../../src/common/events';
import { ConversationRepository } from '../../src/interview/conversation.repository';
import type { Tx } from '../../src/common/uow';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import { addConversation } from '../support/conversations';
import { type Columns, type CycleStep, named, walkRound } from '../support/cycles';

/*
 * Who replies in a conversation, its consent and its counters go round two times and ten times: after each statement
 * every column is as the model says.
 */

let database: TestDatabase;
let conversations: ConversationRepository;
let id = '';

beforeAll(async () => {
  database = await openTestDatabase();
  conversations = new ConversationRepository(database.clock, new DomainEvents());
});
afterAll(() => database.close());

function inTx<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.commit(work);
}

interface Conversation extends Columns {
  readonly status: string;
  readonly owner: 'model' | 'asked' | 'person';
  readonly takeovers: number;
  readonly interview_step: number;
  readonly consent_version: string;
  readonly consent_accepted: boolean;
  readonly consent_at: number;
  readonly consent_seq: number;
  readonly last_seq: number;
  readonly automated_processing_objected_at: number | null;
  readonly time_zone: string | null;
  readonly language: string;
}

function owner(to: Conversation['owner']): CycleStep<Conversation> {
  return {
    name: `go to ${to}`,
    model: ({ takeovers }) => ({ owner: to, takeovers: takeovers + (to === 'person' ? 1 : 0) }),
    run: () => inTx((tx) => conversations.setOwner(tx, id, to)),
  };
}

function consent(accepted: boolean, timeZone?: string): CycleStep<Conversation> {
  const given = { version: `v${String(accepted)}`, accepted };
  return {
    name: `${accepted ? 'agree' : 'decline'}${timeZone === undefined ? '' : ` in ${timeZone}`}`,
    model: ({ last_seq: seq, time_zone: known }, now) => ({
      consent_version: given.version,
      consent_accepted: accepted,
      consent_at: now,
      consent_seq: seq,
      time_zone: timeZone ?? known,
    }),
    run: () =>
      inTx((tx) =>
        conversations.recordConsent(tx, id, {
          ...given,
          ...(timeZone === undefined ? {} : { timeZone }),
        }),
      ),
  };
}

const CONVERSATION_STEPS: readonly CycleStep<Conversation>[] = [
  owner('asked'),
  owner('person'),
  owner('model'),
  consent(true),
  consent(true, 'Asia/Tokyo'),
  consent(false),
  {
    name: 'object',
    model: ({ automated_processing_objected_at: at }, now) => ({
      automated_processing_objected_at: at ?? now,
    }),
    run: () => inTx((tx) => conversations.recordObjection(tx, id)),
  },
  {
    name: 'write',
    model: ({ last_seq: seq }) => ({ last_seq: seq + 1 }),
    run: () => database.sql('update conversation set last_seq = last_seq + 1 where id = $1', [id]),
  },
  {
    name: 'be replied to',
    model: ({ interview_step: step }) => ({ interview_step: step + 1, status: 'active' }),
    run: ({ interview_step: step }) =>
      inTx((tx) =>
        conversations.advance(tx, id, {
          state: {},
          status: 'active',
          interviewStep: step + 1,
        }),
      ),
  },
  {
    name: 'end',
    model: () => ({ status: 'handed_over' }),
    run: () => inTx((tx) => conversations.end(tx, id, { state: {}, status: 'handed_over' })),
  },
];

test.each(
  named([
    ['go to asked', 'end', 'go to person', 'go to model', 'be replied to'],
    ['go to person', 'go to person', 'go to model'],
    ['agree in Asia/Tokyo', 'write', 'decline', 'write', 'agree'],
    ['object', 'write', 'be replied to'],
  ]),
)('a conversation that goes round: %s, two times and ten times', async (_, cycle) => {
  await walkRound(
    {
      clock: database.clock,
      steps: CONVERSATION_STEPS,
      begin: async () => {
        id = await addConversation(database);
        const row = await database.one<Conversation>(READ, [id]);
        expect(row).toMatchObject({ owner: 'model', takeovers: 0, interview_step: 0 });
        return { ...row, consent_at: new Date(row.consent_at).getTime() };
      },
      read: () => database.one<Columns>(READ, [id]),
    },
    cycle,
  );
});

const READ = `select status, owner, takeovers, interview_step, consent_version, consent_accepted,
  consent_at, consent_seq, last_seq, automated_processing_objected_at, time_zone, language
  from conversation where id = $1`;
