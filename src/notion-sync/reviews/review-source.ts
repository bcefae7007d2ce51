import type { Tx } from '../../common/uow';

/** What was asked and answered of a plan; nothing of how good it was. */
export interface Coverage {
  /** Which questions are counted: a plan without must-ask questions is counted whole. */
  readonly counted: 'must-ask' | 'all';
  readonly of: number;
  readonly asked: number;
  /** There is an answer to read. */
  readonly answered: number;
}

/** A finished interview, in what its page shows. */
export interface ReviewSubject {
  readonly language: 'ru' | 'en';
  /** Null: nobody knows the name. */
  readonly candidate: string | null;
  readonly vacancy: string;
  /** The Notion user who answers for the vacancy. */
  readonly ownerId: string;
  readonly coverage: Coverage;
  /** What the candidate did after the interview was finished. */
  readonly after: {
    /** What was added or corrected. */
    readonly messages: number;
    readonly end: 'withdrawn' | 'handed_over' | null;
  };
}

/** What the reviews need of the interview, in their own words; the interview implements it. */
export abstract class ReviewSource {
  /** Null: there is no such interview any more. */
  abstract find(tx: Tx, conversationId: string): Promise<ReviewSubject | null>;

  /** Tries are used up: a person is to look. `reason` is for that person. */
  abstract givenUp(
    tx: Tx,
    given: { conversationId: string | null; jobId: string; reason: string },
  ): Promise<void>;
}
