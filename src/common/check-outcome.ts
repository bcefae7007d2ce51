/**
 * The result of one check of the installation, for the log of the start and for `colloquy doctor`.
 *
 *   ok       as it should be, or not in use
 *   warning  it works, and an operator should look at it
 *   problem  something does not work until an operator acts
 *
 * `sentence` says what is so and, unless it is ok, what to do. It contains no secret.
 */
export interface CheckOutcome {
  readonly kind: 'ok' | 'warning' | 'problem';
  readonly sentence: string;
}

export function ok(sentence: string): CheckOutcome {
  return { kind: 'ok', sentence };
}

export function warning(sentence: string): CheckOutcome {
  return { kind: 'warning', sentence };
}

export function problem(sentence: string): CheckOutcome {
  return { kind: 'problem', sentence };
}
