import type { Tx } from '../../common/uow';

/** One SQL statement as a value. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

export function run<Row>(tx: Tx, statement: Statement): Promise<Row[]> {
  return tx.query<Row>(statement.text, statement.values);
}

/** The first statement wherever a buffer and its conversation change: one lock order. */
export function lockConversation(conversationId: string): Statement {
  return {
    text: `select 1 from conversation where id = $1 for no key update`,
    values: [conversationId],
  };
}
