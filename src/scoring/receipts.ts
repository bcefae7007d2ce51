import { Injectable } from '@nestjs/common';
import { type InterviewReceipt, DomainEventHandler, type PayloadOf } from '../common/events';
import type { Tx } from '../common/uow';
import { ConversationRepository, textIn } from '../interview';
import type { Quote } from './evidence';
import { HiringDecisionRepository } from './hiring-decision.repository';
import { hasRead } from './score-request';
import { quotesOf } from './scorecard';
import { ScoringRepository } from './scoring.repository';

/**
 * What a candidate may see of the scoring of their interview: the passages that it quotes, for vacancies with
 * `receipt: true`. It holds no score, and nothing of the rubric. Writes nothing.
 */
@Injectable()
export class Receipts {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly scores: ScoringRepository,
    private readonly decisions: HiringDecisionRepository,
  ) {}

  /** Null: the vacancy has no receipts, or the interview is unfinished, or may not be scored (an objection). */
  @DomainEventHandler('interview.receipt')
  async read(
    tx: Tx,
    { conversationId }: PayloadOf<'interview.receipt'>,
  ): Promise<InterviewReceipt | null> {
    const conversation = await this.conversations.find(tx, conversationId);
    const plan = conversation?.plan;
    if (conversation?.status !== 'completed' || plan?.receipt !== true) return null;
    if ((await this.conversations.objectedAt(tx, conversationId)) !== null) return null;
    const runs = await this.scores.runsOf(tx, [conversationId]);
    const last = runs.findLast(({ state }) => state === 'done');
    const card = last?.card ?? null;
    const answers = await this.scores.answers(tx, conversationId);
    const texts = new Map([...answers.values()].flat().map(({ id, text }) => [id, text]));
    const hasReadAll =
      runs.at(-1)?.state === 'failed' ||
      (last !== undefined &&
        hasRead(await this.scores.inputHashes(tx, last.id), { plan, answers }));
    const questions = (card?.questions ?? []).flatMap((scored) => {
      const question = plan.questions.find(({ id }) => id === scored.questionId);
      if (question === undefined) return [];
      const quotes = quotesOf(scored).flatMap((quote) => passageOf(quote, texts));
      return quotes.length === 0
        ? []
        : [{ question: textIn(question, conversation.language), quotes: [...new Set(quotes)] }];
    });
    if (await this.decisions.isDecided(tx, conversationId)) {
      return { state: 'decided', questions };
    }
    return { state: hasReadAll ? 'ready' : 'reading', questions };
  }
}

/** By message, as the quotes count it. Nothing for a message that was edited since and is read anew. */
function passageOf({ messageId, start, end }: Quote, texts: ReadonlyMap<string, string>): string[] {
  const text = texts.get(messageId);
  return text === undefined ? [] : [text.slice(start, end)];
}
