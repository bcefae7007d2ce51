import { setTimeout as pause } from 'node:timers/promises';
import { type StormCandidate, WebCandidate } from './candidates';
import type { Violation } from './facts';
import { ADMIN_TOKEN, type StormSetup } from './storm-setup';
import type { TokenJournal } from './tokens';

/** One in this many candidates on the page is erased. */
const ERASED_ONE_IN = 20;
const ERASE_TIMEOUT_MS = 5000;
const ERASED_AGAIN_MS = 500;
const ERASED_WITHIN_MS = 60_000;

export interface ErasedCandidate {
  readonly conversationId: string;
  readonly candidateId: string;
  readonly subjects: readonly string[];
}

/** Erases some candidates of the page, each while an answer may be under way. */
export async function eraseSome(
  setup: StormSetup,
  all: readonly StormCandidate[],
): Promise<Map<number, ErasedCandidate>> {
  const erased = new Map<number, ErasedCandidate>();
  // Whoever could not enter is a complaint, and has nothing to erase.
  const onPage = all.filter(
    (one): one is WebCandidate => one instanceof WebCandidate && one.conversationId !== '',
  );
  for (const candidate of onPage.filter((_, n) => n % ERASED_ONE_IN === 0)) {
    const { conversationId, number } = candidate;
    const [row] = await setup.rows<{ candidate_id: string }>(
      'select candidate_id from conversation where id = $1',
      [conversationId],
    );
    if (row === undefined) continue;
    const flushes = await setup.rows<{ answer_id: string }>(
      'select answer_id from turn where conversation_id = $1',
      [conversationId],
    );
    const subjects = flushes.map(({ answer_id }) => `flush:${answer_id}`);
    candidate.markErased();
    erased.set(number, { conversationId, candidateId: row.candidate_id, subjects });
    await erase(setup, row.candidate_id);
  }
  return erased;
}

async function erase(setup: StormSetup, candidateId: string): Promise<void> {
  const untilMs = performance.now() + ERASED_WITHIN_MS;
  while (performance.now() < untilMs) {
    const response = await fetch(`${setup.baseUrl}/api/v1/admin/candidates/${candidateId}/erase`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      signal: AbortSignal.timeout(ERASE_TIMEOUT_MS),
    }).catch(() => null);
    await response?.arrayBuffer().catch(() => null);
    if (response?.ok === true) return;
    await pause(ERASED_AGAIN_MS);
  }
  throw new Error(
    `candidate ${candidateId} was not erased in ${String(ERASED_WITHIN_MS / 1000)} s`,
  );
}

/** No row of any table names an erased candidate or repeats their words. */
export async function leftOfErased(
  setup: StormSetup,
  all: readonly StormCandidate[],
  erased: ReadonlyMap<number, ErasedCandidate>,
  { all: tokens }: TokenJournal,
): Promise<Violation[]> {
  if (erased.size === 0) return [];
  const words = [...erased].flatMap(([number, { conversationId, candidateId, subjects }]) => [
    conversationId,
    candidateId,
    ...subjects,
    ...tokens.filter(({ candidate }) => candidate === number).map(({ token }) => token),
  ]);
  const tables = await setup.rows<{ name: string }>(
    `select format('%I', table_name) as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  const violations: Violation[] = [];
  for (const { name } of tables) {
    const [row] = await setup.rows<{ count: number }>(
      `select count(*)::int as count from ${name} r where r::text ~ $1`,
      [`\\m(${words.join('|')})\\M`],
    );
    if (row === undefined || row.count === 0) continue;
    violations.push({
      rule: 'erasure',
      what: `${String(row.count)} rows of ${name} still name or quote an erased candidate`,
    });
  }
  return violations;
}
