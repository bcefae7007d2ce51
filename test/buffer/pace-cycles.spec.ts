import { LEARNED } from '../../src/buffer/answer-pace';
import type { ChannelName } from '../../src/channels';
import { type Columns, type Cycles, type CycleStep, named, walkRound } from '../support/cycles';
import { withConstants } from '../support/constants';
import { TestBuffer } from './test-buffer';

/*
 * How a candidate writes goes round two times and ten times: after each statement what was learned of the pauses, and
 * the counters of what was sent, are as the model says.
 */

const ENOUGH = 3;
const TEXT = 'words';

let setup: TestBuffer;
let conversationId = '';
/** Messages that no claim has learned from, with the pause before each; null: it does not count. */
let unlearned: { readonly channel: ChannelName; readonly gapMs: number | null }[] = [];
/** The last message, and whether a reply came after it. */
let last: { channel: ChannelName; at: number; isReplied: boolean } | null = null;

withConstants(LEARNED, { enough: ENOUGH });
beforeAll(async () => {
  setup = await TestBuffer.open({ INTERVIEW_BUFFER_MAX_SIZE: '1000' });
});
afterAll(() => setup.close());

interface Pace extends Columns {
  readonly last_seq: number;
  readonly sent_messages: number;
  readonly sent_chars: number;
  readonly paced_messages: number;
  readonly paced_seq: number | null;
  readonly gaps: number;
  /** Of the logarithms of the pauses, to nine digits. */
  readonly mean: string;
  readonly variance: string;
  readonly quiet_channel: string | null;
  readonly quietTimes: number | null;
}

function writing(channel: ChannelName, afterMs: number): CycleStep<Pace> {
  return {
    name: `write in ${channel} after ${String(afterMs)} ms`,
    afterMs,
    model: (row) => ({
      last_seq: row.last_seq + 1,
      sent_messages: row.sent_messages + 1,
      sent_chars: row.sent_chars + TEXT.length,
    }),
    run: async () => {
      const at = setup.clock.now().getTime();
      const isOfAnswer = last?.channel === channel && !last.isReplied;
      unlearned.push({ channel, gapMs: isOfAnswer && last !== null ? at - last.at : null });
      last = { channel, at, isReplied: false };
      await setup.append(conversationId, TEXT, { channel });
    },
  };
}

/** The messages that were learned, and the numbers after them. */
function learned(row: Pace): Partial<Pace> {
  let [messages, gaps] = [row.paced_messages, row.gaps];
  let { mean, variance } = exact;
  let channel = lastLearned;
  for (const message of unlearned) {
    // Pauses are learned anew on another channel.
    if (channel !== null && message.channel !== channel) [messages, gaps] = [0, 0];
    ({ channel } = message);
    messages += 1;
    if (message.gapMs === null) continue;
    gaps += 1;
    const weight = Math.min(gaps, 12);
    const distance = Math.log(Math.min(120_000, Math.max(250, message.gapMs))) - mean;
    variance = (1 - 1 / weight) * (variance + distance ** 2 / weight);
    mean += distance / weight;
  }
  const isEnough = messages >= ENOUGH;
  coming = { mean, variance };
  return {
    paced_messages: messages,
    paced_seq: row.last_seq,
    gaps,
    mean: mean.toFixed(9),
    variance: variance.toFixed(9),
    quiet_channel: isEnough ? channel : null,
    quietTimes: isEnough ? 3 : null,
  };
}

/** The channel of the last message that was learned from. */
let lastLearned: ChannelName | null = null;
/** Before the row's are cut to nine digits: now, and after the claim that comes. */
let exact = { mean: 0, variance: 0 };
let coming = exact;

const STEPS: readonly CycleStep<Pace>[] = [
  writing('web', 1500),
  writing('web', 4000),
  writing('telegram', 2500),
  {
    name: 'be claimed',
    // Without a new message nothing changes.
    model: (row) => (unlearned.length === 0 ? {} : learned(row)),
    run: async () => {
      const channel = unlearned.at(-1)?.channel ?? 'web';
      lastLearned = unlearned.at(-1)?.channel ?? lastLearned;
      if (unlearned.length > 0) exact = coming;
      unlearned = [];
      await setup.commit((tx) => setup.buffer.learnQuietTime(tx, { conversationId, channel }));
    },
  },
  {
    name: 'be replied to',
    model: () => ({}),
    run: async () => {
      if (last !== null) last = { ...last, isReplied: true };
      await setup.sql(
        `insert into turn (answer_id, conversation_id, interview_step, channel, message_count,
           reply_message_id, started_at, replied_at, state)
         select coalesce(min(answer_id), 0) - 1, $1, 0, 'web', 1, gen_random_uuid(), $2, $2,
           'delivered' from turn`,
        [conversationId, setup.clock.now()],
      );
    },
  },
  {
    name: 'go to another channel',
    model: () => ({}),
    // The answer of this one is done, so that the next message begins another one.
    run: () =>
      setup.sql(`update job set state = 'done', due_at = null where key = $1`, [conversationId]),
  },
];

function cycles(): Cycles<Pace> {
  return {
    clock: setup.clock,
    steps: STEPS,
    begin: async () => {
      await setup.reset();
      conversationId = await setup.conversation();
      [unlearned, last, lastLearned] = [[], null, null];
      exact = { mean: 0, variance: 0 };
      return {
        last_seq: 0,
        sent_messages: 0,
        sent_chars: 0,
        paced_messages: 0,
        paced_seq: null,
        gaps: 0,
        mean: '0.000000000',
        variance: '0.000000000',
        quiet_channel: null,
        quietTimes: null,
      };
    },
    read: async () => {
      const row = await setup.one<Columns>(
        `select *, cardinality(quiet_ms) as "quietTimes" from conversation where id = $1`,
        [conversationId],
      );
      return {
        ...row,
        sent_chars: Number(row['sent_chars']),
        mean: Number(row['gap_mean']).toFixed(9),
        variance: Number(row['gap_variance']).toFixed(9),
      };
    },
  };
}

test.each(
  named([
    ['write in web after 1500 ms', 'be claimed'],
    ['write in web after 1500 ms', 'write in web after 4000 ms', 'be claimed', 'be claimed'],
    ['write in web after 4000 ms', 'be claimed', 'be replied to', 'write in web after 1500 ms'],
    [
      'write in web after 1500 ms',
      'write in web after 4000 ms',
      'write in web after 1500 ms',
      'be claimed',
      'go to another channel',
      'write in telegram after 2500 ms',
      'write in telegram after 2500 ms',
      'be claimed',
      'go to another channel',
    ],
    [
      'write in web after 4000 ms',
      'go to another channel',
      'write in telegram after 2500 ms',
      'be claimed',
      'go to another channel',
    ],
  ]),
)('the pace of a candidate that goes round: %s, two times and ten times', async (_, cycle) => {
  await walkRound(cycles(), cycle);
});
