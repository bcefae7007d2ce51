/**
 * The names of all queues, each with the class that handles its jobs. Every handler adds its own:
 *
 *   declare module '../jobs' {
 *     interface QueueNames {
 *       score: ScoreWorker;
 *     }
 *   }
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- handlers add their queues to it
export interface QueueNames {}

/** As stored in `job.queue`. A name that no handler has declared does not compile. */
export type QueueName = keyof QueueNames;
