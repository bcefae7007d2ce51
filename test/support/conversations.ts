import { randomUUID } from 'node:crypto';
import type { TestBase } from './test-base';

const ID = '00000000-0000-4000-8000-000000000001';

/** Stores an active conversation without messages, for a vacancy and a candidate of no importance. */
export async function addConversation(
  database: Pick<TestBase, 'sql'>,
  { id = randomUUID(), metadata = {} }: { id?: string; metadata?: unknown } = {},
): Promise<string> {
  await database.sql(
    `with v as (
       insert into vacancy (id, slug, language, title, company, owner, plan, open_token)
       values ($1, 's', 'en', 't', 'c', '{}', '{}', 'o') on conflict do nothing),
     c as (insert into candidate (id) values ($1) on conflict do nothing)
     insert into conversation
       (id, vacancy_id, candidate_id, language, plan, status, state, metadata, consent_version,
         consent_accepted, consent_at)
     values ($2, $1, $1, 'en', '{}', 'active', '{}', $3, 'v1', true, '2026-01-01')`,
    [ID, id, JSON.stringify(metadata)],
  );
  return id;
}
