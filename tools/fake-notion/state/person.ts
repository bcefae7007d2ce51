/** An author of edits: a member, a connection's bot, or one of Notion's own agents. */
export interface Person {
  readonly id: string;
  readonly name: string;
  readonly kind: 'person' | 'bot' | 'agent';
  /** Whether the account was deleted. */
  isGone: boolean;
}
