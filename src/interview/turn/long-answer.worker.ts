import { Injectable } from '@nestjs/common';
import { BufferService } from '../../buffer';
import type { Tx } from '../../common/uow';
import { type Claim, JobHandler, type JobHandlerClass, type JobFlow, Jobs } from '../../jobs';
import { ConversationRepository } from '../conversation.repository';
import { textsOf } from '../texts/texts';
import { SystemMessages } from '../transcript/system-messages';

declare module '../../jobs' {
  interface QueueNames {
    'long-answer': LongAnswerWorker;
  }
}

/**
 * The queue `long-answer`: notifies a candidate, once for each long answer, that it is being read
 * while they write. The job is stored by the statement that made the answer long
 * (buffer_long_answer.sql).
 *
 * It asks no model and leaves the answer open. An answer that was claimed meanwhile gets its reply
 * instead, and a conversation with a person gets nothing. A second run, after a crash, finds the
 * message by its external id.
 */
@Injectable()
@JobHandler('long-answer', { concurrency: 8, maxFailures: 5 })
export class LongAnswerWorker implements JobHandlerClass {
  constructor(
    private readonly jobs: Jobs,
    private readonly buffer: BufferService,
    private readonly conversations: ConversationRepository,
    private readonly systemMessages: SystemMessages,
  ) {}

  async run(claim: Claim, { uow }: JobFlow): Promise<void> {
    await uow.commit('long_answer.notify', async (tx) => {
      await this.notify(tx, claim);
      await this.jobs.complete(tx, claim);
    });
  }

  /** Nothing to do: if this message is never sent, no person has to act. */
  onDead(): Promise<void> {
    return Promise.resolve();
  }

  private async notify(tx: Tx, { key: conversationId, payload }: Claim): Promise<void> {
    const conversation = await this.conversations.lock(tx, conversationId);
    if (conversation?.status !== 'active' || conversation.owner === 'person') return;
    const answerId = answerIdOf(payload);
    if (!(await this.buffer.lockOpen(tx, { answerId }))) return;
    await this.systemMessages.send(tx, conversation, {
      role: 'system',
      externalId: `reading:${answerId}`,
      text: textsOf(conversation.language).readingAlong,
    });
  }
}

function answerIdOf(payload: unknown): string {
  if (typeof payload === 'object' && payload !== null && 'answerId' in payload) {
    const { answerId } = payload;
    if (typeof answerId === 'string') return answerId;
  }
  throw new TypeError('a job of the queue "long-answer" names no buffer');
}
