import type { DomainEvents } from '../common/events';
import type { Tx } from '../common/uow';
import type { DeadJob } from '../jobs';
import type { Scorecard, ScoredCriterion } from './scorecard';

/*
 * The attention items about the scoring of an interview: one when its job is dead, and one for each
 * criterion whose samples are no result. A later run closes what is not true any more.
 */

/** The answers stay unscored until a later job or a replay scores them. */
export function reportDeadJob(
  events: DomainEvents,
  tx: Tx,
  { key, jobId }: Pick<DeadJob, 'key' | 'jobId'>,
): Promise<void> {
  return events.publish(tx, 'attention.needed', {
    kind: 'dead',
    subject: subjectOf(key),
    conversationId: key,
    jobId,
    reason: 'the answers of an interview could not be scored; a person has to read them',
  });
}

/** In the commit that stores the scorecard of a run. */
export async function reportCard(
  events: DomainEvents,
  tx: Tx,
  conversationId: string,
  { questions }: Scorecard,
): Promise<void> {
  const ofRun = subjectOf(conversationId);
  const resolution = 'a later run has rated the answers';
  await events.publish(tx, 'attention.settled', { subject: ofRun, resolution });
  for (const { questionId, criteria } of questions) {
    for (const criterion of criteria) {
      const subject = `${ofRun}:${questionId}:${criterion.name}`;
      const reason = reasonToRead(questionId, criterion);
      await (reason === null
        ? events.publish(tx, 'attention.settled', { subject, resolution })
        : events.publish(tx, 'attention.needed', {
            kind: 'disputed',
            subject,
            conversationId,
            reason,
          }));
    }
  }
}

function subjectOf(conversationId: string): string {
  return `score:${conversationId}`;
}

/** Null: the samples have a result, or there is no answer. */
function reasonToRead(
  questionId: string,
  { name, result, isDisputed }: ScoredCriterion,
): string | null {
  if (result.kind === 'unscorable' && result.reason === 'trouble') {
    return `the model gave no usable rating of "${name}" for the question "${questionId}"; a person has to read the answer, and to check the model and its server if this happens often`;
  }
  if (!isDisputed) return null;
  return `the model rated "${name}" of the question "${questionId}" differently each time; a person has to read the answer`;
}
