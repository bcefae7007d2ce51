import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { ENDED_BY_OUTAGE, TurnRepository } from '../../src/interview/turn/turn.repository';
import { SegmentRepository } from '../../src/streams';
import type { Tx } from '../../src/common/uow';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import { addConversation } from '../support/conversations';
import {
  type Columns,
  type Cycles,
  type CycleStep,
  named,
  walk,
  walkRound,
} from '../support/cycles';

/*
 * The row of a turn goes round two times, ten times and at random: after each statement every column is as the model
 * says.
 */

let database: TestDatabase;
let turns: TurnRepository;

beforeAll(async () => {
  database = await openTestDatabase();
  turns = new TurnRepository(new SegmentRepository(), database.clock);
});
afterAll(() => database.close());

function inTx<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.commit(work);
}

interface Turn extends Columns {
  readonly state: 'opened' | 'replied' | 'delivered' | 'failed' | 'expired' | 'merged';
  readonly epoch: number;
  readonly claim_no: number;
  readonly message_count: number;
  readonly verdict: string | null;
  readonly reply_text: string | null;
  readonly partial: boolean;
  readonly decision: unknown;
  readonly prompt: string | null;
  readonly replied_by: string | null;
  readonly error: string | null;
  readonly started_at: number;
  readonly replied_at: number | null;
  readonly completed_at: number | null;
  readonly stop_requested_at: number | null;
}

const of = { conversationId: '', answerId: 0, turnId: '' };

function newTurn(messageCount: number) {
  const { conversationId, answerId } = of;
  return {
    answerId: String(answerId),
    conversationId,
    interviewStep: 0,
    channel: 'web',
    messageCount,
    replyMessageId: randomUUID(),
  };
}

const isOpen = ({ state }: Turn): boolean => state === 'opened';

function stored(name: string, how: { isDelivered: boolean; isStopped: boolean }): CycleStep<Turn> {
  const { isDelivered, isStopped } = how;
  const text = isStopped ? 'Half.' : 'Whole.';
  return {
    name,
    may: isOpen,
    model: ({ claim_no: claimNo }, now) => ({
      state: isDelivered ? 'delivered' : 'replied',
      reply_text: text,
      verdict: isStopped ? null : 'answered',
      partial: isStopped,
      decision: isStopped ? { tail: 'Next?' } : null,
      prompt: 'interview-1',
      replied_by: `1:${String(claimNo)}`,
      replied_at: now,
      completed_at: isDelivered ? now : null,
    }),
    run: ({ claim_no: claimNo }) =>
      inTx((tx) =>
        turns.storeReply(tx, of.turnId, {
          text,
          verdict: isStopped ? null : 'answered',
          isPartial: isStopped,
          isDelivered,
          repliedBy: `1:${String(claimNo)}`,
          unfinished: isStopped ? { tail: 'Next?' } : null,
          prompt: 'interview-1',
        }),
      ),
  };
}

function givenUp(name: string, state: 'failed' | 'expired', error: string): CycleStep<Turn> {
  return {
    name,
    // A turn that has its reply, or was given up before, stays as it is.
    model: (row, now) => (isOpen(row) ? { state, error, completed_at: now } : {}),
    run: () => inTx((tx) => turns.giveUp(tx, newTurn(9), { state, error })),
  };
}

const TURN_STEPS: readonly CycleStep<Turn>[] = [
  {
    name: 'open again',
    may: ({ state }) => ['opened', 'failed', 'expired'].includes(state),
    model: ({ epoch, claim_no: claimNo }) => ({
      state: 'opened',
      epoch: epoch + 1,
      claim_no: claimNo + 1,
      message_count: epoch + 2,
      error: null,
      completed_at: null,
    }),
    run: ({ epoch, claim_no: claimNo }) =>
      inTx((tx) =>
        turns.open(tx, { ...newTurn(epoch + 2), agent: 'greeter', claimNo: claimNo + 1 }),
      ),
  },
  {
    name: 'be asked to stop',
    model: (row, now) => (isOpen(row) ? { stop_requested_at: row.stop_requested_at ?? now } : {}),
    run: () => inTx((tx) => turns.requestStop(tx, of.conversationId)),
  },
  givenUp('fail', 'failed', 'crashed'),
  givenUp('expire', 'expired', ENDED_BY_OUTAGE),
  {
    name: 'be abandoned',
    model: (row, now) =>
      isOpen(row) ? { state: 'failed', error: 'withdrawn', completed_at: now } : {},
    run: () =>
      inTx((tx) =>
        turns.abandon(tx, { conversationId: of.conversationId, ownAnswer: String(of.answerId) }),
      ),
  },
  stored('be replied to', { isDelivered: false, isStopped: false }),
  stored('be stopped', { isDelivered: false, isStopped: true }),
  stored('be delivered at once', { isDelivered: true, isStopped: false }),
  {
    name: 'be delivered',
    model: ({ state }, now) =>
      state === 'replied' ? { state: 'delivered', completed_at: now } : {},
    run: () => inTx((tx) => turns.end(tx, of.turnId)),
  },
];

async function openTurn(now: number): Promise<Turn> {
  of.conversationId = await addConversation(database);
  of.answerId += 1;
  const opened = await inTx((tx) =>
    turns.open(tx, { ...newTurn(1), agent: 'greeter', claimNo: 1 }),
  );
  of.turnId = opened.id;
  return {
    state: 'opened',
    epoch: 1,
    claim_no: 1,
    message_count: 1,
    verdict: null,
    reply_text: null,
    partial: false,
    decision: null,
    prompt: null,
    replied_by: null,
    error: null,
    started_at: now,
    replied_at: null,
    completed_at: null,
    stop_requested_at: null,
  };
}

function turnCycles(): Cycles<Turn> {
  const read = () => database.one<Columns>('select * from turn where id = $1', [of.turnId]);
  return { clock: database.clock, steps: TURN_STEPS, begin: openTurn, read };
}

describe('a turn that goes round', () => {
  test.each(
    named([
      ['open again'],
      ['fail', 'open again'],
      ['expire', 'open again', 'open again'],
      ['be abandoned', 'open again', 'be asked to stop'],
      ['fail', 'fail', 'expire', 'open again'],
    ]),
  )('%s: two times and ten times', async (_, cycle) => {
    await walkRound(turnCycles(), cycle);
  });

  test('at random, until its reply is delivered', async () => {
    const names = TURN_STEPS.map(({ name }) => name);
    const seen = new Set<string>();
    const list = fc.array(fc.constantFrom(...names), { minLength: 10, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(list, async (steps) => {
        for (const name of await walk(turnCycles(), steps)) seen.add(name);
      }),
      { seed: 50, numRuns: 15 },
    );
    expect([...seen].sort()).toEqual([...names].sort());
  });
});
