import { randomUUID } from 'node:crypto';
import { AttentionService } from '../../src/attention';
import { hashToken } from '../../src/common/ids';
import type { TestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';
import type { Colleague } from '../support/colleague';

export interface Item {
  readonly id: string;
  readonly kind: string;
  readonly conversationId: string | null;
  readonly closedAt: string | null;
  readonly closedBy: string | null;
  readonly about: Readonly<Record<string, unknown>> | null;
  readonly claim: { readonly heldBy: string } | null;
}

/** An interview with an item of the attention list. */
export interface Subject {
  readonly candidate: TestCandidate;
  readonly id: string;
}

export const LIST = '/api/v1/admin/attention';
export const WORDS = 'May I work from home on Fridays?';

/** What tests of the inbox begin with, and what they look at afterwards. */
export function inbox(app: () => TestApp) {
  async function waiting(vacancy = app().vacancy): Promise<Subject> {
    const candidate = await TestCandidate.begin({ url: app().url, vacancy });
    await candidate.post('human');
    return { candidate, id: await newestItem() };
  }

  /** A candidate has asked something that no document covers. */
  async function asking(vacancy = app().vacancy): Promise<Subject> {
    const candidate = await TestCandidate.begin({ url: app().url, vacancy });
    await candidate.send(randomUUID(), WORDS);
    const { conversationId } = candidate;
    const item = {
      kind: 'question',
      subject: `turn:${conversationId}`,
      reason: 'not covered',
    } as const;
    await app().commit((tx) =>
      app()
        .get(AttentionService)
        .raise(tx, { ...item, conversationId }),
    );
    return { candidate, id: await newestItem() };
  }

  /** Another item about the interview of the subject. */
  async function questionOf({ candidate: { conversationId } }: Subject): Promise<{ id: string }> {
    const item = { kind: 'question', subject: `turn:${randomUUID()}`, reason: 'A test.' } as const;
    await app().commit((tx) =>
      app()
        .get(AttentionService)
        .raise(tx, { ...item, conversationId }),
    );
    return { id: await newestItem() };
  }

  /** Work that has failed, and nobody's interview. */
  async function failed(): Promise<string> {
    const item = {
      kind: 'stalled',
      subject: `job:${randomUUID()}`,
      reason: 'it stands still',
    } as const;
    await app().commit((tx) => app().get(AttentionService).raise(tx, item));
    return newestItem();
  }

  async function newestItem(): Promise<string> {
    const { id } = await app().one<{ id: string }>('select max(id)::text as id from attention');
    return id;
  }

  async function ownerOf({ candidate }: Subject): Promise<string> {
    return (await candidate.view()).owner;
  }

  async function textsFromPeople({ candidate: { conversationId } }: Subject): Promise<string[]> {
    const rows = await app().sql<{ text: string }>(
      'select text from message where conversation_id = $1 and from_person order by seq',
      [conversationId],
    );
    return rows.map(({ text }) => text);
  }

  async function audited(id: string): Promise<string[]> {
    const rows = await app().sql<{ line: string }>(
      `select actor || ': ' || action as line from audit_event where subject_hash = $1 order by id`,
      [hashToken(id)],
    );
    return rows.map(({ line }) => line);
  }

  return { waiting, asking, questionOf, failed, newestItem, ownerOf, textsFromPeople, audited };
}

export const act = (
  by: Colleague,
  id: string,
  action: string,
  body: object = {},
): Promise<Response> => by.request('POST', `${LIST}/${id}/${action}`, { body });

export async function read(by: Colleague, id: string): Promise<Item> {
  const response = await by.request('GET', `${LIST}/${id}`);
  return (await response.json()) as Item;
}
