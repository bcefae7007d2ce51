import { Injectable } from '@nestjs/common';
import { type DeadFlush, type Flush, FlushAdmission, FlushHandler } from '../../buffer';
import { EventBus } from '../../common/events';
import type { Tx, UnitOfWork } from '../../common/uow';
import { LiveReplies, type LiveReplyOrigin } from '../../streams';
import { JobHandler, type JobFlow } from '../../jobs';
import { type Opened, type OpenedTurn, TurnOpening } from './turn-opening';
import { ReplyRequests, STOPPED } from './reply-generation';
import { type FinishedReply, TurnClosing } from './turn-closing';
import { TurnEnding } from './turn-ending';
import type { TurnOutcome } from '../interview.metrics';

/** Failures of one answer before it goes to a person. */
const MAX_FAILURES = 5;

/**
 * One answer becomes one reply:
 *
 *   turn.open (commit) ─> generate, no connection held ─> turn.close (commit) ─> readers see the end
 *                           │ ▲
 *                           └─┴─ search of the documents, turn.tool (commit), at most twice
 *
 * Each arrow survives a crash: before turn.close another claim starts the next epoch and keeps the
 * searches that were committed, after it the stored reply is read. A candidate who leaves does not
 * stop it; only their Stop does.
 */
@Injectable()
@JobHandler('flush', {
  concurrency: (settings) => settings.jobs.flushConcurrency,
  maxFailures: MAX_FAILURES,
  drain: 'flows',
})
export class TurnWorker extends FlushHandler {
  constructor(
    admission: FlushAdmission,
    private readonly opening: TurnOpening,
    private readonly requests: ReplyRequests,
    private readonly closing: TurnClosing,
    private readonly ending: TurnEnding,
    private readonly live: LiveReplies,
    private readonly events: EventBus,
  ) {
    super(admission);
  }

  override stillNeeded(tx: Tx, bufferIds: readonly string[]): Promise<string[]> {
    return this.ending.listUnfinished(tx, bufferIds);
  }

  protected override async flush(flush: Flush, flow: JobFlow): Promise<void> {
    try {
      const opened = await flow.uow.commit('turn.open', async (tx) => {
        const { conversationId } = flush;
        await this.events.publish(tx, 'conversation.changed', { conversationId });
        return this.opening.open(tx, flush);
      });
      if (opened.kind !== 'settled') await this.reply(flow.uow, flush, flow, opened);
    } finally {
      this.live.changed(flush.conversationId);
    }
  }

  protected override onDeadFlush(tx: Tx, flush: DeadFlush): Promise<void> {
    return this.ending.onDead(tx, flush);
  }

  private async reply(
    uow: UnitOfWork,
    flush: Flush,
    flow: JobFlow,
    opened: Exclude<Opened, { kind: 'settled' }>,
  ): Promise<void> {
    const live = this.live.begin(originOf(opened.turn), { ...flush.claim, flow });
    live.addParts(...opened.turn.parts);
    if (opened.kind === 'stopped') live.append(opened.text);
    try {
      const { turn, ...ended } =
        opened.kind === 'stopped'
          ? { turn: opened.turn, ...STOPPED }
          : await this.requests.run({ uow, flush, flow, reply: live }, opened.turn);
      const isLast = ended.decision?.endsAs != null && turn.agent !== 'closer';
      if (isLast) live.addParts({ type: 'agent', agent: 'closer' });
      const reply = { text: live.text, ...ended };
      live.close(await this.closing.close(uow, flush, flow, turn, reply));
      this.ending.replied(outcomeOfTurn(turn, reply));
    } finally {
      live.breakOff();
    }
  }
}

function originOf(turn: OpenedTurn): LiveReplyOrigin {
  const { conversationId, id: turnId, bufferIds, replyMessageId: messageId, epoch } = turn;
  return { conversationId, turnId, bufferIds, messageId, epoch };
}

function outcomeOfTurn(turn: OpenedTurn, { decision }: FinishedReply): TurnOutcome {
  if (decision === null) return 'stopped';
  if (turn.speaker.kind === 'code') return 'code';
  return turn.context.isUnanalysed === true ? 'unanalysed' : 'answered';
}
