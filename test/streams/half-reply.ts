import { randomUUID } from 'node:crypto';
import { LiveReplies, type LiveReply, ReplyMirrors } from '../../src/streams';
import { SegmentWriter } from '../../src/streams/segment-writer';
import { untilInProcess } from '../support/until';
import { startInterviews, startOther, words, settled, visible } from '../interview/interviews';
import { type Interviewee, newCandidate } from '../interview/interviewee';
import type { TestApp } from '../support/app';

export const HALF = 'Yes.';
const HELD = {
  kind: 'hold',
  content: `{"verdict":"answered","text":"${HALF} A`,
  rest: 'nd the rest."}',
} as const;

/** Two processes on one database, and replies of the first one that pause after their first half. */
export class HalfReplies {
  private constructor(
    readonly app: TestApp,
    readonly other: TestApp,
  ) {}

  static async open(): Promise<HalfReplies> {
    const app = await startInterviews();
    return new HalfReplies(app, await startOther(app));
  }

  /** A reply of which nothing is stored yet. */
  async begin(): Promise<{ candidate: Interviewee; reply: LiveReply }> {
    const { app } = this;
    const candidate = await newCandidate(app);
    app.model.next(HELD);
    await candidate.start(app, words());
    await untilInProcess(
      'the beginning of the reply is visible',
      () => visible(app, candidate.id) === HALF,
    );
    const reply = app.get(LiveReplies).current(candidate.id);
    if (reply === undefined) throw new Error('the reply is over');
    return { candidate, reply };
  }

  /** Stores the growth of all replies of the first process. */
  write(): Promise<void> {
    return this.app.get(SegmentWriter).write();
  }

  /** Waits until the other process has read everything so far. */
  async otherHasRead(): Promise<void> {
    await this.other.get(ReplyMirrors).follow(randomUUID());
  }

  /** After each test: ends all replies and releases claims. */
  async rest(): Promise<void> {
    this.app.model.release();
    await settled(this.app);
    await this.app.sql(`update job set state = 'done', due_at = null where state <> 'done'`);
  }

  segments(turnId: string): Promise<{ start_at: number; text: string }[]> {
    return this.app.sql(
      'select start_at, text from turn_segment where turn_id = $1 order by epoch, start_at',
      [turnId],
    );
  }
}
