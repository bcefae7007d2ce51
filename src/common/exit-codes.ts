import type { ColloquyError } from './errors';

export function exitCodeOf({ code }: ColloquyError): number {
  return EXIT_BY_CODE[code] ?? EXIT.failed;
}

/** The exit codes of `colloquy`, which docs/command-line.md promises. */
export const EXIT = {
  done: 0,
  failed: 1,
  wrongUsage: 2,
  unreachable: 3,
  notFound: 4,
  doctorFoundProblem: 5,
} as const;

/** By the codes of our errors; every other one of them ends in exit code 1. */
const EXIT_BY_CODE: Readonly<Record<string, number>> = {
  vacancy_unknown: EXIT.notFound,
  candidate_unknown: EXIT.notFound,
  conversation_unknown: EXIT.notFound,
  attention_unknown: EXIT.notFound,
  decision_unknown: EXIT.notFound,
  score_unknown: EXIT.notFound,
  reply_unknown: EXIT.notFound,
  key_unknown: EXIT.notFound,
  user_unknown: EXIT.notFound,
  notion_not_found: EXIT.notFound,
  notion_unavailable: EXIT.unreachable,
  notion_paused: EXIT.unreachable,
  database_unreachable: EXIT.unreachable,
  EMBEDDED_POSTGRES_UNAVAILABLE: EXIT.unreachable,
};
