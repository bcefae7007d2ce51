import { Injectable, Logger } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { COMMAND } from '../common/command-name';
import { describeError } from '../common/errors';
import { DomainEvents } from '../common/events';
import { UnitOfWorkFactory } from '../common/uow';
import { LETTER_CODES } from '../interview';
import { HiringDecisionRepository, subjectOfLetter } from './hiring-decision.repository';

/**
 * Adds an attention item for each adverse decision that has no letter after REMIND_AFTER_DAYS,
 * where a notice says that the law asks for one. A decision gets one item in its life:
 *
 *   the letter is written (`decision notice`) ──> closes it
 *   a person closes it ─────────────────────────> no new one: they know
 *   the candidate is erased ────────────────────> it goes with their interview
 */
@Injectable()
export class LetterReminders {
  private readonly logger = new Logger('Decisions');

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly decisions: HiringDecisionRepository,
    private readonly events: DomainEvents,
  ) {}

  @Cron(CronExpression.EVERY_HOUR)
  async runOnSchedule(): Promise<void> {
    try {
      await this.sweep();
    } catch (error) {
      this.logger.warn(
        `could not look for decisions without a letter, trying again in an hour: ${describeError(error)}`,
      );
    }
  }

  /** How many items were added. */
  sweep(): Promise<number> {
    const after = { codes: LETTER_CODES, days: REMIND_AFTER_DAYS };
    return this.units.run('decision.remind', (uow) =>
      uow.commit('decision.remind', async (tx) => {
        const due = await this.decisions.takeWithoutLetter(tx, after);
        for (const { id, candidateId, conversationId, decidedAt } of due) {
          const day = decidedAt.toISOString().slice(0, 10);
          await this.events.publish(tx, 'attention.needed', {
            kind: 'letter',
            subject: subjectOfLetter(id),
            conversationId,
            reason: `nobody has written the letter about the decision of ${day} against this candidate; the law of a notice of the vacancy asks for it within 30 days: ${COMMAND} decision notice --candidate ${candidateId}`,
          });
        }
        return due.length;
      }),
    );
  }
}

/** Half of the 30 days in which the notices that ask for a letter want it (us-co). */
export const REMIND_AFTER_DAYS = 14;
