import { randomUUID } from 'node:crypto';
import { LiveReplies, type LiveReply, ReplyMirrors } from '../../src/streams';
import { SegmentWriter } from '../../src/streams/segment-writer';
import type { InterviewProcess } from '../interview/interview-process';
import type { TurnCandidate } from '../interview/turn-candidate';
import { TurnFixture, words } from '../interview/turn-fixture';
import { until } from '../support/model-calls';

export const HALF = 'Half';
const HELD = {
  kind: 'hold',
  content: `{"verdict":"answered","text":"${HALF}`,
  rest: ' and the rest."}',
} as const;

/** Two processes on one database, and replies of the first one that pause after their first half. */
export class HalfReplies {
  private constructor(
    readonly fixture: TurnFixture,
    readonly other: InterviewProcess,
  ) {}

  static async open(): Promise<HalfReplies> {
    const fixture = await TurnFixture.open();
    return new HalfReplies(fixture, await fixture.another());
  }

  /** A reply of which nothing is stored yet. */
  async begin(): Promise<{ candidate: TurnCandidate; reply: LiveReply }> {
    const { fixture } = this;
    const candidate = await fixture.candidate();
    fixture.model.next(HELD);
    await candidate.start(fixture.main, words());
    await until(() => fixture.main.visible(candidate.id) === HALF);
    const reply = fixture.main.get(LiveReplies).current(candidate.id);
    if (reply === undefined) throw new Error('the reply is over');
    return { candidate, reply };
  }

  /** Stores the growth of all replies of the first process. */
  write(): Promise<void> {
    return this.fixture.main.get(SegmentWriter).write();
  }

  /** Waits until the other process has read everything so far. */
  async otherHasRead(): Promise<void> {
    await this.other.get(ReplyMirrors).follow(randomUUID());
  }

  /** After each test: ends all replies and releases claims. */
  async rest(): Promise<void> {
    this.fixture.model.release();
    await this.fixture.main.settled();
    await this.fixture.sql(`update job set state = 'done', due_at = null where state <> 'done'`);
  }

  segments(turnId: string): Promise<{ start_at: number; text: string }[]> {
    return this.fixture.sql(
      'select start_at, text from turn_segment where turn_id = $1 order by epoch, start_at',
      [turnId],
    );
  }
}
